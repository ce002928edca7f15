/* The units of the SIMD backend, leaf by leaf (kernels.h has the bit contract).
 * Lives here: the order of kernel calls in one unit. May not: threads, trees, finishes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/simd.h"

#include <string.h>

void irr_unit_at(const irr_simd_plan_t *plan, const char *data, size_t index, irr_unit_t *unit) {
    const irr_layout_t *l = &plan->layout;
    size_t column = index % l->tiles_width * l->tile_width, row = index / l->tiles_width;
    size_t block = row / l->tiles_kept * l->tile_blocks, tile = row % l->tiles_kept;
    row = irr_cut_at(&l->kept_of_tiles, tile);
    unit->plan = plan;
    unit->block = block;
    unit->blocks = irr_least(l->blocks.total - block, l->tile_blocks);
    unit->kept = irr_least(l->kept, irr_cut_at(&l->kept_of_tiles, tile + 1)) - row;
    unit->width = irr_least(l->width - column, l->tile_width);
    unit->results = unit->blocks * unit->kept * unit->width;
    unit->first = (block * l->kept + row) * l->width + column;
    unit->lanes = l->group * unit->width;
    unit->data = data + (irr_offset_of(&l->blocks, block) + row * l->rows * l->width + column) *
                            plan->kernel->element_bytes;
}

void irr_walk_unit(const irr_unit_t *unit, char *slot, irr_walk_t *walk) {
    const irr_layout_t *l = &unit->plan->layout;
    walk->unit = unit;
    walk->results = slot;
    walk->lanes = slot + l->result_levels_bytes;
    walk->first_segment = walk->first_leaf = walk->done_segments = walk->done_in_this = 0;
    walk->segments = l->segments.total;
    walk->leaves = l->leaves;
}

/* ---- a stack of nodes ---- */

static void merge(const irr_simd_plan_t *plan, char *node, const char *other, size_t n) {
    for (const irr_plane_t *p = plan->planes; p < plan->planes + plan->plane_count; p++)
        p->kernel->merge(node + p->offset, other + p->offset, n);
}

void irr_carry(const irr_simd_plan_t *plan, char *node, size_t node_bytes, size_t done, size_t n) {
    for (; done % 2 == 0; done /= 2, node -= node_bytes) merge(plan, node - node_bytes, node, n);
}

static void collapse(const irr_simd_plan_t *plan, char *nodes, size_t node_bytes, size_t done,
                     size_t n) {
    char *node = irr_top(nodes, node_bytes, done) - node_bytes;
    for (; node > nodes; node -= node_bytes) merge(plan, node - node_bytes, node, n);
}

void irr_merge_nodes(const irr_simd_plan_t *plan, char *nodes, size_t apart, size_t count,
                     size_t n) {
    if (count == 1) return;
    size_t left = irr_tree_split(count);
    irr_merge_nodes(plan, nodes, apart, left, n);
    irr_merge_nodes(plan, nodes + left * apart, apart, count - left, n);
    merge(plan, nodes, nodes + left * apart, n);
}

/* ---- a segment ---- */

/* Rows that a kernel takes in one go, at most. */
#define FEW_ROWS 16u

/* Rows of columns into accumulators, from number `at` on: kernels.h. */
static void run_steps(const irr_simd_plan_t *plan, char *to, size_t at, const char *data,
                      size_t stride, size_t steps, size_t width, unsigned how) {
    const irr_kernel_t *kernel = plan->kernel;
    if (plan->fused)
        plan->fused->steps(to, at, plan->apart, data, stride, steps, width, how);
    else
        kernel->steps(to + at * kernel->accumulator_bytes, data, stride, steps, width, how);
}

/* Where the processor's prefetching lags, memory is read sooner where a few lines of what comes
 * next are asked for while a piece is folded: one of eight, and the processor's own prefetchers
 * bring the others. */
