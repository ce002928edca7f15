/* From a checked file to values, layers, inputs and outputs. Values 0 .. input_count-1 are the
 * inputs, in their order. Without memory the model says so and building goes on with what there is:
 * one look at the end is enough.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

/* What the building needs for a while. */
typedef struct {
    irr_ir_model_t *face;
    const irr_ir_graph_t *file;
    const irr_partial_t *given; /* what the inputs are, or NULL */
    irr_graph_value_t *values;
    irr_dimension_t **ranges; /* of each value */
    uint32_t *value_of;       /* of each port of the file */
} build_t;

/* Zeroed memory that lives as long as the model; NULL: out of memory. */
static void *take(build_t *build, size_t count, size_t element_bytes) {
    return irr_take(&build->face->parts->memory, count, element_bytes);
}

/* Room for what so many layers can have at most. */
static bool claim_room(build_t *build, size_t layers, size_t values) {
    irr_ir_model_t *face = build->face;
    size_t ports_bytes = build->file->ports.count * sizeof *build->value_of;
    face->inputs = take(build, layers + 1, sizeof *face->inputs);
    face->outputs = take(build, layers, sizeof *face->outputs);
    face->graph.layers = take(build, layers, sizeof *face->graph.layers);
    face->query_graph.layers = take(build, layers, sizeof *face->query_graph.layers);
    face->graph.values = build->values = take(build, values, sizeof *build->values);
    build->ranges = take(build, values, sizeof *build->ranges);
    build->value_of = irr_malloc(ports_bytes);
    if (!build->value_of || build->face->parts->memory.failed) return false;
    memset(build->value_of, 0xff, ports_bytes); /* IRR_NO_VALUE */
    return true;
}

/* ---- values ---- */

static void set_value(build_t *build, uint32_t index, const irr_partial_t *it) {
    size_t rank = it->rank == IRR_DYNAMIC_RANK ? 0 : it->rank;
    /* ranges, then dims: one block */
    irr_dimension_t *ranges = take(build, rank, sizeof *ranges + sizeof(int64_t));
    if (!ranges) return;
    int64_t *dims = (int64_t *)(ranges + rank);
    memcpy(ranges, it->dims, rank * sizeof *ranges);
    irr_partial_dims(it, dims);
    build->ranges[index] = ranges;
    build->values[index] = (irr_graph_value_t){
        .element_type = it->type == IRR_TYPE_UNKNOWN ? IRR_DYNAMIC : (irr_element_type_e)it->type,
        .rank = it->rank,
        .dims = dims};
}

static void get_value(const build_t *build, uint32_t index, irr_partial_t *it) {
    const irr_graph_value_t *value = &build->values[index];
    irr_partial_set(it, (uint8_t)value->element_type, value->rank, build->ranges[index]);
}

/* A new value: what the check inferred for an output port, or what was given for an input. */
static uint32_t add_value(build_t *build, uint32_t port) {
    const irr_port_t *from = &build->file->ports.at[port];
    irr_ir_model_t *face = build->face;
    uint32_t index = face->graph.value_count++;
    bool is_input = index < face->input_count;
    irr_partial_t it;
    irr_port_inferred(build->file, from, &it);
    set_value(build, index, is_input && build->given ? &build->given[index] : &it);
    if (!is_input && build->file->layers.at[from->layer].kind == IRR_LAYER_CONST) {
        build->values[index].is_constant = true;
        build->values[index].constant = build->file->constants[from->layer];
    }
    return build->value_of[port] = index;
}

/* The value that arrives at an input port. */
static uint32_t arriving(build_t *build, uint32_t port) {
    uint32_t source = build->file->ports.at[port].of.source;
    uint32_t known = build->value_of[source];
    return known == IRR_NO_VALUE ? add_value(build, source) : known;
}

/* The result of a reduction whose data and axes are there. */
static irr_status_e reduce(build_t *build, const irr_layer_t *layer, irr_graph_layer_t *to,
                           irr_sentence_t sentence) {
    irr_partial_t data, axes, out;
    to->output = build->face->graph.value_count++;
    build->value_of[layer->outputs.first] = to->output;
    get_value(build, to->data, &data);
    get_value(build, to->axes, &axes);
    irr_axes_known_t known = irr_axes_of(&axes);
    known.values = build->values[to->axes].constant;
    if (irr_partial_reduce(&data, &known, to->keep_dims, &out, sentence))
        return irr_fail_at(sentence, IRR_PARAMETER_MISMATCH, "layer %s \"%s\" (%s): ", to->id,
                           to->name, to->type);
    set_value(build, to->output, &out);
    return IRR_OK;
}

/* ---- names ---- */

