/* From alternating runs to leaves and units.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/layout.h"

#include "base/memory.h"
#include "kernel/kernels.h"

/* Accumulators of one unit: its trees stay in the nearest caches. Where outputs are many, they
 * leave room for data and outputs. Where memory is read sooner by long rows, these are whole, and
 * where accumulators of narrow elements are written once in many rows. */
#define TILE_BYTES 16384u
#define WHOLE_ROW_TILE_BYTES 65536u
#define ONE_PASS_TILE_BYTES 4096u
#define ONE_PASS_ROWS 8u
/* Few rows that are long, whose lines are called for: tiles that leave the nearest cache to what is
 * read, 1.1x to 1.7x as fast. Shorter rows, up to 1.5x as slow: what comes next is soon another
 * block's. */
#define LONG_COLUMNS_ROW_BYTES 12288u
#define LONG_COLUMNS_TILE_BYTES 2048u
#define LONG_PIECE_BYTES 16384u
/* Outputs of many segments, few in number, need no such room. */
#define MANY_SEGMENTS 8u
/* What a thread must have to do, or it costs more than it brings: 1.5 to 3 us. Calling a thread
 * that spins and hearing of its end take 0.5 to 1.3; brief work calls none that sleeps. */
#define BYTES_WORTH_A_THREAD (320u << 10)
/* Between these, two may be sooner than one, or not: where little is to be done, 0.7 of one's time
 * on Zen 4, up to 1.5 on Zen 5; where much lies in the nearer caches, 0.5, or 1.3 when a machine's
 * other guests are busy. To try costs the more, the longer it takes. */
#define BYTES_WORTH_A_TRIAL (160u << 10)
#define BYTES_BEYOND_DOUBT (4u << 20)
/* Tasks of a thread: where it is brief, one, for each more takes 80 ns beyond its work. Threads
 * come late and are interrupted: the longer the work, the more, so that the last ones are a small
 * part of it. Trees are cut into powers of two, which make even shares where they are several. */
#define BYTES_OF_A_TASK (1u << 20)
#define BYTES_OF_A_PIECE (128u << 10)
#define LEAST_PIECES 2u
#define MOST_TASKS 16u
/* Tiles are not cut into less than this, a few lines of each row. */
#define LEAST_TILE_WIDTH_BYTES 512u
/* Of longer rows a kernel takes tiles, one after the other: what the second cache still has of the
 * one before is soon the next one's, but for long leaves. */
#define LONG_LEAF_ROW_BYTES 2048u
/* Exact sums' accumulators are wide: of fewer rows, to write and merge them is half of the work. */
#define LEAST_EXACT_STEPS 128u
/* A tree is left whole where wider tiles than this are enough for the threads, and it has few
 * leaves or lies in the second caches: what was cut is put together and finished by one of them. */
#define FEW_LEAVES 8u
#define WIDE_TILE_BYTES 768u
#define BYTES_BY_COLUMNS (3u << 20)
#define WIDER_TILE_BYTES 960u
/* Rows that are folded last are passes, but of wide ones a kernel takes more than these at once. */
#define MOST_LAST_PASSES 16u
/* What a block of columns of more rows than a leaf costs beyond its bytes. */
#define LEAVES_NS 8u
/* What must not be cut, an output's rows among the columns: a tile or a part of one. */
#define MOST_LAST_ELEMENTS 2048u
/* Blocks that are worth a call of their own, where vectors lie across lines: long pieces. */
#define LEAST_BAND_ROWS 8u
/* Rows of which a vector has two at least. */
#define MOST_GROUPED_BYTES 32u
/* The least that makes no more parts than `most` does. */
static size_t even_part(size_t n, size_t most) { return irr_ceil_div(n, irr_ceil_div(n, most)); }

/* The innermost runs become [kept, rows, width], the others outer blocks and segments. */
static void split_runs(const irr_run_t *runs, uint32_t count, irr_layout_t *layout) {
    uint32_t left = count;
    layout->kept = layout->rows = layout->width = 1;
    if (left && !runs[left - 1].reduced) layout->width = runs[--left].size;
    if (left) layout->rows = runs[--left].size;
    if (left) layout->kept = runs[--left].size;
    irr_split_runs(runs, left, layout->kept * layout->rows * layout->width, &layout->blocks,
                   &layout->segments);
}

