/* What a layer of each kind must be: its ports' declarations against what arrives or is inferred,
 * its <data>, and the rules of reductions. SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

#include <strings.h>

#define INTEGER_TYPES "i64 i32 i16 i8 u64 u32 u16 u8"
#define NUMERIC_TYPES "f64 f32 f16 bf16 " INTEGER_TYPES
/* Any list of more than 64 values repeats one or leaves the range: 65 are enough to say which. */
#define MOST_AXES (IRR_MAX_RANK + 1)
/* Room for an irr_fail whose sentence becomes a problem. */
#define INTO(text) ((irr_sentence_t){text, sizeof(text)})

/* ---- ports ---- */

/* A port without dimensions declares a scalar or a dynamic rank, nothing else. */
static bool agrees(const irr_partial_t *declared, const irr_partial_t *shape) {
    if (declared->rank != IRR_DYNAMIC_RANK) return irr_partial_compatible(declared, shape);
    return !shape->rank || !irr_partial_static(shape);
}

static const char *type_word(uint8_t type) {
    const irr_element_type_info_t *info = irr_element_type_info(type);
    return info ? info->precision : "an unknown precision";
}

/* The problem of a port that says one thing where another is there. */
static void differs(irr_ir_graph_t *graph, const irr_port_t *port, const char *noun,
                    const char *said, const char *found) {
    if (port->is_input) {
        const irr_layer_t *from = &graph->layers.at[graph->ports.at[port->source].layer];
        irr_problem(graph, port->layer, port->line,
                    "input port %s declares %s, but layer %s \"%.200s\" gives %s", port->id, said,
                    from->id, from->name, found);
    } else {
        irr_problem(graph, port->layer, port->line,
                    "output port %s declares %s%s, but the output's %s%s", port->id,
                    *noun ? "" : "precision ", said, *noun ? noun : "is ", found);
    }
}

/* Lists problems where the port declares something else than what is there. What agrees with what
 * the source had promised (or NULL) is none: that `it` differs from it is a problem already. */
static void compare(irr_ir_graph_t *graph, const irr_port_t *port, const irr_partial_t *promised,
                    irr_partial_t *it) {
    const irr_partial_t *declared = &port->declared;
    char said[IRR_SENTENCE_BYTES / 3] = "no dimensions", found[IRR_SENTENCE_BYTES / 3];
    if (port->wrong_precision && graph->layers.at[port->layer].kind != IRR_LAYER_UNKNOWN)
        irr_problem(graph, port->layer, port->line,
                    "%s port %s: attribute precision is \"%.60s\", which is no precision",
                    port->is_input ? "input" : "output", port->id, port->wrong_precision);
    if (agrees(declared, it)) {
        /* as it should be */
    } else if (promised && promised->rank != IRR_DYNAMIC_RANK && agrees(declared, promised)) {
        it->rank = promised->rank;
        it->dims = promised->dims;
    } else {
        if (declared->rank != IRR_DYNAMIC_RANK) irr_partial_text(declared, said, sizeof said);
        differs(graph, port, "shape is ", said, irr_partial_text(it, found, sizeof found));
    }
    if (declared->type == IRR_TYPE_UNKNOWN || declared->type == it->type) return;
    if (it->type == IRR_TYPE_UNKNOWN || (promised && declared->type == promised->type))
        it->type = declared->type;
    else
        differs(graph, port, "", type_word(declared->type), type_word(it->type));
}

/* Stores what an output is, and compares. */
static void infer_port(irr_ir_graph_t *graph, uint32_t index, irr_partial_t *it) {
    compare(graph, &graph->ports.at[index], NULL, it);
    graph->ports.at[index].known = *it;
}

