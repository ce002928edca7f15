/* The vec names for AVX-512 F, BW, DQ, VL: 64-byte vectors, partial loads by mask.
 * Arithmetic that the compiler's vector types spell (+ * & ^ >>) has no name here.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_VEC_AVX512_H
#define IRR_VEC_AVX512_H

#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512DQ__) ||                   \
    !defined(__AVX512VL__)
#error "this file needs -mavx512f -mavx512bw -mavx512dq -mavx512vl"
#endif

#include "base/element_type.h"
#include "kernel/kinds.h"

#include <immintrin.h>

#define VEC_REGISTERS 32
#define VEC_BYTES 64
#define VEC_OP(name) _mm512_##name
#define VEC_AND _mm512_and_si512
typedef __m512i v_any;
/* Words of v, each from the place that `from` says. */
#define VEC_WORDS(v, from) _mm512_permutexvar_epi32(from, v)
#ifdef __AVX512VNNI__
#define VEC_NEEDS "+vnni"
#define add_products_i16(sum, a, b)                                                                \
    ((v_u32)_mm512_dpwssd_epi32((__m512i)(sum), (__m512i)(a), (__m512i)(b)))
#define add_products_8(sum, a, b)                                                                  \
    ((v_u32)_mm512_dpbusd_epi32((__m512i)(sum), (__m512i)(a), (__m512i)(b)))
#else
#define VEC_NEEDS ""
#endif
#include "kernel/vec_types.h"

#define VEC_DOWN_32(v) (v_u8) _mm512_shuffle_i64x2((__m512i)(v), (__m512i)(v), 0x4e)
#define VEC_DOWN_16(v) (v_u8) _mm512_shuffle_i64x2((__m512i)(v), (__m512i)(v), 0xb1)

#define PICK_512(select, a, b, m) select((__m512i)(a), (__m512i)(b), m)
#define VEC_LOWER_32(a, b) PICK_512(_mm512_shuffle_i64x2, a, b, 0x44)
#define VEC_UPPER_32(a, b) PICK_512(_mm512_shuffle_i64x2, a, b, 0xee)
#define VEC_LOWER_16(a, b) PICK_512(_mm512_shuffle_i64x2, a, b, 0x88)
#define VEC_UPPER_16(a, b) PICK_512(_mm512_shuffle_i64x2, a, b, 0xdd)
#define VEC_LOWER_HALF VEC_LOWER_32
#define VEC_UPPER_HALF VEC_UPPER_32
#define VEC_LOWER_QUARTER VEC_LOWER_16
#define VEC_UPPER_QUARTER VEC_UPPER_16
static const uint8_t vec_slots_4[16] = {0, 2, 1, 3, 8, 10, 9, 11, 4, 6, 5, 7, 12, 14, 13, 15};
static const uint8_t vec_slots_8[8] = {0, 1, 4, 5, 2, 3, 6, 7};
/* Rows in order, where vector i began with the i-th four of them: lanes of L, 4 or 8 bytes. */
#define VEC_FOURS_IN_ORDER(L, v)                                                                   \
    (sizeof(L) == 8 ? _mm512_permutexvar_epi64(REVERSED_8, (__m512i)(v))                           \
                    : _mm512_permutexvar_epi32(REVERSED_16, (__m512i)(v)))
#define REVERSED_8 _mm512_setr_epi64(0, 4, 2, 6, 1, 5, 3, 7)
#define REVERSED_16 _mm512_setr_epi32(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15)

/* name(p) loads a whole vector, name_n(p, n, fill) its first n lanes and `fill` in the others,
 * name_of_step(p, k, held) vector k of a row's whole step, one after the other from a multiple of 4
 * on: what was loaded for several is held.
 * In the expressions `mask` stands for the first n lanes, `fills` for the vector F of fills. */
