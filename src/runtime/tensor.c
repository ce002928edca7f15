/* Tensors: dense row-major memory, the library's or the caller's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/shape.h"
#include "runtime/runtime.h"

#include <inttypes.h>
#include <string.h>

/* Below this no memory limit of a machine that runs us can be: the files need not be asked. */
#define SURELY_FITS_BYTES ((size_t)1 << 20)

static irr_status_e count_bytes(irr_element_type_e type, uint32_t rank, const int64_t *dims,
                                size_t *elements, size_t *bytes, irr_sentence_t sentence) {
    char text[IRR_SHAPE_TEXT_BYTES];
    const irr_element_type_info_t *info = irr_element_type_info(type);
    if (info->bits == 0)
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH, "no tensor can be of type %s",
                        info->name);
    if (!irr_shape_elements(dims, rank, elements) || !irr_elements_bytes(type, *elements, bytes) ||
        *bytes > PTRDIFF_MAX - 2 * IRR_ALIGNMENT)
        return irr_fail(sentence, IRR_NOT_ALLOCATED, "a tensor %s of %s does not fit any memory",
                        irr_shape_text(dims, rank, text, sizeof text), info->name);
    return IRR_OK;
}

static irr_status_e check_limit(size_t bytes, irr_sentence_t sentence) {
    if (bytes <= SURELY_FITS_BYTES) return IRR_OK;
    uint64_t limit = irr_memory_limit_bytes();
    if (bytes <= limit) return IRR_OK;
    return irr_fail(sentence, IRR_NOT_ALLOCATED,
                    "a tensor of %zu bytes is above the memory limit of %" PRIu64 " bytes", bytes,
                    limit);
}

/* A zeroed block and the aligned place in it; calloc leaves fresh pages untouched. */
static irr_status_e allocate(size_t bytes, void **block, void **data, irr_sentence_t sentence) {
    irr_status_e status = check_limit(bytes, sentence);
    if (status) return status;
    *block = irr_calloc(1, bytes + IRR_ALIGNMENT);
    if (!*block) return irr_out_of_memory(sentence, bytes);
    *data = (void *)(((uintptr_t)*block + IRR_ALIGNMENT - 1) & ~(uintptr_t)(IRR_ALIGNMENT - 1));
    return IRR_OK;
}

static void set_dims(irr_tensor_t *tensor, uint32_t rank, const int64_t *dims, size_t elements,
                     size_t bytes) {
    if (rank) memcpy(tensor->dims, dims, rank * sizeof *dims);
    tensor->rank = rank;
    tensor->element_count = elements;
    tensor->bytes = bytes;
    tensor->generation++;
}

irr_status_e irr_tensor_make(irr_element_type_e type, uint32_t rank, const int64_t *dims,
                             irr_tensor_t **tensor, irr_sentence_t sentence) {
    size_t elements, bytes;
    irr_status_e status = count_bytes(type, rank, dims, &elements, &bytes, sentence);
    if (status) return status;
    irr_tensor_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    status = allocate(bytes, &made->block, &made->data, sentence);
    if (status) {
        irr_release(made);
        return status;
    }
    atomic_init(&made->holders, 1);
    made->type = type;
    made->capacity_bytes = bytes;
    set_dims(made, rank, dims, elements, bytes);
    *tensor = made;
    return IRR_OK;
}

irr_status_e irr_tensor_resize(irr_tensor_t *tensor, uint32_t rank, const int64_t *dims,
                               irr_sentence_t sentence) {
    if (rank == tensor->rank && (rank == 0 || memcmp(dims, tensor->dims, rank * sizeof *dims) == 0))
        return IRR_OK;
    size_t elements, bytes;
    irr_status_e status = count_bytes(tensor->type, rank, dims, &elements, &bytes, sentence);
    if (status) return status;
    if (bytes > tensor->capacity_bytes) {
        char text[IRR_SHAPE_TEXT_BYTES];
        if (tensor->host)
            return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                            "shape %s takes %zu bytes, the caller's memory has %zu",
                            irr_shape_text(dims, rank, text, sizeof text), bytes,
                            tensor->capacity_bytes);
        void *block, *data;
        status = allocate(bytes, &block, &data, sentence);
        if (status) return status;
        irr_release(tensor->block);
        tensor->block = block;
        tensor->data = data;
        tensor->capacity_bytes = bytes;
    }
    set_dims(tensor, rank, dims, elements, bytes);
    return IRR_OK;
}

irr_tensor_t *irr_tensor_retain(const irr_tensor_t *tensor) {
    irr_tensor_t *held = (irr_tensor_t *)tensor;
    atomic_fetch_add_explicit(&held->holders, 1, memory_order_relaxed);
    return held;
}

irr_tensor_view_t irr_tensor_view(const irr_tensor_t *tensor) {
    return (irr_tensor_view_t){.data = tensor->data,
                               .element_type = tensor->type,
                               .rank = tensor->rank,
                               .dims = tensor->dims};
}

