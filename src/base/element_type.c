/* Element types as a table; f16 and bf16 in plain integer arithmetic.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static const irr_element_type_info_t rows[] = {
    [IRR_DYNAMIC] = {"dynamic", "UNSPECIFIED", 0, IRR_KIND_OTHER},
    [IRR_BOOLEAN] = {"boolean", "BOOL", 8, IRR_KIND_BOOLEAN},
    [IRR_BF16] = {"bf16", "BF16", 16, IRR_KIND_FLOAT},
    [IRR_F16] = {"f16", "FP16", 16, IRR_KIND_FLOAT},
    [IRR_F32] = {"f32", "FP32", 32, IRR_KIND_FLOAT},
    [IRR_F64] = {"f64", "FP64", 64, IRR_KIND_FLOAT},
    [IRR_I4] = {"i4", "I4", 4, IRR_KIND_OTHER},
    [IRR_I8] = {"i8", "I8", 8, IRR_KIND_SIGNED},
    [IRR_I16] = {"i16", "I16", 16, IRR_KIND_SIGNED},
    [IRR_I32] = {"i32", "I32", 32, IRR_KIND_SIGNED},
    [IRR_I64] = {"i64", "I64", 64, IRR_KIND_SIGNED},
    [IRR_U1] = {"u1", "BIN", 1, IRR_KIND_OTHER},
    [IRR_U2] = {"u2", "U2", 2, IRR_KIND_OTHER},
    [IRR_U3] = {"u3", "U3", 3, IRR_KIND_OTHER},
    [IRR_U4] = {"u4", "U4", 4, IRR_KIND_OTHER},
    [IRR_U6] = {"u6", "U6", 6, IRR_KIND_OTHER},
    [IRR_U8] = {"u8", "U8", 8, IRR_KIND_UNSIGNED},
    [IRR_U16] = {"u16", "U16", 16, IRR_KIND_UNSIGNED},
    [IRR_U32] = {"u32", "U32", 32, IRR_KIND_UNSIGNED},
    [IRR_U64] = {"u64", "U64", 64, IRR_KIND_UNSIGNED},
    [IRR_NF4] = {"nf4", "NF4", 4, IRR_KIND_OTHER},
    [IRR_F8E4M3] = {"f8e4m3", "F8E4M3", 8, IRR_KIND_OTHER},
    [IRR_F8E5M3] = {"f8e5m2", "F8E5M2", 8, IRR_KIND_OTHER},
    [IRR_STRING] = {"string", "STRING", 0, IRR_KIND_OTHER},
    [IRR_F4E2M1] = {"f4e2m1", "F4E2M1", 4, IRR_KIND_OTHER},
    [IRR_F8E8M0] = {"f8e8m0", "F8E8M0", 8, IRR_KIND_OTHER},
};
_Static_assert(sizeof rows / sizeof *rows == IRR_ELEMENT_TYPE_COUNT, "a row for each type");

/* What is no enumerator has a row of its own. */
static const irr_element_type_info_t *row_of(irr_element_type_e type) {
    static const irr_element_type_info_t none = {.name = "no element type"};
    return (unsigned)type < IRR_ELEMENT_TYPE_COUNT ? &rows[type] : &none;
}

const irr_element_type_info_t *irr_element_type_info(irr_element_type_e type) {
    return (unsigned)type < IRR_ELEMENT_TYPE_COUNT ? &rows[type] : NULL;
}

const char *irr_element_type_name(irr_element_type_e type) { return row_of(type)->name; }

bool irr_element_type_by_name(const char *name, irr_element_type_e *type) {
    for (unsigned i = 0; i < IRR_ELEMENT_TYPE_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0) return *type = (irr_element_type_e)i, true;
    return false;
}

bool irr_element_type_by_precision(const char *precision, irr_element_type_e *type) {
    for (unsigned i = 0; i < IRR_ELEMENT_TYPE_COUNT; i++) /* most end at the first letter */
        if (*rows[i].precision == *precision && strcmp(rows[i].precision, precision) == 0)
            return *type = (irr_element_type_e)i, true;
    return irr_element_type_by_name(precision, type);
}

