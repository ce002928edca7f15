/* The rules of a reduce layer.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

#include <strings.h>

#define INTEGER_TYPES "i64 i32 i16 i8 u64 u32 u16 u8"
#define NUMERIC_TYPES "f64 f32 f16 bf16 " INTEGER_TYPES
/* Any list of more than 64 values repeats one or leaves the range: 65 are enough to say which. */
#define MOST_AXES (IRR_MAX_RANK + 1)

bool irr_keep_dims(const irr_ir_graph_t *graph, const irr_layer_t *layer, bool *keep_dims) {
    const char *word = irr_text(graph, layer->data[IRR_DATA_KEEP_DIMS]);
    *keep_dims = strcasecmp(word, "true") == 0 || strcmp(word, "1") == 0;
    return *keep_dims || !layer->data[IRR_DATA_KEEP_DIMS] || strcasecmp(word, "false") == 0 ||
           strcmp(word, "0") == 0;
}

static void check_version(irr_ir_graph_t *graph, uint32_t index) {
    const irr_layer_t *layer = &graph->layers.at[index];
    const irr_op_info_t *op = irr_op_info(layer->op);
    const char *version = irr_text(graph, layer->version);
    int64_t opset;
    if (!layer->version && graph->file.fragments) return; /* the newest */
    if (!layer->version)
        irr_problem(graph, irr_at_layer(graph, index),
                    "attribute version is missing, expected opset%d to opset%d", op->first_opset,
                    IRR_NEWEST_OPSET);
    else if (strncmp(version, "opset", 5) != 0 || version[5] < '1' || version[5] > '9' ||
             !irr_parse_number(version + 5, strlen(version + 5), &opset))
        irr_problem(graph, irr_at_layer(graph, index),
                    "attribute version is \"%.60s\", expected opset%d to opset%d", version,
                    op->first_opset, IRR_NEWEST_OPSET);
    else if (opset > IRR_NEWEST_OPSET)
        irr_problem(graph, irr_at_layer(graph, index),
                    "attribute version is \"%.60s\"; the highest opset known is opset%d", version,
                    IRR_NEWEST_OPSET);
    else if (opset < op->first_opset)
        irr_problem(graph, irr_at_layer(graph, index),
                    "opset%d does not hold %s; it is in opset%d and later", (int)opset, op->type,
                    op->first_opset);
}

