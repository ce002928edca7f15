/* Tensors: dense row-major memory, the library's or the caller's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/shape.h"
#include "runtime/runtime.h"

#include <inttypes.h>

/* Below this no memory limit of a machine that runs us can be: the files need not be asked. */
#define SURELY_FITS_BYTES ((size_t)1 << 20)

/* A zeroed block and the aligned place in it; calloc leaves fresh pages untouched. */
static irr_status_e allocate(irr_tensor_t *tensor, size_t bytes) {
    uint64_t limit = bytes <= SURELY_FITS_BYTES ? UINT64_MAX : irr_memory_limit_bytes();
    if (bytes > limit)
        return irr_fail(irr_message(), IRR_NOT_ALLOCATED,
                        "a tensor of %zu bytes is above the memory limit of %" PRIu64 " bytes",
                        bytes, limit);
    void *block = irr_calloc(1, bytes + IRR_ALIGNMENT);
    if (!block) return irr_out_of_memory(irr_message(), bytes);
    irr_prefer_large_pages(block, bytes);
    irr_release(tensor->block);
    tensor->block = block;
    tensor->data = (char *)block + (IRR_ALIGNMENT - (uintptr_t)block % IRR_ALIGNMENT);
    tensor->capacity_bytes = bytes;
    return IRR_OK;
}

/* Any shape, with memory for it. */
static irr_status_e take_shape(irr_tensor_t *tensor, uint32_t rank, const int64_t *dims) {
    char text[IRR_SHAPE_TEXT_BYTES];
    size_t elements, bytes;
    const irr_element_type_info_t *info = irr_element_type_info(tensor->type);
    if (info->bits == 0)
        return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH, "no tensor can be of type %s",
                        info->name);
    if (!irr_shape_elements(dims, rank, &elements) ||
        !irr_elements_bytes(tensor->type, elements, &bytes) ||
        bytes > PTRDIFF_MAX - 2 * IRR_ALIGNMENT)
        return irr_fail(irr_message(), IRR_NOT_ALLOCATED,
                        "a tensor %s of %s does not fit any memory",
                        irr_shape_text(dims, rank, text, sizeof text), info->name);
    if (tensor->host && bytes > tensor->capacity_bytes)
        return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                        "shape %s takes %zu bytes, the caller's memory has %zu",
                        irr_shape_text(dims, rank, text, sizeof text), bytes,
                        tensor->capacity_bytes);
    if (!tensor->host && (!tensor->block || bytes > tensor->capacity_bytes)) {
        IRR_TRY(allocate(tensor, bytes));
    }
    if (rank) memcpy(tensor->dims, dims, rank * sizeof *dims);
    tensor->rank = rank;
    tensor->element_count = elements;
    tensor->bytes = bytes;
    tensor->generation++;
    return IRR_OK;
}

irr_status_e irr_tensor_make(irr_tensor_t start, uint32_t rank, const int64_t *dims,
                             irr_tensor_t **tensor) {
    irr_tensor_t *made = irr_malloc(sizeof *made);
    if (!made) return irr_out_of_memory(irr_message(), sizeof *made);
    *made = start;
    atomic_init(&made->holders, 1);
    irr_status_e status = take_shape(made, rank, dims);
    return IRR_GIVE(status, tensor, made, irr_release);
}

irr_status_e irr_tensor_resize(irr_tensor_t *tensor, uint32_t rank, const int64_t *dims) {
    bool same =
        rank == tensor->rank && (rank == 0 || memcmp(dims, tensor->dims, rank * sizeof *dims) == 0);
    return same ? IRR_OK : take_shape(tensor, rank, dims);
}

static irr_status_e check(irr_element_type_e type, irr_shape_t shape) {
    if (irr_element_type_info(type)) return irr_check_shape(shape);
    return irr_fail(irr_message(), IRR_INVALID_C_PARAM, "%d is no element type", (int)type);
}

irr_status_e irr_tensor_create(const irr_element_type_e type, const irr_shape_t shape,
                               irr_tensor_t **tensor) {
    IRR_REQUIRE_OUT(tensor);
    irr_tensor_t start = {.type = type};
    IRR_TRY(check(type, shape));
    return irr_tensor_make(start, (uint32_t)shape.rank, shape.dims, tensor);
}

irr_status_e irr_tensor_create_from_host_ptr(const irr_element_type_e type, const irr_shape_t shape,
                                             void *host_ptr, irr_tensor_t **tensor) {
    IRR_REQUIRE_OUT(tensor);
    size_t alignment = irr_element_bytes(type);
    irr_tensor_t start = {.host = true, .type = type, .data = host_ptr, .capacity_bytes = SIZE_MAX};
    IRR_TRY(check(type, shape));
    if (alignment && (uintptr_t)host_ptr % alignment)
        return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                        "memory for %s is aligned to %zu bytes, this pointer is not",
                        irr_get_element_type_name(type), alignment);
    IRR_TRY(irr_tensor_make(start, (uint32_t)shape.rank, shape.dims, tensor));
    (*tensor)->capacity_bytes = (*tensor)->bytes;
    if (host_ptr || !(*tensor)->bytes) return IRR_OK;
    irr_tensor_free(*tensor);
    *tensor = NULL;
    return irr_fail_null(__func__, "host_ptr", 0);
}

irr_status_e irr_tensor_set_shape(irr_tensor_t *tensor, const irr_shape_t shape) {
    IRR_REQUIRE(tensor);
    IRR_TRY(irr_check_shape(shape));
    return irr_tensor_resize(tensor, (uint32_t)shape.rank, shape.dims);
}

irr_status_e irr_tensor_get_shape(const irr_tensor_t *tensor, irr_shape_t *shape) {
    IRR_REQUIRE_OUT(shape, tensor);
    return irr_shape_create(tensor->rank, tensor->dims, shape);
}

#define GETTER(function, type_t, value, member)                                                    \
    irr_status_e function(const irr_tensor_t *tensor, type_t *value) {                             \
        IRR_REQUIRE_OUT(value, tensor);                                                            \
        *value = tensor->member;                                                                   \
        return IRR_OK;                                                                             \
    }
GETTER(irr_tensor_get_element_type, irr_element_type_e, type, type)
GETTER(irr_tensor_get_size, size_t, elements_size, element_count)
GETTER(irr_tensor_get_byte_size, size_t, byte_size, bytes)
GETTER(irr_tensor_data, void *, data, data)

void irr_tensor_free(irr_tensor_t *tensor) {
    if (!tensor || !IRR_WAS_LAST(tensor)) return;
    irr_release(tensor->block);
    irr_release(tensor);
}
