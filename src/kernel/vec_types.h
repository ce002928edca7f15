/* Vector types of VEC_BYTES bytes, and what every SIMD tier does alike with them.
 * Included by vec_avx2.h and vec_avx512.h, after they have set VEC_BYTES, v_any, a vector of any
 * lanes, VEC_AND, of two of these, and VEC_OP, an intrinsic by its name without the width.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_VEC_TYPES_H
#define IRR_VEC_TYPES_H

#define VECTOR(T, lane, bits, E, ...)                                                              \
    typedef E v_##lane __attribute__((vector_size(VEC_BYTES)));                                    \
    typedef E v_##lane##_at __attribute__((vector_size(VEC_BYTES), aligned(1), may_alias));
EACH_LANE(VECTOR, )

/* Halves of a vector; of floats, as many lanes as f64 has. */
typedef float v_f32h __attribute__((vector_size(VEC_BYTES / 2)));
typedef v_f32h v_f32h_at __attribute__((aligned(1), may_alias));
typedef int32_t v_i32h __attribute__((vector_size(VEC_BYTES / 2)));
typedef uint64_t v_u64h __attribute__((vector_size(VEC_BYTES / 2)));
typedef v_u64h v_u64h_at __attribute__((aligned(1), may_alias));

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
#define WHOLE_256 _mm256_loadu_si256((const void *)p)
#define WHOLE_128 _mm_loadu_si128((const void *)p)
#define VEC_LANE0(v) ((v)[0])
#define VEC_LANES(V) (sizeof(V) / sizeof((V){0}[0]))
#define VEC_SPLAT(V, x) ((x) - (V){0})
#define VEC_LOAD(V, p) ((V) * (const V##_at *)(p))
#define VEC_STORE(V, p, v) (*(V##_at *)(p) = (V##_at)(v))
#define VEC_WIDER_U16(v) (v)
/* The vector moved down by a number of bytes; only the low bytes of the result are meant. */
#define VEC_DOWN(V, v, bytes) ((V)VEC_DOWN_##bytes(v))
#define VEC_DOWN_8(v) VEC_OP(bsrli_epi128)((v_any)(v), 8)
#define VEC_DOWN_4(v) VEC_OP(bsrli_epi128)((v_any)(v), 4)
#define VEC_DOWN_2(v) VEC_OP(bsrli_epi128)((v_any)(v), 2)
#define VEC_DOWN_1(v) VEC_OP(bsrli_epi128)((v_any)(v), 1)

/* Of pairs of pieces of so many bytes in a and then b: the lower ones, the upper ones. */
#define VEC_LOWER(piece, a, b) VEC_LOWER_##piece(a, b)
#define VEC_UPPER(piece, a, b) VEC_UPPER_##piece(a, b)
#define VEC_OF_ANY(op, a, b) VEC_OP(op)((v_any)(a), (v_any)(b))
#define VEC_LOWER_8(a, b) VEC_OF_ANY(unpacklo_epi64, a, b)
#define VEC_UPPER_8(a, b) VEC_OF_ANY(unpackhi_epi64, a, b)
#define VEC_LOWER_4(a, b) VEC_OP(shuffle_ps)((v_f32)(a), (v_f32)(b), 0x88)
#define VEC_UPPER_4(a, b) VEC_OP(shuffle_ps)((v_f32)(a), (v_f32)(b), 0xdd)
/* Within 16 bytes, pieces of so many of a and b in turns: those of the lower half, of the upper. */
#define VEC_ZIP_LOWER_1(a, b) VEC_OF_ANY(unpacklo_epi8, a, b)
#define VEC_ZIP_UPPER_1(a, b) VEC_OF_ANY(unpackhi_epi8, a, b)
#define VEC_ZIP_LOWER_2(a, b) VEC_OF_ANY(unpacklo_epi16, a, b)
#define VEC_ZIP_UPPER_2(a, b) VEC_OF_ANY(unpackhi_epi16, a, b)
#define VEC_ZIP_LOWER_4(a, b) VEC_OF_ANY(unpacklo_epi32, a, b)
#define VEC_ZIP_UPPER_4(a, b) VEC_OF_ANY(unpackhi_epi32, a, b)

/* A vector that several instructions take is loaded once, not by each of them. */
#define VEC_LOAD_ONCE(x) __asm__("" : "+v"(x))
/* Has been worked out before whatever follows. */
#define VEC_DONE(x) __asm__ volatile("" : "+v"(x))
/* Vector k of a row's whole step of bf16 (LOADS of vec_*.h): the even elements of 32, then the odd
 * ones, by one instruction each. What was loaded for both is held. */