static void check_data(irr_ir_graph_t *graph, uint32_t index, const irr_partial_t *data) {
    const irr_op_info_t *op = irr_op_info(graph->layers.at[index].op);
    uint8_t type = data->type == IRR_TYPE_UNKNOWN ? IRR_U8 : data->type; /* the least it can be */
    char text[IRR_SENTENCE_BYTES / 2];
    if (data->type != IRR_TYPE_UNKNOWN && !irr_op_takes(graph->layers.at[index].op, type))
        irr_problem(graph, irr_at_layer(graph, index), "data has element type %s; %s takes %s",
                    irr_element_type_name(type), op->type,
                    op->takes_numeric ? NUMERIC_TYPES : "boolean");
    if (!irr_partial_fits(data, graph->memory_limit_bytes))
        irr_problem(graph, irr_at_layer(graph, index),
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
        irr_problem(graph, irr_at_layer(graph, index),
                    "fragment %" PRIu32 " has no axes: %zu lists of axes were given", list + 1,
                    source->axes_count);
    else if (axes->count >= 0 && (size_t)axes->count != source->axes[list].size)
        irr_problem(graph, irr_at_layer(graph, index),
                    "axes declare %" PRId64 " value%s, but the list given has %zu", axes->count,
                    axes->count == 1 ? "" : "s", source->axes[list].size);
    else
        *axes = (irr_axes_known_t){source->axes[list].values, IRR_I64,
                                   (int64_t)source->axes[list].size};
}

static void constant_axes(irr_ir_graph_t *graph, const irr_layer_t *from, void *values,
                          irr_axes_known_t *axes) {
    char ignored[IRR_SENTENCE_BYTES]; /* the constant itself was judged */
    int64_t count = axes->count < MOST_AXES ? axes->count : MOST_AXES;
    size_t bytes = (size_t)count * irr_element_bytes(axes->type);
    if (!irr_const_copy(graph, from, bytes, values, (irr_sentence_t){ignored, sizeof ignored}))
        *axes = (irr_axes_known_t){values, axes->type, count};
}

/* What is known of the axes; `values` has room for MOST_AXES. False: they are none, a problem. */
static bool find_axes(irr_ir_graph_t *graph, uint32_t index, void *values, irr_axes_known_t *axes) {
    uint32_t port = graph->layers.at[index].inputs.first + 1;
    uint32_t source = graph->ports.at[port].of.source;
    const irr_layer_t *from =
        source == IRR_NONE ? NULL : &graph->layers.at[graph->ports.at[source].layer];
    irr_partial_t shape;
    char text[IRR_SENTENCE_BYTES / 2];
    irr_port_arriving(graph, port, &shape);
    uint8_t type = shape.type;
    if (from && from->kind == IRR_LAYER_CONST) /* not as declared */
        irr_port_inferred(graph, &graph->ports.at[source], &shape);
    shape.type = type;
    *axes = irr_axes_of(&shape);
    bool integers = type == IRR_TYPE_UNKNOWN || irr_is_integer(type);
    bool list = shape.rank == IRR_DYNAMIC_RANK || shape.rank <= 1;
    if (!integers)
        irr_problem(graph, irr_at_layer(graph, index),
                    "axes have element type %s, expected one of " INTEGER_TYPES,
                    irr_element_type_name(type));
    else if (!list)
        irr_problem(graph, irr_at_layer(graph, index),
                    "axes have shape %s, expected a scalar or a list",
                    irr_partial_text(&shape, text, sizeof text));
    else if (graph->file.fragments)
        fragment_axes(graph, index, axes);
    else if (from && from->kind == IRR_LAYER_CONST && axes->count >= 0 && type != IRR_TYPE_UNKNOWN)
        constant_axes(graph, from, values, axes);
    return integers && list;
}

void irr_check_reduce(irr_ir_graph_t *graph, uint32_t index) {
    const irr_layer_t *layer = &graph->layers.at[index];
    irr_partial_t data, out;
    irr_axes_known_t axes;
    int64_t values[MOST_AXES];
    char sentence[IRR_SENTENCE_BYTES];
    bool keep_dims;
    check_version(graph, index);
    bool understood = irr_keep_dims(graph, layer, &keep_dims);
    if (!understood)
        irr_problem(graph, irr_at_data(graph, index),
                    "attribute keep_dims is \"%.60s\", expected true or false",
                    irr_text(graph, layer->data[IRR_DATA_KEEP_DIMS]));
    if (!irr_port_counts(graph, index, 2, 1)) {
        irr_trust_outputs(graph, index);
        return;
    }
    irr_port_arriving(graph, layer->inputs.first, &data);
    check_data(graph, index, &data);
    size_t before = graph->problems.count;
    bool usable = find_axes(graph, index, values, &axes);
    if (data.rank == IRR_DYNAMIC_RANK && axes.count != 0)
        irr_problem(graph, irr_at_layer(graph, index),
                    "data has a dynamic rank; a reduction needs a known rank");
    if (usable && irr_partial_reduce(&data, &axes, keep_dims, &out,
                                     (irr_sentence_t){sentence, sizeof sentence}))
        irr_problem(graph, irr_at_layer(graph, index), "%s", sentence);
    if (graph->problems.count > before || !understood) /* the best guess */
        irr_port_declared(graph, &graph->ports.at[layer->outputs.first], &out);
    out.type = data.type;
    if (!irr_partial_fits(&out, graph->memory_limit_bytes))
        irr_problem(graph, irr_at_layer(graph, index),
                    "its result is larger than this machine's memory of %" PRIu64 " bytes",
                    graph->memory_limit_bytes);
    irr_port_infer(graph, layer->outputs.first, &out);
}
