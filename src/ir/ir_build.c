/* From a checked file to values, layers, inputs and outputs.
 * Values 0 .. input_count-1 are the inputs, in their order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_build.h"

#include "base/element_type.h"
#include "base/memory.h"
#include "base/shape.h"

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

/* ---- values ---------------------------------------------------------------------------------- */

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
                               IRR_DUPLICATE_AXES_ERROR, &known.mask,
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

/* ---- names ----------------------------------------------------------------------------------- */

static bool set_port(build_t *build, irr_ir_port_t *port, const irr_layer_t *layer,
                     uint32_t file_port, uint32_t value) {
    const irr_ir_graph_t *file = build->file;
    port->layer_name = irr_text(file, layer->name);
    if (!irr_split_names(build->model, irr_text(file, file->ports[file_port].names), port))
        return false;
    port->name = port->name_count ? port->names[0] : port->layer_name;
    port->value = value;
    port->element_type = build->values[value].element_type;
    port->rank = build->values[value].rank;
    port->dims = build->ranges[value];
    build->model->face.dynamic |= port->rank == IRR_DYNAMIC_RANK ||
                                  irr_shape_is_dynamic(build->values[value].dims, port->rank);
    return true;
}

/* ---- the net --------------------------------------------------------------------------------- */

static bool unsupported(build_t *build, const irr_layer_t *layer, const char *before,
                        const char *word, const char *after) {
    char message[IRR_SENTENCE_BYTES], text[2 * IRR_SENTENCE_BYTES];
    irr_ir_problem_t problem = {.file = build->file->path,
                                .line = layer->line,
                                .layer_id = irr_text(build->file, layer->id),
                                .layer_name = irr_text(build->file, layer->name),
                                .layer_type = irr_text(build->file, layer->type),
                                .message = message};
    if (build->model->face.unsupported) return true;
    snprintf(message, sizeof message, "%s%.100s%s", before, word, after);
    irr_ir_problem_text(&problem, text, sizeof text);
    char *copy = irr_take(build->model, strlen(text) + 1, 1);
    if (!copy) return false;
    build->model->face.unsupported = strcpy(copy, text);
    return true;
}

/* Counts and claims the arrays. */
static bool size_net(build_t *build) {
    irr_ir_model_t *face = &build->model->face;
    const irr_ir_graph_t *file = build->file;
    uint32_t outputs = 0, layers = 0, reductions = 0;
    for (size_t i = 0; i < file->layer_count; i++) {
        const irr_layer_t *layer = &file->layers[i];
        if (layer->scope != 0) continue;
        layers++;
        outputs += layer->outputs.count;
        face->input_count += layer->kind == IRR_LAYER_PARAMETER;
        face->output_count += layer->kind == IRR_LAYER_RESULT;
        reductions += layer->kind == IRR_LAYER_REDUCE;
    }
    face->inputs = irr_take(build->model, face->input_count, sizeof *face->inputs);
    face->outputs = irr_take(build->model, face->output_count, sizeof *face->outputs);
    face->graph.layers = irr_take(build->model, reductions, sizeof *face->graph.layers);
    face->query_graph.layers = irr_take(build->model, layers, sizeof *face->query_graph.layers);
    build->values = irr_take(build->model, outputs, sizeof *build->values);
    build->ranges = irr_take(build->model, outputs, sizeof *build->ranges);
    build->value_of = irr_malloc(file->port_count * sizeof *build->value_of);
    return face->inputs && face->outputs && face->graph.layers && face->query_graph.layers &&
           build->values && build->ranges && build->value_of;
}

