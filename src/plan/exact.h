/* An exact accumulator, as wide as the squares of f64 need, and its one rounding: what a float Sum,
 * Mean, L1 or L2 is, whatever the data and its order. Lives here: whole-number arithmetic on one
 * output. May not: geometry, kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_EXACT_H
#define IRR_PLAN_EXACT_H

#include "base/element_type.h"
#include "base/op.h"

/* From 2^-2148, the square of the least f64, to 2^2048, and 64 bits more for the count. */
#define IRR_EXACT_DIGITS 136

typedef struct irr_exact {
    int64_t digit[IRR_EXACT_DIGITS]; /* digit[i] * 2^(32 i - 2148); carried now and then */
    uint32_t low, end;               /* digits outside are zero */
    uint32_t room;                   /* additions left before digits could overflow */
    irr_term_e term;
} irr_exact_t;

void irr_exact_start(irr_exact_t *exact, irr_term_e term);
/* Adds elements data[first], data[first + stride] ... of a float type: none is infinite or NaN. */
void irr_exact_add(irr_exact_t *exact, irr_element_type_e type, const void *data, size_t first,
                   size_t stride, size_t count);
/* Writes the one element that is right, of so many that were added. The accumulator is spent. */
void irr_exact_round(irr_exact_t *exact, irr_result_e result, uint64_t count,
                     irr_element_type_e type, void *output);

#endif
