/* Whole numbers without a limit, and their one rounding to a floating-point format: what the oracle
 * counts with. Lives here: arithmetic. May not: anything of reductions, or of src/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_ORACLE_BIG_H
#define IRR_TESTS_ORACLE_BIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Little-endian limbs; those from `count` up to `capacity` are not there (zero). */
typedef struct big {
    uint64_t *limb;
    size_t count, capacity;
} big_t;

void big_release(big_t *a);
void big_clear(big_t *a);                                   /* a = 0, keeps the room */
void big_copy(big_t *to, const big_t *from);                /* to = from */
void big_add_at(big_t *a, uint64_t value, size_t shift);    /* a += value * 2^shift */
void big_add_square_at(big_t *a, uint64_t v, size_t shift); /* a += v^2 * 2^shift */
void big_multiply(big_t *a, uint64_t factor);               /* a *= factor */
void big_shift_left(big_t *a, size_t bits);                 /* a *= 2^bits */
void big_subtract(big_t *a, const big_t *b);                /* a -= b, for a >= b */
uint64_t big_divide(big_t *a, uint64_t divisor);            /* a /= divisor, returns the rest */
int big_compare(const big_t *a, const big_t *b);            /* -1, 0, 1 */
size_t big_bits(const big_t *a);                            /* 0 for 0 */
bool big_bit(const big_t *a, size_t index);
bool big_any_below(const big_t *a, size_t bits); /* is one of the lowest `bits` bits set? */
/* a * 2^exponent becomes its square root: 79 bits and one more that is set when the root is not
 * exact, which is enough for one correct rounding to any format of at most 64 bits. */
void big_root(big_t *a, int64_t *exponent);

/* An IEEE-like binary format. */
typedef struct float_format {
    int exponent_bits, fraction_bits;
} float_format_t;

/* +-a * 2^exponent, rounded once to nearest even, as the format's bits. */
uint64_t big_round(const big_t *a, bool negative, int64_t exponent, const float_format_t *format);

#endif
