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

char *irr_ranges_text(const irr_dimension_t *dims, uint32_t rank, char *text,
                      size_t capacity_bytes) {
    irr_writer_t to = {text, capacity_bytes, 0};
    irr_write(&to, "[");
    for (uint32_t d = 0; d < rank; d++) {
        irr_dimension_t dim = dims[d];
        const char *comma = d ? "," : "";
        if (dim.min <= 0 && dim.max < 0)
            irr_write(&to, "%s?", comma);
        else if (dim.min == dim.max)
            irr_write(&to, "%s%" PRId64, comma, dim.min);
        else if (dim.max < 0)
            irr_write(&to, "%s%" PRId64 "..", comma, dim.min);
        else
            irr_write(&to, "%s%" PRId64 "..%" PRId64, comma, dim.min, dim.max);
    }
    irr_write(&to, "]");
    return text;
}

char *irr_shape_text(const int64_t *dims, uint32_t rank, char *text, size_t capacity_bytes) {
    irr_dimension_t ranges[IRR_MAX_RANK] = {{0, 0}};
    if (rank > IRR_MAX_RANK) rank = IRR_MAX_RANK;
    for (uint32_t d = 0; d < rank; d++) ranges[d] = (irr_dimension_t){dims[d], dims[d]};
    return irr_ranges_text(ranges, rank, text, capacity_bytes);
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are read by their low bytes");

bool irr_integer_at(const void *values, irr_element_type_e type, size_t k, int64_t *value) {
    size_t bytes = irr_is_integer(type) ? irr_element_bytes(type) : 0;
    uint64_t bits = 0;
    if (bytes == 0) return false;
    memcpy(&bits, (const char *)values + k * bytes, bytes);
    bool negative = irr_element_type_info(type)->kind == IRR_KIND_SIGNED && bits >> (8 * bytes - 1);
    if (negative && bytes < sizeof bits) bits |= UINT64_MAX << 8 * bytes;
    *value = (int64_t)bits;
    return negative || *value >= 0;
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