/* What arrives at an input port; lists a problem where the declaration differs. */
static irr_partial_t arriving(irr_ir_graph_t *graph, uint32_t index) {
    const irr_port_t *port = &graph->ports.at[index];
    irr_partial_t it = port->declared;
    if (port->source == IRR_NONE) {
        compare(graph, port, NULL, &it);
        if (graph->fragments && it.rank == IRR_DYNAMIC_RANK) it.rank = 0;
        return it;
    }
    const irr_port_t *source = &graph->ports.at[port->source];
    it = source->known;
    compare(graph, port, &source->declared, &it);
    if (it.rank == IRR_DYNAMIC_RANK && graph->layers.at[source->layer].kind == IRR_LAYER_UNKNOWN) {
        it.rank = port->declared.rank; /* its ports say all that is known of it */
        it.dims = port->declared.dims;
    }
    return it;
}

/* The outputs are what they declare: of a layer that is unknown or not understood. */
static void trust_outputs(irr_ir_graph_t *graph, uint32_t layer) {
    irr_run_t run = graph->layers.at[layer].outputs;
    for (uint32_t port = run.first; port < run.first + run.count; port++) {
        irr_partial_t it = graph->ports.at[port].declared;
        infer_port(graph, port, &it);
    }
}

/* Lists a problem where a layer has other numbers of ports. */
static bool port_counts(irr_ir_graph_t *graph, uint32_t index, uint32_t inputs, uint32_t outputs) {
    const irr_layer_t *layer = &graph->layers.at[index];
    const uint32_t found[] = {layer->inputs.count, layer->outputs.count};
    const uint32_t expected[] = {inputs, outputs};
    for (int i = 0; i < 2; i++)
        if (found[i] != expected[i])
            irr_problem(graph, index, IRR_AT_LAYER,
                        "it has %" PRIu32 " %s port%s, expected %" PRIu32 "%s", found[i],
                        i ? "output" : "input", found[i] == 1 ? "" : "s", expected[i],
                        expected[i] == 2 ? " (data and axes)" : "");
    return found[0] == inputs && found[1] == outputs;
}

/* ---- Parameter and Const ---- */

/* An attribute of <data>, or a problem and NULL. */
static const char *needed(irr_ir_graph_t *graph, uint32_t index, int slot, const char *name) {
    const char *text = graph->layers.at[index].data[slot];
    if (text != irr_no_text) return text;
    irr_problem(graph, index, IRR_AT_DATA, "attribute %s is missing in <data>", name);
    return NULL;
}

static bool type_and_shape(irr_ir_graph_t *graph, uint32_t index, bool only_static,
                           irr_partial_t *it) {
    char sentence[IRR_SENTENCE_BYTES];
    irr_element_type_e type = IRR_DYNAMIC;
    const char *word = needed(graph, index, IRR_DATA_ELEMENT_TYPE, "element_type");
    const char *dims = needed(graph, index, IRR_DATA_SHAPE, "shape");
    bool typed = word && irr_element_type_by_name(word, &type);
    bool shaped = dims && !irr_parse_shape(dims, only_static, &graph->memory, it, INTO(sentence));
    if (word && !typed)
        irr_problem(graph, index, IRR_AT_DATA,
                    "attribute element_type is \"%.60s\", which is no element type", word);
    if (dims && !shaped) irr_problem(graph, index, IRR_AT_DATA, "%s", sentence);
    it->type = (uint8_t)type;
    return typed && shaped;
}

/* Infers from <data> where that was understood, else trusts the port. */
static bool infer_output(irr_ir_graph_t *graph, uint32_t index, bool only_static) {
    irr_run_t outputs = graph->layers.at[index].outputs;
    irr_partial_t it;
    char text[IRR_SENTENCE_BYTES / 2];
    bool counts = port_counts(graph, index, 0, 1);
    bool right = type_and_shape(graph, index, only_static, &it);
    if (!right && outputs.count) it = graph->ports.at[outputs.first].declared;
    if (right && !irr_partial_fits(&it, graph->memory_limit_bytes)) {
        irr_problem(graph, index, IRR_AT_DATA,
                    "a tensor of shape %s and type %s is larger than this machine's memory of "
                    "%" PRIu64 " bytes",
                    irr_partial_text(&it, text, sizeof text), irr_element_type_name(it.type),
                    graph->memory_limit_bytes);
        right = false;
    }
    if (outputs.count) infer_port(graph, outputs.first, &it);
    return counts && right;
}