/* Does it pay to fold rows last? In nanoseconds, more or less: each segment is spared a call of a
 * kernel and what a row costs beyond its bytes, which is nothing for one that fills a line, and
 * what a block of columns costs. Each row more is a pass over the columns' accumulators at the end,
 * of blocks up to MOST_LAST_PASSES. Exact sums' are wide, but their short columns cost more yet;
 * those of rows are another pass in each call but the first, of so many segments side by side. */
static bool pays_last(const irr_layout_t *layout, const irr_lane_info_t *kernel, size_t beside) {
    size_t row_bytes = layout->rows * kernel->element_bytes, spared = layout->kept;
    size_t columns = layout->kept * layout->rows * layout->width;
    bool one = layout->width == 1, wide = kernel->exact && one;
    if (layout->rows > (one && row_bytes >= 64 ? IRR_LEAF_STEPS : kernel->most_last_rows) ||
        layout->rows * layout->width > MOST_LAST_ELEMENTS)
        return false;
    if (one)
        spared = row_bytes < 64 ? layout->kept * (64 - row_bytes) / 64 : 0;
    else if (layout->rows > IRR_LEAF_STEPS)
        spared *= LEAVES_NS;
    size_t passes = (one ? layout->rows : irr_least(layout->rows, MOST_LAST_PASSES)) + 4;
    size_t bytes = passes * (wide ? kernel->accumulator_bytes : kernel->element_bytes);
    if (wide) bytes += (layout->segments.total / beside - 1) * kernel->accumulator_bytes;
    return layout->segments.total * (20 + spared) > columns * bytes / 64;
}

/* Rows that are folded last are a part of the innermost kept run until then. */
static void choose_runs(const irr_geometry_t *geometry, const irr_lane_info_t *kernel,
                        irr_layout_t *layout) {
    uint32_t count = geometry->run_count;
    irr_run_t runs[IRR_MAX_RANK];
    split_runs(geometry->runs, count, layout);
    layout->last_rows = layout->last_width = 1;
    if (layout->segments.total == 1) return;
    uint32_t beside = count - (geometry->runs[count - 1].reduced ? 3 : 4); /* reduced, too */
    if (kernel->last_rows ? kernel->last_rows == 1
                          : !pays_last(layout, kernel, geometry->runs[beside].size))
        return;
    layout->last_rows = layout->rows;
    layout->last_width = layout->width;
    size_t columns = layout->kept * layout->rows * layout->width;
    count -= geometry->runs[count - 1].reduced ? 1 : 2;
    for (uint32_t i = 0; i < count; i++) runs[i] = geometry->runs[i];
    runs[count - 1].size = columns;
    split_runs(runs, count, layout);
}

/* Each call costs a stop of the reads, so that a task's part of a row is taken in one. Where the
 * tree matters, it is a whole subtree. */
static size_t row_leaves(const irr_lane_info_t *kernel, const irr_layout_t *layout) {
    size_t rows = layout->blocks.total * layout->kept * layout->segments.total;
    size_t part = irr_ceil_div(layout->rows, irr_ceil_div(layout->pieces, rows));
    size_t leaves = irr_ceil_div(part, IRR_LEAF_STEPS * kernel->lanes), whole = IRR_ROW_LEAVES;
    while ((layout->pieces > 1 ? 2 * whole : whole + 1) <= leaves) whole *= 2;
    if (kernel->row_leaves == IRR_FREE_LEAVES && leaves > whole) whole = leaves;
    return irr_least(kernel->row_leaves, whole);
}

/* What is never cut: a rank of last rows, or a line. */
static size_t piece_width(const irr_lane_info_t *kernel, const irr_layout_t *layout) {
    size_t ranks = layout->last_rows * layout->last_width;
    return ranks > 1 ? ranks : irr_things_of_lines(kernel->element_bytes);
}

/* In how many parts threads share out columns rather than a tree, for which it is 0. Of rows at a
 * power of two from one another, each thread's part has a part of its cache's sets. */
