/* The second reader's cases: each line of cases.txt becomes an IR model with its .bin and inputs,
 * goes through `irreduce check` and `irreduce run`, and its answer is held against the line.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../cli/cli.h"
#include "tensor.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FIELDS = 5, WORDS = 512 };

typedef struct {
    char *name;
    char type[32], opset[16], keep_dims[32];
    bool has_keep_dims, has_data_element, accuracy;
    bool has_axes, axes_are_parameter;
    tensor_t data, axes, expected;
    const char *error; /* its words, or NULL */
    bool at_run;       /* `check` cannot see it */
    bool declares;     /* the output port's dims are the case's */
} case_t;

/* ---- a line ---- */

static char *trim(char *text) {
    text += strspn(text, " ");
    for (size_t length = strlen(text); length && strchr(" \n", text[length - 1]);)
        text[--length] = '\0';
    return text;
}

static bool parse_layer(case_t *c, char *text) {
    c->has_data_element = true;
    for (int i = 0; *text; i++) {
        size_t length = strcspn(text, " ");
        char *next = trim(text + length);
        text[length] = '\0';
        if (i == 0) {
            snprintf(c->type, sizeof c->type, "%s", text);
        } else if (i == 1) {
            snprintf(c->opset, sizeof c->opset, "%s", text);
        } else if (!strncmp(text, "keep_dims=", 10)) {
            c->has_keep_dims = true;
            snprintf(c->keep_dims, sizeof c->keep_dims, "%s", text + 10);
        } else if (!strcmp(text, "-")) {
            c->has_data_element = false;
        } else if (!strcmp(text, "ACCURACY")) {
            c->accuracy = true;
        } else {
            return false;
        }
        text = next;
    }
    return *c->opset;
}

static bool parse_case(case_t *c, char *line) {
    char *fields[FIELDS] = {NULL}, *words = NULL;
    *c = (case_t){0};
    for (int i = 0; i < FIELDS; i++) {
        char *bar = strchr(line, '|');
        if ((i == FIELDS - 1) != !bar) return false;
        if (bar) *bar = '\0';
        fields[i] = trim(line);
        if (bar) line = bar + 1;
    }
    c->name = fields[0];
    if (!parse_layer(c, fields[1]) || !tensor_parse(&c->data, fields[2])) return false;
    c->has_axes = strcmp(fields[3], "none") != 0;
    c->axes_are_parameter = !strncmp(fields[3], "param ", 6);
    if (c->has_axes && !tensor_parse(&c->axes, fields[3] + 6 * c->axes_are_parameter)) return false;
    if ((words = strstr(fields[4], "error:"))) {
        c->error = trim(words + 6);
        c->at_run = words - fields[4] >= 4 && !strncmp(words - 4, "run ", 4);
        if (c->at_run) words -= 4;
        *words = '\0';
        fields[4] = trim(fields[4]);
    }
    c->declares = *fields[4] != '\0';
    return c->declares ? tensor_parse(&c->expected, fields[4]) : c->error != NULL;
}

/* ---- its model ---- */

static void put_dims(FILE *to, const char *dims) {
    while (*dims) {
        size_t length = strcspn(dims, ",");
        fprintf(to, "<dim>%.*s</dim>", (int)length, dims);
        dims += length + (dims[length] == ',');
    }
}

static void put_port(FILE *to, int id, const char *dims) {
    fprintf(to, "<port id=\"%d\">", id);
    put_dims(to, dims);
    fputs("</port>", to);
}

static void put_source(FILE *to, int id, const char *name, const tensor_t *tensor, bool constant) {
    fprintf(to,
            "<layer id=\"%d\" name=\"%s\" type=\"%s\" version=\"opset1\">"
            "<data element_type=\"%s\" shape=\"%s\"",
            id, name, constant ? "Const" : "Parameter", tensor->type, tensor->declared);
    if (constant) fprintf(to, " offset=\"0\" size=\"%zu\"", tensor->count * tensor->width);
    fputs("/><output>", to);
    put_port(to, 0, tensor->declared);
    fputs("</output></layer>\n", to);
}

