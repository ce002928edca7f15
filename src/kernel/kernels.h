/* What the ISA objects offer: one table a tier, of folds (op-independent loops over the data) and
 * finishes (from accumulators to results). Each isa_*.c exports its table and nothing else.
 *
 * The bit contract. Data is segments of [rows, width] (plan/layout.h); a fold works on `lanes`
 * accumulators at once. How many, and in which order they are combined, follows from shape and
 * element type alone, never from tier, threads or address:
 *   step    one element into each lane, lane i takes element i of the step; in a whole
 *           step of a row of bf16, 32 lanes take the 16 even elements of their 32, then the odd;
 *   leaf    at most IRR_LEAF_STEPS steps, one after the other in each lane; in a row the partial
 *           one is the first;
 *   tree    of leaves a[0..n): T(n) = T(p) + T(n - p), p the largest power of two below n; of exact
 *           sums' columns any order, for they are not rounded;
 *   fold    lanes are halved, lane i and lane i + n/2, until `width` are left;
 *   tree    again, of the results of the segments;
 *   last    rows that small segments have left until then (plan/layout.h), one after the other, by
 *           leaves, and those one after the other.
 * A product of floats is rounded as if exponents had no limits.
 * So an element passes at most 32 + log2(leaves) + log2(lanes) + log2(segments) roundings, each
 * logarithm rounded up, and with last rows 38 more, before the finish: irr_layout_depth. Lanes
 * without an element hold the identity, which changes no bit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_KERNEL_KERNELS_H
#define IRR_KERNEL_KERNELS_H

#include "base/element_type.h"
#include "base/op.h"
#include "kernel/cpu.h"

#define IRR_LEAF_STEPS 32u
/* Of a row, any kernel takes so many leaves in one go; those of floats that are added up to the
 * second number, so many levels of the tree. */
#define IRR_ROW_LEAVES 8u
#define IRR_LONG_ROW_LEAVES 64u
#define IRR_ROW_LEVELS 6
/* Of columns of floats as many, where these are few: the levels of their tree. */
#define IRR_COLUMN_LEVELS 3
/* Where order is free (integers, the least, the greatest), of a long row up to so many; of columns,
 * too, where no accumulator can overflow. */
#define IRR_FREE_LEAVES 128u
/* So many rows of columns the processor's prefetchers follow at once, each as a stream. */
#define IRR_STREAMS 24u
/* Shorter rows of near columns are sooner by strips than as they lie (IRR_STEPS_LIE). */
#define IRR_LONG_LYING_BYTES 1024u
/* Kernels load and store whole vectors of accumulators, and finishes load them: this much room
 * behind the last one. */
#define IRR_ACCUMULATOR_SLACK_BYTES 1024u
/* A merge writes pieces of so many bytes, counted from its first accumulator. */
#define IRR_ACCUMULATOR_PIECE_BYTES 128u

typedef enum {
    IRR_FOLD_MIN = 0,
    IRR_FOLD_MAX,
    IRR_FOLD_SUM,
    IRR_FOLD_SQUARES, /* sum of squares; integers exact, sticking at the accumulator's maximum */
    IRR_FOLD_MAGNITUDES,
    IRR_FOLD_PRODUCT,
    IRR_FOLD_WIDE_SUM,      /* of integers, in twice their bits and more */
    IRR_FOLD_SHORT_SUM,     /* of short ones, in 32 bits */
    IRR_FOLD_PLAIN_PRODUCT, /* of floats: PRODUCT's, if no flag tells of another range */
    IRR_FOLD_SMALL_SUM,     /* of small sets, an element in a lane; of small ones: IRR_SMALL_SET; of
                             * floats in f64 */
    IRR_FOLD_SMALL_SQUARES,
    IRR_FOLD_SMALL_MAGNITUDES,
    IRR_FOLD_ACCURATE_VALUE, /* for EXECUTION_MODE_HINT=ACCURACY, of the terms of base/op.h */
    IRR_FOLD_ACCURATE_MAGNITUDE,
    IRR_FOLD_ACCURATE_SQUARE,
    IRR_FOLD_COUNT
} irr_fold_e;

#define IRR_SHORT_SUMS (UINT32_C(1) << 22)

/* Small sets have at most so many elements. Of 32 and 64 bits, roots of squares and (of 64) values
 * are below these magnitudes, or the sum, which doubles hold, becomes LARGE_SUM or more. */
#define IRR_SMALL_SET 4000
#define IRR_SMALL_ROOT (UINT64_C(1) << 25)
#define IRR_SMALL_VALUE (UINT64_C(1) << 38)
#define IRR_LARGE_SUM 0x1p50

/* ACCURACY's columns of 16 bits, so many and more of so many rows, go in blocks by words, sooner
 * than as small sets. */
#define IRR_BLOCK_ROWS 32u
#define IRR_BLOCK_COLUMNS 32u

/* A 128-bit unsigned accumulator in memory. */
typedef struct irr_u128 {
    uint64_t low, high;
} irr_u128_t;

