/* Inputs made from a seed: the same on every machine, exact in every element type.
 * Floats lie in [-1, 1), integers in [-100, 100] or [0, 200].
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <math.h>

/* splitmix64 */
static uint64_t next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Every value that a 16-bit float may get, so that none is converted twice. */
static void make_halves(const type_t *type, uint16_t halves[2048]) {
    for (size_t steps = 0; steps < (size_t)2 << type->mantissa_bits; steps++)
        store_float(type, halves, steps, ldexp((double)steps, -type->mantissa_bits) - 1);
}

void fill_from_seed(const view_t *view, uint64_t seed, size_t input) {
    const type_t *type = type_of(view->type);
    uint64_t state = seed ^ (uint64_t)input * UINT64_C(0xd1342543de82ef95);
    double unit = ldexp(1, -type->mantissa_bits);
    uint16_t halves[2048], *to = view->data;
    bool half = type->kind == KIND_FLOAT && type->bytes == 2;
    if (half) make_halves(type, halves);
    for (size_t i = 0; i < view->count; i++) {
        uint64_t random = next(&state), steps = random >> (63 - type->mantissa_bits);
        int64_t value = (int64_t)((random >> 32) * 201 >> 32);
        if (half) {
            to[i] = halves[steps];
        } else if (type->kind == KIND_FLOAT) {
            store_float(type, view->data, i, (double)steps * unit - 1);
        } else {
            if (type->kind == KIND_BOOLEAN) value = (int64_t)(random >> 63);
            if (type->kind == KIND_SIGNED) value -= 100;
            memcpy((char *)view->data + i * type->bytes, &value, type->bytes);
        }
    }
}
