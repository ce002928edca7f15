/* Dimensions, shapes and partial shapes as the caller holds them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/shape.h"

#include "runtime/runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool irr_dimension_is_dynamic(const irr_dimension_t dim) {
    return dim.min != dim.max || dim.max < 0;
}

bool irr_rank_is_dynamic(const irr_rank_t rank) { return irr_dimension_is_dynamic(rank); }

static irr_status_e check_rank(int64_t rank, const void *dims) {
    if (rank < 0 || rank > (int64_t)IRR_MAX_RANK)
        return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                        "rank %" PRId64 " is outside [0, %u]", rank, IRR_MAX_RANK);
    if (rank > 0 && !dims)
        return irr_fail(irr_message(), IRR_INVALID_C_PARAM, "dims is NULL with rank %" PRId64,
                        rank);
    return IRR_OK;
}

static irr_status_e check_dim(irr_dimension_t dim, bool dynamic_is_legal) {
    bool in_order = dim.min == dim.max ? dim.min >= -1
                    : dim.max == -1    ? dim.min >= 0
                                       : dim.min >= 0 && dim.min < dim.max;
    if (in_order && (dynamic_is_legal || !irr_dimension_is_dynamic(dim))) return IRR_OK;
    return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                    "%" PRId64 "..%" PRId64 " is no dimension here", dim.min, dim.max);
}

irr_status_e irr_shape_create(const int64_t rank, const int64_t *dims, irr_shape_t *shape) {
    IRR_REQUIRE_OUT(shape);
    irr_status_e status = check_rank(rank, dims);
    for (int64_t d = 0; !status && d < rank; d++)
        status = check_dim((irr_dimension_t){dims[d], dims[d]}, false);
    if (status || rank == 0) return status;
    size_t bytes = (size_t)rank * sizeof *dims;
    shape->dims = irr_malloc(bytes);
    if (!shape->dims) return irr_out_of_memory(irr_message(), bytes);
    memcpy(shape->dims, dims, bytes);
    shape->rank = rank;
    return IRR_OK;
}

irr_status_e irr_shape_free(irr_shape_t *shape) {
    IRR_REQUIRE(shape);
    irr_release(shape->dims);
    *shape = (irr_shape_t){0, NULL};
    return IRR_OK;
}

irr_status_e irr_partial_shape_create(const int64_t rank, const irr_dimension_t *dims,
                                      irr_partial_shape_t *partial_shape) {
    return irr_partial_shape_create_dynamic((irr_rank_t){rank, rank}, dims, partial_shape);
}

irr_status_e irr_partial_shape_create_dynamic(const irr_rank_t rank, const irr_dimension_t *dims,
                                              irr_partial_shape_t *partial_shape) {
    IRR_REQUIRE_OUT(partial_shape);
    if (irr_rank_is_dynamic(rank)) {
        if (dims)
            return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                            "a dynamic rank takes no dimensions");
        irr_status_e status = check_dim(rank, true);
        if (!status) partial_shape->rank = rank;
        return status;
    }
    irr_status_e status = check_rank(rank.max, dims);
    for (int64_t d = 0; !status && d < rank.max; d++) status = check_dim(dims[d], true);
    if (status || rank.max == 0) return status;
    size_t bytes = (size_t)rank.max * sizeof *dims;
    partial_shape->dims = irr_malloc(bytes);
    if (!partial_shape->dims) return irr_out_of_memory(irr_message(), bytes);
    memcpy(partial_shape->dims, dims, bytes);
    partial_shape->rank = rank;
    return IRR_OK;
}

irr_status_e irr_partial_shape_create_static(const int64_t rank, const int64_t *dims,
                                             irr_partial_shape_t *partial_shape) {
    IRR_REQUIRE_OUT(partial_shape);
    irr_dimension_t equal[IRR_MAX_RANK];
    irr_status_e status = check_rank(rank, dims);
    for (int64_t d = 0; !status && d < rank; d++) {
        equal[d] = (irr_dimension_t){dims[d], dims[d]};
        status = check_dim(equal[d], false);
    }
    return status ? status : irr_partial_shape_create(rank, equal, partial_shape);
}

void irr_partial_shape_free(irr_partial_shape_t *partial_shape) {
    if (!partial_shape) return;
    irr_release(partial_shape->dims);
    *partial_shape = (irr_partial_shape_t){{0, 0}, NULL};
}

bool irr_partial_shape_is_dynamic(const irr_partial_shape_t partial_shape) {
    if (irr_rank_is_dynamic(partial_shape.rank)) return true;
    for (int64_t d = 0; partial_shape.dims && d < partial_shape.rank.max; d++)
        if (irr_dimension_is_dynamic(partial_shape.dims[d])) return true;
    return false;
}

irr_status_e irr_partial_shape_to_shape(const irr_partial_shape_t partial_shape,
                                        irr_shape_t *shape) {
    IRR_REQUIRE_OUT(shape);
    if (irr_partial_shape_is_dynamic(partial_shape))
        return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH, "the shape is dynamic");
    int64_t dims[IRR_MAX_RANK], rank = partial_shape.rank.max;
    irr_status_e status = check_rank(rank, partial_shape.dims);
    for (int64_t d = 0; !status && d < rank; d++) dims[d] = partial_shape.dims[d].max;
    return status ? status : irr_shape_create(rank, dims, shape);
}

irr_status_e irr_shape_to_partial_shape(const irr_shape_t shape,
                                        irr_partial_shape_t *partial_shape) {
    return irr_partial_shape_create_static(shape.rank, shape.dims, partial_shape);
}

/* One dimension as the IR writes it: "3", "?", "1..10", "2..". */
static int write_dim(irr_dimension_t dim, char *text, size_t capacity_bytes) {
    if (!irr_dimension_is_dynamic(dim)) return snprintf(text, capacity_bytes, "%" PRId64, dim.min);
    if (dim.max < 0 && dim.min <= 0) return snprintf(text, capacity_bytes, "?");
    if (dim.max < 0) return snprintf(text, capacity_bytes, "%" PRId64 "..", dim.min);
    return snprintf(text, capacity_bytes, "%" PRId64 "..%" PRId64, dim.min, dim.max);
}

const char *irr_partial_shape_to_string(const irr_partial_shape_t partial_shape) {
    char text[IRR_MAX_RANK * 44 + 3]; /* two numbers of 20 signs, "..", "," a dimension */
    size_t used = 0;
    char *copy;
    if (irr_rank_is_dynamic(partial_shape.rank)) {
        strcpy(text, "[...]");
    } else {
        if (check_rank(partial_shape.rank.max, partial_shape.dims)) return NULL;
        text[used++] = '[';
        for (int64_t d = 0; d < partial_shape.rank.max; d++) {
            if (d) text[used++] = ',';
            used += (size_t)write_dim(partial_shape.dims[d], text + used, sizeof text - used);
        }
        strcpy(text + used, "]");
    }
    irr_give_text(text, &copy);
    return copy;
}
