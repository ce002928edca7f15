/* irreduce itself, through its public API, as its user would set it up.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    program_t program;
    irr_tensor_t *output;
    void *memory;
} state_t;

/* Registered under its own path, once a core. */
static int compile(const case_t *c, const contender_t *as, size_t count,
                   const irr_property_t *properties, program_t *program) {
    session_t on = *(as->session ? as->session : c->session);
    if (as->plugin) {
        on.device = as->plugin;
        irr_available_devices_t devices = {0};
        LIB(irr_core_get_available_devices(on.core, &devices));
        bool known = false;
        for (size_t i = 0; i < devices.size; i++) known |= !strcmp(devices.devices[i], on.device);
        irr_available_devices_free(&devices);
        if (!known) LIB(irr_core_register_plugin(on.core, as->plugin, on.device));
    }
    TRY(session_compile(&on, count, properties, program));
    return session_feed(&on, program);
}

static int open_program(const case_t *c, const contender_t *as, state_t *state) {
    char threads[16];
    snprintf(threads, sizeof threads, "%u", c->threads);
    irr_property_t properties[2] = {{irr_property_key_inference_num_threads, threads},
                                    as->property};
    return compile(c, as, as->property.key ? 2 : 1, properties, &state->program);
}

static void close_state(void *opaque) {
    state_t *state = opaque;
    program_free(&state->program);
    irr_tensor_free(state->output);
    free(state);
}

static void *open_state(const case_t *c, const contender_t *as) {
    state_t *state = calloc(1, sizeof *state);
    if (!state) return NULL;
    if (open_program(c, as, state) == IRR_OK) return state;
    close_state(state);
    return NULL;
}

/* The output tensor is set when it changes; from then on a run is one call. */
static int set_output(state_t *state, void *output) {
    TRY(program_outputs(&state->program));
    view_t *view = &state->program.outputs[0].view;
    irr_tensor_free(state->output);
    state->output = NULL;
    irr_shape_t shape = {(int64_t)view->rank, view->dims};
    LIB(irr_tensor_create_from_host_ptr(view->type, shape, output, &state->output));
    state->memory = output;
    return library(
        irr_infer_request_set_output_tensor_by_index(state->program.request, 0, state->output));
}

static bool run(void *opaque, void *output) {
    state_t *state = opaque;
    if (state->memory != output && set_output(state, output) != IRR_OK) return false;
    return irr_infer_request_infer(state->program.request) == IRR_OK;
}

char *irreduce_kernel(const case_t *c, const contender_t *as) {
    irr_property_t properties[2] = {{irr_property_key_enable_profiling, "YES"}, as->property};
    program_t program = {0};
    irr_profiling_info_list_t infos = {0};
    char *text = take_text("unknown");
    if (compile(c, as, as->property.key ? 2 : 1, properties, &program) == IRR_OK &&
        irr_infer_request_infer(program.request) == IRR_OK &&
        irr_infer_request_get_profiling_info(program.request, &infos) == IRR_OK && infos.size)
        text = take_text("%s (%s, %s)", infos.profiling_infos[0].kernel,
                         infos.profiling_infos[0].backend, infos.profiling_infos[0].tier);
    irr_profiling_info_list_free(&infos);
    program_free(&program);
    return text;
}

const peer_t peer_irreduce = {.open = open_state, .run = run, .close = close_state};