#define ASKED_BYTES 512u
/* Longer leaves are columns, which come by themselves, shorter rows no match for memory. */
#define LEAST_ASKED_BYTES 64u
#define MOST_ASKED_BYTES (2 * IRR_PIECE_BYTES)

static void ask_behind(const char *data, size_t bytes) {
    uintptr_t next = (uintptr_t)data + bytes;
    for (size_t i = 0; i < bytes; i += ASKED_BYTES)
        __builtin_prefetch((const void *)(next + i), 0, 2); /* to the second cache */
}

/* Short rows are folded several at a time, too fast for any prefetching: where the nearest cache
 * can wait for them, all lines of what comes next are asked for. Longer rows call for lines
 * themselves, and those that are widened take longer than that. Of yet shorter ones those come by
 * themselves that are loaded by whole vectors, of which they are equal slots. Others are parts of
 * loads, from too many places of code for the processor's prefetchers to follow each: 1.4x to 3.3x
 * as fast where they are asked for, widened or not (out of the last cache 0.85x). No slot is less
 * than LEAST_SLOT_BYTES, and no row is empty here. */
#define NEAR_PIECE_BYTES 8192u
#define MOST_NEAR_BYTES 1024u
#define LEAST_SLOT_BYTES 4u

/* Likewise small blocks of columns that are parts of lines: 0.9x to 3.1x as fast; smaller ones and
 * those of fewer rows down to 0.6x, wider ones, and exact sums, 0.9x to 1.3x. */
#define LEAST_ASKED_ROWS 8u
#define LEAST_OF_BLOCK_BYTES 192u
#define MOST_OF_BLOCK_BYTES 4096u
#define LINE_BYTES 64u

static bool asks_all(const irr_simd_plan_t *plan, size_t bytes) {
    const irr_kernel_t *kernel = plan->kernel;
    size_t rows = plan->layout.rows;
    if (!plan->beyond || !(plan->how & IRR_STEPS_FAR)) return false;
    if (plan->layout.inner != IRR_INNER_ROWS)
        return rows >= LEAST_ASKED_ROWS && bytes / rows < LINE_BYTES && !kernel->exact &&
               bytes >= LEAST_OF_BLOCK_BYTES && bytes <= MOST_OF_BLOCK_BYTES;
    if (rows < kernel->parts && (rows & (rows - 1) || bytes < LEAST_SLOT_BYTES)) return true;
    return kernel->accumulator_bytes == kernel->element_bytes && bytes >= LEAST_ASKED_BYTES &&
           bytes <= MOST_NEAR_BYTES;
}

static void ask_all_behind(const char *data, size_t bytes) {
    uintptr_t next = (uintptr_t)data + bytes;
    for (size_t i = 0; i < bytes; i += LINE_BYTES)
        __builtin_prefetch((const void *)(next + i), 0, 3);
}

static void run_rows(const irr_simd_plan_t *plan, char *to, size_t at, const char *data,
                     size_t count) {
    size_t length = plan->layout.rows, ahead = plan->ahead;
    if (plan->fused)
        plan->fused->rows(to, at, plan->apart, data, count, length, ahead);
    else
        plan->kernel->rows(to + at * plan->kernel->accumulator_bytes, data, count, length, ahead);
}

/* Wider blocks come from beyond the caches one by one. Where lines are called to the second cache,
 * small ones with those of the next, up to 1.6x as fast (of 64 KB and more, or of 32 rows, 0.5x to
 * 1x); others as they lie. Nearer ones whose rows are taken as they lie go one by one where rows
 * are long, and enough for a call. */
#define STRIP_BYTES 512u
#define MOST_CALLED_ROWS 16u
#define MOST_CALLED_BYTES (48u << 10)

