/* Tensor files: every type and version there and back, and files that mean harm.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A .npy file; its header is padded to make the data start at a multiple of 64. */
static void write_npy(const char *name, int version, const char *header, const void *data,
                      size_t bytes) {
    char *file = calloc(1, 1 << 17), *at = file;
    size_t fixed = version == 1 ? 10 : 12, length = strlen(header);
    size_t padded = (fixed + length + 1 + 63) / 64 * 64 - fixed;
    at += sprintf(at, "\x93NUMPY%c", version);
    *at++ = 0;
    for (size_t i = 0; i < fixed - 8; i++) *at++ = (char)(padded >> 8 * i);
    at += sprintf(at, "%s%*s\n", header, (int)(padded - length - 1), "");
    memcpy(at, data, bytes);
    write_file(name, file, (size_t)(at - file) + bytes);
    free(file);
}

static const struct {
    const char *type, *descr;
    size_t bytes;
} types[] = {
    {"f64", "<f8", 8}, {"f32", "<f4", 4}, {"f16", "<f2", 2}, {"bf16", "<V2", 2},
    {"i64", "<i8", 8}, {"i32", "<i4", 4}, {"i16", "<i2", 2}, {"i8", "|i1", 1},
    {"u64", "<u8", 8}, {"u32", "<u4", 4}, {"u16", "<u2", 2}, {"u8", "|u1", 1},
};

/* An identity layer keeps bits, so what comes out is what went in. */
static void test_round_trip(void **state) {
    (void)state;
    unsigned char data[48];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 37 + 11) & 0x3f;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int version = 1; version <= 3; version++) {
            one_layer_t model = {"ReduceSum", "opset1", types[i].type, "2,3", "", false};
            char header[128], expected[128];
            size_t size = 0, bytes = 6 * types[i].bytes;
            write_model("same", model);
            snprintf(header, sizeof header,
                     "{'descr': '%s', 'fortran_order': False, 'shape': (2, 3), }", types[i].descr);
            write_npy("x.npy", version, header, data, bytes);
            assert_int_equal(cli("run same.xml --input x.npy --output-dir out")->code, 0);
            char *file = read_file("out/y.npy", &size);
            memcpy(expected, "\x93NUMPY\x01\0\x76\0", 10);
            assert_int_equal(size, 128 + bytes);
            assert_memory_equal(file, expected, 10);
            assert_memory_equal(file + 10, header, strlen(header));
            assert_memory_equal(file + 128, data, bytes);
            free(file);
        }
}

static void test_orders(void **state) {
    (void)state;
    static const unsigned char fortran_big[] = {0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6};
    static const uint16_t rows[] = {1, 2, 3, 4, 5, 6};
    one_layer_t model = {"ReduceSum", "opset1", "u16", "2,3", "", false};
    write_model("same", model);
    write_npy("x.npy", 1, "{\"shape\":(2,3),'fortran_order':True,'descr':'>u2'}", fortran_big, 12);
    assert_json(cli("run same.xml --input x.npy --json")->out, "outputs.0.data", "[1,2,3,4,5,6]");
    write_npy("x.npy", 2, "{'descr':'=u2','fortran_order':False,'shape':(2L,3L)}", rows, 12);
    assert_json(cli("run same.xml --input - --json <x.npy")->out, "outputs.0.data",
                "[1,2,3,4,5,6]");
    model.type = "bf16";
    write_model("same", model);
    write_npy("x.npy", 1, "{'descr':'<u2','fortran_order':False,'shape':(2,3)}", rows, 12);
    assert_int_equal(cli("run same.xml --input x.npy")->code, 0);
    model = (one_layer_t){"ReduceSum", "opset1", "f32", "", "", false};
    write_model("same", model);
    write_npy("x.npy", 1, "{'descr':'<f4','fortran_order':True,'shape':()}", "\0\0\x80?", 4);
    assert_json(cli("run same.xml --input x.npy --json")->out, "outputs.0.data", "[1]");
    model = (one_layer_t){"ReduceSum", "opset1", "u8", "7", "", false};
    write_model("same", model);
    write_file("raw", "\x93NUMPZ\x01", 7); /* nearly a .npy, but named otherwise */
    assert_json(cli("run same.xml --input - --json <raw")->out, "outputs.0.data",
                "[147,78,85,77,80,90,1]");
    model = (one_layer_t){"ReduceSum", "opset1", "f32", "0,3", "", false};
    write_model("same", model);
    write_npy("x.npy", 1, "{'descr':'<f4','fortran_order':True,'shape':(0,3)}", "", 0);
    assert_json(cli("run same.xml --input x.npy --json")->out, "outputs.0.data", "[]");
}

