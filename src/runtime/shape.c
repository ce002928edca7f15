/* Dimensions, shapes and partial shapes as the caller holds them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/shape.h"

#include "runtime/runtime.h"

#include <inttypes.h>

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

irr_status_e irr_check_shape(irr_shape_t shape) {
    char text[IRR_SHAPE_TEXT_BYTES];
    irr_status_e status = check_rank(shape.rank, shape.dims);
    if (status || !irr_shape_is_dynamic(shape.dims, (uint32_t)shape.rank)) return status;
    return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH, "a shape is known, this is %s",
                    irr_shape_text(shape.dims, (uint32_t)shape.rank, text, sizeof text));
}

static irr_status_e check_dim(irr_dimension_t dim) {
    bool fits =
        dim.min == dim.max ? dim.min >= -1 : dim.min >= 0 && (dim.max == -1 || dim.min < dim.max);
    if (fits) return IRR_OK;
    return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                    "%" PRId64 "..%" PRId64 " is no dimension here", dim.min, dim.max);
}

irr_status_e irr_check_partial_shape(irr_partial_shape_t shape) {
    if (irr_rank_is_dynamic(shape.rank)) {
        if (!shape.dims) return check_dim(shape.rank);
        return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                        "a dynamic rank takes no dimensions");
    }
    irr_status_e status = check_rank(shape.rank.max, shape.dims);
    for (int64_t d = 0; !status && d < shape.rank.max; d++) status = check_dim(shape.dims[d]);
    return status;
}

/* NULL for no bytes; *status says whether memory is out. */
static void *copy_of(const void *dims, size_t bytes, irr_status_e *status) {
    void *copy = bytes ? irr_malloc(bytes) : NULL;
    if (copy) return memcpy(copy, dims, bytes);
    *status = bytes ? irr_out_of_memory(irr_message(), bytes) : IRR_OK;
    return NULL;
}

irr_status_e irr_shape_create(const int64_t rank, const int64_t *dims, irr_shape_t *shape) {
    IRR_REQUIRE_OUT(shape);
    irr_status_e status = irr_check_shape((irr_shape_t){rank, (int64_t *)dims});
    if (!status) shape->dims = copy_of(dims, (size_t)rank * sizeof *dims, &status);
    if (!status) shape->rank = rank;
    return status;
}

irr_status_e irr_shape_free(irr_shape_t *shape) {
    IRR_REQUIRE(shape);
    irr_release(shape->dims);
    *shape = (irr_shape_t){0, NULL};
    return IRR_OK;
}

irr_status_e irr_partial_shape_create_dynamic(const irr_rank_t rank, const irr_dimension_t *dims,
                                              irr_partial_shape_t *partial_shape) {
    IRR_REQUIRE_OUT(partial_shape);
    irr_status_e status = irr_check_partial_shape((irr_partial_shape_t){rank, (void *)dims});
    if (!status && !irr_rank_is_dynamic(rank))
        partial_shape->dims = copy_of(dims, (size_t)rank.max * sizeof *dims, &status);
    if (!status) partial_shape->rank = rank;
    return status;
}

irr_status_e irr_partial_shape_create(const int64_t rank, const irr_dimension_t *dims,
                                      irr_partial_shape_t *partial_shape) {
    return irr_partial_shape_create_dynamic((irr_rank_t){rank, rank}, dims, partial_shape);
}

irr_status_e irr_partial_shape_create_static(const int64_t rank, const int64_t *dims,
                                             irr_partial_shape_t *partial_shape) {
    IRR_REQUIRE_OUT(partial_shape);
    irr_dimension_t equal[IRR_MAX_RANK];
    irr_status_e status = irr_check_shape((irr_shape_t){rank, (int64_t *)dims});
    for (int64_t d = 0; !status && d < rank; d++) equal[d] = (irr_dimension_t){dims[d], dims[d]};
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

const char *irr_partial_shape_to_string(const irr_partial_shape_t partial_shape) {
    char text[IRR_MAX_RANK * 44 + 8] = "[...]", *copy; /* two numbers, "..", "," a dimension */
    if (!irr_rank_is_dynamic(partial_shape.rank)) {
        if (check_rank(partial_shape.rank.max, partial_shape.dims)) return NULL;
        irr_ranges_text(partial_shape.dims, (uint32_t)partial_shape.rank.max, text, sizeof text);
    }
    irr_give_text(text, &copy);
    return copy;
}
