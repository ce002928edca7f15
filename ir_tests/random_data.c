/* Kinds of data. Floats are put together from sign, exponent and random fraction, so that every
 * format gets its own denormals, huge values and NaN payloads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "random_data.h"

#include "oracle.h"

#include <stdlib.h>
#include <string.h>

typedef struct maker {
    int exponent_bits, fraction_bits,
        width;                      /* of the type, in bits; the first two 0 for integers */
    int least, most;                /* exponents of normal numbers */
    uint64_t stream, first, second; /* two random numbers for the whole tensor */
    size_t count;
} maker_t;

static const struct {
    const char *name;
    int exponent_bits, fraction_bits;
} types[] = {
    [IRR_F64] = {"f64", 11, 52},       [IRR_F32] = {"f32", 8, 23}, [IRR_F16] = {"f16", 5, 10},
    [IRR_BF16] = {"bf16", 8, 7},       [IRR_I64] = {"i64", 0, 0},  [IRR_I32] = {"i32", 0, 0},
    [IRR_I16] = {"i16", 0, 0},         [IRR_I8] = {"i8", 0, 0},    [IRR_U64] = {"u64", 0, 0},
    [IRR_U32] = {"u32", 0, 0},         [IRR_U16] = {"u16", 0, 0},  [IRR_U8] = {"u8", 0, 0},
    [IRR_BOOLEAN] = {"boolean", 0, 0},
};

const char *random_type_name(irr_element_type_e type) { return types[type].name; }

/* +-1.fraction * 2^exponent; below the normal numbers a subnormal, above them the largest. */
static uint64_t compose(const maker_t *m, bool negative, int64_t exponent, uint64_t fraction) {
    uint64_t sign = (uint64_t)negative << (m->width - 1), one = UINT64_C(1) << m->fraction_bits;
    fraction &= one - 1;
    if (exponent > m->most) exponent = m->most;
    if (exponent >= m->least)
        return sign | (uint64_t)(exponent - m->least + 1) << m->fraction_bits | fraction;
    int64_t shift = m->least - exponent;
    return sign | (shift > m->fraction_bits ? 1 : (one | fraction) >> shift);
}

static uint64_t between(maker_t *m, int64_t low, int64_t high) {
    uint64_t r = random_next(&m->stream);
    return compose(m, r >> 63, low + (int64_t)random_below(&m->stream, (uint64_t)(high - low + 1)),
                   r);
}

static uint64_t special(const maker_t *m, bool negative, uint64_t fraction) {
    uint64_t field = (UINT64_C(1) << m->exponent_bits) - 1;
    return (uint64_t)negative << (m->width - 1) | field << m->fraction_bits | fraction;
}

static uint64_t normal(maker_t *m, size_t k) { return (void)k, between(m, -4, 4); }
static uint64_t positive(maker_t *m, size_t k) {
    return normal(m, k) & ~(UINT64_C(1) << (m->width - 1));
}
static uint64_t equal(maker_t *m, size_t k) {
    return (void)k, compose(m, m->first >> 63, (int64_t)(m->second % 9) - 4, m->first);
}
static uint64_t wide(maker_t *m, size_t k) {
    return (void)k, between(m, m->least - m->fraction_bits, m->most);
}
static uint64_t any_bits(maker_t *m, size_t k) { return (void)k, random_next(&m->stream); }
static uint64_t nans(maker_t *m, size_t k) {
    if (k != m->first % m->count && random_below(&m->stream, 300)) return normal(m, k);
    uint64_t r = random_next(&m->stream), mask = (UINT64_C(1) << m->fraction_bits) - 1;
    return special(m, r >> 63, r & mask ? r & mask : 1);
}
static uint64_t infinities(maker_t *m, size_t k) {
    if (k != m->first % m->count && random_below(&m->stream, 300)) return normal(m, k);
    return special(m, m->second & 1 ? m->second >> 63 : random_next(&m->stream) & 1, 0);
}
static uint64_t all_infinite(maker_t *m, size_t k) {
    return (void)k, special(m, m->first >> 63, 0);
}
static uint64_t zeros(maker_t *m, size_t k) {
    bool mixed = m->first & 1, rare = random_below(&m->stream, 50) == 0;
    bool negative = mixed ? rare != (m->first >> 1 & 1) : true; /* rare -0, or rare +0 */
    return (void)k, (uint64_t)negative << (m->width - 1);
}
static uint64_t denormals(maker_t *m, size_t k) {
    return (void)k, between(m, m->least - m->fraction_bits, m->least);
}
static uint64_t huge(maker_t *m, size_t k) { return (void)k, between(m, m->most - 1, m->most); }
static uint64_t huge_halves(maker_t *m, size_t k) { /* partial sums overflow, the whole does not */
    uint64_t sign = UINT64_C(1) << (m->width - 1);
    return (huge(m, k) & ~sign) | (k < m->count / 2 ? sign : 0);
}
static uint64_t tiny(maker_t *m, size_t k) {
    return (void)k, between(m, m->least - m->fraction_bits, m->least / 2);
}
static uint64_t square_edges(maker_t *m, size_t k) { /* squares near both ends of the range */
    int64_t middle = m->first & 1 ? m->most / 2 : m->least / 2;
    return (void)k, between(m, middle - 14, middle + 2);
}
static uint64_t cancelling(maker_t *m, size_t k) {
    uint64_t pair = m->first + k / 2, r = random_next(&pair);
    if (m->second % 4 == 0 && random_below(&m->stream, 40) == 0) return between(m, -30, -20);
    return compose(m, k & 1, (int64_t)(r >> 40) % 9, r);
}
static uint64_t alternating(maker_t *m, size_t k) {
    int64_t high = m->most / 3;
    return k & 1 ? between(m, high, high + 2) : between(m, -high - 2, -high);
}
static uint64_t one_huge(maker_t *m, size_t k) {
    return k == m->first % m->count ? between(m, m->most - 1, m->most) : between(m, -2, 6);
}
static uint64_t one_denormal(maker_t *m, size_t k) {
    return k == m->first % m->count ? between(m, m->least - m->fraction_bits, m->least) : 0;
}