static void run_cols(const irr_simd_plan_t *plan, char *to, size_t at, const char *data,
                     size_t count) {
    const irr_layout_t *l = &plan->layout;
    size_t row_bytes = l->width * plan->kernel->element_bytes;
    bool wide = row_bytes > STRIP_BYTES;
    bool calls = wide && plan->asks && l->rows <= MOST_CALLED_ROWS &&
                 l->rows * row_bytes <= MOST_CALLED_BYTES;
    bool lies = plan->how & IRR_STEPS_LIE && row_bytes >= IRR_LONG_LYING_BYTES &&
                plan->kernel->lying && l->rows >= plan->kernel->lying;
    bool one = plan->fused || calls || (plan->beyond ? wide : lies);
    unsigned how = plan->how | (calls ? IRR_STEPS_BLOCK : 0);
    char *first = to + at * plan->kernel->accumulator_bytes;
    if (!one) plan->one_call.run(first, data, count, l->rows, l->width);
    for (; one && count; count--, at += l->width, data += l->rows * row_bytes)
        run_steps(plan, to, at, data, l->width, l->rows, l->width, how);
}

void irr_run_kept(const irr_simd_plan_t *plan, char *to, size_t at, const char *data,
                  size_t count) {
    const irr_layout_t *l = &plan->layout;
    size_t row_bytes = l->rows * l->width * plan->kernel->element_bytes;
    bool all = asks_all(plan, row_bytes);
    bool ask = all || (plan->asks && row_bytes >= LEAST_ASKED_BYTES);
    size_t piece = ask ? (all ? NEAR_PIECE_BYTES : IRR_PIECE_BYTES) / row_bytes : count, n;
    if (ask && piece > FEW_ROWS) piece = piece / FEW_ROWS * FEW_ROWS;
    if (piece == 0) piece = 1;
    for (; count; count -= n, data += n * row_bytes, at += n * l->width) {
        n = irr_least(count, piece);
        if (ask) (all ? ask_all_behind : ask_behind)(data, n * row_bytes);
        (l->inner == IRR_INNER_ROWS ? run_rows : run_cols)(plan, to, at, data, n);
    }
}

/* The last step, which is a part of one, fold by fold: where it ends, lanes lie in the same vector
 * that it must leave alone, and no element fills those for the least and the greatest at once. */
static void run_rest(const irr_unit_t *unit, char *lanes, const char *data, size_t width,
                     bool first) {
    const irr_simd_plan_t *plan = unit->plan;
    for (const irr_plane_t *p = plan->planes; p < plan->planes + plan->plane_count; p++) {
        if (first) p->kernel->steps(lanes + p->offset, data, 0, 0, unit->lanes, IRR_STEPS_FIRST);
        p->kernel->steps(lanes + p->offset, data, 0, 1, width, 0);
    }
}

/* Onto what is in the lanes, unless it is the first. */
static void run_some(const irr_unit_t *unit, char *lanes, const char *segment, size_t step,
                     size_t steps, bool first) {
    const irr_layout_t *l = &unit->plan->layout;
    const irr_kernel_t *kernel = unit->plan->kernel;
    size_t stride = l->group * l->width;
    size_t rows = l->rows - step * l->group; /* from here on */
    size_t whole = irr_least(rows / l->group, steps);
    const char *data = segment + step * stride * kernel->element_bytes;
    size_t n = irr_least(rows, steps * l->group), bytes = n * l->width * kernel->element_bytes;
    if (unit->plan->asks && unit->width == l->width && bytes <= MOST_ASKED_BYTES)
        ask_behind(data, bytes);
    if (l->width == 1) {
        if (unit->plan->fused)
            unit->plan->fused->leaf(lanes, unit->plan->apart, data, n, unit->plan->ahead);
        else
            kernel->leaf(lanes, data, n, unit->lanes, unit->plan->ahead);
        return;
    }
    unsigned how = first ? unit->plan->how : unit->plan->how & ~(unsigned)IRR_STEPS_FIRST;
    if (whole) run_steps(unit->plan, lanes, 0, data, stride, whole, unit->lanes, how);
    if (whole < steps)
        run_rest(unit, lanes, data + whole * stride * kernel->element_bytes,
                 rows % l->group * l->width, first && whole == 0);
}

