/* oneDNN as a backend.
 * Lives here: what oneDNN may run (semantics, "oneDNN's place"), how its work is split, which of
 * its outputs are redone. May not: its headers (onednn.c); a timing made at run time: the estimates
 * are a table that bench/onednn_estimates prints. SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "plan/backend.h"
#include "plan/onednn.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- where its answer is the contract's ---- */

typedef struct {
    bool exact_bytes; /* of i8 and u8: bit for bit the contract's */
    bool near_floats; /* of floats: inside the error bound while the chain of additions is short */
} op_row_t;

static const op_row_t op_rows[IRR_OP_COUNT] = {
    [IRR_OP_MIN] = {.exact_bytes = true},
    [IRR_OP_SUM] = {.near_floats = true},
    [IRR_OP_MAX] = {.exact_bytes = true},
};

/* Printed by `onednn_estimates` of bench/: one thread, data in cache. Its JIT kernels widen every
 * type to f32 lanes. The first row that fits an implementation's name and the type is its own. */
typedef struct {
    const char *mark; /* part of the name */
    bool bytes;       /* for i8 and u8 alone */
    uint32_t lanes;
    double call_us, output_us, element_us;
} implementation_t;

static const implementation_t implementations[] = {
    {"ref", false, 1, 0.160, 0.03095, 0.0104963},
    {"avx512", true, 16, 0.153, 0.00583, 0.0000442},
    {"avx512", false, 16, 0.153, 0.00515, 0.0000462},
    {"avx", true, 8, 0.152, 0.00391, 0.0001448},
    {"avx", false, 8, 0.152, 0.00644, 0.0000824},
    {"sse", true, 4, 0.147, 0.00560, 0.0001552},
    {"sse", false, 4, 0.147, 0.00390, 0.0002028},
    {"", false, 1, 0.160, 0.03095, 0.0104963}, /* a name that we do not know: no better than ref */
};

enum { MAX_ROUNDINGS = 120, MAX_NEAR_SET = 2048, SPLIT_BYTES = 256 << 10 };

static const implementation_t *implementation_of(const char *name, irr_element_type_e type) {
    const implementation_t *row = implementations;
    bool bytes = irr_element_bytes(type) == 1;
    while (!strstr(name, row->mark) || (row->bytes && !bytes)) row++;
    return row;
}

/* Roundings between an element's load and the final one: its lane's chain, then the lanes. */
static size_t roundings(const implementation_t *row, size_t set_size) {
    size_t depth = (set_size + row->lanes - 1) / row->lanes;
    for (uint32_t lanes = row->lanes; lanes > 1; lanes /= 2) depth++;
    return depth;
}

static bool is_float(irr_element_type_e type) {
    return irr_element_type_info(type)->kind == IRR_KIND_FLOAT;
}

static bool is_forced(const irr_config_t *config) { return config->backend == IRR_BACKEND_ONEDNN; }

/* Why `auto` may not take it, whichever implementation oneDNN has; NULL if it may. */
static const char *contract_objection(const irr_problem_t *problem, const irr_config_t *config) {
    const op_row_t *row = &op_rows[problem->op];
    bool floats = is_float(problem->type), bytes = irr_element_bytes(problem->type) == 1;
    if (!(row->exact_bytes && bytes) && !(row->near_floats && floats))
        return "its answer is not the contract's: NaN, zero signs, saturation or rounding differ";
    if (floats && config->reproducible)
        return "its bits are not ours, and IRREDUCE_REPRODUCIBLE is YES";
    if (floats && problem->geometry.set_size > MAX_NEAR_SET)
        return "above 2048 elements an output it leaves the error bound";
    if (config->tier < irr_cpu_best_tier()) return "it does not obey the cap of IRREDUCE_ISA";
    if (problem->geometry.set_size > INT32_MAX / problem->geometry.output_count)
        return "it is untried above 2^31 elements";
    return NULL;
}

static const char *objection(const irr_problem_t *problem, const irr_config_t *config) {
    const char *objects = irr_onednn_objection(problem);
    if (objects) return objects;
    if (config->accuracy && is_float(problem->type))
        return "EXECUTION_MODE_HINT=ACCURACY wants floats correctly rounded";
    return is_forced(config) ? NULL : contract_objection(problem, config);
}

/* ---- offer ---- */

