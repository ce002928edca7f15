/* From a checked file to values (of the net, one for each of its output ports), layers, inputs and
 * outputs. Without memory the model says so and building goes on with what there is: one look at
 * the end is enough. SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

/* What the building needs for a while. */
typedef struct {
    irr_ir_model_t *face;
    const irr_ir_graph_t *file;
    const irr_partial_t *given; /* what the inputs are, or NULL: what the file says */
    irr_arena_t *memory;
    irr_graph_value_t *values;
    irr_partial_t *known; /* of each value */
} build_t;

/* Room for what so many layers and values need. */
static void claim_room(build_t *build, size_t layers, size_t values) {
    irr_ir_model_t *face = build->face;
    face->inputs = irr_take(build->memory, layers + 1, sizeof *face->inputs);
    face->outputs = irr_take(build->memory, layers, sizeof *face->outputs);
    face->graph.layers = irr_take(build->memory, layers, sizeof *face->graph.layers);
    face->graph.values = build->values = irr_take(build->memory, values, sizeof *build->values);
    face->graph.value_count = (uint32_t)values;
    build->known = irr_take(build->memory, values, sizeof *build->known);
}

/* ---- values ---- */

/* `from` is the layer whose output it is: of a constant that was loaded, the bytes go with it.
 * NULL: it is none. */
static void set_value(build_t *build, uint32_t index, const irr_partial_t *it,
                      const irr_layer_t *from) {
    irr_partial_t *known = &build->known[index];
    irr_partial_set(known, it->dims, it->rank, build->memory);
    known->type = it->type;
    build->values[index] = (irr_graph_value_t){
        .element_type = it->type == IRR_TYPE_UNKNOWN ? IRR_DYNAMIC : (irr_element_type_e)it->type,
        .rank = known->rank,
        .dims = known->numbers,
        .constant = from ? from->constant : NULL,
        .is_constant =
            from && from->kind == IRR_LAYER_CONST && (from->constant || from->size_bytes == 0)};
}

/* The value that arrives at an input port. */
static uint32_t arriving(const irr_ir_graph_t *file, uint32_t port) {
    return file->ports.at[file->ports.at[port].source].value;
}

/* The result of a reduction whose data and axes are there. */
static irr_status_e reduce(build_t *build, irr_graph_layer_t *to, irr_sentence_t sentence) {
    irr_partial_t out;
    if (irr_partial_reduce(&build->known[to->data], &build->known[to->axes],
                           build->values[to->axes].constant, to->keep_dims, build->memory, &out,
                           sentence))
        return irr_fail_layer(sentence, IRR_PARAMETER_MISMATCH, to);
    set_value(build, to->output, &out, NULL);
    return IRR_OK;
}

/* ---- names ---- */

