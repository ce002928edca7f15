/* The SIMD backend: cuts its layouts (layout.h) into tasks and drives walks (simd.h) over them.
 * Threads only change who computes which part of the trees. Several problems on the same data are
 * run piece by piece, each piece for all of them while it is near. Lives here: tasks, finishes.
 * May not: arithmetic on elements, decisions on shapes, outputs in doubt (simd_settle.c).
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/fp_env.h"
#include "plan/simd.h"

#include <stdatomic.h>

typedef irr_simd_plan_t plan_t;
typedef irr_unit_t unit_t;
typedef irr_walk_t walk_t;

/* Of the bytes of costs, one thread does so many in a nanosecond. */
#define BYTES_A_NS 50
/* A host's pool takes some 4 us to call. */
#define BYTES_WORTH_A_HOST (1u << 20)
/* More than each thread's nearer cache has of all that was read, by others' tasks, too. */
#define BYTES_OF_A_CACHE (1u << 20)

/* One execution. */
typedef struct {
    irr_yield_t *yields;
    uint32_t count;
    const char *data;
    char *scratch;
    bool alone; /* it was done by one thread, all at once */
    atomic_uint_fast64_t redone[IRR_MOST_SIBLINGS];
} job_t;

static const plan_t *plan_of(const job_t *job, uint32_t member) {
    return job->yields[member].state;
}

/* The task's scratch for the walk that folds for the member. */
static char *slot_of(const job_t *job, uint32_t member, size_t task) {
    const plan_t *plan = plan_of(job, plan_of(job, member)->walked_by);
    return job->scratch + plan->scratch_bytes + task * plan->slot_bytes;
}

/* ---- a unit ---- */

/* Where a unit's plain product left the range, its integers were not small or a sum was rounded,
 * those of others will be likewise, and of the next calls. */
#define CAREFUL_TURNS 64

/* The plan for the next unit. */
static inline const plan_t *next_of(const plan_t *plan) {
    if (!plan->careful) return plan;
    unsigned turns = atomic_load_explicit(&plan->careful->turns, memory_order_relaxed);
    if (turns > 0) {
        atomic_store_explicit(&plan->careful->turns, turns - 1, memory_order_relaxed);
        return plan->careful;
    }
    if (plan->flags) irr_fp_hope_for_none_of(plan->flags);
    return plan;
}

static inline bool be_careful(const plan_t *plan) {
    atomic_store_explicit(&plan->careful->turns, CAREFUL_TURNS, memory_order_relaxed);
    return true;
}

/* Have flags told? To be asked before the finish, which may raise others. */
static inline bool flags_told(const plan_t *plan) {
    return plan->careful && plan->flags && irr_fp_has_raised(plan->flags) && be_careful(plan);
}

/* Has the finish, by being false? */
static inline bool finish_told(const plan_t *plan) {
    return plan->careful && !plan->flags && be_careful(plan);
}

/* `slot` is the task's scratch; the results lie in it. Members share the geometry of units. */
static void finish(job_t *job, uint32_t member, const unit_t *unit, char *slot) {
    const plan_t *plan = plan_of(job, member);
    size_t n = unit->results, first = unit->first;
    if (plan->careful) plan = unit->plan;
    if (flags_told(plan)) irr_walk_again(plan = plan->careful, unit, slot);
    if (plan->layout.last_rows > 1) n /= plan->layout.last_rows, first /= plan->layout.last_rows;
    char *output = (char *)job->yields[member].output + first * plan->output_bytes;
    if (plan->finish(output, slot + plan->plane_offset, n, &plan->set)) return;
    if (finish_told(plan)) {
        irr_walk_again(plan = plan->careful, unit, slot);
        plan->finish(output, slot, n, &plan->set);
        return;
    }
    uint64_t redone =
        irr_settle(plan, plan_of(job, plan->walked_by), unit, job->data, slot, output, n, first);
    atomic_fetch_add_explicit(&job->redone[member], redone, memory_order_relaxed);
}

/* ---- tasks ---- */

/* Walks of the same unit, or of the same part of it, go side by side: what the first one brings
 * from memory is still in the nearest cache when the others read it. */