static size_t column_parts(const irr_lane_info_t *kernel, const irr_layout_t *layout) {
    size_t others = layout->blocks.total * layout->kept * layout->segments.total;
    size_t row_bytes = layout->width * kernel->element_bytes;
    bool few = layout->steps <= FEW_LEAVES * IRR_LEAF_STEPS;
    size_t parts = irr_ceil_div(layout->wanted, others);
    size_t most = row_bytes / (few ? WIDE_TILE_BYTES : WIDER_TILE_BYTES);
    if (layout->last_rows > 1) { /* ranks that are few may not make even shares */
        size_t ranks = layout->width / piece_width(kernel, layout), all = others * ranks;
        if (10 * irr_round_up(all, layout->threads) > 11 * all) return 0;
        most = irr_least(most, ranks);
    }
    if (parts > most) parts = most / layout->threads * layout->threads;
    if (parts == 0 || few) return parts;
    size_t part_bytes = irr_most(row_bytes / parts, row_bytes & -row_bytes);
    return others * layout->rows * parts * part_bytes <= BYTES_BY_COLUMNS ? parts : 0;
}

/* Of columns, as many as a kernel takes, but enough leaves for the threads: by rows, each has in
 * its cache what lies side by side, which comes up to 2.9x as fast as parts of all rows. */
static size_t column_leaves(const irr_lane_info_t *kernel, const irr_layout_t *layout) {
    size_t parts = layout->blocks.total * layout->kept * layout->segments.total;
    size_t row_bytes = layout->width * kernel->element_bytes, leaves = kernel->column_leaves;
    if (layout->tree) leaves = IRR_ROW_LEAVES;
    if (!kernel->alone || row_bytes > LONG_LEAF_ROW_BYTES)
        leaves = irr_least(leaves, IRR_ROW_LEAVES);
    if (column_parts(kernel, layout)) return leaves;
    for (; leaves > 1; leaves /= 2) {
        size_t steps = IRR_LEAF_STEPS * leaves, count = irr_ceil_div(layout->steps, steps);
        /* What is left of several leaves and their tree is no fair share. */
        if (layout->tree) count = irr_most(layout->steps / steps, 1);
        if (count * parts >= layout->pieces) break;
    }
    return leaves;
}

/* Where the tree does not matter, threads share out leaves of any number of rows, and of exact sums
 * no short ones: as many as there are threads, or a multiple. */
static size_t column_steps(const irr_lane_info_t *kernel, const irr_layout_t *layout) {
    size_t steps = IRR_LEAF_STEPS * column_leaves(kernel, layout);
    bool shared = layout->pieces > 1 && column_parts(kernel, layout) == 0;
    bool even = layout->last_rows == 1; /* else tiles are of other widths, and leaves few */
    if (!kernel->alone || kernel->column_leaves == 1 || !shared || !even) return steps;
    size_t least = kernel->exact ? LEAST_EXACT_STEPS : 0;
    size_t leaves = irr_ceil_div(layout->steps, irr_most(steps, least));
    leaves = irr_round_up(leaves, layout->threads);
    return irr_most(irr_ceil_div(layout->steps, leaves), IRR_LEAF_STEPS);
}

/* Accumulators of one unit, at most. */
static size_t most_in_tile(const irr_lane_info_t *kernel, const irr_layout_t *layout) {
    bool one_pass = layout->inner == IRR_INNER_ROWS || layout->rows <= ONE_PASS_ROWS;
    bool tree = layout->inner == IRR_INNER_TREE && layout->width > 1;
    bool seldom = kernel->alone && kernel->exact && tree; /* siblings' units are the same */
    if (seldom && kernel->element_bytes < 4)
        return WHOLE_ROW_TILE_BYTES / kernel->tile_accumulator_bytes;
    return (one_pass ? ONE_PASS_TILE_BYTES : TILE_BYTES) / kernel->tile_accumulator_bytes;
}

/* Is a block sooner folded by steps of several rows than row by row? */
static bool is_grouped(const irr_lane_info_t *kernel, const irr_layout_t *layout) {
    return kernel->least_grouped_rows && layout->rows >= kernel->least_grouped_rows &&
           layout->width > 1 && layout->width * kernel->element_bytes < MOST_GROUPED_BYTES;
}

/* A band is a call for each block. */
static bool goes_by_bands(const irr_lane_info_t *kernel, const irr_layout_t *layout) {
    size_t row_bytes = layout->width * kernel->element_bytes;
    return kernel->bands && layout->rows >= LEAST_BAND_ROWS && irr_things_of_lines(row_bytes) > 1 &&
           layout->rows * row_bytes >= LONG_PIECE_BYTES;
}

