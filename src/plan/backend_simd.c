/* The SIMD backend: drives the kernels of one tier over a layout (layout.h). Threads only change
 * who computes which part of the trees. Lives here: driving. May not: arithmetic on elements,
 * decisions on shapes. SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "kernel/kernels.h"
#include "plan/backend.h"
#include "plan/layout.h"
#include "plan/redo.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef struct plan {
    irr_problem_t problem;
    irr_layout_t layout;
    const irr_kernel_t *kernel;
    irr_finish_f finish;
    irr_set_t set;
    bool accurate;
    size_t output_bytes;
    size_t slot_bytes;  /* scratch of one task, again's included */
    struct plan *again; /* the accurate plan of the same units, for outputs in doubt; or NULL */
} plan_t;

/* One execution. */
typedef struct {
    const plan_t *plan;
    const char *data;
    char *output, *scratch;
    atomic_uint_fast64_t redone;
} job_t;

/* One block's tile of outputs. */
typedef struct {
    const plan_t *plan;
    const char *data;      /* its first element in segment 0 */
    size_t kept, width;    /* of the tile */
    size_t results, first; /* how many outputs, and where they begin */
    size_t lanes;          /* accumulators of a leaf */
} unit_t;

static unit_t unit_at(const job_t *job, size_t index) {
    const plan_t *plan = job->plan;
    const irr_layout_t *l = &plan->layout;
    size_t column = index % l->tiles_width * l->tile_width;
    size_t row = index / l->tiles_width % l->tiles_kept * l->tile_kept;
    size_t block = index / l->tiles_width / l->tiles_kept;
    unit_t unit = {.plan = plan};
    unit.kept = l->kept - row < l->tile_kept ? l->kept - row : l->tile_kept;
    unit.width = l->width - column < l->tile_width ? l->width - column : l->tile_width;
    unit.results = unit.kept * unit.width;
    unit.first = (block * l->kept + row) * l->width + column;
    unit.lanes = l->group * unit.width;
    unit.data = job->data + (irr_offset_of(&l->blocks, block) + row * l->rows * l->width + column) *
                                plan->kernel->element_bytes;
    return unit;
}

/* ---- a segment ---- */

static void run_leaf(const unit_t *unit, char *lanes, const char *segment, size_t leaf) {
    const irr_layout_t *l = &unit->plan->layout;
    const irr_kernel_t *kernel = unit->plan->kernel;
    size_t stride = l->group * l->width, first = leaf * l->leaf_steps;
    size_t steps = l->steps - first < l->leaf_steps ? l->steps - first : l->leaf_steps;
    size_t rows = l->rows - first * l->group; /* from here on */
    size_t whole = rows / l->group < steps ? rows / l->group : steps;
    const char *data = segment + first * stride * kernel->element_bytes;
    if (l->width == 1) {
        size_t n = rows < steps * l->group ? rows : steps * l->group;
        kernel->leaf(lanes, data, n, unit->lanes);
        return;
    }
    kernel->steps(lanes, data, stride, whole, unit->lanes, true);
    if (whole < steps) /* the last step is a part of one */
        kernel->steps(lanes, data + whole * stride * kernel->element_bytes, 0, 1,
                      rows % l->group * l->width, false);
}

/* T(first, count) of kernels.h over leaves; a right branch stands behind its left one. */
static void run_leaves(const unit_t *unit, char *lanes, const char *segment, size_t first,
                       size_t count) {
    if (count == 1) {
        run_leaf(unit, lanes, segment, first);
        return;
    }
    char *right = lanes + unit->plan->layout.leaf_bytes;
    size_t left = irr_tree_split(count);
    run_leaves(unit, lanes, segment, first, left);
    run_leaves(unit, right, segment, first + left, count - left);
    unit->plan->kernel->merge(lanes, right, unit->lanes);
}

/* Lanes to the unit's results. */
static void close_leaves(const unit_t *unit, char *results, char *lanes) {
    const irr_kernel_t *kernel = unit->plan->kernel;
    if (unit->plan->layout.group > 1) kernel->fold(lanes, unit->lanes, unit->width);
    memcpy(results, lanes, unit->width * kernel->accumulator_bytes);
}

static const char *segment_data(const unit_t *unit, size_t segment) {
    return unit->data +
           irr_offset_of(&unit->plan->layout.segments, segment) * unit->plan->kernel->element_bytes;
}

