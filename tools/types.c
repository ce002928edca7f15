/* Element types as the command needs them: NumPy's descr, values as text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <fenv.h>
#include <math.h>

static const type_t types[] = {
    [IRR_BOOLEAN] = {"b1", 1, KIND_BOOLEAN, 0, 0, 0}, [IRR_BF16] = {"V2", 2, KIND_FLOAT, 7, 2, 127},
    [IRR_F16] = {"f2", 2, KIND_FLOAT, 10, 3, 15},     [IRR_F32] = {"f4", 4, KIND_FLOAT, 23, 6, 127},
    [IRR_F64] = {"f8", 8, KIND_FLOAT, 52, 15, 1023},  [IRR_I8] = {"i1", 1, KIND_SIGNED, 0, 0, 0},
    [IRR_I16] = {"i2", 2, KIND_SIGNED, 0, 0, 0},      [IRR_I32] = {"i4", 4, KIND_SIGNED, 0, 0, 0},
    [IRR_I64] = {"i8", 8, KIND_SIGNED, 0, 0, 0},      [IRR_U8] = {"u1", 1, KIND_UNSIGNED, 0, 0, 0},
    [IRR_U16] = {"u2", 2, KIND_UNSIGNED, 0, 0, 0},    [IRR_U32] = {"u4", 4, KIND_UNSIGNED, 0, 0, 0},
    [IRR_U64] = {"u8", 8, KIND_UNSIGNED, 0, 0, 0},
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

const type_t *type_of(irr_element_type_e type) {
    return (size_t)type < TYPE_COUNT && types[type].npy ? &types[type] : NULL;
}

int64_t load_int(const type_t *type, const void *data, size_t index) {
    uint64_t bits = 0; /* little-endian, as every tensor file that we read and write */
    memcpy(&bits, (const char *)data + index * type->bytes, type->bytes);
    unsigned unused = 64 - 8u * type->bytes;
    return type->kind == KIND_SIGNED ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

double load_float(const type_t *type, const void *data, size_t index) {
    int mantissa_bits = type->mantissa_bits;
    uint64_t bits = (uint64_t)load_int(type, data, index);
    uint64_t mantissa = bits & ((UINT64_C(1) << mantissa_bits) - 1);
    int exponent = (int)(bits >> mantissa_bits) & (2 * type->bias + 1);
    double value = 0;
    if (exponent == 2 * type->bias + 1)
        value = mantissa ? NAN : INFINITY;
    else
        value = ldexp((double)(exponent ? mantissa | UINT64_C(1) << mantissa_bits : mantissa),
                      (exponent ? exponent : 1) - type->bias - mantissa_bits);
    return bits >> (8 * type->bytes - 1) & 1 ? -value : value;
}

int unit_exponent(const type_t *type, double value) {
    return (int)fmax(logb(value), 1 - type->bias) - type->mantissa_bits;
}

/* Rounds to nearest even. NaN never comes here. */
static uint16_t narrow(const type_t *type, double value) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    uint32_t infinity = (uint32_t)(2 * type->bias + 1) << type->mantissa_bits;
    if (isinf(value)) return (uint16_t)(sign | infinity);
    int unit = unit_exponent(type, value), field = unit + type->mantissa_bits + type->bias - 1;
    if (field >= 2 * type->bias) return (uint16_t)(sign | infinity);
    /* The implicit bit, and a carry out of the mantissa, add one to the exponent's field. */
    uint32_t units = (uint32_t)nearbyint(ldexp(fabs(value), -unit));
    return (uint16_t)(sign | (((uint32_t)field << type->mantissa_bits) + units));
}

void store_float(const type_t *type, void *data, size_t index, double value) {
    float single = (float)value;
    uint16_t half = type->bytes == 2 ? narrow(type, value) : 0;
    const void *from = type->bytes == 8   ? (const void *)&value
                       : type->bytes == 4 ? (const void *)&single
                                          : (const void *)&half;
    memcpy((char *)data + index * type->bytes, from, type->bytes);
}

static bool reads_back(const type_t *type, const char *text, double value) {
    if (type->bytes == 4) return strtof(text, NULL) == (float)value;
    double read = strtod(text, NULL);
    return type->bytes == 8 ? read == value : narrow(type, read) == narrow(type, value);
}

/* Below the normal numbers fewer digits than usual may do. At a power of two the interval that
 * reads back is wider above than below, so the nearest decimal may miss where the next one hits.
 * Without its point a negative zero would be read as an integer, and lose its sign. */
static void float_text(const type_t *type, double value, char *text) {
    int exponent = 0, mode = fegetround();
    const int modes[] = {mode, value < 0 ? FE_DOWNWARD : FE_UPWARD};
    int digits = fabs(value) < ldexp(1, 1 - type->bias) ? 1 : type->digits;
    bool power_of_two = fabs(frexp(value, &exponent)) == 0.5;
    if (value == 0) {
        strcpy(text, signbit(value) ? "-0.0" : "0");
        return;
    }
    for (bool found = false; !found; digits++)
        for (int k = 0; !found && k <= power_of_two; k++) {
            fesetround(modes[k]);
            snprintf(text, VALUE_TEXT_BYTES, "%.*g", digits, value);
            fesetround(mode);
            found = reads_back(type, text, value);
        }
}

void value_text(const type_t *type, const void *data, size_t index, bool json,
                char text[VALUE_TEXT_BYTES]) {
    double number = type->kind == KIND_FLOAT ? load_float(type, data, index) : 0;
    int64_t value = type->kind == KIND_FLOAT ? 0 : load_int(type, data, index);
    if (isnan(number))
        strcpy(text, json ? "\"NaN\"" : "nan");
    else if (isinf(number))
        snprintf(text, VALUE_TEXT_BYTES, json ? "\"%sInfinity\"" : "%sinf", number < 0 ? "-" : "");
    else if (type->kind == KIND_FLOAT)
        float_text(type, number, text);
    else if (type->kind == KIND_BOOLEAN)
        strcpy(text, value ? (json ? "true" : "True") : (json ? "false" : "False"));
    else
        snprintf(text, VALUE_TEXT_BYTES, type->kind == KIND_SIGNED ? "%lld" : "%llu",
                 (long long)value);
}
