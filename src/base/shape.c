/* Shapes and the axes rules (semantics, section 2).
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/shape.h"

#include "base/element_type.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool irr_shape_elements(const int64_t *dims, uint32_t rank, size_t *count) {
    size_t total = 1;
    for (uint32_t d = 0; d < rank; d++)
        if (dims[d] == 0) return *count = 0, true;
    for (uint32_t d = 0; d < rank; d++)
        if (dims[d] < 0 || !irr_mul_size(total, (size_t)dims[d], &total)) return false;
    *count = total;
    return true;
}

bool irr_shape_is_dynamic(const int64_t *dims, uint32_t rank) {
    for (uint32_t d = 0; d < rank; d++)
        if (dims[d] < 0) return true;
    return false;
}

char *irr_ranges_text(const irr_dimension_t *dims, uint32_t rank, char *text,
                      size_t capacity_bytes) {
    irr_writer_t to = {text, capacity_bytes, 0};
    irr_write(&to, "[");
    for (uint32_t d = 0; d < rank; d++) {
        int64_t min = dims[d].min, max = dims[d].max;
        if (d) irr_write(&to, ",");
        if (min > 0 || max >= 0)
            irr_write(&to, "%" PRId64 "%s", min, max == min ? "" : "..");
        else
            irr_write(&to, "?");
        if (max >= 0 && max != min) irr_write(&to, "%" PRId64, max);
    }
    irr_write(&to, "]");
    return text;
}

char *irr_shape_text(const int64_t *dims, uint32_t rank, char *text, size_t capacity_bytes) {
    irr_dimension_t ranges[IRR_MAX_RANK] = {{0, 0}};
    if (rank > IRR_MAX_RANK) rank = IRR_MAX_RANK;
    for (uint32_t d = 0; d < rank; d++) ranges[d] = (irr_dimension_t){dims[d], dims[d]};
    return irr_ranges_text(ranges, rank, text, capacity_bytes);
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are read by their low bytes");

bool irr_integer_at(const void *values, irr_element_type_e type, size_t k, int64_t *value) {
    size_t bytes = irr_is_integer(type) ? irr_element_bytes(type) : 0;
    uint64_t bits = 0;
    if (bytes == 0) return false;
    memcpy(&bits, (const char *)values + k * bytes, bytes);
    bool negative = irr_element_type_info(type)->kind == IRR_KIND_SIGNED && bits >> (8 * bytes - 1);
    if (negative && bytes < sizeof bits) bits |= UINT64_MAX << 8 * bytes;
    *value = (int64_t)bits;
    return negative || *value >= 0;
}

irr_status_e irr_axes_mask(const void *values, irr_element_type_e type, size_t count,
                           const int64_t *dims, uint32_t rank, irr_duplicate_axes_e duplicates,
                           irr_empty_axes_e empty, uint64_t *mask, irr_sentence_t sentence) {
    char shape[IRR_SHAPE_TEXT_BYTES];
    uint64_t set = 0;
    for (size_t k = 0; k < count; k++) {
        int64_t axis = 0;
        bool fits = irr_integer_at(values, type, k, &axis);
        int64_t dimension = axis < 0 ? axis + (int64_t)rank : axis;
        if (!fits || dimension < 0 || dimension >= (int64_t)rank) {
            char number[24];
            snprintf(number, sizeof number, fits ? "%" PRId64 : "%" PRIu64, axis);
            if (rank == 0)
                return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                                "axis %s is given, but data has rank 0 and takes no axis", number);
            return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                            "axis %s is outside [-%" PRIu32 ", %" PRIu32 "] of data %s", number,
                            rank, rank - 1, irr_shape_text(dims, rank, shape, sizeof shape));
        }
        uint64_t bit = UINT64_C(1) << dimension;
        if ((set & bit) && duplicates == IRR_DUPLICATE_AXES_ERROR)
            return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                            "axis %" PRId64 " names dimension %" PRId64
                            " of data %s a second time; axes are unique",
                            axis, dimension, irr_shape_text(dims, rank, shape, sizeof shape));
        set |= bit;
    }
    if (count == 0 && rank && empty == IRR_EMPTY_AXES_ALL)
        set = UINT64_MAX >> (IRR_MAX_RANK - rank);
    *mask = set;
    return IRR_OK;
}

void irr_reduced_shape(const int64_t *dims, uint32_t rank, uint64_t mask, bool keep_dims,
                       int64_t *out, uint32_t *out_rank) {
    uint32_t n = 0;
    for (uint32_t d = 0; d < rank; d++) {
        bool reduced = mask >> d & 1;
        if (!reduced || keep_dims) out[n++] = reduced ? 1 : dims[d];
    }
    *out_rank = n;
}

/* ---- a graph at infer ---- */