/* "a,b\,c" is the two names a and b,c. */
static void split_names(build_t *build, const char *text, irr_ir_port_t *port) {
    size_t commas = 0;
    if (!*text) return;
    for (const char *c = text; *c; c++) commas += *c == ',';
    const char **names = take(build, commas + 1, sizeof *names);
    char *to = take(build, strlen(text) + 1, 1);
    if (!names || !to) return;
    names[port->name_count++] = to;
    for (const char *c = text; *c; c++) {
        if (*c == '\\' && c[1] == ',') {
            *to++ = *++c;
        } else if (*c == ',') {
            *to++ = '\0';
            names[port->name_count++] = to;
        } else {
            *to++ = *c;
        }
    }
    port->names = names;
}

static void set_port(build_t *build, irr_ir_port_t *port, const char *names, const char *layer_name,
                     uint32_t value) {
    const irr_graph_value_t *from = &build->values[value];
    split_names(build, names, port);
    port->name = port->name_count ? port->names[0] : layer_name;
    port->layer_name = layer_name;
    port->value = value;
    port->element_type = from->element_type;
    port->rank = from->rank;
    port->dims = build->ranges[value];
    build->face->dynamic |=
        from->rank == IRR_DYNAMIC_RANK || irr_shape_is_dynamic(from->dims, from->rank);
}

static irr_graph_layer_t named(const irr_ir_graph_t *file, const irr_layer_t *layer) {
    irr_graph_layer_t to = {.id = irr_text(file, layer->id),
                            .name = irr_text(file, layer->name),
                            .type = irr_text(file, layer->type),
                            .data = IRR_NO_VALUE,
                            .axes = IRR_NO_VALUE,
                            .output = IRR_NO_VALUE};
    if (layer->kind == IRR_LAYER_REDUCE) irr_keep_dims(file, layer, &to.keep_dims);
    return to;
}

/* The first reason why the model cannot be run as a whole: a sentence around a word. */
static void unsupported(build_t *build, const irr_layer_t *layer, const char *before,
                        const char *word, const char *behind) {
    char message[IRR_SENTENCE_BYTES], text[2 * IRR_SENTENCE_BYTES];
    uint32_t index = (uint32_t)(layer - build->file->layers.at);
    if (build->face->unsupported) return;
    snprintf(message, sizeof message, "%s%.100s%s", before, word, behind);
    irr_check_problem_t problem =
        irr_public_problem(build->file, irr_at_layer(build->file, index), message);
    irr_ir_problem_text(&problem, text, sizeof text);
    build->face->unsupported = irr_take_text(&build->face->parts->memory, text);
}

/* ---- the net ---- */

/* An input or output of the net: a Parameter or a Result. */
static void net_port(build_t *build, irr_ir_port_t *port, const irr_layer_t *layer,
                     uint32_t file_port, uint32_t value) {
    const irr_ir_graph_t *file = build->file;
    set_port(build, port, irr_text(file, file->ports.at[file_port].names),
             irr_text(file, layer->name), value);
    if (!irr_element_bytes(port->element_type))
        unsupported(build, layer, "element type ", irr_element_type_name(port->element_type),
                    " cannot be run");
}

/* A reduction in the order of execution. */
static irr_status_e add_reduction(build_t *build, const irr_layer_t *layer,
                                  irr_sentence_t sentence) {
    const irr_ir_graph_t *file = build->file;
    irr_graph_t *graph = &build->face->graph;
    uint32_t data = layer->inputs.first, axes = data + 1;
    const irr_layer_t *from =
        &file->layers.at[file->ports.at[file->ports.at[axes].of.source].layer];
    irr_graph_layer_t *to = (irr_graph_layer_t *)&graph->layers[graph->layer_count++];
    *to = named(file, layer);
    to->data = arriving(build, data);
    to->axes = arriving(build, axes);
    if (from->kind != IRR_LAYER_CONST && from->kind != IRR_LAYER_PARAMETER)
        unsupported(build, layer, "its axes come from a ", irr_text(file, from->type),
                    "; they are run from a Const or a Parameter");
    return reduce(build, layer, to, sentence);
}

static irr_status_e build_net(build_t *build, irr_sentence_t sentence) {
    irr_ir_model_t *face = build->face;
    const irr_ir_graph_t *file = build->file;
    const irr_layer_t *layers = file->layers.at, *end = layers + file->layers.count;
    irr_graph_layer_t *all = (irr_graph_layer_t *)face->query_graph.layers;
    face->name = irr_text(file, file->net_name);
    for (const irr_layer_t *layer = layers; layer < end; layer++) {
        if (layer->scope != 0 || layer->kind != IRR_LAYER_PARAMETER) continue;
        irr_ir_port_t *input = &face->inputs[face->input_count++];
        uint32_t port = layer->outputs.first;
        net_port(build, input, layer, port, add_value(build, port));
    }
    for (size_t i = 0; i < file->layers.count; i++) {
        const irr_layer_t *layer = &layers[file->order[i]];
        irr_status_e status = IRR_OK;
        if (layer->scope != 0) continue;
        if (layer->kind == IRR_LAYER_REDUCE) status = add_reduction(build, layer, sentence);
        if (status) return status;
        if (layer->kind == IRR_LAYER_UNKNOWN)
            unsupported(build, layer, "only Parameter, Const, Result and reductions can be run", "",
                        "");
    }
    for (const irr_layer_t *layer = layers; layer < end; layer++) {
        if (layer->scope != 0) continue;
        irr_graph_layer_t *to = &all[face->query_graph.layer_count++];
        *to = named(file, layer);
        if (layer->kind == IRR_LAYER_REDUCE) {
            to->data = arriving(build, layer->inputs.first);
            to->axes = arriving(build, layer->inputs.first + 1);
            to->output = build->value_of[layer->outputs.first];
        } else if (layer->kind == IRR_LAYER_RESULT) {
            net_port(build, &face->outputs[face->output_count++], layer,
                     file->ports.at[layer->inputs.first].of.source,
                     arriving(build, layer->inputs.first));
        }
    }
    return IRR_OK;
}

