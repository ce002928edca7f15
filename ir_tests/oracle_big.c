/* Whole numbers without a limit. Simple and slow enough to be seen to be right.
 * SPDX-License-Identifier: Apache-2.0 */
#include "oracle_big.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

static void reserve(big_t *a, size_t limbs) {
    if (limbs <= a->capacity) return;
    size_t capacity = limbs < 80 ? 80 : 2 * limbs;
    a->limb = realloc(a->limb, capacity * sizeof *a->limb);
    if (!a->limb) abort();
    a->capacity = capacity;
}

static void grow_to(big_t *a, size_t limbs) {
    reserve(a, limbs);
    while (a->count < limbs) a->limb[a->count++] = 0;
}

static void trim(big_t *a) {
    while (a->count && a->limb[a->count - 1] == 0) a->count--;
}

void big_release(big_t *a) {
    free(a->limb);
    *a = (big_t){0};
}

void big_clear(big_t *a) { a->count = 0; }

void big_copy(big_t *to, const big_t *from) {
    reserve(to, from->count + 1);
    if (from->count) memcpy(to->limb, from->limb, from->count * sizeof *from->limb);
    to->count = from->count;
}

static void add_limb(big_t *a, size_t at, uint64_t value) {
    for (; value; at++) {
        grow_to(a, at + 1);
        a->limb[at] += value;
        value = a->limb[at] < value;
    }
}

void big_add_at(big_t *a, uint64_t value, size_t shift) {
    size_t at = shift / 64, bits = shift % 64;
    add_limb(a, at, value << bits);
    if (bits) add_limb(a, at + 1, value >> (64 - bits));
}

void big_add_square_at(big_t *a, uint64_t v, size_t shift) {
    u128 square = (u128)v * v;
    big_add_at(a, (uint64_t)square, shift);
    big_add_at(a, (uint64_t)(square >> 64), shift + 64);
}

void big_multiply(big_t *a, uint64_t factor) {
    uint64_t carry = 0;
    for (size_t i = 0; i < a->count; i++) {
        u128 product = (u128)a->limb[i] * factor + carry;
        a->limb[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    add_limb(a, a->count, carry);
    trim(a);
}

void big_shift_left(big_t *a, size_t bits) {
    size_t limbs = bits / 64, old = a->count;
    if (!old) return;
    grow_to(a, old + limbs);
    memmove(a->limb + limbs, a->limb, old * sizeof *a->limb);
    memset(a->limb, 0, limbs * sizeof *a->limb);
    if (bits % 64) big_multiply(a, UINT64_C(1) << bits % 64);
}

void big_subtract(big_t *a, const big_t *b) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < a->count; i++) {
        uint64_t take = i < b->count ? b->limb[i] : 0, found = a->limb[i];
        a->limb[i] = found - take - borrow;
        borrow = found < take || (found == take && borrow);
    }
    if (borrow) abort(); /* the caller promised a >= b */
    trim(a);
}

uint64_t big_divide(big_t *a, uint64_t divisor) {
    u128 rest = 0;
    for (size_t i = a->count; i-- > 0;) {
        rest = rest << 64 | a->limb[i];
        a->limb[i] = (uint64_t)(rest / divisor);
        rest %= divisor;
    }
    trim(a);
    return (uint64_t)rest;
}

int big_compare(const big_t *a, const big_t *b) {
    size_t count = a->count > b->count ? a->count : b->count;
    for (size_t i = count; i-- > 0;) {
        uint64_t x = i < a->count ? a->limb[i] : 0, y = i < b->count ? b->limb[i] : 0;
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

size_t big_bits(const big_t *a) {
    for (size_t i = a->count; i-- > 0;)
        if (a->limb[i]) return 64 * i + 64 - (size_t)__builtin_clzll(a->limb[i]);
    return 0;
}

bool big_bit(const big_t *a, size_t index) {
    return index / 64 < a->count && a->limb[index / 64] >> index % 64 & 1;
}

bool big_any_below(const big_t *a, size_t bits) {
    for (size_t i = 0; i < bits / 64 && i < a->count; i++)
        if (a->limb[i]) return true;
    size_t rest = bits % 64, at = bits / 64;
    return rest && at < a->count && a->limb[at] << (64 - rest);
}

/* By hand, two binary digits at a time from the top. */
void big_root(big_t *a, int64_t *exponent) {
    enum { DIGITS = 79 };
    if (!big_bits(a)) return;
    if (*exponent % 2) big_shift_left(a, 1), --*exponent;
    int64_t pair = (int64_t)(big_bits(a) + 1) / 2;
    u128 root = 0, rest = 0;
    for (int digit = 0; digit < DIGITS; digit++) {
        pair--;
        unsigned two =
            pair < 0 ? 0 : 2u * big_bit(a, 2 * (size_t)pair + 1) + big_bit(a, 2 * (size_t)pair);
        rest = rest << 2 | two;
        u128 trial = root << 2 | 1;
        bool fits = rest >= trial;
        if (fits) rest -= trial;
        root = root << 1 | fits;
    }
    bool more = rest || (pair > 0 && big_any_below(a, 2 * (size_t)pair));
    root = root << 1 | more;
    big_clear(a);
    big_add_at(a, (uint64_t)root, 0);
    big_add_at(a, (uint64_t)(root >> 64), 64);
    *exponent = *exponent / 2 + pair - 1;
}

uint64_t big_round(const big_t *a, bool negative, int64_t exponent, const float_format_t *format) {
    const int fraction = format->fraction_bits;
    const int64_t bias = (INT64_C(1) << (format->exponent_bits - 1)) - 1;
    const uint64_t sign = (uint64_t)negative << (format->exponent_bits + fraction);
    const uint64_t infinity = ((UINT64_C(1) << format->exponent_bits) - 1) << fraction;
    int64_t bits = (int64_t)big_bits(a);
    if (!bits) return sign;
    /* The result is a multiple of 2^unit. */
    int64_t unit = exponent + bits - 1 - fraction, smallest = 1 - bias - fraction;
    if (unit < smallest) unit = smallest;
    int64_t shift = unit - exponent;
    uint64_t kept = 0;
    for (int64_t i = bits - 1; i >= shift && i >= 0; i--) kept = kept << 1 | big_bit(a, (size_t)i);
    if (shift < 0) kept <<= -shift;
    if (shift > 0 && big_bit(a, (size_t)shift - 1))
        kept += big_any_below(a, (size_t)shift - 1) || (kept & 1);
    if (kept >> (fraction + 1)) kept >>= 1, unit++;
    if (!(kept >> fraction)) return sign | kept; /* subnormal, or zero */
    int64_t field = unit + fraction + bias;
    if (field >= (INT64_C(1) << format->exponent_bits) - 1) return sign | infinity;
    return sign | (uint64_t)field << fraction | (kept & ((UINT64_C(1) << fraction) - 1));
}
