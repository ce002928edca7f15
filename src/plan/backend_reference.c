/* The reference backend: one element after another, any rank, type and axes; the contract's rules
 * in their plainest form. Lives here: its folds and finishes, one row an op. May not: a line of the
 * kernels, so that each can be checked against the other; threads; vector code.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "base/status.h"
#include "plan/backend.h"
#include "plan/exact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128_t;

/* Floats of the ops without terms (base/op.h) fold in f64, whatever the type. The others are exact
 * (plan/exact.h), in either mode. */
typedef struct {
    double value;
    int64_t exponent; /* of a product; its value is then a mantissa */
    bool any;
} float_fold_t;

typedef struct {
    u128_t value;
    bool is_signed;
    bool any;
    size_t count;
} integer_fold_t;

/* What an op is made of. */
typedef struct {
    void (*fold_float)(float_fold_t *fold, double x); /* NULL: it has terms */
    void (*fold_integer)(integer_fold_t *fold, int64_t x);
    u128_t (*finish_integer)(const integer_fold_t *fold);
} reference_row_t;

/* ---- floats ---- */

static void min_float(float_fold_t *fold, double x) {
    if (!fold->any || isnan(x) || x < fold->value || (x == fold->value && signbit(x)))
        fold->value = isnan(fold->value) ? fold->value : x;
}

static void max_float(float_fold_t *fold, double x) {
    if (!fold->any || isnan(x) || x > fold->value || (x == fold->value && !signbit(x)))
        fold->value = isnan(fold->value) ? fold->value : x;
}

/* Mantissa and exponent apart, which nothing can leave; exponent 0 where there is none. */
static void product_float(float_fold_t *fold, double x) {
    double factors[] = {fold->any ? fold->value : 1, x};
    for (int i = 0; i < 2; i++) {
        int exponent = 0;
        if (isfinite(factors[i]) && factors[i] != 0) factors[i] = frexp(factors[i], &exponent);
        fold->exponent += exponent;
    }
    fold->value = factors[0] * factors[1];
}

/* ---- integers: sign- or zero-extended, results are the low bits ---- */

