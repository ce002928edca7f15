/* One output over again: infinities and NaNs are told by a look at its set; where there are none,
 * the elements go run by run into an exact accumulator, or a product that nothing can leave.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/redo.h"

#include "base/element_type.h"

#include <math.h>

/* ---- what is done with elements that stand in a row, `stride` apart ---- */

typedef struct {
    const void *data;
    irr_element_type_e type;
    bool nan, plus_inf, minus_inf, zero, other; /* have been seen; other than zero */
    bool negative;                              /* the product's sign */
    double mantissa;                            /* the product's: nothing can leave these two */
    long exponent;
} redo_t;

/* Most results that are no good have an infinity or NaN among their elements, and need no more.
 * Facts gather in the top bit, since not every processor compares integers of 64 bits in vectors;
 * that of IS_ZERO(y) says whether y is 0. */
#define IS_ZERO(y) (~(y) & ((y)-1))
#define DEFINE_LOOK(bits)                                                                          \
    static inline void look_##bits(redo_t *redo, const uint##bits##_t *x, size_t stride,           \
                                   size_t count, uint##bits##_t infinity) {                        \
        const unsigned top = bits - 1;                                                             \
        const uint##bits##_t sign = (uint##bits##_t)((uint##bits##_t)1 << top);                    \
        uint##bits##_t nan = 0, plus = 0, minus = 0, zero = 0, other = 0, signs = 0;               \
        for (size_t i = 0; i < count; i++) {                                                       \
            uint##bits##_t one = x[i * stride], magnitude = one & (uint##bits##_t) ~sign;          \
            uint##bits##_t from_plus = one ^ infinity, from_minus = from_plus ^ sign;              \
            nan |= (uint##bits##_t)(infinity - magnitude);                                         \
            plus |= (uint##bits##_t)IS_ZERO(from_plus);                                            \
            minus |= (uint##bits##_t)IS_ZERO(from_minus);                                          \
            zero |= (uint##bits##_t)IS_ZERO(magnitude);                                            \
            other |= magnitude;                                                                    \
            signs ^= one;                                                                          \
        }                                                                                          \
        redo->nan |= nan >> top, redo->zero |= zero >> top;                                        \
        redo->plus_inf |= plus >> top, redo->minus_inf |= minus >> top;                            \
        redo->other |= other != 0;                                                                 \
        redo->negative ^= signs >> top;                                                            \
    }
DEFINE_LOOK(16)
DEFINE_LOOK(32)
DEFINE_LOOK(64)

static inline void look_at(redo_t *redo, size_t first, size_t stride, size_t count) {
    switch (redo->type) {
    case IRR_F64:
        look_64(redo, (const uint64_t *)redo->data + first, stride, count, UINT64_C(0x7ff) << 52);
        break;
    case IRR_F32:
        look_32(redo, (const uint32_t *)redo->data + first, stride, count, UINT32_C(0xff) << 23);
        break;
    default:
        look_16(redo, (const uint16_t *)redo->data + first, stride, count,
                redo->type == IRR_F16 ? 0x7c00 : 0x7f80);
    }
}
static void look(void *redo, size_t first, size_t stride, size_t count) {
    if (stride == 1)
        look_at(redo, first, 1, count); /* a loop of its own, of vectors */
    else
        look_at(redo, first, stride, count);
}

/* Of elements that are neither zero nor infinite. */
static void multiply(void *argument, size_t first, size_t stride, size_t count) {
    redo_t *redo = argument;
    for (; count--; first += stride) {
        int of_element, of_product;
        double m = frexp(irr_float_at(redo->data, redo->type, first), &of_element);
        redo->mantissa = frexp(redo->mantissa * m, &of_product);
        redo->exponent += of_element + of_product;
    }
}

/* ---- the result ---- */

/* Is the result known without arithmetic? */
static bool is_plain(const redo_t *redo, irr_term_e term, double *result) {
    bool inf = redo->plus_inf || redo->minus_inf, both = redo->plus_inf && redo->minus_inf;
    bool none = redo->nan || (term == IRR_TERM_VALUE && both) || (!term && inf && redo->zero);
    bool negative = term == IRR_TERM_VALUE ? redo->minus_inf : !term && redo->negative;
    *result = inf ? INFINITY : 0;
    if (negative) *result = -*result;
    if (none) *result = NAN;
    return none || inf || (!term && redo->zero) || (term && !redo->other);
}

void irr_redo(const irr_problem_t *problem, const void *data, size_t index, void *output) {
    irr_term_e term = irr_op_info(problem->op)->term;
    redo_t redo = {.data = data, .type = problem->type, .mantissa = 1};
    double result;
    irr_visit_set(&problem->geometry, index, look, &redo);
    bool plain = is_plain(&redo, term, &result);
    if (!plain && term) {
        irr_redo_exactly(problem, data, index, output);
        return;
    }
    if (!plain) {
        irr_visit_set(&problem->geometry, index, multiply, &redo);
        result = scalbln(redo.mantissa, redo.exponent);
    }
    irr_put_float(output, problem->type, 0, result);
}
