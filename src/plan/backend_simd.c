/* The SIMD backend: lays a problem out as steps, leaves and a tree (kernels.h has the bit contract)
 * and drives the kernels of one tier over it. The layout follows from shape and type alone; threads
 * only change who computes which part of the tree.
 * Lives here: layout, partition, driving. May not: arithmetic on elements.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "kernel/kernels.h"
#include "plan/backend.h"
#include "plan/redo.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Accumulators of one tile of columns: its tree stays in the first-level cache. */
#define TILE_BYTES 4096u
/* Results that the short paths make at a time, in a buffer on the stack. */
#define BATCH_BYTES 4096u
/* Below this much data a second thread costs more than it brings. */
#define BYTES_WORTH_A_THREAD (256u << 10)
#define TASKS_PER_THREAD 4u

/* The outer runs of one kind; an index over all of them becomes an offset in elements. */
typedef struct {
    uint32_t count;
    size_t size[IRR_MAX_RANK], stride[IRR_MAX_RANK], total;
} outer_t;

/* Data is blocks x segments of [rows, width], dense inside; a block makes `width` outputs. */
typedef enum {
    PATH_ROWS, /* one leaf a block, width 1: many blocks in one kernel call */
    PATH_COLS, /* one leaf a block, small width: the same */
    PATH_TREE  /* all others: units of (block, tile), each a tree of leaves */
} path_e;
static const char *const path_names[] = {
    [PATH_ROWS] = "rows", [PATH_COLS] = "cols", [PATH_TREE] = "tree"};

typedef struct {
    irr_problem_t problem;
    const irr_kernel_t *kernel;
    irr_finish_f finish;
    double trust; /* squares below are not trusted */
    size_t output_bytes;
    path_e path;
    outer_t blocks, segments;
    size_t rows, width;
    /* PATH_TREE */
    size_t group;            /* rows of a segment that make one step, a power of two */
    size_t tile, tiles;      /* columns of a unit, units of a block */
    size_t lanes;            /* accumulators of a unit: group * tile */
    size_t steps;            /* of one segment */
    size_t segments_a_leaf;  /* where segments are short */
    size_t leaves_a_segment; /* where they are long; one of the two is 1 */
    size_t leaves;           /* of one unit */
    size_t tasks;            /* parts of the work, at least 1 */
    size_t chunk_leaves;     /* leaves of one task where units are split, a power of two */
    size_t chunks;           /* of one unit; 1: units are whole */
    size_t slot_bytes;       /* one unit's or chunk's tree */
} plan_t;

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

static size_t power_of_two_below(size_t n) { /* largest < n, for n >= 2 */
    return (size_t)1 << (63 - __builtin_clzll(n - 1));
}

static size_t offset_of(const outer_t *outer, size_t index) {
    size_t offset = 0;
    for (uint32_t i = outer->count; i-- > 1; index /= outer->size[i])
        offset += index % outer->size[i] * outer->stride[i];
    return outer->count ? offset + index * outer->stride[0] : 0;
}

/* ---- layout
 * -------------------------------------------------------------------------------------- */

static void add_outer(outer_t *outer, size_t size, size_t stride) {
    outer->size[outer->count] = size;
    outer->stride[outer->count++] = stride;
    outer->total *= size;
}

/* The innermost runs become [rows, width], the others outer blocks and segments. */
static void split_runs(plan_t *plan) {
    const irr_geometry_t *geometry = &plan->problem.geometry;
    uint32_t left = geometry->run_count;
    size_t strides[IRR_MAX_RANK], stride = 1;
    for (uint32_t i = left; i-- > 0; stride *= geometry->runs[i].size) strides[i] = stride;
    plan->rows = plan->width = 1;
    if (left && !geometry->runs[left - 1].reduced) plan->width = geometry->runs[--left].size;
    if (left && geometry->runs[left - 1].reduced) plan->rows = geometry->runs[--left].size;
    plan->blocks.total = plan->segments.total = 1;
    for (uint32_t i = 0; i < left; i++)
        add_outer(geometry->runs[i].reduced ? &plan->segments : &plan->blocks,
                  geometry->runs[i].size, strides[i]);
}

