/* Partial shapes: a dimension is a range.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "base/shape.h"
#include "ir/ir_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const irr_ir_dim_t any_dim = {0, -1}, one = {1, 1};

bool irr_partial_static(const irr_partial_t *shape) {
    if (shape->rank == IRR_DYNAMIC_RANK) return false;
    for (uint32_t d = 0; d < shape->rank; d++)
        if (shape->dims[d].min != shape->dims[d].max) return false;
    return true;
}

bool irr_partial_compatible(const irr_partial_t *a, const irr_partial_t *b) {
    if (a->rank == IRR_DYNAMIC_RANK || b->rank == IRR_DYNAMIC_RANK) return true;
    if (a->rank != b->rank) return false;
    for (uint32_t d = 0; d < a->rank; d++) {
        const irr_ir_dim_t *x = &a->dims[d], *y = &b->dims[d];
        if ((x->max >= 0 && x->max < y->min) || (y->max >= 0 && y->max < x->min)) return false;
    }
    return true;
}

/* A dimension that is either itself or, if its axis turns out to be reduced, 1. */
static irr_ir_dim_t or_one(irr_ir_dim_t dim) {
    if (dim.min > 1) dim.min = 1;
    if (dim.max == 0) dim.max = 1;
    return dim;
}

static void reduce_known(const irr_partial_t *data, uint64_t mask, bool keep_dims,
                         irr_partial_t *out) {
    uint32_t n = 0;
    for (uint32_t d = 0; d < data->rank; d++) {
        bool reduced = mask >> d & 1;
        if (!reduced || keep_dims) out->dims[n++] = reduced ? one : data->dims[d];
    }
    out->rank = n;
}

void irr_partial_reduce(const irr_partial_t *data, const irr_axes_known_t *axes, bool keep_dims,
                        irr_partial_t *out) {
    uint32_t rank = data->rank;
    if (axes->count == 0) {
        *out = *data;
    } else if (rank == IRR_DYNAMIC_RANK) {
        out->rank = IRR_DYNAMIC_RANK;
    } else if (axes->values || axes->count == (int64_t)rank) {
        reduce_known(data, axes->values ? axes->mask : UINT64_MAX, keep_dims, out);
    } else if (keep_dims) {
        for (uint32_t d = 0; d < rank; d++) out->dims[d] = or_one(data->dims[d]);
        out->rank = rank;
    } else if (rank == 0 || (axes->count > 0 && axes->count < (int64_t)rank)) {
        out->rank = rank ? rank - (uint32_t)axes->count : 0;
        for (uint32_t d = 0; d < out->rank; d++) out->dims[d] = any_dim;
    } else {
        out->rank = IRR_DYNAMIC_RANK;
    }
}

void irr_partial_dims(const irr_partial_t *shape, int64_t *dims) {
    for (uint32_t d = 0; shape->rank != IRR_DYNAMIC_RANK && d < shape->rank; d++)
        dims[d] = shape->dims[d].min == shape->dims[d].max ? shape->dims[d].min : IRR_DYNAMIC_DIM;
}

char *irr_partial_text(const irr_partial_t *shape, char *text, size_t capacity_bytes) {
    size_t used = 0;
    if (shape->rank == IRR_DYNAMIC_RANK) {
        snprintf(text, capacity_bytes, "of unknown rank");
        return text;
    }
    for (uint32_t d = 0; d < shape->rank && used < capacity_bytes; d++) {
        irr_ir_dim_t dim = shape->dims[d];
        char *to = text + used;
        size_t room = capacity_bytes - used;
        const char *before = d ? "," : "[";
        int wrote = dim.min == dim.max ? snprintf(to, room, "%s%" PRId64, before, dim.min)
                    : dim.max >= 0
                        ? snprintf(to, room, "%s%" PRId64 "..%" PRId64, before, dim.min, dim.max)
                    : dim.min ? snprintf(to, room, "%s%" PRId64 "..", before, dim.min)
                              : snprintf(to, room, "%s?", before);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (used < capacity_bytes)
        snprintf(text + used, capacity_bytes - used, "%s", shape->rank ? "]" : "[]");
    return text;
}

bool irr_partial_fits(const irr_partial_t *shape, irr_element_type_e type, uint64_t limit_bytes) {
    int64_t dims[IRR_MAX_RANK];
    size_t count, bytes;
    if (!irr_partial_static(shape)) return true;
    irr_partial_dims(shape, dims);
    if (!irr_shape_elements(dims, shape->rank, &count)) return false;
    const irr_element_type_info_t *info = irr_element_type_info(type);
    if (!info || !info->bits) return count <= limit_bytes;
    return irr_elements_bytes(type, count, &bytes) && bytes <= limit_bytes;
}
