/* oneDNN as a backend.
 * Lives here: what oneDNN may run (semantics, "oneDNN's place"), how its work is split, which of
 * its outputs are redone. May not: its headers (onednn.c); a timing made at run time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "plan/backend.h"
#include "plan/cut.h"
#include "plan/onednn.h"
#include "plan/redo.h"

#include <math.h>
#include <stdatomic.h>
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

/* One thread, data in cache, more or less: a call, an output, an element in one of so many lanes of
 * f32, or without such; oneDNN is one of the peers of irreduce_bench, which shows them. */
#define CALL_US 0.15
#define OUTPUT_US 0.005
#define LANE_US 0.0007
#define REF_US 0.0105
enum { MOST_LANES = 16 };
enum { MAX_ROUNDINGS = 120, MAX_NEAR_SET = 2048, SPLIT_BYTES = 256 << 10 };

/* Its JIT kernels widen every type to f32. 1: no such kernel, or a name that we do not know. */
static uint32_t lanes_of(const char *name) {
    return strstr(name, "avx512") ? 16 : strstr(name, "avx") ? 8 : strstr(name, "sse") ? 4 : 1;
}

/* Roundings between an element's load and the final one: its lane's chain, then the lanes. */
static size_t roundings(uint32_t lanes, size_t set_size) {
    return irr_ceil_div(set_size, lanes) + irr_ceil_log2(lanes);
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

static double estimate_us(const irr_geometry_t *geometry, uint32_t lanes) {
    double outputs = (double)geometry->output_count;
    return CALL_US + outputs * OUTPUT_US +
           outputs * (double)geometry->set_size * (lanes > 1 ? LANE_US / lanes : REF_US);
}

static void judge(const irr_problem_t *problem, const irr_config_t *config, const char *name,
                  irr_offer_t *offer) {
    uint32_t lanes = lanes_of(name);
    size_t depth = roundings(lanes, problem->geometry.set_size);
    if (!is_forced(config) && lanes == 1) {
        IRR_OFFER_SAY(offer, reason, "oneDNN has only %s for this shape", name);
        return;
    }
    if (!is_forced(config) && is_float(problem->type) && depth > MAX_ROUNDINGS) {
        IRR_OFFER_SAY(offer, reason, "%s rounds an element up to %zu times, and %d is the most",
                      name, depth, MAX_ROUNDINGS);
        return;
    }
    offer->serves = true;
    offer->estimate_us = estimate_us(&problem->geometry, lanes);
    IRR_OFFER_SAY(offer, kernel, "%s", name);
    IRR_OFFER_SAY(offer, reason, "%s",
                  is_forced(config) ? "forced, whatever the contract says"
                                    : "keeps to the contract here");
}

static void offer(const irr_problem_t *problem, const irr_config_t *config, irr_offer_t *offer) {
    irr_onednn_t *reduction = NULL;
    const char *objects = objection(problem, config);
    irr_status_e status = IRR_OK;
    /* oneDNN makes an engine and a description to be asked, and ends the process where it finds no
     * memory for them. */
    if (!objects && !is_forced(config) && offer->beaten_by_us > 0 &&
        estimate_us(&problem->geometry, MOST_LANES) >= offer->beaten_by_us)
        objects = "another is sooner than any implementation of oneDNN";
    if (!objects) status = irr_onednn_create(problem, 0, &reduction);
    if (status)
        objects = status == IRR_NOT_ALLOCATED ? "out of memory"
                                              : "oneDNN has no implementation for this shape";
    if (status == IRR_NOT_ALLOCATED) offer->serves = is_forced(config); /* prepare then says so */
    if (objects)
        IRR_OFFER_SAY(offer, reason, "%s", objects);
    else
        judge(problem, config, reduction->implementation, offer);
    irr_onednn_destroy(reduction);
}

/* ---- prepare ---- */

typedef struct {
    irr_problem_t problem;
    bool redoes; /* outputs that may be false */
    uint32_t chunk_count;
    size_t chunk_outputs, scratch_bytes; /* of each chunk */
    irr_onednn_t *chunk, *last;          /* the last chunk may be smaller; chunk: NULL if alone */
} state_t;

static void release(void *opaque) {
    state_t *state = opaque;
    if (!state) return;
    irr_onednn_destroy(state->chunk);
    irr_onednn_destroy(state->last);
    irr_release(state);
}

/* Splits the outermost run, if it is kept, between the threads. */
static irr_status_e split(state_t *state, uint32_t threads) {
    irr_problem_t part = state->problem;
    irr_run_t *run = &part.geometry.runs[0];
    const size_t size = run->size, outputs = part.geometry.output_count;
    size_t bytes = outputs * part.geometry.set_size * irr_element_bytes(part.type);
    bool whole = run->reduced || bytes < SPLIT_BYTES;
    size_t chunk = whole ? size : irr_ceil_div(size, irr_least(threads, size));
    state->chunk_count = (uint32_t)irr_ceil_div(size, chunk);
    state->chunk_outputs = whole ? outputs : outputs / size * chunk;
    run->size = (size - 1) % chunk + 1;
    irr_status_e status = irr_onednn_create(&part, 2, &state->last);
    run->size = chunk;
    if (status == IRR_OK && state->chunk_count > 1)
        status = irr_onednn_create(&part, state->chunk_count, &state->chunk);
    return status;
}

static irr_status_e prepare(const irr_problem_t *problem, const irr_config_t *config, void **out,
                            size_t *scratch_bytes, irr_sentence_t sentence) {
    const char *objects = objection(problem, config);
    if (objects) return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "%s", objects);
    state_t *state = irr_calloc(1, sizeof *state);
    if (!state) return irr_out_of_memory(sentence, sizeof *state);
    state->problem = *problem;
    state->redoes = !is_forced(config) && is_float(problem->type);
    irr_status_e status = split(state, config->threads);
    if (status != IRR_OK) {
        release(state);
        return irr_fail(sentence, status, "oneDNN could not make its primitive");
    }
    size_t bytes =
        irr_most(state->last->scratch_bytes, state->chunk ? state->chunk->scratch_bytes : 0);
    state->scratch_bytes = irr_round_up(bytes, IRR_ALIGNMENT);
    *scratch_bytes = state->scratch_bytes * state->chunk_count;
    *out = state;
    return IRR_OK;
}

