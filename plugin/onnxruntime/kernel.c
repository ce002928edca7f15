/* One node of a session's graph: what it says, as a graph of one layer for the device, and its
 * runs. A variant is that graph compiled for one rank, or for the one shape that the model
 * declares. May not: arithmetic, shape rules, names of operators. SPDX-License-Identifier:
 * Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "base/shape.h"
#include "base/status.h"
#include "ep.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Requests at rest; what more threads than these at once make is released again. */
enum { IDLE_REQUESTS = 8 };

typedef struct variant {
    struct variant *next;
    irr_plugin_compiled_t *compiled;
    uint64_t mask; /* where the axes are known */
    uint32_t rank;
    int64_t dims[IRR_MAX_RANK]; /* IRR_DYNAMIC_DIM: takes any */
    _Atomic(irr_plugin_request_t *) idle[IDLE_REQUESTS];
} variant_t;

typedef struct {
    ort_kernel_t face; /* first: the runtime holds a pointer to it */
    const irr_ort_ep_t *ep;
    const ort_t *ort;
    const char *word; /* IR type */
    char name[128];
    irr_element_type_e type;
    size_t element_bytes;
    bool keep_dims;
    irr_empty_axes_e empty_axes;
    bool axes_at_run_time; /* they are input 1 */
    int64_t *axes;         /* else these */
    size_t axes_count;
    _Atomic(variant_t *) variants; /* added at the head, never removed */
    pthread_mutex_t mutex;         /* of adding */
} kernel_t;

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

/* dims NULL: for any of this rank. */
static irr_status_e add_variant(kernel_t *kernel, uint32_t rank, const int64_t *dims,
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
    if (!*variant) status = add_variant(kernel, data->rank, NULL, sentence);
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

static ort_status_t *compute(ort_kernel_t *face, ort_context_t *context) {
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

/* ---- what the node says ---- */

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
    irr_status_e added = add_variant(kernel, (uint32_t)rank, whole ? dims : NULL,
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

static void release(ort_kernel_t *face) {
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

ort_status_t *irr_ort_create_kernel(void *state, const ort_node_info_t *info,
                                    ort_kernel_t **kernel) {
    const irr_ort_maker_t *maker = state;
    const ort_t *ort = maker->ep->ort;
    *kernel = NULL;
    kernel_t *made = irr_calloc(1, sizeof *made);
    if (!made) return no_memory(ort);
    made->face = (ort_kernel_t){.version = ORT_VERSION, .compute = compute, .release = release};
    made->ep = maker->ep;
    made->ort = ort;
    pthread_mutex_init(&made->mutex, NULL);
    ort_type_t *type = NULL;
    ort_status_t *status = read_node(made, maker->row, info, &type);
    if (type) ort->release_type(type);
    if (status)
        release(&made->face);
    else
        *kernel = &made->face;
    return status;
}