static void walk_rows(walk_t *walks, uint32_t count, size_t segment, size_t rows) {
    for (uint32_t m = 0; m < count; m++) irr_walk_to(&walks[m], segment, rows);
}

static void walk_all(walk_t *walks, uint32_t count) {
    size_t rows, all_rows;
    if (count == 1) {
        irr_walk_to(walks, SIZE_MAX, 0);
        return;
    }
    size_t piece = irr_walk_piece(walks, count, &rows, &all_rows);
    for (size_t s = 0; s < walks->segments; s += piece) {
        if (piece == 1)
            for (size_t r = rows; r < all_rows; r += rows) walk_rows(walks, count, s, r);
        walk_rows(walks, count, s + piece, 0);
    }
}

/* Begins all walks of a unit in the scratch of a task; returns how many there are. */
static inline uint32_t begin_walks(const job_t *job, size_t index, size_t task, unit_t *units,
                                   walk_t *walks) {
    uint32_t count = 0;
    for (uint32_t m = 0; m < job->count; m++) {
        if (plan_of(job, m)->walked_by != m) continue;
        irr_unit_at(next_of(plan_of(job, m)), job->data, index, &units[count]);
        irr_walk_unit(&units[count], slot_of(job, m, task), &walks[count]);
        count++;
    }
    return count;
}

/* An equal share of the units. */
static void run_units(void *argument, size_t task) {
    job_t *job = argument;
    const irr_layout_t *l = &plan_of(job, 0)->layout;
    size_t first, end;
    irr_layout_share(l, task, &first, &end);
    for (; first < end; first++) {
        unit_t units[IRR_MOST_SIBLINGS];
        walk_t walks[IRR_MOST_SIBLINGS];
        uint32_t count = begin_walks(job, first, task, units, walks);
        walk_all(walks, count);
        for (uint32_t k = 0; k < count; k++) irr_fold_last(&units[k], walks[k].results);
        for (uint32_t m = 0; m < job->count; m++) finish(job, m, units, slot_of(job, m, task));
    }
}

/* A unit that is one call. */
static inline void run_call(const plan_t *plan, void *to, const void *data, size_t count,
                            size_t width) {
    const irr_one_call_t *call = &plan->one_call;
    const irr_kernel_t *kernel = plan->kernel;
    if (call->run && plan->how & (IRR_STEPS_BEYOND | IRR_STEPS_LIE)) {
        irr_run_kept(plan, to, 0, data, count);
    } else if (call->run) {
        call->run(to, data, count, call->length, call->last);
    } else if (plan->layout.inner == IRR_INNER_BAND) {
        kernel->steps(to, data, call->width, call->length, width, plan->how);
    } else {
        kernel->leaf(to, data, call->length, plan->layout.group, plan->ahead);
        kernel->fold(to, plan->layout.group, 1);
    }
}

/* The same straight to results, where that can be done and none of them may be in doubt. */
static inline bool run_straight(const plan_t *plan, void *output, const void *data, size_t count,
                                size_t width) {
    const irr_one_call_t *call = &plan->one_call;
    return plan->straight && plan->straight(output, data, count, call->length, call->width, width,
                                            &plan->set, plan->how);
}

/* Likewise, without the tree's machinery. */
static void run_calls(void *argument, size_t task) {
    job_t *job = argument;
    const plan_t *plan = plan_of(job, 0);
    char *slot = slot_of(job, 0, task);
    size_t first, end;
    irr_layout_share(&plan->layout, task, &first, &end);
    for (; first < end; first++) {
        unit_t unit;
        irr_unit_at(next_of(plan), job->data, first, &unit);
        char *output = (char *)job->yields->output + unit.first * plan->output_bytes;
        if (run_straight(unit.plan, output, unit.data, unit.kept, unit.width)) continue;
        run_call(unit.plan, slot, unit.data, unit.kept, unit.width);
        finish(job, 0, &unit, slot);
    }
}

/* A chunk of a unit's segments or of one segment's leaves: a whole subtree either way, since chunks
 * are powers of two where there is a tree. Task order: unit, chunk of segments, chunk of leaves;
 * siblings have the same chunks, of leaves of other sizes. */
