/* Many segments of few rows, where calls of kernels and merges would take longer than they: both
 * are for all of them at once (kernels.h has the bit contract). Lives here: arrays of accumulators.
 * May not: threads, finishes. SPDX-License-Identifier: Apache-2.0 */
#include "plan/simd.h"

#include <string.h>

/* ---- arrays of nodes ---- */

/* The first `bytes` of each stretch of `apart` bytes, moved together elsewhere; up to 15 more are
 * written. A copy of constant size is an instruction or two, the sizes are those of one
 * accumulator; by fours, since a loop of so little takes twice as long where it crosses a line of
 * code. */
static void pick(char *to, const char *from, size_t count, size_t bytes, size_t apart) {
#define MOVE(i, size) memcpy(to + (i)*size, from + (i)*apart, size)
#define MOVE_EACH(size)                                                                            \
    case size:                                                                                     \
        for (; count > 4; count -= 4, to += 4 * size, from += 4 * apart)                           \
            MOVE(0, size), MOVE(1, size), MOVE(2, size), MOVE(3, size);                            \
        for (size_t k = 0; k < count; k++) MOVE(k, size);                                          \
        return;
    switch (bytes) {
        MOVE_EACH(1)
        MOVE_EACH(2)
        MOVE_EACH(4)
        MOVE_EACH(8)
        MOVE_EACH(16)
    default:
        for (; count--; to += bytes, from += apart)
            for (size_t i = 0; i < bytes; i += 16) memcpy(to + i, from + i, 16);
    }
#undef MOVE_EACH
#undef MOVE
}

/* Merges of such nodes write nothing but those two. */
static bool is_large(size_t node_bytes) { return node_bytes >= IRR_ACCUMULATOR_PIECE_BYTES; }

/* The tree of each of some groups of n nodes, one after another, to where its first one was. Small
 * nodes are merged with what is behind them, needed or not: one call for all. */
static void merge_groups(const irr_simd_plan_t *plan, char *nodes, char *room, size_t n,
                         size_t groups, size_t width) {
    const irr_kernel_t *kernel = plan->kernel;
    size_t bytes = width * kernel->accumulator_bytes, all = n * groups, k = 1, done = 0;
    for (size_t g = 0; g < groups && is_large(bytes); g++)
        irr_merge_nodes(plan, nodes + g * n * bytes, bytes, n, width);
    if (is_large(bytes)) return;
    size_t firsts = all - n + 1; /* to the first node of the last group */
    for (; 2 * k <= n; k *= 2) {
        const char *odd = nodes + (n - n % (2 * k)) * bytes; /* what has no neighbour */
        if (n & k && done) kernel->merge(room, odd, firsts * width);
        if (n & k && !done) memcpy(room, odd, firsts * bytes + IRR_BEHIND_BYTES);
        done |= n & k;
        kernel->merge(nodes, nodes + k * bytes, (all - k) * width);
    }
    if (done) kernel->merge(nodes, room, firsts * width);
}

/* So many nodes, an array of them, onto the stack of a walk, of which `done` have been there. */
static void push_nodes(const irr_walk_t *walk, char *nodes, char *room, size_t count, size_t done) {
    const irr_unit_t *unit = walk->unit;
    const irr_simd_plan_t *plan = unit->plan;
    size_t bytes = unit->results * plan->kernel->accumulator_bytes, n;
    for (size_t end = done + count; done < end; nodes += n * bytes) {
        for (n = 1; 2 * n <= end - done && done % (2 * n) == 0;) n *= 2;
        char *some = is_large(bytes) ? nodes : memcpy(room, nodes, n * bytes);
        merge_groups(plan, some, NULL, n, 1, unit->results);
        char *node = irr_top(walk->results, plan->layout.result_bytes, done);
        memcpy(node, some, bytes);
        done += n;
        irr_carry(plan, node, plan->layout.result_bytes, done / n, unit->results);
    }
}

/* ---- several segments ---- */

/* Rows of a segment that are worth the way round. */
#define FEW_KEPT 128u
#define WHOLE_SUBTREES 32u

static size_t inner_of(const irr_outer_t *outer) {
    return outer->count ? outer->size[outer->count - 1] : 1;
}