static void run_segment(const unit_t *unit, char *results, char *lanes, size_t segment) {
    const irr_layout_t *l = &unit->plan->layout;
    const irr_kernel_t *kernel = unit->plan->kernel;
    const char *data = segment_data(unit, segment);
    switch (l->inner) {
    case IRR_INNER_ROWS:
        kernel->rows(results, data, unit->kept, l->rows, l->rows);
        break;
    case IRR_INNER_COLS:
        kernel->cols(results, data, unit->kept, l->rows, l->width);
        break;
    case IRR_INNER_BAND:
        kernel->steps(results, data, l->width, l->rows, unit->width, true);
        break;
    case IRR_INNER_TREE:
        run_leaves(unit, lanes, data, 0, l->leaves);
        close_leaves(unit, results, lanes);
    }
}

/* T(first, count) over segments. */
static void run_segments(const unit_t *unit, char *results, char *lanes, size_t first,
                         size_t count) {
    if (count == 1) {
        run_segment(unit, results, lanes, first);
        return;
    }
    char *right = results + unit->plan->layout.result_bytes;
    size_t left = irr_tree_split(count);
    run_segments(unit, results, lanes, first, left);
    run_segments(unit, right, lanes, first + left, count - left);
    unit->plan->kernel->merge(results, right, unit->results);
}

/* ---- a unit ---- */

/* Below this share of a unit's outputs, those in doubt are redone one by one; above, the accurate
 * kernels look at the whole unit first. Both give the one correctly rounded answer. */
#define WORTH_AGAIN 32

/* n outputs from `first` of the unit on; those in doubt are found by eighths. `again` has the
 * accurate plan's results of the unit; without them, `count_only` or exactness is asked for. */
static uint64_t finish_part(const job_t *job, const unit_t *unit, const char *results,
                            const char *again, bool count_only, size_t first, size_t n) {
    const plan_t *plan = job->plan;
    size_t index = unit->first + first, eighth = (n + 7) / 8;
    char *output = job->output + index * plan->output_bytes;
    const char *from = results + first * plan->kernel->accumulator_bytes;
    if (plan->finish(output, from, n, &plan->set)) return 0;
    if (n == 1) {
        const plan_t *second = plan->again;
        bool settled =
            count_only ||
            (again && second->finish(output, again + first * second->kernel->accumulator_bytes, 1,
                                     &second->set));
        if (!settled) irr_redo(&plan->problem, job->data, index, output);
        return 1;
    }
    uint64_t doubts = 0;
    for (size_t k = 0; k < n; k += eighth)
        doubts += finish_part(job, unit, results, again, count_only, first + k,
                              n - k < eighth ? n - k : eighth);
    return doubts;
}

/* `slot` is the task's scratch; the results lie in it. */
static void finish(job_t *job, const unit_t *unit, char *slot) {
    const plan_t *plan = job->plan, *second = plan->again;
    char *again = NULL, *output = job->output + unit->first * plan->output_bytes;
    size_t n = unit->results;
    if (plan->finish(output, slot, n, &plan->set)) return;
    if (second && finish_part(job, unit, slot, NULL, true, 0, n) * WORTH_AGAIN > n) {
        unit_t same = *unit;
        same.plan = second;
        again = slot + plan->layout.slot_bytes;
        run_segments(&same, again, again + second->layout.result_levels_bytes, 0,
                     plan->layout.segments.total);
    }
    uint64_t redone = finish_part(job, unit, slot, again, false, 0, n);
    atomic_fetch_add_explicit(&job->redone, redone, memory_order_relaxed);
}

/* An equal share of the units. */
static void run_units(void *argument, size_t task) {
    job_t *job = argument;
    const irr_layout_t *l = &job->plan->layout;
    char *results = job->scratch + task * job->plan->slot_bytes;
    size_t share = l->units / l->tasks, rest = l->units % l->tasks;
    size_t first = task * share + (task < rest ? task : rest);
    for (size_t end = first + share + (task < rest); first < end; first++) {
        unit_t unit = unit_at(job, first);
        run_segments(&unit, results, results + l->result_levels_bytes, 0, l->segments.total);
        finish(job, &unit, results);
    }
}

/* ---- units in parts ---- */

/* A chunk of a unit's segments or of one segment's leaves: a whole subtree either way, since chunks
 * are powers of two. Task order: unit, chunk of segments, chunk of leaves. */