#define LOADS(name, V, E, whole, F, part)                                                          \
    IRREGULAR_LOADS(name, V, E, whole, F, part)                                                    \
    static inline V name##_of_step(const E *p, size_t k, v_any *held) {                            \
        (void)held;                                                                                \
        return name(p + k * VEC_LANES(V));                                                         \
    }
#define IRREGULAR_LOADS(name, V, E, whole, F, part)                                                \
    static inline V name(const E *p) { return (V)(whole); }                                        \
    static inline V name##_n(const E *p, size_t n, E fill) {                                       \
        const uint64_t mask = _bzhi_u64(~UINT64_C(0), (unsigned)n);                                \
        typedef E fills_t __attribute__((vector_size(sizeof(F))));                                 \
        const F fills = (F)VEC_SPLAT(fills_t, fill);                                               \
        return (V)(part);                                                                          \
    }
/* Vectors of a row that lie across lines are made of what their two lines hold, each loaded once: a
 * load across lines takes as long as two, and from beyond the first cache nearly that. */
#define VEC_SHIFTS
typedef struct {
    const char *line; /* the next one */
    __m512i held, order;
} shifted_t;
static inline bool is_shifted(const void *p) { return (uintptr_t)p % 64 && (uintptr_t)p % 4 == 0; }
/* Words of the line before; all of it where p begins a line, and then none is read. */
static inline shifted_t shifted_at(const void *p) {
    const unsigned before = ((unsigned)((uintptr_t)p / 4) - 1) % 16 + 1;
    const char *line = (const char *)p - 4 * before;
    const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return (shifted_t){line + 64, _mm512_maskz_loadu_epi32((__mmask16)(0xffffu << before), line),
                       _mm512_add_epi32(numbers, _mm512_set1_epi32((int32_t)before))};
}
/* Up to the end of the line in which the vector ends. */
static inline __m512i shifted_next(shifted_t *s) {
    __m512i next = _mm512_load_si512((const void *)s->line);
    __m512i v = _mm512_permutex2var_epi32(s->held, s->order, next);
    s->held = next, s->line += 64;
    return v;
}
#define FEW(lane, E)                                                                               \
    static inline v_##lane load_##lane##_few(const E *p, size_t parts) {                           \
        return (v_##lane)(parts == 2 ? _mm512_zextsi256_si512(_mm256_loadu_si256((const void *)p)) \
                                     : _mm512_zextsi128_si512(few_128(p, 16)));                    \
    }