bool irr_is_integer(irr_element_type_e type) {
    irr_element_kind_e kind = row_of(type)->kind;
    return kind == IRR_KIND_SIGNED || kind == IRR_KIND_UNSIGNED;
}

bool irr_is_numeric(irr_element_type_e type) {
    return irr_is_integer(type) || row_of(type)->kind == IRR_KIND_FLOAT;
}

size_t irr_element_bytes(irr_element_type_e type) {
    return row_of(type)->kind == IRR_KIND_OTHER ? 0 : row_of(type)->bits / 8u;
}

bool irr_elements_bytes(irr_element_type_e type, size_t count, size_t *bytes) {
    size_t bits = row_of(type)->bits, whole;
    /* Eight elements fill `bits` bytes exactly, whatever the width. */
    return bits && irr_mul_size(count / 8, bits, &whole) &&
           irr_add_size(whole, (count % 8 * bits + 7) / 8, bytes);
}

/* Of a 16-bit format of `fraction_bits`, exponent bias `bias` and smallest number `least`. */
static double widen(uint16_t bits, int fraction_bits, int bias, double least) {
    int most = 2 * bias + 1, exponent = bits >> fraction_bits & most;
    uint64_t sign = (uint64_t)(bits >> 15) << 63, fraction = bits & ((1u << fraction_bits) - 1);
    if (exponent == 0) return (sign ? -least : least) * (double)fraction;
    uint64_t target = exponent == most ? 0x7ff : (uint64_t)(exponent - bias + 1023);
    uint64_t wide = sign | target << 52 | fraction << (52 - fraction_bits);
    double value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

double irr_f16_to_f64(uint16_t bits) { return widen(bits, 10, 15, 0x1p-24); }
double irr_bf16_to_f64(uint16_t bits) { return widen(bits, 7, 127, 0x1p-133); }

/* Rounds a double to such a format, in integers: independent of the rounding mode, one rounding,
 * ties to even. */
static uint16_t narrow(double value, int fraction_bits, int bias) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 63 << 15);
    uint16_t infinity = (uint16_t)((2 * bias + 1) << fraction_bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent == 0x7ff && fraction)
        return (uint16_t)(infinity | UINT16_C(1) << (fraction_bits - 1));
    if (exponent == 0x7ff) return sign | infinity;
    int target = exponent - 1023 + bias; /* biased exponent in the narrow format */
    if (target > 2 * bias) return sign | infinity;
    if (exponent) fraction |= UINT64_C(1) << 52;
    /* Bits to drop; a subnormal result drops more. */
    int drop = 52 - fraction_bits + (target > 0 ? 0 : 1 - target);
    if (drop > 54) return sign;
    uint64_t kept = fraction >> drop, rest = fraction & ((UINT64_C(1) << drop) - 1);
    uint64_t half = UINT64_C(1) << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1));
    /* The hidden bit carries into the exponent, so normal numbers start one exponent lower. */
    uint64_t magnitude = kept + (target > 0 ? (uint64_t)(target - 1) << fraction_bits : 0);
    return sign | (magnitude > infinity ? infinity : (uint16_t)magnitude);
}

uint16_t irr_f64_to_f16(double value) { return narrow(value, 10, 15); }
uint16_t irr_f64_to_bf16(double value) { return narrow(value, 7, 127); }

double irr_float_at(const void *values, irr_element_type_e type, size_t k) {
    switch (type) {
    case IRR_F16:
        return irr_f16_to_f64(((const uint16_t *)values)[k]);
    case IRR_BF16:
        return irr_bf16_to_f64(((const uint16_t *)values)[k]);
    case IRR_F32:
        return (double)((const float *)values)[k];
    default:
        return ((const double *)values)[k];
    }
}

void irr_put_float(void *values, irr_element_type_e type, size_t k, double value) {
    if (isnan(value)) value = (double)NAN;
    float single = (float)value;
    uint16_t half = type == IRR_F16 ? irr_f64_to_f16(value) : irr_f64_to_bf16(value);
    size_t bytes = irr_element_bytes(type);
    const void *from = type == IRR_F64   ? (const void *)&value
                       : type == IRR_F32 ? (const void *)&single
                                         : (const void *)&half;
    memcpy((char *)values + k * bytes, from, bytes);
}
