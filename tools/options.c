/* The options, one row each: what they are called, where their value goes, what they mean.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <errno.h>
#include <stddef.h>

typedef enum { FLAG, TEXT, LIST, NUMBER } form_e;

typedef struct {
    const char *name, *argument; /* no name is a part of another */
    form_e form;
    size_t offset;
    const char *help;
} option_t;

#define AT(member) offsetof(options_t, member)
static const option_t table[] = {
    {"--weights", "FILE.bin", TEXT, AT(weights), "constants; default: the model's name with .bin"},
    {"--device", "NAME", TEXT, AT(device), "the device; default: CPU"},
    {"--layer", "NAME_OR_ID", TEXT, AT(layer), "one reduce layer; 2/then_body/2 reaches inside"},
    {"--axes", "2,3", LIST, AT(axes), "values of the axes input"},
    {"--input", "[NAME=]FILE", LIST, AT(inputs), "an input, .npy or raw .bin; - is standard input"},
    {"--shape", "NAME=2,3", LIST, AT(shapes), "the shape of an input"},
    {"--seed", "N", NUMBER, AT(seed), "makes the inputs that are not given; default: 0"},
    {"--output-dir", "DIR", TEXT, AT(output_dir), "write DIR/NAME.npy; - is standard output"},
    {"--property", "KEY=VALUE", LIST, AT(properties), "a property of the device"},
    {"--problem", "TEXT", TEXT, AT(problem), "such as \"sum f32 [6,12,10,24] axes [2,3]\""},
    {"--threads", "N", NUMBER, AT(threads), "INFERENCE_NUM_THREADS"},
    {"--python", "PATH", LIST, AT(pythons), "a Python whose hosts are asked; default: python3"},
    {"--profile", NULL, FLAG, AT(profile), "a line a layer: what ran and how fast"},
    {"--json", NULL, FLAG, AT(json), "print one JSON object and nothing else"},
};
enum { OPTION_COUNT = sizeof table / sizeof *table };

static bool is_taken(const option_t *option, const char *takes) {
    return strstr(takes, option->name + 2);
}

static void append(list_t *list, const char *item, int most) {
    if (!list->items) list->items = take((size_t)most * sizeof *list->items);
    list->items[list->count++] = item;
}

static int set_option(const option_t *option, const char *value, options_t *options, int most) {
    void *target = (char *)options + option->offset;
    char *end = NULL;
    errno = 0;
    switch (option->form) {
    case FLAG:
        *(bool *)target = true;
        return IRR_OK;
    case TEXT:
        if (*(const char **)target) return wrong_call("%s is given twice", option->name);
        *(const char **)target = value;
        return IRR_OK;
    case LIST:
        append(target, value, most);
        return IRR_OK;
    default:
        *(uint64_t *)target = strtoull(value, &end, 10);
        if (*value >= '0' && *value <= '9' && !*end && !errno) return IRR_OK;
        return wrong_call("%s \"%s\" is not a number from 0 to 2^64-1", option->name, value);
    }
}

static int parse_axes(options_t *options) {
    options->axes_values = take(options->axes.count * sizeof *options->axes_values);
    for (size_t i = 0; i < options->axes.count; i++) {
        int64_t *values = take(MAX_RANK * sizeof *values);
        options->axes_values[i].values = values;
        if (!parse_numbers(options->axes.items[i], values, &options->axes_values[i].size))
            return wrong_call("--axes \"%s\" is not a list as in 2,3", options->axes.items[i]);
    }
    return IRR_OK;
}

int parse_options(int argc, char **argv, const char *takes, options_t *options) {
    bool only_names = false;
    for (int i = 0; i < argc; i++) {
        const char *text = argv[i], *equals = strchr(text, '=');
        size_t length = equals ? (size_t)(equals - text) : strlen(text), k = 0;
        if (only_names || text[0] != '-' || !text[1]) {
            append(&options->models, text, argc);
        } else if (!strcmp(text, "--")) {
            only_names = true;
        } else if (!strcmp(text, "--help") || !strcmp(text, "-h")) {
            options->help = true;
        } else {
            while (k < OPTION_COUNT && (strncmp(table[k].name, text, length) ||
                                        table[k].name[length] || !is_taken(&table[k], takes)))
                k++;
            if (k == OPTION_COUNT) return wrong_call("unknown option %s", text);
            if (table[k].form == FLAG && equals)
                return wrong_call("%s takes no value", table[k].name);
            if (table[k].form != FLAG && !equals && ++i == argc)
                return wrong_call("%s needs %s", table[k].name, table[k].argument);
            TRY(set_option(&table[k], equals ? equals + 1 : argv[i], options, argc));
        }
    }
    return parse_axes(options);
}

void print_options(FILE *to, const char *takes) {
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (!is_taken(&table[i], takes)) continue;
        const char *argument = table[i].argument ? table[i].argument : "";
        fprintf(to, "  %s %-*s %s\n", table[i].name, 24 - (int)strlen(table[i].name), argument,
                table[i].help);
    }
}

bool parse_numbers(const char *text, int64_t *numbers, size_t *count) {
    *count = 0;
    text += strspn(text, " ");
    while (*text) {
        char *end = NULL;
        errno = 0;
        if (*count == MAX_RANK) return false;
        numbers[(*count)++] = strtoll(text, &end, 10);
        if (end == text || errno) return false;
        end += strspn(end, " ");
        if (*end && (*end != ',' || !end[1])) return false;
        text = *end ? end + 1 : end;
    }
    return true;
}
