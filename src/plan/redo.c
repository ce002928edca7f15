/* The elements of one set, run by run, into an exact accumulator.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/redo.h"

#include "plan/exact.h"

#include <math.h>
#include <string.h>

/* A product as mantissa and exponent, which nothing can leave. */
typedef struct {
    double mantissa;
    int64_t exponent;
} scaled_t;

static double element_at(const void *data, irr_element_type_e type, size_t i) {
    switch (type) {
    case IRR_F16:
        return irr_f16_to_f64(((const uint16_t *)data)[i]);
    case IRR_BF16:
        return irr_bf16_to_f64(((const uint16_t *)data)[i]);
    case IRR_F32:
        return (double)((const float *)data)[i];
    default:
        return ((const double *)data)[i];
    }
}

static void multiply(scaled_t *scaled, irr_element_type_e type, const void *data, size_t first,
                     size_t stride, size_t count) {
    for (; count--; first += stride) {
        int of_element, of_product; /* of zero and the infinities 0 */
        double x = element_at(data, type, first), m;
        if (!isfinite(x) || x == 0)
            of_element = 0, m = x;
        else
            m = frexp(x, &of_element);
        m *= scaled->mantissa;
        if (!isfinite(m) || m == 0)
            of_product = 0;
        else
            m = frexp(m, &of_product);
        scaled->mantissa = m;
        scaled->exponent += of_element + of_product;
    }
}

static void store(const scaled_t *scaled, irr_element_type_e type, void *output) {
    int64_t exponent = scaled->exponent;
    int clamped = exponent > 5000 ? 5000 : exponent < -5000 ? -5000 : (int)exponent;
    double value = isnan(scaled->mantissa) ? (double)NAN : ldexp(scaled->mantissa, clamped);
    float narrow = (float)value;
    uint16_t half = type == IRR_F16 ? irr_f64_to_f16(value) : irr_f64_to_bf16(value);
    switch (type) {
    case IRR_F64:
        memcpy(output, &value, sizeof value);
        break;
    case IRR_F32:
        memcpy(output, &narrow, sizeof narrow);
        break;
    default:
        memcpy(output, &half, sizeof half);
    }
}

void irr_redo(const irr_problem_t *problem, const void *data, size_t index, void *output) {
    const irr_op_info_t *op = irr_op_info(problem->op);
    const irr_geometry_t *geometry = &problem->geometry;
    size_t size[IRR_MAX_RANK], stride[IRR_MAX_RANK], counter[IRR_MAX_RANK] = {0};
    size_t at = 0, apart = 1;
    uint32_t reduced = 0; /* runs, innermost first */
    for (uint32_t i = geometry->run_count; i-- > 0; apart *= geometry->runs[i].size) {
        size_t run = geometry->runs[i].size;
        if (geometry->runs[i].reduced) {
            size[reduced] = run;
            stride[reduced++] = apart;
        } else {
            at += index % run * apart;
            index /= run;
        }
    }
    size_t inner = reduced ? size[0] : 1, step = reduced ? stride[0] : 1;
    irr_exact_t exact;
    scaled_t scaled = {1, 0};
    irr_exact_start(&exact, op->term);
    for (size_t left = geometry->set_size; left && !exact.nan; left -= inner) {
        if (op->term)
            irr_exact_add(&exact, problem->type, data, at, step, inner);
        else
            multiply(&scaled, problem->type, data, at, step, inner);
        for (uint32_t r = 1; r < reduced; r++) {
            at += stride[r];
            if (++counter[r] < size[r]) break;
            at -= size[r] * stride[r];
            counter[r] = 0;
        }
    }
    if (op->term)
        irr_exact_round(&exact, op->result, problem->type, output);
    else
        store(&scaled, problem->type, output);
}
