/* The vec names as plain C: a vector of one lane. This tier is the bit model of the others and runs
 * anywhere; it includes no intrinsics. Compilers make vectors of its loops, of SSE2 on x86-64.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_VEC_SCALAR_H
#define IRR_VEC_SCALAR_H

#include "base/element_type.h"
#include "kernel/kinds.h"

#include <string.h>

#define VECTOR(T, lane, bits, E, ...) typedef E v_##lane;
EACH_LANE(VECTOR, )
typedef float v_f32h __attribute__((may_alias)); /* stored where results are bits */
typedef int v_any;                               /* no vector is loaded for two */

#define VEC_REGISTERS 16
#define VEC_NEEDS ""
#define VEC_LANE0(v) (v)
#define VEC_SPLAT(V, x) ((V)(x))
#define VEC_STORE(V, p, v) (*(V *)(p) = (v))
#define VEC_LOAD(V, p) (*(const V *)(p))
/* One lane has no halves: these stand in branches that are never taken. */
/* Keeps a product of two u16 out of int. */
#define VEC_WIDER_U16(v) ((unsigned)(v))
#define VEC_DOWN(V, v, bytes) (v)
#define VEC_LOWER(piece, a, b) (a)
#define VEC_UPPER(piece, a, b) (b)
#define VEC_STORE_ROWS(V, A, out, v) VEC_STORE(V, out, v)
#define VEC_ROWS(A) 1
#define VEC_SLOT(A, i) (i)
#define VEC_FOURS_IN_ORDER(L, v) (v)
/* Nor are rows packed. */
#define VEC_MOST_PACKED(E, L) 0
typedef bool packing_t;
#define packing_of(row_bytes, lane_bytes, slot_bytes) (slot_bytes > 0)
#define VEC_LOAD_PACKED(load, p, n, room, L, fill, packing) ((void)(packing), load##_n(p, n, fill))
#define VEC_IN_ORDER(v, rows, vectors) (v)

/* A vector of one lane is never loaded in part. */
#define WHOLE(name, V, E, expression)                                                              \
    IRREGULAR(name, V, E, expression)                                                              \
    static inline V name##_of_step(const E *p, size_t k, v_any *held) { return name(p + k); }
#define IRREGULAR(name, V, E, expression)                                                          \
    static inline V name(const E *p) { return expression; }                                        \
    static inline V name##_few(const E *p, size_t parts) { return name(p); }                       \
    static inline V name##_n(const E *p, size_t n, E fill) { return name(p); }

/* f16 to f32: the exponent moves by a multiplication, exact for denormals too. */
static inline float f32_of_f16(uint16_t h) {
    uint32_t bits = ((uint32_t)(int16_t)h << 13) & 0x8fffe000u;
    float value;
    memcpy(&value, &bits, sizeof value);
    value *= 0x1p112f;
    if (__builtin_expect((h & 0x7c00) == 0x7c00, false)) { /* inf, NaN */
        __asm__("" : "+r"(bits)); /* a branch, or compilers make a longer way for all */
        bits |= 0x7f800000u;
        memcpy(&value, &bits, sizeof value);
    }
    return value;
}
static inline float f32_of_bf16(uint16_t h) {
    uint32_t bits = (uint32_t)h << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define PLAIN(T, lane, bits, E, ...) WHOLE(load_##lane, v_##lane, E, *p)
#define AS_U32(T, lane, bits, E, ...) WHOLE(load_##lane##_as_u32, v_u32, E, (uint32_t)*p)
EACH_LANE(PLAIN, )
EACH_SHORT(AS_U32, )
WHOLE(load_i32_as_f64, v_f64, int32_t, *p)
WHOLE(load_u32_as_f64, v_f64, uint32_t, *p)
WHOLE(load_f32_as_f64, v_f64, float, *p)
WHOLE(load_f16_as_f64, v_f64, uint16_t, f32_of_f16(*p))
WHOLE(load_bf16_as_f64, v_f64, uint16_t, f32_of_bf16(*p))
WHOLE(load_f16_as_f32, v_f32, uint16_t, f32_of_f16(*p))
IRREGULAR(load_bf16_as_f32, v_f32, uint16_t, f32_of_bf16(*p))
/* The even elements of 32, then the odd ones. */
static inline v_f32 load_bf16_as_f32_of_step(const uint16_t *p, size_t k, v_any *held) {
    return f32_of_bf16(p[k / 32 * 32 + k % 16 * 2 + k / 16 % 2]);
}

#define EXTREMES_OF(T, lane, ...)                                                                  \
    static inline v_##lane min_##lane(v_##lane a, v_##lane b) { return a < b ? a : b; }            \
    static inline v_##lane max_##lane(v_##lane a, v_##lane b) { return a > b ? a : b; }
EACH_INTEGER(EXTREMES_OF, )

static inline v_f32 magnitude_f32(v_f32 x) { return __builtin_fabsf(x); }
static inline v_f64 magnitude_f64(v_f64 x) { return __builtin_fabs(x); }
/* Between doubles and integers below 2^51; truncated. */
static inline v_f64 f64_of_small(v_i64 x) { return (v_f64)x; }
static inline v_i64 small_of_f64(v_f64 x) { return (v_i64)x; }
#define LEAST_ROOTED_32 0.0f
#define LEAST_ROOTED_64 0.0
static inline v_f32 root_f32(v_f32 x) { return __builtin_sqrtf(x); }
static inline v_f64 root_f64(v_f64 x) { return __builtin_sqrt(x); }
#define store_low_32(out, x) (*(out) = (int32_t)(x))
#define store_low_64(out, x) (*(out) = (x))
static inline v_i64 root_of_small(v_f64 x) { return small_of_f64(root_f64(x)); }
#define BITS_OF(bits)                                                                              \
    static inline v_i##bits bits_of_f##bits(v_f##bits x) {                                         \
        v_i##bits value;                                                                           \
        memcpy(&value, &x, sizeof value);                                                          \
        return value;                                                                              \
    }                                                                                              \
    static inline v_f##bits f##bits##_of_bits(v_i##bits x) {                                       \
        v_f##bits value;                                                                           \
        memcpy(&value, &x, sizeof value);                                                          \
        return value;                                                                              \
    }
