/* SPDX-License-Identifier: Apache-2.0 */
#include "base/graph_shape.h"

#include "base/element_type.h"
#include "base/shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
    char reason[IRR_SENTENCE_BYTES / 2];
    const irr_sentence_t why = {reason, sizeof reason};
    for (uint32_t i = 0; i < graph->input_count; i++) {
        irr_bound_shape_t *shape = &shapes[graph->inputs[i]];
        irr_status_e status =
            irr_check_tensor(&graph->values[graph->inputs[i]], NULL, &inputs[i], why);
        if (status) return irr_fail(sentence, status, "input %" PRIu32 ": %s", i, reason);
        shape->rank = inputs[i].rank;
        for (uint32_t d = 0; d < shape->rank; d++) shape->dims[d] = inputs[i].dims[d];
    }
    for (uint32_t k = 0; k < graph->layer_count; k++) {
        const irr_graph_layer_t *layer = &graph->layers[k];
        irr_status_e status = bind_layer(graph, layer, inputs, shapes, why);
        if (status)
            return irr_fail(sentence, status, "layer %.60s \"%.200s\" (%s): %s", layer->id,
                            layer->name, layer->type, reason);
    }
    return IRR_OK;
}
