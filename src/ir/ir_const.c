/* Parameter and Const: what their <data> says.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "base/shape.h"
#include "ir/ir_check.h"
#include "ir/ir_weights.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool number_of(const char *text, uint64_t *value) {
    int64_t number;
    if (!irr_parse_number(text, strlen(text), &number)) return false;
    return *value = (uint64_t)number, true;
}

/* An attribute of <data>, or a problem and NULL. */
static const char *needed(irr_ir_graph_t *graph, uint32_t index, int slot, const char *name) {
    irr_symbol_t symbol = graph->layers[index].data[slot];
    if (symbol) return irr_text(graph, symbol);
    irr_problem(graph, irr_at_data(graph, index), "attribute %s is missing in <data>", name);
    return NULL;
}

static bool data_shape_and_type(irr_ir_graph_t *graph, uint32_t index, bool only_static,
                                irr_partial_t *shape, uint8_t *type) {
    char sentence[IRR_SENTENCE_BYTES];
    irr_element_type_e known;
    const char *word = needed(graph, index, IRR_DATA_ELEMENT_TYPE, "element_type");
    const char *dims = needed(graph, index, IRR_DATA_SHAPE, "shape");
    bool right = word && dims;
    if (word && irr_element_type_by_name(word, &known)) {
        *type = (uint8_t)known;
    } else if (word) {
        irr_problem(graph, irr_at_data(graph, index),
                    "attribute element_type is \"%.60s\", which is no element type", word);
        right = false;
    }
    if (dims && irr_parse_shape(dims, only_static, shape->dims, &shape->rank,
                                (irr_sentence_t){sentence, sizeof sentence})) {
        irr_problem(graph, irr_at_data(graph, index), "%s", sentence);
        right = false;
    }
    return right;
}

/* Infers from <data> where that was understood, else trusts the port. */
static bool infer_output(irr_ir_graph_t *graph, uint32_t index, bool only_static) {
    const irr_layer_t *layer = &graph->layers[index];
    irr_partial_t shape;
    uint8_t type = IRR_TYPE_UNKNOWN;
    char text[IRR_SENTENCE_BYTES / 2];
    bool counts = irr_port_counts(graph, index, 0, 1, "");
    bool right = data_shape_and_type(graph, index, only_static, &shape, &type);
    if (!right && layer->outputs.count)
        irr_port_declared(graph, &graph->ports[layer->outputs.first], &shape, &type);
    if (right && !irr_partial_fits(&shape, type, graph->memory_limit_bytes)) {
        irr_problem(graph, irr_at_data(graph, index),
                    "a tensor of shape %s and type %s is larger than this machine's memory of "
                    "%" PRIu64 " bytes",
                    irr_partial_text(&shape, text, sizeof text), irr_element_type_info(type)->name,
                    graph->memory_limit_bytes);
        right = false;
    }
    if (layer->outputs.count) irr_port_infer(graph, layer->outputs.first, &shape, type);
    return counts && right;
}

void irr_check_parameter(irr_ir_graph_t *graph, uint32_t index, uint32_t fragment) {
    (void)fragment;
    infer_output(graph, index, false);
}

static bool number_attribute(irr_ir_graph_t *graph, uint32_t index, int slot, const char *name,
                             uint64_t *value) {
    const char *text = needed(graph, index, slot, name);
    if (text && !number_of(text, value))
        irr_problem(graph, irr_at_data(graph, index),
                    "attribute %s is \"%.60s\", expected a number of at least 0", name, text);
    return text && number_of(text, value);
}

/* The size that shape and type ask for. An empty constant is written with a size of 1. */
static void check_size(irr_ir_graph_t *graph, uint32_t index, uint64_t size_bytes) {
    const irr_layer_t *layer = &graph->layers[index];
    const irr_port_t *port = &graph->ports[layer->outputs.first];
    int64_t dims[IRR_MAX_RANK];
    char text[IRR_SHAPE_TEXT_BYTES];
    size_t count, bytes;
    irr_partial_t shape;
    irr_port_inferred(graph, port, &shape);
    if (shape.rank == IRR_DYNAMIC_RANK) return; /* it could not be stored: out of memory */
    irr_partial_dims(&shape, dims);
    if (!irr_shape_elements(dims, shape.rank, &count) ||
        !irr_elements_bytes(port->type, count, &bytes))
        return; /* string and dynamic types have no size of their own */
    if (bytes == size_bytes || (count == 0 && size_bytes <= 1)) return;
    irr_problem(graph, irr_at_data(graph, index),
                "attribute size is %" PRIu64 ", but shape %.400s of type %s takes %zu bytes",
                size_bytes, irr_shape_text(dims, shape.rank, text, sizeof text),
                irr_element_type_info(port->type)->name, bytes);
}

void irr_check_const(irr_ir_graph_t *graph, uint32_t index, uint32_t fragment) {
    irr_place_t place = irr_at_data(graph, index);
    uint64_t offset, size_bytes, file_bytes;
    (void)fragment;
    bool told, typed = infer_output(graph, index, true);
    char sentence[IRR_SENTENCE_BYTES];
    bool placed = number_attribute(graph, index, IRR_DATA_OFFSET, "offset", &offset);
    placed = number_attribute(graph, index, IRR_DATA_SIZE, "size", &size_bytes) && placed;
    if (!placed) return;
    if (typed) check_size(graph, index, size_bytes);
    if (size_bytes == 0) return;
    place.status = irr_weights_size(graph->weights, &file_bytes, &told,
                                    (irr_sentence_t){sentence, sizeof sentence});
    if (place.status && !told)
        irr_problem(graph, place, "its bytes %" PRIu64 " to %" PRIu64 " are needed: %s", offset,
                    offset + size_bytes, sentence);
    else if (!place.status && (offset > file_bytes || size_bytes > file_bytes - offset))
        irr_problem(graph, irr_at_data(graph, index),
                    "offset %" PRIu64 " and size %" PRIu64
                    " lie outside weights file \"%.400s\" of %" PRIu64 " bytes",
                    offset, size_bytes, irr_weights_path(graph->weights), file_bytes);
}

bool irr_const_range(const irr_ir_graph_t *graph, const irr_layer_t *layer, uint64_t *offset,
                     uint64_t *size_bytes) {
    return number_of(irr_text(graph, layer->data[IRR_DATA_OFFSET]), offset) &&
           number_of(irr_text(graph, layer->data[IRR_DATA_SIZE]), size_bytes);
}

irr_status_e irr_const_copy(irr_ir_graph_t *graph, const irr_layer_t *layer, size_t bytes, void *to,
                            irr_sentence_t sentence) {
    uint64_t offset, size_bytes, file_bytes;
    bool told;
    if (!irr_const_range(graph, layer, &offset, &size_bytes) || size_bytes < bytes)
        return irr_fail(sentence, IRR_NETWORK_NOT_READ, "the constant's bytes are not known");
    irr_status_e status = irr_weights_size(graph->weights, &file_bytes, &told, sentence);
    if (status) return status;
    if (offset > file_bytes || bytes > file_bytes - offset)
        return irr_fail(sentence, IRR_NETWORK_NOT_READ, "the constant lies outside its file");
    return irr_weights_copy(graph->weights, offset, bytes, to, sentence);
}
