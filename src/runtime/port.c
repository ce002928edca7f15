/* Ports: which one is meant, snapshots of them, and the families of functions that make these.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

struct irr_output_port {
    irr_element_type_e type;
    irr_partial_shape_t shape; /* its dims are these */
    irr_dimension_t dims[IRR_MAX_RANK];
    char name[];
};

const irr_ir_port_t *irr_port_of_slot(const irr_model_t *model, uint32_t slot) {
    uint32_t inputs = model->input_count;
    return slot < inputs ? &model->inputs[slot] : &model->outputs[slot - inputs];
}

static irr_status_e find_name(const irr_model_t *model, irr_place_t place, uint32_t *slot) {
    bool either = place.sides == (IRR_INPUT | IRR_OUTPUT);
    irr_sentence_t sentence = either ? (irr_sentence_t){NULL, 0} : irr_message();
    irr_status_e status = IRR_NOT_FOUND;
    if (place.sides & IRR_INPUT) status = irr_ir_find(model, false, place.name, slot, sentence);
    if (status && place.sides & IRR_OUTPUT) {
        status = irr_ir_find(model, true, place.name, slot, sentence);
        if (!status) *slot += model->input_count;
    }
    if (!status || !either) return status;
    return irr_fail(irr_message(), status, "no input or output is called \"%.200s\"", place.name);
}

irr_status_e irr_find_slot(const irr_model_t *model, irr_place_t place, uint32_t *slot) {
    bool is_input = place.sides == IRR_INPUT;
    uint32_t count = is_input ? model->input_count : model->output_count;
    const char *side = is_input ? "input" : "output";
    size_t index = place.index ? *place.index : 0;
    if (place.name) return find_name(model, place, slot);
    if (!place.index && count != 1)
        return irr_fail(irr_message(), IRR_OUT_OF_BOUNDS,
                        "the model has %u %ss, so which one must be said", count, side);
    if (index >= count)
        return irr_fail(irr_message(), IRR_OUT_OF_BOUNDS, "index %zu: the model has %u %s%s", index,
                        count, side, count == 1 ? "" : "s");
    *slot = (uint32_t)index + (is_input ? 0 : model->input_count);
    return IRR_OK;
}

static irr_status_e give_port(const irr_model_t *model, irr_place_t place,
                              irr_output_port_t **port) {
    uint32_t slot;
    IRR_TRY(irr_find_slot(model, place, &slot));
    const irr_ir_port_t *from = irr_port_of_slot(model, slot);
    size_t bytes = sizeof(irr_output_port_t) + strlen(from->name) + 1;
    irr_output_port_t *made = irr_calloc(1, bytes);
    if (!made) return irr_out_of_memory(irr_message(), bytes);
    made->type = from->element_type;
    made->shape.rank = (irr_rank_t){-1, -1};
    if (from->rank != IRR_DYNAMIC_RANK) {
        made->shape = (irr_partial_shape_t){{from->rank, from->rank}, made->dims};
        memcpy(made->dims, from->dims, from->rank * sizeof *made->dims);
    }
    strcpy(made->name, from->name);
    *port = made;
    return IRR_OK;
}

/* The four functions of one side of a model; compiled models have the same ones. */
#define PORT_FUNCTIONS(owner_t, owner, ir, side, number)                                           \
    irr_status_e owner##_##side##s_size(const owner_t *model, size_t *size) {                      \
        IRR_REQUIRE_OUT(size, model);                                                              \
        *size = ir->side##_count;                                                                  \
        return IRR_OK;                                                                             \
    }                                                                                              \
    irr_status_e owner##_##side(const owner_t *model, irr_output_port_t **port) {                  \
        IRR_REQUIRE_OUT(port, model);                                                              \
        return give_port(ir, (irr_place_t){.sides = number}, port);                                \
    }                                                                                              \
    irr_status_e owner##_##side##_by_index(const owner_t *model, const size_t index,               \
                                           irr_output_port_t **port) {                             \
        IRR_REQUIRE_OUT(port, model);                                                              \
        return give_port(ir, (irr_place_t){.sides = number, .index = &index}, port);               \
    }                                                                                              \
    irr_status_e owner##_##side##_by_name(const owner_t *model, const char *name,                  \
                                          irr_output_port_t **port) {                              \
        IRR_REQUIRE_OUT(port, model, name);                                                        \
        return give_port(ir, (irr_place_t){.sides = number, .name = name}, port);                  \
    }

PORT_FUNCTIONS(irr_model_t, irr_model, model, input, IRR_INPUT)
PORT_FUNCTIONS(irr_model_t, irr_model, model, output, IRR_OUTPUT)
PORT_FUNCTIONS(irr_compiled_model_t, irr_compiled_model, model->ir, input, IRR_INPUT)
PORT_FUNCTIONS(irr_compiled_model_t, irr_compiled_model, model->ir, output, IRR_OUTPUT)

irr_status_e irr_port_get_shape(const irr_output_port_t *port, irr_shape_t *tensor_shape) {
    IRR_REQUIRE_OUT(tensor_shape, port);
    return irr_partial_shape_to_shape(port->shape, tensor_shape);
}

irr_status_e irr_const_port_get_shape(const irr_output_const_port_t *port,
                                      irr_shape_t *tensor_shape) {
    return irr_port_get_shape(port, tensor_shape);
}

irr_status_e irr_port_get_partial_shape(const irr_output_const_port_t *port,
                                        irr_partial_shape_t *partial_shape) {
    IRR_REQUIRE_OUT(partial_shape, port);
    return irr_partial_shape_create_dynamic(port->shape.rank, port->shape.dims, partial_shape);
}

irr_status_e irr_port_get_element_type(const irr_output_const_port_t *port,
                                       irr_element_type_e *tensor_type) {
    IRR_REQUIRE_OUT(tensor_type, port);
    *tensor_type = port->type;
    return IRR_OK;
}

irr_status_e irr_port_get_any_name(const irr_output_const_port_t *port, char **tensor_name) {
    IRR_REQUIRE_OUT(tensor_name, port);
    return irr_give_text(port->name, tensor_name);
}

void irr_output_port_free(irr_output_port_t *port) { irr_release(port); }
void irr_output_const_port_free(irr_output_const_port_t *port) { irr_output_port_free(port); }