static void choose_inner(const irr_lane_info_t *kernel, irr_layout_t *layout) {
    layout->group = 1;
    layout->leaf_steps = IRR_LEAF_STEPS;
    layout->leaves = 1;
    layout->steps = layout->rows;
    bool cut = layout->blocks.total * layout->kept * layout->segments.total < layout->pieces;
    /* What ACCURACY may have to look at again has the same units there. */
    bool whole = !cut && kernel->row_leaves == IRR_FREE_LEAVES;
    size_t most = (whole ? IRR_FREE_LEAVES : IRR_ROW_LEAVES) * IRR_LEAF_STEPS * kernel->lanes;
    if (layout->width == 1 && layout->rows <= most) {
        layout->inner = IRR_INNER_ROWS;
    } else if ((layout->rows <= IRR_LEAF_STEPS ||
                (layout->rows <= kernel->most_block_rows && layout->width <= kernel->lanes)) &&
               (cut || !is_grouped(kernel, layout))) {
        layout->inner = IRR_INNER_COLS;
        if (cut || layout->width > most_in_tile(kernel, layout) ||
            layout->rows * layout->width > kernel->most_block_elements ||
            goes_by_bands(kernel, layout))
            layout->inner = IRR_INNER_BAND;
    } else {
        layout->inner = IRR_INNER_TREE;
        /* Exact sums of few rows: what steps gain, the fold of their lanes would lose. */
        size_t few = kernel->exact ? layout->rows / 4 : SIZE_MAX;
        while (layout->group * 2 * layout->width <= kernel->lanes &&
               layout->group * layout->group <= few)
            layout->group *= 2;
        layout->steps = irr_ceil_div(layout->rows, layout->group);
        layout->tree = layout->width > 1 && layout->steps > IRR_LEAF_STEPS &&
                       layout->group * layout->width <= kernel->tree_columns;
        layout->leaf_steps = layout->width > 1 ? column_steps(kernel, layout)
                                               : IRR_LEAF_STEPS * row_leaves(kernel, layout);
        layout->leaves = irr_ceil_div(layout->steps, layout->leaf_steps);
        if (layout->tree && layout->leaves == 1 && layout->group == 1)
            layout->inner = IRR_INNER_BAND;
    }
}

static size_t between(size_t least, double n, size_t most) {
    return n < (double)least ? least : n > (double)most ? most : (size_t)n;
}

/* How many threads are of use, and how many tasks they should have. */
static void choose_threads(const irr_cost_t *cost, irr_layout_t *layout) {
    double worth = cost->bytes / BYTES_WORTH_A_THREAD;
    layout->threads = worth < cost->threads ? (uint32_t)worth : cost->threads;
    layout->on_trial = cost->trial && layout->threads <= 2 && cost->threads > 1 &&
                       cost->bytes >= BYTES_WORTH_A_TRIAL && cost->bytes < BYTES_BEYOND_DOUBT;
    if (layout->threads < 2) layout->threads = layout->on_trial ? 2 : 1;
    layout->wanted = layout->pieces = 1;
    if (layout->threads == 1) return;
    double share = cost->bytes / layout->threads, tasks = share / BYTES_OF_A_TASK;
    layout->wanted = layout->threads * between(1, tasks * tasks, MOST_TASKS);
    layout->pieces = layout->threads * between(LEAST_PIECES, share / BYTES_OF_A_PIECE, MOST_TASKS);
}

/* Of how many blocks one call of a kernel can take all innermost segments, as they lie. */
static size_t blocks_waiting(const irr_lane_info_t *kernel, const irr_layout_t *layout) {
    size_t segments = layout->segments.size[layout->segments.count - 1];
    size_t results = segments * layout->kept * layout->width;
    bool calls = layout->inner == IRR_INNER_ROWS || layout->inner == IRR_INNER_COLS;
    if (!calls || !kernel->waits) return 0;
    return IRR_WAITING_BYTES / kernel->tile_accumulator_bytes / results;
}

