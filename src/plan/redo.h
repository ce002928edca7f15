/* The second look: one output of a float Sum or L2 recomputed where the fast fold cannot vouch for
 * it (overflow or underflow on the way, NaN, infinities).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_REDO_H
#define IRR_PLAN_REDO_H

#include "plan/problem.h"

/* Writes output element `index` (row-major) to *output, in arithmetic wide enough that only the
 * final rounding can overflow or underflow. The order of its sum is that of the elements. */
void irr_redo(const irr_problem_t *problem, const void *data, size_t index, void *output);

#endif
