/* From a checked file to values, layers, inputs and outputs.
 * Values 0 .. input_count-1 are the inputs, in their order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_build.h"

#include "base/element_type.h"
#include "base/memory.h"
#include "base/shape.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What the building needs for a while. */
typedef struct {
    irr_whole_model_t *model;
    irr_ir_graph_t *file;
    const irr_partial_t *given; /* shapes of the inputs, or NULL */
    irr_graph_value_t *values;
    const irr_ir_dim_t **ranges; /* of each value */
    uint32_t *value_of;          /* of each port of the file */
    uint32_t value_count;
    irr_sentence_t sentence;
} build_t;

/* ---- values ---- */

static void shape_of(const build_t *build, uint32_t value, irr_partial_t *shape) {
    shape->rank = build->values[value].rank;
    if (shape->rank && shape->rank != IRR_DYNAMIC_RANK)
        memcpy(shape->dims, build->ranges[value], shape->rank * sizeof *shape->dims);
}

static bool set_value(build_t *build, uint32_t index, const irr_partial_t *shape, uint8_t type) {
    irr_graph_value_t *value = &build->values[index];
    size_t rank = shape->rank == IRR_DYNAMIC_RANK ? 0 : shape->rank;
    /* ranges, then dims: one block */
    irr_ir_dim_t *ranges = irr_take(build->model, rank, sizeof *ranges + sizeof(int64_t));
    if (!ranges) return false;
    int64_t *dims = (int64_t *)(ranges + rank);
    if (rank) memcpy(ranges, shape->dims, rank * sizeof *ranges);
    irr_partial_dims(shape, dims);
    value->element_type = type == IRR_TYPE_UNKNOWN ? IRR_DYNAMIC : (irr_element_type_e)type;
    value->rank = shape->rank;
    value->dims = dims;
    build->ranges[index] = ranges;
    return true;
}

/* The value of an output port, as the check inferred it. */
static bool port_value(build_t *build, uint32_t port, uint32_t value) {
    irr_partial_t shape;
    const irr_port_t *from = &build->file->ports[port];
    irr_port_inferred(build->file, from, &shape);
    if (value < build->model->face.input_count && build->given) shape = build->given[value];
    build->value_of[port] = value;
    return set_value(build, value, &shape, from->type);
}

static void set_constant(build_t *build, uint32_t layer, uint32_t value) {
    build->values[value].is_constant = true;
    build->values[value].constant = build->file->constants[layer];
}

/* The result of a reduction whose data and axes are there. */
static irr_status_e reduce_value(build_t *build, const irr_layer_t *layer,
                                 const irr_graph_layer_t *to) {
    const irr_graph_value_t *axes = &build->values[to->axes], *data = &build->values[to->data];
    irr_partial_t shape, out;
    irr_axes_known_t known = {.count = -1};
    char reason[IRR_SENTENCE_BYTES];
    size_t count;
    if (axes->rank != IRR_DYNAMIC_RANK && !irr_shape_is_dynamic(axes->dims, axes->rank) &&
        irr_shape_elements(axes->dims, axes->rank, &count))
        known.count = (int64_t)count;
    irr_status_e status = IRR_OK;
    if (axes->is_constant && data->rank != IRR_DYNAMIC_RANK) {
        status = irr_axes_mask(axes->constant, axes->element_type, count, data->dims, data->rank,
                               IRR_DUPLICATE_AXES_ERROR, IRR_EMPTY_AXES_IDENTITY, &known.mask,
                               (irr_sentence_t){reason, sizeof reason});
        known.values = true;
    } else if (data->rank != IRR_DYNAMIC_RANK && known.count > (int64_t)data->rank) {
        status = irr_fail((irr_sentence_t){reason, sizeof reason}, IRR_PARAMETER_MISMATCH,
                          "axes hold %zu values, but data has rank %u", count, data->rank);
    }
    if (status)
        return irr_fail(build->sentence, IRR_PARAMETER_MISMATCH, "layer %s \"%s\" (%s): %s", to->id,
                        to->name, to->type, reason);
    shape_of(build, to->data, &shape);
    irr_partial_reduce(&shape, &known, to->keep_dims, &out);
    build->value_of[layer->outputs.first] = to->output;
    return set_value(build, to->output, &out, (uint8_t)data->element_type)
               ? IRR_OK
               : irr_out_of_memory(build->sentence, out.rank * sizeof *out.dims);
}

