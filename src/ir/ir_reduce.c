/* The rules of a reduce layer.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "base/shape.h"
#include "ir/ir_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NUMERIC_TYPES "f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8"
#define INTEGER_TYPES "i64 i32 i16 i8 u64 u32 u16 u8"

bool irr_keep_dims(const irr_ir_graph_t *graph, const irr_layer_t *layer, bool *keep_dims) {
    const char *word = irr_text(graph, layer->data[IRR_DATA_KEEP_DIMS]);
    *keep_dims = strcasecmp(word, "true") == 0 || strcmp(word, "1") == 0;
    return *keep_dims || !layer->data[IRR_DATA_KEEP_DIMS] || strcasecmp(word, "false") == 0 ||
           strcmp(word, "0") == 0;
}

static void check_version(irr_ir_graph_t *graph, uint32_t index) {
    const irr_layer_t *layer = &graph->layers[index];
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

static void check_data(irr_ir_graph_t *graph, uint32_t index, const irr_partial_t *shape,
                       uint8_t type) {
    const irr_op_info_t *op = irr_op_info(graph->layers[index].op);
    char text[IRR_SENTENCE_BYTES / 2];
    if (type != IRR_TYPE_UNKNOWN && !irr_op_takes(graph->layers[index].op, type))
        irr_problem(graph, irr_at_layer(graph, index), "data has element type %s; %s takes %s",
                    irr_element_type_info(type)->name, op->type,
                    op->takes_numeric ? NUMERIC_TYPES : "boolean");
    uint8_t sized = type == IRR_TYPE_UNKNOWN ? IRR_U8 : type;
    if (!irr_partial_fits(shape, sized, graph->memory_limit_bytes))
        irr_problem(graph, irr_at_layer(graph, index),
                    "data %s of type %s is larger than this machine's memory of %" PRIu64 " bytes",
                    irr_partial_text(shape, text, sizeof text), irr_element_type_info(sized)->name,
                    graph->memory_limit_bytes);
}

/* Values that are known now: a mask, or the problem. dims are for the sentence. */
static void axes_values(irr_ir_graph_t *graph, uint32_t index, const void *values,
                        irr_element_type_e type, const irr_partial_t *data,
                        irr_axes_known_t *axes) {
    char sentence[IRR_SENTENCE_BYTES];
    int64_t dims[IRR_MAX_RANK];
    if (data->rank == IRR_DYNAMIC_RANK) return;
    irr_partial_dims(data, dims);
    if (irr_axes_mask(values, type, (size_t)axes->count, dims, data->rank, IRR_DUPLICATE_AXES_ERROR,
                      IRR_EMPTY_AXES_IDENTITY, &axes->mask,
                      (irr_sentence_t){sentence, sizeof sentence}))
        irr_problem(graph, irr_at_layer(graph, index), "%s", sentence);
    else
        axes->values = true;
}

/* Any list of more than 64 values repeats one or leaves the range: 65 are enough to say which. */
static void constant_axes(irr_ir_graph_t *graph, uint32_t index, uint32_t source, uint8_t type,
                          const irr_partial_t *data, irr_axes_known_t *axes) {
    char sentence[IRR_SENTENCE_BYTES] = "";
    unsigned char values[(IRR_MAX_RANK + 1) * sizeof(int64_t)];
    const irr_layer_t *layer = &graph->layers[graph->ports[source].layer];
    if (axes->count > IRR_MAX_RANK + 1) axes->count = IRR_MAX_RANK + 1;
    size_t bytes = (size_t)axes->count * irr_element_bytes(type);
    if (bytes == 0 || irr_const_copy(graph, layer, bytes, values,
                                     (irr_sentence_t){sentence, sizeof sentence}) == IRR_OK)
        axes_values(graph, index, values, type, data, axes);
}

static void fragment_axes(irr_ir_graph_t *graph, uint32_t index, uint32_t fragment,
                          const irr_partial_t *data, irr_axes_known_t *axes) {
    const irr_ir_source_t *source = graph->source;
    if (source->axes_count == 0) return;
    if (source->axes_count > 1 && fragment >= source->axes_count) {
        irr_problem(graph, irr_at_layer(graph, index),
                    "fragment %" PRIu32 " has no axes: %zu lists of axes were given", fragment + 1,
                    source->axes_count);
        return;
    }
    const irr_ir_axes_t *given = &source->axes[source->axes_count > 1 ? fragment : 0];
    if (axes->count >= 0 && (size_t)axes->count != given->size) {
        irr_problem(graph, irr_at_layer(graph, index),
                    "axes declare %" PRId64 " value%s, but the list given has %zu", axes->count,
                    axes->count == 1 ? "" : "s", given->size);
        return;
    }
    axes->count = (int64_t)given->size;
    axes_values(graph, index, given->values, IRR_I64, data, axes);
}

