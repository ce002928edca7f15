/* Is the answer right? Computed anew, one output at a time, in long double and 128-bit integers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide_t;

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

static const char *verify_float(const case_t *c, const type_t *type, size_t k, double got) {
    long double sum = 0, magnitude = 0, least = INFINITY;
    for (size_t i = 0; i < c->set_size; i++) {
        long double x = load_float(type, c->data->data, place(c, k, i));
        if (x < least) least = x;
        sum += c->fold == FOLD_L2 ? x * x : x;
        magnitude += fabsl(x);
    }
    if (c->fold == FOLD_MIN) return got == (double)least ? NULL : "not the minimum";
    if (c->fold == FOLD_L2) sum = magnitude = sqrtl(sum);
    long double bound = 128 * ldexpl(magnitude, type->bytes == 8 ? -53 : -24);
    return fabsl(got - sum) <= bound + last_place(type, sum) ? NULL : "outside the error bound";
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

static const char *verify_integer(const case_t *c, const type_t *type, size_t k, int64_t got) {
    bool is_signed = type->kind == KIND_SIGNED;
    wide_t squares = 0;
    uint64_t sum = 0;
    int64_t least = 0;
    for (size_t i = 0; i < c->set_size; i++) {
        int64_t x = load_int(type, c->data->data, place(c, k, i));
        uint64_t size = is_signed && x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
        if (i == 0 || (is_signed ? x < least : (uint64_t)x < (uint64_t)least)) least = x;
        sum += (uint64_t)x;
        squares += (wide_t)size * size;
    }
    uint64_t mask = type->bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * type->bytes) - 1;
    uint64_t most = is_signed ? mask >> 1 : mask;
    if (c->fold == FOLD_MIN) return got == least ? NULL : "not the minimum";
    if (c->fold == FOLD_SUM) return (((uint64_t)got ^ sum) & mask) == 0 ? NULL : "not the sum";
    wide_t expected = root(squares) < most ? root(squares) : most;
    return (uint64_t)got == (uint64_t)expected ? NULL : "not the root";
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
    double scale = c->fold == FOLD_SUM ? sqrt((double)c->set_size) : 0;
    for (size_t k = 0; k < c->outputs; k++) {
        double a = load_float(type, output, k), b = load_float(type, ours, k);
        if (!(fabs(a - b) <= 0.01 * (fabs(b) + scale))) return false;
    }
    return true;
}
