/* Shapes and the axes rules (semantics, section 2).
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/shape.h"

#include "base/element_type.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool irr_shape_elements(const int64_t *dims, uint32_t rank, size_t *count) {
    size_t total = 1;
    for (uint32_t d = 0; d < rank; d++)
        if (dims[d] == 0) return *count = 0, true;
    for (uint32_t d = 0; d < rank; d++)
        if (dims[d] < 0 || !irr_mul_size(total, (size_t)dims[d], &total)) return false;
    *count = total;
    return true;
}

bool irr_shape_is_dynamic(const int64_t *dims, uint32_t rank) {
    for (uint32_t d = 0; d < rank; d++)
        if (dims[d] < 0) return true;
    return false;
}

char *irr_shape_text(const int64_t *dims, uint32_t rank, char *text, size_t capacity_bytes) {
    size_t used = 0;
    for (uint32_t d = 0; d <= rank && used < capacity_bytes; d++) {
        const char *before = d == 0 ? "[" : d == rank ? "" : ",";
        int wrote;
        if (d == rank)
            wrote = snprintf(text + used, capacity_bytes - used, "%s]", before);
        else if (dims[d] < 0)
            wrote = snprintf(text + used, capacity_bytes - used, "%s?", before);
        else
            wrote = snprintf(text + used, capacity_bytes - used, "%s%" PRId64, before, dims[d]);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return text;
}

/* Reads one integer of the C type at any alignment. */
#define READ_AS(ctype)                                                                             \
    do {                                                                                           \
        ctype element;                                                                             \
        memcpy(&element, (const char *)values + k * sizeof element, sizeof element);               \
        *value = (int64_t)element;                                                                 \
    } while (0)

bool irr_integer_at(const void *values, irr_element_type_e type, size_t k, int64_t *value) {
    switch (type) {
    case IRR_I8:
        READ_AS(int8_t);
        return true;
    case IRR_I16:
        READ_AS(int16_t);
        return true;
    case IRR_I32:
        READ_AS(int32_t);
        return true;
    case IRR_I64:
        READ_AS(int64_t);
        return true;
    case IRR_U8:
        READ_AS(uint8_t);
        return true;
    case IRR_U16:
        READ_AS(uint16_t);
        return true;
    case IRR_U32:
        READ_AS(uint32_t);
        return true;
    case IRR_U64:
        READ_AS(uint64_t);
        return *value >= 0;
    default:
        return false;
    }
}

irr_status_e irr_axes_mask(const void *values, irr_element_type_e type, size_t count,
                           const int64_t *dims, uint32_t rank, irr_duplicate_axes_e duplicates,
                           irr_empty_axes_e empty, uint64_t *mask, irr_sentence_t sentence) {
    char shape[IRR_SHAPE_TEXT_BYTES];
    uint64_t set = 0;
    for (size_t k = 0; k < count; k++) {
        int64_t axis;
        bool fits = irr_integer_at(values, type, k, &axis);
        if (!fits || axis < -(int64_t)rank || axis >= (int64_t)rank) {
            irr_shape_text(dims, rank, shape, sizeof shape);
            char number[24];
            snprintf(number, sizeof number, fits ? "%" PRId64 : "%" PRIu64, axis);
            if (rank == 0)
                return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                                "axis %s is given, but data has rank 0 and takes no axis", number);
            return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                            "axis %s is outside [-%" PRIu32 ", %" PRIu32 "] of data %s", number,
                            rank, rank - 1, shape);
        }
        uint64_t bit = UINT64_C(1) << (axis < 0 ? axis + (int64_t)rank : axis);
        if ((set & bit) && duplicates == IRR_DUPLICATE_AXES_ERROR)
            return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                            "axis %" PRId64 " names dimension %" PRId64
                            " of data %s a second time; axes are unique",
                            axis, axis < 0 ? axis + (int64_t)rank : axis,
                            irr_shape_text(dims, rank, shape, sizeof shape));
        set |= bit;
    }
    if (count == 0 && rank && empty == IRR_EMPTY_AXES_ALL)
        set = UINT64_MAX >> (IRR_MAX_RANK - rank);
    *mask = set;
    return IRR_OK;
}

void irr_reduced_shape(const int64_t *dims, uint32_t rank, uint64_t mask, bool keep_dims,
                       int64_t *out, uint32_t *out_rank) {
    uint32_t n = 0;
    for (uint32_t d = 0; d < rank; d++) {
        bool reduced = mask >> d & 1;
        if (!reduced || keep_dims) out[n++] = reduced ? 1 : dims[d];
    }
    *out_rank = n;
}