static void check_parameter(irr_ir_graph_t *graph, uint32_t index) {
    infer_output(graph, index, false);
}

static bool number_of(const char *text, uint64_t *value) {
    return irr_parse_number(text, strlen(text), (int64_t *)value);
}

bool irr_const_range(const irr_layer_t *layer, uint64_t *offset, uint64_t *size_bytes) {
    return number_of(layer->data[IRR_DATA_OFFSET], offset) &&
           number_of(layer->data[IRR_DATA_SIZE], size_bytes);
}

static void check_number(irr_ir_graph_t *graph, uint32_t index, int slot, const char *name) {
    uint64_t value;
    const char *text = needed(graph, index, slot, name);
    if (text && !number_of(text, &value))
        irr_problem(graph, index, IRR_AT_DATA,
                    "attribute %s is \"%.60s\", expected a number of at least 0", name, text);
}

/* The size that shape and type ask for. An empty constant is written with a size of 1. */
static void check_size(irr_ir_graph_t *graph, uint32_t index, uint64_t size_bytes) {
    irr_partial_t it = graph->ports.at[graph->layers.at[index].outputs.first].known;
    char text[IRR_SHAPE_TEXT_BYTES];
    int64_t dims[IRR_MAX_RANK];
    size_t count, bytes;
    if (it.rank == IRR_DYNAMIC_RANK) return; /* it could not be stored: out of memory */
    irr_partial_dims(&it, dims);
    if (!irr_shape_elements(dims, it.rank, &count) || !irr_elements_bytes(it.type, count, &bytes))
        return; /* string and dynamic types have no size of their own */
    if (bytes == size_bytes || (count == 0 && size_bytes <= 1)) return;
    irr_problem(graph, index, IRR_AT_DATA,
                "attribute size is %" PRIu64 ", but shape %.400s of type %s takes %zu bytes",
                size_bytes, irr_partial_text(&it, text, sizeof text),
                irr_element_type_name(it.type), bytes);
}

static void check_const(irr_ir_graph_t *graph, uint32_t index) {
    uint64_t offset, size_bytes, file_bytes;
    char sentence[IRR_SENTENCE_BYTES];
    bool typed = infer_output(graph, index, true);
    check_number(graph, index, IRR_DATA_OFFSET, "offset");
    check_number(graph, index, IRR_DATA_SIZE, "size");
    if (!irr_const_range(&graph->layers.at[index], &offset, &size_bytes)) return;
    if (typed) check_size(graph, index, size_bytes);
    if (size_bytes == 0) return;
    irr_status_e status = irr_weights_size(graph->weights, &file_bytes, INTO(sentence));
    if (status && *sentence)
        irr_problem_as(graph, status, index, IRR_AT_DATA,
                       "its bytes %" PRIu64 " to %" PRIu64 " are needed: %s", offset,
                       offset + size_bytes, sentence);
    else if (!status && (offset > file_bytes || size_bytes > file_bytes - offset))
        irr_problem(graph, index, IRR_AT_DATA,
                    "offset %" PRIu64 " and size %" PRIu64
                    " lie outside weights file \"%.400s\" of %" PRIu64 " bytes",
                    offset, size_bytes, irr_weights_path(graph->weights), file_bytes);
}

/* ---- reductions ---- */

bool irr_keep_dims(const irr_layer_t *layer, bool *keep_dims) {
    const char *word = layer->data[IRR_DATA_KEEP_DIMS];
    *keep_dims = strcasecmp(word, "true") == 0 || strcmp(word, "1") == 0;
    return *keep_dims || word == irr_no_text || strcasecmp(word, "false") == 0 ||
           strcmp(word, "0") == 0;
}

