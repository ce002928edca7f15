/* Shapes at infer: no allocation, no lock.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "ir/ir.h"

#include <inttypes.h>
#include <stdio.h>

/* The graph's own rules come after; it knows no names and no ranges. */
static irr_status_e check_input(const irr_ir_port_t *port, const irr_tensor_view_t *tensor,
                                irr_sentence_t sentence) {
    bool ranked = port->rank != IRR_DYNAMIC_RANK;
    if (tensor->element_type != port->element_type)
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                        "input \"%.200s\": the tensor's type is %s, expected %s", port->name,
                        irr_element_type_name(tensor->element_type),
                        irr_element_type_name(port->element_type));
    if (tensor->rank > IRR_MAX_RANK || (ranked && tensor->rank != port->rank))
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                        "input \"%.200s\": the tensor's rank is %" PRIu32 ", expected %" PRIu32,
                        port->name, tensor->rank, port->rank);
    for (uint32_t d = 0; ranked && d < tensor->rank; d++) {
        int64_t dim = tensor->dims[d];
        irr_dimension_t range = port->dims[d];
        char most[24] = " or more";
        if (dim >= range.min && (range.max < 0 || dim <= range.max)) continue;
        if (range.max >= 0) snprintf(most, sizeof most, " to %" PRId64, range.max);
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                        "input \"%.200s\": dimension %" PRIu32 " is %" PRId64 ", expected %" PRId64
                        "%s",
                        port->name, d, dim, range.min, range.max == range.min ? "" : most);
    }
    return IRR_OK;
}

irr_status_e irr_ir_infer_shapes(const irr_ir_model_t *model, const irr_tensor_view_t *inputs,
                                 irr_bound_shape_t *shapes, irr_sentence_t sentence) {
    for (uint32_t i = 0; i < model->input_count; i++) {
        irr_status_e status = check_input(&model->inputs[i], &inputs[i], sentence);
        if (status) return status;
    }
    return irr_graph_bind_shapes(&model->graph, inputs, shapes, sentence);
}