bool irr_tensors_overlap(const irr_tensor_t *a, const irr_tensor_t *b) {
    uintptr_t start_a = (uintptr_t)a->data, start_b = (uintptr_t)b->data;
    return a->bytes && b->bytes && start_a < start_b + b->bytes && start_b < start_a + a->bytes;
}

static irr_status_e check_type(irr_element_type_e type) {
    if (irr_element_type_info(type)) return IRR_OK;
    return irr_fail(irr_message(), IRR_INVALID_C_PARAM, "%d is no element type", (int)type);
}

static irr_status_e check_shape(irr_shape_t shape) {
    char text[IRR_SHAPE_TEXT_BYTES];
    if (shape.rank < 0 || shape.rank > (int64_t)IRR_MAX_RANK)
        return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                        "rank %" PRId64 " is outside [0, %u]", shape.rank, IRR_MAX_RANK);
    if (shape.rank > 0 && !shape.dims)
        return irr_fail(irr_message(), IRR_INVALID_C_PARAM,
                        "the shape's dims are NULL with rank %" PRId64, shape.rank);
    if (irr_shape_is_dynamic(shape.dims, (uint32_t)shape.rank))
        return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                        "a tensor's shape is known, this is %s",
                        irr_shape_text(shape.dims, (uint32_t)shape.rank, text, sizeof text));
    return IRR_OK;
}

irr_status_e irr_tensor_create(const irr_element_type_e type, const irr_shape_t shape,
                               irr_tensor_t **tensor) {
    IRR_REQUIRE_OUT(tensor);
    irr_status_e status = check_type(type);
    if (!status) status = check_shape(shape);
    if (status) return status;
    return irr_tensor_make(type, (uint32_t)shape.rank, shape.dims, tensor, irr_message());
}

irr_status_e irr_tensor_create_from_host_ptr(const irr_element_type_e type, const irr_shape_t shape,
                                             void *host_ptr, irr_tensor_t **tensor) {
    IRR_REQUIRE_OUT(tensor);
    size_t elements, bytes, alignment = irr_element_bytes(type);
    irr_status_e status = check_type(type);
    if (!status) status = check_shape(shape);
    if (!status)
        status =
            count_bytes(type, (uint32_t)shape.rank, shape.dims, &elements, &bytes, irr_message());
    if (status) return status;
    if (bytes) IRR_REQUIRE(host_ptr);
    if (alignment && (uintptr_t)host_ptr % alignment)
        return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                        "memory for %s is aligned to %zu bytes, this pointer is not",
                        irr_get_element_type_name(type), alignment);
    irr_tensor_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(irr_message(), sizeof *made);
    atomic_init(&made->holders, 1);
    made->host = true;
    made->type = type;
    made->data = host_ptr;
    made->capacity_bytes = bytes;
    set_dims(made, (uint32_t)shape.rank, shape.dims, elements, bytes);
    *tensor = made;
    return IRR_OK;
}

irr_status_e irr_tensor_set_shape(irr_tensor_t *tensor, const irr_shape_t shape) {
    IRR_REQUIRE(tensor);
    irr_status_e status = check_shape(shape);
    if (status) return status;
    return irr_tensor_resize(tensor, (uint32_t)shape.rank, shape.dims, irr_message());
}

irr_status_e irr_tensor_get_shape(const irr_tensor_t *tensor, irr_shape_t *shape) {
    IRR_REQUIRE_OUT(shape);
    IRR_REQUIRE(tensor);
    return irr_shape_create(tensor->rank, tensor->dims, shape);
}

irr_status_e irr_tensor_get_element_type(const irr_tensor_t *tensor, irr_element_type_e *type) {
    IRR_REQUIRE(type);
    IRR_REQUIRE(tensor);
    *type = tensor->type;
    return IRR_OK;
}

irr_status_e irr_tensor_get_size(const irr_tensor_t *tensor, size_t *elements_size) {
    IRR_REQUIRE(elements_size);
    IRR_REQUIRE(tensor);
    *elements_size = tensor->element_count;
    return IRR_OK;
}

irr_status_e irr_tensor_get_byte_size(const irr_tensor_t *tensor, size_t *byte_size) {
    IRR_REQUIRE(byte_size);
    IRR_REQUIRE(tensor);
    *byte_size = tensor->bytes;
    return IRR_OK;
}

irr_status_e irr_tensor_data(const irr_tensor_t *tensor, void **data) {
    IRR_REQUIRE_OUT(data);
    IRR_REQUIRE(tensor);
    *data = tensor->data;
    return IRR_OK;
}

void irr_tensor_free(irr_tensor_t *tensor) {
    if (!tensor || atomic_fetch_sub(&tensor->holders, 1) != 1) return;
    irr_release(tensor->block);
    irr_release(tensor);
}
