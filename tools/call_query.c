/* irreduce query: which layers a device takes, and for the others why not.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

int call_query(session_t *session) {
    bool as_json = session->options->json;
    irr_supported_ops_t ops = {0};
    size_t supported = 0;
    TRY(session_open(session));
    LIB(irr_core_query_model(session->core, session->model, session->device, 0, NULL, &ops));
    progress_end();
    if (as_json) json("{ device:s layers:[", session->device);
    for (size_t i = 0; i < ops.size; i++) {
        const irr_supported_op_t *op = &ops.ops[i];
        supported += op->supported;
        if (as_json)
            json("{ id:s name:s type:s supported:b reason:s }", op->layer_id, op->layer_name,
                 op->layer_type, op->supported, op->supported ? NULL : op->reason);
        else
            printf("layer %s \"%s\" (%s): %s%s\n", op->layer_id, op->layer_name, op->layer_type,
                   op->supported ? "supported" : "not supported: ", op->reason);
    }
    if (as_json)
        json("] }\n");
    else
        printf("%s takes %zu of %zu layers\n", session->device, supported, ops.size);
    irr_supported_ops_free(&ops);
    return IRR_OK;
}
