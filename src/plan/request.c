/* The hot path: bind pointers, compare the shapes with the plan's, run the steps. No lock, no
 * allocation, no clock and no system call once the request holds the right plan.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/compiled.h"

#include "base/fp_env.h"
#include "kernel/patience.h"
#include "plan/cut.h"

typedef struct {
    int64_t start_ns, time_ns;
    irr_execution_stats_t stats;
} timing_t;

/* Memory that only grows. */
typedef struct {
    char *bytes;
    size_t capacity_bytes;
} buffer_t;

/* First what one small reduction needs. */
struct irr_plugin_request {
    irr_plugin_compiled_t *compiled;
    irr_plan_t *plan;          /* NULL before the first infer */
    int64_t *key;              /* of the infer at hand */
    const irr_step_t *at_once; /* of a model that is nothing but one reduction */
    buffer_t memory;           /* intermediate results and the backends' scratch */
    bool fits;                 /* the plan is that of the key */
    bool profiled;
    irr_arena_t parts;   /* key, pointers, timings */
    void **pointers;     /* by value: where its elements are */
    timing_t *timings;   /* by layer */
    buffer_t staging;    /* dense copies of strided inputs and outputs */
    size_t staged_bytes; /* of it in use */
};

/* ---- life ---- */

static irr_status_e ensure(buffer_t *buffer, size_t bytes, irr_sentence_t sentence) {
    if (buffer->bytes && bytes <= buffer->capacity_bytes) return IRR_OK;
    char *grown = irr_malloc_aligned(bytes);
    if (!grown) return irr_out_of_memory(sentence, bytes);
    irr_release(buffer->bytes);
    *buffer = (buffer_t){grown, bytes};
    return IRR_OK;
}

static const irr_step_t *step_at_once(const irr_plan_t *plan) {
    const irr_plugin_compiled_t *compiled = plan->compiled;
    const irr_layer_t *layer = compiled->layers;
    if (compiled->layer_count != 1 || compiled->input_count != 1 || compiled->output_count != 1 ||
        layer->is.data != compiled->inputs[0] || layer->axes_input != IRR_NO_VALUE ||
        layer->is.output != compiled->outputs[0] || !plan->steps->backend ||
        !plan->steps->backend->at_once)
        return NULL;
    return plan->steps;
}

/* Takes the plan of request->key. On failure the request keeps its old one. */
static irr_status_e take_plan(irr_plugin_request_t *request, irr_sentence_t sentence) {
    irr_plan_t *plan;
    IRR_TRY(irr_plan_acquire(request->compiled, request->key, &plan, sentence));
    irr_status_e status = ensure(&request->memory, plan->memory_bytes, sentence);
    if (status != IRR_OK) {
        irr_plan_release(plan);
        return status;
    }
    irr_plan_release(request->plan);
    request->plan = plan;
    request->fits = true;
    request->at_once = step_at_once(plan);
    for (uint32_t v = 0; v < request->compiled->value_count; v++) {
        if (request->compiled->values[v].is.constant)
            request->pointers[v] = (void *)(uintptr_t)request->compiled->values[v].is.constant;
        if (plan->offsets[v] != SIZE_MAX)
            request->pointers[v] = request->memory.bytes + plan->offsets[v];
    }
    return IRR_OK;
}

irr_status_e irr_request_create(irr_plugin_compiled_t *compiled, irr_plugin_request_t **request,
                                irr_sentence_t sentence) {
    *request = NULL;
    irr_plugin_request_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    made->compiled = compiled;
    atomic_fetch_add(&compiled->users, 1);
    made->key = irr_take(&made->parts, compiled->key_count, sizeof *made->key);
    made->pointers = irr_take(&made->parts, compiled->value_count, sizeof *made->pointers);
    made->timings = irr_take(&made->parts, compiled->layer_count, sizeof *made->timings);
    irr_status_e status = made->parts.failed ? irr_out_of_memory(sentence, sizeof *made) : IRR_OK;
    return IRR_GIVE(status, request, made, irr_request_release);
}

