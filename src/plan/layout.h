/* How the SIMD backend sees a problem: steps, leaves and trees (kernels.h has the bit contract),
 * and how the work is cut into tasks. The first follows from shape and type alone; the second never
 * changes a bit.
 * Lives here: numbers. May not: data, kernels' code, threads.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_LAYOUT_H
#define IRR_PLAN_LAYOUT_H

#include "plan/cut.h"
#include "plan/problem.h"

/* How one segment of a unit is folded. */
typedef enum {
    IRR_INNER_ROWS, /* width 1, few leaves a row: many rows in one kernel call */
    IRR_INNER_COLS, /* one leaf of whole rows of columns: many blocks in one call */
    IRR_INNER_BAND, /* the same, a tile of the columns; or all leaves of a tree in one call */
    IRR_INNER_TREE  /* one block's tile, a tree of leaves */
} irr_inner_e;

/* Data is [blocks, segments] of dense [kept, rows, width]: rows are reduced, kept and width are
 * not. Outer blocks and segments interleave in memory as the geometry's runs do. A unit is one
 * block's tile of outputs, over all segments. Where segments are small, their rows are not folded
 * in each: all their elements are columns, width of them, and the last_rows of last_width in these
 * are folded at the very end. */
typedef struct irr_layout {
    irr_outer_t blocks, segments;
    size_t kept, rows, width;
    size_t last_rows, last_width; /* 1, 1: rows are folded in each segment */
    irr_inner_e inner;
    size_t group;      /* rows that make one step, a power of two; 1 but for IRR_INNER_TREE */
    size_t steps;      /* of rows, the last may be a part of one */
    size_t leaf_steps; /* what one kernel call takes: a leaf, of a row or a `tree` some leaves */
    size_t leaves;     /* of one block, of leaf_steps */
    bool tree;         /* of few columns, whose leaves' tree the kernel makes */
    bool onto;         /* each is added to the one before: nothing is rounded, they have no tree */
    bool any_chunks;   /* of columns' leaves: likewise, or in any order */
    /* Units: tiles_kept x tiles_width of each block, or several blocks, whole. */
    size_t tile_blocks, tile_kept, tile_width, tiles_kept, tiles_width, units;
    irr_cut_t kept_of_tiles; /* tile_kept is the most of it */
    bool beside;             /* a tile is one call, and what is read next lies beside it */
    /* Tasks: several units each, or, where units are few, parts of one. */
    uint32_t threads; /* that are of use */
    bool on_trial;    /* they may not be: it is to be measured */
    size_t wanted, pieces, tasks;
    size_t units_of_lines;                 /* so many fill lines of outputs */
    irr_cut_t units_of_tasks;              /* that have whole ones: of one chunk */
    size_t chunk_segments, segment_chunks; /* of a unit; powers of two, and how many */
    size_t chunk_leaves, leaf_chunks; /* of a segment, if chunk_segments is 1 and it is one tree */
    /* Scratch of one task: a tree of tile results, then one of leaves, or one node for them. */
    size_t result_bytes, leaf_bytes; /* one node of each */
    size_t result_levels_bytes;      /* where those of leaves begin */
    size_t slot_bytes;
} irr_layout_t;

/* Accumulators of several segments, in one call of a kernel, that wait until they are merged. */
#define IRR_WAITING_BYTES 4096u

/* What a layout needs to know of a kernel. */
typedef struct irr_lane_info {
    size_t lanes, accumulator_bytes, element_bytes;
    size_t tile_accumulator_bytes; /* tiles are made for these: two kernels can share their units */
    bool alone;                    /* else units are cut side by side: one piece in each */
    size_t most_block_elements;    /* larger blocks of columns are bands, which can be cut */
    size_t row_leaves;             /* of a long row, in one kernel call: up to IRR_FREE_LEAVES */
    size_t column_leaves;          /* likewise of columns */
    size_t tree_columns;           /* of no more, IRR_ROW_LEAVES and their tree; or 0 */
    size_t most_block_rows;        /* a small block of columns with no more is one leaf */
    size_t least_grouped_rows;     /* what a grouped kernel does sooner; 0: there is none */
    bool waits;                    /* accumulators of several segments: several blocks' too */
    bool bands;                    /* of near columns, sooner than blocks: across lines, large */
    bool exact;                    /* sums of integers in wider accumulators */
    bool whole_rows;               /* of columns, in tiles as wide as the second cache likes */
    size_t most_whole_bytes;       /* accumulators of few rows of columns that are one tile; or 0 */
    bool calls;                    /* likewise, and lines are called for */
    size_t most_last_rows;         /* that are folded last */
    size_t last_rows;              /* 0, or what was decided before: siblings' are the same */
} irr_lane_info_t;

/* What an execution costs: bytes that the fastest kernel would read in the time. */
typedef struct irr_cost {
    double bytes;
    uint32_t threads; /* that may be used */
    bool trial;       /* there is a plan for one thread that two may be tried against */
} irr_cost_t;

void irr_layout_of(const irr_geometry_t *geometry, const irr_lane_info_t *kernel,
                   const irr_cost_t *cost, irr_layout_t *layout);
/* Shares units out: what follows from those, and from how many threads there are. */
void irr_layout_deal(irr_layout_t *layout);
/* Cuts segments into chunks of other sizes: of leaves in a tree, a power of two or all. */
void irr_layout_rechunk(irr_layout_t *layout, size_t chunk_leaves);
/* The same in wider accumulators: buffers are pieces of many. */
void irr_layout_widen(const irr_layout_t *layout, size_t bytes, size_t wider_bytes,
                      irr_layout_t *wider);
/* Keeps the units but cuts none of them: for one thread's second look. */
void irr_layout_unchunk(irr_layout_t *layout);
/* The units of a task that has whole ones, [*first, *end). */
void irr_layout_share(const irr_layout_t *layout, size_t task, size_t *first, size_t *end);
/* Roundings that an element passes from its load to the finish, at most. */
uint32_t irr_layout_depth(const irr_layout_t *layout);

/* The largest power of two below n, for n >= 2: where a tree of n nodes is split. */
static inline size_t irr_tree_split(size_t n) {
    return (size_t)1 << (63 - __builtin_clzll((unsigned long long)n - 1));
}

#endif