static u128_t magnitude(const integer_fold_t *fold, int64_t x) {
    return fold->is_signed && x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

static void min_integer(integer_fold_t *fold, int64_t x) {
    bool less = fold->is_signed ? x < (int64_t)fold->value : (uint64_t)x < (uint64_t)fold->value;
    if (!fold->any || less) fold->value = (uint64_t)x;
}

static void max_integer(integer_fold_t *fold, int64_t x) {
    bool more = fold->is_signed ? x > (int64_t)fold->value : (uint64_t)x > (uint64_t)fold->value;
    if (!fold->any || more) fold->value = (uint64_t)x;
}

static void sum_integer(integer_fold_t *fold, int64_t x) { fold->value += (uint64_t)x; }

static void mean_integer(integer_fold_t *fold, int64_t x) {
    fold->value += fold->is_signed && x < 0 ? 0 - magnitude(fold, x) : (uint64_t)x;
}

static void magnitude_integer(integer_fold_t *fold, int64_t x) {
    fold->value += magnitude(fold, x);
}

static void product_integer(integer_fold_t *fold, int64_t x) {
    fold->value = (fold->any ? fold->value : 1) * (uint64_t)x;
}

static void and_integer(integer_fold_t *fold, int64_t x) {
    fold->value = (!fold->any || fold->value) && x != 0;
}

static void or_integer(integer_fold_t *fold, int64_t x) { fold->value = fold->value || x != 0; }

/* Sticks at its maximum: the root then exceeds every type's. */
static void square_integer(integer_fold_t *fold, int64_t x) {
    u128_t m = magnitude(fold, x), sum = fold->value + m * m;
    fold->value = sum < fold->value ? ~(u128_t)0 : sum;
}

static u128_t integer_of(const integer_fold_t *fold) { return fold->value; }

static u128_t integer_root_of(const integer_fold_t *fold) {
    u128_t root = 0;
    for (u128_t bit = (u128_t)1 << 63; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= fold->value) root += bit;
    return root;
}

/* Truncated toward zero, so that the sign can stand apart. */
static u128_t quotient_of(const integer_fold_t *fold) {
    bool negative = fold->is_signed && fold->value >> 127;
    u128_t quotient = (negative ? 0 - fold->value : fold->value) / fold->count;
    return negative ? 0 - quotient : quotient;
}

static const reference_row_t rows[] = {
    [IRR_OP_MIN] = {min_float, min_integer, integer_of},
    [IRR_OP_SUM] = {NULL, sum_integer, integer_of},
    [IRR_OP_L2] = {NULL, square_integer, integer_root_of},
    [IRR_OP_MAX] = {max_float, max_integer, integer_of},
    [IRR_OP_MEAN] = {NULL, mean_integer, quotient_of},
    [IRR_OP_PROD] = {product_float, product_integer, integer_of},
    [IRR_OP_L1] = {NULL, magnitude_integer, integer_of},
    [IRR_OP_AND] = {NULL, and_integer, integer_of},
    [IRR_OP_OR] = {NULL, or_integer, integer_of},
};
_Static_assert(sizeof rows / sizeof *rows == IRR_OP_COUNT, "a row for each op");

/* ---- elements ---- */

static double load_float(const void *data, irr_element_type_e type, size_t k) {
    switch (type) {
    case IRR_F16:
        return irr_f16_to_f64(((const uint16_t *)data)[k]);
    case IRR_BF16:
        return irr_bf16_to_f64(((const uint16_t *)data)[k]);
    case IRR_F32:
        return (double)((const float *)data)[k];
    default:
        return ((const double *)data)[k];
    }
}

/* The one rounding to the element type; NaN becomes the canonical one. */
static void store_float(void *output, irr_element_type_e type, size_t k, double value) {
    static const uint64_t nan_f64 = UINT64_C(0x7ff8) << 48;
    static const uint32_t nan_f32 = UINT32_C(0x7fc00000);
    float single = (float)value;
    switch (type) {
    case IRR_F16:
        ((uint16_t *)output)[k] = irr_f64_to_f16(value);
        break;
    case IRR_BF16:
        ((uint16_t *)output)[k] = irr_f64_to_bf16(value);
        break;
    case IRR_F32:
        memcpy((float *)output + k, isnan(value) ? (const void *)&nan_f32 : &single, 4);
        break;
    default:
        memcpy((double *)output + k, isnan(value) ? (const void *)&nan_f64 : &value, 8);
        break;
    }
}

/* Integer L2 alone can exceed its type; sums are modulo 2^n and minima fit. */
static void store_integer(void *output, irr_element_type_e type, size_t k, u128_t value,
                          bool saturate) {
    const irr_element_type_info_t *info = irr_element_type_info(type);
    uint64_t greatest = UINT64_MAX >> (64 - info->bits + (info->kind == IRR_KIND_SIGNED));
    uint64_t low = saturate && value > greatest ? greatest : (uint64_t)value;
    size_t bytes = info->bits / 8u;
    memcpy((char *)output + k * bytes, &low, bytes); /* little-endian, as all our hosts */
}

static double scaled(const float_fold_t *fold) {
    int64_t e = fold->exponent;
    return e ? ldexp(fold->value, e > 5000 ? 5000 : e < -5000 ? -5000 : (int)e) : fold->value;
}

/* ---- the walk: kept runs give the output's place, reduced runs its set ---- */

typedef struct {
    uint32_t count;
    size_t size[IRR_MAX_RANK], stride[IRR_MAX_RANK]; /* in elements, outermost first */
} walk_t;

typedef struct {
    irr_op_e op;
    irr_element_type_e type;
    size_t output_count, set_size;
    walk_t kept, reduced;
} reference_state_t;

/* Where index-th element of a walk lies. */
static size_t place(const walk_t *walk, size_t index) {
    size_t offset = 0;
    for (uint32_t r = walk->count; r-- > 0; index /= walk->size[r])
        offset += index % walk->size[r] * walk->stride[r];
    return offset;
}

static void fold_floats(const reference_state_t *state, const void *data, size_t base,
                        float_fold_t *fold) {
    const reference_row_t *row = &rows[state->op];
    uint32_t last = state->reduced.count;
    size_t inner = last ? state->reduced.size[last - 1] : 1;
    size_t step = last ? state->reduced.stride[last - 1] : 0;
    for (size_t done = 0; done < state->set_size; done += inner) {
        size_t at = base + place(&state->reduced, done);
        for (size_t i = 0; i < inner; i++) {
            row->fold_float(fold, load_float(data, state->type, at + i * step));
            fold->any = true;
        }
    }
}

static void fold_exactly(const reference_state_t *state, const void *data, size_t base,
                         irr_exact_t *exact) {
    uint32_t last = state->reduced.count;
    size_t inner = last ? state->reduced.size[last - 1] : 1;
    size_t step = last ? state->reduced.stride[last - 1] : 0;
    irr_exact_start(exact, irr_op_info(state->op)->term);
    for (size_t done = 0; done < state->set_size; done += inner)
        irr_exact_add(exact, state->type, data, base + place(&state->reduced, done), step, inner);
}

static void fold_integers(const reference_state_t *state, const void *data, size_t base,
                          integer_fold_t *fold) {
    uint32_t last = state->reduced.count;
    size_t inner = last ? state->reduced.size[last - 1] : 1;
    size_t step = last ? state->reduced.stride[last - 1] : 0;
    irr_element_type_e type = state->type == IRR_BOOLEAN ? IRR_U8 : state->type;
    for (size_t done = 0; done < state->set_size; done += inner) {
        size_t at = base + place(&state->reduced, done);
        for (size_t i = 0; i < inner; i++) {
            int64_t x = 0;
            irr_integer_at(data, type, at + i * step, &x);
            rows[state->op].fold_integer(fold, x);
            fold->any = true;
        }
    }
}

static irr_status_e execute(irr_yield_t *yield, uint32_t count, const void *data, void *scratch,
                            const irr_executor_t *executor, irr_sentence_t sentence) {
    const reference_state_t *state = yield->state;
    char *output = yield->output;
    const reference_row_t *row = &rows[state->op];
    (void)count, (void)scratch, (void)executor, (void)sentence;
    yield->stats = (irr_execution_stats_t){.threads = 1};
    const irr_op_info_t *info = irr_op_info(state->op);
    irr_element_kind_e kind = irr_element_type_info(state->type)->kind;
    size_t bytes = irr_element_bytes(state->type);
    for (size_t k = 0; k < state->output_count; k++) {
        size_t base = place(&state->kept, k);
        if (kind == IRR_KIND_FLOAT && info->term) {
            irr_exact_t exact;
            fold_exactly(state, data, base, &exact);
            irr_exact_round(&exact, info->result, state->type, output + k * bytes);
        } else if (kind == IRR_KIND_FLOAT) {
            float_fold_t fold = {.any = false};
            fold_floats(state, data, base, &fold);
            store_float(output, state->type, k, scaled(&fold));
        } else {
            integer_fold_t fold = {.is_signed = kind == IRR_KIND_SIGNED, .count = state->set_size};
            fold_integers(state, data, base, &fold);
            store_integer(output, state->type, k, row->finish_integer(&fold),
                          row->finish_integer == integer_root_of);
        }
    }
    return IRR_OK;
}

/* ---- the backend ---- */

static void offer(const irr_problem_t *problem, const irr_config_t *config, irr_offer_t *offer) {
    (void)config;
    double elements = (double)problem->geometry.output_count * (double)problem->geometry.set_size;
    offer->serves = true;
    offer->tier = IRR_TIER_SCALAR;
    offer->estimate_us = 0.02 + elements * 0.006;
    IRR_OFFER_SAY(offer, kernel, "reference_%s_%s", irr_op_info(problem->op)->word,
                  irr_element_type_info(problem->type)->name);
    IRR_OFFER_SAY(offer, reason, "scalar, takes every type and geometry");
}

static irr_status_e prepare(const irr_problem_t *problem, const irr_config_t *config, void **state,
                            size_t *scratch_bytes, irr_sentence_t sentence) {
    (void)config;
    const irr_geometry_t *geometry = &problem->geometry;
    reference_state_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    made->op = problem->op;
    made->type = problem->type;
    made->output_count = geometry->output_count;
    made->set_size = geometry->set_size;
    for (uint32_t r = 0; r < geometry->run_count; r++) {
        walk_t *walk = geometry->runs[r].reduced ? &made->reduced : &made->kept;
        size_t stride = 1;
        for (uint32_t inner = r + 1; inner < geometry->run_count; inner++)
            stride *= geometry->runs[inner].size;
        walk->size[walk->count] = geometry->runs[r].size;
        walk->stride[walk->count++] = stride;
    }
    *state = made;
    *scratch_bytes = 0;
    return IRR_OK;
}

const irr_backend_t irr_backend_reference = {.name = "reference",
                                             .offer = offer,
                                             .prepare = prepare,
                                             .execute = execute,
                                             .release = irr_release};