void irr_request_release(irr_plugin_request_t *request) {
    if (!request) return;
    irr_plan_release(request->plan);
    irr_release(request->memory.bytes);
    irr_release(request->staging.bytes);
    irr_arena_release(&request->parts);
    irr_compiled_release(request->compiled);
    irr_release(request);
}

/* ---- tensors with byte strides, to and from dense rows ---- */

size_t irr_view_bytes(const irr_tensor_view_t *view) {
    size_t bytes = irr_element_bytes(view->element_type);
    for (uint32_t d = 0; d < view->rank; d++) bytes *= (size_t)view->dims[d];
    return bytes;
}

/* Bytes of the innermost dense block; *outer: dimensions that lie around it. */
static size_t block_bytes(const irr_tensor_view_t *view, uint32_t *outer) {
    size_t bytes = irr_element_bytes(view->element_type);
    uint32_t d = view->rank;
    while (d > 0 && (!view->byte_strides || view->dims[d - 1] == 1 ||
                     view->byte_strides[d - 1] == (int64_t)bytes))
        bytes *= (size_t)view->dims[--d];
    *outer = d;
    return bytes;
}

/* Room for a dense copy; 0 for a view whose strides, if any, say what dense rows are anyway. */
static size_t staged_bytes(const irr_tensor_view_t *view) {
    uint32_t outer;
    block_bytes(view, &outer);
    return outer ? irr_round_up(irr_view_bytes(view), IRR_ALIGNMENT) : 0;
}

/* Where a dense copy is to be, or the elements themselves. */
static char *dense_of(irr_plugin_request_t *request, const irr_tensor_view_t *view) {
    size_t bytes = staged_bytes(view);
    char *at = bytes ? request->staging.bytes + request->staged_bytes : view->data;
    request->staged_bytes += bytes;
    return at;
}

/* Block by block. */
static void copy_strided(const irr_tensor_view_t *view, char *dense, bool pack) {
    uint32_t outer;
    size_t block = block_bytes(view, &outer), total = irr_view_bytes(view);
    int64_t index[IRR_MAX_RANK] = {0};
    char *at = view->data;
    for (size_t done = 0; done < total; done += block) {
        memcpy(pack ? dense + done : at, pack ? at : dense + done, block);
        for (uint32_t d = outer; d-- > 0;) {
            at += view->byte_strides[d];
            if (++index[d] < view->dims[d]) break;
            at -= view->byte_strides[d] * view->dims[d];
            index[d] = 0;
        }
    }
}

/* ---- binding ---- */

/* Room for every strided view, inputs first. */
static irr_status_e make_staging(irr_plugin_request_t *request, const irr_tensor_view_t *inputs,
                                 const irr_tensor_view_t *outputs, irr_sentence_t sentence) {
    size_t total = 0;
    for (uint32_t i = 0; i < request->compiled->input_count; i++) total += staged_bytes(&inputs[i]);
    for (uint32_t o = 0; o < request->compiled->output_count; o++)
        total += staged_bytes(&outputs[o]);
    request->staged_bytes = 0;
    return total ? ensure(&request->staging, total, sentence) : IRR_OK;
}

/* Number by number: a comparison of the whole key right after writing it would wait for the writes.
 */
static void put(irr_plugin_request_t *request, int64_t *key, int64_t number) {
    if (*key == number) return;
    *key = number;
    request->fits = false;
}

/* Pointers and key from the inputs; strided ones are packed. */
static irr_status_e bind_inputs(irr_plugin_request_t *request, const irr_tensor_view_t *inputs,
                                irr_sentence_t sentence) {
    const irr_plugin_compiled_t *compiled = request->compiled;
    int64_t *key = request->key;
    put(request, key++, atomic_load_explicit(&compiled->threads, memory_order_relaxed));
    for (uint32_t i = 0; i < compiled->input_count; i++) {
        const irr_tensor_view_t *view = &inputs[i];
        const irr_value_t *value = &compiled->values[compiled->inputs[i]];
        if (view->rank != value->is.rank || view->element_type != value->is.element_type)
            return irr_fail_at(sentence, irr_check_tensor(&value->is, NULL, view, sentence),
                               "input %u: ", (unsigned)i);
        for (uint32_t d = 0; d < view->rank; d++) put(request, key++, view->dims[d]);
        char *data = dense_of(request, view);
        if (data != view->data) copy_strided(view, data, true);
        request->pointers[compiled->inputs[i]] = data;
    }
    return IRR_OK;
}

