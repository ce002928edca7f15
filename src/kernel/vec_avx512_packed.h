/* Short rows by AVX-512, several in a vector: a part of vec_avx512.h, which includes it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_VEC_AVX512_PACKED_H
#define IRR_VEC_AVX512_PACKED_H

/* Each row is in a slot of its own, a power of two of bytes, where the fill stands behind it (lanes
 * of more than a byte have it in the last one that was loaded). */
#define VEC_MOST_PACKED(E, L) (sizeof(L) == 1 ? 16 : 32)
typedef struct {
    v_u16 words;    /* where each comes from */
    v_u16 bytes;    /* lanes of a byte: the same within 16, of two */
    __mmask64 kept; /* likewise: those of the row */
} packing_t;
static inline packing_t packing_of(size_t row_bytes, size_t lane_bytes, size_t slot_bytes) {
    static const uint16_t counted[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                         11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                         22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    packing_t packing = {0};
    v_u16 word = VEC_LOAD(v_u16, counted), in_slot = word & (uint16_t)(slot_bytes / 2 - 1);
    v_u16 row = word >> (uint16_t)__builtin_ctz((unsigned)slot_bytes / 2);
    v_u16 from = row * (uint16_t)row_bytes;
    packing.words = (from >> 1) + in_slot;
    if (lane_bytes > 1) {
        v_u16 behind = (v_u16)(in_slot >= VEC_SPLAT(v_u16, (uint16_t)(row_bytes / 2)));
        v_u16 fill = word | (uint16_t)(32 - lane_bytes / 2);
        packing.words = (packing.words & ~behind) | (fill & behind);
    } else {
        v_u16 first = (word << 1 & 15) + (from & 1);
        packing.bytes = first | (v_u16)((first + 1) << 8);
        packing.kept =
            ((UINT64_C(1) << row_bytes) - 1) * (UINT64_MAX / ((UINT64_C(1) << slot_bytes) - 1));
    }
    return packing;
}
static inline __m512i packed(__m512i v, size_t lane_bytes, uint8_t fill, const packing_t *packing) {
    v = _mm512_permutexvar_epi16((__m512i)packing->words, v);
    if (lane_bytes > 1) return v;
    return _mm512_mask_shuffle_epi8(_mm512_set1_epi8((int8_t)fill), packing->kept, v,
                                    (__m512i)packing->bytes);
}
/* n elements, of the rows of a vector; `room` can be read. */
#define VEC_LOAD_PACKED(load, p, n, room, L, fill, packing)                                        \
    (__typeof__(load(p)))packed(                                                                   \
        (__m512i)((n) < VEC_LANES(__typeof__(load(p))) ? load##_n(p, n, fill) : load(p)),          \
        sizeof(L), (uint8_t)(fill), packing)
/* Rows that were packed into so many vectors and then folded, `rows` lanes, in order. */
static inline __m512i in_order(__m512i v, size_t rows, size_t vectors) {
    static const uint8_t of_16[4][16] = {{0},
                                         {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15},
                                         {0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15},
                                         {0, 4, 2, 6, 1, 5, 3, 7, 8, 12, 10, 14, 9, 13, 11, 15}};
    static const uint8_t of_8[3][8] = {{0}, {0, 2, 4, 6, 1, 3, 5, 7}, {0, 2, 1, 3, 4, 6, 5, 7}};
    int level = __builtin_ctz((unsigned)vectors);
    if (vectors == 1) return v;
    if (rows == 8)
        return _mm512_permutexvar_epi64(
            _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)of_8[level])), v);
    return _mm512_permutexvar_epi32(
        _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)of_16[level])), v);
}
#define VEC_IN_ORDER(v, rows, vectors) in_order((__m512i)(v), rows, vectors)

#endif
