/* What a layer of each kind must be: its ports' declarations against what arrives or is inferred,
 * its <data>, and the rules of reductions. SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

#include <strings.h>

#define INTEGER_TYPES "i64 i32 i16 i8 u64 u32 u16 u8"
#define NUMERIC_TYPES "f64 f32 f16 bf16 " INTEGER_TYPES
/* No list of axes is longer. */
#define MOST_AXES_BYTES (IRR_MAX_RANK * sizeof(int64_t))
/* Room for an irr_fail whose sentence becomes a problem. */
#define INTO(text) ((irr_sentence_t){text, sizeof(text)})
/* A problem of this layer, at a line. */
#define problem(graph, layer, ...)                                                                 \
    irr_problem(graph, (uint32_t)((layer) - (graph)->layers.at), __VA_ARGS__)

/* ---- ports ---- */

/* Could a tensor have both shapes? A port without dimensions declares a scalar or a dynamic rank,
 * nothing else. */
static bool agrees(const irr_partial_t *declared, const irr_partial_t *shape) {
    if (declared->rank == IRR_DYNAMIC_RANK) return !shape->rank || !irr_partial_static(shape);
    if (shape->rank == IRR_DYNAMIC_RANK) return true;
    if (shape->rank != declared->rank) return false;
    for (uint32_t d = 0; d < shape->rank; d++) {
        const irr_dimension_t *x = &declared->dims[d], *y = &shape->dims[d];
        if ((x->max >= 0 && x->max < y->min) || (y->max >= 0 && y->max < x->min)) return false;
    }
    return true;
}

static const char *type_word(uint8_t type) {
    const irr_element_type_info_t *info = irr_element_type_info(type);
    return info ? info->precision : "an unknown precision";
}

/* The problem of a port that says one thing where another is there. */
static void differs(irr_ir_graph_t *graph, const irr_port_t *port, const char *noun,
                    const char *said, const char *found) {
    if (port->is_input) {
        const irr_layer_t *from = irr_feeder(graph, (uint32_t)(port - graph->ports.at));
        irr_problem(graph, port->layer, port->line,
                    "input port %s declares %s, but layer %s \"%.200s\" gives %s", port->id, said,
                    from->id, from->name, found);
    } else {
        irr_problem(graph, port->layer, port->line,
                    "output port %s declares %s%s, but the output's %s%s", port->id,
                    *noun ? "" : "precision ", said, *noun ? noun : "is ", found);
    }
}

static void reshape(irr_partial_t *it, const irr_partial_t *shape) {
    uint8_t type = it->type;
    *it = *shape;
    it->type = type;
}

/* Lists problems where the port declares something else than what is there. What agrees with what
 * the source had promised (or NULL) is none: that `it` differs from it is a problem already. */
static void compare(irr_ir_graph_t *graph, const irr_port_t *port, const irr_partial_t *promised,
                    irr_partial_t *it) {
    const irr_partial_t *declared = &port->declared;
    char said[IRR_SENTENCE_BYTES / 3] = "no dimensions", found[IRR_SENTENCE_BYTES / 3];
    if (agrees(declared, it)) {
        /* as it should be */
    } else if (promised && promised->rank != IRR_DYNAMIC_RANK && agrees(declared, promised)) {
        reshape(it, promised);
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
        if (graph->fragments && it.rank == IRR_DYNAMIC_RANK) it.rank = 0;
        return it;
    }
    const irr_port_t *source = &graph->ports.at[port->source];
    it = source->known;
    compare(graph, port, &source->declared, &it);
    if (it.rank == IRR_DYNAMIC_RANK && graph->layers.at[source->layer].kind == IRR_LAYER_UNKNOWN)
        reshape(&it, &port->declared); /* its ports say all that is known of it */
    return it;
}

/* Unknown or not understood: the outputs are what they declare. */
static void check_unknown(irr_ir_graph_t *graph, irr_layer_t *layer) {
    irr_run_t inputs = layer->inputs, outputs = layer->outputs;
    for (uint32_t i = 0; i < inputs.count; i++) arriving(graph, inputs.first + i);
    for (irr_port_t *out = &graph->ports.at[outputs.first]; outputs.count--; out++)
        out->known = out->declared;
}