static void name_layer(const irr_ir_graph_t *file, const irr_layer_t *layer,
                       irr_graph_layer_t *to) {
    *to = (irr_graph_layer_t){.id = irr_text(file, layer->id),
                              .name = irr_text(file, layer->name),
                              .type = irr_text(file, layer->type),
                              .data = IRR_NO_VALUE,
                              .axes = IRR_NO_VALUE,
                              .output = IRR_NO_VALUE};
    if (layer->kind == IRR_LAYER_REDUCE) irr_keep_dims(file, layer, &to->keep_dims);
}

/* ---- names ---- */

static bool set_port(build_t *build, irr_ir_port_t *port, const char *names, const char *layer_name,
                     uint32_t value) {
    if (!irr_split_names(build->model, names, port)) return false;
    port->name = port->name_count ? port->names[0] : layer_name;
    port->layer_name = layer_name;
    port->value = value;
    port->element_type = build->values[value].element_type;
    port->rank = build->values[value].rank;
    port->dims = build->ranges[value];
    build->model->face.dynamic |= port->rank == IRR_DYNAMIC_RANK ||
                                  irr_shape_is_dynamic(build->values[value].dims, port->rank);
    return true;
}

/* The first reason why the model cannot be run as a whole. */
__attribute__((format(printf, 3, 4))) static bool
unsupported(build_t *build, const irr_layer_t *layer, const char *format, ...) {
    char message[IRR_SENTENCE_BYTES], text[2 * IRR_SENTENCE_BYTES];
    uint32_t index = (uint32_t)(layer - build->file->layers);
    va_list arguments;
    if (build->model->face.unsupported) return true;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    irr_ir_problem_t problem =
        irr_public_problem(build->file, irr_at_layer(build->file, index), message);
    irr_ir_problem_text(&problem, text, sizeof text);
    char *copy = irr_take(build->model, strlen(text) + 1, 1);
    if (!copy) return false;
    build->model->face.unsupported = strcpy(copy, text);
    return true;
}

/* An input or output of the net: a Parameter or a Result. */
static bool net_port(build_t *build, irr_ir_port_t *port, const irr_layer_t *layer,
                     uint32_t file_port) {
    const irr_ir_graph_t *file = build->file;
    if (!set_port(build, port, irr_text(file, file->ports[file_port].names),
                  irr_text(file, layer->name), build->value_of[file_port]))
        return false;
    return irr_element_bytes(port->element_type) ||
           unsupported(build, layer, "element type %s cannot be run",
                       irr_element_type_info(port->element_type)->name);
}

/* ---- the net ---- */

/* Room for what a net of so many layers and ports can hold at most. */
static bool claim_room(build_t *build, size_t layers, size_t ports) {
    irr_ir_model_t *face = &build->model->face;
    face->inputs = irr_take(build->model, layers + 1, sizeof *face->inputs);
    face->outputs = irr_take(build->model, layers, sizeof *face->outputs);
    face->graph.layers = irr_take(build->model, layers, sizeof *face->graph.layers);
    face->query_graph.layers = irr_take(build->model, layers, sizeof *face->query_graph.layers);
    build->values = irr_take(build->model, ports, sizeof *build->values);
    build->ranges = irr_take(build->model, ports, sizeof *build->ranges);
    build->value_of = irr_malloc(build->file->port_count * sizeof *build->value_of);
    return face->inputs && face->outputs && face->graph.layers && face->query_graph.layers &&
           build->values && build->ranges && build->value_of;
}

