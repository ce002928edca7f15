/* Sums and sums of squares in double-double, scaled by a power of two where f64 itself could
 * overflow: error below n 2^-104 of the sum of magnitudes, far inside the contract's bound.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/redo.h"

#include "base/element_type.h"

#include <math.h>
#include <string.h>

/* Element i of each float type, widened exactly. */
typedef double (*element_at_f)(const void *data, size_t i);
static double f64_at(const void *data, size_t i) { return ((const double *)data)[i]; }
static double f32_at(const void *data, size_t i) { return (double)((const float *)data)[i]; }
static double f16_at(const void *data, size_t i) {
    return irr_f16_to_f64(((const uint16_t *)data)[i]);
}
static double bf16_at(const void *data, size_t i) {
    return irr_bf16_to_f64(((const uint16_t *)data)[i]);
}
static const element_at_f element_at[IRR_ELEMENT_TYPE_COUNT] = {
    [IRR_F64] = f64_at, [IRR_F32] = f32_at, [IRR_F16] = f16_at, [IRR_BF16] = bf16_at};

static void store(void *output, irr_element_type_e type, double value) {
    uint64_t nan_64 = UINT64_C(0x7ff8000000000000);
    uint32_t nan_32 = 0x7fc00000;
    float narrow = (float)value;
    uint16_t half = type == IRR_F16 ? irr_f64_to_f16(value) : irr_f64_to_bf16(value);
    switch (type) {
    case IRR_F64:
        memcpy(output, isnan(value) ? (void *)&nan_64 : (void *)&value, 8);
        break;
    case IRR_F32:
        memcpy(output, isnan(value) ? (void *)&nan_32 : (void *)&narrow, 4);
        break;
    default:
        memcpy(output, &half, 2);
    }
}

/* Walks the elements of one reduced set, in row-major order. */
typedef struct {
    const irr_geometry_t *geometry;
    size_t stride[IRR_MAX_RANK], counter[IRR_MAX_RANK], at, left;
} walk_t;

static void walk_start(walk_t *walk, const irr_geometry_t *geometry, size_t index) {
    walk->geometry = geometry;
    walk->at = 0;
    walk->left = geometry->set_size;
    size_t stride = 1;
    for (uint32_t i = geometry->run_count; i-- > 0; stride *= geometry->runs[i].size) {
        walk->stride[i] = stride;
        walk->counter[i] = 0;
        if (geometry->runs[i].reduced) continue;
        walk->at += index % geometry->runs[i].size * stride;
        index /= geometry->runs[i].size;
    }
}

static void walk_next(walk_t *walk) {
    walk->left--;
    for (uint32_t i = walk->geometry->run_count; i-- > 0;) {
        const irr_run_t *run = &walk->geometry->runs[i];
        if (!run->reduced) continue;
        walk->at += walk->stride[i];
        if (++walk->counter[i] < run->size) return;
        walk->at -= run->size * walk->stride[i];
        walk->counter[i] = 0;
    }
}

/* What a first walk finds. */
typedef struct {
    double largest; /* finite magnitude */
    bool nan, plus_infinity, minus_infinity;
} survey_t;

static survey_t survey(const irr_problem_t *problem, const void *data, size_t index) {
    element_at_f at = element_at[problem->type];
    survey_t found = {0};
    walk_t walk;
    for (walk_start(&walk, &problem->geometry, index); walk.left && !found.nan; walk_next(&walk)) {
        double x = at(data, walk.at);
        if (isnan(x))
            found.nan = true;
        else if (isinf(x))
            *(x > 0 ? &found.plus_infinity : &found.minus_infinity) = true;
        else if (fabs(x) > found.largest)
            found.largest = fabs(x);
    }
    return found;
}

/* (high, low) += x, each sum with its exact error. */
static void add(double *high, double *low, double x) {
    double sum = *high + x, part = sum - *high;
    *low += (*high - (sum - part)) + (x - part);
    *high = sum;
}

/* The sum of x or x^2 over the set, every element times 2^scale first. */
static double wide_sum(const irr_problem_t *problem, const void *data, size_t index, int scale,
                       bool squares) {
    element_at_f at = element_at[problem->type];
    double high = 0, low = 0;
    walk_t walk;
    for (walk_start(&walk, &problem->geometry, index); walk.left; walk_next(&walk)) {
        double x = ldexp(at(data, walk.at), scale);
        add(&high, &low, squares ? x * x : x);
    }
    return high + low;
}

void irr_redo(const irr_problem_t *problem, const void *data, size_t index, void *output) {
    bool squares = problem->op == IRR_OP_L2;
    survey_t found = survey(problem, data, index);
    double value;
    if (found.nan || (found.plus_infinity && found.minus_infinity && !squares)) {
        value = NAN;
    } else if (found.plus_infinity || found.minus_infinity) {
        value = squares || found.plus_infinity ? INFINITY : -INFINITY;
    } else if (found.largest == 0) {
        value = 0;
    } else {
        /* Squares: the largest element lands in [1/2, 1). Sums: only f64 can overflow, and then
         * 64 bits of room hold any number of elements; what is lost below is nothing beside it. */
        int exponent = 0, scale = 0;
        frexp(found.largest, &exponent);
        if (squares)
            scale = -exponent;
        else if (exponent > 900)
            scale = -64;
        value = wide_sum(problem, data, index, scale, squares);
        value = squares ? ldexp(sqrt(value), -scale) : ldexp(value, -scale) + 0.0;
    }
    store(output, problem->type, value);
}
