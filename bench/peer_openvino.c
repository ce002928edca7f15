/* OpenVINO's CPU device, through its C API: the same model text and the same tensors that irreduce
 * gets. irreduce's shapes, properties and status numbers are OpenVINO's, so they serve as they are.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *build, *description;
} version_t;

static struct {
    int (*get_version)(version_t *version);
    void (*free_version)(version_t *version);
    int (*create_core)(void **core);
    int (*read)(const void *core, const char *text, size_t length, const void *weights,
                void **model);
    void (*free_model)(void *model);
    int (*compile)(const void *core, const void *model, const char *device, size_t count,
                   const irr_property_t *properties, void **compiled);
    void (*free_compiled)(void *compiled);
    int (*create_request)(const void *compiled, void **request);
    void (*free_request)(void *request);
    int (*create_tensor)(int type, irr_shape_t shape, void *data, void **tensor);
    void (*free_tensor)(void *tensor);
    int (*set_input)(void *request, size_t index, const void *tensor);
    int (*set_output)(void *request, size_t index, const void *tensor);
    int (*infer)(void *request);
} api;

static const symbol_t symbols[] = {
    {"ov_get_openvino_version", &api.get_version},
    {"ov_version_free", &api.free_version},
    {"ov_core_create", &api.create_core},
    {"ov_core_read_model_from_memory_buffer", &api.read},
    {"ov_model_free", &api.free_model},
    {"ov_core_compile_model_props", &api.compile},
    {"ov_compiled_model_free", &api.free_compiled},
    {"ov_compiled_model_create_infer_request", &api.create_request},
    {"ov_infer_request_free", &api.free_request},
    {"ov_tensor_create_from_host_ptr", &api.create_tensor},
    {"ov_tensor_free", &api.free_tensor},
    {"ov_infer_request_set_input_tensor_by_index", &api.set_input},
    {"ov_infer_request_set_output_tensor_by_index", &api.set_output},
    {"ov_infer_request_infer", &api.infer},
};

static void *core; /* lives as long as the process */

typedef struct {
    const case_t *bench_case;
    void *model, *compiled, *request, *weights, *data, *result, *output;
} state_t;

static const char *version(const char *library) {
    version_t about = {NULL, NULL};
    if (!library || library_open(library, symbols, sizeof symbols / sizeof *symbols)) return NULL;
    if (api.create_core(&core) || api.get_version(&about)) {
        fail(IRR_GENERAL_ERROR, "%s makes no core", library);
        return NULL;
    }
    const char *build = take_text("%s", about.build);
    api.free_version(&about);
    return build;
}

/* On the memory of a tensor of irreduce. */
static int make_tensor_on(const view_t *view, uint64_t ones, void *data, void **tensor) {
    int64_t dims[MAX_RANK];
    for (size_t d = 0; d < view->rank; d++) dims[d] = ones >> d & 1 ? 1 : view->dims[d];
    return api.create_tensor((int)view->type, (irr_shape_t){(int64_t)view->rank, dims}, data,
                             tensor);
}

/* Threads are pinned by the bench. f32 is not to be narrowed; how bf16 and f16 are computed is the
 * device's choice. */
static int prepare(const case_t *c, state_t *state) {
    const char *xml = c->session->xml;
    const view_t *weights = &c->session->weights;
    const irr_property_t properties[] = {
        {"INFERENCE_NUM_THREADS", take_text("%u", c->threads)},
        {"NUM_STREAMS", "1"},
        {"ENABLE_CPU_PINNING", "NO"},
        {"INFERENCE_PRECISION_HINT", "f32"},
    };
    bool narrow = c->data->type == IRR_F16 || c->data->type == IRR_BF16;
    TRY(make_tensor_on(weights, 0, weights->data, &state->weights));
    TRY(api.read(core, xml, strlen(xml), state->weights, &state->model));
    TRY(api.compile(core, state->model, "CPU", narrow ? 3 : 4, properties, &state->compiled));
    TRY(api.create_request(state->compiled, &state->request));
    TRY(make_tensor_on(c->data, 0, c->data->data, &state->data));
    return api.set_input(state->request, 0, state->data);
}

static void close_state(void *opaque) {
    state_t *state = opaque;
    if (state->request) api.free_request(state->request);
    if (state->compiled) api.free_compiled(state->compiled);
    if (state->model) api.free_model(state->model);
    if (state->weights) api.free_tensor(state->weights);
    if (state->data) api.free_tensor(state->data);
    if (state->result) api.free_tensor(state->result);
    free(state);
}

static void *open_state(const case_t *c, const contender_t *as) {
    (void)as;
    state_t *state = core ? calloc(1, sizeof *state) : NULL;
    if (!state) return NULL;
    state->bench_case = c;
    if (!prepare(c, state)) return state;
    close_state(state);
    return NULL;
}

static bool run(void *opaque, void *output) {
    state_t *state = opaque;
    const case_t *c = state->bench_case;
    if (state->output != output) {
        if (state->result) api.free_tensor(state->result);
        if (make_tensor_on(c->data, c->axes, output, &state->result) ||
            api.set_output(state->request, 0, state->result))
            return false;
        state->output = output;
    }
    return !api.infer(state->request);
}

const peer_t peer_openvino = {
    .open = open_state, .run = run, .close = close_state, .spins = true, .version = version};
