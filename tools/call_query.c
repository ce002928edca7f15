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
    json_open(NULL, '{');
    json_text("device", session->device);
    json_open("layers", '[');
    for (size_t i = 0; i < ops->size; i++) {
        const irr_supported_op_t *op = &ops->ops[i];
        json_open(NULL, '{');
        json_texts("id", op->layer_id, "name", op->layer_name, "type", op->layer_type, NULL);
        json_bool("supported", op->supported);
        json_text("reason", op->supported ? NULL : op->reason);
        json_close();
    }
    json_end();
}

int call_query(const options_t *options, session_t *session) {
    irr_supported_ops_t ops = {0};
    TRY(session_open(session, options, NULL, NULL));
    LIB(irr_core_query_model(session->core, session->model, session->device, 0, NULL, &ops));
    progress_end();
    (options->json ? json_ops : print_ops)(session, &ops);
    irr_supported_ops_free(&ops);
    return IRR_OK;
}
