/* Models: reading, asking, reshaping; all of it is the reader's work.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

#include <inttypes.h>
#include <string.h>

static irr_status_e wrap(irr_ir_model_t *ir, irr_model_t **model) {
    irr_model_t *made = irr_malloc(sizeof *made);
    if (!made) {
        irr_ir_free(ir);
        return irr_out_of_memory(irr_message(), sizeof *made);
    }
    made->ir = ir;
    *model = made;
    return IRR_OK;
}

irr_status_e irr_core_read_model(const irr_core_t *core, const char *model_path,
                                 const char *bin_path, irr_model_t **model) {
    IRR_REQUIRE_OUT(model);
    IRR_REQUIRE(core);
    IRR_REQUIRE(model_path);
    irr_ir_model_t *ir = NULL;
    irr_ir_source_t source = {.path = model_path, .weights_path = bin_path};
    irr_status_e status = irr_ir_read_model(&source, &ir, irr_message());
    return status ? status : wrap(ir, model);
}

irr_status_e irr_core_read_model_from_memory_buffer(const irr_core_t *core, const char *model_str,
                                                    const size_t str_len,
                                                    const irr_tensor_t *weights,
                                                    irr_model_t **model) {
    IRR_REQUIRE_OUT(model);
    IRR_REQUIRE(core);
    IRR_REQUIRE(model_str);
    irr_ir_model_t *ir = NULL;
    irr_ir_source_t source = {.xml = model_str,
                              .xml_bytes = str_len,
                              .weights = weights ? weights->data : NULL,
                              .weights_bytes = weights ? weights->bytes : 0};
    irr_status_e status = irr_ir_read_model(&source, &ir, irr_message());
    return status ? status : wrap(ir, model);
}

irr_status_e irr_model_extract_layer(const irr_model_t *model, const char *layer,
                                     irr_model_t **extracted) {
    IRR_REQUIRE_OUT(extracted);
    IRR_REQUIRE(model);
    IRR_REQUIRE(layer);
    irr_ir_model_t *ir = NULL;
    irr_status_e status = irr_ir_extract(model->ir, layer, &ir, irr_message());
    return status ? status : wrap(ir, extracted);
}

void irr_model_free(irr_model_t *model) {
    if (!model) return;
    irr_ir_free(model->ir);
    irr_release(model);
}

bool irr_model_is_dynamic(const irr_model_t *model) { return model && model->ir->dynamic; }

irr_status_e irr_model_input_is_axes(const irr_model_t *model, const size_t index, bool *is_axes) {
    IRR_REQUIRE(model);
    IRR_REQUIRE(is_axes);
    if (index >= model->ir->input_count)
        return irr_fail(irr_message(), IRR_OUT_OF_BOUNDS, "input %zu of %u", index,
                        model->ir->input_count);
    *is_axes = false;
    for (uint32_t i = 0; i < model->ir->graph.layer_count && !*is_axes; i++)
        *is_axes = model->ir->graph.layers[i].axes == model->ir->inputs[index].value;
    return IRR_OK;
}

irr_status_e irr_model_get_friendly_name(const irr_model_t *model, char **friendly_name) {
    IRR_REQUIRE_OUT(friendly_name);
    IRR_REQUIRE(model);
    return irr_give_text(model->ir->name, friendly_name);
}

/* What the reader takes for one partial shape; dims has room for IRR_MAX_RANK. */
static irr_status_e translate(const irr_partial_shape_t *shape, irr_ir_dim_t *dims,
                              irr_ir_reshape_t *to) {
    irr_partial_shape_t checked;
    if (irr_rank_is_dynamic(shape->rank))
        return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                        "an input cannot be reshaped to a dynamic rank");
    irr_status_e status = irr_partial_shape_create(shape->rank.max, shape->dims, &checked);
    if (status) return status;
    to->rank = (uint32_t)checked.rank.max;
    to->dims = dims;
    for (uint32_t d = 0; d < to->rank; d++) {
        irr_dimension_t dim = checked.dims[d];
        dims[d] = (irr_ir_dim_t){dim.min < 0 ? 0 : dim.min, dim.max};
    }
    irr_partial_shape_free(&checked);
    return IRR_OK;
}

irr_status_e irr_model_reshape(const irr_model_t *model, const char **tensor_names,
                               const irr_partial_shape_t *partial_shapes, size_t size) {
    IRR_REQUIRE(model);
    if (size == 0) return IRR_OK;
    IRR_REQUIRE(tensor_names);
    IRR_REQUIRE(partial_shapes);
    if (size > model->ir->input_count)
        return irr_fail(irr_message(), IRR_OUT_OF_BOUNDS,
                        "%zu shapes are given, the model has %" PRIu32 " inputs", size,
                        model->ir->input_count);
    irr_status_e status = IRR_OK;
    irr_ir_reshape_t *shapes = irr_calloc(size, sizeof *shapes);
    irr_ir_dim_t *dims = irr_calloc(size, IRR_MAX_RANK * sizeof *dims);
    if (!shapes || !dims) status = irr_out_of_memory(irr_message(), size * sizeof *shapes);
    for (size_t k = 0; !status && k < size; k++) {
        if (!tensor_names[k])
            status = irr_fail(irr_message(), IRR_INVALID_C_PARAM, "tensor_names[%zu] is NULL", k);
        else
            status =
                irr_ir_input_by_name(model->ir, tensor_names[k], &shapes[k].input, irr_message());
        if (!status) status = translate(&partial_shapes[k], dims + k * IRR_MAX_RANK, &shapes[k]);
    }
    if (!status) status = irr_ir_reshape_inputs(model->ir, shapes, size, irr_message());
    irr_release(shapes);
    irr_release(dims);
    return status;
}

irr_status_e irr_model_reshape_input_by_name(const irr_model_t *model, const char *tensor_name,
                                             const irr_partial_shape_t partial_shape) {
    return irr_model_reshape(model, &tensor_name, &partial_shape, 1);
}