/* Of a node that is begun. What merges read right after it was written waits: products alone. */
static void clear_behind(const irr_unit_t *unit, char *node, size_t n) {
    const irr_simd_plan_t *plan = unit->plan;
    if (plan->problem.op == IRR_OP_PROD)
        irr_clear_behind(node + n * plan->kernel->accumulator_bytes);
}

/* A kernel's tree has no part of a step: leaves up to that go one by one. */
static void run_leaf(const irr_unit_t *unit, char *lanes, const char *segment, size_t leaf,
                     bool first) {
    const irr_layout_t *l = &unit->plan->layout;
    size_t step = leaf * l->leaf_steps, steps = irr_least(l->steps - step, l->leaf_steps), done = 0;
    if (first) clear_behind(unit, lanes, unit->lanes);
    if (!l->tree || (step + steps) * l->group <= l->rows) {
        run_some(unit, lanes, segment, step, steps, first);
        return;
    }
    for (size_t n; steps; step += n, steps -= n) {
        char *node = irr_top(lanes, l->leaf_bytes, done++);
        n = irr_least(steps, IRR_LEAF_STEPS);
        run_some(unit, node, segment, step, n, true);
        irr_carry(unit->plan, node, l->leaf_bytes, done, unit->lanes);
    }
    collapse(unit->plan, lanes, l->leaf_bytes, done, unit->lanes);
}

void irr_close_leaves(const irr_unit_t *unit, char *results, size_t at, char *lanes) {
    const irr_simd_plan_t *plan = unit->plan;
    for (const irr_plane_t *p = plan->planes; p < plan->planes + plan->plane_count; p++) {
        size_t bytes = p->kernel->accumulator_bytes;
        if (plan->layout.group > 1) p->kernel->fold(lanes + p->offset, unit->lanes, unit->width);
        memcpy(results + p->offset + at * bytes, lanes + p->offset, unit->width * bytes);
    }
}

static bool run_leaves(irr_walk_t *walk, char *results, size_t at, const char *segment,
                       size_t rows) {
    const irr_unit_t *unit = walk->unit;
    const irr_layout_t *l = &unit->plan->layout;
    size_t leaf_rows = l->leaf_steps * l->group, to = walk->leaves;
    if (rows < l->rows) to = irr_least(to, (rows + leaf_rows - 1) / leaf_rows);
    for (size_t done = walk->done_in_this; done < to; walk->done_in_this = ++done) {
        char *lanes = l->onto ? walk->lanes : irr_top(walk->lanes, l->leaf_bytes, done);
        run_leaf(unit, lanes, segment, walk->first_leaf + done, !l->onto || done == 0);
        if (!l->onto) irr_carry(unit->plan, lanes, l->leaf_bytes, done + 1, unit->lanes);
    }
    if (to < walk->leaves) return false;
    if (!l->onto) collapse(unit->plan, walk->lanes, l->leaf_bytes, to, unit->lanes);
    if (to == l->leaves) irr_close_leaves(unit, results, at, walk->lanes);
    return true;
}

/* Up to so many kept rows of a block in the current segment; true: it is complete. */
static bool run_block(irr_walk_t *walk, char *results, size_t at, const char *data, size_t rows) {
    const irr_unit_t *unit = walk->unit;
    const irr_layout_t *l = &unit->plan->layout;
    const irr_kernel_t *kernel = unit->plan->kernel;
    size_t done = walk->done_in_this, to = irr_least(rows, unit->kept);
    size_t row_bytes = l->rows * l->width * kernel->element_bytes;
    size_t from = at + done * unit->width;
    if (l->inner == IRR_INNER_TREE && unit->kept == 1 && !unit->plan->one_call.run)
        return run_leaves(walk, results, at, data, rows);
    if (to <= done) return false;
    if (unit->plan->one_call.run)
        irr_run_kept(unit->plan, results, from, data + done * row_bytes, to - done);
    else
        for (size_t k = 0; k < unit->kept; k++, at += unit->width, data += row_bytes) {
            walk->done_in_this = 0;
            if (l->inner == IRR_INNER_TREE)
                run_leaves(walk, results, at, data, rows);
            else
                run_steps(unit->plan, results, at, data, l->width, l->rows, unit->width,
                          unit->plan->how);
        }
    walk->done_in_this = to;
    return to == unit->kept;
}