/* ---- one layer ---- */

static irr_status_e build_layer(build_t *build, irr_sentence_t sentence) {
    irr_ir_model_t *face = build->face;
    const irr_ir_graph_t *file = build->file;
    const irr_layer_t *layer = &file->layers.at[build->face->parts->extracted];
    const irr_port_t *inputs = &file->ports.at[layer->inputs.first];
    const irr_port_t *output = &file->ports.at[layer->outputs.first];
    uint32_t from = file->ports.at[inputs[1].of.source].layer;
    face->name = irr_text(file, layer->name);
    face->input_count = file->layers.at[from].kind == IRR_LAYER_CONST ? 1 : 2;
    face->output_count = face->graph.layer_count = face->query_graph.layer_count = 1;
    face->query_graph.layers = face->graph.layers;
    irr_graph_layer_t *to = (irr_graph_layer_t *)face->graph.layers;
    *to = named(file, layer);
    to->data = add_value(build, inputs[0].of.source);
    to->axes = add_value(build, inputs[1].of.source);
    if (build->values[to->axes].element_type == IRR_DYNAMIC)
        build->values[to->axes].element_type = IRR_I64;
    irr_status_e status = reduce(build, layer, to, sentence);
    if (status) return status;
    set_port(build, &face->outputs[0], irr_text(file, output->names), face->name, to->output);
    set_port(build, &face->inputs[0], "data", "data", to->data);
    set_port(build, &face->inputs[1], "axes", "axes", to->axes);
    if (build->values[to->data].element_type == IRR_DYNAMIC)
        unsupported(build, layer, "the element type of its data is not known", "", "");
    return IRR_OK;
}

/* The device's view of the inputs and outputs, and what both graphs share. */
static void finish(build_t *build) {
    irr_ir_model_t *face = build->face;
    irr_graph_t *graph = &face->graph, all = face->query_graph;
    uint32_t *ends = take(build, (size_t)face->input_count + face->output_count, sizeof *ends);
    for (uint32_t i = 0; ends && i < face->input_count; i++) ends[i] = face->inputs[i].value;
    graph->inputs = ends;
    if (ends) ends += face->input_count;
    for (uint32_t i = 0; ends && i < face->output_count; i++) ends[i] = face->outputs[i].value;
    graph->outputs = ends;
    graph->size_bytes = sizeof *graph;
    graph->name = face->name;
    graph->input_count = face->input_count;
    graph->output_count = face->output_count;
    face->query_graph = *graph;
    face->query_graph.layers = all.layers;
    face->query_graph.layer_count = all.layer_count;
}

irr_status_e irr_model_build(irr_ir_graph_t *file, uint32_t extracted, const irr_partial_t *inputs,
                             irr_ir_model_t **out, irr_sentence_t sentence) {
    irr_ir_model_t *model = irr_calloc(1, sizeof *model);
    struct irr_parts *parts = irr_calloc(1, sizeof *parts);
    if (!model || !parts) {
        irr_release(model);
        irr_release(parts);
        return irr_out_of_memory(sentence, sizeof *model);
    }
    *parts = (struct irr_parts){.file = file, .extracted = extracted, .references = 1};
    __atomic_add_fetch(&file->references, 1, __ATOMIC_RELAXED);
    model->parts = parts;
    build_t build = {.face = model, .file = file, .given = inputs};
    bool net = extracted == IRR_NONE;
    irr_status_e status = IRR_NOT_ALLOCATED;
    if (claim_room(&build, net ? file->layers.count : 1, net ? file->ports.count : 3))
        status = net ? build_net(&build, sentence) : build_layer(&build, sentence);
    if (!status) finish(&build);
    if (parts->memory.failed || status == IRR_NOT_ALLOCATED)
        status = irr_out_of_memory(sentence, file->ports.count);
    irr_release(build.value_of);
    if (status)
        irr_ir_free(model);
    else
        *out = model;
    return status;
}
