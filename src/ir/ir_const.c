/* Parameter and Const: what their <data> says.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

/* An attribute of <data>, or a problem and NULL. */
static const char *needed(irr_ir_graph_t *graph, uint32_t index, int slot, const char *name) {
    irr_symbol_t symbol = graph->layers.at[index].data[slot];
    if (symbol) return irr_text(graph, symbol);
    irr_problem(graph, irr_at_data(graph, index), "attribute %s is missing in <data>", name);
    return NULL;
}

static bool type_and_shape(irr_ir_graph_t *graph, uint32_t index, bool only_static,
                           irr_partial_t *it) {
    char sentence[IRR_SENTENCE_BYTES];
    irr_element_type_e type = IRR_DYNAMIC;
    const char *word = needed(graph, index, IRR_DATA_ELEMENT_TYPE, "element_type");
    const char *dims = needed(graph, index, IRR_DATA_SHAPE, "shape");
    bool typed = word && irr_element_type_by_name(word, &type);
    bool shaped = dims && !irr_parse_shape(dims, only_static, it,
                                           (irr_sentence_t){sentence, sizeof sentence});
    if (word && !typed)
        irr_problem(graph, irr_at_data(graph, index),
                    "attribute element_type is \"%.60s\", which is no element type", word);
    if (dims && !shaped) irr_problem(graph, irr_at_data(graph, index), "%s", sentence);
    it->type = (uint8_t)type;
    return typed && shaped;
}

/* Infers from <data> where that was understood, else trusts the port. */
static bool infer_output(irr_ir_graph_t *graph, uint32_t index, bool only_static) {
    irr_run_t outputs = graph->layers.at[index].outputs;
    irr_partial_t it;
    char text[IRR_SENTENCE_BYTES / 2];
    bool counts = irr_port_counts(graph, index, 0, 1);
    bool right = type_and_shape(graph, index, only_static, &it);
    if (!right && outputs.count) irr_port_declared(graph, &graph->ports.at[outputs.first], &it);
    if (right && !irr_partial_fits(&it, graph->memory_limit_bytes)) {
        irr_problem(graph, irr_at_data(graph, index),
                    "a tensor of shape %s and type %s is larger than this machine's memory of "
                    "%" PRIu64 " bytes",
                    irr_partial_text(&it, text, sizeof text), irr_element_type_name(it.type),
                    graph->memory_limit_bytes);
        right = false;
    }
    if (outputs.count) irr_port_infer(graph, outputs.first, &it);
    return counts && right;
}

void irr_check_parameter(irr_ir_graph_t *graph, uint32_t index) {
    infer_output(graph, index, false);
}

static bool number_of(const irr_ir_graph_t *graph, irr_symbol_t symbol, uint64_t *value) {
    const char *text = irr_text(graph, symbol);
    return irr_parse_number(text, strlen(text), (int64_t *)value);
}

bool irr_const_range(const irr_ir_graph_t *graph, const irr_layer_t *layer, uint64_t *offset,
                     uint64_t *size_bytes) {
    return number_of(graph, layer->data[IRR_DATA_OFFSET], offset) &&
           number_of(graph, layer->data[IRR_DATA_SIZE], size_bytes);
}

static void check_number(irr_ir_graph_t *graph, uint32_t index, int slot, const char *name) {
    uint64_t value;
    const char *text = needed(graph, index, slot, name);
    if (text && !number_of(graph, graph->layers.at[index].data[slot], &value))
        irr_problem(graph, irr_at_data(graph, index),
                    "attribute %s is \"%.60s\", expected a number of at least 0", name, text);
}

/* The size that shape and type ask for. An empty constant is written with a size of 1. */
static void check_size(irr_ir_graph_t *graph, uint32_t index, uint64_t size_bytes) {
    irr_partial_t it;
    char text[IRR_SHAPE_TEXT_BYTES];
    int64_t dims[IRR_MAX_RANK];
    size_t count, bytes;
    irr_port_inferred(graph, &graph->ports.at[graph->layers.at[index].outputs.first], &it);
    if (it.rank == IRR_DYNAMIC_RANK) return; /* it could not be stored: out of memory */
    irr_partial_dims(&it, dims);
    if (!irr_shape_elements(dims, it.rank, &count) || !irr_elements_bytes(it.type, count, &bytes))
        return; /* string and dynamic types have no size of their own */
    if (bytes == size_bytes || (count == 0 && size_bytes <= 1)) return;
    irr_problem(graph, irr_at_data(graph, index),
                "attribute size is %" PRIu64 ", but shape %.400s of type %s takes %zu bytes",
                size_bytes, irr_partial_text(&it, text, sizeof text),
                irr_element_type_name(it.type), bytes);
}

void irr_check_const(irr_ir_graph_t *graph, uint32_t index) {
    irr_place_t place = irr_at_data(graph, index);
    uint64_t offset, size_bytes, file_bytes;
    char sentence[IRR_SENTENCE_BYTES];
    bool typed = infer_output(graph, index, true);
    check_number(graph, index, IRR_DATA_OFFSET, "offset");
    check_number(graph, index, IRR_DATA_SIZE, "size");
    if (!irr_const_range(graph, &graph->layers.at[index], &offset, &size_bytes)) return;
    if (typed) check_size(graph, index, size_bytes);
    if (size_bytes == 0) return;
    place.status =
        irr_weights_size(graph->weights, &file_bytes, (irr_sentence_t){sentence, sizeof sentence});
    if (place.status && *sentence)
        irr_problem(graph, place, "its bytes %" PRIu64 " to %" PRIu64 " are needed: %s", offset,
                    offset + size_bytes, sentence);
    else if (!place.status && (offset > file_bytes || size_bytes > file_bytes - offset))
        irr_problem(graph, irr_at_data(graph, index),
                    "offset %" PRIu64 " and size %" PRIu64
                    " lie outside weights file \"%.400s\" of %" PRIu64 " bytes",
                    offset, size_bytes, irr_weights_path(graph->weights), file_bytes);
}

irr_status_e irr_const_copy(irr_ir_graph_t *graph, const irr_layer_t *layer, size_t bytes, void *to,
                            irr_sentence_t sentence) {
    uint64_t offset, size_bytes;
    if (!irr_const_range(graph, layer, &offset, &size_bytes) || size_bytes < bytes)
        return irr_fail(sentence, IRR_NETWORK_NOT_READ, "the constant's bytes are not known");
    return irr_weights_copy(graph->weights, offset, bytes, to, sentence);
}
