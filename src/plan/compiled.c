/* Graph view -> checked copy. What a layer may be is judged here, for query and compile alike.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/compiled.h"

#include "base/element_type.h"
#include "base/memory.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

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
    irr_status_e status = judge_value(graph, layer->axes, "axes input", sentence);
    if (status != IRR_OK) return status;
    const irr_graph_value_t *axes = &graph->values[layer->axes];
    /* An unknown layer's output has a type or rank that nobody knows: query goes on. */
    if (!axes->is_constant && input_of(graph, layer->axes) == IRR_NO_VALUE)
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "its axes come from another layer");
    if (axes->rank == IRR_DYNAMIC_RANK)
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "its axes have a dynamic rank");
    if (!irr_is_integer(axes->element_type) || axes->rank > 1)
        return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                        "axes of type %s and rank %d; they are integers, a scalar or a list",
                        irr_element_type_info(axes->element_type)->name, (int)axes->rank);
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
    irr_status_e status = judge_value(graph, layer->data, "data", sentence);
    if (status == IRR_OK) status = judge_value(graph, layer->output, "output", sentence);
    if (status != IRR_OK) return status;
    const irr_graph_value_t *data = &graph->values[layer->data];
    status = irr_planner_admit(*op, data->element_type, sentence);
    if (status != IRR_OK) return status;
    if (data->rank == IRR_DYNAMIC_RANK)
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "the rank of its data is not known");
    if (graph->values[layer->output].element_type != data->element_type)
        return irr_fail(sentence, IRR_NETWORK_NOT_READ, "output of another type than its data");
    return judge_axes(graph, layer, mask, sentence);
}

irr_status_e irr_fail_layer(irr_sentence_t to, irr_status_e status, const irr_layer_t *layer,
                            const char *text) {
    return irr_fail(to, status, "layer %s \"%s\" (%s): %s", layer->id, layer->name,
                    irr_op_info(layer->op)->type, text);
}

/* ---- copying the graph ---- */

static bool copy_value(const irr_graph_value_t *from, irr_value_t *to) {
    size_t count, bytes;
    to->type = from->element_type;
    to->rank = from->rank;
    uint32_t rank = from->rank == IRR_DYNAMIC_RANK ? 0 : from->rank;
    to->dims = irr_malloc(rank * sizeof *to->dims);
    if (!to->dims) return false;
    if (rank) memcpy(to->dims, from->dims, rank * sizeof *to->dims);
    if (!from->is_constant) return true;
    if (!irr_shape_elements(from->dims, rank, &count) ||
        !irr_elements_bytes(from->element_type, count, &bytes))
        return false;
    to->constant = irr_malloc_aligned(bytes);
    if (!to->constant) return false;
    if (bytes) memcpy(to->constant, from->constant, bytes);
    return true;
}

static bool copy_layer(const irr_graph_t *graph, const irr_graph_layer_t *from, irr_layer_t *to) {
    to->id = irr_strdup(from->id);
    to->name = irr_strdup(from->name);
    to->data = from->data;
    to->axes = from->axes;
    to->output = from->output;
    bool at_run_time = from->axes != IRR_NO_VALUE && !graph->values[from->axes].is_constant;
    to->axes_input = at_run_time ? input_of(graph, from->axes) : IRR_NO_VALUE;
    to->keep_dims = from->keep_dims;
    to->empty_axes = from->empty_axes;
    to->duplicate_axes = from->duplicate_axes;
    return to->id && to->name;
}

static uint32_t *copy_indices(const uint32_t *from, uint32_t count) {
    uint32_t *to = irr_malloc(count * sizeof *to);
    if (to && count) memcpy(to, from, count * sizeof *to);
    return to;
}

