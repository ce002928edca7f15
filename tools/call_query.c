/* irreduce query: which layers a device takes, and for the others why not.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

static void print_ops(const session_t *session, const irr_supported_ops_t *ops) {
    size_t supported = 0;
    for (size_t i = 0; i < ops->size; i++) {
        const irr_supported_op_t *op = &ops->ops[i];
        supported += op->supported;
        printf("layer %s \"%s\" (%s): %s%s\n", op->layer_id, op->layer_name, op->layer_type,
               op->supported ? "supported" : "not supported: ", op->supported ? "" : op->reason);
    }
    printf("%s takes %zu of %zu layers\n", session->device, supported, ops->size);
}

static void json_ops(const session_t *session, const irr_supported_ops_t *ops) {
    json_t json = {stdout, false};
    json_open(&json, NULL, '{');
    json_text(&json, "device", session->device);
    json_open(&json, "layers", '[');
    for (size_t i = 0; i < ops->size; i++) {
        const irr_supported_op_t *op = &ops->ops[i];
        json_open(&json, NULL, '{');
        json_text(&json, "id", op->layer_id);
        json_text(&json, "name", op->layer_name);
        json_text(&json, "type", op->layer_type);
        json_bool(&json, "supported", op->supported);
        json_text(&json, "reason", op->supported ? NULL : op->reason);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    putchar('\n');
}

int call_query(const options_t *options) {
    session_t session;
    irr_supported_ops_t ops = {0};
    int status = session_open(&session, options, NULL, NULL);
    if (!status)
        status = library(
            irr_core_query_model(session.core, session.model, session.device, 0, NULL, &ops));
    progress_end();
    if (!status) {
        (options->json ? json_ops : print_ops)(&session, &ops);
        irr_supported_ops_free(&ops);
    }
    session_close(&session);
    return status;
}
