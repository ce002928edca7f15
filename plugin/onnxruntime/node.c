/* Making a kernel: what the node and the model say of it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

#include "base/element_type.h"
#include "base/memory.h"
#include "base/shape.h"

#include <string.h>

static void read_flag(const ort_t *ort, const ort_node_info_t *info, const char *name, bool *flag) {
    int64_t value;
    ort_status_t *absent = ort->info_integer(info, name, &value);
    if (absent)
        ort->release_status(absent);
    else
        *flag = value != 0;
}

static ort_status_t *no_memory(const ort_t *ort) {
    return ort->create_status(ORT_FAIL, "out of memory: a kernel");
}

static ort_status_t *read_axes_attribute(kernel_t *kernel, const ort_node_info_t *info) {
    const ort_t *ort = kernel->ort;
    size_t count = 0;
    ort_status_t *absent = ort->info_integers(info, "axes", NULL, &count);
    if (absent) {
        ort->release_status(absent);
        count = 0;
    }
    kernel->axes = irr_calloc(count, sizeof *kernel->axes);
    kernel->axes_count = count;
    if (!kernel->axes) return no_memory(ort);
    return count ? ort->info_integers(info, "axes", kernel->axes, &count) : NULL;
}

/* A constant is copied: the runtime may let go of it once nobody reads it at run time. */
static ort_status_t *read_axes_input(kernel_t *kernel, const ort_node_info_t *info) {
    const ort_t *ort = kernel->ort;
    int is_constant = 0, type;
    const ort_value_t *value = NULL;
    ort_status_t *status = ort->info_constant(info, 1, &is_constant, &value);
    kernel->axes_at_run_time = !is_constant;
    if (status || !is_constant) return status;
    const int64_t *dims;
    size_t rank, count;
    void *data;
    status = ort->tensor_shape(value, &type, &dims, &rank);
    if (!status) status = ort->tensor_data((ort_value_t *)(uintptr_t)value, &data);
    if (status) return status;
    if (type != ORT_INT64 || rank > IRR_MAX_RANK ||
        !irr_shape_elements(dims, (uint32_t)rank, &count))
        return ort->create_status(ORT_INVALID_ARGUMENT, "axes that are no list of 64-bit integers");
    kernel->axes = irr_calloc(count, sizeof *kernel->axes);
    kernel->axes_count = count;
    if (!kernel->axes) return no_memory(ort);
    if (count) memcpy(kernel->axes, data, count * sizeof *kernel->axes);
    return NULL;
}

/* Plans what is known of the data's shape, so that errors show now and runs find the plan. */
static ort_status_t *read_shape(kernel_t *kernel, const ort_shape_t *shape) {
    const ort_t *ort = kernel->ort;
    char text[IRR_SENTENCE_BYTES];
    int64_t dims[IRR_MAX_RANK];
    size_t rank = 0;
    if (!ort->shape_is_known(shape)) return NULL;
    ort_status_t *status = ort->shape_rank(shape, &rank);
    if (!status && rank <= IRR_MAX_RANK) status = ort->shape_dims(shape, dims, rank);
    if (status) return status;
    bool whole = rank <= IRR_MAX_RANK && !irr_shape_is_dynamic(dims, (uint32_t)rank);
    irr_status_e added = irr_ort_add_variant(kernel, (uint32_t)rank, whole ? dims : NULL,
                                             (irr_sentence_t){text, sizeof text});
    return added == IRR_OK ? NULL : irr_ort_status(ort, added, text);
}

static ort_status_t *read_node(kernel_t *kernel, const irr_ort_operator_t *row,
                               const ort_node_info_t *info, ort_type_t **type) {
    const ort_t *ort = kernel->ort;
    const ort_shape_t *shape = NULL;
    size_t inputs = 0, name_bytes = sizeof kernel->name;
    int element_type = 0;
    ort_status_t *unnamed = ort->info_name(info, kernel->name, &name_bytes);
    if (unnamed) ort->release_status(unnamed);
    ort_status_t *status = ort->info_input_count(info, &inputs);
    if (!status) status = ort->info_input_type(info, 0, type);
    if (!status) status = ort->shape_of_type(*type, &shape);
    if (!status) status = ort->shape_element_type(shape, &element_type);
    if (status) return status;
    bool noop = false;
    kernel->keep_dims = true;
    read_flag(ort, info, "keepdims", &kernel->keep_dims);
    read_flag(ort, info, "noop_with_empty_axes", &noop);
    kernel->empty_axes = noop ? IRR_EMPTY_AXES_FOLD : IRR_EMPTY_AXES_ALL;
    kernel->type = irr_ort_element_type(element_type);
    kernel->element_bytes = irr_element_bytes(kernel->type);
    kernel->word = kernel->type == IRR_BOOLEAN ? row->boolean : row->type;
    status = inputs > 1 ? read_axes_input(kernel, info) : read_axes_attribute(kernel, info);
    return status ? status : read_shape(kernel, shape);
}

/* We have copied constant axes: the runtime need not bring them to each run, which takes 1 % of a
 * tiny one. */
static ort_status_t *prepack(ort_kernel_t *face, const ort_value_t *constant, int index,
                             void *allocator, void *cache, bool *is_packed) {
    (void)constant, (void)allocator, (void)cache;
    *is_packed = index == 1 && !((const kernel_t *)face)->axes_at_run_time;
    return NULL;
}

ort_status_t *irr_ort_create_kernel(void *state, const ort_node_info_t *info,
                                    ort_kernel_t **kernel) {
    const irr_ort_maker_t *maker = state;
    const ort_t *ort = maker->ep->ort;
    *kernel = NULL;
    kernel_t *made = irr_calloc(1, sizeof *made);
    if (!made) return no_memory(ort);
    made->face = (ort_kernel_t){.version = ORT_VERSION,
                                .compute = irr_ort_compute,
                                .release = irr_ort_release_kernel,
                                .prepack = prepack};
    made->ep = maker->ep;
    made->ort = ort;
    pthread_mutex_init(&made->mutex, NULL);
    ort_type_t *type = NULL;
    ort_status_t *status = read_node(made, maker->row, info, &type);
    if (type) ort->release_type(type);
    if (status)
        irr_ort_release_kernel(&made->face);
    else
        *kernel = &made->face;
    return status;
}
