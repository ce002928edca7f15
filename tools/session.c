/* The life cycle that run, query, explain and bench share: core, model, compiled, request, tensors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

char *dims_text(size_t rank, const int64_t *dims, const char *comma) {
    char *text = take_text("%s", "");
    for (size_t i = 0; i < rank; i++) {
        const char *size = dims[i] < 0 ? "?" : take_text("%lld", (long long)dims[i]);
        text = take_text("%s%s%s", text, i ? comma : "", size);
    }
    return text;
}

char *shape_text(size_t rank, const int64_t *dims) {
    return take_text("[%s]", dims_text(rank, dims, ","));
}

/* ---- tensors and ports in plain structs ---- */

/* Asks its tensor. */
static int view_tensor(view_t *view) {
    const irr_tensor_t *tensor = view->tensor;
    irr_shape_t shape = {0, NULL};
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

int make_tensor(irr_element_type_e type, size_t rank, const int64_t *dims, view_t *view) {
    irr_shape_t shape = {(int64_t)rank, (int64_t *)dims};
    LIB(irr_tensor_create(type, shape, &view->tensor));
    return view_tensor(view);
}

int describe_port(irr_output_port_t *port, port_t *to) {
    char *name = NULL;
    irr_partial_shape_t shape = {0};
    int status = library(irr_port_get_any_name(port, &name));
    if (!status) status = library(irr_port_get_element_type(port, &to->type));
    if (!status) status = library(irr_port_get_partial_shape(port, &shape));
    to->name = take_text("%s", status ? "" : name);
    irr_free(name);
    irr_output_port_free(port);
    TRY(status);
    to->rank = irr_rank_is_dynamic(shape.rank) ? 0 : (size_t)shape.rank.max;
    for (size_t i = 0; i < to->rank; i++)
        to->dims[i] = irr_dimension_is_dynamic(shape.dims[i]) ? -1 : shape.dims[i].max;
    irr_partial_shape_free(&shape);
    return IRR_OK;
}

static int describe_inputs(session_t *session) {
    LIB(irr_model_inputs_size(session->model, &session->input_count));
    session->inputs = take(session->input_count * sizeof *session->inputs);
    session->tensors = take(session->input_count * sizeof *session->tensors);
    for (size_t i = 0; i < session->input_count; i++) {
        port_t *input = &session->inputs[i];
        irr_output_port_t *port = NULL;
        LIB(irr_model_input_by_index(session->model, i, &port));
        TRY(describe_port(port, input));
        LIB(irr_model_input_is_axes(session->model, i, &input->is_axes));
    }
    return IRR_OK;
}

/* ---- the model ---- */

static int apply_properties(const session_t *session) {
    const list_t *list = &session->options->properties;
    if (!list->count) return IRR_OK;
    irr_core_version_list_t about = {0};
    /* An unknown device is a failed run, a bad property a wrong call. */
    LIB(irr_core_get_versions_by_device_name(session->core, session->device, &about));
    irr_core_versions_free(&about);
    for (size_t i = 0; i < list->count; i++) {
        const char *equals = strchr(list->items[i], '=');
        if (!equals) return wrong_call("--property \"%s\" is not KEY=VALUE", list->items[i]);
        int length = (int)(equals - list->items[i]);
        irr_property_t property = {take_text("%.*s", length, list->items[i]), equals + 1};
        if (library(irr_core_set_properties(session->core, session->device, 1, &property)))
            return wrong_call("--property %s: %s", list->items[i], noted_sentence());
    }
    return IRR_OK;
}

/* NAME=2,3, or 2,3 where there is one input. */
static int parse_input_shape(const session_t *session, const char *text, const char **name,
                             irr_partial_shape_t *shape) {
    int64_t sizes[MAX_RANK];
    size_t rank = 0;
    const char *equals = strrchr(text, '=');
    bool good = parse_numbers(equals ? equals + 1 : text, sizes, &rank);
    irr_dimension_t *dims = take(rank * sizeof *dims);
    for (size_t k = 0; k < rank; k++) {
        good = good && sizes[k] >= 0;
        dims[k] = (irr_dimension_t){sizes[k], sizes[k]};
    }
    if (!good) return wrong_call("--shape \"%s\" is not NAME=2,3", text);
    if (!equals && session->input_count != 1)
        return wrong_call("--shape %s: name one of the %zu inputs", text, session->input_count);
    *name = equals ? take_text("%.*s", (int)(equals - text), text) : session->inputs[0].name;
    *shape = (irr_partial_shape_t){{(int64_t)rank, (int64_t)rank}, dims};
    return IRR_OK;
}

static int apply_shapes(const session_t *session) {
    const list_t *list = &session->options->shapes;
    const char **names = take(list->count * sizeof *names);
    irr_partial_shape_t *shapes = take(list->count * sizeof *shapes);
    for (size_t i = 0; i < list->count; i++)
        TRY(parse_input_shape(session, list->items[i], &names[i], &shapes[i]));
    return library(irr_model_reshape(session->model, names, shapes, list->count));
}

int session_open(session_t *session) {
    const options_t *options = session->options;
    session->device = options->device ? options->device : "CPU";
    progress("reading the model");
    LIB(irr_core_create(&session->core));
    TRY(apply_properties(session));
    if (session->xml)
        LIB(irr_core_read_model_from_memory_buffer(session->core, session->xml,
                                                   strlen(session->xml), session->weights.tensor,
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
    TRY(describe_inputs(session));
    if (!options->shapes.count) return IRR_OK;
    TRY(apply_shapes(session));
    return describe_inputs(session);
}

void session_close(session_t *session) {
    for (size_t i = 0; i < sizeof session->programs / sizeof *session->programs; i++)
        program_free(&session->programs[i]);
    for (size_t i = 0; i < session->input_count; i++) irr_tensor_free(session->tensors[i].tensor);
    irr_tensor_free(session->weights.tensor);
    irr_model_free(session->model);
    irr_core_free(session->core);
    *session = (session_t){0};
}

/* ---- a compiled model with its request ---- */

int session_compile(session_t *session, size_t count, const irr_property_t *properties,
                    program_t *program) {
    progress("compiling");
    LIB(irr_core_compile_model(session->core, session->model, session->device, count, properties,
                               &program->compiled));
    return IRR_OK;
}

int session_feed(session_t *session, program_t *program) {
    LIB(irr_compiled_model_create_infer_request(program->compiled, &program->request));
    TRY(make_inputs(session));
    for (size_t i = 0; i < session->input_count; i++)
        LIB(irr_infer_request_set_input_tensor_by_index(program->request, i,
                                                        session->tensors[i].tensor));
    return IRR_OK;
}

int program_infer(program_t *program) { return library(irr_infer_request_infer(program->request)); }

int program_outputs(program_t *program) {
    if (program->outputs) return IRR_OK;
    LIB(irr_compiled_model_outputs_size(program->compiled, &program->output_count));
    program->outputs = take(program->output_count * sizeof *program->outputs);
    for (size_t i = 0; i < program->output_count; i++) {
        output_t *output = &program->outputs[i];
        irr_output_port_t *port = NULL;
        LIB(irr_compiled_model_output_by_index(program->compiled, i, &port));
        TRY(describe_port(port, &output->port));
        LIB(irr_infer_request_get_output_tensor_by_index(program->request, i,
                                                         &output->view.tensor));
        TRY(view_tensor(&output->view));
        if (!type_of(output->view.type))
            return fail(IRR_NOT_IMPLEMENTED, "output \"%s\" (%s) cannot be shown",
                        output->port.name, irr_get_element_type_name(output->view.type));
    }
    return IRR_OK;
}

void program_free(program_t *program) {
    for (size_t i = 0; program->outputs && i < program->output_count; i++)
        irr_tensor_free(program->outputs[i].view.tensor);
    irr_infer_request_free(program->request);
    irr_compiled_model_free(program->compiled);
    *program = (program_t){0};
}