/* The masks of run-time axes, the rest of the key. */
static irr_status_e bind_axes(irr_plugin_request_t *request, const irr_tensor_view_t *inputs,
                              irr_sentence_t sentence) {
    const irr_plugin_compiled_t *compiled = request->compiled;
    int64_t *key = request->key + compiled->key_masks;
    for (uint32_t k = 0; k < compiled->layer_count; k++) {
        const irr_layer_t *layer = &compiled->layers[k];
        if (layer->axes_input == IRR_NO_VALUE) continue;
        uint64_t mask;
        const irr_tensor_view_t *axes = &inputs[layer->axes_input];
        const irr_graph_value_t *data = &compiled->values[layer->is.data].is;
        irr_status_e status =
            irr_axes_mask(request->pointers[layer->is.axes], axes->element_type,
                          axes->rank ? (size_t)axes->dims[0] : 1, data->dims, data->rank,
                          layer->is.duplicate_axes, layer->is.empty_axes, &mask, sentence);
        if (status != IRR_OK) return irr_fail_layer(sentence, IRR_PARAMETER_MISMATCH, &layer->is);
        put(request, key++, (int64_t)mask);
    }
    return IRR_OK;
}

/* Layers write their results straight into dense outputs. */
static void bind_outputs(irr_plugin_request_t *request, const irr_tensor_view_t *outputs) {
    const irr_plugin_compiled_t *compiled = request->compiled;
    for (uint32_t o = 0; o < compiled->output_count; o++) {
        const irr_value_t *value = &compiled->values[compiled->outputs[o]];
        if (value->output == o && value->maker != IRR_NO_LAYER)
            request->pointers[compiled->outputs[o]] = dense_of(request, &outputs[o]);
    }
}

/* What no layer wrote in place: inputs, constants, a result's second name, strided outputs. */
static void copy_outputs(irr_plugin_request_t *request, const irr_tensor_view_t *outputs) {
    for (uint32_t o = 0; o < request->compiled->output_count; o++) {
        void *from = request->pointers[request->compiled->outputs[o]];
        if (from != outputs[o].data) copy_strided(&outputs[o], from, false);
    }
}

/* ---- running ---- */

/* The siblings that begin with step k, or it alone. What they cost together is shared out evenly:
 * nobody could say whose it was. */
static irr_status_e run_pass(irr_plugin_request_t *request, uint32_t k, int64_t began_ns,
                             const irr_executor_t *executor, irr_sentence_t sentence) {
    const irr_layer_t *layers = request->compiled->layers;
    const irr_step_t *steps = request->plan->steps;
    irr_yield_t yields[IRR_MOST_SIBLINGS];
    uint32_t count = 0;
    int64_t start_ns = began_ns ? irr_now_ns() : 0;
    irr_status_e status = IRR_OK;
    for (uint32_t s = k; s != IRR_NO_LAYER; s = steps[s].next, count++) {
        yields[count].state = steps[s].state;
        yields[count].output = request->pointers[layers[s].is.output];
        yields[count].stats = (irr_execution_stats_t){.threads = steps[k].backend != NULL};
    }
    if (steps[k].backend)
        status = steps[k].backend->execute(yields, count, request->pointers[layers[k].source],
                                           request->memory.bytes + request->plan->scratch_offset,
                                           executor, sentence);
    if (!began_ns) return status;
    int64_t time_ns = (irr_now_ns() - start_ns) / count;
    for (uint32_t s = k, i = 0; s != IRR_NO_LAYER; s = steps[s].next, i++)
        request->timings[s] =
            (timing_t){start_ns - began_ns + i * time_ns, time_ns, yields[i].stats};
    return status;
}