/* Steps, leaves and tiles of PATH_TREE. */
static void lay_tree(plan_t *plan) {
    size_t most = plan->kernel->lanes;
    plan->group = 1;
    while (plan->group * 2 * plan->width <= most &&
           (plan->width == 1 || plan->group * 2 <= plan->rows))
        plan->group *= 2;
    size_t tile = TILE_BYTES / plan->kernel->accumulator_bytes;
    plan->tile = plan->width < tile ? plan->width : tile;
    plan->tiles = (plan->width + plan->tile - 1) / plan->tile;
    plan->lanes = plan->group * plan->tile;
    plan->steps = (plan->rows + plan->group - 1) / plan->group;
    plan->segments_a_leaf = plan->leaves_a_segment = 1;
    if (plan->steps <= IRR_LEAF_STEPS)
        plan->segments_a_leaf = IRR_LEAF_STEPS / plan->steps;
    else
        plan->leaves_a_segment = (plan->steps + IRR_LEAF_STEPS - 1) / IRR_LEAF_STEPS;
    plan->leaves = plan->leaves_a_segment *
                   ((plan->segments.total + plan->segments_a_leaf - 1) / plan->segments_a_leaf);
}

/* How the work is shared. Whatever is chosen here, the bits are the same. */
static void partition(plan_t *plan, uint32_t threads) {
    size_t units = plan->blocks.total * plan->tiles;
    size_t bytes = plan->problem.geometry.set_size * plan->problem.geometry.output_count *
                   plan->kernel->element_bytes;
    size_t wanted = threads > 1 && bytes >= BYTES_WORTH_A_THREAD ? threads * TASKS_PER_THREAD : 1;
    plan->chunks = 1;
    plan->chunk_leaves = plan->leaves;
    if (plan->path == PATH_TREE && units < wanted && plan->leaves > 1) {
        size_t least = plan->leaves / (wanted / units + 1);
        plan->chunk_leaves = 1;
        while (plan->chunk_leaves < least) plan->chunk_leaves *= 2;
        plan->chunks = (plan->leaves + plan->chunk_leaves - 1) / plan->chunk_leaves;
    }
    plan->tasks = plan->chunks > 1 ? units * plan->chunks : units < wanted ? units : wanted;
    size_t levels = 1;
    while ((size_t)1 << (levels - 1) < plan->chunk_leaves) levels++;
    plan->slot_bytes =
        round_up(levels * round_up(plan->lanes * plan->kernel->accumulator_bytes, IRR_ALIGNMENT) +
                     IRR_ACCUMULATOR_SLACK_BYTES,
                 IRR_ALIGNMENT);
}