/* ---- integers; as floats of any type their bits are small positive denormals and the like ---- */

static uint64_t small_integers(maker_t *m, size_t k) {
    return (void)k, random_below(&m->stream, 7) - 3;
}
static uint64_t extremes(maker_t *m, size_t k) {
    static const uint64_t ends[] = {0, 1, UINT64_MAX};
    uint64_t pick = random_below(&m->stream, 5), sign = UINT64_C(1) << (m->width - 1);
    return (void)k, pick < 3 ? ends[pick] : pick == 3 ? sign : sign - 1;
}
static uint64_t all_least(maker_t *m, size_t k) { return (void)k, UINT64_C(1) << (m->width - 1); }
static uint64_t all_greatest(maker_t *m, size_t k) {
    return (void)k, (UINT64_C(1) << (m->width - 1)) - 1;
}
static uint64_t all_ones(maker_t *m, size_t k) { return (void)m, (void)k, UINT64_MAX; }
static uint64_t same_bits(maker_t *m, size_t k) { return (void)k, m->first; }
static uint64_t one_odd(maker_t *m, size_t k) { return k == m->first % m->count ? m->second : 5; }
static uint64_t descending(maker_t *m, size_t k) { return m->count - k; }

typedef struct kind {
    const char *name;
    uint64_t (*make)(maker_t *m, size_t k);
} kind_t;

static const kind_t float_kinds[] = {{"normal", normal},
                                     {"normal", normal},
                                     {"positive", positive},
                                     {"all equal", equal},
                                     {"wide", wide},
                                     {"any bits", any_bits},
                                     {"NaN sprinkled", nans},
                                     {"infinities", infinities},
                                     {"all infinite", all_infinite},
                                     {"zeros", zeros},
                                     {"denormals", denormals},
                                     {"huge", huge},
                                     {"huge, minus then plus", huge_halves},
                                     {"tiny", tiny},
                                     {"squares at the range's ends", square_edges},
                                     {"cancelling", cancelling},
                                     {"alternating", alternating},
                                     {"one huge", one_huge},
                                     {"one denormal", one_denormal},
                                     {"descending bits", descending}};
static const kind_t integer_kinds[] = {{"any bits", any_bits},    {"any bits", any_bits},
                                       {"small", small_integers}, {"extremes", extremes},
                                       {"all least", all_least},  {"all greatest", all_greatest},
                                       {"all ones", all_ones},    {"all equal", same_bits},
                                       {"one odd", one_odd},      {"descending", descending}};

static const kind_t *kinds_of(irr_element_type_e type, size_t *count) {
    bool is_float = types[type].exponent_bits;
    *count = is_float ? sizeof float_kinds / sizeof *float_kinds
                      : sizeof integer_kinds / sizeof *integer_kinds;
    return is_float ? float_kinds : integer_kinds;
}

unsigned random_data_kind(irr_element_type_e type, uint64_t number) {
    size_t count;
    kinds_of(type, &count);
    return (unsigned)(number % count);
}

const char *random_data_name(unsigned kind, irr_element_type_e type) {
    size_t count;
    return kinds_of(type, &count)[kind].name;
}

void random_data_fill(unsigned kind, irr_element_type_e type, uint64_t seed, size_t count,
                      void *data) {
    size_t unused, bytes = oracle_element_bytes(type);
    const kind_t *row = &kinds_of(type, &unused)[kind];
    maker_t m = {types[type].exponent_bits, types[type].fraction_bits, (int)bytes * 8,
                 .stream = seed, .count = count};
    m.most = m.exponent_bits ? (1 << (m.exponent_bits - 1)) - 1 : 0;
    m.least = 1 - m.most;
    m.first = random_next(&m.stream), m.second = random_next(&m.stream);
    for (size_t k = 0; k < count; k++) {
        uint64_t bits = row->make(&m, k);
        memcpy((char *)data + k * bytes, &bits, bytes);
    }
}
