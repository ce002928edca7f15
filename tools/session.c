/* The life cycle that run, query, explain and bench share: core, model, compiled, request, tensors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <stdlib.h>
#include <string.h>

char *shape_text(size_t rank, const int64_t *dims) {
    char *text = take(rank * 21 + 3), *at = text;
    *at++ = '[';
    for (size_t i = 0; i < rank; i++)
        at += dims[i] < 0 ? sprintf(at, "%s?", i ? "," : "")
                          : sprintf(at, "%s%lld", i ? "," : "", (long long)dims[i]);
    strcpy(at, "]");
    return text;
}

/* ---- tensors and ports in plain structs ---- */

int view_tensor(const irr_tensor_t *tensor, view_t *view) {
    irr_shape_t shape = {0, NULL};
    *view = (view_t){0};
    LIB(irr_tensor_get_element_type(tensor, &view->type));
    LIB(irr_tensor_get_size(tensor, &view->count));
    LIB(irr_tensor_get_byte_size(tensor, &view->bytes));
    LIB(irr_tensor_data(tensor, &view->data));
    LIB(irr_tensor_get_shape(tensor, &shape));
    view->rank = (size_t)shape.rank;
    if (view->rank) memcpy(view->dims, shape.dims, view->rank * sizeof *view->dims);
    irr_shape_free(&shape);
    return IRR_OK;
}

int make_tensor(irr_element_type_e type, size_t rank, const int64_t *dims, irr_tensor_t **tensor,
                view_t *view) {
    int64_t copy[MAX_RANK];
    if (rank) memcpy(copy, dims, rank * sizeof *copy);
    irr_shape_t shape = {(int64_t)rank, copy};
    LIB(irr_tensor_create(type, shape, tensor));
    return view_tensor(*tensor, view);
}

static int describe_port(irr_output_port_t *port, port_t *to) {
    char *name = NULL;
    irr_partial_shape_t shape = {0};
    LIB(irr_port_get_any_name(port, &name));
    to->name = take_text("%s", name);
    irr_free(name);
    LIB(irr_port_get_element_type(port, &to->type));
    LIB(irr_port_get_partial_shape(port, &shape));
    to->dynamic_rank = irr_rank_is_dynamic(shape.rank);
    to->rank = to->dynamic_rank ? 0 : (size_t)shape.rank.max;
    for (size_t i = 0; i < to->rank; i++)
        to->dims[i] = irr_dimension_is_dynamic(shape.dims[i]) ? -1 : shape.dims[i].max;
    irr_partial_shape_free(&shape);
    return IRR_OK;
}

static int describe_inputs(session_t *session) {
    LIB(irr_model_inputs_size(session->model, &session->input_count));
    session->inputs = take(session->input_count * sizeof *session->inputs);
    session->tensors = take(session->input_count * sizeof(irr_tensor_t *));
    for (size_t i = 0; i < session->input_count; i++) {
        irr_output_port_t *port = NULL;
        LIB(irr_model_input_by_index(session->model, i, &port));
        int status = describe_port(port, &session->inputs[i]);
        irr_output_port_free(port);
        TRY(status);
        if (session->inputs[i].dynamic_rank)
            return fail(IRR_NOT_IMPLEMENTED, "input \"%s\" has a dynamic rank",
                        session->inputs[i].name);
        LIB(irr_model_input_is_axes(session->model, i, &session->inputs[i].is_axes));
    }
    return IRR_OK;
}

/* ---- the model ---- */

static int apply_properties(const session_t *session) {
    const list_t *list = &session->options->properties;
    if (!list->count) return IRR_OK;
    char *about = NULL; /* an unknown device is a failed run, a bad property a wrong call */
    LIB(irr_core_get_property(session->core, session->device, irr_property_key_device_full_name,
                              &about));
    irr_free(about);
    for (size_t i = 0; i < list->count; i++) {
        const char *equals = strchr(list->items[i], '=');
        if (!equals) return wrong_call("--property \"%s\" is not KEY=VALUE", list->items[i]);
        int length = (int)(equals - list->items[i]);
        irr_property_t property = {take_text("%.*s", length, list->items[i]), equals + 1};
        if (library(irr_core_set_properties(session->core, session->device, 1, &property)))
            return wrong_call("--property %s: %s", list->items[i],
                              take_text("%s", noted_sentence()));
    }
    return IRR_OK;
}