static void check_axes(irr_ir_graph_t *graph, uint32_t index, uint32_t fragment,
                       const irr_partial_t *data, irr_axes_known_t *axes) {
    uint32_t port = graph->layers[index].inputs.first + 1, source = graph->ports[port].of.source;
    irr_partial_t shape;
    uint8_t type;
    char text[IRR_SENTENCE_BYTES / 2];
    irr_port_arriving(graph, port, &shape, &type);
    bool constant =
        source != IRR_NONE && graph->layers[graph->ports[source].layer].kind == IRR_LAYER_CONST;
    if (constant) irr_port_inferred(graph, &graph->ports[source], &shape); /* not as declared */
    *axes = (irr_axes_known_t){.count = -1};
    if (shape.rank == 0) axes->count = 1;
    if (shape.rank == 1 && irr_partial_static(&shape)) axes->count = shape.dims[0].min;
    if (type != IRR_TYPE_UNKNOWN && !irr_is_integer(type)) {
        irr_problem(graph, irr_at_layer(graph, index),
                    "axes have element type %s, expected one of %s",
                    irr_element_type_info(type)->name, INTEGER_TYPES);
        return;
    }
    if (shape.rank != IRR_DYNAMIC_RANK && shape.rank > 1) {
        irr_problem(graph, irr_at_layer(graph, index),
                    "axes have shape %s, expected a scalar or a list",
                    irr_partial_text(&shape, text, sizeof text));
        return;
    }
    constant = constant && axes->count >= 0 && type != IRR_TYPE_UNKNOWN;
    if (graph->file.fragments)
        fragment_axes(graph, index, fragment, data, axes);
    else if (constant)
        constant_axes(graph, index, source, type, data, axes);
    if (constant || axes->values || data->rank == IRR_DYNAMIC_RANK ||
        axes->count <= (int64_t)data->rank)
        return;
    irr_problem(graph, irr_at_layer(graph, index),
                "axes hold %" PRId64 " values, but data %s has rank %" PRIu32, axes->count,
                irr_partial_text(data, text, sizeof text), data->rank);
}

void irr_check_reduce(irr_ir_graph_t *graph, uint32_t index, uint32_t fragment) {
    const irr_layer_t *layer = &graph->layers[index];
    irr_partial_t data, out;
    irr_axes_known_t axes;
    uint8_t type;
    bool keep_dims;
    check_version(graph, index);
    bool understood = irr_keep_dims(graph, layer, &keep_dims);
    if (!understood)
        irr_problem(graph, irr_at_data(graph, index),
                    "attribute keep_dims is \"%.60s\", expected true or false",
                    irr_text(graph, layer->data[IRR_DATA_KEEP_DIMS]));
    if (!irr_port_counts(graph, index, 2, 1, " (data and axes)")) {
        irr_trust_outputs(graph, index);
        return;
    }
    irr_port_arriving(graph, layer->inputs.first, &data, &type);
    check_data(graph, index, &data, type);
    size_t before = graph->problem_count;
    check_axes(graph, index, fragment, &data, &axes);
    if (data.rank == IRR_DYNAMIC_RANK && axes.count != 0)
        irr_problem(graph, irr_at_layer(graph, index),
                    "data has a dynamic rank; a reduction needs a known rank");
    /* After a wrong axis or keep_dims the output's own declaration is the best guess. */
    if (graph->problem_count > before || !understood) {
        uint8_t ignored;
        irr_port_declared(graph, &graph->ports[layer->outputs.first], &out, &ignored);
    } else {
        irr_partial_reduce(&data, &axes, keep_dims, &out);
    }
    if (!irr_partial_fits(&out, type, graph->memory_limit_bytes))
        irr_problem(graph, irr_at_layer(graph, index),
                    "its result is larger than this machine's memory of %" PRIu64 " bytes",
                    graph->memory_limit_bytes);
    irr_port_infer(graph, layer->outputs.first, &out, type);
}