#define HEADER(descr, order, shape)                                                                \
    "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

static void test_hostile_headers(void **state) {
    (void)state;
    static const struct {
        const char *header, *part;
    } cases[] = {
        {HEADER("'<f8'", "False", "(2,3)"), "does not fit"},
        {HEADER("'|f4'", "False", "(2,3)"), "does not fit"},
        {HEADER("'x'", "False", "(2,3)"), "does not fit"},
        {HEADER("''", "False", "(2,3)"), "lacks"},
        {HEADER("'|O'", "False", "(2,3)"), "does not fit"},
        {HEADER("[('a', '<f4')]", "False", "(2,3)"), "bad \"descr\""},
        {HEADER("'<f4<f4<f4<f4<f4<f4'", "False", "(2,3)"), "bad \"descr\""},
        {HEADER("'<f4'", "Maybe", "(2,3)"), "bad \"fortran_order\""},
        {HEADER("'<f4'", "False", "(3,2)"), "does not fit"},
        {HEADER("'<f4'", "False", "(6,)"), "does not fit"},
        {HEADER("'<f4'", "False", "(6)"), "bad \"shape\""},
        {HEADER("'<f4'", "False", "(2,-3)"), "bad \"shape\""},
        {HEADER("'<f4'", "False", "(2,99999999999999999999)"), "bad \"shape\""},
        {HEADER("'<f4'", "False", "(2,3"), "bad \"shape\""},
        {HEADER("'<f4'", "False", "(2,,3)"), "bad \"shape\""},
        {HEADER("'<f4'", "False", "(2,3)") " x", "follows"},
        {"{'descr': '<f4', 'fortran_order': False}", "lacks"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,3)}", "bad"},
        {"{'descr': '<f4', 'nosuch': 1}", "bad \"nosuch\""},
        {"{'descr: '<f4'}", "broken"},
        {"{'descr' '<f4'}", "broken"},
        {"{", "broken"},
        {"", "no dictionary"},
        {"[]", "no dictionary"},
    };
    char data[24] = {0};
    one_layer_t model = {"ReduceSum", "opset1", "f32", "2,3", "1", false};
    write_model("sum", model);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_npy("x.npy", 1, cases[i].header, data, sizeof data);
        const result_t *result = cli("run sum.xml --input x.npy --json");
        if (result->code != 1) print_error("%s\n", cases[i].header);
        assert_int_equal(result->code, 1);
        assert_has(result->err, cases[i].part);
        assert_json(result->out, "error.status", "\"PARAMETER_MISMATCH\"");
    }
}

static void test_hostile_files(void **state) {
    (void)state;
    char data[28] = {0}, *file = NULL;
    size_t size = 0;
    one_layer_t model = {"ReduceSum", "opset1", "f32", "2,3", "1", false};
    write_model("sum", model);
    write_npy("good.npy", 1, HEADER("'<f4'", "False", "(2,3)"), data, 24);
    assert_int_equal(cli("run sum.xml --input good.npy")->code, 0);
    file = read_file("good.npy", &size);
    for (size_t cut = 0; cut < size; cut += cut < 16 ? 1 : 13) { /* every kind of end */
        write_file("x.npy", file, cut);
        assert_int_equal(cli("run sum.xml --input x.npy")->code, 1);
    }
    write_npy("x.npy", 1, HEADER("'<f4'", "False", "(2,3)"), data, 28);
    assert_int_equal(cli("run sum.xml --input x.npy")->code, 1);
    assert_int_equal(cli("run sum.xml --input - <x.npy")->code, 1);
    file[6] = 4; /* version */
    write_file("x.npy", file, size);
    assert_has(cli("run sum.xml --input x.npy")->err, "version 4.0");
    memcpy(file, "\x93NUMPY\x02\0\xff\xff\xff\xff", 12);
    write_file("x.npy", file, size);
    assert_has(cli("run sum.xml --input x.npy")->err, "above 64 KiB");
    memcpy(file, "\x93NUMPX", 6);
    write_file("x.npy", file, size);
    assert_has(cli("run sum.xml --input x.npy")->err, "no .npy file");
    write_npy("x.npy", 1, HEADER("'<f4'", "False", "(2,3)"), data, 24);
    free(file);
    file = read_file("x.npy", &size);
    file[20] = 0;
    write_file("x.npy", file, size);
    assert_has(cli("run sum.xml --input x.npy")->err, "zero byte");
    free(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_hostile_headers),
        cmocka_unit_test(test_hostile_files),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
