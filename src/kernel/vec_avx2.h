/* The vec names for AVX2 with FMA, F16C and BMI2: 32-byte vectors, partial loads by a small copy.
 * Arithmetic that the compiler's vector types spell (+ * & ^ >>) has no name here.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_VEC_AVX2_H
#define IRR_VEC_AVX2_H

#if !defined(__AVX2__) || !defined(__F16C__) || !defined(__BMI2__)
#error "this file needs -mavx2 -mfma -mf16c -mbmi2"
#endif

#include "base/element_type.h"
#include "kernel/kinds.h"

#include <immintrin.h>
#include <string.h>

#define VEC_REGISTERS 16
#define VEC_NEEDS ""
#define VEC_BYTES 32
#define VEC_OP(name) _mm256_##name
#define VEC_AND _mm256_and_si256
typedef __m256i v_any;
/* Words of v, each from the place that `from` says. */
#define VEC_WORDS(v, from) _mm256_permutevar8x32_epi32(v, from)
#include "kernel/vec_types.h"

#define VEC_DOWN_32(v) (v) /* there are no upper 32 bytes; stands in a branch never taken */
#define VEC_DOWN_16(v) _mm256_permute2x128_si256((__m256i)(v), (__m256i)(v), 0x01)

#define VEC_LOWER_32(a, b) (a) /* as above */
#define VEC_UPPER_32(a, b) (b)
#define VEC_LOWER_16(a, b) _mm256_permute2x128_si256((__m256i)(a), (__m256i)(b), 0x20)
#define VEC_UPPER_16(a, b) _mm256_permute2x128_si256((__m256i)(a), (__m256i)(b), 0x31)
#define VEC_LOWER_HALF VEC_LOWER_16
#define VEC_UPPER_HALF VEC_UPPER_16
#define VEC_LOWER_QUARTER VEC_LOWER_8
#define VEC_UPPER_QUARTER VEC_UPPER_8
static const uint8_t vec_slots_4[8] = {0, 2, 1, 3, 4, 6, 5, 7};
static const uint8_t vec_slots_8[4] = {0, 1, 2, 3};
/* Rows in order, where vector i began with the i-th four of them: lanes of L, 4 or 8 bytes. */
#define VEC_FOURS_IN_ORDER(L, v)                                                                   \
    (sizeof(L) == 8 ? (__m256i)(v) : _mm256_permute4x64_epi64((__m256i)(v), 0xd8))

/* The first bytes of a vector, `fills` behind them: elements of 4 bytes or more by mask. */
static inline __m256i part_words(const void *from, size_t words, __m256i fills) {
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)words), index);
    return _mm256_blendv_epi8(fills, _mm256_maskload_epi32(from, mask), mask);
}
/* The first or the last bytes of a vector, and 0 for the others: sooner than to load them alone. */
static const int64_t vec_kept[12] = {0, 0, 0, 0, -1, -1, -1, -1};
#define VEC_KEPT(from) _mm256_loadu_si256((const void *)((const char *)vec_kept + (from)))
#define VEC_CUT(v, from) ((__typeof__(v))((__m256i)(v)&VEC_KEPT(from)))
#define VEC_FIRST(v, bytes) VEC_CUT(v, 64 - (bytes))
#define VEC_LAST(v, bytes) VEC_CUT(v, bytes)

/* Smaller ones likewise, but for a last part of a word. */
static inline __m256i part_bytes(const void *from, size_t bytes, __m256i fills) {
    const uint8_t *p = from;
    __m256i part = part_words(from, bytes / 4, _mm256_setzero_si256());
    uint32_t rest = bytes % 4, last;
    if (rest) {
        if (bytes > 4)
            memcpy(&last, p + bytes - 4, 4), last >>= 32 - 8 * rest;
        else
            last = p[0] | (uint32_t)p[rest / 2] << rest / 2 * 8 |
                   (uint32_t)p[rest - 1] << (rest - 1) * 8;
        const __m256i at = _mm256_set1_epi32((int)(bytes / 4)),
                      words = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        part = _mm256_or_si256(
            part, _mm256_and_si256(_mm256_set1_epi32((int)last), _mm256_cmpeq_epi32(at, words)));
    }
    return _mm256_blendv_epi8(fills, part, VEC_KEPT(64 - bytes));
}

/* Where a loop would have it in many places. */
static __attribute__((noinline)) __m256i part_called(const void *from, size_t bytes,
                                                     __m256i fills) {
    return part_bytes(from, bytes, fills);
}

