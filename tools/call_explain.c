/* irreduce explain: the merged geometry, every backend's offer, the choice.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

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

/* The one layer of this id or name in the text, in the same form; NULL if there are not one. */
static const char *only_layer(const char *text, const char *id_or_name) {
    static const char start[] = "{\"id\":"; /* within a string each quote has a backslash */
    const char *found = NULL;
    for (const char *end, *at = strstr(text, start); at; at = end) {
        const char *scalar = at, *key = "", *id = "", *name = "";
        end = strstr(at + 1, start);
        if (!json_next(&scalar, &key, &id) || !json_next(&scalar, &key, &name)) return NULL;
        if (strcmp(id, id_or_name) && strcmp(name, id_or_name)) continue;
        if (found) return NULL;
        size_t tail = end ? 1 : 2; /* a comma, or "]}" */
        found = take_text("{\"layers\":[%.*s]}",
                          (int)((end ? (size_t)(end - at) : strlen(at)) - tail), at);
    }
    return found;
}

static int explain(session_t *session, const options_t *options, const char **explained) {
    program_t *program = &session->programs[0];
    char *text = NULL;
    TRY(session_open(session, options, NULL, NULL));
    TRY(session_compile(session, 0, NULL, program));
    if (options->axes.count) { /* run-time axes are known once a request has run with them */
        TRY(session_feed(session, program));
        TRY(program_infer(program));
    }
    LIB(irr_compiled_model_get_property(program->compiled, irr_property_key_explain, &text));
    *explained = take_text("%s", text);
    irr_free(text);
    return IRR_OK;
}

/* A layer is shown among its like where that can be: the whole model tells who shares a pass. */
static int explain_layer(session_t *session, const options_t *options, const char **explained) {
    options_t whole = *options;
    whole.layer = NULL;
    bool apart =
        options->axes.count || options->shapes.count || !strcmp(options->models.items[0], "-");
    if (!apart && !explain(session, &whole, explained) &&
        (*explained = only_layer(*explained, options->layer)))
        return IRR_OK;
    session_close(session);
    return explain(session, options, explained);
}

int call_explain(const options_t *options, session_t *session) {
    const char *text = NULL;
    TRY((options->layer ? explain_layer : explain)(session, options, &text));
    progress_end();
    if (options->json)
        puts(text);
    else
        print_layers(text);
    return IRR_OK;
}