static void run_chunk(void *argument, size_t task) {
    job_t *job = argument;
    const irr_layout_t *l = &job->plan->layout;
    unit_t unit = unit_at(job, task / l->leaf_chunks / l->segment_chunks);
    char *results = job->scratch + task * job->plan->slot_bytes,
         *lanes = results + l->result_levels_bytes;
    size_t segment = task / l->leaf_chunks % l->segment_chunks * l->chunk_segments;
    if (l->leaf_chunks == 1) {
        size_t count = l->segments.total - segment;
        run_segments(&unit, results, lanes, segment,
                     count < l->chunk_segments ? count : l->chunk_segments);
        return;
    }
    size_t first = task % l->leaf_chunks * l->chunk_leaves, count = l->leaves - first;
    run_leaves(&unit, lanes, segment_data(&unit, segment), first,
               count < l->chunk_leaves ? count : l->chunk_leaves);
}

/* The top of a tree, whose `count` nodes of n accumulators stand `apart` bytes apart. */
static void merge_nodes(const irr_kernel_t *kernel, char *nodes, size_t apart, size_t count,
                        size_t n) {
    if (count == 1) return;
    size_t left = irr_tree_split(count);
    merge_nodes(kernel, nodes, apart, left, n);
    merge_nodes(kernel, nodes + left * apart, apart, count - left, n);
    kernel->merge(nodes, nodes + left * apart, n);
}

static void close_chunks(job_t *job, size_t index) {
    const irr_layout_t *l = &job->plan->layout;
    unit_t unit = unit_at(job, index);
    size_t apart = l->leaf_chunks * job->plan->slot_bytes;
    char *slots = job->scratch + index * l->segment_chunks * apart;
    for (size_t s = 0; s < l->segment_chunks && l->leaf_chunks > 1; s++) {
        char *results = slots + s * apart, *lanes = results + l->result_levels_bytes;
        merge_nodes(unit.plan->kernel, lanes, job->plan->slot_bytes, l->leaf_chunks, unit.lanes);
        close_leaves(&unit, results, lanes);
    }
    merge_nodes(unit.plan->kernel, slots, apart, l->segment_chunks, unit.results);
    finish(job, &unit, slots);
}

/* ---- the backend ---- */

static irr_status_e execute(const void *state, const void *data, void *output, void *scratch,
                            const irr_executor_t *executor, irr_execution_stats_t *stats,
                            irr_sentence_t sentence) {
    const plan_t *plan = state;
    const irr_layout_t *l = &plan->layout;
    job_t job = {.plan = plan, .data = data, .output = output, .scratch = scratch};
    (void)sentence; /* nothing here can fail */
    if (l->tasks == 1) {
        run_units(&job, 0);
        stats->threads = 1;
    } else {
        bool whole = l->segment_chunks * l->leaf_chunks == 1;
        irr_parallel_for(executor, l->tasks, whole ? run_units : run_chunk, &job);
        for (size_t u = 0; u < l->units && !whole; u++) close_chunks(&job, u);
        uint32_t width = irr_executor_width(executor);
        stats->threads = l->tasks < width ? (uint32_t)l->tasks : width;
    }
    stats->exact_fallbacks = job.redone;
    return IRR_OK;
}

/* A square that underflows loses at most half of the smallest denormal; n of them must stay far
 * below the rounding of their sum. The squares of f16 do not underflow in f32. */
static double least_trusted(const irr_problem_t *problem, bool accurate) {
    double n = (double)problem->geometry.set_size;
    if (accurate)
        return problem->type == IRR_F64 && irr_op_info(problem->op)->result ? n * 0x1p-900 : 0;
    switch (problem->type) {
    case IRR_F64:
        return n * 0x1p-1018;
    case IRR_F32:
    case IRR_BF16:
        return n * 0x1p-123;
    default:
        return 0;
    }
}

/* Tiles are made for `tiles_of`: the problem's ordinary kernel. */
static void complete(plan_t *plan, const irr_kernel_t *tiles_of, uint32_t threads) {
    const irr_problem_t *problem = &plan->problem;
    irr_lane_info_t lanes = {.lanes = tiles_of->lanes,
                             .accumulator_bytes = plan->kernel->accumulator_bytes,
                             .element_bytes = tiles_of->element_bytes,
                             .tile_accumulator_bytes = tiles_of->accumulator_bytes};
    irr_layout_of(&problem->geometry, &lanes, threads, &plan->layout);
    plan->output_bytes = irr_element_bytes(problem->type);
    plan->slot_bytes = plan->layout.slot_bytes;
    /* 600 more: a leaf of a row passes a tier's lanes, which may be 4 instead of those of the
     * layout. */
    plan->set = (irr_set_t){.count = (double)problem->geometry.set_size,
                            .trust = least_trusted(problem, plan->accurate),
                            .depth = irr_layout_depth(&plan->layout) + 600.0};
}