static bool net_inputs(build_t *build) {
    irr_ir_model_t *face = &build->model->face;
    for (uint32_t i = 0; i < build->file->layer_count; i++) {
        const irr_layer_t *layer = &build->file->layers[i];
        if (layer->scope != 0 || layer->kind != IRR_LAYER_PARAMETER) continue;
        uint32_t k = build->value_count++;
        if (!port_value(build, layer->outputs.first, k) ||
            !set_port(build, &face->inputs[k], layer, layer->outputs.first, k))
            return false;
        if (!irr_element_bytes(face->inputs[k].element_type) &&
            !unsupported(build, layer, "element type ",
                         irr_element_type_info(face->inputs[k].element_type)->name,
                         " cannot be run"))
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
        !unsupported(build, layer, "its axes come from a ", irr_text(file, from->type),
                     "; they are run from a Const or a Parameter"))
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
                room =
                    unsupported(build, layer,
                                "only Parameter, Const, Result and reductions can be run", "", "");
        }
        if (!room) return irr_out_of_memory(build->sentence, sizeof(irr_graph_value_t));
    }
    return IRR_OK;
}

/* Results, and the view of every layer in the order of the file. */
static bool net_outputs(build_t *build, uint32_t *outputs) {
    irr_ir_model_t *face = &build->model->face;
    const irr_ir_graph_t *file = build->file;
    irr_graph_layer_t *all = (irr_graph_layer_t *)face->query_graph.layers;
    uint32_t k = 0;
    for (uint32_t i = 0; i < file->layer_count; i++) {
        const irr_layer_t *layer = &file->layers[i];
        if (layer->scope != 0) continue;
        irr_graph_layer_t *to = &all[face->query_graph.layer_count++];
        name_layer(file, layer, to);
        if (layer->kind == IRR_LAYER_REDUCE) {
            to->data = build->value_of[file->ports[layer->inputs.first].of.source];
            to->axes = build->value_of[file->ports[layer->inputs.first + 1].of.source];
            to->output = build->value_of[layer->outputs.first];
        }
        if (layer->kind != IRR_LAYER_RESULT) continue;
        uint32_t source = file->ports[layer->inputs.first].of.source;
        outputs[k] = build->value_of[source];
        if (!set_port(build, &face->outputs[k++], layer, source, build->value_of[source]))
            return false;
        if (!irr_element_bytes(build->values[outputs[k - 1]].element_type) &&
            !unsupported(build, layer, "element type ",
                         irr_element_type_info(build->values[outputs[k - 1]].element_type)->name,
                         " cannot be run"))
            return false;
    }
    return true;
}

static irr_status_e build_net(build_t *build) {
    irr_ir_model_t *face = &build->model->face;
    if (!size_net(build) || !net_inputs(build))
        return irr_out_of_memory(build->sentence, build->file->port_count);
    irr_status_e status = net_layers(build);
    if (status) return status;
    uint32_t *ends = irr_take(build->model, face->input_count + face->output_count, sizeof *ends);
    if (!ends || !net_outputs(build, ends + face->input_count))
        return irr_out_of_memory(build->sentence, face->output_count * sizeof *ends);
    for (uint32_t i = 0; i < face->input_count; i++) ends[i] = i;
    face->graph.inputs = ends;
    face->graph.outputs = ends + face->input_count;
    face->name = irr_text(build->file, build->file->net_name);
    return IRR_OK;
}

/* ---- one layer ------------------------------------------------------------------------------- */

static bool set_own_port(build_t *build, irr_ir_port_t *port, const char *name, uint32_t value) {
    const char **names = irr_take(build->model, 1, sizeof *names);
    if (!names) return false;
    *names = name;
    *port = (irr_ir_port_t){.name = name,
                            .names = names,
                            .name_count = 1,
                            .layer_name = name,
                            .element_type = build->values[value].element_type,
                            .rank = build->values[value].rank,
                            .dims = build->ranges[value],
                            .value = value};
    build->model->face.dynamic |= port->rank == IRR_DYNAMIC_RANK ||
                                  irr_shape_is_dynamic(build->values[value].dims, port->rank);
    return true;
}

