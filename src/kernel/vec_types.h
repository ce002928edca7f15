/* Vector types of VEC_BYTES bytes, and what every SIMD tier does alike with them.
 * Included by vec_avx2.h and vec_avx512.h, after they have set VEC_BYTES.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_VEC_TYPES_H
#define IRR_VEC_TYPES_H

#define VECTOR(lane, E)                                                                            \
    typedef E v_##lane __attribute__((vector_size(VEC_BYTES)));                                    \
    typedef E v_##lane##_at __attribute__((vector_size(VEC_BYTES), aligned(1), may_alias))
VECTOR(f32, float);
VECTOR(f64, double);
VECTOR(i8, int8_t);
VECTOR(i16, int16_t);
VECTOR(i32, int32_t);
VECTOR(i64, int64_t);
VECTOR(u8, uint8_t);
VECTOR(u16, uint16_t);
VECTOR(u32, uint32_t);
VECTOR(u64, uint64_t);

typedef float v_f32h __attribute__((vector_size(VEC_BYTES / 2))); /* as many lanes as f64 has */

typedef int32_t few_at __attribute__((aligned(1), may_alias));
typedef int16_t two_at __attribute__((aligned(1), may_alias));
/* The first elements, a half or a quarter of a vector, zeros behind it: name_few(p, parts) loads so
 * much. */
static inline __m128i few_128(const void *p, size_t bytes) {
    return bytes == 16  ? _mm_loadu_si128((const __m128i *)p)
           : bytes == 8 ? _mm_loadl_epi64((const __m128i *)p)
           : bytes == 4 ? _mm_cvtsi32_si128(*(const few_at *)p)
                        : _mm_cvtsi32_si128(*(const two_at *)p);
}
#define VEC_LANE0(v) ((v)[0])
#define VEC_LANES(V) (sizeof(V) / sizeof((V){0}[0]))
#define VEC_SPLAT(V, x) ((x) - (V){0})
#define VEC_LOAD(V, p) ((V) * (const V##_at *)(p))
#define VEC_STORE(V, p, v) (*(V##_at *)(p) = (V##_at)(v))
#define VEC_WIDER_U16(v) (v)
/* The vector moved down by a number of bytes; only the low bytes of the result are meant. */
#define VEC_DOWN(V, v, bytes) ((V)VEC_DOWN_##bytes(v))

/* A vector that several instructions take is loaded once, not by each of them. */
#define VEC_LOAD_ONCE(x) __asm__("" : "+v"(x))
/* Has been worked out before whatever follows. */
#define VEC_DONE(x) __asm__ volatile("" : "+v"(x))
/* a + b on the pipes that multiply: some CPUs add on others, which may have more to do. */
static inline v_f64 one_f64(void) { /* that no compiler knows */
    v_f64 one = VEC_SPLAT(v_f64, 1);
    VEC_LOAD_ONCE(one);
    return one;
}
#define VEC_PLUS(a, b) fused_f64(a, one_f64(), b)
#define VEC_PLUS_PRODUCT fused_f64 /* of an exact product */
/* Rows whose lanes are halved together, where each keeps at least 4 bytes of the last vector. */
#define VEC_ROWS(A) (VEC_BYTES / (sizeof(A) < 4 ? 4 : sizeof(A)))
/* Which vector row i must be for its result to stand at i; vector i takes the row of that number,
 * too. */
#define VEC_SLOT(A, i) (sizeof(A) == 8 ? vec_slots_8[i] : vec_slots_4[i])
#define VEC_STORE_ROWS(V, A, out, v)                                                               \
    if (sizeof(A) < 4) {                                                                           \
        uint32_t rows_[VEC_BYTES / 4];                                                             \
        VEC_STORE(V, rows_, v);                                                                    \
        for (size_t i = 0; i < VEC_BYTES / 4; i++) (out)[i] = (A)rows_[i];                         \
    } else {                                                                                       \
        VEC_STORE(V, out, v);                                                                      \
    }

/* x / y, nearest, by products, sooner: `part` is 1 / y, nearest. One step finds the quotient to one
 * unit of the last place, of which the next makes the nearest (Markstein), where x is y times a
 * normal number. */
#define DEFINE_QUOTIENT(bits)                                                                      \
    static inline v_f##bits quotient_f##bits(v_f##bits x, v_f##bits y, v_f##bits part) {           \
        v_f##bits q = x * part;                                                                    \
        q = fused_f##bits(fused_f##bits(-q, y, x), part, q);                                       \
        return fused_f##bits(fused_f##bits(-q, y, x), part, q);                                    \
    }

static inline v_f32 magnitude_f32(v_f32 x) { return (v_f32)((v_i32)x & INT32_MAX); }
static inline v_f64 magnitude_f64(v_f64 x) { return (v_f64)((v_i64)x & INT64_MAX); }
static inline v_f32h magnitude_f32h(v_f32h x) {
    typedef int32_t bits_t __attribute__((vector_size(VEC_BYTES / 2)));
    return (v_f32h)((bits_t)x & INT32_MAX);
}
static inline v_i32 bits_of_f32(v_f32 x) { return (v_i32)x; }
static inline v_i64 bits_of_f64(v_f64 x) { return (v_i64)x; }
static inline v_f32 f32_of_bits(v_i32 x) { return (v_f32)x; }
static inline v_f64 f64_of_bits(v_i64 x) { return (v_f64)x; }
/* All bits of the lanes in which a < b. */
#define VEC_BELOW(a, b) ((a) < (b))

#endif
