/* irreduce explain: the merged geometry, every backend's offer, the choice.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <string.h>

enum { ID, NAME, OP, TYPE, GEOMETRY, BACKEND, ESTIMATE, REASON, WITH, CHOICE, KEY_COUNT };
static const char *const keys[KEY_COUNT] = {
    "id",      "name",        "op",     "type",          "geometry",
    "backend", "estimate_us", "reason", "one_pass_with", "choice"};

/* What a line needs stands before the key that ends it. */
static void print_layers(const char *text) {
    const char *key = "", *value = "", *of[KEY_COUNT] = {0};
    while (json_next(&text, &key, &value)) {
        int k = 0;
        while (k < KEY_COUNT && strcmp(keys[k], key)) k++;
        if (k < KEY_COUNT) of[k] = value;
        bool null = !strcmp(value, "null"), serves = of[ESTIMATE] && strcmp(of[ESTIMATE], "null");
        if (k == ID) of[WITH] = NULL; /* few layers have it */
        if (k == GEOMETRY)
            printf("layer %s \"%s\" (%s %s): %s\n", of[ID], of[NAME], of[OP], of[TYPE],
                   null ? "not planned before its shapes are known" : value);
        else if (k == REASON)
            printf("  %-10s %10s %s  %s\n", of[BACKEND], serves ? of[ESTIMATE] : "declines",
                   serves ? "us" : "  ", value);
        else if (k == CHOICE)
            printf("  choice: %s%s%s\n", value, of[WITH] ? ", one pass with layer " : "",
                   of[WITH] ? of[WITH] : "");
    }
}

int call_explain(const options_t *options, session_t *session) {
    program_t *program = &session->programs[0];
    char *text = NULL;
    TRY(session_open(session, options, NULL, NULL));
    TRY(session_compile(session, 0, NULL, program));
    if (options->axes.count) { /* run-time axes are known once a request has run with them */
        TRY(session_feed(session, program));
        TRY(program_infer(program));
    }
    LIB(irr_compiled_model_get_property(program->compiled, irr_property_key_explain, &text));
    progress_end();
    if (options->json)
        puts(text);
    else
        print_layers(text);
    irr_free(text);
    return IRR_OK;
}