#define PLAIN(lane, E, whole, F, part)                                                             \
    FEW(lane, E)                                                                                   \
    LOADS(load_##lane, v_##lane, E, whole, F, part)
#define PLAIN_INTEGERS(T, lane, bits, E, ...)                                                      \
    PLAIN(lane, E, _mm512_loadu_si512(p), __m512i, _mm512_mask_loadu_epi##bits(fills, mask, p))
EACH_INTEGER(PLAIN_INTEGERS, )
PLAIN(f32, float, _mm512_loadu_ps(p), __m512, _mm512_mask_loadu_ps(fills, mask, p))
PLAIN(f64, double, _mm512_loadu_pd(p), __m512d, _mm512_mask_loadu_pd(fills, mask, p))

#define PART_256_16 _mm256_mask_loadu_epi16(fills, mask, p)
#define BF16_TO_F32(v) _mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16)
LOADS(load_f16_as_f32, v_f32, uint16_t, _mm512_cvtph_ps(WHOLE_256), __m256i,
      _mm512_cvtph_ps(PART_256_16))
IRREGULAR_LOADS(load_bf16_as_f32, v_f32, uint16_t, BF16_TO_F32(WHOLE_256), __m256i,
                BF16_TO_F32(PART_256_16))
#define FEW_HALVES(type, to_128, to_256)                                                           \
    static inline v_f32 load_##type##_as_f32_few(const uint16_t *p, size_t parts) {                \
        return (v_f32)(parts == 2 ? _mm512_zextsi256_si512((__m256i)(to_256(few_128(p, 16))))      \
                                  : _mm512_zextsi128_si512((__m128i)(to_128(few_128(p, 8)))));     \
    }
#define BF16_TO_F32_128(v) _mm_slli_epi32(_mm_cvtepu16_epi32(v), 16)
#define BF16_TO_F32_256(v) _mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16)
FEW_HALVES(f16, _mm_cvtph_ps, _mm256_cvtph_ps)
FEW_HALVES(bf16, BF16_TO_F32_128, BF16_TO_F32_256)

/* Elements, widened. */
#define WIDER(from, E, to, F, whole, part, convert)                                                \
    LOADS(load_##from##_as_##to, v_##to, E, convert(whole), F, convert(part))                      \
    WIDER_FEW(from, E, to, F, convert)
#define WIDER_FEW(from, E, to, F, convert)                                                         \
    static inline v_##to load_##from##_as_##to##_few(const E *p, size_t parts) {                   \
        const size_t bytes = VEC_LANES(v_##to) * sizeof(E) / parts;                                \
        return (v_##to)convert(FEW_##F(few_128(p, bytes)));                                        \
    }
#define FEW___m128i(v) v
#define FEW___m256i(v) _mm256_zextsi128_si256(v)
#define PART_128_8 _mm_mask_loadu_epi8(fills, mask, p)
#define PART_256_32 _mm256_mask_loadu_epi32(fills, mask, p)
WIDER(i8, int8_t, u32, __m128i, WHOLE_128, PART_128_8, _mm512_cvtepi8_epi32)
WIDER(u8, uint8_t, u32, __m128i, WHOLE_128, PART_128_8, _mm512_cvtepu8_epi32)
WIDER(i16, int16_t, u32, __m256i, WHOLE_256, PART_256_16, _mm512_cvtepi16_epi32)
WIDER(u16, uint16_t, u32, __m256i, WHOLE_256, PART_256_16, _mm512_cvtepu16_epi32)
WIDER(i32, int32_t, f64, __m256i, WHOLE_256, PART_256_32, _mm512_cvtepi32_pd)
WIDER(u32, uint32_t, f64, __m256i, WHOLE_256, PART_256_32, _mm512_cvtepu32_pd)
#define PART_128_16 _mm_mask_loadu_epi16(fills, mask, p)
#define F32_TO_F64(v) _mm512_cvtps_pd((__m256)(v))
#define F16_TO_F64(v) F32_TO_F64(_mm256_cvtph_ps(v))
#define BF16_TO_F64(v) F32_TO_F64(BF16_TO_F32_256(v))
WIDER(f32, float, f64, __m256i, WHOLE_256, PART_256_32, F32_TO_F64)
WIDER(f16, uint16_t, f64, __m128i, WHOLE_128, PART_128_16, F16_TO_F64)
IRREGULAR_LOADS(load_bf16_as_f64, v_f64, uint16_t, BF16_TO_F64(WHOLE_128), __m128i,
                BF16_TO_F64(PART_128_16))
WIDER_FEW(bf16, uint16_t, f64, __m128i, BF16_TO_F64)

BOTH_OF(64, EXTREMES_OF, )
/* The upper half of each lane of 64 bits, with its sign. */
#define UPPER_I32(v) ((v_u64)_mm512_srai_epi64((__m512i)(v), 32))

/* Min and Max of floats, -0 < +0. NaNs get lost; keep_nan(a, x) is a, or a NaN where x is one. */
#define RANGES(bits, F, kind, lanes)                                                               \
    static inline v_i##bits range_min_i##bits(v_i##bits a, v_i##bits b) {                          \
        return (v_i##bits)_mm512_range_##kind((F)a, (F)b, 4);                                      \
    }                                                                                              \
    static inline v_i##bits range_max_i##bits(v_i##bits a, v_i##bits b) {                          \
        return (v_i##bits)_mm512_range_##kind((F)a, (F)b, 5);                                      \
    }                                                                                              \
    static inline v_i##bits keep_nan_##bits(v_i##bits a, v_i##bits x) {                            \
        return (v_i##bits)_mm512_fixupimm_##kind((F)a, (F)x, _mm512_set1_epi##bits(0x33), 0);      \
    }                                                                                              \
    /* Lanes in which all have been numbers, and those of two more vectors are. */                 \
    typedef __mmask##lanes numbers_##bits##_t;                                                     \
    static inline numbers_##bits##_t are_numbers_##bits(numbers_##bits##_t all, v_i##bits x,       \
                                                        v_i##bits y) {                             \
        return _mm512_mask_cmp_##kind##_mask(all, (F)x, (F)y, _CMP_ORD_Q);                         \
    }
RANGES(32, __m512, ps, 16)
RANGES(64, __m512d, pd, 8)

#include "kernel/vec_avx512_packed.h"

/* Is one of these bits set in any lane of 64? */
#define VEC_ANY_OF(v, bits)                                                                        \
    (_mm512_test_epi64_mask((__m512i)(v), _mm512_set1_epi64((int64_t)(bits))) != 0)

/* A float taken apart: 1 <= |mantissa| < 2, or x itself where it is 0, infinite or NaN; and the
 * power of two, 0 for these; told_power raises the flag of an invalid operation there. */
#define VEC_APART
#define FLOATS(bits, V, kind)                                                                      \
    static inline v_f##bits mantissa_##bits(v_f##bits x) {                                         \
        V part = _mm512_getmant_##kind((V)x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);                \
        return (v_f##bits)_mm512_fixupimm_##kind(part, (V)x, _mm512_set1_epi##bits(0x110100), 0);  \
    }                                                                                              \
    static inline v_i##bits power_##bits(v_f##bits x) {                                            \
        V power = _mm512_getexp_##kind((V)x);                                                      \
        power = _mm512_fixupimm_##kind(power, (V)x, _mm512_set1_epi##bits(0x880888), 0);           \
        return (v_i##bits)_mm512_cvt##kind##_epi##bits(power);                                     \
    }                                                                                              \
    static inline v_i##bits told_power_##bits(v_f##bits x) {                                       \
        return (v_i##bits)_mm512_cvt##kind##_epi##bits(_mm512_getexp_##kind((V)x));                \
    }
FLOATS(32, __m512, ps)
FLOATS(64, __m512d, pd)

/* The greater of most and |x|; the lesser of least and |x|, unless x is 0. */
static inline v_i64 greatest_magnitude_64(v_i64 most, v_f64 x) {
    return (v_i64)_mm512_range_pd((__m512d)most, (__m512d)x, 11);
}
static inline v_i64 least_nonzero_64(v_i64 least, v_f64 x) {
    __mmask8 other = _mm512_test_epi64_mask((__m512i)x, _mm512_set1_epi64(INT64_MAX));
    return (v_i64)_mm512_mask_range_pd((__m512d)least, other, (__m512d)least, (__m512d)x, 10);
}

/* Two planes to pairs in memory, and back. */
#define PLANES_512(bits, a, index, b)                                                              \
    _mm512_permutex2var_epi##bits((__m512i)(a), index, (__m512i)(b))
#define EVENS_32 _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define EVENS_64 _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14)
#define PAIRS_32 _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define PAIRS_64 _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11)
#define ADD_512(bits, v, n) _mm512_add_epi##bits(v, _mm512_set1_epi##bits(n))
#define VEC_ZIP(bits, out, a, b)                                                                   \
    (_mm512_storeu_si512(out, PLANES_512(bits, a, PAIRS_##bits, b)),                               \
     _mm512_storeu_si512((char *)(out) + 64,                                                       \
                         PLANES_512(bits, a, ADD_512(bits, PAIRS_##bits, 256 / bits), b)))
#define VEC_UNZIP(bits, from, a, b)                                                                \
    do {                                                                                           \
        __m512i low_ = _mm512_loadu_si512(from);                                                   \
        __m512i high_ = _mm512_loadu_si512((const char *)(from) + 64);                             \
        (a) = (v_f##bits)PLANES_512(bits, low_, EVENS_##bits, high_);                              \
        (b) = (v_i##bits)PLANES_512(bits, low_, ADD_512(bits, EVENS_##bits, 1), high_);            \
    } while (0)

/* Of f32, as many lanes as f64 has: the lower ones, the upper ones. */
#define LOWER_LANES(v) ((v_f32h)_mm512_castps512_ps256((__m512)(v)))
#define UPPER_LANES(v) ((v_f32h)_mm512_extractf32x8_ps((__m512)(v), 1))

static inline v_u64 magnitude_i64(v_u64 x) { return (v_u64)_mm512_abs_epi64((__m512i)x); }

#define VEC_OR3(a, b, c)                                                                           \
    ((v_i64)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), 0xfe))

/* a += x; what the rounding lost goes to `lost`: the greater magnitude first, three operations find
 * it (Dekker), not six. */
#define VEC_SUM_AND_LOSS(a, x, lost)                                                               \
    v_f64 greater_ = (v_f64)_mm512_range_pd((__m512d)(a), (__m512d)(x), 7);                        \
    v_f64 smaller_ = (v_f64)_mm512_range_pd((__m512d)(a), (__m512d)(x), 6);                        \
    (a) = VEC_PLUS(a, x);                                                                          \
    v_f64 lost = VEC_PLUS(smaller_, -VEC_PLUS(a, -greater_))

/* Between doubles and integers below 2^51; truncated. */
static inline v_f64 f64_of_small(v_i64 x) { return (v_f64)_mm512_cvtepi64_pd((__m512i)x); }
static inline v_i64 small_of_f64(v_f64 x) { return (v_i64)_mm512_cvttpd_epi64((__m512d)x); }
/* Square roots by Newton's method, in half of the time of the processor's own. With `root` and
 * `half` near the root and half of its reciprocal, the last step rounds once, and of 0 and all x of
 * 2^-101 or more its result is the nearest float: so for every estimate within 2^-14, whichever
 * processor made it (all x of two binades were tried with all of those). */
#define LEAST_ROOTED_32 0x1p-101f
static inline v_f32 root_f32(v_f32 x) {
    const __m512 a = (__m512)x, h = _mm512_set1_ps(0.5f), least = _mm512_set1_ps(LEAST_ROOTED_32);
    __m512 estimate = _mm512_rsqrt14_ps(_mm512_max_ps(a, least));
    __m512 root = _mm512_mul_ps(a, estimate), half = _mm512_mul_ps(estimate, h);
    __m512 rest = _mm512_fnmadd_ps(root, half, h);
    root = _mm512_fmadd_ps(root, rest, root), half = _mm512_fmadd_ps(half, rest, half);
    return (v_f32)_mm512_fmadd_ps(_mm512_fnmadd_ps(root, root, a), half, root);
}
/* Likewise, but who is to try all doubles? `root` is a place off at most, and a product of two
 * neighbours tells on which side of what is between them the root lies (Tuckerman): its difference
 * from x has the right sign, since it is not below all doubles. */
#define LEAST_ROOTED_64 0x1p-900
#define ROOT_STEP_64(root, half, x, least)                                                         \
    const __m512d h_ = _mm512_set1_pd(0.5);                                                        \
    __m512d half = _mm512_rsqrt14_pd(_mm512_max_pd(x, _mm512_set1_pd(least)));                     \
    __m512d root = _mm512_mul_pd(x, half);                                                         \
    half = _mm512_mul_pd(half, h_);                                                                \
    const __m512d rest_ = _mm512_fnmadd_pd(root, half, h_);                                        \
    root = _mm512_fmadd_pd(root, rest_, root), half = _mm512_fmadd_pd(half, rest_, half)
static inline v_f64 root_f64(v_f64 x) {
    const __m512d a = (__m512d)x, zero = _mm512_setzero_pd();
    ROOT_STEP_64(root, half, a, LEAST_ROOTED_64);
    root = _mm512_fmadd_pd(_mm512_fnmadd_pd(root, root, a), half, root);
    const __m512d less = (__m512d)((v_i64)root - 1), more = (__m512d)((v_i64)root + 1);
    __mmask8 high = _mm512_cmp_pd_mask(_mm512_fnmadd_pd(root, less, a), zero, _CMP_LE_OQ);
    __mmask8 low = _mm512_cmp_pd_mask(_mm512_fnmadd_pd(root, more, a), zero, _CMP_GT_OQ);
    return (v_f64)_mm512_mask_mov_pd(_mm512_mask_mov_pd(root, high, less), low, more);
}
/* Of an integer below 2^51, truncated: one step is less than half off, and the nearest integer at
 * most one too large, which its square tells. */
static inline v_i64 root_of_small(v_f64 x) {
    const __m512d a = (__m512d)x, last_place_1 = _mm512_set1_pd(0x1.8p52);
    ROOT_STEP_64(near, half, a, 1);
    (void)half;
    near = _mm512_add_pd(near, last_place_1);
    const __m512d root = _mm512_sub_pd(near, last_place_1);
    const v_i64 rest = (v_i64)_mm512_fnmadd_pd(root, root, a);
    return (v_i64)near - (v_i64)last_place_1 + (rest >> 63);
}
#define HALVES(x) _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
static inline void store_low_32(int32_t *out, v_i64 x) {
    _mm256_storeu_si256((__m256i *)(void *)out, _mm512_cvtepi64_epi32((__m512i)x));
}
static inline void store_f16(uint16_t *out, v_f32 v) {
    _mm256_storeu_si256((__m256i *)(void *)out, HALVES((__m512)v));
}
/* Stores past the caches, of vectors where such lie. */
static inline void stream_f16(uint16_t *out, v_f32 v) {
    _mm256_stream_si256((__m256i *)(void *)out, HALVES((__m512)v));
}
static inline void vec_stream(void *out, v_any v) { _mm512_stream_si512(out, v); }
static inline void narrow_f16(uint16_t *out, const float *in, size_t n) {
    const __mmask16 rest = (__mmask16)_bzhi_u32(0xffff, n % 16);
    for (; n >= 16; n -= 16, in += 16, out += 16) store_f16(out, VEC_LOAD(v_f32, in));
    if (n) _mm256_mask_storeu_epi16(out, rest, HALVES(_mm512_maskz_loadu_ps(rest, in)));
}

/* How registers hold the least or greatest of floats: kernel_order.inc has the ways. */
#define VEC_ORDER_16 TURNED
#define VEC_ORDER_32 RANGE
#define VEC_ORDER_64 RANGE
#define VEC_REST(load) load##_n

/* A quarter of a vector, of words, before the rest of `fills`: it seldom lies across two lines,
 * where a vector with a mask does as often as any. */
#define VEC_LITTLE_BYTES 16
static inline __m512i little_512(const void *p, size_t bytes, __m512i fills, bool zeros) {
    const __mmask8 mask = (__mmask8)_bzhi_u32(0xff, (unsigned)(bytes / 4));
    __m128i x = _mm_mask_loadu_epi32(_mm512_castsi512_si128(fills), mask, p);
    return zeros ? _mm512_zextsi128_si512(x) : _mm512_inserti32x4(fills, x, 0);
}
#define VEC_LITTLE(V, p, bytes, fill)                                                              \
    ((V)little_512(p, bytes, (__m512i)VEC_SPLAT(V, fill), (fill) == 0))

#endif
