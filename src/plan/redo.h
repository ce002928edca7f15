/* The second look: one output of a float op that rounds, recomputed where the fast fold cannot
 * vouch for it: overflow or underflow on the way, NaN, infinities; or, under ACCURACY, a bound that
 * does not settle the rounding. Ops that have terms (base/op.h) are exact, a product has mantissa
 * and exponent apart. The reference backend has no other fold for them. SPDX-License-Identifier:
 * Apache-2.0 */
#ifndef IRR_PLAN_REDO_H
#define IRR_PLAN_REDO_H

#include "plan/problem.h"

/* Writes output element `index` (row-major), rounded once, to *output. */
void irr_redo(const irr_problem_t *problem, const void *data, size_t index, void *output);
/* exact.c: of an op that has terms, where all elements are finite. */
void irr_redo_exactly(const irr_problem_t *problem, const void *data, size_t index, void *output);

#endif
