/* SPDX-License-Identifier: Apache-2.0 */
#include "base/graph_shape.h"

#include "base/element_type.h"
#include "base/shape.h"

#include <inttypes.h>
#include <string.h>

static irr_status_e bind_input(const irr_graph_value_t *value, uint32_t index,
                               const irr_tensor_view_t *tensor, irr_bound_shape_t *shape,
                               irr_sentence_t sentence) {
    bool fits = tensor->element_type == value->element_type && tensor->rank <= IRR_MAX_RANK &&
                (value->rank == IRR_DYNAMIC_RANK || tensor->rank == value->rank);
    shape->rank = tensor->rank;
    for (uint32_t d = 0; fits && d < tensor->rank; d++) {
        shape->dims[d] = tensor->dims[d];
        fits = value->rank == IRR_DYNAMIC_RANK || value->dims[d] < 0 ||
               value->dims[d] == tensor->dims[d];
    }
    if (fits) return IRR_OK;
    char found[IRR_SHAPE_TEXT_BYTES / 4], expected[IRR_SHAPE_TEXT_BYTES / 4] = "[...]";
    if (value->rank != IRR_DYNAMIC_RANK)
        irr_shape_text(value->dims, value->rank, expected, sizeof expected);
    return irr_fail(sentence, IRR_PARAMETER_MISMATCH, "input %" PRIu32 " is %s %s, expected %s %s",
                    index, irr_element_type_name(tensor->element_type),
                    irr_shape_text(tensor->dims, tensor->rank, found, sizeof found),
                    irr_element_type_name(value->element_type), expected);
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
        uint32_t v = graph->inputs[i];
        irr_status_e status = bind_input(&graph->values[v], i, &inputs[i], &shapes[v], sentence);
        if (status) return status;
    }
    for (uint32_t k = 0; k < graph->layer_count; k++) {
        const irr_graph_layer_t *layer = &graph->layers[k];
        char reason[IRR_SENTENCE_BYTES / 2] = "";
        irr_status_e status =
            bind_layer(graph, layer, inputs, shapes, (irr_sentence_t){reason, sizeof reason});
        if (status)
            return irr_fail(sentence, status, "layer %.60s \"%.200s\" (%s): %s", layer->id,
                            layer->name, layer->type, reason);
    }
    return IRR_OK;
}