/* What the output port says: the expected dims, each -1 if data or axes are not known yet; without
 * an expectation, no more than the rank of the data. */
static void output_dims(const case_t *c, char *dims, size_t size) {
    size_t rank = c->declares ? c->expected.rank : c->data.rank, used = 0;
    bool known = c->declares && !c->axes_are_parameter && !strchr(c->data.declared, '-');
    if (known) snprintf(dims, size, "%s", c->expected.declared);
    if (known) return;
    *dims = '\0';
    for (size_t i = 0; i < rank; i++)
        used += (size_t)snprintf(dims + used, size - used, i ? ",-1" : "-1");
}

static void put_reduction(FILE *to, const case_t *c, bool fragment) {
    char dims[64];
    output_dims(c, dims, sizeof dims);
    if (fragment)
        fprintf(to, " <layer id=\"2\" type=\"%s\" ...>", c->type);
    else
        fprintf(to, "<layer id=\"2\" name=\"case\" type=\"%s\" version=\"%s\">", c->type, c->opset);
    if (c->has_keep_dims)
        fprintf(to, "<data keep_dims=\"%s\"/>", c->keep_dims);
    else if (c->has_data_element)
        fputs("<data/>", to);
    fputs("<input>", to);
    put_port(to, 0, c->data.declared);
    if (c->has_axes) put_port(to, 1, c->axes.declared);
    fputs("</input><output>", to);
    put_port(to, 2, dims);
    fputs("</output></layer>\n", to);
}

static void write_case(const case_t *c, bool fragment) {
    char dims[64];
    FILE *to = fopen(cli_path("case.xml"), "w");
    assert_non_null(to);
    output_dims(c, dims, sizeof dims);
    if (!fragment) {
        fputs("<?xml version=\"1.0\"?>\n<net name=\"case\" version=\"11\"><layers>\n", to);
        put_source(to, 0, "data", &c->data, false);
        if (c->has_axes) put_source(to, 1, "axes", &c->axes, !c->axes_are_parameter);
    }
    put_reduction(to, c, fragment);
    if (!fragment) {
        fputs("<layer id=\"3\" name=\"out\" type=\"Result\" version=\"opset1\"><input>", to);
        put_port(to, 0, dims);
        fputs("</input></layer>\n</layers><edges>\n"
              "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"/>\n",
              to);
        if (c->has_axes)
            fputs("<edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" to-port=\"1\"/>\n", to);
        fputs("<edge from-layer=\"2\" from-port=\"2\" to-layer=\"3\" to-port=\"0\"/>\n"
              "</edges></net>\n",
              to);
    }
    assert_int_equal(fclose(to), 0);
    if (c->data.has_values) write_file("data.bin", c->data.bytes, c->data.count * c->data.width);
    if (c->has_axes) write_file("case.bin", c->axes.bytes, c->axes.count * c->axes.width);
}

/* ---- its answer ---- */

static bool any_of(const char *text, const char *words) {
    char copy[WORDS], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok_r(copy, "/", &rest); word; word = strtok_r(NULL, "/", &rest))
        if (strcasestr(text, trim(word))) return true;
    return false;
}

/* An error names the layer; "axis/axes & 2" asks for more. */
static bool is_error(const case_t *c, const result_t *result, const char *text) {
    char copy[WORDS], *rest = NULL;
    bool named = strstr(text, "layer 2") || strstr(text, "\"layer_id\":\"2\"");
    if (result->code != 1 || !named) {
        print_error("%s: code %d, expected an error of layer 2: %s\n", c->name, result->code, text);
        return false;
    }
    snprintf(copy, sizeof copy, "%s", c->error);
    for (char *group = strtok_r(copy, "&", &rest); group; group = strtok_r(NULL, "&", &rest))
        if (!any_of(text, group)) {
            print_error("%s: expected %s in: %s\n", c->name, group, text);
            return false;
        }
    return true;
}