/* Tables first, so that a release after any failure finds counts that are true. */
static bool copy_graph(const irr_graph_t *graph, irr_plugin_compiled_t *made) {
    made->name = irr_strdup(graph->name ? graph->name : "");
    made->values = irr_calloc(graph->value_count, sizeof *made->values);
    made->layers = irr_calloc(graph->layer_count, sizeof *made->layers);
    made->inputs = copy_indices(graph->inputs, graph->input_count);
    made->outputs = copy_indices(graph->outputs, graph->output_count);
    made->made = irr_calloc(graph->output_count, sizeof *made->made);
    if (!made->name || !made->values || !made->layers || !made->inputs || !made->outputs ||
        !made->made)
        return false;
    made->value_count = graph->value_count;
    made->layer_count = graph->layer_count;
    made->input_count = graph->input_count;
    made->output_count = graph->output_count;
    for (uint32_t v = 0; v < graph->value_count; v++)
        if (!copy_value(&graph->values[v], &made->values[v])) return false;
    return true;
}

/* ---- checking the graph around the layers ---- */

enum { UNKNOWN = 0, GIVEN, MADE, TAKEN }; /* how a value comes to be; TAKEN: has its output */

static irr_status_e judge_ends(const irr_graph_t *graph, unsigned char *origin,
                               irr_sentence_t sentence) {
    for (uint32_t v = 0; v < graph->value_count; v++) {
        irr_status_e status = judge_value(graph, v, "tensor", sentence);
        if (status != IRR_OK) return status;
        size_t count;
        const irr_graph_value_t *value = &graph->values[v];
        if (!value->is_constant) continue;
        bool counted = value->rank <= IRR_MAX_RANK && irr_element_bytes(value->element_type) &&
                       irr_shape_elements(value->dims, value->rank, &count);
        if (!counted || (count && !value->constant))
            return irr_fail(sentence, IRR_NOT_IMPLEMENTED,
                            "constant %u has no bytes or a type "
                            "that this device does not take",
                            (unsigned)v);
        origin[v] = GIVEN;
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        uint32_t v = graph->inputs[i];
        if (v >= graph->value_count || origin[v] != UNKNOWN)
            return irr_fail(sentence, IRR_INVALID_C_PARAM, "input %u is no variable of the graph",
                            (unsigned)i);
        if (graph->values[v].rank == IRR_DYNAMIC_RANK)
            return irr_fail(sentence, IRR_NOT_IMPLEMENTED,
                            "input %u has a dynamic rank; its number of dimensions must be known",
                            (unsigned)i);
        if (!irr_element_bytes(graph->values[v].element_type))
            return irr_fail(sentence, IRR_NOT_IMPLEMENTED,
                            "input %u has an element type that this device does not take",
                            (unsigned)i);
        origin[v] = GIVEN;
    }
    return IRR_OK;
}

/* On its own, until chains are folded. */
static void set_source(irr_layer_t *layer, uint32_t rank) {
    uint64_t all = rank < 64 ? (UINT64_C(1) << rank) - 1 : UINT64_MAX;
    layer->source = layer->data;
    layer->source_mask = layer->mask;
    layer->places = layer->keep_dims ? all : all & ~layer->mask;
    layer->folded_into = IRR_NO_LAYER;
}

static irr_status_e add_layers(const irr_graph_t *graph, irr_plugin_compiled_t *made,
                               unsigned char *origin, irr_sentence_t sentence) {
    char text[IRR_SENTENCE_BYTES];
    irr_sentence_t inner = {text, sizeof text};
    for (uint32_t k = 0; k < graph->layer_count; k++) {
        const irr_graph_layer_t *from = &graph->layers[k];
        irr_layer_t *layer = &made->layers[k];
        irr_status_e status = irr_layer_admit(graph, from, &layer->op, &layer->mask, inner);
        if (status == IRR_OK && (origin[from->data] == UNKNOWN || origin[from->output] != UNKNOWN))
            status = irr_fail(inner, IRR_INVALID_C_PARAM, "layers do not stand in their order");
        if (status != IRR_OK)
            return irr_fail(sentence, status, "layer %s \"%s\" (%s): %s", from->id, from->name,
                            from->type, text);
        if (!copy_layer(graph, from, layer)) return irr_out_of_memory(sentence, sizeof *layer);
        set_source(layer, made->values[layer->data].rank);
        origin[from->output] = MADE;
        if (layer->axes_input != IRR_NO_VALUE) made->key_count++, made->is_static = false;
    }
    return IRR_OK;
}