size_t irr_segments_at_once(const irr_walk_t *walk, size_t to) {
    const irr_unit_t *unit = walk->unit;
    const irr_layout_t *l = &unit->plan->layout;
    bool calls = l->inner == IRR_INNER_ROWS || l->inner == IRR_INNER_COLS;
    if (!calls || unit->plan->fused || unit->kept < l->kept || l->segments.count == 0 ||
        (unit->kept >= FEW_KEPT && unit->blocks == 1))
        return 1;
    size_t done = walk->first_segment + walk->done_segments, inner = inner_of(&l->segments);
    size_t most = IRR_WAITING_BYTES / (unit->results * unit->plan->kernel->accumulator_bytes);
    size_t left = to - walk->done_segments, some = inner - done % inner;
    if (some == inner && l->blocks.count && unit->blocks == inner_of(&l->blocks)) {
        size_t outer = l->segments.count > 1 ? l->segments.size[l->segments.count - 2] : 1;
        outer = irr_least(outer - done / inner % outer, irr_least(left, most) / inner);
        if (outer) return outer * inner;
    }
    some = irr_least(some, left);
    if (some <= most || most < WHOLE_SUBTREES) return irr_least(some, most);
    return irr_tree_split(most + 1); /* whole subtrees */
}

/* Rows of so many segments of all blocks of a unit, as they lie in memory. */
static void read_segments(const irr_walk_t *walk, char *nodes, size_t count) {
    const irr_unit_t *unit = walk->unit;
    const irr_simd_plan_t *plan = unit->plan;
    const irr_layout_t *l = &plan->layout;
    bool whole = count % inner_of(&l->segments) == 0;
    size_t segment = irr_offset_of(&l->segments, walk->first_segment + walk->done_segments);
    size_t first = irr_offset_of(&l->blocks, unit->block), blocks = inner_of(&l->blocks), n;
    for (size_t b = unit->block, end = b + unit->blocks; b < end; b += n) {
        n = whole ? irr_least(end - b, blocks - b % blocks) : 1;
        size_t rows = n * count * unit->kept, at = segment + irr_offset_of(&l->blocks, b) - first;
        irr_run_kept(plan, nodes, 0, unit->data + at * plan->kernel->element_bytes, rows);
        nodes += rows * l->width * plan->kernel->accumulator_bytes;
    }
}

/* Blocks of segments, as they lie, to segments of blocks, which are a unit's results. */
static void sort_nodes(char *to, const char *from, size_t blocks, size_t segments, size_t all,
                       size_t bytes) {
    for (; all; all -= blocks * segments, to += blocks * segments * bytes)
        for (size_t b = 0; b < blocks; b++)
            for (size_t s = 0; s < segments; s++, from += bytes)
                memcpy(to + (s * blocks + b) * bytes, from, bytes);
}

void irr_run_segments(irr_walk_t *walk, size_t count) {
    const irr_unit_t *unit = walk->unit;
    const irr_simd_plan_t *plan = unit->plan;
    _Alignas(64) char waiting[2][IRR_WAITING_BYTES + IRR_ACCUMULATOR_SLACK_BYTES];
    char *nodes = waiting[0], *rest = waiting[1];
    if (plan->careful) memset(waiting, 0, sizeof waiting); /* what was there might raise flags */
    size_t width = unit->kept * unit->width, bytes = width * plan->kernel->accumulator_bytes;
    size_t done = walk->done_segments, each = 1;
    size_t some = irr_least(count, inner_of(&plan->layout.segments)); /* side by side in a block */
    size_t all = unit->blocks * count;
    irr_clear_behind(nodes + all * bytes);
    if (unit->blocks > 1) irr_clear_behind(rest + all * bytes);
    read_segments(walk, nodes, count);
    if (unit->blocks > 1) {
        bool tree = some == walk->segments || ((some & (some - 1)) == 0 && done % some == 0);
        if (tree) each = some, merge_groups(plan, nodes, rest, some, all / some, width);
        if (tree)
            pick(rest, nodes, all / some, bytes, some * bytes);
        else
            sort_nodes(rest, nodes, unit->blocks, some, all, bytes);
        nodes = rest, rest = waiting[0];
    }
    walk->done_segments += count;
    if (count < walk->segments) {
        push_nodes(walk, nodes, rest, count / each, done / each);
        return;
    }
    merge_groups(plan, nodes, rest, count / each, 1, unit->results);
    memcpy(walk->results, nodes, unit->results * plan->kernel->accumulator_bytes);
}

/* ---- rows that were left to the end ---- */