static bool judge_output(const case_t *c, const result_t *result) {
    char shape[80];
    const char *type = json_at(result->out, "outputs.0.type");
    const char *dims = json_at(result->out, "outputs.0.shape");
    size_t size = 0, head = 0, at = 0, expected = c->expected.count * c->expected.width;
    unsigned char *file = NULL;
    if (result->code || !type || !dims) {
        print_error("%s: code %d: %s%s\n", c->name, result->code, result->out, result->err);
        return false;
    }
    snprintf(shape, sizeof shape, "[%s]", c->expected.declared);
    if (strncmp(type + 1, c->expected.type, strlen(type) - 2) || strcmp(dims, shape)) {
        print_error("%s: %s%s, expected %s%s\n", c->name, type, dims, c->expected.type, shape);
        return false;
    }
    file = (unsigned char *)read_file("out/out.npy", &size);
    head = 10 + file[8] + 256u * file[9];
    at = size == head + expected ? tensor_differs(&c->expected, file + head) : 0;
    if (at < c->expected.count || size != head + expected) {
        print_error("%s: %zu bytes, expected %zu; element %zu is", c->name, size - head, expected,
                    at);
        for (size_t i = 0; i < c->expected.width && size == head + expected; i++)
            print_error(" %02x", file[head + at * c->expected.width + i]);
        print_error("; expected");
        for (size_t i = 0; i < c->expected.width; i++)
            print_error(" %02x", c->expected.bytes[at * c->expected.width + i]);
        print_error(" (lowest byte first)\n");
        expected = size + 1;
    }
    free(file);
    return expected <= size;
}

static const char *check_arguments(const case_t *c, char *text, size_t size, bool fragment) {
    size_t used = 0;
    *text = '\0';
    if (!fragment) return text;
    used = (size_t)snprintf(text, size, "--axes ");
    for (size_t i = 0; i < c->axes.count; i++) { /* they are i64 */
        long long axis = 0;
        memcpy(&axis, c->axes.bytes + i * sizeof axis, sizeof axis);
        used += (size_t)snprintf(text + used, size - used, i ? ",%lld" : "%lld", axis);
    }
    return text;
}

static bool judge_check(const case_t *c, bool fragment) {
    char more[256];
    const result_t *result =
        cli("check case.xml --json %s", check_arguments(c, more, sizeof more, fragment));
    if (c->error && !c->at_run) return is_error(c, result, result->out);
    if (result->code) print_error("%s: check: %s\n", c->name, result->out);
    return result->code == 0;
}

static bool judge_run(const case_t *c) {
    char shape[64] = "";
    const result_t *result = NULL;
    for (size_t i = 0, used = 0; i < c->data.rank && strchr(c->data.declared, '-'); i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, i ? ",%zu" : "--shape data=%zu",
                                 c->data.dims[i]);
    result = cli("run case.xml --json --input data=data.bin %s %s %s --output-dir out", shape,
                 c->axes_are_parameter ? "--input axes=case.bin" : "",
                 c->accuracy ? "--property EXECUTION_MODE_HINT=ACCURACY" : "");
    return c->error ? is_error(c, result, result->out) : judge_output(c, result);
}

static bool judge(const case_t *c) {
    bool fragment = !strcmp(c->opset, "fragment"), good = false;
    write_case(c, fragment);
    good = judge_check(c, fragment);
    return (fragment || judge_run(c)) && good;
}

/* ---- the table ---- */

static void test_cases(void **state) {
    char line[1024], kept[1024];
    size_t number = 0, cases = 0, wrong = 0;
    FILE *table = fopen(SECOND_READER_CASES, "r");
    (void)state;
    assert_non_null(table);
    while (fgets(line, sizeof line, table)) {
        case_t c = {0};
        number++;
        if (*line == '#' || *line == '\n') continue;
        snprintf(kept, sizeof kept, "%s", line);
        if (!parse_case(&c, line)) fail_msg("cases.txt:%zu: malformed: %s", number, kept);
        cases++;
        if (!judge(&c)) {
            wrong++;
            print_error("cases.txt:%zu: %s", number, kept);
        }
        tensor_free(&c.data);
        tensor_free(&c.axes);
        tensor_free(&c.expected);
    }
    assert_int_equal(fclose(table), 0);
    print_message("%zu cases\n", cases);
    assert_true(cases >= 60);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
