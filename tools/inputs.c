/* Where a run's inputs come from: --input files, --axes, else the seed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <unistd.h>

/* The index of the input that has this name among its names. */
static int find_input(const session_t *session, const char *name, size_t *index) {
    irr_output_port_t *port = NULL;
    port_t found;
    LIB(irr_model_input_by_name(session->model, name, &port));
    TRY(describe_port(port, &found));
    for (*index = 0; *index < session->input_count; ++*index)
        if (!strcmp(session->inputs[*index].name, found.name)) return IRR_OK;
    return fail(IRR_NOT_FOUND, "no input \"%s\"", name);
}

/* [NAME=]FILE, where both may hold a '=': the first prefix that names an input counts. */
static int split_input(const session_t *session, const char *text, size_t *index,
                       const char **path) {
    *path = text;
    *index = 0;
    if (!strchr(text, '=') || !access(text, F_OK)) {
        if (session->input_count == 1) return IRR_OK;
        if (!strchr(text, '='))
            return wrong_call("--input %s: name one of the %zu inputs", text, session->input_count);
    }
    for (const char *equals = strchr(text, '='); equals; equals = strchr(equals + 1, '=')) {
        *path = equals + 1;
        if (!find_input(session, take_text("%.*s", (int)(equals - text), text), index))
            return IRR_OK;
    }
    return fail(IRR_NOT_FOUND, "--input %s: %s", text, noted_sentence());
}

static int read_inputs(session_t *session) {
    const list_t *list = &session->options->inputs;
    bool standard =
        session->options->models.count && !strcmp(session->options->models.items[0], "-");
    for (size_t i = 0; i < list->count; i++) {
        size_t index = 0;
        const char *path = NULL;
        TRY(split_input(session, list->items[i], &index, &path));
        if (session->tensors[index].tensor)
            return wrong_call("input \"%s\" is given twice", session->inputs[index].name);
        if (!strcmp(path, "-") && standard) return wrong_call("standard input is read twice");
        standard = standard || !strcmp(path, "-");
        TRY(read_tensor(path, &session->inputs[index], &session->tensors[index]));
    }
    return IRR_OK;
}

static int feed_list(session_t *session, size_t index, const irr_axes_t *axes) {
    const port_t *port = &session->inputs[index];
    int64_t count = (int64_t)axes->size;
    view_t *view = &session->tensors[index];
    TRY(make_tensor(port->type, port->rank, &count, view));
    if (view->count != axes->size)
        return fail(IRR_PARAMETER_MISMATCH, "--axes: \"%s\" takes one axis, found %zu", port->name,
                    axes->size);
    for (size_t i = 0; i < axes->size; i++) {
        size_t bytes = view->bytes / view->count;
        memcpy((char *)view->data + i * bytes, &axes->values[i], bytes);
        if (load_int(type_of(view->type), view->data, i) != axes->values[i])
            return fail(IRR_PARAMETER_MISMATCH, "--axes: %lld does not fit %s",
                        (long long)axes->values[i], irr_get_element_type_name(view->type));
    }
    return IRR_OK;
}

/* The k-th list is for the k-th of the axes that no file gave; a single one serves all. */
static int feed_axes(session_t *session) {
    const options_t *options = session->options;
    size_t k = 0, count = options->axes.count;
    for (size_t i = 0; i < session->input_count; i++) {
        if (!session->inputs[i].is_axes || session->tensors[i].tensor) continue;
        if (!count || (k >= count && count > 1))
            return fail(IRR_PARAMETER_MISMATCH,
                        "input \"%s\" holds axes: it needs --axes or --input",
                        session->inputs[i].name);
        TRY(feed_list(session, i, &options->axes_values[count > 1 ? k : 0]));
        k++;
    }
    if (k < count)
        return fail(IRR_PARAMETER_MISMATCH, "--axes %s: the model has no run-time axes for it",
                    options->axes.items[k]);
    return IRR_OK;
}

int make_inputs(session_t *session) {
    if (session->made) return IRR_OK;
    session->made = true;
    progress("making the inputs");
    TRY(read_inputs(session));
    TRY(feed_axes(session));
    for (size_t i = 0; i < session->input_count; i++) {
        const port_t *port = &session->inputs[i];
        if (session->tensors[i].tensor) continue;
        for (size_t k = 0; k < port->rank; k++)
            if (port->dims[k] < 0)
                return fail(IRR_PARAMETER_MISMATCH, "input \"%s\" %s needs --shape or --input",
                            port->name, shape_text(port->rank, port->dims));
        if (!type_of(port->type))
            return fail(IRR_NOT_IMPLEMENTED, "input \"%s\" (%s) cannot be made from the seed",
                        port->name, irr_get_element_type_name(port->type));
        TRY(make_tensor(port->type, port->rank, port->dims, &session->tensors[i]));
        fill_from_seed(&session->tensors[i], session->options->seed, i);
    }
    return IRR_OK;
}