static int apply_shapes(session_t *session) {
    const list_t *list = &session->options->shapes;
    if (!list->count) return IRR_OK;
    const char **names = take(list->count * sizeof *names);
    irr_partial_shape_t *shapes = take(list->count * sizeof *shapes);
    int status = describe_inputs(session);
    for (size_t i = 0; i < list->count && !status; i++) {
        int64_t dims[MAX_RANK];
        size_t rank = 0;
        const char *text = list->items[i], *equals = strrchr(text, '=');
        bool good = parse_numbers(equals ? equals + 1 : text, dims, &rank);
        for (size_t k = 0; k < rank; k++) good = good && dims[k] >= 0;
        if (!good)
            status = wrong_call("--shape \"%s\" is not NAME=2,3", text);
        else if (!equals && session->input_count != 1)
            status =
                wrong_call("--shape %s: name one of the %zu inputs", text, session->input_count);
        else
            status = library(irr_partial_shape_create_static((int64_t)rank, dims, &shapes[i]));
        if (status) break;
        names[i] = equals ? take_text("%.*s", (int)(equals - text), text) : session->inputs[0].name;
    }
    if (!status) status = library(irr_model_reshape(session->model, names, shapes, list->count));
    for (size_t i = 0; i < list->count; i++) irr_partial_shape_free(&shapes[i]);
    return status;
}

int session_open(session_t *session, const options_t *options, const char *xml,
                 const irr_tensor_t *weights) {
    *session = (session_t){.options = options};
    session->device = options->device ? options->device : "CPU";
    progress("reading the model");
    LIB(irr_core_create(&session->core));
    TRY(apply_properties(session));
    if (xml)
        LIB(irr_core_read_model_from_memory_buffer(session->core, xml, strlen(xml), weights,
                                                   &session->model));
    else
        LIB(irr_core_read_model(session->core, options->models.items[0], options->weights,
                                &session->model));
    if (options->layer) {
        irr_model_t *layer = NULL;
        LIB(irr_model_extract_layer(session->model, options->layer, &layer));
        irr_model_free(session->model);
        session->model = layer;
    }
    TRY(apply_shapes(session));
    return describe_inputs(session);
}

void session_close(session_t *session) {
    for (size_t i = 0; i < session->input_count; i++) irr_tensor_free(session->tensors[i]);
    irr_model_free(session->model);
    irr_core_free(session->core);
}

/* ---- a compiled model with its request ---- */

int session_compile(session_t *session, size_t count, const irr_property_t *properties,
                    program_t *program) {
    *program = (program_t){0};
    progress("compiling");
    LIB(irr_core_compile_model(session->core, session->model, session->device, count, properties,
                               &program->compiled));
    return IRR_OK;
}

int session_feed(session_t *session, program_t *program) {
    LIB(irr_compiled_model_create_infer_request(program->compiled, &program->request));
    TRY(make_inputs(session));
    for (size_t i = 0; i < session->input_count; i++)
        LIB(irr_infer_request_set_input_tensor_by_index(program->request, i, session->tensors[i]));
    return IRR_OK;
}

void program_free(program_t *program) {
    irr_infer_request_free(program->request);
    irr_compiled_model_free(program->compiled);
    *program = (program_t){0};
}

int program_output_count(const program_t *program, size_t *count) {
    return library(irr_compiled_model_outputs_size(program->compiled, count));
}

int program_output(const program_t *program, size_t index, port_t *port, view_t *view,
                   irr_tensor_t **tensor) {
    irr_output_port_t *output = NULL;
    LIB(irr_compiled_model_output_by_index(program->compiled, index, &output));
    int status = describe_port(output, port);
    irr_output_port_free(output);
    TRY(status);
    LIB(irr_infer_request_get_output_tensor_by_index(program->request, index, tensor));
    return view_tensor(*tensor, view);
}