static void check_version(irr_ir_graph_t *graph, uint32_t index) {
    const irr_layer_t *layer = &graph->layers.at[index];
    const irr_op_info_t *op = irr_op_info(layer->op);
    const char *version = layer->version;
    int64_t opset;
    if (version == irr_no_text && graph->fragments) return; /* the newest */
    if (version == irr_no_text)
        irr_problem(graph, index, IRR_AT_LAYER,
                    "attribute version is missing, expected opset%d to opset%d", op->first_opset,
                    IRR_NEWEST_OPSET);
    else if (strncmp(version, "opset", 5) != 0 || version[5] < '1' || version[5] > '9' ||
             !irr_parse_number(version + 5, strlen(version + 5), &opset))
        irr_problem(graph, index, IRR_AT_LAYER,
                    "attribute version is \"%.60s\", expected opset%d to opset%d", version,
                    op->first_opset, IRR_NEWEST_OPSET);
    else if (opset > IRR_NEWEST_OPSET)
        irr_problem(graph, index, IRR_AT_LAYER,
                    "attribute version is \"%.60s\"; the highest opset known is opset%d", version,
                    IRR_NEWEST_OPSET);
    else if (opset < op->first_opset)
        irr_problem(graph, index, IRR_AT_LAYER,
                    "opset%d does not hold %s; it is in opset%d and later", (int)opset, op->type,
                    op->first_opset);
}

static void check_data(irr_ir_graph_t *graph, uint32_t index, const irr_partial_t *data) {
    const irr_op_info_t *op = irr_op_info(graph->layers.at[index].op);
    uint8_t type = data->type == IRR_TYPE_UNKNOWN ? IRR_U8 : data->type; /* the least it can be */
    char text[IRR_SENTENCE_BYTES / 2];
    if (data->type != IRR_TYPE_UNKNOWN && !irr_op_takes(graph->layers.at[index].op, type))
        irr_problem(graph, index, IRR_AT_LAYER, "data has element type %s; %s takes %s",
                    irr_element_type_name(type), op->type,
                    op->takes_numeric ? NUMERIC_TYPES : "boolean");
    if (!irr_partial_fits(data, graph->memory_limit_bytes))
        irr_problem(graph, index, IRR_AT_LAYER,
                    "data %s of type %s is larger than this machine's memory of %" PRIu64 " bytes",
                    irr_partial_text(data, text, sizeof text), irr_element_type_name(type),
                    graph->memory_limit_bytes);
}

/* The values that the caller has for a lone fragment. */
static void fragment_axes(irr_ir_graph_t *graph, uint32_t index, irr_axes_known_t *axes) {
    const irr_ir_source_t *source = graph->source;
    uint32_t list = source->axes_count > 1 ? graph->fragment : 0;
    if (source->axes_count == 0) return;
    if (list >= source->axes_count)
        irr_problem(graph, index, IRR_AT_LAYER,
                    "fragment %" PRIu32 " has no axes: %zu lists of axes were given", list + 1,
                    source->axes_count);
    else if (axes->count >= 0 && (size_t)axes->count != source->axes[list].size)
        irr_problem(graph, index, IRR_AT_LAYER,
                    "axes declare %" PRId64 " value%s, but the list given has %zu", axes->count,
                    axes->count == 1 ? "" : "s", source->axes[list].size);
    else
        *axes = (irr_axes_known_t){source->axes[list].values, IRR_I64,
                                   (int64_t)source->axes[list].size};
}

/* Where the constant was judged well, and its bytes can be read. */
static void constant_axes(irr_ir_graph_t *graph, const irr_layer_t *from, void *values,
                          irr_axes_known_t *axes) {
    int64_t count = axes->count < MOST_AXES ? axes->count : MOST_AXES;
    size_t bytes = (size_t)count * irr_element_bytes(axes->type);
    uint64_t offset, size_bytes;
    if (irr_const_range(from, &offset, &size_bytes) && size_bytes >= bytes &&
        !irr_weights_copy(graph->weights, offset, bytes, values, (irr_sentence_t){NULL, 0}))
        *axes = (irr_axes_known_t){values, axes->type, count};
}