static bool net_inputs(build_t *build) {
    irr_ir_model_t *face = &build->model->face;
    for (uint32_t i = 0; i < build->file->layer_count; i++) {
        const irr_layer_t *layer = &build->file->layers[i];
        if (layer->scope != 0 || layer->kind != IRR_LAYER_PARAMETER) continue;
        irr_ir_port_t *input = &face->inputs[face->input_count++];
        if (!port_value(build, layer->outputs.first, build->value_count++) ||
            !net_port(build, input, layer, layer->outputs.first))
            return false;
    }
    return true;
}

/* A reduction in the order of execution. */
static irr_status_e add_reduction(build_t *build, const irr_layer_t *layer) {
    irr_graph_t *graph = &build->model->face.graph;
    const irr_ir_graph_t *file = build->file;
    const irr_port_t *inputs = &file->ports[layer->inputs.first];
    irr_graph_layer_t *to = (irr_graph_layer_t *)&graph->layers[graph->layer_count++];
    name_layer(file, layer, to);
    to->data = build->value_of[inputs[0].of.source];
    to->axes = build->value_of[inputs[1].of.source];
    to->output = build->value_count++;
    const irr_layer_t *from = &file->layers[file->ports[inputs[1].of.source].layer];
    if (from->kind != IRR_LAYER_CONST && from->kind != IRR_LAYER_PARAMETER &&
        !unsupported(build, layer,
                     "its axes come from a %.100s; they are run from a Const or a Parameter",
                     irr_text(file, from->type)))
        return irr_out_of_memory(build->sentence, IRR_SENTENCE_BYTES);
    return reduce_value(build, layer, to);
}

static irr_status_e net_layers(build_t *build) {
    const irr_ir_graph_t *file = build->file;
    for (size_t i = 0; i < file->layer_count; i++) {
        const irr_layer_t *layer = &file->layers[file->order[i]];
        bool room = true;
        if (layer->scope != 0) continue;
        if (layer->kind == IRR_LAYER_REDUCE) {
            irr_status_e status = add_reduction(build, layer);
            if (status) return status;
        } else if (layer->kind == IRR_LAYER_CONST || layer->kind == IRR_LAYER_UNKNOWN) {
            for (uint32_t p = 0; p < layer->outputs.count && room; p++)
                room = port_value(build, layer->outputs.first + p, build->value_count++);
            if (room && layer->kind == IRR_LAYER_CONST)
                set_constant(build, file->order[i], build->value_of[layer->outputs.first]);
            else if (room)
                room = unsupported(build, layer,
                                   "only Parameter, Const, Result and reductions can be run");
        }
        if (!room) return irr_out_of_memory(build->sentence, sizeof(irr_graph_value_t));
    }
    return IRR_OK;
}

/* Results, and the view of every layer in the order of the file. */
static bool net_outputs(build_t *build) {
    irr_ir_model_t *face = &build->model->face;
    const irr_ir_graph_t *file = build->file;
    irr_graph_layer_t *all = (irr_graph_layer_t *)face->query_graph.layers;
    for (uint32_t i = 0; i < file->layer_count; i++) {
        const irr_layer_t *layer = &file->layers[i];
        const irr_port_t *inputs = &file->ports[layer->inputs.first];
        if (layer->scope != 0) continue;
        irr_graph_layer_t *to = &all[face->query_graph.layer_count++];
        name_layer(file, layer, to);
        if (layer->kind == IRR_LAYER_REDUCE) {
            to->data = build->value_of[inputs[0].of.source];
            to->axes = build->value_of[inputs[1].of.source];
            to->output = build->value_of[layer->outputs.first];
        } else if (layer->kind == IRR_LAYER_RESULT &&
                   !net_port(build, &face->outputs[face->output_count++], layer,
                             inputs[0].of.source)) {
            return false;
        }
    }
    return true;
}

static irr_status_e build_net(build_t *build) {
    const irr_ir_graph_t *file = build->file;
    if (!claim_room(build, file->layer_count, file->port_count) || !net_inputs(build))
        return irr_out_of_memory(build->sentence, file->port_count);
    irr_status_e status = net_layers(build);
    if (!status && !net_outputs(build))
        status = irr_out_of_memory(build->sentence, file->layer_count);
    build->model->face.name = irr_text(file, file->net_name);
    return status;
}