/* Lists a problem where a layer has other numbers of ports. */
static bool port_counts(irr_ir_graph_t *graph, const irr_layer_t *layer, uint32_t inputs,
                        uint32_t outputs) {
    const uint32_t found[] = {layer->inputs.count, layer->outputs.count};
    const uint32_t expected[] = {inputs, outputs};
    for (int i = 0; i < 2; i++)
        if (found[i] != expected[i])
            problem(graph, layer, layer->line,
                    "it has %" PRIu32 " %s port%s, expected %" PRIu32 "%s", found[i],
                    i ? "output" : "input", found[i] == 1 ? "" : "s", expected[i],
                    expected[i] == 2 ? " (data and axes)" : "");
    return found[0] == inputs && found[1] == outputs;
}

/* ---- Parameter and Const ---- */

/* False, and a problem: no memory could hold a tensor of this shape. */
static bool check_fits(irr_ir_graph_t *graph, const irr_layer_t *layer, uint32_t line,
                       const char *noun, const irr_partial_t *it) {
    char text[IRR_SENTENCE_BYTES / 2];
    uint8_t type = it->type == IRR_TYPE_UNKNOWN ? IRR_DYNAMIC : it->type;
    if (irr_partial_bytes(it) <= graph->memory_limit_bytes) return true;
    problem(graph, layer, line,
            "%s of shape %s and type %s is larger than this machine's memory of %" PRIu64 " bytes",
            noun, irr_partial_text(it, text, sizeof text), irr_element_type_name(type),
            graph->memory_limit_bytes);
    return false;
}

/* An attribute of <data>, or a problem and NULL. */
static const char *needed(irr_ir_graph_t *graph, const irr_layer_t *layer, int slot) {
    const char *text = layer->data[slot];
    if (text != irr_no_text) return text;
    problem(graph, layer, layer->data_line, "attribute %s is missing in <data>",
            irr_kinds[layer->kind].attributes[slot]);
    return NULL;
}

/* Infers from <data> where that was understood, else trusts the port. */
static bool infer_output(irr_ir_graph_t *graph, irr_layer_t *layer, bool only_static) {
    irr_run_t outputs = layer->outputs;
    char sentence[IRR_SENTENCE_BYTES];
    irr_element_type_e type = IRR_DYNAMIC;
    irr_partial_t it;
    bool counts = port_counts(graph, layer, 0, 1);
    const char *word = needed(graph, layer, IRR_DATA_ELEMENT_TYPE);
    const char *dims = needed(graph, layer, IRR_DATA_SHAPE);
    bool typed = word && irr_element_type_by_name(word, &type);
    bool shaped = dims && !irr_parse_shape(dims, only_static, &graph->memory, &it, INTO(sentence));
    if (word && !typed)
        problem(graph, layer, layer->data_line,
                "attribute element_type is \"%.60s\", which is no element type", word);
    if (dims && !shaped) problem(graph, layer, layer->data_line, "%s", sentence);
    if (!typed || !shaped) return check_unknown(graph, layer), false;
    it.type = (uint8_t)type;
    bool fits = check_fits(graph, layer, layer->data_line, "a tensor", &it);
    if (outputs.count) infer_port(graph, outputs.first, &it);
    return counts && fits;
}

/* The value stays as it is where there is a problem. */
static void check_number(irr_ir_graph_t *graph, const irr_layer_t *layer, int slot,
                         int64_t *value) {
    const char *text = needed(graph, layer, slot);
    if (text && !irr_parse_number(text, value))
        problem(graph, layer, layer->data_line,
                "attribute %s is \"%.60s\", expected a number of at least 0",
                irr_kinds[IRR_LAYER_CONST].attributes[slot], text);
}

/* The size that shape and type ask for. An empty constant is written with a size of 1. */
static void check_size(irr_ir_graph_t *graph, const irr_layer_t *layer, const irr_partial_t *it,
                       uint64_t size_bytes) {
    char text[IRR_SHAPE_TEXT_BYTES];
    uint64_t bytes = irr_partial_bytes(it);
    if (!irr_element_type_info(it->type)->bits) return; /* it has no size of its own */
    if (bytes == size_bytes || (bytes == 0 && size_bytes == 1)) return;
    problem(graph, layer, layer->data_line,
            "attribute size is %" PRIu64 ", but shape %.400s of type %s takes %" PRIu64 " bytes",
            size_bytes, irr_partial_text(it, text, sizeof text), irr_element_type_name(it->type),
            bytes);
}