/* name(p) loads a whole vector, name_n(p, n, fill) its first n lanes and `fill` in the others,
 * name_rest(p, n, fill) as well, of a long row, name_of_step(p, k, held) vector k of a row's whole
 * step, one after the other from a multiple of 4 on: what was loaded for several is held.
 */
#define LOADS(name, V, E, whole)                                                                   \
    IRREGULAR_LOADS(name, V, E, whole)                                                             \
    static inline V name##_of_step(const E *p, size_t k, v_any *held) {                            \
        (void)held;                                                                                \
        return name(p + k * VEC_LANES(V));                                                         \
    }
#define IRREGULAR_LOADS(name, V, E, whole)                                                         \
    static inline V name(const E *p) { return (V)(whole); }                                        \
    static inline V name##_few(const E *from, size_t parts) {                                      \
        const __m256i few =                                                                        \
            _mm256_zextsi128_si256(few_128(from, VEC_LANES(V) * sizeof(E) / parts));               \
        const void *p = &few;                                                                      \
        return (V)(whole);                                                                         \
    }                                                                                              \
    static inline V name##_part(const E *from, size_t n, E fill, bool called) {                    \
        typedef E fills_t __attribute__((vector_size(VEC_BYTES)));                                 \
        const __m256i fills = (__m256i)VEC_SPLAT(fills_t, fill);                                   \
        const __m256i part = sizeof(E) >= 4 ? part_words(from, n * sizeof(E) / 4, fills)           \
                             : called       ? part_called(from, n * sizeof(E), fills)              \
                                            : part_bytes(from, n * sizeof(E), fills);                    \
        const void *p = &part;                                                                     \
        return (V)(whole);                                                                         \
    }                                                                                              \
    static inline V name##_n(const E *p, size_t n, E fill) {                                       \
        return name##_part(p, n, fill, false);                                                     \
    }                                                                                              \
    static inline V name##_rest(const E *p, size_t n, E fill) {                                    \
        return name##_part(p, n, fill, true);                                                      \
    }
#define WHOLE_64 _mm_loadl_epi64((const __m128i *)(const void *)p)

#define PLAIN(T, lane, bits, E, ...) LOADS(load_##lane, v_##lane, E, WHOLE_256)
EACH_LANE(PLAIN, )
LOADS(load_f16_as_f32, v_f32, uint16_t, _mm256_cvtph_ps(WHOLE_128))
IRREGULAR_LOADS(load_bf16_as_f32, v_f32, uint16_t,
                _mm256_slli_epi32(_mm256_cvtepu16_epi32(WHOLE_128), 16))
LOADS(load_i8_as_u32, v_u32, int8_t, _mm256_cvtepi8_epi32(WHOLE_64))
LOADS(load_u8_as_u32, v_u32, uint8_t, _mm256_cvtepu8_epi32(WHOLE_64))
LOADS(load_i16_as_u32, v_u32, int16_t, _mm256_cvtepi16_epi32(WHOLE_128))
LOADS(load_u16_as_u32, v_u32, uint16_t, _mm256_cvtepu16_epi32(WHOLE_128))
static inline __m256d f64_of_u32(__m128i x) {
    __m256d from_middle = _mm256_cvtepi32_pd(_mm_xor_si128(x, _mm_set1_epi32(INT32_MIN)));
    return _mm256_add_pd(from_middle, _mm256_set1_pd(0x1p31));
}
LOADS(load_i32_as_f64, v_f64, int32_t, _mm256_cvtepi32_pd(WHOLE_128))
LOADS(load_u32_as_f64, v_f64, uint32_t, f64_of_u32(WHOLE_128))
LOADS(load_f32_as_f64, v_f64, float, _mm256_cvtps_pd((__m128)WHOLE_128))
LOADS(load_f16_as_f64, v_f64, uint16_t, _mm256_cvtps_pd(_mm_cvtph_ps(WHOLE_64)))
IRREGULAR_LOADS(load_bf16_as_f64, v_f64, uint16_t,
                _mm256_cvtps_pd((__m128)_mm_slli_epi32(_mm_cvtepu16_epi32(WHOLE_64), 16)))

/* Short rows, several in a vector: each in a slot of its own, a power of two of bytes, where the
 * fill stands behind it. Half of them are in each half of the vector. */
