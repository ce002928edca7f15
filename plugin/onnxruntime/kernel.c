/* Running a node: variants, requests, the runtime's tensors and threads. A variant is the node as a
 * graph of one layer for the device, compiled for one rank, or for the one shape that the model
 * declares. May not: arithmetic, shape rules, names of operators.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

#include "base/element_type.h"
#include "base/memory.h"
#include "base/shape.h"

#include <string.h>

ort_status_t *irr_ort_status(const ort_t *ort, irr_status_e status, const char *sentence) {
    int code = status == IRR_NOT_IMPLEMENTED ? ORT_NOT_IMPLEMENTED
               : status == IRR_PARAMETER_MISMATCH || status == IRR_NETWORK_NOT_READ
                   ? ORT_INVALID_ARGUMENT
                   : ORT_FAIL;
    return ort->create_status(code, sentence);
}

/* ---- variants ---- */

static irr_status_e compile(const kernel_t *kernel, variant_t *variant, irr_sentence_t sentence) {
    const int64_t count = kernel->axes_at_run_time ? IRR_DYNAMIC_DIM : (int64_t)kernel->axes_count;
    const irr_graph_value_t values[] = {
        {.element_type = kernel->type, .rank = variant->rank, .dims = variant->dims},
        {.element_type = kernel->type, .rank = IRR_DYNAMIC_RANK},
        {.element_type = IRR_I64,
         .rank = 1,
         .dims = &count,
         .constant = kernel->axes,
         .is_constant = !kernel->axes_at_run_time},
    };
    const irr_graph_layer_t layer = {.id = "node",
                                     .name = kernel->name,
                                     .type = kernel->word,
                                     .data = 0,
                                     .output = 1,
                                     .axes = 2,
                                     .keep_dims = kernel->keep_dims,
                                     .empty_axes = kernel->empty_axes,
                                     .duplicate_axes = IRR_DUPLICATE_AXES_MERGE};
    const uint32_t inputs[] = {0, 2}, outputs[] = {1};
    const irr_graph_t graph = {.size_bytes = sizeof graph,
                               .name = kernel->name,
                               .values = values,
                               .value_count = 3,
                               .layers = &layer,
                               .layer_count = 1,
                               .inputs = inputs,
                               .input_count = kernel->axes_at_run_time ? 2 : 1,
                               .outputs = outputs,
                               .output_count = 1};
    irr_plugin_engine_t *engine = kernel->ep->engine;
    irr_status_e status = engine->compile(engine, &graph, NULL, 0, &variant->compiled, sentence);
    if (status != IRR_OK || kernel->axes_at_run_time) return status;
    return irr_axes_mask(kernel->axes, IRR_I64, kernel->axes_count, variant->dims, variant->rank,
                         IRR_DUPLICATE_AXES_MERGE, kernel->empty_axes, &variant->mask, sentence);
}

static void release_variant(const kernel_t *kernel, variant_t *variant) {
    const irr_plugin_engine_t *engine = kernel->ep->engine;
    for (unsigned i = 0; i < IDLE_REQUESTS; i++)
        engine->release_request(atomic_load(&variant->idle[i]));
    engine->release_compiled(variant->compiled);
    irr_release(variant);
}

static variant_t *find_variant(const kernel_t *kernel, const irr_tensor_view_t *data) {
    variant_t *variant = atomic_load_explicit(&kernel->variants, memory_order_acquire);
    for (; variant; variant = variant->next) {
        uint32_t d = variant->rank == data->rank ? 0 : IRR_MAX_RANK + 1;
        while (d < data->rank &&
               (variant->dims[d] == data->dims[d] || variant->dims[d] == IRR_DYNAMIC_DIM))
            d++;
        if (d == data->rank) break;
    }
    return variant;
}

irr_status_e irr_ort_add_variant(kernel_t *kernel, uint32_t rank, const int64_t *dims,
                                 irr_sentence_t sentence) {
    if (rank > IRR_MAX_RANK)
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "%s \"%s\": data of rank %u; at most %u",
                        kernel->word, kernel->name, (unsigned)rank, IRR_MAX_RANK);
    variant_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    made->rank = rank;
    for (uint32_t d = 0; d < rank; d++) made->dims[d] = dims ? dims[d] : IRR_DYNAMIC_DIM;
    irr_status_e status = compile(kernel, made, sentence);
    if (status != IRR_OK) {
        release_variant(kernel, made);
        return status;
    }
    made->next = atomic_load_explicit(&kernel->variants, memory_order_relaxed);
    atomic_store_explicit(&kernel->variants, made, memory_order_release);
    return IRR_OK;
}