static void run_chunk(void *argument, size_t task) {
    const irr_layout_t *l = &plan_of(argument, 0)->layout;
    unit_t units[IRR_MOST_SIBLINGS];
    walk_t walks[IRR_MOST_SIBLINGS];
    size_t leaf = task % l->leaf_chunks, segment = task / l->leaf_chunks % l->segment_chunks;
    size_t unit = task / l->leaf_chunks / l->segment_chunks;
    uint32_t count = begin_walks(argument, unit, task, units, walks);
    for (walk_t *walk = walks; walk < walks + count; walk++) {
        l = &walk->unit->plan->layout;
        walk->first_segment = segment * l->chunk_segments;
        walk->first_leaf = leaf * l->chunk_leaves;
        walk->segments = irr_least(l->segments.total - walk->first_segment, l->chunk_segments);
        walk->leaves = irr_least(l->leaves - walk->first_leaf, l->chunk_leaves);
    }
    walk_all(walks, count);
}

/* The tops of the trees of unit `index`, and its finish. */
static void close_chunks(job_t *job, uint32_t member, size_t index) {
    const plan_t *plan = plan_of(job, member);
    const irr_layout_t *l = &plan->layout;
    unit_t unit;
    irr_unit_at(plan, job->data, index, &unit);
    size_t apart = l->leaf_chunks * plan->slot_bytes;
    char *slots = slot_of(job, member, index * l->segment_chunks * l->leaf_chunks);
    bool open = plan->walked_by == member; /* not merged yet, on behalf of another member */
    for (size_t s = 0; s < l->segment_chunks && l->leaf_chunks > 1 && open; s++) {
        char *results = slots + s * apart, *lanes = results + l->result_levels_bytes;
        irr_merge_nodes(plan, lanes, plan->slot_bytes, l->leaf_chunks, unit.lanes);
        irr_close_leaves(&unit, results, 0, lanes);
    }
    if (open) {
        irr_merge_nodes(plan, slots, apart, l->segment_chunks, unit.results);
        irr_fold_last(&unit, slots);
    }
    finish(job, member, &unit, slots);
}

/* Outputs of sets of one element: an equal share of lines. */
static void run_ones(void *argument, size_t task) {
    const job_t *job = argument;
    const plan_t *plan = plan_of(job, 0);
    size_t n = plan->problem.geometry.output_count, tasks = plan->layout.tasks;
    size_t share = (n / tasks / 64 + 1) * 64, first = task * share, bytes = plan->output_bytes;
    if (first >= n) return;
    plan->one((char *)job->yields->output + first * bytes, job->data + first * bytes,
              n - first < share ? n - first : share, &plan->set);
}

/* ---- the backend ---- */

/* A unit that is one call, without the tree's machinery, which takes longer than the work itself;
 * returns how many outputs were in doubt. */
static uint64_t run_one_call(const plan_t *plan, const void *data, void *output, void *scratch) {
    const irr_one_call_t *call = &plan->one_call;
    plan = next_of(plan);
    if (run_straight(plan, output, data, call->count, call->width)) return 0;
    run_call(plan, scratch, data, call->count, call->width);
    if (flags_told(plan)) run_call(plan = plan->careful, scratch, data, call->count, call->width);
    if (plan->finish(output, scratch, call->count * call->width, &plan->set)) return 0;
    if (finish_told(plan)) {
        run_call(plan = plan->careful, scratch, data, call->count, call->width);
        plan->finish(output, scratch, call->count * call->width, &plan->set);
        return 0;
    }
    unit_t unit;
    irr_unit_at(plan, data, 0, &unit);
    return irr_settle(plan, plan, &unit, data, scratch, output, unit.results, 0);
}

