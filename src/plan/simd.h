/* The SIMD backend's own: what it prepares for a problem, and how far a part of it has come.
 * Shared by simd_plan.c (offers, plans), simd_layout.c (layouts), simd_memory.c (how data are
 * read), simd_join.c (siblings), backend_simd.c (tasks), simd_walk.c (trees), simd_segments.c (many
 * segments) and simd_settle.c (outputs in doubt). May not: other backends. SPDX-License-Identifier:
 * Apache-2.0 */
#ifndef IRR_PLAN_SIMD_H
#define IRR_PLAN_SIMD_H

#include "kernel/kernels.h"
#include "plan/backend.h"
#include "plan/layout.h"

#include <stdatomic.h>
#include <string.h>

/* Data that the first of several problems leaves in the nearest cache for the others. Too large and
 * memory idles while they read; too small and calls cost more than they do. Likewise of data beyond
 * the caches, what is folded while some of the next piece is asked for. */
#define IRR_PIECE_BYTES 16384u

/* The kernel call that folds a unit: `run`, or where that is NULL the kernel's `steps` or `leaf`.
 */
typedef struct irr_one_call {
    void (*run)(void *accumulators, const void *data, size_t count, size_t length, size_t last);
    size_t count, length, width; /* of all units together */
    size_t last;                 /* width of columns, of rows the plan's `ahead` */
    bool each, all;              /* each unit is such a call; all of them are one */
} irr_one_call_t;

/* Accumulators of one fold, `offset` bytes behind those of the first that are made with them. */
typedef struct irr_plane {
    const irr_kernel_t *kernel;
    const irr_kernel_t *last; /* does to its accumulators, as elements, what it merges; or NULL */
    size_t offset;
} irr_plane_t;

typedef struct irr_simd_plan {
    irr_one_call_t one_call; /* first, with what it needs: few lines are brought to the cache */
    irr_finish_f finish;
    irr_finish_f one;        /* of sets of one element, does all; else NULL */
    irr_straight_f straight; /* of columns of few rows: tried before one_call; or NULL */
    irr_set_t set;
    const irr_kernel_t *kernel;
    const irr_op_kernel_t *op; /* what folds and finishes it; NULL: something else does */
    irr_problem_t problem;
    irr_layout_t layout;
    bool rounds; /* that is: needs the contract's floating-point environment */
    bool accurate;
    bool beyond;                  /* the data come from memory: simd_memory.c */
    bool asks;                    /* for them ahead of the loops, and has lines called */
    bool whole_rows;              /* of columns, in one tile */
    bool few_rows;                /* likewise where rows are few */
    size_t most_last_rows;        /* that are folded last: the same in all that look again */
    size_t ahead;                 /* lines are called for, of rows so many bytes ahead; or 0 */
    bool of_fused;                /* it is fused, or looks again at units of one that is */
    unsigned how;                 /* to take the first steps of columns: kernels.h */
    const irr_kernel_t *ordinary; /* whose lanes and accumulators leaves and tiles are made for */
    irr_cost_t cost;
    size_t output_bytes;
    struct irr_simd_plan *alone; /* of several tasks: for one thread, without them */
    irr_trial_t trial;           /* of which of both is sooner; in the latter */
    struct irr_simd_plan *again; /* of the same units, for outputs in doubt; it has one, too */
    /* Counts on small integers, on products that stay in the range or on sums that are not rounded.
     * Where that fails in a unit, as these flags tell, or the finish if none can, the careful plan
     * of the same units does it again, and so many units after it at once. */
    bool hopes;
    unsigned flags; /* IRR_FP_ */
    struct irr_simd_plan *careful;
    atomic_uint turns;
    /* Beside others: */
    const irr_kernel_table_t *table; /* the tier's */
    const irr_fused_t *fused;        /* what folds for some of them in one go, or NULL */
    uint32_t walked_by;              /* whose walk folds for it as well; itself, alone */
    size_t plane_offset;             /* where its accumulators are in the slot of that walk */
    /* One that walks: */
    irr_plane_t planes[IRR_FOLD_COUNT]; /* those that somebody wants */
    uint32_t plane_count;
    size_t apart;         /* planes of `fused` from one another */
    size_t again_offset;  /* where again's scratch begins in a slot */
    size_t slot_bytes;    /* scratch of one task */
    size_t scratch_bytes; /* where its slots begin in the scratch of all */
} irr_simd_plan_t;

static inline irr_plane_t irr_plane_of(const irr_simd_plan_t *plan, size_t offset) {
    const irr_kernel_t *last = plan->op ? irr_kernel_of_merges(plan->table, plan->op) : NULL;
    return (irr_plane_t){plan->kernel, last, offset};
}

/* That of its problem, in its tier; or NULL. */
static inline const irr_op_kernel_t *irr_simd_op_of(const irr_simd_plan_t *plan, irr_path_e path) {
    return irr_op_kernel_of(plan->table, path, plan->problem.op, plan->problem.type);
}

/* One block's tile of outputs, or all those of several blocks. */
typedef struct irr_unit {
    const irr_simd_plan_t *plan;
    const char *data;      /* its first element in segment 0 */
    size_t block, blocks;  /* the first, and how many */
    size_t kept, width;    /* of the tile */
    size_t results, first; /* how many outputs, and where they begin */
    size_t lanes;          /* accumulators of a leaf */
} irr_unit_t;

/* backend.h says what these do. */
void irr_simd_offer(const irr_problem_t *problem, const irr_config_t *config, irr_offer_t *offer);
irr_status_e irr_simd_prepare(const irr_problem_t *problem, const irr_config_t *config,
                              void **state, size_t *scratch_bytes, irr_sentence_t sentence);