#define VEC_MOST_PACKED(E, L) (sizeof(E) == sizeof(L) && sizeof(L) < 8 ? 16 : 0)
typedef struct {
    v_u8 bytes;  /* where each comes from, in its half */
    v_u8 behind; /* those of the fill */
} packing_t;
static inline packing_t packing_of(size_t row_bytes, size_t lane_bytes, size_t slot_bytes) {
    static const uint8_t counted[32] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint8_t row = (uint8_t)row_bytes, slot = (uint8_t)slot_bytes;
    v_u8 byte = VEC_LOAD(v_u8, counted), in_slot = byte & (uint8_t)(slot - 1);
    packing_t packing;
    packing.bytes = in_slot + ((v_u8)((byte & slot) != 0) & row);
    packing.bytes += (v_u8)((byte & (uint8_t)(2 * slot)) != 0) & (uint8_t)(2 * row);
    packing.behind = (v_u8)(in_slot >= row);
    packing.bytes |= packing.behind & 0x80;
    return packing;
}
/* The rows of a vector, of so many bytes; `room` can be read. */
static inline __m256i packed(const char *rows, size_t bytes, size_t room, __m256i fills,
                             const packing_t *packing) {
    char copy[VEC_BYTES];
    if (room < bytes / 2 + 16) {
        _mm256_storeu_si256((void *)copy, part_called(rows, bytes, fills));
        rows = copy;
    }
    __m256i v = _mm256_castsi128_si256(_mm_loadu_si128((const void *)rows));
    v = _mm256_inserti128_si256(v, _mm_loadu_si128((const void *)(rows + bytes / 2)), 1);
    v = _mm256_shuffle_epi8(v, (__m256i)packing->bytes);
    return v | (fills & (__m256i)packing->behind);
}
#define VEC_LOAD_PACKED(load, p, n, room, L, fill, packing)                                        \
    (__typeof__(load(p)))packed((const char *)(p), (n) * sizeof *(p), (room) * sizeof *(p),        \
                                (__m256i)VEC_SPLAT(__typeof__(load(p)), fill), packing)
/* Rows that were packed into so many vectors and then folded, `rows` lanes, in order. */
static inline __m256i in_order(__m256i v, size_t vectors) {
    if (vectors == 1) return v;
    if (vectors == 2) return _mm256_permute4x64_epi64(v, 0xd8);
    return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 2, 6, 1, 5, 3, 7));
}
#define VEC_IN_ORDER(v, rows, vectors) in_order((__m256i)(v), vectors)

/* The upper half of each lane of 64 bits, with its sign. */
#define UPPER_I32(v) multiply_i32((v) >> 32, VEC_SPLAT(v_u64, UINT64_C(1)))

/* AVX2 compares 64-bit lanes as signed numbers only; the unsigned ones flip their sign bits. b is
 * often an element, from memory. */
#define SIGN_64 _mm256_set1_epi64x(INT64_MIN)
static inline __m256i above_i64(__m256i a, __m256i b) { return _mm256_cmpgt_epi64(a, b); }
static inline __m256i above_u64(__m256i a, __m256i b) {
    return above_i64(_mm256_xor_si256(a, SIGN_64), _mm256_xor_si256(b, SIGN_64));
}
#define EXTREMES_64(T, lane, ...)                                                                  \
    static inline v_##lane min_##lane(v_##lane a, v_##lane b) {                                    \
        VEC_LOAD_ONCE(b);                                                                          \
        __m256i x = (__m256i)a, y = (__m256i)b;                                                    \
        return (v_##lane)_mm256_blendv_epi8(x, y, above_##lane(x, y));                             \
    }                                                                                              \
    static inline v_##lane max_##lane(v_##lane a, v_##lane b) {                                    \
        VEC_LOAD_ONCE(b);                                                                          \
        __m256i x = (__m256i)a, y = (__m256i)b;                                                    \
        return (v_##lane)_mm256_blendv_epi8(y, x, above_##lane(x, y));                             \
    }
BOTH_OF(64, EXTREMES_64, )
static inline v_i64 either_least_64(v_i64 a, v_i64 b) {
    return (v_i64)_mm256_or_pd(_mm256_min_pd((__m256d)a, (__m256d)b),
                               _mm256_min_pd((__m256d)b, (__m256d)a));
}
/* Is one of these bits set in any lane of 64? */
#define VEC_ANY_OF(v, bits) (!_mm256_testz_si256((__m256i)(v), _mm256_set1_epi64x((int64_t)(bits))))

/* The greater of most and |x|; the lesser of least and |x|, unless x is 0. */
static inline v_i64 greatest_magnitude_64(v_i64 most, v_f64 x) {
    return (v_i64)_mm256_max_pd((__m256d)magnitude_f64(x), (__m256d)most);
}
static inline v_i64 least_nonzero_64(v_i64 least, v_f64 x) { /* of a NaN, it is the other */
    return (v_i64)_mm256_min_pd((__m256d)((v_i64)magnitude_f64(x) | (v_i64)(x == 0)),
                                (__m256d)least);
}