/* Of kept rows, no more tiles than a cut can have. */
static size_t even_kept(const irr_layout_t *layout, size_t tiles) {
    tiles = irr_least(tiles, UINT32_MAX);
    return irr_even_parts(layout->threads, layout->blocks.total, layout->kept, tiles);
}

/* A segment's short pieces that lie side by side become one unit: it is read as it lies, and its
 * results are merged and finished at once. Threads share out the segments, where these are many. */
static void join_pieces(const irr_lane_info_t *kernel, irr_layout_t *layout) {
    size_t most = most_in_tile(kernel, layout) / layout->width;
    size_t wanted = layout->pieces, segments = layout->segments.total;
    if (segments >= MANY_SEGMENTS && layout->inner != IRR_INNER_ROWS)
        most = irr_most(most, TILE_BYTES / kernel->tile_accumulator_bytes / layout->width);
    size_t kept = irr_ceil_div(layout->kept, layout->tiles_kept);
    size_t piece = kept * layout->rows * layout->width * kernel->element_bytes;
    if (layout->tile_width < layout->width || piece >= LONG_PIECE_BYTES) return;
    bool enough =
        segments >= wanted || (segments >= 4 * layout->threads && segments % layout->threads == 0);
    if (!enough) most = irr_least(most, layout->blocks.total * layout->kept / wanted);
    size_t tiles = irr_least(layout->tiles_kept, irr_ceil_div(layout->kept, irr_most(most, 1)));
    layout->tiles_kept = enough ? tiles : even_kept(layout, tiles);
    if (layout->tiles_kept > 1 || layout->blocks.count == 0) return;
    const irr_outer_t *blocks = &layout->blocks, *outer = &layout->segments;
    size_t stride = blocks->stride[blocks->count - 1];
    most = irr_least(most / layout->kept, blocks->size[blocks->count - 1]);
    if (outer->stride[outer->count - 1] < stride) { /* these blocks hold several segments */
        size_t span = LONG_PIECE_BYTES / kernel->element_bytes / stride;
        size_t waiting = blocks_waiting(kernel, layout);
        bool waits = outer->count == 1 && waiting > 1; /* more would take a call for each block */
        if (waits || waiting >= most) span = waiting;
        most = irr_least(most, span);
    }
    size_t n = blocks->size[blocks->count - 1];
    layout->tile_blocks = even_part(n, irr_most(most, 1));
    while (layout->threads > 1 && 6 * irr_round_up(n, layout->tile_blocks) > 7 * n)
        layout->tile_blocks--; /* few units would be uneven */
}

/* Tiles of tile_width or less, as many as threads want where they do not share out leaves. */
static void cut_width(const irr_lane_info_t *kernel, irr_layout_t *layout) {
    size_t others = layout->blocks.total * layout->kept * layout->segments.total;
    size_t leaves = irr_ceil_div(layout->steps, IRR_LEAF_STEPS);
    size_t parts = column_parts(kernel, layout), piece = piece_width(kernel, layout);
    size_t wanted = parts ? parts : irr_ceil_div(layout->pieces, others * leaves);
    size_t width = irr_ceil_div(layout->width, piece);
    size_t least = irr_ceil_div(LEAST_TILE_WIDTH_BYTES / kernel->element_bytes, piece);
    size_t tile = irr_least(irr_ceil_div(layout->tile_width, piece),
                            irr_most(least, irr_ceil_div(width, wanted)));
    size_t tiles = irr_ceil_div(width, tile), most = irr_most(tiles, irr_ceil_div(width, least));
    if (parts) tiles = irr_least(most, irr_even_parts(layout->threads, others, width, tiles));
    tile = irr_ceil_div(width, tiles);
    /* A tile may be very few ranks. */
    bool even = layout->last_rows == 1 || irr_take_turns(others, layout->threads);
    while (!even && layout->threads > 1 && 10 * irr_round_up(width, tile) > 11 * width) tile--;
    layout->tile_width = irr_least(layout->width, tile * piece);
}