/* Less than a line a set: all at once is sooner. */
#define LEAST_LAST_BYTES 64u
/* Fewer columns of so few rows are sooner merged. */
#define LEAST_LAST_COLUMNS 512u
#define FEW_LAST_ROWS 4u
/* Exact sums' are not merged row by row. */
#define MANY_LAST_ROWS 16u
#define STRIP_BYTES 2048u

/* So many columns, each with what stands `rows` - 1 times a row behind it; few enough in a call for
 * their states to stay in registers. */
static void fold_at_once(const irr_kernel_t *last, char *to, const char *from, size_t row,
                         size_t rows, size_t columns) {
    size_t bytes = last->accumulator_bytes, n;
    for (; columns; columns -= n, to += n * bytes, from += n * bytes) {
        n = irr_least(columns, STRIP_BYTES / bytes);
        last->steps(to, from, row, rows, n, IRR_STEPS_FIRST);
    }
}

/* More rows than a leaf: those of each set, whose accumulators are all folded last. */
static void fold_leaves(const irr_kernel_t *last, char *to, char *from, size_t sets, size_t rows,
                        size_t row) {
    size_t whole = rows / IRR_LEAF_STEPS, rest = rows % IRR_LEAF_STEPS;
    size_t row_bytes = row * last->accumulator_bytes, leaf_bytes = IRR_LEAF_STEPS * row_bytes;
    const char *set = from;
    char *nodes = to;
    for (size_t s = 0; s < sets; s++, set += rest * row_bytes) {
        last->cols(nodes, set, whole, IRR_LEAF_STEPS, row);
        nodes += whole * row_bytes, set += whole * leaf_bytes;
        if (rest) last->cols(nodes, set, 1, rest, row), nodes += row_bytes;
    }
    last->cols(from, to, sets, whole + (rest > 0), row);
}

/* Exact sums are added in any order, and merged without a look behind them: the last rows of each
 * set onto its first. */
static void halve_sets(const irr_kernel_t *exact, char *sets, size_t count, size_t rows,
                       size_t row) {
    size_t row_bytes = row * exact->accumulator_bytes;
    for (; count--; sets += rows * row_bytes)
        for (size_t left = rows, half; left > 1; left -= half) {
            half = left / 2;
            exact->merge(sets, sets + (left - half) * row_bytes, half * row);
        }
}

/* Sets are blocks of columns of accumulators. Small ones are folded all at once: to each column is
 * added what stands a row behind it, two rows, and so on, as if all of them began a set. */
static void fold_last(const irr_unit_t *unit, char *results, const irr_plane_t *plane) {
    const irr_kernel_t *kernel = plane->kernel;
    const irr_layout_t *l = &unit->plan->layout;
    size_t all = unit->results, row = l->last_width, rows = l->last_rows;
    size_t row_bytes = row * kernel->accumulator_bytes, sets = all / (rows * row);
    /* Not right behind, where what is read beyond the end would wait for what has just been
     * written. */
    char *copy = results + l->result_bytes + IRR_ACCUMULATOR_PIECE_BYTES;
    const irr_kernel_t *last = plane->last;
    bool free = last && last->leaves > 1 && row == 1 && rows > FEW_LAST_ROWS;
    bool block = last && rows * row_bytes >= LEAST_LAST_BYTES;
    if (block && !free && rows > IRR_LEAF_STEPS) {
        fold_leaves(last, copy, results, sets, rows, row);
        return;
    }
    if (free || block) {
        if (free) /* in any order */
            last->rows(copy, results, sets, rows, 0);
        else
            last->cols(copy, results, sets, rows, row);
        memcpy(results, copy, sets * row_bytes);
        return;
    }
    if (last && (rows > FEW_LAST_ROWS || all >= LEAST_LAST_COLUMNS)) {
        fold_at_once(last, copy, results, row, rows, all - (rows - 1) * row);
    } else {
        memcpy(copy, results, all * kernel->accumulator_bytes);
        if (kernel->exact && rows > MANY_LAST_ROWS)
            halve_sets(kernel, copy, sets, rows, row);
        else
            for (size_t r = 1; r < rows; r++)
                kernel->merge(copy, results + r * row_bytes, all - r * row);
    }
    pick(results, copy, sets, row_bytes, rows * row_bytes);
}

void irr_fold_last(const irr_unit_t *unit, char *results) {
    const irr_simd_plan_t *plan = unit->plan;
    if (plan->layout.last_rows == 1) return;
    for (const irr_plane_t *p = plan->planes; p < plan->planes + plan->plane_count; p++)
        fold_last(unit, results + p->offset, p);
}
