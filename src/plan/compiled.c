/* Graph view -> checked copy. What a layer may be is judged here, for query and compile alike.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/compiled.h"

/* ---- judging one layer ---- */

static irr_status_e unknown_type(const char *type, irr_sentence_t sentence) {
    char known[256];
    irr_writer_t writer = {known, sizeof known, 0};
    for (unsigned op = 0; op < IRR_OP_COUNT; op++)
        irr_write(&writer, "%s%s", op ? ", " : "", irr_op_info((irr_op_e)op)->type);
    return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "type %s; this device takes %s", type, known);
}

static irr_status_e judge_value(const irr_graph_t *graph, uint32_t index, const char *what,
                                irr_sentence_t sentence) {
    if (index >= graph->value_count)
        return irr_fail(sentence, IRR_INVALID_C_PARAM, "its %s is value %u of %u", what,
                        (unsigned)index, (unsigned)graph->value_count);
    const irr_graph_value_t *value = &graph->values[index];
    if (value->rank == IRR_DYNAMIC_RANK) return IRR_OK;
    if (value->rank > IRR_MAX_RANK)
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "its %s has rank %u; at most %u", what,
                        (unsigned)value->rank, IRR_MAX_RANK);
    for (uint32_t d = 0; d < value->rank; d++)
        if (value->dims[d] < IRR_DYNAMIC_DIM)
            return irr_fail(sentence, IRR_INVALID_C_PARAM, "dimension %u of its %s is negative",
                            (unsigned)d, what);
    return IRR_OK;
}

static uint32_t input_of(const irr_graph_t *graph, uint32_t value) {
    for (uint32_t i = 0; i < graph->input_count; i++)
        if (graph->inputs[i] == value) return i;
    return IRR_NO_VALUE;
}

static irr_status_e judge_axes(const irr_graph_t *graph, const irr_graph_layer_t *layer,
                               uint64_t *mask, irr_sentence_t sentence) {
    const irr_graph_value_t *data = &graph->values[layer->data];
    *mask = 0;
    if (layer->axes == IRR_NO_VALUE)
        return irr_axes_mask(NULL, IRR_I64, 0, data->dims, data->rank, layer->duplicate_axes,
                             layer->empty_axes, mask, sentence);
    IRR_TRY(judge_value(graph, layer->axes, "axes input", sentence));
    const irr_graph_value_t *axes = &graph->values[layer->axes];
    /* An unknown layer's output has a type or rank that nobody knows: query goes on. */
    if (!axes->is_constant && input_of(graph, layer->axes) == IRR_NO_VALUE)
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "its axes come from another layer");
    if (axes->rank == IRR_DYNAMIC_RANK)
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "its axes have a dynamic rank");
    if (!irr_is_integer(axes->element_type) || axes->rank > 1)
        return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                        "axes of type %s and rank %d; they are integers, a scalar or a list",
                        irr_element_type_name(axes->element_type), (int)axes->rank);
    if (!axes->is_constant) return IRR_OK;
    size_t count;
    if (!irr_shape_elements(axes->dims, axes->rank, &count) || (count && !axes->constant))
        return irr_fail(sentence, IRR_INVALID_C_PARAM, "its constant axes have no bytes");
    return irr_axes_mask(axes->constant, axes->element_type, count, data->dims, data->rank,
                         layer->duplicate_axes, layer->empty_axes, mask, sentence);
}

irr_status_e irr_layer_admit(const irr_graph_t *graph, const irr_graph_layer_t *layer, irr_op_e *op,
                             uint64_t *mask, irr_sentence_t sentence) {
    if (!irr_op_by_type(layer->type, op)) return unknown_type(layer->type, sentence);
    IRR_TRY(judge_value(graph, layer->data, "data", sentence));
    IRR_TRY(judge_value(graph, layer->output, "output", sentence));
    const irr_graph_value_t *data = &graph->values[layer->data];
    if (!irr_op_takes(*op, data->element_type))
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "data of type %s; %s takes %s",
                        irr_element_type_name(data->element_type), layer->type,
                        irr_op_info(*op)->takes_numeric
                            ? "f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8"
                            : "boolean");
    if (data->rank == IRR_DYNAMIC_RANK)
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "the rank of its data is not known");
    if (graph->values[layer->output].element_type != data->element_type)
        return irr_fail(sentence, IRR_NETWORK_NOT_READ, "output of another type than its data");
    return judge_axes(graph, layer, mask, sentence);
}