/* "a,b\,c" is the two names a and b,c. */
static void split_names(build_t *build, const char *text, irr_ir_port_t *port) {
    size_t commas = 0;
    if (!*text) return;
    for (const char *c = text; *c; c++) commas += *c == ',';
    const char **names = irr_take(build->memory, commas + 1, sizeof *names);
    char *to = irr_take(build->memory, strlen(text) + 1, 1);
    if (!names || !to) return;
    names[port->name_count++] = to;
    for (const char *c = text; *c; c++) {
        bool ends = *c == ',';
        if (*c == '\\' && c[1] == ',') c++;
        *to++ = ends ? '\0' : *c;
        if (ends) names[port->name_count++] = to;
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
    port->dims = build->known[value].dims;
    build->face->dynamic |= !irr_partial_static(&build->known[value]);
}

static irr_graph_layer_t layer_of(const irr_ir_graph_t *file, const irr_layer_t *layer) {
    bool reduces = layer->kind == IRR_LAYER_REDUCE;
    uint32_t data = layer->inputs.first, output = layer->outputs.first;
    return (irr_graph_layer_t){.id = layer->id,
                               .name = layer->name,
                               .type = layer->type,
                               .keep_dims = layer->keep_dims,
                               .data = reduces ? arriving(file, data) : IRR_NO_VALUE,
                               .axes = reduces ? arriving(file, data + 1) : IRR_NO_VALUE,
                               .output = reduces ? file->ports.at[output].value : IRR_NO_VALUE};
}

bool irr_ir_next_layer(const irr_ir_model_t *model, uint32_t *at, irr_graph_layer_t *layer) {
    const irr_ir_graph_t *file = model->parts->file;
    if (model->parts->extracted != IRR_NONE) return *layer = *model->graph.layers, !(*at)++;
    while (*at < file->layers.count && file->layers.at[*at].scope) ++*at;
    if (*at == file->layers.count) return false;
    *layer = layer_of(file, &file->layers.at[(*at)++]);
    return true;
}

/* The first reason why the model cannot be run as a whole: a sentence around a word. */
static void unsupported(build_t *build, const irr_layer_t *layer, const char *before,
                        const char *word, const char *behind) {
    char message[IRR_SENTENCE_BYTES], text[2 * IRR_SENTENCE_BYTES];
    uint32_t index = (uint32_t)(layer - build->file->layers.at);
    if (build->face->unsupported) return;
    snprintf(message, sizeof message, "%s%.100s%s", before, word, behind);
    irr_layer_text(build->file, index, message, (irr_sentence_t){text, sizeof text});
    build->face->unsupported = irr_take_text(build->memory, text);
}

/* ---- the net ---- */

/* An input or output of the net: a Parameter or a Result, and the output port behind it. */
static void net_port(build_t *build, irr_ir_port_t *port, const irr_layer_t *layer, uint32_t from) {
    const irr_port_t *source = &build->file->ports.at[from];
    set_port(build, port, source->names, layer->name, source->value);
    if (!irr_element_bytes(port->element_type))
        unsupported(build, layer, "element type ", irr_element_type_name(port->element_type),
                    " cannot be run");
}

/* In the order of execution. Where inputs are given, shapes follow from them. */
static irr_status_e add_layer(build_t *build, const irr_layer_t *layer, irr_sentence_t sentence) {
    const irr_ir_graph_t *file = build->file;
    irr_graph_t *graph = &build->face->graph;
    if (layer->kind == IRR_LAYER_UNKNOWN)
        unsupported(build, layer, "only Parameter, Const, Result and reductions can be run", "",
                    "");
    if (layer->kind != IRR_LAYER_REDUCE) return IRR_OK;
    const irr_layer_t *from = irr_feeder(file, layer->inputs.first + 1);
    irr_graph_layer_t *to = (irr_graph_layer_t *)&graph->layers[graph->layer_count++];
    *to = layer_of(file, layer);
    if (from->kind != IRR_LAYER_CONST && from->kind != IRR_LAYER_PARAMETER)
        unsupported(build, layer, "its axes come from a ", from->type,
                    "; they are run from a Const or a Parameter");
    return build->given ? reduce(build, to, sentence) : IRR_OK;
}

static irr_status_e build_net(build_t *build, irr_sentence_t sentence) {
    irr_ir_model_t *face = build->face;
    const irr_ir_graph_t *file = build->file;
    const irr_layer_t *layers = file->layers.at, *end = layers + file->layers.count;
    face->name = file->net_name;
    for (size_t i = 0; i < file->ports.count; i++) {
        const irr_port_t *port = &file->ports.at[i];
        if (port->value != IRR_NO_VALUE)
            set_value(build, port->value, &port->known, &layers[port->layer]);
    }
    for (const irr_layer_t *layer = layers; layer < end; layer++) {
        if (layer->scope != 0 || layer->kind != IRR_LAYER_PARAMETER) continue;
        uint32_t port = layer->outputs.first, k = face->input_count++;
        if (build->given) set_value(build, file->ports.at[port].value, &build->given[k], NULL);
        net_port(build, &face->inputs[k], layer, port);
    }
    for (size_t i = 0; i < file->layers.count; i++) {
        const irr_layer_t *layer = &layers[file->order[i]];
        IRR_TRY(layer->scope ? IRR_OK : add_layer(build, layer, sentence));
    }
    for (const irr_layer_t *layer = layers; layer < end; layer++) {
        if (layer->scope != 0 || layer->kind != IRR_LAYER_RESULT) continue;
        net_port(build, &face->outputs[face->output_count++], layer,
                 file->ports.at[layer->inputs.first].source);
    }
    return IRR_OK;
}

/* ---- one layer ---- */

static irr_status_e build_layer(build_t *build, irr_sentence_t sentence) {
    irr_ir_model_t *face = build->face;
    const irr_ir_graph_t *file = build->file;
    const irr_layer_t *layer = &file->layers.at[face->parts->extracted];
    const irr_port_t *inputs = &file->ports.at[layer->inputs.first];
    const irr_layer_t *from = irr_feeder(file, layer->inputs.first + 1);
    irr_graph_value_t *values = build->values;
    face->name = layer->name;
    face->input_count = from->kind == IRR_LAYER_CONST ? 1 : 2;
    face->output_count = face->graph.layer_count = 1;
    irr_graph_layer_t *to = (irr_graph_layer_t *)face->graph.layers;
    *to = layer_of(file, layer);
    to->data = 0, to->axes = 1, to->output = 2;
    for (uint32_t i = 0; i < 2; i++) {
        bool given = build->given && i < face->input_count;
        set_value(build, i, given ? &build->given[i] : &file->ports.at[inputs[i].source].known,
                  i ? from : NULL);
    }
    if (values[1].element_type == IRR_DYNAMIC) values[1].element_type = IRR_I64;
    IRR_TRY(reduce(build, to, sentence));
    set_port(build, &face->outputs[0], file->ports.at[layer->outputs.first].names, face->name, 2);
    set_port(build, &face->inputs[0], "data", "data", 0);
    set_port(build, &face->inputs[1], "axes", "axes", 1);
    if (values[0].element_type == IRR_DYNAMIC)
        unsupported(build, layer, "the element type of its data is not known", "", "");
    return IRR_OK;
}

static const uint32_t *values_of(build_t *build, const irr_ir_port_t *ports, uint32_t count) {
    uint32_t *values = irr_take(build->memory, count, sizeof *values);
    for (uint32_t i = 0; values && i < count; i++) values[i] = ports[i].value;
    return values;
}

/* The device's view of the inputs and outputs. */
static void finish(build_t *build) {
    irr_ir_model_t *face = build->face;
    irr_graph_t *graph = &face->graph;
    graph->size_bytes = sizeof *graph;
    graph->name = face->name;
    graph->inputs = values_of(build, face->inputs, face->input_count);
    graph->outputs = values_of(build, face->outputs, face->output_count);
    graph->input_count = face->input_count;
    graph->output_count = face->output_count;
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
    build_t build = {.face = model, .file = file, .given = inputs, .memory = &parts->memory};
    bool net = extracted == IRR_NONE;
    irr_status_e status = IRR_OK;
    claim_room(&build, net ? file->layers.count : 1, net ? file->value_count : 3);
    if (!parts->memory.failed)
        status = net ? build_net(&build, sentence) : build_layer(&build, sentence);
    if (!status) finish(&build);
    if (parts->memory.failed) status = irr_out_of_memory(sentence, file->ports.count);
    return IRR_GIVE(status, out, model, irr_ir_free);
}