bool irr_simd_joins(const void *first, const void *other);
void irr_simd_join(void *const *states, uint32_t count, size_t *scratch_bytes);
void irr_simd_release(void *state);
/* What folds and finishes it. */
void irr_simd_take(irr_simd_plan_t *plan, const irr_op_kernel_t *op);
/* The layout, and what hangs on it. Together with others, tiles are made for the widest of their
 * accumulators, and large blocks so that they can be cut. */
void irr_simd_lay_out(irr_simd_plan_t *plan, size_t tile_bytes, bool together);
/* `alone`: without others beside it, and whose flags nobody asks. */
irr_one_call_t irr_one_call_of(const irr_layout_t *layout, const irr_kernel_t *kernel, bool alone,
                               size_t ahead);
/* The rungs of `plan` are laid out, one thread's work, not cut into chunks; returns the scratch
 * that they share. */
size_t irr_simd_unchunk_rungs(irr_simd_plan_t *plan);

double irr_simd_bytes(const irr_problem_t *problem);
/* Sets `beyond`, `asks`, `ahead`, `how` and `whole_rows`; what is slow takes longer than a load. */
void irr_simd_read(irr_simd_plan_t *plan, const irr_config_t *config, bool slow);
/* That of the kernels by which the problem is sooner. No bit depends on it. */
irr_tier_e irr_simd_tier(const irr_problem_t *problem, const irr_config_t *config);

void irr_unit_at(const irr_simd_plan_t *plan, const char *data, size_t index, irr_unit_t *unit);

/* A tree over a unit's segments, or over some leaves of one segment: a walk from left to right that
 * can pause anywhere and go on, with the nodes that are not merged yet on a stack. After k leaves
 * these are one for each bit of k, so the tree is T(n) of kernels.h; or one, where each leaf goes
 * onto the one before (`onto` of the layout). */
typedef struct irr_walk {
    const irr_unit_t *unit;
    char *results, *lanes;          /* a stack of each kind of node; the end's result is first */
    size_t first_segment, segments; /* what is to be done */
    size_t first_leaf, leaves;      /* fewer than a segment's: the lanes are the result */
    size_t done_segments, done_in_this; /* kept rows, or leaves, of the current segment */
} irr_walk_t;

/* All of a unit; `slot` is a task's scratch. */
void irr_walk_unit(const irr_unit_t *unit, char *slot, irr_walk_t *walk);
/* Goes on until `segments` are done, and so many inner rows of the next one: rows of the tile's
 * outputs, or of reduced elements. SIZE_MAX is all of it. */
void irr_walk_to(irr_walk_t *walk, size_t segments, size_t rows);

/* So many rows, or small blocks of columns, that lie side by side, to accumulators from `at` on. */
void irr_run_kept(const irr_simd_plan_t *plan, char *to, size_t at, const char *data, size_t count);

/* How walks of one part of the data go side by side: by the number of segments that is returned,
 * and if it is 1 by so many inner rows of all those of a segment. */
size_t irr_walk_piece(const irr_walk_t *walks, uint32_t count, size_t *rows, size_t *all_rows);

/* A stack of nodes: where the one goes that follows `done` others. */
static inline char *irr_top(char *nodes, size_t node_bytes, size_t done) {
    return done ? nodes + (size_t)__builtin_popcountll(done) * node_bytes : nodes;
}
/* Of a stack's top, or of an array. Merges of floats read up to a vector beyond the last node. What
 * is there are often other types' numbers or halves of addresses: denormal floats, for which some
 * processors take 30 ns a product: small blocks' took 1.3x to 3x as long. */
enum { IRR_BEHIND_BYTES = 64 };
static inline void irr_clear_behind(char *end) {
    for (size_t i = 0; i < IRR_BEHIND_BYTES; i += 16) memset(end + i, 0, 16);
}
/* The node at the top is the `done`-th: complete subtrees of equal size become one. */
void irr_carry(const irr_simd_plan_t *plan, char *node, size_t node_bytes, size_t done, size_t n);
/* How many segments, of those up to `to`, one call of a kernel can take: their rows lie side by
 * side, and behind them those of the unit's next blocks. Of few rows that is much faster than a
 * call for each. */
size_t irr_segments_at_once(const irr_walk_t *walk, size_t to);
/* So many of the walk's; all of them become its results. */
void irr_run_segments(irr_walk_t *walk, size_t count);
/* The top of a tree, whose `count` nodes of n accumulators stand `apart` bytes apart. */
void irr_merge_nodes(const irr_simd_plan_t *plan, char *nodes, size_t apart, size_t count,
                     size_t n);
/* Rows that were left to the end, where the layout has such: a unit's results become fewer. */
void irr_fold_last(const irr_unit_t *unit, char *results);
/* All of a unit by another plan of the same units. */
void irr_walk_again(const irr_simd_plan_t *plan, const irr_unit_t *unit, char *results);
/* What a finish did not vouch for, of n outputs of a unit from number `first` on, whose walk has
 * `slot`; returns how many. */
uint64_t irr_settle(const irr_simd_plan_t *plan, const irr_simd_plan_t *walker,
                    const irr_unit_t *unit, const void *data, char *slot, char *output, size_t n,
                    size_t first);
/* Lanes to the unit's results, from number `at` on. */
void irr_close_leaves(const irr_unit_t *unit, char *results, size_t at, char *lanes);

#endif
