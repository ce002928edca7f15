/* Ports: snapshots of a model's inputs and outputs, and the families of functions that make them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

#include <string.h>

struct irr_output_port {
    char *name;
    irr_element_type_e type;
    irr_partial_shape_t shape;
};

irr_status_e irr_port_make(const irr_ir_port_t *ports, uint32_t count, size_t index,
                           const char *what, irr_output_port_t **port) {
    irr_status_e status = irr_check_index(what, index, count);
    if (status) return status;
    const irr_ir_port_t *from = &ports[index];
    bool dynamic_rank = from->rank == IRR_DYNAMIC_RANK;
    irr_dimension_t dims[IRR_MAX_RANK];
    irr_rank_t rank = dynamic_rank ? (irr_rank_t){-1, -1} : (irr_rank_t){from->rank, from->rank};
    for (uint32_t d = 0; !dynamic_rank && d < from->rank; d++)
        dims[d] = (irr_dimension_t){from->dims[d].min, from->dims[d].max};
    irr_output_port_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(irr_message(), sizeof *made);
    made->type = from->element_type;
    status = irr_give_text(from->name, &made->name);
    if (!status)
        status = irr_partial_shape_create_dynamic(rank, dynamic_rank ? NULL : dims, &made->shape);
    if (status)
        irr_output_port_free(made);
    else
        *port = made;
    return status;
}

irr_status_e irr_port_make_only(const irr_ir_port_t *ports, uint32_t count, const char *what,
                                irr_output_port_t **port) {
    irr_status_e status = irr_check_only(what, count);
    return status ? status : irr_port_make(ports, count, 0, what, port);
}

/* The four functions of one side of a model; compiled models have the same ones. */
#define PORT_FUNCTIONS(owner_t, owner, side, size_argument, name_argument, port_argument)          \
    irr_status_e owner##_##side##s_size(const owner_t *model, size_t *size_argument) {             \
        IRR_REQUIRE_OUT(size_argument);                                                            \
        IRR_REQUIRE(model);                                                                        \
        *size_argument = model->ir->side##_count;                                                  \
        return IRR_OK;                                                                             \
    }                                                                                              \
    irr_status_e owner##_##side(const owner_t *model, irr_output_port_t **port_argument) {         \
        IRR_REQUIRE_OUT(port_argument);                                                            \
        IRR_REQUIRE(model);                                                                        \
        return irr_port_make_only(model->ir->side##s, model->ir->side##_count, #side,              \
                                  port_argument);                                                  \
    }                                                                                              \
    irr_status_e owner##_##side##_by_index(const owner_t *model, const size_t index,               \
                                           irr_output_port_t **port_argument) {                    \
        IRR_REQUIRE_OUT(port_argument);                                                            \
        IRR_REQUIRE(model);                                                                        \
        return irr_port_make(model->ir->side##s, model->ir->side##_count, index, #side,            \
                             port_argument);                                                       \
    }                                                                                              \
    irr_status_e owner##_##side##_by_name(const owner_t *model, const char *name_argument,         \
                                          irr_output_port_t **port_argument) {                     \
        IRR_REQUIRE_OUT(port_argument);                                                            \
        IRR_REQUIRE(model);                                                                        \
        IRR_REQUIRE(name_argument);                                                                \
        uint32_t index;                                                                            \
        irr_status_e status =                                                                      \
            irr_ir_##side##_by_name(model->ir, name_argument, &index, irr_message());              \
        return status ? status                                                                     \
                      : irr_port_make(model->ir->side##s, model->ir->side##_count, index, #side,   \
                                      port_argument);                                              \
    }

PORT_FUNCTIONS(irr_model_t, irr_model, input, input_size, tensor_name, input_port)
PORT_FUNCTIONS(irr_model_t, irr_model, output, output_size, tensor_name, output_port)
PORT_FUNCTIONS(irr_compiled_model_t, irr_compiled_model, input, size, name, input_port)
PORT_FUNCTIONS(irr_compiled_model_t, irr_compiled_model, output, size, name, output_port)

irr_status_e irr_port_get_shape(const irr_output_port_t *port, irr_shape_t *tensor_shape) {
    IRR_REQUIRE_OUT(tensor_shape);
    IRR_REQUIRE(port);
    return irr_partial_shape_to_shape(port->shape, tensor_shape);
}

irr_status_e irr_const_port_get_shape(const irr_output_const_port_t *port,
                                      irr_shape_t *tensor_shape) {
    return irr_port_get_shape(port, tensor_shape);
}

irr_status_e irr_port_get_partial_shape(const irr_output_const_port_t *port,
                                        irr_partial_shape_t *partial_shape) {
    IRR_REQUIRE_OUT(partial_shape);
    IRR_REQUIRE(port);
    return irr_partial_shape_create_dynamic(port->shape.rank, port->shape.dims, partial_shape);
}

irr_status_e irr_port_get_element_type(const irr_output_const_port_t *port,
                                       irr_element_type_e *tensor_type) {
    IRR_REQUIRE_OUT(tensor_type);
    IRR_REQUIRE(port);
    *tensor_type = port->type;
    return IRR_OK;
}

irr_status_e irr_port_get_any_name(const irr_output_const_port_t *port, char **tensor_name) {
    IRR_REQUIRE_OUT(tensor_name);
    IRR_REQUIRE(port);
    return irr_give_text(port->name, tensor_name);
}

void irr_output_port_free(irr_output_port_t *port) {
    if (!port) return;
    irr_release(port->name);
    irr_partial_shape_free(&port->shape);
    irr_release(port);
}

void irr_output_const_port_free(irr_output_const_port_t *port) { irr_output_port_free(port); }