/* A product of floats: mantissa times 2^exponent, the magnitude of the mantissa in [1, 2) or it is
 * 0, infinite or NaN. */
typedef struct irr_scaled_32 {
    float mantissa;
    int32_t exponent;
} irr_scaled_32_t;
typedef struct irr_scaled_64 {
    double mantissa;
    int64_t exponent;
} irr_scaled_64_t;

/* How to take steps: from the identity instead of what stands there; wide columns go by bands; data
 * come from beyond the caches; the processor can wait for many lines of its nearest cache at once,
 * or lines are to be called to its second one (with IRR_STEPS_BEYOND only); they are a dense block,
 * behind which others lie; or all rows of some columns, which others lie beside; lines a little
 * ahead are to be called to the nearest cache; data are beyond it, but not far; lines are to be
 * called further ahead, where much is to do for each; rows, or long parts of them, are to be taken
 * as they lie, one by one or by bands; with IRR_STEPS_CALL only, they are more than the last cache
 * leaves to us, or so much that nothing of them is in any cache. */
enum {
    IRR_STEPS_FIRST = 1,
    IRR_STEPS_BANDS = 2,
    IRR_STEPS_BEYOND = 4,
    IRR_STEPS_FAR = 8,
    IRR_STEPS_CALL = 16,
    IRR_STEPS_BLOCK = 32,
    IRR_STEPS_BESIDE = 64,
    IRR_STEPS_AHEAD = 128,
    IRR_STEPS_LINES = 256,
    IRR_STEPS_FURTHER = 512,
    IRR_STEPS_LIE = 1024,
    IRR_STEPS_OUT = 2048,
    IRR_STEPS_COLD = 4096
};

/* Pointers: `data` has the element's alignment, accumulators are 64-byte aligned where a whole
 * buffer is passed. Strides, lengths and widths count elements. */
typedef struct irr_kernel {
    const char *name;  /* "sum_f32"; NULL: there is no such kernel */
    const char *needs; /* beyond its tier: "" or "+vnni" */
    uint32_t element_bytes, accumulator_bytes;
    uint32_t lanes;
    uint32_t parts;  /* rows of fewer elements are parts of loads; 0: prefetchers follow those */
    bool exact;      /* sums of integers in wider accumulators: kernel_exact.inc */
    uint32_t leaves; /* of columns that `steps` takes at once: several where order is free */
    uint32_t lying;  /* rows from which on long ones of a block are taken as they lie; 0: never */
    uint32_t strip;  /* or IRR_ROW_LEAVES, whose tree it makes, soonest of so few columns; or 0 */
    /* Each of `count` dense rows, to one accumulator; of so many leaves as `leaf`. Lines so many
     * bytes ahead are called for to the nearest cache, or none where that is 0; so of `leaf`. */
    void (*rows)(void *accumulators, const void *data, size_t count, size_t length, size_t ahead);
    /* Each of `count` dense blocks of [rows, width], to `width` accumulators: of at most 32 rows,
     * or 192 where order is free. */
    void (*cols)(void *accumulators, const void *data, size_t count, size_t rows, size_t width);
    /* Likewise of more rows, which are one leaf, where a step has 2^k > 1 of them, as many as there
     * are lanes for; NULL where a tree is as fast. */
    void (*grouped)(void *accumulators, const void *data, size_t count, size_t rows, size_t width);
    /* `steps` rows of `width` lanes into width accumulators: a leaf or a part of one; from the
     * identity up to `leaves`, or where `strip` is not 0 up to IRR_ROW_LEAVES and their tree.
     * `how`: IRR_STEPS_FIRST and others; no bit of a result depends on those. */
    void (*steps)(void *accumulators, const void *data, size_t stride, size_t steps, size_t width,
                  unsigned how);
    /* The tree of at most IRR_LONG_ROW_LEAVES leaves of a row (IRR_FREE_LEAVES where order is free,
     * IRR_ROW_LEAVES for ACCURACY), n elements, to as many accumulators as the layout has lanes. */
    void (*leaf)(void *accumulators, const void *data, size_t n, size_t lanes, size_t ahead);
    /* accumulators[i] += other[i] for i < n: one node of the tree. */
    void (*merge)(void *accumulators, const void *other, size_t n);
    /* Halves n = 2^k * width accumulators until `width` are left. */
    void (*fold)(void *accumulators, size_t n, size_t width);
} irr_kernel_t;

/* Kernels of several folds of one type in one go, with the bits of each. In the order of their
 * numbers, each has its accumulators `apart` bytes behind those of the one before, and stores them
 * from number `at` on. */
#define IRR_MOST_FUSED 3u
typedef struct irr_fused {
    uint32_t folds;             /* a bit for each; 0: there is no such kernel */
    uint32_t accumulator_bytes; /* of the widest */
    uint32_t strip;             /* likewise of floats (Min and Max have no order); else ignored */
    void (*rows)(void *accumulators, size_t at, size_t apart, const void *data, size_t count,
                 size_t length, size_t ahead);
    void (*leaf)(void *accumulators, size_t apart, const void *data, size_t n, size_t ahead);
    void (*steps)(void *accumulators, size_t at, size_t apart, const void *data, size_t stride,
                  size_t steps, size_t width, unsigned how);
} irr_fused_t;

