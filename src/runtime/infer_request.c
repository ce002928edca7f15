/* Infer requests: tensors, binding of shapes, the run. A run on tensors that were checked before
 * compares one number a tensor and goes straight to the device: no allocation, lock or system call.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/shape.h"
#include "runtime/runtime.h"

/* ---- one thread at a time ---- */

irr_status_e irr_request_enter(const irr_infer_request_t *request) {
    irr_infer_request_t *own = (irr_infer_request_t *)request;
    if (!atomic_exchange_explicit(&own->busy, true, memory_order_acquire)) return IRR_OK;
    if (irr_async_adopt(own) && !atomic_exchange(&own->busy, true)) return IRR_OK;
    return irr_fail(irr_message(), IRR_REQUEST_BUSY, "the infer request is busy");
}

void irr_request_leave(const irr_infer_request_t *request) {
    irr_infer_request_t *own = (irr_infer_request_t *)request;
    atomic_store_explicit(&own->busy, false, memory_order_release);
}

/* ---- life ---- */

static irr_status_e fill(irr_infer_request_t *made, const irr_compiled_model_t *compiled) {
    const irr_ir_model_t *ir = compiled->ir;
    made->compiled = IRR_RETAIN((irr_compiled_model_t *)compiled);
    made->engine = compiled->device->engine;
    made->input_count = ir->input_count;
    made->slot_count = ir->input_count + ir->output_count;
    made->slots = irr_take(&made->parts, made->slot_count, sizeof *made->slots);
    made->views = irr_take(&made->parts, made->slot_count, sizeof *made->views);
    made->shapes = irr_take(&made->parts, ir->graph.value_count, sizeof *made->shapes);
    if (made->parts.failed)
        return irr_out_of_memory(irr_message(), ir->graph.value_count * sizeof *made->shapes);
    return made->engine->create_request(compiled->compiled, &made->request, irr_message());
}

irr_status_e irr_compiled_model_create_infer_request(const irr_compiled_model_t *compiled_model,
                                                     irr_infer_request_t **infer_request) {
    IRR_REQUIRE_OUT(infer_request, compiled_model);
    irr_infer_request_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(irr_message(), sizeof *made);
    atomic_init(&made->busy, false);
    irr_async_init(&made->async);
    irr_status_e status = fill(made, compiled_model);
    return IRR_GIVE(status, infer_request, made, irr_infer_request_free);
}

void irr_infer_request_free(irr_infer_request_t *infer_request) {
    if (!infer_request) return;
    if (irr_async_is_own_thread(&infer_request->async)) return; /* in a callback: illegal */
    irr_async_adopt(infer_request);
    irr_async_stop(&infer_request->async);
    if (infer_request->request) infer_request->engine->release_request(infer_request->request);
    for (uint32_t k = 0; infer_request->slots && k < infer_request->slot_count; k++)
        irr_tensor_free(infer_request->slots[k].tensor);
    irr_arena_release(&infer_request->parts);
    irr_compiled_model_free(infer_request->compiled);
    irr_release(infer_request);
}

/* ---- binding ---- */

static const irr_ir_port_t *port_of(const irr_infer_request_t *request, uint32_t slot) {
    return irr_port_of_slot(request->compiled->ir, slot);
}

static const irr_graph_value_t *value_of(const irr_infer_request_t *request, uint32_t slot) {
    return &request->compiled->ir->graph.values[port_of(request, slot)->value];
}

static irr_tensor_view_t view_of(const irr_tensor_t *tensor) {
    return (irr_tensor_view_t){.data = tensor->data,
                               .element_type = tensor->type,
                               .rank = tensor->rank,
                               .dims = tensor->dims};
}

/* A slot without a tensor gets the library's, with 0 in its dynamic dimensions. */
static irr_status_e ensure_tensor(irr_infer_request_t *request, uint32_t slot) {
    if (request->slots[slot].tensor) return IRR_OK;
    const irr_graph_value_t *value = value_of(request, slot);
    int64_t dims[IRR_MAX_RANK] = {0};
    uint32_t rank = value->rank == IRR_DYNAMIC_RANK ? 1 : value->rank;
    for (uint32_t d = 0; value->rank != IRR_DYNAMIC_RANK && d < rank; d++)
        if (value->dims[d] != IRR_DYNAMIC_DIM) dims[d] = value->dims[d];
    irr_tensor_t start = {.type = value->element_type};
    return irr_tensor_make(start, rank, dims, &request->slots[slot].tensor);
}

