/* Text -> tensor.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tensor.h"
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t width;
} types[] = {
    {"f64", 8}, {"f32", 4}, {"f16", 2},     {"bf16", 2}, {"i64", 8},
    {"i32", 4}, {"i16", 2}, {"i8", 1},      {"u64", 8},  {"u32", 4},
    {"u16", 2}, {"u8", 1},  {"boolean", 1}, {"u4", 1},   {"i4", 1},
};

static size_t width_of(const char *type) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(type, types[i].name)) return types[i].width;
    return 0;
}

static bool is_float(const tensor_t *tensor) { return strchr(tensor->type, 'f') != NULL; }

/* ---- floats of 16 bits, rounded to nearest even by nearbyint ---- */

static uint16_t half_of(double value, int digits) {
    int lowest = digits == 11 ? -24 : -133; /* exponent of the least denormal */
    int bias = digits == 11 ? 15 : 127;
    double top = ldexp(2 - ldexp(1, -digits), digits == 11 ? 15 : 127); /* rounds to inf */
    uint16_t sign = signbit(value) ? 0x8000 : 0, quantum;
    uint16_t inf = (uint16_t)(digits == 11 ? 0x7c00 : 0x7f80);
    int exponent = 0;
    if (isnan(value)) return (uint16_t)(inf | 1 << (digits - 2));
    value = fabs(value);
    if (value >= top) return sign | inf;
    frexp(value, &exponent);
    exponent -= digits; /* of the last place */
    if (value == 0 || exponent < lowest) exponent = lowest;
    quantum = (uint16_t)nearbyint(ldexp(value, -exponent));
    /* the hidden bit carries into the exponent field */
    if (exponent == lowest) return sign | quantum;
    return (uint16_t)(sign | (((exponent + digits - 2 + bias) << (digits - 1)) + quantum));
}

/* ---- elements ---- */

static void store(tensor_t *tensor, size_t index, double value, long long small,
                  unsigned long long large) {
    unsigned char *to = tensor->bytes + index * tensor->width;
    float single = (float)value;
    uint16_t half = 0;
    if (!is_float(tensor)) {
        uint64_t bits = tensor->type[0] == 'i' ? (uint64_t)small : (uint64_t)large;
        for (size_t i = 0; i < tensor->width; i++) to[i] = (unsigned char)(bits >> (8 * i));
    } else if (tensor->width == 8) {
        memcpy(to, &value, 8);
    } else if (tensor->width == 4) {
        memcpy(to, &single, 4);
    } else {
        half = half_of(value, tensor->type[0] == 'b' ? 8 : 11);
        memcpy(to, &half, 2);
    }
}

/* An element of f64 or f32. */
static double value_of(const tensor_t *tensor, const unsigned char *bytes, size_t index) {
    double value = 0;
    float single = 0;
    if (tensor->width == 8) {
        memcpy(&value, bytes + index * 8, 8);
    } else {
        memcpy(&single, bytes + index * 4, 4);
        value = (double)single;
    }
    return value;
}

/* One word, "5e30~1e-5". */
static bool parse_element(tensor_t *tensor, size_t index, const char *word) {
    char *end = NULL;
    if (*word == '=') {
        uint64_t bits = strtoull(word + 1, &end, 16);
        for (size_t i = 0; i < tensor->width; i++)
            tensor->bytes[index * tensor->width + i] = (unsigned char)(bits >> (8 * i));
    } else if (is_float(tensor)) {
        double value = strcmp(word, "nan") ? strtod(word, &end) : (double)NAN;
        if (!end) end = (char *)word + 3;
        store(tensor, index, value, 0, 0);
        if (*end == '~' && tensor->width > 2) tensor->tolerances[index] = strtod(end + 1, &end);
    } else if (tensor->type[0] == 'i') {
        store(tensor, index, 0, strtoll(word, &end, 10), 0);
    } else {
        store(tensor, index, 0, 0, strtoull(word, &end, 10));
    }
    return end != word && !*end;
}

