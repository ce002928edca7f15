/* irreduce explain: the merged geometry, every backend's offer, the choice.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

/* What is printed of each field, in the order in which the library tells them. */
static const struct {
    const char *key, *format, *if_null;
} fields[] = {
    {"id", "layer %s ", NULL},
    {"name", "\"%s\" ", NULL},
    {"op", "(%s ", NULL},
    {"type", "%s): ", NULL},
    {"geometry", "%s\n", "not planned before its shapes are known\n"},
    {"backend", "  %-10s ", NULL},
    {"estimate_us", "%10s us  ", "  declines     "},
    {"reason", "%s\n", NULL},
    {"one_pass_with", "  one pass with layer %s\n", NULL},
    {"choice", "  choice: %s\n", NULL},
};

static void print_layers(const char *text) {
    const char *key = "", *value = "";
    while (json_next(&text, &key, &value))
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
            if (!strcmp(fields[k].key, key)) {
                bool null = fields[k].if_null && !strcmp(value, "null");
                printf(null ? fields[k].if_null : fields[k].format, value);
            }
}

int call_explain(session_t *session) {
    const options_t *options = session->options;
    program_t *program = &session->programs[0];
    char *text = NULL;
    TRY(session_open(session));
    TRY(session_compile(session, 0, NULL, program));
    if (options->axes.count) { /* they are known once a request has run with them */
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
