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

void fill_from_seed(const view_t *view, uint64_t seed, size_t input) {
    const type_t *type = type_of(view->type);
    uint64_t state = seed ^ (uint64_t)input * UINT64_C(0xd1342543de82ef95);
    double unit = ldexp(1, -type->mantissa_bits);
    for (size_t i = 0; i < view->count; i++) {
        uint64_t random = next(&state), steps = random >> (63 - type->mantissa_bits);
        int64_t value = (int64_t)((random >> 32) * 201 >> 32);
        if (type->kind == KIND_FLOAT) {
            store_float(type, view->data, i, (double)steps * unit - 1);
        } else {
            if (type->kind == KIND_BOOLEAN) value = (int64_t)(random >> 63);
            if (type->kind == KIND_SIGNED) value -= 100;
            memcpy((char *)view->data + i * type->bytes, &value, type->bytes);
        }
    }
}
