/* One reduction with everything known but the data: what backends make offers for.
 * Lives here: the problem and its geometry. May not: anything of a backend, a thread or a file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_PROBLEM_H
#define IRR_PLAN_PROBLEM_H

#include "base/op.h"
#include "base/shape.h"

/* A run: neighbouring dimensions that are all reduced or all kept, multiplied together. Dimensions
 * of 1 are dropped. Runs alternate, outermost first; there are none when every dimension is 1. */
typedef struct irr_run {
    size_t size;
    bool reduced;
} irr_run_t;

typedef struct irr_geometry {
    uint32_t run_count;
    irr_run_t runs[IRR_MAX_RANK];
    size_t output_count; /* product of the kept runs */
    size_t set_size;     /* product of the reduced runs: elements folded into each output */
} irr_geometry_t;

/* Never an identity (empty axes list) and never an empty tensor: the planner ends those before.
 * So every dimension and both counts are at least 1. Data and output are dense and row-major. */
typedef struct irr_problem {
    irr_op_e op;
    irr_element_type_e type;
    uint64_t mask; /* bit d: dimension d is reduced */
    irr_geometry_t geometry;
} irr_problem_t;

/* Fills geometry from dims and mask. */
void irr_geometry_of(const int64_t *dims, uint32_t rank, uint64_t mask, irr_geometry_t *geometry);
void irr_problem_of(irr_op_e op, irr_element_type_e type, const int64_t *dims, uint32_t rank,
                    uint64_t mask, irr_problem_t *problem);

/* For a state that is nothing but its problem: a copy, to be released. */
irr_status_e irr_problem_copy(const irr_problem_t *problem, void **copy, irr_sentence_t sentence);

/* Several runs of one kind; an index over all of them becomes an offset in elements. */
typedef struct irr_outer {
    uint32_t count;
    size_t size[IRR_MAX_RANK], stride[IRR_MAX_RANK], total;
} irr_outer_t;

/* Those of each kind; `apart`: elements of what lies behind the last one of `runs`. */
void irr_split_runs(const irr_run_t *runs, uint32_t count, size_t apart, irr_outer_t *kept,
                    irr_outer_t *reduced);
static inline size_t irr_offset_of(const irr_outer_t *outer, size_t index) {
    size_t offset = 0;
    for (uint32_t i = outer->count; i-- > 1; index /= outer->size[i])
        offset += index % outer->size[i] * outer->stride[i];
    return outer->count ? offset + index * outer->stride[0] : 0;
}

/* All elements of output `index`, a run of `count` elements after another. */
typedef void (*irr_visit_f)(void *argument, size_t first, size_t stride, size_t count);
void irr_visit_set(const irr_geometry_t *geometry, size_t index, irr_visit_f visit, void *argument);

/* "keep 72, reduce 240": for explain and profiles; cut to fit. Returns text. */
#define IRR_GEOMETRY_TEXT_BYTES 512
char *irr_geometry_text(const irr_geometry_t *geometry, char *text, size_t capacity_bytes);

#endif