/* ---- execute ---- */

/* An infinity or NaN may be a false one; and its bf16 stores flush what is below the smallest
 * normal number. */
static bool is_suspicious(irr_element_type_e type, double output) {
    return !isfinite(output) || (type == IRR_BF16 && output == 0);
}

typedef struct {
    const state_t *state;
    const char *data;
    char *output, *scratch;
    atomic_bool failed;
    atomic_uint_fast64_t redone;
} run_t;

static void redo(run_t *run, size_t first, size_t end) {
    const irr_problem_t *problem = &run->state->problem;
    size_t bytes = irr_element_bytes(problem->type);
    for (size_t k = first; k < end; k++) {
        if (!is_suspicious(problem->type, irr_float_at(run->output, problem->type, k))) continue;
        irr_redo(problem, run->data, k, run->output + k * bytes);
        atomic_fetch_add_explicit(&run->redone, 1, memory_order_relaxed);
    }
}

static void run_chunk(void *argument, size_t index) {
    run_t *run = argument;
    const state_t *state = run->state;
    const irr_geometry_t *geometry = &state->problem.geometry;
    bool is_last = index + 1 == state->chunk_count;
    size_t bytes = irr_element_bytes(state->problem.type), first = index * state->chunk_outputs;
    size_t end = is_last ? geometry->output_count : first + state->chunk_outputs;
    if (!irr_onednn_run(is_last ? state->last : state->chunk,
                        run->data + first * geometry->set_size * bytes, run->output + first * bytes,
                        run->scratch + index * state->scratch_bytes))
        atomic_store_explicit(&run->failed, true, memory_order_relaxed);
    else if (state->redoes)
        redo(run, first, end);
}

static irr_status_e execute(irr_yield_t *yield, uint32_t count, const void *data, void *scratch,
                            const irr_executor_t *executor, irr_sentence_t sentence) {
    const state_t *state = yield->state;
    run_t run = {.state = state, .data = data, .output = yield->output, .scratch = scratch};
    (void)count;
    uint32_t width = irr_executor_width(executor);
    irr_parallel_for(executor, state->chunk_count, run_chunk, &run);
    yield->stats.threads = width < state->chunk_count ? width : state->chunk_count;
    yield->stats.exact_fallbacks = atomic_load_explicit(&run.redone, memory_order_relaxed);
    if (!atomic_load_explicit(&run.failed, memory_order_relaxed)) return IRR_OK;
    return irr_fail(sentence, IRR_GENERAL_ERROR, "oneDNN could not execute its primitive");
}

const irr_backend_t irr_backend_onednn = {
    .name = "onednn", .offer = offer, .prepare = prepare, .execute = execute, .release = release};