/* Tiles as large as the caches like, but enough of them for the threads. */
static void choose_tiles(const irr_lane_info_t *kernel, irr_layout_t *layout) {
    size_t most = most_in_tile(kernel, layout);
    bool steps = layout->inner == IRR_INNER_BAND || layout->inner == IRR_INNER_TREE;
    bool long_rows = kernel->calls && layout->inner == IRR_INNER_BAND &&
                     layout->segments.total == 1 &&
                     layout->width * kernel->element_bytes >= LONG_COLUMNS_ROW_BYTES;
    if (kernel->whole_rows && steps && layout->rows > ONE_PASS_ROWS)
        most = WHOLE_ROW_TILE_BYTES / kernel->tile_accumulator_bytes;
    else if (long_rows)
        most = LONG_COLUMNS_TILE_BYTES / kernel->tile_accumulator_bytes;
    else if (layout->inner == IRR_INNER_BAND && layout->rows <= ONE_PASS_ROWS &&
             layout->width * kernel->tile_accumulator_bytes <= kernel->most_whole_bytes)
        most = layout->width;
    size_t group = layout->last_rows * layout->last_width; /* is never cut */
    layout->tile_width = irr_least(layout->width, group < most ? most / group * group : group);
    layout->tiles_kept = layout->kept;
    if (layout->inner == IRR_INNER_ROWS || layout->inner == IRR_INNER_COLS) {
        size_t tiles = irr_least(layout->kept, irr_ceil_div(layout->wanted, layout->blocks.total));
        tiles = irr_most(tiles, irr_ceil_div(layout->kept, most / layout->width));
        layout->tiles_kept = even_kept(layout, tiles);
    } else {
        cut_width(kernel, layout);
    }
    layout->tile_blocks = 1;
    if (kernel->alone) join_pieces(kernel, layout);
    size_t line = irr_things_of_lines(layout->width * kernel->element_bytes);
    layout->kept_of_tiles = irr_cut(layout->kept, layout->tiles_kept, line);
    layout->tile_kept = irr_cut_share(&layout->kept_of_tiles);
    layout->tiles_width = irr_ceil_div(layout->width, layout->tile_width);
    layout->beside = long_rows && layout->tiles_width > 1;
    layout->units = irr_ceil_div(layout->blocks.total, layout->tile_blocks) * layout->tiles_kept *
                    layout->tiles_width;
    size_t results =
        layout->tile_blocks * layout->tile_kept * layout->tile_width / layout->last_rows;
    line = irr_things_of_lines(results * kernel->element_bytes);
    layout->units_of_lines = layout->kept_of_tiles.rest ? 1 : line; /* else no two are alike */
}

void irr_layout_of(const irr_geometry_t *geometry, const irr_lane_info_t *kernel,
                   const irr_cost_t *cost, irr_layout_t *layout) {
    *layout = (irr_layout_t){0};
    choose_threads(cost, layout);
    choose_runs(geometry, kernel, layout);
    choose_inner(kernel, layout);
    choose_tiles(kernel, layout);
    size_t results =
        layout->tile_blocks * layout->tile_kept * layout->tile_width * kernel->accumulator_bytes;
    size_t lanes = layout->group * layout->tile_width * kernel->accumulator_bytes;
    layout->onto = kernel->exact && layout->width > 1;
    /* Chunks of siblings agree: beside Min of floats may be their Sum, whose tree matters. */
    layout->any_chunks = layout->onto || (kernel->alone && kernel->column_leaves > 1);
    layout->result_bytes = irr_round_up(results, IRR_ACCUMULATOR_PIECE_BYTES);
    if (layout->inner == IRR_INNER_TREE)
        layout->leaf_bytes = irr_round_up(lanes, IRR_ACCUMULATOR_PIECE_BYTES);
    irr_layout_deal(layout);
}

uint32_t irr_layout_depth(const irr_layout_t *layout) {
    uint32_t leaf = IRR_LEAF_STEPS, lanes = irr_ceil_log2(layout->group);
    leaf += layout->width == 1 ? IRR_ROW_LEVELS
                               : irr_ceil_log2(irr_ceil_div(layout->leaf_steps, IRR_LEAF_STEPS));
    if (layout->inner == IRR_INNER_ROWS) lanes = 8; /* the most that a kernel has */
    return leaf + irr_ceil_log2(layout->leaves) + lanes + irr_ceil_log2(layout->segments.total) +
           (uint32_t)(irr_least(layout->last_rows, IRR_LEAF_STEPS) - 1) +
           (uint32_t)(irr_ceil_div(layout->last_rows, IRR_LEAF_STEPS) - 1);
}
