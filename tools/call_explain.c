/* irreduce explain: the merged geometry, every backend's offer, the choice.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <string.h>

static void print_layer(const char *layer) {
    const char *geometry = json_take_text(json_find(layer, "geometry"));
    printf("layer %s \"%s\" (%s %s): %s\n", json_take_text(json_find(layer, "id")),
           json_take_text(json_find(layer, "name")), json_take_text(json_find(layer, "op")),
           json_take_text(json_find(layer, "type")),
           strcmp(geometry, "null") ? geometry : "not planned before its shapes are known");
    for (const char *offer = json_first(json_find(layer, "offers")); offer;
         offer = json_next(offer)) {
        const char *us = json_take_text(json_find(offer, "estimate_us"));
        bool serves = strcmp(us, "null") != 0;
        printf("  %-10s %10s %s  %s\n", json_take_text(json_find(offer, "backend")),
               serves ? us : "declines", serves ? "us" : "  ",
               json_take_text(json_find(offer, "reason")));
    }
    printf("  choice: %s\n", json_take_text(json_find(layer, "choice")));
}

/* Run-time axes are known once a request has run with them. */
static int plan_with_axes(session_t *session, program_t *program) {
    TRY(session_feed(session, program));
    return library(irr_infer_request_infer(program->request));
}

int call_explain(const options_t *options) {
    session_t session;
    program_t program = {0};
    char *text = NULL;
    int status = session_open(&session, options, NULL, NULL);
    if (!status) status = session_compile(&session, 0, NULL, &program);
    if (!status && options->axes.count) status = plan_with_axes(&session, &program);
    if (!status)
        status = library(
            irr_compiled_model_get_property(program.compiled, irr_property_key_explain, &text));
    progress_end();
    if (!status && options->json)
        puts(text);
    else if (!status)
        for (const char *layer = json_first(json_find(text, "layers")); layer;
             layer = json_next(layer))
            print_layer(layer);
    irr_free(text);
    program_free(&program);
    session_close(&session);
    return status;
}
