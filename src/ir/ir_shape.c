/* What is known of a tensor: a type, and a shape whose dimensions are ranges.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

static const irr_dimension_t any_dim = {0, -1}, one = {1, 1};

void irr_partial_set(irr_partial_t *it, uint8_t type, uint32_t rank, const irr_dimension_t *dims) {
    it->type = type;
    it->rank = rank;
    if (rank && rank != IRR_DYNAMIC_RANK) memcpy(it->dims, dims, rank * sizeof *dims);
}

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
        const irr_dimension_t *x = &a->dims[d], *y = &b->dims[d];
        if ((x->max >= 0 && x->max < y->min) || (y->max >= 0 && y->max < x->min)) return false;
    }
    return true;
}

/* A dimension that is either itself or, if its axis turns out to be reduced, 1. */
static irr_dimension_t or_one(irr_dimension_t dim) {
    if (dim.min > 1) dim.min = 1;
    if (dim.max == 0) dim.max = 1;
    return dim;
}

/* Without the values of the axes, only their number can say something. */
static void reduce_unknown(int64_t count, bool keep_dims, irr_partial_t *out) {
    uint32_t rank = out->rank;
    if (keep_dims) {
        for (uint32_t d = 0; d < rank; d++) out->dims[d] = or_one(out->dims[d]);
    } else if (count > 0) {
        out->rank = rank - (uint32_t)count;
        for (uint32_t d = 0; d < out->rank; d++) out->dims[d] = any_dim;
    } else if (rank) {
        out->rank = IRR_DYNAMIC_RANK;
    }
}

irr_axes_known_t irr_axes_of(const irr_partial_t *axes) {
    irr_axes_known_t known = {.type = axes->type, .count = -1};
    if (axes->rank == 0) known.count = 1;
    if (axes->rank == 1 && irr_partial_static(axes)) known.count = axes->dims[0].min;
    return known;
}

irr_status_e irr_partial_reduce(const irr_partial_t *data, const irr_axes_known_t *axes,
                                bool keep_dims, irr_partial_t *out, irr_sentence_t sentence) {
    uint64_t mask = UINT64_MAX;
    int64_t dims[IRR_MAX_RANK];
    char text[IRR_SENTENCE_BYTES / 2];
    irr_partial_set(out, data->type, data->rank, data->dims);
    if (axes->count == 0 || data->rank == IRR_DYNAMIC_RANK) return IRR_OK;
    if (axes->values) {
        irr_partial_dims(data, dims);
        irr_status_e status =
            irr_axes_mask(axes->values, axes->type, (size_t)axes->count, dims, data->rank,
                          IRR_DUPLICATE_AXES_ERROR, IRR_EMPTY_AXES_IDENTITY, &mask, sentence);
        if (status) return status;
    } else if (axes->count > (int64_t)data->rank) {
        return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                        "axes hold %" PRId64 " values, but data %s has rank %" PRIu32, axes->count,
                        irr_partial_text(data, text, sizeof text), data->rank);
    } else if (axes->count < (int64_t)data->rank) {
        reduce_unknown(axes->count, keep_dims, out);
        return IRR_OK;
    }
    out->rank = 0;
    for (uint32_t d = 0; d < data->rank; d++) {
        bool reduced = mask >> d & 1;
        if (!reduced || keep_dims) out->dims[out->rank++] = reduced ? one : data->dims[d];
    }
    return IRR_OK;
}

void irr_partial_dims(const irr_partial_t *shape, int64_t *dims) {
    for (uint32_t d = 0; shape->rank != IRR_DYNAMIC_RANK && d < shape->rank; d++)
        dims[d] = shape->dims[d].min == shape->dims[d].max ? shape->dims[d].min : IRR_DYNAMIC_DIM;
}

char *irr_partial_text(const irr_partial_t *shape, char *text, size_t capacity_bytes) {
    if (shape->rank != IRR_DYNAMIC_RANK)
        return irr_ranges_text(shape->dims, shape->rank, text, capacity_bytes);
    snprintf(text, capacity_bytes, "of unknown rank");
    return text;
}

bool irr_partial_fits(const irr_partial_t *shape, uint64_t limit_bytes) {
    int64_t dims[IRR_MAX_RANK];
    size_t count, bytes;
    if (!irr_partial_static(shape)) return true;
    irr_partial_dims(shape, dims);
    if (!irr_shape_elements(dims, shape->rank, &count)) return false;
    const irr_element_type_info_t *info = irr_element_type_info(shape->type);
    if (!info || !info->bits) return count <= limit_bytes;
    return irr_elements_bytes(shape->type, count, &bytes) && bytes <= limit_bytes;
}