static void judge(const irr_problem_t *problem, const irr_config_t *config, const char *name,
                  irr_offer_t *offer) {
    const irr_geometry_t *geometry = &problem->geometry;
    const implementation_t *row = implementation_of(name, problem->type);
    size_t depth = roundings(row, geometry->set_size);
    double outputs = (double)geometry->output_count;
    if (!is_forced(config) && row->lanes == 1) {
        snprintf(offer->reason, sizeof offer->reason, "oneDNN has only %s for this shape", name);
        return;
    }
    if (!is_forced(config) && is_float(problem->type) && depth > MAX_ROUNDINGS) {
        snprintf(offer->reason, sizeof offer->reason,
                 "%s rounds an element up to %zu times, and %d is the most", name, depth,
                 MAX_ROUNDINGS);
        return;
    }
    offer->serves = true;
    offer->estimate_us = row->call_us + outputs * row->output_us +
                         outputs * (double)geometry->set_size * row->element_us;
    snprintf(offer->kernel, sizeof offer->kernel, "%s", name);
    snprintf(offer->reason, sizeof offer->reason, "%s",
             is_forced(config) ? "forced, whatever the contract says"
                               : "keeps to the contract here");
}

static void offer(const irr_problem_t *problem, const irr_config_t *config, irr_offer_t *offer) {
    *offer = (irr_offer_t){0};
    irr_onednn_t *reduction = NULL;
    const char *objects = objection(problem, config);
    irr_status_e status = IRR_OK;
    if (!objects)
        status = irr_onednn_create(problem, problem->geometry.runs[0].size, 0, &reduction);
    if (status)
        objects = status == IRR_NOT_ALLOCATED ? "out of memory"
                                              : "oneDNN has no implementation for this shape";
    if (status == IRR_NOT_ALLOCATED) offer->serves = is_forced(config); /* prepare then says so */
    if (objects)
        snprintf(offer->reason, sizeof offer->reason, "%s", objects);
    else
        judge(problem, config, irr_onednn_implementation(reduction), offer);
    irr_onednn_destroy(reduction);
}

/* ---- prepare ---- */

typedef struct {
    irr_element_type_e type;
    uint32_t chunk_count;
    size_t chunk_outputs, output_count, set_size;
    size_t source_step_bytes, output_step_bytes; /* from a chunk to the next */
    size_t own_scratch_bytes, chunk_scratch_bytes;
    irr_onednn_t *chunk, *last; /* last: NULL if as large as the others */
    const irr_backend_t *redo;  /* our own route for one output, or NULL */
    void *redo_state;
} state_t;

static void release(void *opaque) {
    state_t *state = opaque;
    if (!state) return;
    irr_onednn_destroy(state->chunk);
    irr_onednn_destroy(state->last);
    if (state->redo) state->redo->release(state->redo_state);
    irr_release(state);
}

/* Splits the outermost run, if it is kept, between the threads. */
static void split(const irr_problem_t *problem, uint32_t threads, state_t *state, size_t *chunk,
                  size_t *last) {
    const irr_geometry_t *geometry = &problem->geometry;
    size_t size = geometry->runs[0].size, bytes = irr_element_bytes(problem->type);
    bool whole = geometry->runs[0].reduced ||
                 geometry->output_count * geometry->set_size < SPLIT_BYTES / bytes;
    size_t wanted = whole ? 1 : threads < size ? threads : size;
    *chunk = (size + wanted - 1) / wanted;
    state->chunk_count = (uint32_t)((size + *chunk - 1) / *chunk);
    *last = size - (state->chunk_count - 1) * *chunk;
    state->chunk_outputs = whole ? geometry->output_count : geometry->output_count / size * *chunk;
    state->output_step_bytes = state->chunk_outputs * bytes;
    state->source_step_bytes = state->output_step_bytes * geometry->set_size;
}

static size_t aligned(size_t bytes) {
    return (bytes + IRR_ALIGNMENT - 1) / IRR_ALIGNMENT * IRR_ALIGNMENT;
}

/* The same operation on one row, for outputs that must be redone. */
static irr_status_e prepare_redo(const irr_problem_t *problem, const irr_config_t *config,
                                 state_t *state, irr_sentence_t sentence) {
    irr_problem_t row = {.op = problem->op, .type = problem->type, .rank = 1, .mask = 1};
    size_t scratch_bytes;
    row.dims[0] = (int64_t)problem->geometry.set_size;
    irr_geometry_of(row.dims, row.rank, row.mask, &row.geometry);
    irr_offer_t offer;
    irr_backend_simd.offer(&row, config, &offer);
    const irr_backend_t *redo = offer.serves ? &irr_backend_simd : &irr_backend_reference;
    irr_status_e status = redo->prepare(&row, config, &state->redo_state, &scratch_bytes, sentence);
    if (status != IRR_OK) return status;
    state->redo = redo;
    state->chunk_scratch_bytes += aligned(scratch_bytes);
    return IRR_OK;
}