/* ---- copying the graph, judged as it goes ---- */

static irr_status_e add_value(const irr_graph_t *graph, uint32_t v, irr_plugin_compiled_t *made,
                              irr_sentence_t sentence) {
    const irr_graph_value_t *from = &graph->values[v];
    irr_value_t *to = &made->values[v];
    size_t count, bytes, room;
    IRR_TRY(judge_value(graph, v, "tensor", sentence));
    uint32_t rank = from->rank == IRR_DYNAMIC_RANK ? 0 : from->rank;
    to->is = *from;
    to->maker = IRR_NO_LAYER;
    to->output = IRR_NO_VALUE;
    to->is.dims = irr_take_copy(&made->memory, from->dims, rank, sizeof *from->dims);
    if (!from->is_constant) return IRR_OK;
    bool counted = from->rank <= IRR_MAX_RANK && irr_element_bytes(from->element_type) &&
                   irr_shape_elements(from->dims, rank, &count) &&
                   irr_elements_bytes(from->element_type, count, &bytes) &&
                   irr_add_size(bytes, IRR_ALIGNMENT, &room);
    if (!counted || (count && !from->constant))
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED,
                        "constant %u has no bytes or a type that this device does not take",
                        (unsigned)v);
    char *block = irr_take(&made->memory, room, 1);
    if (!block) return IRR_OK;
    block += IRR_ALIGNMENT - (uintptr_t)block % IRR_ALIGNMENT;
    to->is.constant = bytes ? memcpy(block, from->constant, bytes) : block;
    to->given = true;
    return IRR_OK;
}

static irr_status_e add_values(const irr_graph_t *graph, irr_plugin_compiled_t *made,
                               irr_sentence_t sentence) {
    irr_arena_t *memory = &made->memory;
    made->name = irr_take_text(memory, graph->name);
    made->values = irr_take(memory, graph->value_count, sizeof *made->values);
    made->layers = irr_take(memory, graph->layer_count, sizeof *made->layers);
    made->inputs = irr_take_copy(memory, graph->inputs, graph->input_count, sizeof *made->inputs);
    made->outputs =
        irr_take_copy(memory, graph->outputs, graph->output_count, sizeof *made->outputs);
    made->value_count = graph->value_count;
    made->layer_count = graph->layer_count;
    made->input_count = graph->input_count;
    made->output_count = graph->output_count;
    for (uint32_t v = 0; v < graph->value_count && !memory->failed; v++)
        IRR_TRY(add_value(graph, v, made, sentence));
    if (!memory->failed) return IRR_OK;
    return irr_fail(sentence, IRR_NOT_ALLOCATED, "out of memory: the graph cannot be copied");
}

/* Inputs, and what they add to the key, behind the threads. */
static irr_status_e add_inputs(irr_plugin_compiled_t *made, irr_sentence_t sentence) {
    made->key_masks = 1;
    for (uint32_t i = 0; i < made->input_count; i++) {
        irr_value_t *value = &made->values[made->inputs[i]];
        if (made->inputs[i] >= made->value_count || value->given)
            return irr_fail(sentence, IRR_INVALID_C_PARAM, "input %u is no variable of the graph",
                            (unsigned)i);
        if (value->is.rank == IRR_DYNAMIC_RANK)
            return irr_fail(sentence, IRR_NOT_IMPLEMENTED,
                            "input %u has a dynamic rank; its number of dimensions must be known",
                            (unsigned)i);
        if (!irr_element_bytes(value->is.element_type))
            return irr_fail(sentence, IRR_NOT_IMPLEMENTED,
                            "input %u has an element type that this device does not take",
                            (unsigned)i);
        value->given = true;
        made->key_masks += value->is.rank;
        if (irr_shape_is_dynamic(value->is.dims, value->is.rank)) made->is_static = false;
    }
    made->key_count = made->key_masks;
    return IRR_OK;
}

