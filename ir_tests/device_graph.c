/* SPDX-License-Identifier: Apache-2.0 */
#include "device_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

void graph_begin(device_graph_t *graph) {
    memset(graph, 0, sizeof *graph);
    graph->view = (irr_graph_t){.size_bytes = sizeof(irr_graph_t),
                                .name = "small",
                                .values = graph->values,
                                .layers = graph->layers,
                                .inputs = graph->inputs,
                                .outputs = graph->outputs};
}

static uint32_t add_value(device_graph_t *graph, irr_graph_value_t value) {
    int64_t *dims = graph->dims[graph->view.value_count];
    for (uint32_t d = 0; d < value.rank; d++) dims[d] = value.dims[d];
    value.dims = dims;
    graph->values[graph->view.value_count] = value;
    return graph->view.value_count++;
}

uint32_t graph_input(device_graph_t *graph, irr_element_type_e type, uint32_t rank,
                     const int64_t *dims) {
    uint32_t value = add_value(graph, (irr_graph_value_t){type, rank, dims, NULL, false});
    return graph->inputs[graph->view.input_count++] = value;
}

uint32_t graph_constant(device_graph_t *graph, irr_element_type_e type, uint32_t rank,
                        const int64_t *dims, const void *bytes) {
    return add_value(graph, (irr_graph_value_t){type, rank, dims, bytes, true});
}

uint32_t graph_layer(device_graph_t *graph, const char *type, uint32_t data, uint32_t axes,
                     uint32_t rank, const int64_t *dims) {
    static const char *const ids[GRAPH_LAYERS] = {"10", "11", "12", "13"};
    irr_element_type_e element = graph->values[data].element_type;
    uint32_t output = add_value(graph, (irr_graph_value_t){element, rank, dims, NULL, false});
    graph->layers[graph->view.layer_count] =
        (irr_graph_layer_t){.id = ids[graph->view.layer_count],
                            .name = graph->view.layer_count ? "" : "first \"one\"",
                            .type = type,
                            .data = data,
                            .axes = axes,
                            .output = output,
                            .keep_dims = rank == graph->values[data].rank};
    graph->view.layer_count++;
    return output;
}

void graph_output(device_graph_t *graph, uint32_t value) {
    graph->outputs[graph->view.output_count++] = value;
}

irr_tensor_view_t tensor(irr_element_type_e type, uint32_t rank, const int64_t *dims,
                         const void *data) {
    return (irr_tensor_view_t){(void *)(uintptr_t)data, type, rank, dims, NULL};
}

irr_plugin_engine_t *engine_or_fail(void) {
    char text[1024] = "";
    irr_plugin_engine_t *engine = NULL;
    irr_sentence_t sentence = {text, sizeof text};
    if (irr_create_plugin_engine(IRR_PLUGIN_ABI, &engine, sentence) != IRR_OK)
        fail_msg("no engine: %s", text);
    return engine;
}

irr_plugin_request_t *request_on(const device_graph_t *graph, const irr_property_t *properties,
                                 size_t count) {
    char text[1024] = "";
    irr_sentence_t sentence = {text, sizeof text};
    irr_plugin_engine_t *engine = engine_or_fail(), face = *engine;
    irr_plugin_compiled_t *compiled = NULL;
    irr_plugin_request_t *request = NULL;
    if (engine->compile(engine, &graph->view, properties, count, &compiled, sentence) != IRR_OK)
        fail_msg("compile: %s", text);
    engine->release(engine);
    if (face.create_request(compiled, &request, sentence) != IRR_OK) fail_msg("request: %s", text);
    face.release_compiled(compiled);
    return request;
}

void infer_or_fail(irr_plugin_request_t *request, const irr_tensor_view_t *inputs,
                   const irr_tensor_view_t *outputs) {
    char text[1024] = "";
    irr_plugin_engine_t *engine = engine_or_fail();
    irr_status_e status =
        engine->infer(request, inputs, outputs, NULL, (irr_sentence_t){text, sizeof text});
    engine->release(engine);
    if (status != IRR_OK) fail_msg("infer: %s", text);
}