static irr_status_e prepare(const irr_problem_t *problem, const irr_config_t *config, void **out,
                            size_t *scratch_bytes, irr_sentence_t sentence) {
    const char *objects = objection(problem, config);
    if (objects) return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "%s", objects);
    state_t *state = irr_calloc(1, sizeof *state);
    if (!state) return irr_out_of_memory(sentence, sizeof *state);
    size_t chunk, last;
    state->type = problem->type;
    state->output_count = problem->geometry.output_count;
    state->set_size = problem->geometry.set_size;
    split(problem, config->threads, state, &chunk, &last);
    irr_status_e status = irr_onednn_create(problem, chunk, state->chunk_count + 1, &state->chunk);
    if (status == IRR_OK && last != chunk)
        status = irr_onednn_create(problem, last, 2, &state->last);
    if (status != IRR_OK) {
        irr_fail(sentence, status, "oneDNN could not make its primitive");
        goto failed;
    }
    state->own_scratch_bytes = aligned(irr_onednn_scratch_bytes(state->chunk));
    if (state->last && aligned(irr_onednn_scratch_bytes(state->last)) > state->own_scratch_bytes)
        state->own_scratch_bytes = aligned(irr_onednn_scratch_bytes(state->last));
    state->chunk_scratch_bytes = state->own_scratch_bytes;
    if (!is_forced(config) && is_float(problem->type))
        if ((status = prepare_redo(problem, config, state, sentence)) != IRR_OK) goto failed;
    *scratch_bytes = state->chunk_scratch_bytes * state->chunk_count;
    *out = state;
    return IRR_OK;
failed:
    release(state);
    return status;
}

/* ---- execute ---- */

/* An infinity or NaN may be a false one; and its bf16 stores flush what is below the smallest
 * normal number. */
static bool is_suspicious(irr_element_type_e type, const char *output, size_t k) {
    if (type == IRR_F32) {
        uint32_t bits;
        memcpy(&bits, output + k * sizeof bits, sizeof bits);
        return (bits & 0x7f800000) == 0x7f800000;
    }
    uint16_t bits;
    memcpy(&bits, output + k * sizeof bits, sizeof bits);
    return (bits & 0x7f80) == 0x7f80 || (bits & 0x7fff) == 0;
}

typedef struct {
    const state_t *state;
    const char *data;
    char *output, *scratch;
    atomic_bool failed;
    atomic_uint_fast64_t redone;
} run_t;

static bool redo(run_t *run, const char *data, char *output, size_t outputs, void *scratch) {
    const state_t *state = run->state;
    size_t bytes = irr_element_bytes(state->type);
    const irr_executor_t alone = {NULL, 1};
    for (size_t k = 0; k < outputs; k++) {
        if (!is_suspicious(state->type, output, k)) continue;
        irr_execution_stats_t stats;
        if (state->redo->execute(state->redo_state, data + k * state->set_size * bytes,
                                 output + k * bytes, scratch, &alone, &stats,
                                 (irr_sentence_t){NULL, 0}) != IRR_OK)
            return false;
        atomic_fetch_add_explicit(&run->redone, 1, memory_order_relaxed);
    }
    return true;
}

static void run_chunk(void *argument, size_t index) {
    run_t *run = argument;
    const state_t *state = run->state;
    bool is_last = index + 1 == state->chunk_count;
    const char *data = run->data + index * state->source_step_bytes;
    char *output = run->output + index * state->output_step_bytes;
    char *scratch = run->scratch + index * state->chunk_scratch_bytes;
    size_t outputs =
        is_last ? state->output_count - index * state->chunk_outputs : state->chunk_outputs;
    bool done =
        irr_onednn_run(is_last && state->last ? state->last : state->chunk, data, output, scratch);
    if (done && state->redo)
        done = redo(run, data, output, outputs, scratch + state->own_scratch_bytes);
    if (!done) atomic_store_explicit(&run->failed, true, memory_order_relaxed);
}

static irr_status_e execute(const void *opaque, const void *data, void *output, void *scratch,
                            const irr_executor_t *executor, irr_execution_stats_t *stats,
                            irr_sentence_t sentence) {
    const state_t *state = opaque;
    run_t run = {.state = state, .data = data, .output = output, .scratch = scratch};
    uint32_t width = irr_executor_width(executor);
    irr_parallel_for(executor, state->chunk_count, run_chunk, &run);
    stats->threads = width < state->chunk_count ? width : state->chunk_count;
    stats->exact_fallbacks = atomic_load_explicit(&run.redone, memory_order_relaxed);
    if (!atomic_load_explicit(&run.failed, memory_order_relaxed)) return IRR_OK;
    return irr_fail(sentence, IRR_GENERAL_ERROR, "oneDNN could not execute its primitive");
}

const irr_backend_t irr_backend_onednn = {"onednn", offer, prepare, execute, release};