static inline v_f32 load_bf16_as_f32_of_step(const uint16_t *step, size_t k, v_any *held) {
    enum { LOADED = 64 / VEC_BYTES }; /* vectors of 32 elements */
    v_any *both = &held[k % LOADED];
    const bool odd = k / LOADED % 2;
    if (!odd) {
        *both = (v_any)VEC_LOAD(v_u64, step + k / (2 * LOADED) * 32 + k % LOADED * 16);
        VEC_LOAD_ONCE(*both);
    }
    return (v_f32)(odd ? VEC_AND(*both, VEC_OP(set1_epi32)(-65536))
                       : VEC_OP(slli_epi32)(*both, 16));
}

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
#define DEFINE_QUOTIENT(bits, kind)                                                                \
    static inline v_f##bits fused_f##bits(v_f##bits a, v_f##bits b, v_f##bits c) {                 \
        return (v_f##bits)VEC_OP(fmadd_##kind)(a, b, c);                                           \
    }                                                                                              \
    static inline v_f##bits quotient_f##bits(v_f##bits x, v_f##bits y, v_f##bits part) {           \
        v_f##bits q = x * part;                                                                    \
        q = fused_f##bits(fused_f##bits(-q, y, x), part, q);                                       \
        return fused_f##bits(fused_f##bits(-q, y, x), part, q);                                    \
    }
DEFINE_QUOTIENT(32, ps)
DEFINE_QUOTIENT(64, pd)

static inline v_f32 magnitude_f32(v_f32 x) { return (v_f32)((v_i32)x & INT32_MAX); }
static inline v_f64 magnitude_f64(v_f64 x) { return (v_f64)((v_i64)x & INT64_MAX); }
static inline v_i32 bits_of_f32(v_f32 x) { return (v_i32)x; }
static inline v_i64 bits_of_f64(v_f64 x) { return (v_i64)x; }
static inline v_f32 f32_of_bits(v_i32 x) { return (v_f32)x; }
static inline v_f64 f64_of_bits(v_i64 x) { return (v_f64)x; }
#define store_low_64(out, x) VEC_STORE(v_i64, out, x)

#define WIDEN(v) ((v_f64)VEC_OP(cvtps_pd)(v))
/* Likewise as f64, loaded for each vector: what is done to these takes longer. */
static inline v_f64 load_bf16_as_f64_of_step(const uint16_t *step, size_t k, v_any *held) {
    const v_u64h both = VEC_LOAD(v_u64h, step + k / 2 * (VEC_BYTES / 4));
    (void)held;
    const v_u64h upper = both & UINT64_C(0xffff0000ffff0000);
    return WIDEN(k % 2 ? (v_f32h)upper : (v_f32h)((v_i32h)both << 16));
}
#define NARROWED(v) ((v_f32h)VEC_OP(cvtpd_ps)(v))
#define VEC_ROOT(v) ((v_f64)VEC_OP(sqrt_pd)(v))
/* All bits of the lanes in which a < b; is there such a one? */
#define VEC_BELOW(a, b) ((a) < (b))
#define VEC_ANY_BELOW(a, b) VEC_ANY_OF(VEC_BELOW(a, b), UINT64_MAX)

#define PAIR(name, V, op)                                                                          \
    static inline V name(V a, V b) { return (V)VEC_OF_ANY(op, a, b); }
#define EXTREMES_OF(T, lane, ...)                                                                  \
    PAIR(min_##lane, v_##lane, min_ep##lane)                                                       \
    PAIR(max_##lane, v_##lane, max_ep##lane)
BOTH_OF(32, EXTREMES_OF, )
EACH_SHORT(EXTREMES_OF, )
PAIR(multiply_i32, v_u64, mul_epi32)
PAIR(multiply_u32, v_u64, mul_epu32)
static inline v_u32 magnitude_i32(v_i32 x) { return (v_u32)VEC_OP(abs_epi32)((v_any)x); }
static inline v_i8 magnitude_i8(v_i8 x) { return (v_i8)VEC_OP(abs_epi8)((v_any)x); }
/* Products of words, summed in pairs; the upper words of products. */
#define multiply_add_i16(a, b) ((v_u32)VEC_OF_ANY(madd_epi16, a, b))
PAIR(upper_product_u16, v_u16, mulhi_epu16)
/* To lanes of 32 bits: products of words; of unsigned by signed bytes, two of which are a word. */
#ifndef add_products_i16
#define add_products_i16(sum, a, b) ((sum) + multiply_add_i16(a, b))
#define add_products_8(sum, a, b)                                                                  \
    add_products_i16(sum, VEC_OF_ANY(maddubs_epi16, a, b), VEC_OP(set1_epi16)(1))
#endif
/* Bytes, summed in pairs. */
#define add_pairs_i8(v) ((v_u16)VEC_OF_ANY(maddubs_epi16, VEC_OP(set1_epi8)(1), v))
#define add_pairs_u8(v) ((v_u16)VEC_OF_ANY(maddubs_epi16, v, VEC_OP(set1_epi8)(1)))

/* Lanes moved down by n; others take the places of the first. */
static const uint32_t vec_counted[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static inline v_any turned(v_any v, size_t bytes) {
    v_u32 from = VEC_LOAD(v_u32, vec_counted) + (uint32_t)(bytes / 4);
    int bits = (int)(bytes % 4 * 8);
    v_any down = VEC_WORDS(v, (v_any)from);
    if (bits == 0) return down;
    v_any next = VEC_WORDS(v, (v_any)(from + 1));
    return VEC_OP(srl_epi32)(down, _mm_cvtsi32_si128(bits)) |
           VEC_OP(sll_epi32)(next, _mm_cvtsi32_si128(32 - bits));
}
#define VEC_TURN(L, v, n) ((__typeof__(v))turned((v_any)(v), (n) * sizeof(L)))

#endif