static bool overlap(const irr_tensor_t *a, const irr_tensor_t *b) {
    uintptr_t start_a = (uintptr_t)a->data, start_b = (uintptr_t)b->data;
    return a->bytes && b->bytes && start_a < start_b + b->bytes && start_b < start_a + a->bytes;
}

/* Outputs overlap neither inputs nor each other. */
static irr_status_e check_overlap(const irr_infer_request_t *request, uint32_t output) {
    for (uint32_t k = 0; k < output; k++)
        if (overlap(request->slots[k].tensor, request->slots[output].tensor))
            return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                            "the memory of output \"%s\" overlaps that of %s \"%s\"",
                            port_of(request, output)->name,
                            k < request->input_count ? "input" : "output",
                            port_of(request, k)->name);
    return IRR_OK;
}

/* Makes the output's tensor, or gives it the shape that follows from the inputs. */
static irr_status_e bind_output(irr_infer_request_t *request, uint32_t slot) {
    const irr_ir_port_t *port = port_of(request, slot);
    const irr_bound_shape_t *shape = &request->shapes[port->value];
    IRR_TRY(ensure_tensor(request, slot));
    irr_status_e status = irr_tensor_resize(request->slots[slot].tensor, shape->rank, shape->dims);
    return irr_fail_at(irr_message(), status, "output \"%s\": ", port->name);
}

/* Some axes are known at infer only. */
static bool shapes_follow_values(const irr_graph_t *graph) {
    for (uint32_t k = 0; k < graph->layer_count; k++) {
        uint32_t axes = graph->layers[k].axes;
        if (axes != IRR_NO_VALUE && !graph->values[axes].is_constant) return true;
    }
    return false;
}

static irr_status_e bind(irr_infer_request_t *request) {
    const irr_graph_t *graph = &request->compiled->ir->graph;
    irr_sentence_t sentence = irr_message();
    for (uint32_t k = 0; k < request->input_count; k++) {
        const irr_ir_port_t *port = port_of(request, k);
        IRR_TRY(ensure_tensor(request, k));
        request->views[k] = view_of(request->slots[k].tensor);
        irr_status_e status =
            irr_check_tensor(&graph->values[port->value], port->dims, &request->views[k], sentence);
        IRR_TRY(irr_fail_at(sentence, status, "input \"%.200s\": ", port->name));
    }
    IRR_TRY(irr_graph_bind_shapes(graph, request->views, request->shapes, sentence));
    for (uint32_t k = request->input_count; k < request->slot_count; k++) {
        IRR_TRY(bind_output(request, k));
        IRR_TRY(check_overlap(request, k));
        request->views[k] = view_of(request->slots[k].tensor);
    }
    if (shapes_follow_values(graph)) return IRR_OK; /* so each run binds */
    for (uint32_t k = 0; k < request->slot_count; k++)
        request->slots[k].checked = request->slots[k].tensor->generation;
    return IRR_OK;
}

static bool is_bound(const irr_infer_request_t *request) {
    for (uint32_t k = 0; k < request->slot_count; k++) {
        const irr_slot_t *slot = &request->slots[k];
        if (!slot->checked || slot->tensor->generation != slot->checked) return false;
    }
    return true;
}

irr_status_e irr_request_run(irr_infer_request_t *request) {
    irr_sentence_t sentence = {request->text, sizeof request->text};
    if (!is_bound(request)) {
        IRR_TRY(bind(request));
    }
    irr_status_e status = request->engine->infer(
        request->request, request->views, request->views + request->input_count, NULL, sentence);
    return status ? irr_fail_with(status, request->text) : IRR_OK;
}

irr_status_e irr_infer_request_infer(irr_infer_request_t *infer_request) {
    IRR_REQUIRE(infer_request);
    IRR_TRY(irr_request_enter(infer_request));
    irr_status_e status = irr_request_run(infer_request);
    irr_request_leave(infer_request);
    return status;
}

/* ---- tensors ---- */

