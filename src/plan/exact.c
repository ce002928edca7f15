/* An exact accumulator, as wide as the squares of f64 need, and its one rounding: what a float Sum,
 * Mean, L1 or L2 is, whatever the data and its order. Digits of 32 bits in 64-bit numbers: an
 * addition touches three to six of them and leaves the carries for later. Lives here: whole-number
 * arithmetic on one output. May not: infinities and NaNs (redo.c), kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "plan/redo.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128_t;

#define LOWEST_EXPONENT (-2148)
#define DIGIT_MASK INT64_C(0xffffffff)
/* An addition changes a digit by less than 2^33. */
#define ROOM (UINT32_C(1) << 29)

/* From 2^-2148, the square of the least f64, to 2^2048, and 64 bits more for the count. */
#define DIGITS 136

typedef struct {
    int64_t digit[DIGITS]; /* digit[i] * 2^(32 i - 2148); carried now and then */
    uint32_t low, end;     /* digits outside are zero */
    uint32_t room;         /* additions left before digits could overflow */
    irr_term_e term;
    irr_element_type_e type;
    const void *data;
} exact_t;

/* Leaves digits in [0, 2^32), but for the last one, which holds the sign. */
static void carry(exact_t *exact) {
    int64_t over = 0;
    for (uint32_t i = exact->low; i < exact->end; i++) {
        over += exact->digit[i];
        exact->digit[i] = over & DIGIT_MASK;
        over >>= 32;
    }
    if (over == -1) /* no new digit for a sign alone, or each carry would add one */
        exact->digit[exact->end - 1] -= INT64_C(1) << 32;
    else if (over)
        exact->digit[exact->end++] = over;
    exact->room = ROOM;
}

/* digit[0..2] +-= value << shift, of a square digit[0..4]; sign is 0 or -1. */
static inline void add_at(int64_t *digit, u128_t value, unsigned shift, int64_t sign, bool square) {
    uint64_t low = (uint64_t)value << shift, high = (uint64_t)(value >> 64) << shift;
    uint64_t over = ((uint64_t)value >> 1) >> (63 - shift), mask = (uint64_t)DIGIT_MASK;
    digit[0] += ((int64_t)(low & mask) ^ sign) - sign;
    digit[1] += ((int64_t)(low >> 32) ^ sign) - sign;
    digit[2] += ((int64_t)(over + (high & mask)) ^ sign) - sign;
    if (!square) return;
    digit[3] += (int64_t)(high >> 32);
    digit[4] += (int64_t)((uint64_t)(value >> 65) >> (63 - shift));
}

static void add_one(exact_t *exact, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t field = (uint32_t)(bits >> 52) & 0x7ff;
    const bool square = exact->term == IRR_TERM_SQUARE, normal = field > 0;
    const uint64_t hidden = (uint64_t)normal << 52;
    const uint64_t mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | hidden;
    if (!mantissa) return;
    int64_t sign = exact->term == IRR_TERM_VALUE ? -(int64_t)(bits >> 63) : 0;
    uint32_t position = square ? 2 * (field - normal) : field - normal + 1074;
    uint32_t first = position / 32, end = first + (square ? 5 : 3);
    add_at(exact->digit + first, (u128_t)mantissa * (square ? mantissa : 1), position % 32, sign,
           square);
    if (first < exact->low) exact->low = first;
    if (end > exact->end) exact->end = end;
}

static void add(void *argument, size_t first, size_t stride, size_t count) {
    exact_t *exact = argument;
    for (; count--; first += stride) {
        if (exact->room == 0) carry(exact);
        exact->room--;
        add_one(exact, irr_float_at(exact->data, exact->type, first));
    }
}

/* ---- rounding ---- */

/* A magnitude: (top + a part of 1, if more) * 2^exponent. */
typedef struct {
    u128_t top;
    bool more;
    int exponent;
} number_t;

/* Moves the highest bit of a number that is not 0 to bit 127. */
static void normalise(number_t *number) {
    uint64_t high = (uint64_t)(number->top >> 64);
    int zeros = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)number->top);
    number->top <<= zeros;
    number->exponent -= zeros;
}

