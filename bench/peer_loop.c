/* What one writes without a library: loops over the merged dimensions. One thread. Its f16 is
 * widened by arithmetic. Compiled twice: with -O3 -march=native -ffast-math, in this file alone,
 * and with -O2 (peer_loop_o2). SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline float from_bits(uint32_t bits) {
    float value;
    return memcpy(&value, &bits, sizeof value), value;
}
static inline uint32_t to_bits(float value) {
    uint32_t bits;
    return memcpy(&bits, &value, sizeof bits), bits;
}
static inline float widen_bf16(uint16_t half) { return from_bits((uint32_t)half << 16); }
static inline float widen_f16(uint16_t half) {
    float size = from_bits((uint32_t)(half & 0x7fff) << 13) * 0x1p112f;
    return from_bits(to_bits(size) | (uint32_t)(half & 0x8000) << 16);
}
static inline uint16_t narrow_bf16(float value) {
    uint32_t bits = to_bits(value);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static inline uint16_t narrow_f16(float value) {
    uint32_t bits = to_bits(fabsf(value) * 0x1p-112f);
    return (uint16_t)((bits + 0xfff + (bits >> 13 & 1)) >> 13 | (to_bits(value) >> 16 & 0x8000));
}
#define SAME(x) (x)

typedef struct {
    const case_t *bench_case;
    void (*walk)(const run_t *runs, size_t count, size_t in_stride, size_t out_stride,
                 const void *in, void *sums);
    void (*finish)(const void *sums, void *output, size_t count, size_t set_size);
    void *sums;
    size_t sum_bytes;
    const void *start; /* what a sum begins with */
} state_t;

/* The loops of one fold and type: T in memory, A while summing. A run that is neither the last nor
 * the last but one is a loop around the others. */
#define LOOPS(name, T, A, WIDEN, NARROW, FOLD, FINISH, START)                                      \
    static const A start_##name = START;                                                           \
    static void walk_##name(const run_t *runs, size_t count, size_t in_stride, size_t out_stride,  \
                            const void *data, void *sums) {                                        \
        const T *restrict in = data;                                                               \
        A *restrict out = sums;                                                                    \
        size_t n = count ? runs[0].size : 1;                                                       \
        if (count <= 1 && (!count || runs[0].reduced)) {                                           \
            A sum = *out;                                                                          \
            for (size_t i = 0; i < n; i++) sum = FOLD(sum, (A)WIDEN(in[i]));                       \
            *out = sum;                                                                            \
            return;                                                                                \
        }                                                                                          \
        if (count == 1) {                                                                          \
            for (size_t i = 0; i < n; i++) out[i] = FOLD(out[i], (A)WIDEN(in[i]));                 \
            return;                                                                                \
        }                                                                                          \
        size_t in_step = in_stride / n;                                                            \
        size_t out_step = runs[0].reduced ? 0 : out_stride / n;                                    \
        size_t out_inner = runs[0].reduced ? out_stride : out_stride / n;                          \
        for (size_t i = 0; i < n; i++)                                                             \
            walk_##name(runs + 1, count - 1, in_step, out_inner, in + i * in_step,                 \
                        out + i * out_step);                                                       \
    }                                                                                              \
    static void finish_##name(const void *sums, void *output, size_t count, size_t set_size) {     \
        const A *restrict in = sums;                                                               \
        T *restrict out = output;                                                                  \
        const A n = (A)set_size;                                                                   \
        (void)n;                                                                                   \
        for (size_t i = 0; i < count; i++) out[i] = (T)NARROW(FINISH(in[i]));                      \
    }

#define LESS(a, x) ((x) < (a) ? (x) : (a))
#define MORE(a, x) ((x) > (a) ? (x) : (a))
#define ADD(a, x) ((a) + (x))
#define MULTIPLY(a, x) ((a) * (x))
#define ADD_SIZE(a, x) ((a) + ((x) < 0 ? -(x) : (x)))
#define ADD_SQUARE(a, x) ((a) + (x) * (x))
#define BOTH(a, x) ((a) & ((x) != 0))
#define EITHER(a, x) ((a) | ((x) != 0))
#define QUOTIENT(x) ((x) / n)