/* A layer on its own, until chains are folded. */
static void copy_layer(const irr_graph_t *graph, const irr_graph_layer_t *from, irr_layer_t *to,
                       irr_arena_t *memory) {
    uint32_t rank = graph->values[from->data].rank;
    uint64_t all = rank < 64 ? (UINT64_C(1) << rank) - 1 : UINT64_MAX;
    bool at_run_time = from->axes != IRR_NO_VALUE && !graph->values[from->axes].is_constant;
    to->is = *from;
    to->is.id = irr_take_text(memory, from->id);
    to->is.name = irr_take_text(memory, from->name);
    to->is.type = irr_op_info(to->op)->type;
    to->source = from->data;
    to->axes_input = at_run_time ? input_of(graph, from->axes) : IRR_NO_VALUE;
    to->source_mask = to->mask;
    to->places = from->keep_dims ? all : all & ~to->mask;
    to->folded_into = IRR_NO_LAYER;
}

static bool is_there(const irr_value_t *value) {
    return value->given || value->maker != IRR_NO_LAYER;
}

static irr_status_e add_layers(const irr_graph_t *graph, irr_plugin_compiled_t *made,
                               irr_sentence_t sentence) {
    for (uint32_t k = 0; k < graph->layer_count; k++) {
        const irr_graph_layer_t *from = &graph->layers[k];
        irr_layer_t *layer = &made->layers[k];
        irr_status_e status = irr_layer_admit(graph, from, &layer->op, &layer->mask, sentence);
        if (status == IRR_OK &&
            (!is_there(&made->values[from->data]) || is_there(&made->values[from->output])))
            status = irr_fail(sentence, IRR_INVALID_C_PARAM, "layers do not stand in their order");
        IRR_TRY(irr_fail_layer(sentence, status, from));
        copy_layer(graph, from, layer, &made->memory);
        made->values[from->data].readers++;
        made->values[from->output].maker = k;
        if (layer->axes_input != IRR_NO_VALUE) made->key_count++, made->is_static = false;
    }
    return made->memory.failed ? irr_out_of_memory(sentence, sizeof *made->layers) : IRR_OK;
}

/* The first that a value has is written in place by its layer. */
static irr_status_e add_outputs(irr_plugin_compiled_t *made, irr_sentence_t sentence) {
    for (uint32_t o = 0; o < made->output_count; o++) {
        irr_value_t *value = &made->values[made->outputs[o]];
        if (made->outputs[o] >= made->value_count || !is_there(value))
            return irr_fail(sentence, IRR_INVALID_C_PARAM, "output %u is made by no layer",
                            (unsigned)o);
        if (value->output == IRR_NO_VALUE) value->output = o;
    }
    return IRR_OK;
}

/* Plans a graph whose shapes are all known, so that errors show now and infer finds the plan. */
static irr_status_e plan_now(irr_plugin_compiled_t *made, irr_sentence_t sentence) {
    irr_plan_t *plan;
    int64_t *key = irr_take(&made->memory, made->key_count, sizeof *key), *next = key;
    if (!key) return irr_out_of_memory(sentence, made->key_count * sizeof *key);
    *next++ = made->config.threads;
    for (uint32_t i = 0; i < made->input_count; i++) {
        const irr_graph_value_t *value = &made->values[made->inputs[i]].is;
        memcpy(next, value->dims, value->rank * sizeof *key);
        next += value->rank;
    }
    irr_status_e status = irr_plan_acquire(made, key, &plan, sentence);
    if (status == IRR_OK) irr_plan_release(plan);
    return status;
}

irr_status_e irr_compiled_create(const irr_graph_t *graph, const irr_config_t *config,
                                 irr_plugin_compiled_t **compiled, irr_sentence_t sentence) {
    irr_plugin_compiled_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    atomic_init(&made->users, 1);
    atomic_init(&made->profile, config->profile);
    atomic_init(&made->threads, config->threads);
    made->config = *config;
    made->is_static = true;
    irr_status_e status = add_values(graph, made, sentence);
    if (status == IRR_OK) status = add_inputs(made, sentence);
    if (status == IRR_OK) status = add_layers(graph, made, sentence);
    if (status == IRR_OK) status = add_outputs(made, sentence);
    if (status == IRR_OK) irr_fold_chains(made);
    if (status == IRR_OK && made->is_static) status = plan_now(made, sentence);
    return IRR_GIVE(status, compiled, made, irr_compiled_release);
}

void irr_compiled_release(irr_plugin_compiled_t *compiled) {
    if (!compiled || atomic_fetch_sub(&compiled->users, 1) != 1) return;
    for (unsigned i = 0; i < IRR_PLAN_CACHE_CAPACITY; i++) irr_plan_release(compiled->cache[i]);
    irr_arena_release(&compiled->memory);
    irr_release(compiled);
}