/* Up to so many rows of the current segment; true: it is complete. */
static bool run_segment(irr_walk_t *walk, char *results, size_t rows) {
    const irr_unit_t *unit = walk->unit;
    const irr_layout_t *l = &unit->plan->layout;
    const irr_kernel_t *kernel = unit->plan->kernel;
    size_t index = walk->first_segment + walk->done_segments;
    size_t first = unit->blocks > 1 ? irr_offset_of(&l->blocks, unit->block) : 0;
    const char *data = unit->data + irr_offset_of(&l->segments, index) * kernel->element_bytes;
    for (size_t b = 0, at = 0;; at = irr_offset_of(&l->blocks, unit->block + b) - first) {
        bool complete = run_block(walk, results, b * unit->kept * unit->width,
                                  data + at * kernel->element_bytes, rows);
        if (++b == unit->blocks) return complete;
        walk->done_in_this = 0;
    }
}

/* ---- side by side ---- */

/* Rows that a kernel folds at once, where as many are not too long to stay in the near caches. */
#define ROWS_AT_ONCE 8u
#define MOST_AT_ONCE_BYTES (256u << 10)

size_t irr_walk_piece(const irr_walk_t *walks, uint32_t count, size_t *rows, size_t *all_rows) {
    const irr_unit_t *unit = walks->unit;
    const irr_layout_t *l = &unit->plan->layout;
    bool tree = l->inner == IRR_INNER_TREE;
    size_t row_bytes = (tree ? 1 : l->rows) * unit->width * unit->plan->kernel->element_bytes;
    size_t some = IRR_PIECE_BYTES / row_bytes, step = 1;
    if (!tree && row_bytes * ROWS_AT_ONCE <= MOST_AT_ONCE_BYTES) step = ROWS_AT_ONCE;
    for (uint32_t m = 0; m < count && tree; m++) { /* the longest leaf, a multiple of all others */
        const irr_layout_t *other = &walks[m].unit->plan->layout;
        size_t leaf_rows = other->leaf_steps * other->group;
        if (step < leaf_rows) step = leaf_rows;
    }
    *all_rows = tree ? irr_least(l->rows, walks->leaves * l->leaf_steps * l->group) : unit->kept;
    *rows = some > step ? some / step * step : step;
    return some > *all_rows ? some / *all_rows : 1;
}

void irr_walk_to(irr_walk_t *walk, size_t segments, size_t rows) {
    const irr_unit_t *unit = walk->unit;
    size_t node_bytes = unit->plan->layout.result_bytes, to = irr_least(segments, walk->segments);
    if (walk->done_segments == walk->segments) return;
    while (walk->done_segments < walk->segments && walk->done_segments <= segments) {
        size_t done = walk->done_segments, count = 1;
        if (done + 1 < to && walk->done_in_this == 0) count = irr_segments_at_once(walk, to);
        if (count > 1) {
            irr_run_segments(walk, count);
            if (count == walk->segments) return;
            continue;
        }
        char *node = irr_top(walk->results, node_bytes, done);
        if (walk->done_in_this == 0) clear_behind(unit, node, unit->results);
        if (!run_segment(walk, node, done < segments ? SIZE_MAX : rows)) return;
        walk->done_in_this = 0;
        walk->done_segments = done + 1;
        irr_carry(unit->plan, node, node_bytes, done + 1, unit->results);
    }
    if (walk->done_segments == walk->segments)
        collapse(unit->plan, walk->results, node_bytes, walk->segments, unit->results);
}