/* ---- one layer ---- */

static irr_status_e build_layer(build_t *build) {
    irr_ir_model_t *face = &build->model->face;
    const irr_ir_graph_t *file = build->file;
    const irr_layer_t *layer = &file->layers[build->model->extracted];
    const irr_port_t *inputs = &file->ports[layer->inputs.first];
    const irr_port_t *output = &file->ports[layer->outputs.first];
    uint32_t from = file->ports[inputs[1].of.source].layer;
    bool constant_axes = file->layers[from].kind == IRR_LAYER_CONST;
    face->input_count = constant_axes ? 1 : 2;
    face->output_count = face->graph.layer_count = face->query_graph.layer_count = 1;
    build->value_count = 3;
    if (!claim_room(build, 1, 3) || !port_value(build, inputs[0].of.source, 0) ||
        !port_value(build, inputs[1].of.source, 1))
        return irr_out_of_memory(build->sentence, file->port_count);
    if (build->values[1].element_type == IRR_DYNAMIC) build->values[1].element_type = IRR_I64;
    if (constant_axes) set_constant(build, from, 1);
    irr_graph_layer_t *to = (irr_graph_layer_t *)face->graph.layers;
    face->query_graph.layers = to;
    name_layer(file, layer, to);
    to->data = 0, to->axes = 1, to->output = 2;
    irr_status_e status = reduce_value(build, layer, to);
    if (status) return status;
    face->name = irr_text(file, layer->name);
    if (!set_port(build, &face->outputs[0], irr_text(file, output->names), face->name, 2) ||
        !set_port(build, &face->inputs[0], "data", "data", 0) ||
        !set_port(build, &face->inputs[1], "axes", "axes", 1))
        return irr_out_of_memory(build->sentence, sizeof(irr_ir_port_t));
    if (build->values[0].element_type == IRR_DYNAMIC &&
        !unsupported(build, layer, "the element type of its data is not known"))
        return irr_out_of_memory(build->sentence, IRR_SENTENCE_BYTES);
    return IRR_OK;
}

/* The device's view of the inputs and outputs, and what both graphs share. */
static bool finish(build_t *build) {
    irr_ir_model_t *face = &build->model->face;
    irr_graph_t *graph = &face->graph, *query = &face->query_graph;
    uint32_t *ends =
        irr_take(build->model, (size_t)face->input_count + face->output_count, sizeof *ends);
    if (!ends) return false;
    for (uint32_t i = 0; i < face->input_count; i++) ends[i] = face->inputs[i].value;
    for (uint32_t i = 0; i < face->output_count; i++)
        ends[face->input_count + i] = face->outputs[i].value;
    graph->size_bytes = sizeof *graph;
    graph->name = face->name;
    graph->values = build->values;
    graph->value_count = build->value_count;
    graph->inputs = ends;
    graph->input_count = face->input_count;
    graph->outputs = ends + face->input_count;
    graph->output_count = face->output_count;
    const irr_graph_t all = *query;
    *query = *graph;
    query->layers = all.layers;
    query->layer_count = all.layer_count;
    return true;
}

irr_status_e irr_model_build(irr_ir_graph_t *file, uint32_t extracted, const irr_partial_t *inputs,
                             irr_whole_model_t **out, irr_sentence_t sentence) {
    irr_whole_model_t *model = irr_calloc(1, sizeof *model);
    if (!model) return irr_out_of_memory(sentence, sizeof *model);
    model->file = irr_graph_retain(file);
    model->extracted = extracted;
    build_t build = {.model = model, .file = file, .given = inputs, .sentence = sentence};
    irr_status_e status = extracted == IRR_NONE ? build_net(&build) : build_layer(&build);
    if (!status && !finish(&build)) status = irr_out_of_memory(sentence, sizeof(uint32_t));
    irr_release(build.value_of);
    if (status)
        irr_ir_free(&model->face);
    else
        *out = model;
    return status;
}
