/* Is the answer right? Computed anew, one output at a time, in long double and 128-bit integers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide_t;
__extension__ typedef __int128 signed_wide_t;

/* Where element `index` of output `output`'s set lies. */
static size_t place(const case_t *c, size_t output, size_t index) {
    size_t at = 0, stride = 1;
    for (size_t r = c->run_count; r-- > 0;) {
        size_t *rest = c->runs[r].reduced ? &index : &output;
        at += *rest % c->runs[r].size * stride;
        *rest /= c->runs[r].size;
        stride *= c->runs[r].size;
    }
    return at;
}

/* One final rounding may fall to either side: half a unit of the type's last place, twice. */
static long double last_place(const type_t *type, long double value) {
    int exponent = 0, lowest = 1 - type->bias;
    frexpl(value, &exponent);
    exponent = value == 0 || exponent - 1 < lowest ? lowest : exponent - 1;
    return ldexpl(1, exponent - type->mantissa_bits);
}

static long double term(op_e op, long double x) {
    return op == OP_L2 ? x * x : op == OP_L1 ? fabsl(x) : x;
}

static const char *verify_float(const case_t *c, const type_t *type, size_t k, double got) {
    long double sum = 0, magnitude = 0, product = 1, least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < c->set_size; i++) {
        long double x = load_float(type, c->data->data, place(c, k, i));
        if (x < least) least = x;
        if (x > most) most = x;
        sum += term(c->op, x);
        magnitude += fabsl(term(c->op, x));
        product *= x;
    }
    if (c->op == OP_MIN) return got == (double)least ? NULL : "not the minimum";
    if (c->op == OP_MAX) return got == (double)most ? NULL : "not the maximum";
    if (c->op == OP_MEAN) sum /= (long double)c->set_size, magnitude /= (long double)c->set_size;
    if (c->op == OP_L2) sum = magnitude = sqrtl(sum);
    if (c->op == OP_PROD) sum = product, magnitude = fabsl(product);
    long double roundings = c->op == OP_PROD ? 2 * (long double)c->set_size : 128;
    long double bound = roundings * ldexpl(magnitude, type->bytes == 8 ? -53 : -24);
    bound += last_place(type, sum);
    long double largest = ldexpl(2 - ldexpl(1, -type->mantissa_bits), type->bias);
    bool right = isinf(got) ? fabsl(sum) + bound > largest : fabsl(got - sum) <= bound;
    return right ? NULL : "outside the error bound";
}

static wide_t root(wide_t square) {
    wide_t low = 0, high = (wide_t)1 << 64;
    while (high - low > 1) {
        wide_t middle = low + (high - low) / 2;
        if (middle * middle <= square)
            low = middle;
        else
            high = middle;
    }
    return low;
}

typedef struct {
    wide_t squares;
    signed_wide_t sum, sizes;
    uint64_t product;
    int64_t least, most;
    bool all, any;
} facts_t;

static facts_t learn(const case_t *c, const type_t *type, size_t k) {
    bool is_signed = type->kind == KIND_SIGNED;
    facts_t facts = {.product = 1, .all = true};
    for (size_t i = 0; i < c->set_size; i++) {
        int64_t x = load_int(type, c->data->data, place(c, k, i));
        uint64_t size = is_signed && x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
        if (i == 0 || (is_signed ? x < facts.least : (uint64_t)x < (uint64_t)facts.least))
            facts.least = x;
        if (i == 0 || (is_signed ? x > facts.most : (uint64_t)x > (uint64_t)facts.most))
            facts.most = x;
        facts.sum += is_signed ? (signed_wide_t)x : (signed_wide_t)(uint64_t)x;
        facts.sizes += (signed_wide_t)size;
        facts.product *= (uint64_t)x;
        facts.squares += (wide_t)size * size;
        facts.all &= x != 0;
        facts.any |= x != 0;
    }
    return facts;
}

static const char *verify_integer(const case_t *c, const type_t *type, size_t k, int64_t got) {
    static const char *const words[OP_COUNT] = {
        [OP_MIN] = "not the minimum",  [OP_MAX] = "not the maximum",
        [OP_SUM] = "not the sum",      [OP_MEAN] = "not the quotient",
        [OP_PROD] = "not the product", [OP_L1] = "not the sum of magnitudes",
        [OP_L2] = "not the root",      [OP_AND] = "not true of all",
        [OP_OR] = "not true of any"};
    facts_t facts = learn(c, type, k);
    uint64_t mask = type->bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * type->bytes) - 1;
    uint64_t greatest = type->kind == KIND_SIGNED ? mask >> 1 : mask;
    uint64_t length = c->op != OP_L2                   ? 0
                      : root(facts.squares) < greatest ? (uint64_t)root(facts.squares)
                                                       : greatest;
    const uint64_t answers[OP_COUNT] = {[OP_MIN] = (uint64_t)facts.least,
                                        [OP_MAX] = (uint64_t)facts.most,
                                        [OP_SUM] = (uint64_t)facts.sum,
                                        [OP_MEAN] =
                                            (uint64_t)(facts.sum / (signed_wide_t)c->set_size),
                                        [OP_PROD] = facts.product,
                                        [OP_L1] = (uint64_t)facts.sizes,
                                        [OP_L2] = length,
                                        [OP_AND] = facts.all,
                                        [OP_OR] = facts.any};
    return (((uint64_t)got ^ answers[c->op]) & mask) == 0 ? NULL : words[c->op];
}

const char *verify(const case_t *c, const void *output, size_t elements) {
    const type_t *type = type_of(c->data->type);
    size_t step = c->data->count / elements + 1;
    for (size_t k = 0; k < c->outputs; k += step) {
        const char *wrong = type->kind == KIND_FLOAT
                                ? verify_float(c, type, k, load_float(type, output, k))
                                : verify_integer(c, type, k, load_int(type, output, k));
        if (wrong) return wrong;
    }
    return NULL;
}

bool is_near(const case_t *c, const void *output, const void *ours) {
    const type_t *type = type_of(c->data->type);
    if (type->kind != KIND_FLOAT) return memcmp(output, ours, c->outputs * type->bytes) == 0;
    /* What a sum of terms up to 1 may come to; and what is too small for the type to tell. */
    double n = (double)c->set_size, least = ldexp(1, 1 - type->bias);
    double scale = c->op == OP_SUM ? sqrt(n) : c->op == OP_MEAN ? 1 / sqrt(n) : 0;
    for (size_t k = 0; k < c->outputs; k++) {
        double a = load_float(type, output, k), b = load_float(type, ours, k);
        if (a != b && !(fabs(a - b) <= 0.01 * (fabs(b) + scale) + least)) return false;
    }
    return true;
}