static irr_status_e want_variant(kernel_t *kernel, const irr_tensor_view_t *data,
                                 variant_t **variant, irr_sentence_t sentence) {
    irr_status_e status = IRR_OK;
    pthread_mutex_lock(&kernel->mutex);
    *variant = find_variant(kernel, data);
    if (!*variant) status = irr_ort_add_variant(kernel, data->rank, NULL, sentence);
    if (status == IRR_OK) *variant = find_variant(kernel, data);
    pthread_mutex_unlock(&kernel->mutex);
    return status;
}

/* ---- requests: one thread at a time in each ---- */

static irr_status_e take_request(const kernel_t *kernel, variant_t *variant,
                                 irr_plugin_request_t **request, irr_sentence_t sentence) {
    for (unsigned i = 0; i < IDLE_REQUESTS; i++) {
        if (!atomic_load_explicit(&variant->idle[i], memory_order_relaxed)) continue;
        *request = atomic_exchange_explicit(&variant->idle[i], NULL, memory_order_acquire);
        if (*request) return IRR_OK;
    }
    return kernel->ep->engine->create_request(variant->compiled, request, sentence);
}

static void give_request(const kernel_t *kernel, variant_t *variant,
                         irr_plugin_request_t *request) {
    for (unsigned i = 0; i < IDLE_REQUESTS; i++) {
        irr_plugin_request_t *none = NULL;
        if (atomic_compare_exchange_strong_explicit(&variant->idle[i], &none, request,
                                                    memory_order_release, memory_order_relaxed))
            return;
    }
    kernel->ep->engine->release_request(request);
}

/* ---- a run ---- */

typedef struct {
    const ort_t *ort;
    const ort_context_t *context;
} pool_t;

static void parallel_for(void *context, size_t count, void (*task)(void *argument, size_t index),
                         void *argument) {
    const pool_t *pool = context;
    ort_status_t *refused =
        pool->ort->context_parallel_for(pool->context, task, count, count, argument);
    if (!refused) return;
    pool->ort->release_status(refused); /* nothing has run, and the work must be done */
    for (size_t index = 0; index < count; index++) task(argument, index);
}

/* An input that is not there has no elements. */
static ort_status_t *view_input(const ort_t *ort, const ort_context_t *context, size_t index,
                                irr_tensor_view_t *view) {
    static const int64_t none[1];
    const ort_value_t *value = NULL;
    int type;
    size_t rank;
    ort_status_t *status = ort->context_input(context, index, &value);
    view->dims = none;
    view->rank = 1;
    if (status || !value) return status;
    status = ort->tensor_shape(value, &type, &view->dims, &rank);
    if (!status) status = ort->tensor_data((ort_value_t *)(uintptr_t)value, &view->data);
    view->rank = (uint32_t)rank;
    return status;
}

static irr_status_e run_time_mask(const kernel_t *kernel, const irr_tensor_view_t *inputs,
                                  uint64_t *mask, irr_sentence_t sentence) {
    const irr_tensor_view_t *data = &inputs[0], *axes = &inputs[1];
    if (axes->rank != 1)
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH, "%s \"%s\": axes of rank %u, expected 1",
                        kernel->word, kernel->name, (unsigned)axes->rank);
    return irr_axes_mask(axes->data, IRR_I64, (size_t)axes->dims[0], data->dims, data->rank,
                         IRR_DUPLICATE_AXES_MERGE, kernel->empty_axes, mask, sentence);
}

/* The result's tensor, which the runtime makes when it is told the shape. */
static ort_status_t *view_output(const kernel_t *kernel, ort_context_t *context,
                                 const irr_tensor_view_t *data, uint64_t mask, int64_t *dims,
                                 irr_tensor_view_t *view) {
    ort_value_t *value = NULL;
    irr_reduced_shape(data->dims, data->rank, mask, kernel->keep_dims, dims, &view->rank);
    view->dims = dims;
    ort_status_t *status = kernel->ort->context_output(context, 0, dims, view->rank, &value);
    return status ? status : kernel->ort->tensor_data(value, &view->data);
}