/* The highest 128 bits; false for zero. */
static bool highest(exact_t *exact, number_t *number, bool *negative) {
    carry(exact);
    *negative = exact->end && exact->digit[exact->end - 1] < 0;
    if (*negative) {
        for (uint32_t i = exact->low; i < exact->end; i++) exact->digit[i] = -exact->digit[i];
        carry(exact);
    }
    uint32_t end = exact->end;
    while (end > exact->low && exact->digit[end - 1] == 0) end--;
    if (end <= exact->low) return false;
    /* Five digits hold 128 bits behind the highest one; those below the lowest are zero. */
    *number = (number_t){.exponent = LOWEST_EXPONENT + 32 * ((int)end - 4)};
    for (uint32_t i = 1; i <= 4; i++)
        number->top = number->top << 32 | (end >= i ? (uint64_t)exact->digit[end - i] : 0);
    uint64_t fifth = end >= 5 ? (uint64_t)exact->digit[end - 5] : 0;
    int zeros = __builtin_clz((unsigned)(number->top >> 96));
    normalise(number);
    number->top |= fifth >> (32 - zeros);
    number->more = (fifth & ((UINT64_C(1) << (32 - zeros)) - 1)) != 0;
    for (uint32_t i = exact->low; i + 5 < end && !number->more; i++)
        number->more = exact->digit[i] != 0;
    return true;
}

/* top >= 2^127 has a quotient of 64 bits or more. */
static void divide(number_t *number, uint64_t divisor) {
    u128_t quotient = number->top / divisor;
    number->more |= quotient * divisor != number->top;
    number->top = quotient;
    normalise(number);
}

/* floor(sqrt(top + part)) is floor(sqrt(top)): 64 bits, for top >= 2^126. */
static void take_root(number_t *number) {
    if (number->exponent & 1) { /* a lost bit still says "more" */
        number->more |= number->top & 1;
        number->top >>= 1;
        number->exponent++;
    }
    u128_t top = number->top;
    double guess = sqrt((double)top);
    u128_t root = guess >= 0x1p64 ? UINT64_MAX : (u128_t)guess;
    root = (root + top / root) / 2; /* one step of Newton: 2^-52 becomes 2^-104 */
    if (root > UINT64_MAX) root = UINT64_MAX;
    while (root * root > top) root--;
    while (root < UINT64_MAX && (root + 1) * (root + 1) <= top) root++;
    number->more |= root * root != top;
    number->top = root;
    number->exponent /= 2; /* even */
    normalise(number);
}

static const struct {
    int fraction_bits, bias;
} formats[IRR_ELEMENT_TYPE_COUNT] = {
    [IRR_F64] = {52, 1023}, [IRR_F32] = {23, 127}, [IRR_F16] = {10, 15}, [IRR_BF16] = {7, 127}};

/* To nearest even: bits of the magnitude. */
static uint64_t to_nearest(const number_t *number, irr_element_type_e type) {
    const int fraction = formats[type].fraction_bits, bias = formats[type].bias;
    const uint64_t infinity = (uint64_t)(2 * bias + 1) << fraction;
    int least = 1 - bias - fraction; /* exponent of the last bit of a denormal */
    int last = number->exponent + 127 - fraction;
    if (last < least) last = least;
    int drop = last - number->exponent;
    if (drop > 128) return 0; /* less than half of the least denormal */
    u128_t kept = drop < 128 ? number->top >> drop : 0, half = (u128_t)1 << (drop - 1);
    u128_t rest = number->top & (half | (half - 1));
    kept += rest > half || (rest == half && (number->more || (kept & 1)));
    if (last - least > 2 * bias) return infinity;
    /* The hidden bit carries into the exponent, and so may the rounding. */
    uint64_t bits = (uint64_t)kept + ((uint64_t)(last - least) << fraction);
    return bits < infinity ? bits : infinity;
}

void irr_redo_exactly(const irr_problem_t *problem, const void *data, size_t index, void *output) {
    const irr_op_info_t *op = irr_op_info(problem->op);
    size_t bytes = irr_element_bytes(problem->type);
    exact_t exact = {.low = DIGITS, .room = ROOM, .term = op->term, .type = problem->type};
    uint64_t bits = 0;
    bool negative;
    number_t number;
    exact.data = data;
    irr_visit_set(&problem->geometry, index, add, &exact);
    if (highest(&exact, &number, &negative)) {
        if (op->result == IRR_RESULT_QUOTIENT) divide(&number, problem->geometry.set_size);
        if (op->result == IRR_RESULT_ROOT) take_root(&number);
        bits = to_nearest(&number, problem->type) | (uint64_t)negative << (8 * bytes - 1);
    }
    memcpy(output, &bits, bytes); /* little-endian, as all our hosts */
}