/* Two planes to pairs in memory, and back. */
#define VEC_ZIP(bits, out, a, b)                                                                   \
    do {                                                                                           \
        __m256i low_ = _mm256_unpacklo_epi##bits((__m256i)(a), (__m256i)(b));                      \
        __m256i high_ = _mm256_unpackhi_epi##bits((__m256i)(a), (__m256i)(b));                     \
        VEC_STORE(v_u8, out, VEC_LOWER_16(low_, high_));                                           \
        VEC_STORE(v_u8, (char *)(out) + 32, VEC_UPPER_16(low_, high_));                            \
    } while (0)
#define VEC_UNZIP(bits, from, a, b)                                                                \
    do {                                                                                           \
        __m256i low_ = (__m256i)VEC_LOAD(v_u8, from);                                              \
        __m256i high_ = (__m256i)VEC_LOAD(v_u8, (const char *)(from) + 32);                        \
        (a) = (v_f##bits)_mm256_permute4x64_epi64(EVENS_##bits(low_, high_), 0xd8);                \
        (b) = (v_i##bits)_mm256_permute4x64_epi64(ODDS_##bits(low_, high_), 0xd8);                 \
    } while (0)
#define EVENS_32(a, b) (__m256i) VEC_LOWER_4(a, b)
#define ODDS_32(a, b) (__m256i) VEC_UPPER_4(a, b)
#define EVENS_64 VEC_LOWER_8
#define ODDS_64 VEC_UPPER_8

/* Of f32, as many lanes as f64 has: the lower ones, the upper ones. */
#define LOWER_LANES(v) ((v_f32h)_mm256_castps256_ps128((__m256)(v)))
#define UPPER_LANES(v) ((v_f32h)_mm256_extractf128_ps((__m256)(v), 1))

static inline v_u64 magnitude_i64(v_u64 x) {
    VEC_LOAD_ONCE(x);
    v_u64 sign = (v_u64)_mm256_cmpgt_epi64(_mm256_setzero_si256(), (__m256i)x);
    return (x ^ sign) - sign;
}

/* Between doubles and integers below 2^51, truncated: the fraction of a double whose last place is
 * 1, since no instruction converts 64 bits. */
#define LAST_PLACE_1 0x1.8p52
#define BITS_OF_LAST_PLACE_1 INT64_C(0x4338000000000000)
static inline v_f64 f64_of_small(v_i64 x) {
    return (v_f64)(x + BITS_OF_LAST_PLACE_1) - LAST_PLACE_1;
}
static inline v_i64 small_of_f64(v_f64 x) {
    v_f64 whole = (v_f64)_mm256_round_pd((__m256d)x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    return (v_i64)(whole + LAST_PLACE_1) - BITS_OF_LAST_PLACE_1;
}
#define LEAST_ROOTED_32 0.0f
#define LEAST_ROOTED_64 0.0
static inline v_f32 root_f32(v_f32 x) { return (v_f32)_mm256_sqrt_ps((__m256)x); }
static inline v_f64 root_f64(v_f64 x) { return (v_f64)_mm256_sqrt_pd((__m256d)x); }
static inline v_i64 root_of_small(v_f64 x) { return small_of_f64(root_f64(x)); }
static inline void store_low_32(int32_t *out, v_i64 x) {
    const __m256i evens = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    __m256i low = _mm256_permutevar8x32_epi32((__m256i)x, evens);
    _mm_storeu_si128((__m128i *)(void *)out, _mm256_castsi256_si128(low));
}
#define HALVES(x) _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
static inline void store_f16(uint16_t *out, v_f32 v) {
    _mm_storeu_si128((__m128i *)(void *)out, HALVES((__m256)v));
}
/* Stores past the caches, of vectors where such lie. */
static inline void stream_f16(uint16_t *out, v_f32 v) {
    _mm_stream_si128((__m128i *)(void *)out, HALVES((__m256)v));
}
static inline void vec_stream(void *out, v_any v) { _mm256_stream_si256(out, v); }
static inline void narrow_f16(uint16_t *out, const float *in, size_t n) {
    size_t i = 0;
    for (; i + 8 <= n; i += 8) store_f16(out + i, VEC_LOAD(v_f32, in + i));
    for (; i < n; i++) out[i] = _cvtss_sh(in[i], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/* How registers hold the least or greatest of floats: kernel_order.inc has the ways. */
#define VEC_ORDER_16 TURNED
#define VEC_ORDER_32 TURNED
#define VEC_ORDER_64 EITHER
/* name_n in a loop that has it in many places. */
#define VEC_REST(load) load##_rest

#endif