#define FLOATS(type, T, A, WIDEN, NARROW, ROOT)                                                    \
    LOOPS(min_##type, T, A, WIDEN, NARROW, LESS, SAME, (A)1e38)                                    \
    LOOPS(max_##type, T, A, WIDEN, NARROW, MORE, SAME, (A)-1e38)                                   \
    LOOPS(sum_##type, T, A, WIDEN, NARROW, ADD, SAME, 0)                                           \
    LOOPS(mean_##type, T, A, WIDEN, NARROW, ADD, QUOTIENT, 0)                                      \
    LOOPS(prod_##type, T, A, WIDEN, NARROW, MULTIPLY, SAME, 1)                                     \
    LOOPS(l1_##type, T, A, WIDEN, NARROW, ADD_SIZE, SAME, 0)                                       \
    LOOPS(l2_##type, T, A, WIDEN, NARROW, ADD_SQUARE, ROOT, 0)
/* U: as wide as the type, for what wraps around; S: wide, for what may not. */
#define INTEGERS(type, T, U, S, SIZE, LEAST, GREATEST)                                             \
    LOOPS(min_##type, T, T, SAME, SAME, LESS, SAME, GREATEST)                                      \
    LOOPS(max_##type, T, T, SAME, SAME, MORE, SAME, LEAST)                                         \
    LOOPS(sum_##type, T, U, SAME, SAME, ADD, SAME, 0)                                              \
    LOOPS(mean_##type, T, S, SAME, SAME, ADD, QUOTIENT, 0)                                         \
    LOOPS(prod_##type, T, U, SAME, SAME, MULTIPLY, SAME, 1)                                        \
    LOOPS(l1_##type, T, S, SAME, SAME, SIZE, SAME, 0)                                              \
    LOOPS(l2_##type, T, S, SAME, SAME, ADD_SQUARE, sqrt, 0)

FLOATS(f64, double, double, SAME, SAME, sqrt)
FLOATS(f32, float, float, SAME, SAME, sqrtf)
FLOATS(f16, uint16_t, float, widen_f16, narrow_f16, sqrtf)
FLOATS(bf16, uint16_t, float, widen_bf16, narrow_bf16, sqrtf)
INTEGERS(i64, int64_t, uint64_t, int64_t, ADD_SIZE, INT64_MIN, INT64_MAX)
INTEGERS(i32, int32_t, uint32_t, int64_t, ADD_SIZE, INT32_MIN, INT32_MAX)
INTEGERS(i16, int16_t, uint16_t, int64_t, ADD_SIZE, INT16_MIN, INT16_MAX)
INTEGERS(i8, int8_t, uint8_t, int64_t, ADD_SIZE, INT8_MIN, INT8_MAX)
INTEGERS(u64, uint64_t, uint64_t, uint64_t, ADD, 0, UINT64_MAX)
INTEGERS(u32, uint32_t, uint32_t, uint64_t, ADD, 0, UINT32_MAX)
INTEGERS(u16, uint16_t, uint16_t, uint64_t, ADD, 0, UINT16_MAX)
INTEGERS(u8, uint8_t, uint8_t, uint64_t, ADD, 0, UINT8_MAX)
LOOPS(and_boolean, uint8_t, uint8_t, SAME, SAME, BOTH, SAME, 1)
LOOPS(or_boolean, uint8_t, uint8_t, SAME, SAME, EITHER, SAME, 0)

#define ENTRY(name)                                                                                \
    { NULL, walk_##name, finish_##name, NULL, sizeof start_##name, &start_##name }
#define ENTRIES(type)                                                                              \
    {                                                                                              \
        [OP_MIN] = ENTRY(min_##type), [OP_MAX] = ENTRY(max_##type), [OP_SUM] = ENTRY(sum_##type),  \
        [OP_MEAN] = ENTRY(mean_##type), [OP_PROD] = ENTRY(prod_##type),                            \
        [OP_L1] = ENTRY(l1_##type), [OP_L2] = ENTRY(l2_##type)                                     \
    }
static const state_t entries[][OP_COUNT] = {
    [IRR_F64] = ENTRIES(f64),
    [IRR_F32] = ENTRIES(f32),
    [IRR_F16] = ENTRIES(f16),
    [IRR_BF16] = ENTRIES(bf16),
    [IRR_I64] = ENTRIES(i64),
    [IRR_I32] = ENTRIES(i32),
    [IRR_I16] = ENTRIES(i16),
    [IRR_I8] = ENTRIES(i8),
    [IRR_U64] = ENTRIES(u64),
    [IRR_U32] = ENTRIES(u32),
    [IRR_U16] = ENTRIES(u16),
    [IRR_U8] = ENTRIES(u8),
    [IRR_BOOLEAN] = {[OP_AND] = ENTRY(and_boolean), [OP_OR] = ENTRY(or_boolean)},
};

static void *open_state(const case_t *c, const contender_t *as) {
    (void)as;
    if (c->threads != 1 || c->siblings) return NULL;
    state_t *state = malloc(sizeof *state);
    if (!state) return NULL;
    *state = entries[c->data->type][c->op];
    state->bench_case = c;
    state->sums = malloc(c->outputs * state->sum_bytes);
    if (state->sums) return state;
    free(state);
    return NULL;
}

static bool run(void *opaque, void *output) {
    state_t *state = opaque;
    const case_t *c = state->bench_case;
    for (size_t k = 0; k < c->outputs; k++)
        memcpy((char *)state->sums + k * state->sum_bytes, state->start, state->sum_bytes);
    /* Strides are in elements; the walk multiplies by the type's size through its pointers. */
    state->walk(c->runs, c->run_count, c->data->count, c->outputs, c->data->data, state->sums);
    state->finish(state->sums, output, c->outputs, c->set_size);
    return true;
}

static void close_state(void *opaque) {
    state_t *state = opaque;
    free(state->sums);
    free(state);
}

const peer_t peer_loop = {.open = open_state, .run = run, .close = close_state};