static double least_trusted_square(const irr_problem_t *problem) {
    /* A square that underflows loses at most half of the smallest denormal; n of them must stay far
     * below the rounding of the sum. The squares of f16 do not underflow in f32. */
    double n = (double)problem->geometry.set_size;
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

static void lay_out(plan_t *plan, const irr_problem_t *problem, const irr_config_t *config) {
    const irr_kernel_table_t *table = irr_kernels(config->tier);
    const irr_op_kernel_t *op = &table->ops[problem->op][problem->type];
    *plan = (plan_t){.problem = *problem};
    plan->kernel = &table->folds[op->fold][op->fold_type];
    plan->finish = op->finish;
    plan->trust = least_trusted_square(problem);
    plan->output_bytes = irr_element_bytes(problem->type);
    split_runs(plan);
    plan->path = PATH_TREE;
    if (plan->segments.total == 1 && plan->width == 1 &&
        plan->rows <= IRR_LEAF_STEPS * (size_t)plan->kernel->lanes)
        plan->path = PATH_ROWS;
    else if (plan->segments.total == 1 && plan->rows <= IRR_LEAF_STEPS &&
             plan->width * plan->kernel->accumulator_bytes <= BATCH_BYTES)
        plan->path = PATH_COLS;
    lay_tree(plan);
    partition(plan, config->threads);
}

/* ---- one run
 * --------------------------------------------------------------------------------------- */

typedef struct {
    const plan_t *plan;
    const char *data;
    char *output, *scratch;
    atomic_uint_fast64_t redone;
} job_t;

/* Finishes `count` accumulators that make the outputs from `first` on. */
static void finish(job_t *job, const char *accumulators, size_t first, size_t count) {
    const plan_t *plan = job->plan;
    char *output = job->output + first * plan->output_bytes;
    if (plan->finish(output, accumulators, count, plan->trust)) return;
    uint64_t redone = 0;
    for (size_t i = 0; i < count; i++) {
        if (plan->finish(output + i * plan->output_bytes,
                         accumulators + i * plan->kernel->accumulator_bytes, 1, plan->trust))
            continue;
        irr_redo(&plan->problem, job->data, first + i, output + i * plan->output_bytes);
        redone++;
    }
    atomic_fetch_add_explicit(&job->redone, redone, memory_order_relaxed);
}

/* PATH_ROWS and PATH_COLS: blocks [first, end), all dense. */
static void run_blocks(job_t *job, size_t first, size_t end) {
    const plan_t *plan = job->plan;
    const irr_kernel_t *kernel = plan->kernel;
    _Alignas(IRR_ALIGNMENT) char accumulators[BATCH_BYTES + IRR_ACCUMULATOR_SLACK_BYTES];
    size_t batch = BATCH_BYTES / (plan->width * kernel->accumulator_bytes);
    size_t block_elems = plan->rows * plan->width;
    for (size_t count; first < end; first += count) {
        count = end - first < batch ? end - first : batch;
        const char *data = job->data + first * block_elems * kernel->element_bytes;
        if (plan->path == PATH_ROWS)
            kernel->rows(accumulators, data, count, plan->rows, plan->rows);
        else
            kernel->cols(accumulators, data, count, plan->rows, plan->width);
        finish(job, accumulators, first * plan->width, count * plan->width);
    }
}

/* What the leaves of one unit share. */
typedef struct {
    const plan_t *plan;
    const char *base; /* the unit's first element */
    size_t columns;   /* of its tile */
    size_t lanes, lane_bytes;
} unit_t;

static unit_t unit_at(const job_t *job, size_t index) {
    const plan_t *plan = job->plan;
    size_t column = index % plan->tiles * plan->tile;
    size_t columns = plan->width - column < plan->tile ? plan->width - column : plan->tile;
    size_t lanes = plan->group * columns;
    return (unit_t){plan,
                    job->data + (offset_of(&plan->blocks, index / plan->tiles) + column) *
                                    plan->kernel->element_bytes,
                    columns, lanes,
                    round_up(lanes * plan->kernel->accumulator_bytes, IRR_ALIGNMENT)};
}

/* Steps [first, first + count) of one segment; the last may be a part of a step. */
static void run_steps(const unit_t *unit, char *accumulators, size_t segment, size_t first,
                      size_t count, bool start) {
    const plan_t *plan = unit->plan;
    const irr_kernel_t *kernel = plan->kernel;
    size_t stride = plan->group * plan->width;
    const char *data =
        unit->base + (offset_of(&plan->segments, segment) + first * stride) * kernel->element_bytes;
    size_t left = plan->rows - first * plan->group; /* rows from here on */
    size_t whole = left / plan->group < count ? left / plan->group : count;
    if (whole || start) kernel->steps(accumulators, data, stride, whole, unit->lanes, start);
    if (whole < count)
        kernel->steps(accumulators, data + whole * stride * kernel->element_bytes, 0, 1,
                      left % plan->group * plan->width, false);
}

static void run_leaf(const unit_t *unit, char *accumulators, size_t leaf) {
    const plan_t *plan = unit->plan;
    if (plan->leaves_a_segment > 1) {
        size_t first = leaf % plan->leaves_a_segment * IRR_LEAF_STEPS;
        size_t count = plan->steps - first < IRR_LEAF_STEPS ? plan->steps - first : IRR_LEAF_STEPS;
        run_steps(unit, accumulators, leaf / plan->leaves_a_segment, first, count, true);
        return;
    }
    size_t segment = leaf * plan->segments_a_leaf, end = segment + plan->segments_a_leaf;
    if (end > plan->segments.total) end = plan->segments.total;
    for (bool start = true; segment < end; segment++, start = false)
        run_steps(unit, accumulators, segment, 0, plan->steps, start);
}

/* T(first, count) of kernels.h; a right branch stands behind its left one. */
static void run_tree(const unit_t *unit, char *accumulators, size_t first, size_t count) {
    if (count == 1) {
        run_leaf(unit, accumulators, first);
        return;
    }
    size_t left = power_of_two_below(count);
    run_tree(unit, accumulators, first, left);
    run_tree(unit, accumulators + unit->lane_bytes, first + left, count - left);
    unit->plan->kernel->merge(accumulators, accumulators + unit->lane_bytes, unit->lanes);
}

static void close_unit(job_t *job, const unit_t *unit, char *accumulators, size_t index) {
    const plan_t *plan = job->plan;
    if (plan->group > 1) plan->kernel->fold(accumulators, unit->lanes, unit->columns);
    finish(job, accumulators, index / plan->tiles * plan->width + index % plan->tiles * plan->tile,
           unit->columns);
}

static void run_units(job_t *job, char *slot, size_t first, size_t end) {
    for (; first < end; first++) {
        unit_t unit = unit_at(job, first);
        run_tree(&unit, slot, 0, job->plan->leaves);
        close_unit(job, &unit, slot, first);
    }
}

/* A part of the whole: an equal share of blocks or units. */
static void share_task(void *argument, size_t task) {
    job_t *job = argument;
    const plan_t *plan = job->plan;
    size_t units = plan->blocks.total * (plan->path == PATH_TREE ? plan->tiles : 1);
    size_t share = units / plan->tasks, rest = units % plan->tasks;
    size_t first = task * share + (task < rest ? task : rest);
    size_t end = first + share + (task < rest);
    if (plan->path == PATH_TREE)
        run_units(job, job->scratch + task * plan->slot_bytes, first, end);
    else
        run_blocks(job, first, end);
}

/* A chunk of one unit's leaves: a whole subtree, since chunks are powers of two. */
static void chunk_task(void *argument, size_t task) {
    job_t *job = argument;
    const plan_t *plan = job->plan;
    unit_t unit = unit_at(job, task / plan->chunks);
    size_t first = task % plan->chunks * plan->chunk_leaves;
    size_t count =
        plan->leaves - first < plan->chunk_leaves ? plan->leaves - first : plan->chunk_leaves;
    run_tree(&unit, job->scratch + task * plan->slot_bytes, first, count);
}

/* The top of a unit's tree, over its chunks. */
static void merge_chunks(const unit_t *unit, char *slots, size_t count) {
    if (count == 1) return;
    size_t left = power_of_two_below(count);
    char *right = slots + left * unit->plan->slot_bytes;
    merge_chunks(unit, slots, left);
    merge_chunks(unit, right, count - left);
    unit->plan->kernel->merge(slots, right, unit->lanes);
}

static irr_status_e execute(const void *state, const void *data, void *output, void *scratch,
                            const irr_executor_t *executor, irr_execution_stats_t *stats,
                            irr_sentence_t sentence) {
    const plan_t *plan = state;
    job_t job = {.plan = plan, .data = data, .output = output, .scratch = scratch};
    (void)sentence;
    if (plan->tasks == 1) {
        share_task(&job, 0);
    } else if (plan->chunks == 1) {
        irr_parallel_for(executor, plan->tasks, share_task, &job);
    } else {
        irr_parallel_for(executor, plan->tasks, chunk_task, &job);
        for (size_t u = 0; u < plan->tasks / plan->chunks; u++) {
            unit_t unit = unit_at(&job, u);
            char *slots = job.scratch + u * plan->chunks * plan->slot_bytes;
            merge_chunks(&unit, slots, plan->chunks);
            close_unit(&job, &unit, slots, u);
        }
    }
    uint32_t width = irr_executor_width(executor);
    stats->threads = plan->tasks < width ? (uint32_t)plan->tasks : width;
    stats->exact_fallbacks = job.redone;
    return IRR_OK;
}

/* ---- the backend
 * ----------------------------------------------------------------------------------- */

static void offer(const irr_problem_t *problem, const irr_config_t *config, irr_offer_t *offer) {
    /* Bytes a microsecond out of the second-level cache, and what a result costs. */
    static const double rate[IRR_TIER_COUNT] = {
        [IRR_TIER_SCALAR] = 4e3, [IRR_TIER_AVX2] = 4e4, [IRR_TIER_AVX512] = 5e4};
    const irr_kernel_table_t *table = irr_kernels(config->tier);
    const irr_element_type_info_t *type = irr_element_type_info(problem->type);
    *offer = (irr_offer_t){0};
    if (!table->ops[problem->op][problem->type].finish) {
        snprintf(offer->reason, sizeof offer->reason, "no kernel for %s of %s",
                 irr_op_info(problem->op)->type, type->name);
        return;
    }
    plan_t plan;
    lay_out(&plan, problem, config);
    double outputs = (double)problem->geometry.output_count;
    double bytes = outputs * (double)problem->geometry.set_size * plan.kernel->element_bytes;
    offer->serves = true;
    offer->estimate_us = 0.01 + outputs * 0.002 + bytes / rate[config->tier];
    snprintf(offer->kernel, sizeof offer->kernel, "%s_%s_%s", irr_op_info(problem->op)->word,
             type->name, path_names[plan.path]);
    snprintf(offer->reason, sizeof offer->reason, "%zu x %zu of [%zu, %zu] on %s",
             plan.blocks.total, plan.segments.total, plan.rows, plan.width,
             irr_tier_name(config->tier));
}

static irr_status_e prepare(const irr_problem_t *problem, const irr_config_t *config, void **state,
                            size_t *scratch_bytes, irr_sentence_t sentence) {
    plan_t *plan = irr_malloc(sizeof *plan);
    *state = NULL;
    if (!plan) return irr_out_of_memory(sentence, sizeof *plan);
    lay_out(plan, problem, config);
    *scratch_bytes = plan->path == PATH_TREE ? plan->tasks * plan->slot_bytes : 0;
    *state = plan;
    return IRR_OK;
}

static void release(void *state) { irr_release(state); }

const irr_backend_t irr_backend_simd = {"simd", offer, prepare, execute, release};