/* A Parameter or a Const. */
static void check_source(irr_ir_graph_t *graph, irr_layer_t *layer) {
    const irr_weights_t *weights = &graph->weights;
    const irr_partial_t *it = &graph->ports.at[layer->outputs.first].known;
    bool constant = layer->kind == IRR_LAYER_CONST;
    int64_t from = -1, size = -1;
    bool typed = infer_output(graph, layer, constant);
    if (!constant) return;
    check_number(graph, layer, IRR_DATA_OFFSET, &from);
    check_number(graph, layer, IRR_DATA_SIZE, &size);
    if (from < 0 || size < 0) return;
    const uint64_t offset = layer->offset = (uint64_t)from;
    const uint64_t size_bytes = layer->size_bytes = (uint64_t)size;
    if (typed) check_size(graph, layer, it, size_bytes);
    if (size_bytes == 0 || !irr_weights_open(graph, layer)) return;
    layer->in_weights = offset <= weights->size_bytes && size_bytes <= weights->size_bytes - offset;
    if (!layer->in_weights)
        problem(graph, layer, layer->data_line,
                "offset %" PRIu64 " and size %" PRIu64
                " lie outside weights file \"%.400s\" of %" PRIu64 " bytes",
                offset, size_bytes, weights->path, weights->size_bytes);
}

/* ---- reductions ---- */

static bool check_keep_dims(irr_ir_graph_t *graph, irr_layer_t *layer) {
    const char *word = layer->data[IRR_DATA_KEEP_DIMS];
    layer->keep_dims = strcasecmp(word, "true") == 0 || strcmp(word, "1") == 0;
    if (layer->keep_dims || word == irr_no_text || strcasecmp(word, "false") == 0 ||
        strcmp(word, "0") == 0)
        return true;
    problem(graph, layer, layer->data_line,
            "attribute keep_dims is \"%.60s\", expected true or false", word);
    return false;
}

static void check_version(irr_ir_graph_t *graph, const irr_layer_t *layer) {
    const irr_op_info_t *op = irr_op_info(layer->op);
    const char *version = layer->version;
    char word[64] = "missing";
    int64_t opset;
    if (version == irr_no_text && graph->fragments) return; /* the newest */
    if (version != irr_no_text) snprintf(word, sizeof word, "\"%.60s\"", version);
    if (strncmp(version, "opset", 5) != 0 || version[5] < '1' || version[5] > '9' ||
        !irr_parse_number(version + 5, &opset))
        problem(graph, layer, layer->line, "attribute version is %s, expected opset%d to opset%d",
                word, op->first_opset, IRR_NEWEST_OPSET);
    else if (opset > IRR_NEWEST_OPSET)
        problem(graph, layer, layer->line,
                "attribute version is %s; the highest opset known is opset%d", word,
                IRR_NEWEST_OPSET);
    else if (opset < op->first_opset)
        problem(graph, layer, layer->line, "opset%d does not hold %s; it is in opset%d and later",
                (int)opset, op->type, op->first_opset);
}

/* The values that the caller has for a lone fragment, and their number. */
static const void *fragment_axes(irr_ir_graph_t *graph, const irr_layer_t *layer,
                                 irr_partial_t *axes) {
    const irr_ir_source_t *source = graph->source;
    uint32_t list = source->axes_count > 1 ? graph->fragment : 0;
    int64_t count = irr_axes_count(axes);
    if (source->axes_count == 0) return NULL;
    if (list >= source->axes_count) {
        problem(graph, layer, layer->line,
                "fragment %" PRIu32 " has no axes: %zu lists of axes were given", list + 1,
                source->axes_count);
        return NULL;
    }
    int64_t given = (int64_t)source->axes[list].size;
    if (count >= 0 && count != given) {
        problem(graph, layer, layer->line,
                "axes declare %" PRId64 " value%s, but the list given has %" PRId64, count,
                count == 1 ? "" : "s", given);
        return NULL;
    }
    irr_partial_set(axes, &(irr_dimension_t){given, given}, 1, &graph->memory);
    axes->type = IRR_I64;
    return source->axes[list].values;
}