static irr_status_e run_steps(irr_plugin_request_t *request, const irr_executor_t *executor,
                              irr_sentence_t sentence) {
    bool profile = atomic_load_explicit(&request->compiled->profile, memory_order_relaxed);
    int64_t began_ns = profile ? irr_now_ns() : 0;
    for (uint32_t k = 0; k < request->compiled->layer_count; k++) {
        if (request->plan->steps[k].first != k) continue;
        IRR_TRY(irr_fail_layer(sentence, run_pass(request, k, began_ns, executor, sentence),
                               &request->compiled->layers[k].is));
    }
    request->profiled = profile;
    return IRR_OK;
}

/* One reduction of a dense tensor, by one thread and of the shape that it had before, goes without
 * all that other models need, which takes longer than a small tensor. False: nothing was done. */
static bool infer_at_once(irr_plugin_request_t *request, const irr_tensor_view_t *data,
                          const irr_tensor_view_t *output, const irr_host_services_t *services) {
    const irr_plugin_compiled_t *compiled = request->compiled;
    if (!request->at_once || !request->fits || data->byte_strides || output->byte_strides ||
        atomic_load_explicit(&compiled->profile, memory_order_relaxed))
        return false;
    const irr_value_t *value = &compiled->values[compiled->inputs[0]];
    if (data->rank != value->is.rank || data->element_type != value->is.element_type) return false;
    if (*request->key != atomic_load_explicit(&compiled->threads, memory_order_relaxed))
        return false;
    for (uint32_t d = 0; d < data->rank; d++)
        if (data->dims[d] != request->key[1 + d]) return false;
    return request->at_once->backend->at_once(request->at_once->state, data->data, output->data,
                                              request->memory.bytes + request->plan->scratch_offset,
                                              services);
}

static irr_status_e infer_in_steps(irr_plugin_request_t *request, const irr_tensor_view_t *inputs,
                                   const irr_tensor_view_t *outputs,
                                   const irr_host_services_t *services, irr_sentence_t sentence) {
    IRR_TRY(make_staging(request, inputs, outputs, sentence));
    IRR_TRY(bind_inputs(request, inputs, sentence));
    if (!request->compiled->is_static) IRR_TRY(bind_axes(request, inputs, sentence));
    if (!request->fits) IRR_TRY(take_plan(request, sentence));
    bind_outputs(request, outputs);
    irr_executor_t executor = {.services = services, .threads = (uint32_t)*request->key};
    IRR_TRY(run_steps(request, &executor, sentence));
    copy_outputs(request, outputs);
    return IRR_OK;
}

/* A plan for a new shape is made in the contract's environment, too: it leaves flags as they were.
 */
irr_status_e irr_request_infer(irr_plugin_request_t *request, const irr_tensor_view_t *inputs,
                               const irr_tensor_view_t *outputs,
                               const irr_host_services_t *services, irr_sentence_t sentence) {
    request->profiled = false;
    if (infer_at_once(request, inputs, outputs, services)) return IRR_OK;
    irr_fp_env_t found = irr_fp_enter();
    irr_status_e status = infer_in_steps(request, inputs, outputs, services, sentence);
    irr_fp_leave(found);
    return status;
}

/* ---- telling ---- */

irr_status_e irr_request_profile(irr_plugin_request_t *request, irr_profile_row_t *rows,
                                 size_t capacity, size_t *count, irr_sentence_t sentence) {
    *count = request->profiled ? request->compiled->layer_count : 0;
    for (uint32_t k = 0; k < *count && k < capacity; k++) {
        const irr_profile_row_t *told = irr_plan_row(request->plan, k);
        const timing_t *timing = &request->timings[k];
        if (!told) return irr_out_of_memory(sentence, IRR_SHAPE_TEXT_BYTES);
        /* The caller's rows may be older and shorter, or newer and longer, than ours. */
        const size_t stride = rows->size_bytes;
        irr_profile_row_t row = *told;
        row.size_bytes = stride;
        row.threads = timing->stats.threads;
        row.start_ns = (uint64_t)timing->start_ns;
        row.time_ns = (uint64_t)timing->time_ns;
        row.exact_fallbacks = timing->stats.exact_fallbacks;
        memcpy((char *)rows + k * stride, &row, irr_least(stride, sizeof row));
    }
    return IRR_OK;
}