/* One problem that is one task, without what siblings and threads need; likewise. */
static uint64_t run_alone(const plan_t *plan, const void *data, void *output, void *scratch) {
    if (plan->one) {
        plan->one(output, data, plan->problem.geometry.output_count, &plan->set);
        return 0;
    }
    if (plan->one_call.all) return run_one_call(plan, data, output, scratch);
    irr_yield_t yield = {.state = plan, .output = output};
    job_t job; /* a tiny tensor would wait for all of `redone` */
    job.yields = &yield, job.count = 1, job.data = data, job.scratch = scratch;
    atomic_init(&job.redone[0], 0);
    (plan->one_call.each ? run_calls : run_units)(&job, 0);
    return job.redone[0];
}

/* Of several tasks, where they are for the own pool and have been found to be later. */
static bool at_once(const void *state, const void *data, void *output, void *scratch,
                    const irr_host_services_t *services) {
    const plan_t *plan = state;
    if (plan->layout.tasks > 1) {
        bool tried = plan->layout.on_trial && !services;
        if (!tried || !irr_parallel_says_alone(&plan->alone->trial)) return false;
        plan = plan->alone;
    }
    if (!plan->rounds) {
        run_alone(plan, data, output, scratch);
        return true;
    }
    irr_fp_env_t found = irr_fp_enter();
    run_alone(plan, data, output, scratch);
    irr_fp_leave(found);
    return true;
}

static void run_all_alone(void *argument) {
    job_t *job = argument;
    job->alone = true;
    job->redone[0] =
        run_alone(plan_of(job, 0)->alone, job->data, job->yields->output, job->scratch);
}

static void close_all_chunks(void *argument) {
    job_t *job = argument;
    for (uint32_t m = 0; m < job->count; m++)
        for (size_t u = 0; u < plan_of(job, m)->layout.units; u++) close_chunks(job, m, u);
}

/* Several tasks; returns the number of threads. */
static uint32_t run_tasks(job_t *job, const irr_executor_t *executor) {
    const plan_t *first = plan_of(job, 0);
    const irr_layout_t *l = &first->layout;
    size_t chunks = first->one ? 1 : l->segment_chunks * l->leaf_chunks;
    irr_executor_t some = *executor;
    if (l->threads < some.threads) some.threads = l->threads;
    if (executor->services && first->cost.bytes < BYTES_WORTH_A_HOST) some.threads = 1;
    some.alone_ns = 1 + (uint64_t)(first->cost.bytes / BYTES_A_NS);
    some.apart = first->cost.bytes > BYTES_OF_A_CACHE;
    some.alone = job->count == 1 ? run_all_alone : NULL;
    some.last = chunks > 1 ? close_all_chunks : NULL;
    some.trial = l->on_trial ? &first->alone->trial : NULL;
    irr_parallel_for(&some, l->tasks,
                     first->one                                ? run_ones
                     : chunks > 1                              ? run_chunk
                     : job->count == 1 && first->one_call.each ? run_calls
                                                               : run_units,
                     job);
    if (job->alone) return 1;
    uint32_t threads = irr_executor_width(&some);
    return l->tasks < threads ? (uint32_t)l->tasks : threads;
}

static irr_status_e execute(irr_yield_t *yields, uint32_t count, const void *data, void *scratch,
                            const irr_executor_t *executor, irr_sentence_t sentence) {
    const plan_t *first = yields->state;
    uint32_t threads = 1;
    (void)sentence; /* nothing here can fail */
    if (count == 1 && first->layout.tasks == 1) {
        uint64_t redone = run_alone(first, data, yields->output, scratch);
        yields->stats = (irr_execution_stats_t){1, redone};
        return IRR_OK;
    }
    job_t job = {.yields = yields, .count = count, .data = data, .scratch = scratch};
    if (first->layout.tasks == 1)
        run_units(&job, 0);
    else
        threads = run_tasks(&job, executor);
    for (uint32_t m = 0; m < count; m++)
        yields[m].stats = (irr_execution_stats_t){threads, job.redone[m]};
    return IRR_OK;
}

const irr_backend_t irr_backend_simd = {
    .name = "simd",
    .offer = irr_simd_offer,
    .prepare = irr_simd_prepare,
    .joins = irr_simd_joins,
    .join = irr_simd_join,
    .execute = execute,
    .at_once = at_once,
    .release = irr_simd_release,
};