/* Type, and of an input the shape as far as it is known. An output will be resized. */
static irr_status_e check_tensor(const irr_infer_request_t *request, uint32_t slot,
                                 const irr_tensor_t *tensor) {
    const irr_ir_port_t *port = port_of(request, slot);
    bool is_input = slot < request->input_count;
    irr_graph_value_t value = *value_of(request, slot);
    irr_tensor_view_t view = view_of(tensor);
    if (!is_input || port->rank == IRR_DYNAMIC_RANK || irr_shape_is_dynamic(value.dims, port->rank))
        value.rank = IRR_DYNAMIC_RANK; /* bound at infer */
    irr_status_e status = irr_check_tensor(&value, port->dims, &view, irr_message());
    return irr_fail_at(irr_message(), status, "%s \"%.200s\": ", is_input ? "input" : "output",
                       port->name);
}

static irr_status_e set_at(irr_infer_request_t *infer_request, irr_place_t place,
                           const irr_tensor_t *tensor) {
    IRR_REQUIRE(infer_request, tensor);
    uint32_t slot;
    IRR_TRY(irr_request_enter(infer_request));
    irr_status_e status = irr_find_slot(infer_request->compiled->ir, place, &slot);
    if (!status) status = check_tensor(infer_request, slot, tensor);
    if (!status) {
        irr_tensor_t *old = infer_request->slots[slot].tensor;
        infer_request->slots[slot] = (irr_slot_t){.tensor = IRR_RETAIN((irr_tensor_t *)tensor)};
        irr_tensor_free(old);
    }
    irr_request_leave(infer_request);
    return status;
}

static irr_status_e get_at(const irr_infer_request_t *infer_request, irr_place_t place,
                           irr_tensor_t **tensor) {
    IRR_REQUIRE_OUT(tensor, infer_request);
    uint32_t slot;
    IRR_TRY(irr_request_enter(infer_request));
    irr_status_e status = irr_find_slot(infer_request->compiled->ir, place, &slot);
    if (!status) status = ensure_tensor((irr_infer_request_t *)infer_request, slot);
    if (!status) *tensor = IRR_RETAIN(infer_request->slots[slot].tensor);
    irr_request_leave(infer_request);
    return status;
}

irr_status_e irr_infer_request_set_tensor(irr_infer_request_t *infer_request,
                                          const char *tensor_name, const irr_tensor_t *tensor) {
    IRR_REQUIRE(tensor_name);
    return set_at(infer_request, (irr_place_t){IRR_INPUT | IRR_OUTPUT, tensor_name, NULL}, tensor);
}

irr_status_e irr_infer_request_get_tensor(const irr_infer_request_t *infer_request,
                                          const char *tensor_name, irr_tensor_t **tensor) {
    IRR_REQUIRE_OUT(tensor, tensor_name);
    return get_at(infer_request, (irr_place_t){IRR_INPUT | IRR_OUTPUT, tensor_name, NULL}, tensor);
}

/* The four functions of one side: set and get, by index and the only one. */
#define TENSOR_FUNCTIONS(side, number)                                                             \
    irr_status_e irr_infer_request_set_##side##_tensor_by_index(                                   \
        irr_infer_request_t *infer_request, const size_t idx, const irr_tensor_t *tensor) {        \
        return set_at(infer_request, (irr_place_t){number, NULL, &idx}, tensor);                   \
    }                                                                                              \
    irr_status_e irr_infer_request_set_##side##_tensor(irr_infer_request_t *infer_request,         \
                                                       const irr_tensor_t *tensor) {               \
        return set_at(infer_request, (irr_place_t){number, NULL, NULL}, tensor);                   \
    }                                                                                              \
    irr_status_e irr_infer_request_get_##side##_tensor_by_index(                                   \
        const irr_infer_request_t *infer_request, const size_t idx, irr_tensor_t **tensor) {       \
        return get_at(infer_request, (irr_place_t){number, NULL, &idx}, tensor);                   \
    }                                                                                              \
    irr_status_e irr_infer_request_get_##side##_tensor(const irr_infer_request_t *infer_request,   \
                                                       irr_tensor_t **tensor) {                    \
        return get_at(infer_request, (irr_place_t){number, NULL, NULL}, tensor);                   \
    }

TENSOR_FUNCTIONS(input, IRR_INPUT)
TENSOR_FUNCTIONS(output, IRR_OUTPUT)
