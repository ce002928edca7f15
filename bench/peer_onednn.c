/* oneDNN called directly, merged dimensions, with as many OpenMP threads as the case asks for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#ifndef IRREDUCE_HAVE_ONEDNN
static void *open_state(const case_t *c, const contender_t *as) { return (void)c, (void)as, NULL; }
const peer_t peer_onednn = {.open = open_state};
#else

#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>

void omp_set_num_threads(int threads);

typedef struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    dnnl_memory_t source, output;
    int threads;
} state_t;

typedef struct {
    dnnl_alg_kind_t algorithm;
    float power;
} row_t;

static const row_t rows[OP_COUNT] = {
    [OP_MIN] = {dnnl_reduction_min, 0},        [OP_MAX] = {dnnl_reduction_max, 0},
    [OP_SUM] = {dnnl_reduction_sum, 0},        [OP_MEAN] = {dnnl_reduction_mean, 0},
    [OP_PROD] = {dnnl_reduction_mul, 0},       [OP_L1] = {dnnl_reduction_norm_lp_sum, 1},
    [OP_L2] = {dnnl_reduction_norm_lp_sum, 2}, [OP_AND] = {dnnl_alg_kind_undef, 0},
    [OP_OR] = {dnnl_alg_kind_undef, 0},
};

static dnnl_data_type_t data_type(irr_element_type_e type) {
    switch (type) {
    case IRR_F32:
        return dnnl_f32;
    case IRR_BF16:
        return dnnl_bf16;
    case IRR_I32:
        return dnnl_s32;
    case IRR_I8:
        return dnnl_s8;
    case IRR_U8:
        return dnnl_u8;
    default:
        return dnnl_data_type_undef;
    }
}

static void close_state(void *opaque) {
    state_t *state = opaque;
    if (state->source) dnnl_memory_destroy(state->source);
    if (state->output) dnnl_memory_destroy(state->output);
    if (state->primitive) dnnl_primitive_destroy(state->primitive);
    if (state->description) dnnl_primitive_desc_destroy(state->description);
    if (state->stream) dnnl_stream_destroy(state->stream);
    if (state->engine) dnnl_engine_destroy(state->engine);
    free(state);
}

static dnnl_status_t describe(const case_t *c, state_t *state) {
    dnnl_dims_t from, to, from_stride, to_stride;
    int count = (int)c->run_count;
    dnnl_dim_t from_size = 1, to_size = 1;
    for (int d = count - 1; d >= 0; d--) {
        from[d] = (dnnl_dim_t)c->runs[d].size;
        to[d] = c->runs[d].reduced ? 1 : from[d];
        from_stride[d] = from_size;
        to_stride[d] = to_size;
        from_size *= from[d];
        to_size *= to[d];
    }
    dnnl_data_type_t type = data_type(c->data->type);
#if DNNL_VERSION_MAJOR >= 3
    dnnl_memory_desc_t source = NULL, output = NULL;
    dnnl_status_t status =
        dnnl_memory_desc_create_with_strides(&source, count, from, type, from_stride);
    if (!status) status = dnnl_memory_desc_create_with_strides(&output, count, to, type, to_stride);
    if (!status)
        status = dnnl_reduction_primitive_desc_create(&state->description, state->engine,
                                                      rows[c->op].algorithm, source, output,
                                                      rows[c->op].power, 0, NULL);
    if (!status) status = dnnl_memory_create(&state->source, source, state->engine, c->data->data);
    if (!status)
        status = dnnl_memory_create(&state->output, output, state->engine, DNNL_MEMORY_NONE);
    if (source) dnnl_memory_desc_destroy(source);
    if (output) dnnl_memory_desc_destroy(output);
#else
    dnnl_memory_desc_t source, output;
    dnnl_reduction_desc_t reduction;
    dnnl_status_t status =
        dnnl_memory_desc_init_by_strides(&source, count, from, type, from_stride);
    if (!status) status = dnnl_memory_desc_init_by_strides(&output, count, to, type, to_stride);
    if (!status)
        status = dnnl_reduction_desc_init(&reduction, rows[c->op].algorithm, &source, &output,
                                          rows[c->op].power, 0);
    if (!status)
        status =
            dnnl_primitive_desc_create(&state->description, &reduction, NULL, state->engine, NULL);
    if (!status) status = dnnl_memory_create(&state->source, &source, state->engine, c->data->data);
    if (!status)
        status = dnnl_memory_create(&state->output, &output, state->engine, DNNL_MEMORY_NONE);
#endif
    return status;
}

static void *open_state(const case_t *c, const contender_t *as) {
    (void)as;
    if (c->run_count > DNNL_MAX_NDIMS || data_type(c->data->type) == dnnl_data_type_undef ||
        rows[c->op].algorithm == dnnl_alg_kind_undef || c->set_size == 1 || c->siblings)
        return NULL;
    state_t *state = calloc(1, sizeof *state);
    if (!state) return NULL;
    state->threads = (int)c->threads;
    omp_set_num_threads(state->threads);
    if (!dnnl_engine_create(&state->engine, dnnl_cpu, 0) &&
        !dnnl_stream_create(&state->stream, state->engine, dnnl_stream_default_flags) &&
        !describe(c, state) && !dnnl_primitive_create(&state->primitive, state->description))
        return state;
    close_state(state);
    return NULL;
}

static bool run(void *opaque, void *output) {
    state_t *state = opaque;
    omp_set_num_threads(state->threads);
    dnnl_memory_set_data_handle(state->output, output);
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, state->source}, {DNNL_ARG_DST, state->output}};
    return !dnnl_primitive_execute(state->primitive, state->stream, 2, arguments) &&
           !dnnl_stream_wait(state->stream);
}

static const char *version(const char *library) {
    const dnnl_version_t *about = dnnl_version();
    (void)library;
    return take_text("%d.%d.%d", about->major, about->minor, about->patch);
}

const peer_t peer_onednn = {
    .open = open_state, .run = run, .close = close_state, .spins = true, .version = version};
#endif