static irr_status_e infer(const kernel_t *kernel, const ort_context_t *context, variant_t *variant,
                          const irr_tensor_view_t *inputs, const irr_tensor_view_t *output,
                          irr_sentence_t sentence);

static bool is_aligned(const kernel_t *kernel, const irr_tensor_view_t *view) {
    return ((uintptr_t)view->data & (kernel->element_bytes - 1)) == 0;
}

/* The runtime takes its callers' memory at any address, the device only whole elements. */
static irr_status_e infer_copies(const kernel_t *kernel, const ort_context_t *context,
                                 variant_t *variant, const irr_tensor_view_t *inputs,
                                 const irr_tensor_view_t *output, irr_sentence_t sentence) {
    irr_tensor_view_t copies[] = {inputs[0], inputs[1]}, result = *output;
    size_t from = 0, to = 0; /* both tensors exist: their sizes fit */
    irr_shape_elements(inputs[0].dims, inputs[0].rank, &from);
    irr_shape_elements(output->dims, output->rank, &to);
    from *= kernel->element_bytes;
    to *= kernel->element_bytes;
    copies[0].data = irr_malloc_aligned(from);
    result.data = irr_malloc_aligned(to);
    irr_status_e status = irr_out_of_memory(sentence, from + to);
    if (copies[0].data && result.data) {
        if (from) memcpy(copies[0].data, inputs[0].data, from);
        status = infer(kernel, context, variant, copies, &result, sentence);
        if (status == IRR_OK && to) memcpy(output->data, result.data, to);
    }
    irr_release(copies[0].data);
    irr_release(result.data);
    return status;
}

static irr_status_e infer(const kernel_t *kernel, const ort_context_t *context, variant_t *variant,
                          const irr_tensor_view_t *inputs, const irr_tensor_view_t *output,
                          irr_sentence_t sentence) {
    if (!is_aligned(kernel, &inputs[0]) || !is_aligned(kernel, output))
        return infer_copies(kernel, context, variant, inputs, output, sentence);
    pool_t pool = {kernel->ort, context};
    /* The runtime does not tell its threads; INFERENCE_NUM_THREADS bounds how many are asked for.
     */
    const irr_host_services_t services = {sizeof services, &pool, parallel_for, UINT32_MAX};
    irr_plugin_request_t *request;
    irr_status_e status = take_request(kernel, variant, &request, sentence);
    if (status != IRR_OK) return status;
    status = kernel->ep->engine->infer(request, inputs, output, &services, sentence);
    give_request(kernel, variant, request);
    return status;
}

ort_status_t *irr_ort_compute(ort_kernel_t *face, ort_context_t *context) {
    kernel_t *kernel = (kernel_t *)face;
    const ort_t *ort = kernel->ort;
    char text[IRR_SENTENCE_BYTES];
    irr_sentence_t sentence = {text, sizeof text};
    irr_tensor_view_t inputs[2] = {{.element_type = kernel->type}, {.element_type = IRR_I64}};
    irr_tensor_view_t output = {.element_type = kernel->type};
    ort_status_t *failed = view_input(ort, context, 0, &inputs[0]);
    if (!failed && kernel->axes_at_run_time) failed = view_input(ort, context, 1, &inputs[1]);
    if (failed) return failed;
    irr_status_e status = IRR_OK;
    variant_t *variant = find_variant(kernel, &inputs[0]);
    if (!variant) status = want_variant(kernel, &inputs[0], &variant, sentence);
    if (status != IRR_OK) return irr_ort_status(ort, status, text);
    uint64_t mask = variant->mask;
    if (kernel->axes_at_run_time) status = run_time_mask(kernel, inputs, &mask, sentence);
    if (status != IRR_OK) return irr_ort_status(ort, status, text);
    int64_t dims[IRR_MAX_RANK];
    failed = view_output(kernel, context, &inputs[0], mask, dims, &output);
    if (failed) return failed;
    status = infer(kernel, context, variant, inputs, &output, sentence);
    return status == IRR_OK ? NULL : irr_ort_status(ort, status, text);
}

void irr_ort_release_kernel(ort_kernel_t *face) {
    kernel_t *kernel = (kernel_t *)face;
    variant_t *next;
    for (variant_t *variant = atomic_load(&kernel->variants); variant; variant = next) {
        next = variant->next;
        release_variant(kernel, variant);
    }
    pthread_mutex_destroy(&kernel->mutex);
    irr_release(kernel->axes);
    irr_release(kernel);
}
