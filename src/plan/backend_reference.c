/* The reference backend: one output after another, any rank, type and axes; the contract's rules in
 * their plainest form. Lives here: its folds and finishes, one row an op; floats that are rounded
 * are redo.c's. May not: a line of the kernels, so that each can be checked against the other;
 * threads; vector code.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "plan/backend.h"
#include "plan/redo.h"

#include <math.h>
#include <string.h>

__extension__ typedef __int128 i128_t;
__extension__ typedef unsigned __int128 u128_t;

/* One output's set, as far as it is folded: floats as f64, whatever the type; integers as they are,
 * and results their low bits. */
typedef struct {
    const irr_problem_t *problem;
    const void *data;
    bool any;
    double real;
    i128_t whole;
} fold_t;

/* What an op is made of. */
typedef struct {
    void (*fold_float)(fold_t *fold, double x); /* NULL: it is rounded */
    void (*fold_integer)(fold_t *fold, i128_t x);
    i128_t (*finish_integer)(const fold_t *fold); /* NULL: as it is */
} reference_row_t;

/* ---- floats ---- */

static void min_float(fold_t *fold, double x) {
    if (!fold->any || isnan(x) || x < fold->real || (x == fold->real && signbit(x)))
        fold->real = isnan(fold->real) ? fold->real : x;
}

static void max_float(fold_t *fold, double x) {
    if (!fold->any || isnan(x) || x > fold->real || (x == fold->real && !signbit(x)))
        fold->real = isnan(fold->real) ? fold->real : x;
}

/* ---- integers ---- */

static u128_t magnitude(i128_t x) { return (u128_t)(x < 0 ? -x : x); }

static void min_integer(fold_t *fold, i128_t x) {
    if (!fold->any || x < fold->whole) fold->whole = x;
}

static void max_integer(fold_t *fold, i128_t x) {
    if (!fold->any || x > fold->whole) fold->whole = x;
}

static void sum_integer(fold_t *fold, i128_t x) { fold->whole += x; }

static void magnitude_integer(fold_t *fold, i128_t x) { fold->whole += (i128_t)magnitude(x); }

/* Of 64 bits, as no type has more. */
static void product_integer(fold_t *fold, i128_t x) {
    fold->whole = (uint64_t)(fold->any ? fold->whole : 1) * (uint64_t)x;
}

static void and_integer(fold_t *fold, i128_t x) {
    fold->whole = (!fold->any || fold->whole) && x != 0;
}

static void or_integer(fold_t *fold, i128_t x) { fold->whole = fold->whole || x != 0; }

/* Sticks at its maximum: the root then exceeds every type's. */
static void square_integer(fold_t *fold, i128_t x) {
    u128_t m = magnitude(x), before = (u128_t)fold->whole, sum = before + m * m;
    fold->whole = (i128_t)(sum < before ? ~(u128_t)0 : sum);
}

static i128_t integer_root_of(const fold_t *fold) {
    u128_t root = 0;
    for (u128_t bit = (u128_t)1 << 63; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= (u128_t)fold->whole) root += bit;
    return (i128_t)root;
}

/* Truncated toward zero. */
static i128_t quotient_of(const fold_t *fold) {
    return fold->whole / (i128_t)fold->problem->geometry.set_size;
}

static const reference_row_t rows[] = {
    [IRR_OP_MIN] = {min_float, min_integer, NULL},
    [IRR_OP_SUM] = {NULL, sum_integer, NULL},
    [IRR_OP_L2] = {NULL, square_integer, integer_root_of},
    [IRR_OP_MAX] = {max_float, max_integer, NULL},
    [IRR_OP_MEAN] = {NULL, sum_integer, quotient_of},
    [IRR_OP_PROD] = {NULL, product_integer, NULL},
    [IRR_OP_L1] = {NULL, magnitude_integer, NULL},
    [IRR_OP_AND] = {NULL, and_integer, NULL},
    [IRR_OP_OR] = {NULL, or_integer, NULL},
};
_Static_assert(sizeof rows / sizeof *rows == IRR_OP_COUNT, "a row for each op");

/* ---- one output ---- */

static void fold_run(void *argument, size_t first, size_t stride, size_t count) {
    fold_t *fold = argument;
    const reference_row_t *row = &rows[fold->problem->op];
    irr_element_type_e type = fold->problem->type == IRR_BOOLEAN ? IRR_U8 : fold->problem->type;
    const bool integers = irr_is_integer(type);
    for (int64_t x = 0; count--; first += stride, fold->any = true) {
        if (integers) {
            bool fits = irr_integer_at(fold->data, type, first, &x);
            row->fold_integer(fold, fits ? x : (i128_t)(uint64_t)x);
        } else {
            row->fold_float(fold, irr_float_at(fold->data, type, first));
        }
    }
}

/* Of integers L2 alone can exceed its type, and sticks at the maximum; sums are modulo 2^n and
 * minima fit. */
static void finish(const fold_t *fold, const irr_element_type_info_t *info, void *output) {
    const irr_problem_t *problem = fold->problem;
    const reference_row_t *row = &rows[problem->op];
    if (info->kind == IRR_KIND_FLOAT) {
        irr_put_float(output, problem->type, 0, fold->real);
        return;
    }
    uint64_t greatest = UINT64_MAX >> (64 - info->bits + (info->kind == IRR_KIND_SIGNED));
    i128_t value = row->finish_integer ? row->finish_integer(fold) : fold->whole;
    if (problem->op == IRR_OP_L2 && value > greatest) value = greatest;
    memcpy(output, &value, info->bits / 8u); /* little-endian, as all our hosts */
}

static irr_status_e execute(irr_yield_t *yield, uint32_t count, const void *data, void *scratch,
                            const irr_executor_t *executor, irr_sentence_t sentence) {
    const irr_problem_t *problem = yield->state;
    const irr_element_type_info_t *info = irr_element_type_info(problem->type);
    bool rounded = info->kind == IRR_KIND_FLOAT && !rows[problem->op].fold_float;
    char *output = yield->output;
    (void)count, (void)scratch, (void)executor, (void)sentence;
    for (size_t k = 0; k < problem->geometry.output_count; k++, output += info->bits / 8u) {
        fold_t fold = {.problem = problem, .data = data};
        if (rounded) {
            irr_redo(problem, data, k, output);
        } else {
            irr_visit_set(&problem->geometry, k, fold_run, &fold);
            finish(&fold, info, output);
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
    *scratch_bytes = 0;
    return irr_problem_copy(problem, state, sentence);
}

const irr_backend_t irr_backend_reference = {.name = "reference",
                                             .offer = offer,
                                             .prepare = prepare,
                                             .execute = execute,
                                             .release = irr_release};
