/* Calls of the command, files and models for its tests.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[64];
static result_t last;

int cli_setup(void **state) {
    (void)state;
    strcpy(directory, "/tmp/irreduce-cli-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

int cli_teardown(void **state) {
    (void)state;
    char command[128];
    free(last.out);
    free(last.err);
    last = (result_t){0};
    json_at("0", ""); /* frees the oldest text only; the rest is reachable until the end */
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

const char *cli_path(const char *name) {
    static char paths[8][256];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

void write_file(const char *name, const void *bytes, size_t size) {
    FILE *to = fopen(cli_path(name), "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(bytes, 1, size, to), size);
    assert_int_equal(fclose(to), 0);
}

char *read_file(const char *name, size_t *size) {
    FILE *from = fopen(cli_path(name), "rb");
    if (!from) print_error("%s: %s\n", name, strerror(errno));
    assert_non_null(from);
    fseek(from, 0, SEEK_END);
    *size = (size_t)ftell(from);
    rewind(from);
    char *bytes = calloc(1, *size + 1);
    assert_int_equal(fread(bytes, 1, *size, from), *size);
    fclose(from);
    return bytes;
}

const result_t *cli(const char *format, ...) {
    char arguments[4096], command[8192];
    va_list list;
    size_t ignored = 0;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    snprintf(command, sizeof command, "cd '%s' && { '%s' %s ; } >out.txt 2>err.txt", directory,
             IRREDUCE_COMMAND, arguments);
    int status = system(command);
    free(last.out);
    free(last.err);
    last.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
    last.out = read_file("out.txt", &last.out_bytes);
    last.err = read_file("err.txt", &ignored);
    if (last.code > 2) print_error("%s\n%s", arguments, last.err);
    return &last;
}

/* ---- models ---- */

static size_t parse(const char *text, long long *numbers) {
    size_t count = 0;
    while (*text) {
        char *end = NULL;
        numbers[count++] = strtoll(text, &end, 10);
        text = *end ? end + 1 : end;
    }
    return count;
}

static char *put_dims(char *at, const long long *dims, size_t rank, const bool *reduced,
                      bool keep) {
    for (size_t i = 0; i < rank; i++)
        if (!reduced || !reduced[i] || keep)
            at += sprintf(at, "<dim>%lld</dim>", reduced && reduced[i] ? 1 : dims[i]);
    return at;
}

void write_model(const char *name, one_layer_t model) {
    static const char *const edges =
        "</layers><edges>\n<edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"/>\n"
        "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" to-port=\"1\"/>\n"
        "<edge from-layer=\"2\" from-port=\"2\" to-layer=\"3\" to-port=\"0\"/>\n</edges></net>\n";
    long long dims[64], axes[64];
    bool reduced[64] = {false};
    size_t rank = parse(model.shape, dims), count = parse(model.axes, axes);
    char in[2048] = "", out[2048] = "", text[8192], file[256];
    for (size_t i = 0; i < count; i++)
        reduced[axes[i] < 0 ? axes[i] + (long long)rank : axes[i]] = 1;
    put_dims(in, dims, rank, NULL, true);
    put_dims(out, dims, rank, reduced, model.keep_dims);
    int length = snprintf(
        text, sizeof text,
        "<?xml version=\"1.0\"?>\n<net name=\"one\" version=\"11\"><layers>\n"
        "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data shape=\"%s\" "
        "element_type=\"%s\"/><output><port id=\"0\" names=\"x\">%s</port></output></layer>\n"
        "<layer id=\"1\" name=\"axes\" type=\"Const\" version=\"opset1\"><data "
        "element_type=\"i64\" shape=\"%zu\" offset=\"0\" size=\"%zu\"/><output><port id=\"0\">"
        "<dim>%zu</dim></port></output></layer>\n"
        "<layer id=\"2\" name=\"reduce\" type=\"%s\" version=\"%s\"><data keep_dims=\"%s\"/><input>"
        "<port id=\"0\">%s</port><port id=\"1\"><dim>%zu</dim></port></input><output>"
        "<port id=\"2\" names=\"y\">%s</port></output></layer>\n"
        "<layer id=\"3\" name=\"result\" type=\"Result\" version=\"opset1\"><input><port id=\"0\">"
        "%s</port></input></layer>\n%s",
        model.shape, model.type, in, count, 8 * count, count, model.op, model.opset,
        model.keep_dims ? "true" : "false", in, count, out, out, edges);
    snprintf(file, sizeof file, "%s.xml", name);
    write_file(file, text, (size_t)length);
    snprintf(file, sizeof file, "%s.bin", name);
    write_file(file, axes, 8 * count);
}

void write_two_outputs(const char *name) {
    static const char text[] =
        "<net name=\"two\" version=\"11\"><layers>\n"
        "<layer id=\"0\" name=\"param\" type=\"Parameter\" version=\"opset1\"><data shape=\"2,3\" "
        "element_type=\"f32\"/><output><port id=\"0\" names=\"x,other\"><dim>2</dim><dim>3</dim>"
        "</port></output></layer>\n"
        "<layer id=\"1\" name=\"one\" type=\"Const\" version=\"opset1\"><data element_type=\"i32\" "
        "shape=\"1\" offset=\"0\" size=\"4\"/><output><port id=\"0\"><dim>1</dim></port></output>"
        "</layer>\n"
        "<layer id=\"2\" name=\"zero\" type=\"Const\" version=\"opset1\"><data "
        "element_type=\"i32\" "
        "shape=\"\" offset=\"4\" size=\"4\"/><output><port id=\"0\"/></output></layer>\n"
        "<layer id=\"3\" name=\"sums\" type=\"ReduceSum\" version=\"opset1\"><data "
        "keep_dims=\"false\"/><input><port id=\"0\"><dim>2</dim><dim>3</dim></port><port id=\"1\">"
        "<dim>1</dim></port></input><output><port id=\"2\" names=\"a/b\"><dim>2</dim></port>"
        "</output></layer>\n"
        "<layer id=\"4\" name=\"minima\" type=\"ReduceMin\" version=\"opset1\"><data "
        "keep_dims=\"true\"/><input><port id=\"0\"><dim>2</dim><dim>3</dim></port><port id=\"1\"/>"
        "</input><output><port id=\"2\" names=\"a:b\"><dim>1</dim><dim>3</dim></port></output>"
        "</layer>\n"
        "<layer id=\"5\" name=\"r5\" type=\"Result\" version=\"opset1\"><input><port id=\"0\">"
        "<dim>2</dim></port></input></layer>\n"
        "<layer id=\"6\" name=\"r6\" type=\"Result\" version=\"opset1\"><input><port id=\"0\">"
        "<dim>1</dim><dim>3</dim></port></input></layer>\n</layers><edges>"
        "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"3\" to-port=\"0\"/>"
        "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"3\" to-port=\"1\"/>"
        "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"4\" to-port=\"0\"/>"
        "<edge from-layer=\"2\" from-port=\"0\" to-layer=\"4\" to-port=\"1\"/>"
        "<edge from-layer=\"3\" from-port=\"2\" to-layer=\"5\" to-port=\"0\"/>"
        "<edge from-layer=\"4\" from-port=\"2\" to-layer=\"6\" to-port=\"0\"/>"
        "</edges></net>\n";
    static const int32_t axes[2] = {1, 0};
    char file[256];
    snprintf(file, sizeof file, "%s.xml", name);
    write_file(file, text, sizeof text - 1);
    snprintf(file, sizeof file, "%s.bin", name);
    write_file(file, axes, sizeof axes);
}