static bool size_layer(build_t *build, bool constant_axes) {
    irr_ir_model_t *face = &build->model->face;
    static const uint32_t ends[] = {0, 1, 2};
    face->input_count = constant_axes ? 1 : 2;
    face->output_count = 1;
    face->inputs = irr_take(build->model, 2, sizeof *face->inputs);
    face->outputs = irr_take(build->model, 1, sizeof *face->outputs);
    face->graph.layers = irr_take(build->model, 1, sizeof *face->graph.layers);
    face->query_graph.layers = face->graph.layers;
    face->graph.layer_count = face->query_graph.layer_count = 1;
    face->graph.inputs = ends;
    face->graph.outputs = ends + 2;
    build->value_count = 3;
    build->values = irr_take(build->model, 3, sizeof *build->values);
    build->ranges = irr_take(build->model, 3, sizeof *build->ranges);
    build->value_of = irr_malloc(build->file->port_count * sizeof *build->value_of);
    return face->inputs && face->outputs && face->graph.layers && build->values && build->ranges &&
           build->value_of;
}

static irr_status_e build_layer(build_t *build) {
    irr_ir_model_t *face = &build->model->face;
    const irr_ir_graph_t *file = build->file;
    const irr_layer_t *layer = &file->layers[build->model->extracted];
    const irr_port_t *inputs = &file->ports[layer->inputs.first];
    uint32_t from = file->ports[inputs[1].of.source].layer;
    bool constant_axes = file->layers[from].kind == IRR_LAYER_CONST;
    if (!size_layer(build, constant_axes) || !port_value(build, inputs[0].of.source, 0) ||
        !port_value(build, inputs[1].of.source, 1))
        return irr_out_of_memory(build->sentence, file->port_count);
    if (build->values[1].element_type == IRR_DYNAMIC) build->values[1].element_type = IRR_I64;
    if (constant_axes) set_constant(build, from, 1);
    irr_graph_layer_t *to = (irr_graph_layer_t *)face->graph.layers;
    name_layer(file, layer, to);
    to->data = 0, to->axes = 1, to->output = 2;
    irr_status_e status = reduce_value(build, layer, to);
    if (status) return status;
    if (!set_port(build, &face->outputs[0], layer, layer->outputs.first, 2) ||
        !set_own_port(build, &face->inputs[0], "data", 0) ||
        !set_own_port(build, &face->inputs[1], "axes", 1))
        return irr_out_of_memory(build->sentence, sizeof(irr_ir_port_t));
    face->name = irr_text(file, layer->name);
    if (build->values[0].element_type == IRR_DYNAMIC &&
        !unsupported(build, layer, "the element type of its data is not known", "", ""))
        return irr_out_of_memory(build->sentence, IRR_SENTENCE_BYTES);
    return IRR_OK;
}

irr_status_e irr_model_build(irr_ir_graph_t *file, uint32_t extracted, const irr_partial_t *inputs,
                             irr_whole_model_t **out, irr_sentence_t sentence) {
    irr_whole_model_t *model = irr_calloc(1, sizeof *model);
    if (!model) return irr_out_of_memory(sentence, sizeof *model);
    model->file = irr_graph_retain(file);
    model->extracted = extracted;
    build_t build = {.model = model, .file = file, .given = inputs, .sentence = sentence};
    irr_status_e status = extracted == IRR_NONE ? build_net(&build) : build_layer(&build);
    irr_release(build.value_of);
    if (status) {
        irr_ir_free(&model->face);
        return status;
    }
    irr_ir_model_t *face = &model->face;
    irr_graph_t graph = {.size_bytes = sizeof graph,
                         .name = face->name,
                         .values = build.values,
                         .value_count = build.value_count,
                         .layers = face->graph.layers,
                         .layer_count = face->graph.layer_count,
                         .inputs = face->graph.inputs,
                         .input_count = face->input_count,
                         .outputs = face->graph.outputs,
                         .output_count = face->output_count};
    const irr_graph_layer_t *all = face->query_graph.layers;
    uint32_t all_count = face->query_graph.layer_count;
    face->graph = face->query_graph = graph;
    face->query_graph.layers = all;
    face->query_graph.layer_count = all_count;
    *out = model;
    return IRR_OK;
}
