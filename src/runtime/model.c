/* Files and models: checking, reading, asking, reshaping; all of it is the reader's work.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

irr_status_e irr_check(const char *model_path, const char *weights_path, const irr_axes_t *axes,
                       const size_t axes_size, irr_check_report_t *report) {
    IRR_REQUIRE_OUT(report, model_path);
    if (axes_size) IRR_REQUIRE(axes);
    irr_ir_source_t source = {
        .path = model_path, .weights_path = weights_path, .axes = axes, .axes_count = axes_size};
    return irr_ir_check(&source, report, irr_message());
}

void irr_check_report_free(irr_check_report_t *report) {
    if (!report) return;
    irr_ir_release(report->owner);
    *report = (irr_check_report_t){.file = NULL};
}

irr_status_e irr_core_read_model(const irr_core_t *core, const char *model_path,
                                 const char *bin_path, irr_model_t **model) {
    IRR_REQUIRE_OUT(model, core, model_path);
    irr_ir_source_t source = {.path = model_path, .weights_path = bin_path};
    return irr_ir_read_model(&source, model, irr_message());
}

irr_status_e irr_core_read_model_from_memory_buffer(const irr_core_t *core, const char *model_str,
                                                    const size_t str_len,
                                                    const irr_tensor_t *weights,
                                                    irr_model_t **model) {
    IRR_REQUIRE_OUT(model, core, model_str);
    irr_ir_source_t source = {.xml = model_str,
                              .xml_bytes = str_len,
                              .weights = weights ? weights->data : NULL,
                              .weights_bytes = weights ? weights->bytes : 0};
    return irr_ir_read_model(&source, model, irr_message());
}

irr_status_e irr_model_extract_layer(const irr_model_t *model, const char *layer,
                                     irr_model_t **extracted) {
    IRR_REQUIRE_OUT(extracted, model, layer);
    return irr_ir_extract(model, layer, extracted, irr_message());
}

void irr_model_free(irr_model_t *model) { irr_ir_free(model); }

bool irr_model_is_dynamic(const irr_model_t *model) { return model && model->dynamic; }

irr_status_e irr_model_input_is_axes(const irr_model_t *model, const size_t index, bool *is_axes) {
    IRR_REQUIRE_OUT(is_axes, model);
    uint32_t slot;
    irr_place_t place = {.sides = IRR_INPUT, .index = &index};
    irr_status_e status = irr_find_slot(model, place, &slot);
    for (uint32_t i = 0; !status && i < model->graph.layer_count; i++)
        *is_axes = *is_axes || model->graph.layers[i].axes == model->inputs[slot].value;
    return status;
}

irr_status_e irr_model_get_friendly_name(const irr_model_t *model, char **friendly_name) {
    IRR_REQUIRE_OUT(friendly_name, model);
    return irr_give_text(model->name, friendly_name);
}

irr_status_e irr_model_reshape(const irr_model_t *model, const char **tensor_names,
                               const irr_partial_shape_t *partial_shapes, size_t size) {
    IRR_REQUIRE(model);
    if (size == 0) return IRR_OK;
    IRR_REQUIRE(tensor_names, partial_shapes);
    if (size > model->input_count)
        return irr_fail(irr_message(), IRR_OUT_OF_BOUNDS,
                        "%zu shapes are given, the model has %u inputs", size, model->input_count);
    for (size_t k = 0; k < size; k++) {
        if (!tensor_names[k])
            return irr_fail(irr_message(), IRR_INVALID_C_PARAM, "tensor_names[%zu] is NULL", k);
        if (irr_rank_is_dynamic(partial_shapes[k].rank))
            return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                            "an input cannot be reshaped to a dynamic rank");
        IRR_TRY(irr_check_partial_shape(partial_shapes[k]));
    }
    return irr_ir_reshape((irr_model_t *)model, size, tensor_names, partial_shapes, irr_message());
}

irr_status_e irr_model_reshape_input_by_name(const irr_model_t *model, const char *tensor_name,
                                             const irr_partial_shape_t partial_shape) {
    return irr_model_reshape(model, &tensor_name, &partial_shape, 1);
}
