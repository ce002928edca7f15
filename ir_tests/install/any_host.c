/* A host of its own: loads the device library, describes one reduction, runs it. No XML, no host
 * library: of irreduce only plugin.h and libirreduce_cpu_plugin.so are used.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <irreduce/plugin.h>
#include <stdio.h>

int main(int argc, char **argv) {
    char text[1024] = "no such library or symbol";
    irr_sentence_t sentence = {text, sizeof text};
    irr_create_plugin_engine_f create = NULL;
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library) *(void **)&create = dlsym(library, IRR_CREATE_PLUGIN_ENGINE);

    const int64_t data_dims[] = {2, 3}, axes_dims[] = {1}, out_dims[] = {2}, axes[] = {1};
    const irr_graph_value_t values[] = {
        {IRR_F32, 2, data_dims, NULL, false},
        {IRR_I64, 1, axes_dims, axes, true},
        {IRR_F32, 1, out_dims, NULL, false},
    };
    const irr_graph_layer_t layer = {
        .id = "0", .name = "norms", .type = "ReduceL2", .data = 0, .axes = 1, .output = 2};
    const uint32_t input = 0, output = 2;
    const irr_graph_t graph = {sizeof graph, "one", values, 3, &layer, 1, &input, 1, &output, 1};

    irr_plugin_engine_t *engine = NULL;
    irr_plugin_compiled_t *compiled = NULL;
    irr_plugin_request_t *request = NULL;
    float x[] = {3, 4, 0, 3e30f, 4e30f, 0}, y[2];
    const irr_tensor_view_t in = {x, IRR_F32, 2, data_dims, NULL};
    const irr_tensor_view_t out = {y, IRR_F32, 1, out_dims, NULL};

    int failed = !create || create(IRR_PLUGIN_ABI, &engine, sentence) ||
                 engine->compile(engine, &graph, NULL, 0, &compiled, sentence) ||
                 engine->create_request(compiled, &request, sentence) ||
                 engine->infer(request, &in, &out, NULL, sentence);
    if (failed)
        fprintf(stderr, "%s\n", text);
    else
        printf("%g %g\n", (double)y[0], (double)y[1]);
    if (request) engine->release_request(request);
    if (compiled) engine->release_compiled(compiled);
    if (engine) engine->release(engine);
    return failed;
}