/* The correctly rounded plan, which float Sum, Mean, L1 and L2 have; false for others. */
static bool plan_accurately(plan_t *plan, const irr_problem_t *problem, const irr_config_t *config,
                            uint32_t threads) {
    const irr_kernel_table_t *table = irr_kernels(config->tier);
    const irr_op_kernel_t *kernel = &table->ops[problem->op][problem->type];
    const irr_op_info_t *op = irr_op_info(problem->op);
    irr_finish_f finish = table->accurate_finishes[op->term][op->result][problem->type];
    if (!finish) return false;
    *plan = (plan_t){.problem = *problem, .finish = finish, .accurate = true};
    plan->kernel = &table->accurate_folds[op->term][problem->type];
    complete(plan, &table->folds[kernel->fold][kernel->fold_type], threads);
    return true;
}

static void plan_problem(plan_t *plan, const irr_problem_t *problem, const irr_config_t *config) {
    const irr_kernel_table_t *table = irr_kernels(config->tier);
    const irr_op_kernel_t *op = &table->ops[problem->op][problem->type];
    if (config->accuracy && plan_accurately(plan, problem, config, config->threads)) return;
    *plan = (plan_t){.problem = *problem, .finish = op->finish};
    plan->kernel = &table->folds[op->fold][op->fold_type];
    complete(plan, plan->kernel, config->threads);
}

static void offer(const irr_problem_t *problem, const irr_config_t *config, irr_offer_t *offer) {
    /* Bytes a microsecond out of the second-level cache (16-bit floats: half), and what a result
     * costs; measured with irreduce_bench, rows of f32 sums. */
    static const double rate[IRR_TIER_COUNT] = {
        [IRR_TIER_SCALAR] = 4e3, [IRR_TIER_AVX2] = 8e4, [IRR_TIER_AVX512] = 9e4};
    static const char *const inner[] = {[IRR_INNER_ROWS] = "rows",
                                        [IRR_INNER_COLS] = "cols",
                                        [IRR_INNER_BAND] = "band",
                                        [IRR_INNER_TREE] = "tree"};
    const irr_element_type_info_t *type = irr_element_type_info(problem->type);
    *offer = (irr_offer_t){0};
    if (!irr_kernels(config->tier)->ops[problem->op][problem->type].finish) {
        snprintf(offer->reason, sizeof offer->reason, "no kernel for %s of %s",
                 irr_op_info(problem->op)->type, type->name);
        return;
    }
    plan_t plan;
    plan_problem(&plan, problem, config);
    double outputs = (double)problem->geometry.output_count;
    double bytes =
        outputs * (double)problem->geometry.set_size * (double)plan.kernel->element_bytes;
    offer->serves = true;
    if (problem->type == IRR_F16 || problem->type == IRR_BF16) bytes *= 2;
    offer->estimate_us = 0.01 + outputs * 0.002 + bytes / rate[config->tier];
    snprintf(offer->kernel, sizeof offer->kernel, "%s%s_%s_%s", plan.accurate ? "accurate_" : "",
             irr_op_info(problem->op)->word, type->name, inner[plan.layout.inner]);
    snprintf(offer->reason, sizeof offer->reason, "%s kernels, %zu x %zu of [%zu, %zu, %zu]",
             irr_tier_name(config->tier), plan.layout.blocks.total, plan.layout.segments.total,
             plan.layout.kept, plan.layout.rows, plan.layout.width);
}

static void release(void *state) {
    plan_t *plan = state;
    if (plan) irr_release(plan->again);
    irr_release(plan);
}

static irr_status_e prepare(const irr_problem_t *problem, const irr_config_t *config, void **state,
                            size_t *scratch_bytes, irr_sentence_t sentence) {
    plan_t *plan = irr_malloc(sizeof *plan), again;
    *state = NULL;
    if (!plan) return irr_out_of_memory(sentence, sizeof *plan);
    plan_problem(plan, problem, config);
    /* A unit looked at again is one thread's work, not cut into chunks. Its tiles must be those of
     * the plan, which the number of threads has a say in. */
    if (!plan->accurate && plan_accurately(&again, problem, config, config->threads)) {
        plan->again = irr_malloc(sizeof again);
        if (!plan->again) {
            release(plan);
            return irr_out_of_memory(sentence, sizeof again);
        }
        irr_layout_unchunk(&again.layout);
        *plan->again = again;
        plan->slot_bytes += again.layout.slot_bytes;
    }
    *scratch_bytes = plan->layout.tasks * plan->slot_bytes;
    *state = plan;
    return IRR_OK;
}

const irr_backend_t irr_backend_simd = {"simd", offer, prepare, execute, release};