/* What a finish must know of the sets. */
typedef struct irr_set {
    double count; /* of elements */
    double trust; /* sums of squares below are not vouched for (ACCURACY of f64: any sums) */
    double depth; /* ACCURACY: roundings that an element passes, at most; 600 or more */
} irr_set_t;

/* Turns n accumulators into n elements. Returns false where some value cannot be vouched for (not
 * finite, below `trust`, or not settled): those are the negative quiet NaN, which is no result, and
 * are done again; of integers all are, by the exact fold. */
typedef bool (*irr_finish_f)(void *output, const void *accumulators, size_t n,
                             const irr_set_t *set);

/* Each of `count` blocks of [rows, width], whose rows are `stride` elements apart and which lie
 * side by side, straight to width results, which are aligned to their elements; `how`:
 * IRR_STEPS_LINES, IRR_STEPS_BEYOND and IRR_STEPS_FAR, or not. False: something may be in doubt, or
 * width is less than a vector, and what was written means nothing. */
typedef bool (*irr_straight_f)(void *output, const void *data, size_t count, size_t rows,
                               size_t stride, size_t width, const irr_set_t *set, unsigned how);
typedef struct irr_straight {
    irr_straight_f run; /* NULL: there is no such kernel */
    size_t least_width; /* narrower blocks are sooner by `cols` and a finish */
} irr_straight_t;

/* By which fold an op of a type can be done; what is sooner is first, exact sums' are last. */
typedef enum {
    IRR_PATH_SMALL_ACCURATE =
        0, /* EXECUTION_MODE_HINT=ACCURACY, for the float ops that have terms */
    IRR_PATH_ACCURATE,
    IRR_PATH_SMALL,    /* small columns or short rows, of integers */
    IRR_PATH_SHORT,    /* all sums of magnitudes are below IRR_SHORT_SUMS, or no product of floats
                        * leaves the range; of some */
    IRR_PATH_ORDINARY, /* of all */
    IRR_PATH_EXACT,    /* beside exact sums of integers, with which they are fused or the same */
    IRR_PATH_COUNT
} irr_path_e;

typedef struct irr_op_kernel {
    irr_fold_e fold;
    irr_element_type_e fold_type; /* signed and unsigned share their sums */
    irr_finish_f finish;          /* NULL: there is no such path */
    uint32_t most;                /* elements of a set; 0: any number */
    bool rows;                    /* small sets: short rows, too, not columns alone */
    bool hopes;     /* that elements are small, products in the range, or sums not rounded */
    unsigned flags; /* those of IRR_FP_ that tell where they are not; 0: the finish does */
} irr_op_kernel_t;

typedef struct irr_kernel_table {
    irr_kernel_t folds[IRR_FOLD_COUNT][IRR_ELEMENT_TYPE_COUNT];
    irr_fused_t fused[IRR_ELEMENT_TYPE_COUNT][IRR_MOST_FUSED];
    irr_op_kernel_t ops[IRR_PATH_COUNT][IRR_OP_COUNT][IRR_ELEMENT_TYPE_COUNT];
    /* Of sets of one element, after irr_problem_of: from elements, not accumulators; true. */
    irr_finish_f ones[IRR_OP_COUNT][IRR_ELEMENT_TYPE_COUNT];
    /* Of columns of few rows, at most IRR_LEAF_STEPS; of floats, and integers that are copied. */
    irr_straight_t straight[IRR_OP_COUNT][IRR_ELEMENT_TYPE_COUNT];
    /* Of sums of magnitudes: 0, or no answer. */
    irr_finish_f zero_finishes[IRR_ELEMENT_TYPE_COUNT];
} irr_kernel_table_t;

extern const irr_kernel_table_t irr_kernels_scalar;
#if defined(__x86_64__)
extern const irr_kernel_table_t irr_kernels_avx2, irr_kernels_avx512;
#endif

/* The table of a tier that this build has. */
const irr_kernel_table_t *irr_kernels(irr_tier_e tier);

/* Of tier avx512, the folds and fused kernels that CPUs with VNNI have sooner. */
extern const irr_kernel_table_t irr_kernels_vnni;
const irr_kernel_t *irr_kernel_of(const irr_kernel_table_t *table, irr_fold_e fold,
                                  irr_element_type_e type);
/* NULL where there is none. */
const irr_op_kernel_t *irr_op_kernel_of(const irr_kernel_table_t *table, irr_path_e path,
                                        irr_op_e op, irr_element_type_e type);
const irr_fused_t *irr_fused_of(const irr_kernel_table_t *table, irr_element_type_e type, size_t i);

/* Whose elements are accumulators of an op's fold, with which it does what that one's merge does;
 * NULL where there is none. */
const irr_kernel_t *irr_kernel_of_merges(const irr_kernel_table_t *table,
                                         const irr_op_kernel_t *op);

#endif
