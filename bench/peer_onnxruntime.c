/* ONNX Runtime, through its C API: one table of functions, to which new ones are only appended, so
 * no header of it is needed: the slots that are used are declared here. Tensors are made once, on
 * the caller's memory; a run is one call. SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stddef.h>
#include <stdlib.h>

enum { API_VERSION = 18, LOG_FATAL_ONLY = 4, ARENA = 1, DEFAULT_MEMORY = 0 };

typedef void *status_t; /* NULL, or the caller's to free */
typedef struct {
    void *slots_0[3];
    status_t (*create_environment)(int log_level, const char *name, void **environment);
    void *slots_4[4];
    status_t (*create_session)(const void *environment, const void *model, size_t bytes,
                               const void *options, void **session);
    status_t (*run)(void *session, const void *run_options, const char *const *input_names,
                    const void *const *inputs, size_t input_count, const char *const *output_names,
                    size_t output_count, void **outputs);
    status_t (*create_options)(void **options);
    void *slots_11[13];
    status_t (*set_threads)(void *options, int threads);
    void *slots_25[24];
    status_t (*create_tensor)(const void *memory_info, void *data, size_t bytes,
                              const int64_t *dims, size_t rank, int element_type, void **value);
    void *slots_50[19];
    status_t (*create_memory_info)(int allocator, int memory, void **memory_info);
    void *slots_70[23];
    void (*free_status)(void *status);
    void *slots_94[1];
    void (*free_session)(void *session);
    void (*free_value)(void *value);
    void *slots_97[3];
    void (*free_options)(void *options);
} api_t;
_Static_assert(offsetof(api_t, set_threads) == 24 * sizeof(void *), "slot 24");
_Static_assert(offsetof(api_t, create_tensor) == 49 * sizeof(void *), "slot 49");
_Static_assert(offsetof(api_t, create_memory_info) == 69 * sizeof(void *), "slot 69");
_Static_assert(offsetof(api_t, free_options) == 100 * sizeof(void *), "slot 100");

typedef struct {
    const api_t *(*get_api)(uint32_t version);
    const char *(*version)(void);
} base_t;

static const api_t *api;
static void *environment, *memory_info; /* live as long as the process */

typedef struct {
    const case_t *bench_case;
    void *session, *data, *result, *output;
} state_t;

static bool done(status_t status) {
    if (status) api->free_status(status);
    return !status;
}

static const char *version(const char *library) {
    const base_t *(*get_base)(void) = NULL;
    const symbol_t symbol = {"OrtGetApiBase", &get_base};
    if (!library || library_open(library, &symbol, 1)) return NULL;
    const base_t *base = get_base();
    api = base->get_api(API_VERSION);
    if (api && done(api->create_environment(LOG_FATAL_ONLY, "irreduce_bench", &environment)) &&
        done(api->create_memory_info(ARENA, DEFAULT_MEMORY, &memory_info)))
        return base->version();
    api = NULL;
    fail(IRR_NOT_IMPLEMENTED, "%s does not know version %d of its API", library, API_VERSION);
    return NULL;
}

static bool make_session(state_t *state) {
    unsigned char model[MOST_ONNX_BYTES];
    size_t bytes = onnx_model(state->bench_case, model);
    void *options = NULL;
    bool made = bytes && done(api->create_options(&options)) &&
                done(api->set_threads(options, (int)state->bench_case->threads)) &&
                done(api->create_session(environment, model, bytes, options, &state->session));
    if (options) api->free_options(options);
    return made;
}

static bool make_value(const case_t *c, uint64_t ones, void *data, void **value) {
    int64_t dims[MAX_RANK];
    size_t count = 1, bytes = type_of(c->data->type)->bytes;
    for (size_t d = 0; d < c->data->rank; d++) {
        dims[d] = ones >> d & 1 ? 1 : c->data->dims[d];
        count *= (size_t)dims[d];
    }
    return done(api->create_tensor(memory_info, data, count * bytes, dims, c->data->rank,
                                   onnx_element_type(c->data->type), value));
}

static void close_state(void *opaque) {
    state_t *state = opaque;
    if (state->session) api->free_session(state->session);
    if (state->data) api->free_value(state->data);
    if (state->result) api->free_value(state->result);
    free(state);
}

static void *open_state(const case_t *c, const contender_t *as) {
    (void)as;
    state_t *state = api ? calloc(1, sizeof *state) : NULL;
    if (!state) return NULL;
    state->bench_case = c;
    if (make_session(state) && make_value(c, 0, c->data->data, &state->data)) return state;
    close_state(state);
    return NULL;
}

static bool run(void *opaque, void *output) {
    static const char *const data_name = "data", *const result_name = "result";
    state_t *state = opaque;
    if (state->output != output) {
        if (state->result) api->free_value(state->result);
        if (!make_value(state->bench_case, state->bench_case->axes, output, &state->result))
            return false;
        state->output = output;
    }
    const void *inputs[] = {state->data};
    return done(
        api->run(state->session, NULL, &data_name, inputs, 1, &result_name, 1, &state->result));
}

const peer_t peer_onnxruntime = {
    .open = open_state, .run = run, .close = close_state, .spins = true, .version = version};