/* Keys, and which outputs their layer writes in place. */
static irr_status_e add_ends(irr_plugin_compiled_t *made, unsigned char *origin,
                             irr_sentence_t sentence) {
    for (uint32_t i = 0; i < made->input_count; i++) {
        const irr_value_t *value = &made->values[made->inputs[i]];
        made->key_count += value->rank;
        if (irr_shape_is_dynamic(value->dims, value->rank)) made->is_static = false;
    }
    for (uint32_t o = 0; o < made->output_count; o++) {
        uint32_t v = made->outputs[o];
        if (v >= made->value_count || origin[v] == UNKNOWN)
            return irr_fail(sentence, IRR_INVALID_C_PARAM, "output %u is made by no layer",
                            (unsigned)o);
        made->made[o] = origin[v] == MADE;
        if (made->made[o]) origin[v] = TAKEN;
        made->values[v].is_output = true;
    }
    return IRR_OK;
}

void irr_compiled_static_key(irr_plugin_compiled_t *compiled, int64_t *key) {
    *key++ = atomic_load(&compiled->threads);
    for (uint32_t i = 0; i < compiled->input_count; i++) {
        const irr_value_t *value = &compiled->values[compiled->inputs[i]];
        memcpy(key, value->dims, value->rank * sizeof *key);
        key += value->rank;
    }
}

/* Plans a graph whose shapes are all known, so that errors show now and infer finds the plan. */
static irr_status_e plan_now(irr_plugin_compiled_t *made, irr_sentence_t sentence) {
    irr_plan_t *plan;
    int64_t *key = irr_malloc(made->key_count * sizeof *key);
    if (!key) return irr_out_of_memory(sentence, made->key_count * sizeof *key);
    irr_compiled_static_key(made, key);
    irr_status_e status = irr_plan_acquire(made, key, &plan, sentence);
    if (status == IRR_OK) irr_plan_release(plan);
    irr_release(key);
    return status;
}

irr_status_e irr_compiled_create(const irr_graph_t *graph, const irr_config_t *config,
                                 irr_plugin_compiled_t **compiled, irr_sentence_t sentence) {
    *compiled = NULL;
    irr_plugin_compiled_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    unsigned char *origin = irr_calloc(graph->value_count, 1);
    atomic_init(&made->users, 1);
    atomic_init(&made->profile, config->profile);
    atomic_init(&made->threads, config->threads);
    made->config = *config;
    made->is_static = true;
    made->key_count = 1; /* threads */
    irr_status_e status = origin ? judge_ends(graph, origin, sentence)
                                 : irr_out_of_memory(sentence, graph->value_count);
    if (status == IRR_OK && !copy_graph(graph, made))
        status = irr_fail(sentence, IRR_NOT_ALLOCATED, "out of memory: the graph cannot be copied");
    if (status == IRR_OK) status = add_layers(graph, made, origin, sentence);
    if (status == IRR_OK) status = add_ends(made, origin, sentence);
    if (status == IRR_OK && !irr_fold_chains(made))
        status = irr_out_of_memory(sentence, made->value_count * sizeof(uint32_t));
    if (status == IRR_OK && made->is_static) status = plan_now(made, sentence);
    irr_release(origin);
    if (status == IRR_OK)
        *compiled = made;
    else
        irr_compiled_release(made);
    return status;
}

void irr_compiled_release(irr_plugin_compiled_t *compiled) {
    if (atomic_fetch_sub(&compiled->users, 1) != 1) return;
    for (unsigned i = 0; i < IRR_PLAN_CACHE_CAPACITY; i++) irr_plan_release(compiled->cache[i]);
    for (uint32_t v = 0; v < compiled->value_count; v++) {
        irr_release(compiled->values[v].dims);
        irr_release(compiled->values[v].constant);
    }
    for (uint32_t k = 0; k < compiled->layer_count; k++) {
        irr_release(compiled->layers[k].id);
        irr_release(compiled->layers[k].name);
    }
    irr_release(compiled->name);
    irr_release(compiled->values);
    irr_release(compiled->layers);
    irr_release(compiled->inputs);
    irr_release(compiled->outputs);
    irr_release(compiled->made);
    irr_release(compiled);
}