irr_status_e irr_fail_layer(irr_sentence_t to, irr_status_e status,
                            const irr_graph_layer_t *layer) {
    return irr_fail_at(to, status, "layer %.*s \"%.*s\" (%s): ", (int)irr_text_bytes(layer->id, 60),
                       layer->id, (int)irr_text_bytes(layer->name, 200), layer->name, layer->type);
}

irr_status_e irr_check_tensor(const irr_graph_value_t *value, const irr_dimension_t *ranges,
                              const irr_tensor_view_t *tensor, irr_sentence_t sentence) {
    bool ranked = value->rank != IRR_DYNAMIC_RANK;
    if (tensor->element_type != value->element_type)
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH, "the tensor's type is %s, expected %s",
                        irr_element_type_name(tensor->element_type),
                        irr_element_type_name(value->element_type));
    if (tensor->rank > IRR_MAX_RANK || (ranked && tensor->rank != value->rank))
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                        "the tensor's rank is %" PRIu32 ", expected %" PRIu32, tensor->rank,
                        value->rank);
    for (uint32_t d = 0; ranked && d < tensor->rank; d++) {
        int64_t dim = tensor->dims[d], known = value->dims[d];
        irr_dimension_t range =
            ranges ? ranges[d] : (irr_dimension_t){known < 0 ? 0 : known, known};
        char most[24] = " or more";
        if (dim >= range.min && (range.max < 0 || dim <= range.max)) continue;
        if (range.max >= 0) snprintf(most, sizeof most, " to %" PRId64, range.max);
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                        "dimension %" PRIu32 " is %" PRId64 ", expected %" PRId64 "%s", d, dim,
                        range.min, range.max == range.min ? "" : most);
    }
    return IRR_OK;
}

/* The values of a layer's axes: a constant's, or those of an input. */
static const void *axes_values(const irr_graph_t *graph, uint32_t axes,
                               const irr_tensor_view_t *inputs) {
    if (graph->values[axes].is_constant) return graph->values[axes].constant;
    for (uint32_t i = 0; i < graph->input_count; i++)
        if (graph->inputs[i] == axes) return inputs[i].data;
    return NULL;
}

static irr_status_e bind_layer(const irr_graph_t *graph, const irr_graph_layer_t *layer,
                               const irr_tensor_view_t *inputs, irr_bound_shape_t *shapes,
                               irr_sentence_t sentence) {
    const irr_bound_shape_t *data = &shapes[layer->data];
    uint64_t mask = 0;
    const void *values = NULL;
    size_t count = 0;
    irr_element_type_e type = IRR_I64;
    if (layer->axes != IRR_NO_VALUE) {
        const irr_bound_shape_t *axes = &shapes[layer->axes];
        values = axes_values(graph, layer->axes, inputs);
        type = graph->values[layer->axes].element_type;
        if (axes->rank > 1)
            return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                            "axes have rank %" PRIu32 ", expected a scalar or a list", axes->rank);
        if (!irr_shape_elements(axes->dims, axes->rank, &count) || (count && !values))
            return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                            "the values of its axes are not there");
    }
    if (irr_axes_mask(values, type, count, data->dims, data->rank, layer->duplicate_axes,
                      layer->empty_axes, &mask, sentence))
        return IRR_PARAMETER_MISMATCH;
    irr_bound_shape_t *out = &shapes[layer->output];
    irr_reduced_shape(data->dims, data->rank, mask, layer->keep_dims, out->dims, &out->rank);
    return IRR_OK;
}

irr_status_e irr_graph_bind_shapes(const irr_graph_t *graph, const irr_tensor_view_t *inputs,
                                   irr_bound_shape_t *shapes, irr_sentence_t sentence) {
    for (uint32_t v = 0; v < graph->value_count; v++) {
        const irr_graph_value_t *value = &graph->values[v];
        if (!value->is_constant) continue;
        shapes[v].rank = value->rank;
        if (value->rank) memcpy(shapes[v].dims, value->dims, value->rank * sizeof *value->dims);
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        irr_bound_shape_t *shape = &shapes[graph->inputs[i]];
        const irr_graph_value_t *value = &graph->values[graph->inputs[i]];
        IRR_TRY(irr_fail_at(sentence, irr_check_tensor(value, NULL, &inputs[i], sentence),
                            "input %" PRIu32 ": ", i));
        shape->rank = inputs[i].rank;
        for (uint32_t d = 0; d < shape->rank; d++) shape->dims[d] = inputs[i].dims[d];
    }
    for (uint32_t k = 0; k < graph->layer_count; k++) {
        const irr_graph_layer_t *layer = &graph->layers[k];
        IRR_TRY(
            irr_fail_layer(sentence, bind_layer(graph, layer, inputs, shapes, sentence), layer));
    }
    return IRR_OK;
}