/* The values of a constant, where they can be read and are no more than a list of axes has. */
static const void *constant_axes(irr_ir_graph_t *graph, irr_layer_t *layer,
                                 const irr_partial_t *axes) {
    if (layer->in_weights && layer->size_bytes <= MOST_AXES_BYTES && irr_is_integer(axes->type) &&
        irr_partial_bytes(axes) <= layer->size_bytes)
        irr_load_constant(graph, layer, (irr_sentence_t){NULL, 0});
    return layer->constant;
}

/* What is known of the axes. False: they are none, a problem. */
static bool find_axes(irr_ir_graph_t *graph, const irr_layer_t *layer, irr_partial_t *axes,
                      const void **values) {
    uint32_t port = layer->inputs.first + 1;
    irr_layer_t *from = irr_feeder(graph, port);
    char text[IRR_SENTENCE_BYTES / 2];
    *values = NULL;
    *axes = arriving(graph, port);
    bool integers = axes->type == IRR_TYPE_UNKNOWN || irr_is_integer(axes->type);
    if (from && from->kind == IRR_LAYER_CONST) /* the shape is not as declared */
        reshape(axes, &graph->ports.at[graph->ports.at[port].source].known);
    bool list = axes->rank == IRR_DYNAMIC_RANK || axes->rank <= 1;
    if (!integers)
        problem(graph, layer, layer->line,
                "axes have element type %s, expected one of " INTEGER_TYPES,
                irr_element_type_name(axes->type));
    else if (!list)
        problem(graph, layer, layer->line, "axes have shape %s, expected a scalar or a list",
                irr_partial_text(axes, text, sizeof text));
    else if (graph->fragments)
        *values = fragment_axes(graph, layer, axes);
    else if (from)
        *values = constant_axes(graph, from, axes);
    return integers && list;
}

static void check_reduce(irr_ir_graph_t *graph, irr_layer_t *layer) {
    irr_partial_t axes;
    const void *values;
    char sentence[IRR_SENTENCE_BYTES];
    check_version(graph, layer);
    bool understood = check_keep_dims(graph, layer);
    if (!port_counts(graph, layer, 2, 1)) {
        check_unknown(graph, layer);
        return;
    }
    irr_partial_t data = arriving(graph, layer->inputs.first), out = data;
    if (data.type != IRR_TYPE_UNKNOWN && !irr_op_takes(layer->op, data.type))
        problem(graph, layer, layer->line, "data has element type %s; %s takes %s",
                irr_element_type_name(data.type), layer->type,
                irr_op_info(layer->op)->takes_numeric ? NUMERIC_TYPES : "boolean");
    check_fits(graph, layer, layer->line, "data", &data);
    size_t before = graph->problems.count;
    bool usable = find_axes(graph, layer, &axes, &values);
    if (data.rank == IRR_DYNAMIC_RANK && irr_axes_count(&axes) != 0)
        problem(graph, layer, layer->line,
                "data has a dynamic rank; a reduction needs a known rank");
    if (usable && irr_partial_reduce(&data, &axes, values, layer->keep_dims, &graph->memory, &out,
                                     INTO(sentence)))
        problem(graph, layer, layer->line, "%s", sentence);
    if (graph->problems.count > before || !understood) /* the best guess */
        out = graph->ports.at[layer->outputs.first].declared;
    out.type = data.type;
    check_fits(graph, layer, layer->line, "its result", &out);
    infer_port(graph, layer->outputs.first, &out);
}

/* ---- by kind ---- */

static void check_result(irr_ir_graph_t *graph, irr_layer_t *layer) {
    port_counts(graph, layer, 1, 0);
    check_unknown(graph, layer);
}

const irr_kind_t irr_kinds[IRR_LAYER_KINDS] = {
    [IRR_LAYER_UNKNOWN] = {NULL, {NULL}, check_unknown},
    [IRR_LAYER_PARAMETER] = {"Parameter", {"element_type", "shape"}, check_source},
    [IRR_LAYER_CONST] = {"Const", {"element_type", "shape", "offset", "size"}, check_source},
    [IRR_LAYER_RESULT] = {"Result", {NULL}, check_result},
    [IRR_LAYER_REDUCE] = {NULL, {"keep_dims"}, check_reduce}, /* types: the op table's */
};
