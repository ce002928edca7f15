/* Shapes at infer: no allocation, no lock.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/shape.h"
#include "ir/ir.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *type_name(irr_element_type_e type) {
    const irr_element_type_info_t *info = irr_element_type_info(type);
    return info ? info->name : "no element type";
}

static irr_status_e bind_input(const irr_ir_port_t *port, const irr_tensor_view_t *tensor,
                               irr_ir_shape_t *shape, irr_sentence_t sentence) {
    if (tensor->element_type != port->element_type)
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                        "input \"%.200s\": the tensor's type is %s, expected %s", port->name,
                        type_name(tensor->element_type), type_name(port->element_type));
    if (tensor->rank > IRR_MAX_RANK ||
        (port->rank != IRR_DYNAMIC_RANK && tensor->rank != port->rank))
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                        "input \"%.200s\": the tensor's rank is %" PRIu32 ", expected %" PRIu32,
                        port->name, tensor->rank, port->rank);
    shape->rank = tensor->rank;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        int64_t dim = shape->dims[d] = tensor->dims[d];
        if (port->rank == IRR_DYNAMIC_RANK) continue;
        irr_ir_dim_t range = port->dims[d];
        if (dim >= range.min && (range.max < 0 || dim <= range.max)) continue;
        char most[24] = "";
        if (range.max >= 0) snprintf(most, sizeof most, " to %" PRId64, range.max);
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                        "input \"%.200s\": dimension %" PRIu32 " is %" PRId64 ", expected %" PRId64
                        "%s",
                        port->name, d, dim, range.min,
                        range.max == range.min ? ""
                        : *most                ? most
                                               : " or more");
    }
    return IRR_OK;
}

/* Axes of a constant or of an input. */
static irr_status_e bind_layer(const irr_ir_model_t *model, const irr_graph_layer_t *layer,
                               const irr_tensor_view_t *inputs, irr_ir_shape_t *shapes,
                               irr_sentence_t sentence) {
    const irr_graph_value_t *axes = &model->graph.values[layer->axes];
    const irr_ir_shape_t *data = &shapes[layer->data];
    const void *values = axes->constant;
    char reason[IRR_SENTENCE_BYTES / 2] = "";
    uint64_t mask = 0;
    size_t count = 0;
    irr_status_e status = IRR_OK;
    if (layer->axes < model->input_count) values = inputs[layer->axes].data;
    if (shapes[layer->axes].rank > 1)
        status = irr_fail((irr_sentence_t){reason, sizeof reason}, IRR_PARAMETER_MISMATCH,
                          "axes have rank %" PRIu32 ", expected a scalar or a list",
                          shapes[layer->axes].rank);
    else if (!irr_shape_elements(shapes[layer->axes].dims, shapes[layer->axes].rank, &count) ||
             (count && !values))
        status = irr_fail((irr_sentence_t){reason, sizeof reason}, IRR_PARAMETER_MISMATCH,
                          "the values of its axes are not there");
    if (!status)
        status =
            irr_axes_mask(values, axes->element_type, count, data->dims, data->rank,
                          layer->duplicate_axes, &mask, (irr_sentence_t){reason, sizeof reason});
    if (status)
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH, "layer %.60s \"%.200s\" (%s): %s",
                        layer->id, layer->name, layer->type, reason);
    irr_ir_shape_t *out = &shapes[layer->output];
    irr_reduced_shape(data->dims, data->rank, mask, layer->keep_dims, out->dims, &out->rank);
    return IRR_OK;
}

irr_status_e irr_ir_infer_shapes(const irr_ir_model_t *model, const irr_tensor_view_t *inputs,
                                 irr_ir_shape_t *shapes, irr_sentence_t sentence) {
    const irr_graph_t *graph = &model->graph;
    for (uint32_t i = model->input_count; i < graph->value_count; i++) {
        const irr_graph_value_t *value = &graph->values[i];
        if (!value->is_constant) continue;
        shapes[i].rank = value->rank;
        memcpy(shapes[i].dims, value->dims, value->rank * sizeof *value->dims);
    }
    for (uint32_t i = 0; i < model->input_count; i++) {
        irr_status_e status = bind_input(&model->inputs[i], &inputs[i], &shapes[i], sentence);
        if (status) return status;
    }
    for (uint32_t i = 0; i < graph->layer_count; i++) {
        irr_status_e status = bind_layer(model, &graph->layers[i], inputs, shapes, sentence);
        if (status) return status;
    }
    return IRR_OK;
}