BITS_OF(32)
BITS_OF(64)
static inline v_u64 multiply_u32(v_u64 a, v_u64 b) { return (a & UINT32_MAX) * (b & UINT32_MAX); }
/* The greater of most and |x|; the lesser of least and |x|, unless x is 0. */
static inline v_i64 greatest_magnitude_64(v_i64 most, v_f64 x) {
    return max_i64(most, bits_of_f64(x) & INT64_MAX);
}
static inline v_i64 least_nonzero_64(v_i64 least, v_f64 x) {
    return x == 0 ? least : min_i64(least, bits_of_f64(x) & INT64_MAX);
}
#define VEC_ANY_OF(v, bits) (((v) & (bits)) != 0)
#define VEC_LOAD_ONCE(x) ((void)(x))
#if defined(__x86_64__)
#define VEC_DONE(x) __asm__ volatile("" : "+x"(x))
#else
#define VEC_DONE(x) ((void)(x))
#endif
#define VEC_BELOW(a, b) (-((a) < (b)))
#define VEC_ANY_BELOW(a, b) ((a) < (b))
/* Two planes to pairs in memory, and back. */
#define VEC_ZIP(bits, out, a, b) ((out)->mantissa = (a), (out)->exponent = (b))
#define VEC_UNZIP(bits, from, a, b)                                                                \
    (memcpy(&(a), (from), (bits) / 8), memcpy(&(b), (const char *)(from) + (bits) / 8, (bits) / 8))

/* |x| of a two's complement lane, as unsigned. */
static inline v_u64 magnitude_i64(v_u64 x) { return x >> 63 ? 0 - x : x; }

#define quotient_f32(x, y, part) ((x) / (y))
#define quotient_f64 quotient_f32
static inline v_f64 fused_f64(v_f64 a, v_f64 b, v_f64 c) { return __builtin_fma(a, b, c); }
#define VEC_PLUS(a, b) ((a) + (b))
#define VEC_PLUS_PRODUCT(a, b, c) ((a) * (b) + (c))
#define WIDEN(v) ((double)(v))
#define NARROWED(v) ((float)(v))
#define VEC_ROOT(v) __builtin_sqrt(v)

static inline void narrow_f16(uint16_t *out, const float *in, size_t n) {
    for (size_t i = 0; i < n; i++) /* a NaN keeps its sign */
        out[i] = irr_f64_to_f16(in[i]) | (in[i] != in[i] && __builtin_signbit(in[i]) ? 0x8000 : 0);
}

/* How registers hold the least or greatest of floats: kernel_order.inc has the ways. */
#define VEC_ORDER_16 TURNED
#define VEC_ORDER_32 TURNED
#define VEC_ORDER_64 TURNED
#define VEC_REST(load) load##_n

#endif