static bool parse_list(tensor_t *tensor, char *text, bool fill) {
    size_t index = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "), index++) {
        if (index == (fill ? 1 : tensor->count) || !parse_element(tensor, index, word))
            return false;
    }
    if (!fill) return index == tensor->count;
    for (size_t i = 1; i < tensor->count; i++) {
        memcpy(tensor->bytes + i * tensor->width, tensor->bytes, tensor->width);
        tensor->tolerances[i] = tensor->tolerances[0];
    }
    return index == 1;
}

static bool parse_linear(tensor_t *tensor, const char *text) {
    double base = 0, strides[TENSOR_RANK] = {0};
    char *end = NULL;
    base = strtod(text, &end);
    for (size_t i = 0; i < tensor->rank; i++) {
        const char *from = end;
        strides[i] = strtod(from, &end);
        if (end == from) return false;
    }
    for (size_t i = 0; i < tensor->count; i++) {
        double value = base;
        size_t rest = i;
        for (size_t axis = tensor->rank; axis-- > 0; rest /= tensor->dims[axis])
            value += strides[axis] * (double)(rest % tensor->dims[axis]);
        store(tensor, i, value, (long long)value, value < 0 ? 0 : (unsigned long long)value);
    }
    return !*end;
}

/* ---- the whole ---- */

static bool parse_dims(tensor_t *tensor, const char **at) {
    tensor->count = 1;
    while (**at != ']') {
        char *end = NULL;
        if (tensor->rank == TENSOR_RANK || !isdigit((unsigned char)**at)) return false;
        tensor->dims[tensor->rank] = strtoul(*at, &end, 10);
        tensor->count *= tensor->dims[tensor->rank++];
        *at = end + (*end == ',');
    }
    ++*at;
    return true;
}

bool tensor_parse(tensor_t *tensor, const char *text) {
    const char *at = strchr(text, '['), *from = at ? at + 1 : NULL, *colon = NULL;
    bool good = false;
    *tensor = (tensor_t){0};
    if (!at || (size_t)(at++ - text) >= sizeof tensor->type) return false;
    memcpy(tensor->type, text, (size_t)(at - 1 - text));
    tensor->width = width_of(tensor->type);
    if (!parse_dims(tensor, &at)) return false;
    snprintf(tensor->declared, sizeof tensor->declared, "%.*s", (int)(at - 1 - from), from);
    if (!strncmp(at, " as ", 4)) {
        size_t length = strcspn(at += 4, ":");
        snprintf(tensor->declared, sizeof tensor->declared, "%.*s", (int)length, at);
    }
    colon = strchr(at, ':');
    if (!tensor->width || !colon) return tensor->width && !*at;
    tensor->has_values = true;
    tensor->bytes = calloc(tensor->count + 1, tensor->width);
    tensor->tolerances = calloc(tensor->count + 1, sizeof *tensor->tolerances);
    char *values = strdup(colon + 1 + strspn(colon + 1, " "));
    if (tensor->bytes && tensor->tolerances && values) {
        if (!strncmp(values, "lin ", 4))
            good = parse_linear(tensor, values + 4);
        else if (!strncmp(values, "fill ", 5))
            good = parse_list(tensor, values + 5, true);
        else
            good = parse_list(tensor, values, false);
    }
    free(values);
    return good;
}

void tensor_free(tensor_t *tensor) {
    free(tensor->bytes);
    free(tensor->tolerances);
    *tensor = (tensor_t){0};
}

size_t tensor_differs(const tensor_t *expected, const unsigned char *bytes) {
    for (size_t i = 0; i < expected->count; i++) {
        const unsigned char *one = expected->bytes + i * expected->width;
        double tolerance = expected->tolerances[i], value = 0, difference = 0;
        if (tolerance > 0) {
            value = value_of(expected, one, 0);
            difference = fabs(value_of(expected, bytes, i) - value);
            if (!(difference <= tolerance * fabs(value))) return i;
        } else if (memcmp(one, bytes + i * expected->width, expected->width)) {
            return i;
        }
    }
    return expected->count;
}