/* What is known of the axes; `values` has room for MOST_AXES. False: they are none, a problem. */
static bool find_axes(irr_ir_graph_t *graph, uint32_t index, void *values, irr_axes_known_t *axes) {
    uint32_t port = graph->layers.at[index].inputs.first + 1;
    uint32_t source = graph->ports.at[port].source;
    const irr_layer_t *from =
        source == IRR_NONE ? NULL : &graph->layers.at[graph->ports.at[source].layer];
    irr_partial_t shape = arriving(graph, port);
    char text[IRR_SENTENCE_BYTES / 2];
    uint8_t type = shape.type;
    if (from && from->kind == IRR_LAYER_CONST) shape = graph->ports.at[source].known;
    shape.type = type; /* of a constant the shape is not as declared */
    *axes = irr_axes_of(&shape);
    bool integers = type == IRR_TYPE_UNKNOWN || irr_is_integer(type);
    bool list = shape.rank == IRR_DYNAMIC_RANK || shape.rank <= 1;
    if (!integers)
        irr_problem(graph, index, IRR_AT_LAYER,
                    "axes have element type %s, expected one of " INTEGER_TYPES,
                    irr_element_type_name(type));
    else if (!list)
        irr_problem(graph, index, IRR_AT_LAYER, "axes have shape %s, expected a scalar or a list",
                    irr_partial_text(&shape, text, sizeof text));
    else if (graph->fragments)
        fragment_axes(graph, index, axes);
    else if (from && from->kind == IRR_LAYER_CONST && axes->count >= 0 && type != IRR_TYPE_UNKNOWN)
        constant_axes(graph, from, values, axes);
    return integers && list;
}

static void check_reduce(irr_ir_graph_t *graph, uint32_t index) {
    const irr_layer_t *layer = &graph->layers.at[index];
    irr_axes_known_t axes;
    int64_t values[MOST_AXES];
    char sentence[IRR_SENTENCE_BYTES];
    bool keep_dims;
    check_version(graph, index);
    bool understood = irr_keep_dims(layer, &keep_dims);
    if (!understood)
        irr_problem(graph, index, IRR_AT_DATA,
                    "attribute keep_dims is \"%.60s\", expected true or false",
                    layer->data[IRR_DATA_KEEP_DIMS]);
    if (!port_counts(graph, index, 2, 1)) {
        trust_outputs(graph, index);
        return;
    }
    irr_partial_t data = arriving(graph, layer->inputs.first), out = data;
    check_data(graph, index, &data);
    size_t before = graph->problems.count;
    bool usable = find_axes(graph, index, values, &axes);
    if (data.rank == IRR_DYNAMIC_RANK && axes.count != 0)
        irr_problem(graph, index, IRR_AT_LAYER,
                    "data has a dynamic rank; a reduction needs a known rank");
    if (usable && irr_partial_reduce(&data, &axes, keep_dims, &graph->memory, &out, INTO(sentence)))
        irr_problem(graph, index, IRR_AT_LAYER, "%s", sentence);
    if (graph->problems.count > before || !understood) /* the best guess */
        out = graph->ports.at[layer->outputs.first].declared;
    out.type = data.type;
    if (!irr_partial_fits(&out, graph->memory_limit_bytes))
        irr_problem(graph, index, IRR_AT_LAYER,
                    "its result is larger than this machine's memory of %" PRIu64 " bytes",
                    graph->memory_limit_bytes);
    infer_port(graph, layer->outputs.first, &out);
}

/* ---- by kind ---- */

static void check_unknown(irr_ir_graph_t *graph, uint32_t index) {
    irr_run_t inputs = graph->layers.at[index].inputs;
    for (uint32_t i = 0; i < inputs.count; i++) arriving(graph, inputs.first + i);
    trust_outputs(graph, index);
}

static void check_result(irr_ir_graph_t *graph, uint32_t index) {
    port_counts(graph, index, 1, 0);
    check_unknown(graph, index);
}

void irr_check_layer(irr_ir_graph_t *graph, uint32_t layer) {
    static void (*const checks[IRR_LAYER_KINDS])(irr_ir_graph_t *, uint32_t) = {
        [IRR_LAYER_UNKNOWN] = check_unknown, [IRR_LAYER_PARAMETER] = check_parameter,
        [IRR_LAYER_CONST] = check_const,     [IRR_LAYER_RESULT] = check_result,
        [IRR_LAYER_REDUCE] = check_reduce,
    };
    checks[graph->layers.at[layer].kind](graph, layer);
}
