/* The command's run: values in and out, layers, names of files, floats as text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float six[6] = {1, 2, 3, -4, 5, 0.25f};

static void test_values(void **state) {
    (void)state;
    write_two_outputs("two");
    write_file("x.bin", six, sizeof six);
    const result_t *result = cli("run two.xml --input x.bin");
    assert_int_equal(result->code, 0);
    assert_string_equal(result->err, "");
    assert_string_equal(result->out,
                        "a/b f32 [2]\n[   6 1.25]\na:b f32 [1,3]\n[[  -4    2 0.25]]\n");
    result = cli("run two.xml --json --input=other=x.bin");
    assert_int_equal(result->code, 0);
    assert_json(result->out, "outputs.0.name", "\"a/b\"");
    assert_json(result->out, "outputs.0.type", "\"f32\"");
    assert_json(result->out, "outputs.0.shape", "[2]");
    assert_json(result->out, "outputs.0.data", "[6,1.25]");
    assert_json(result->out, "outputs.1.shape", "[1,3]");
    assert_json(result->out, "outputs.1.data", "[-4,2,0.25]");
    assert_json(result->out, "profile", "[]");
    result = cli("run two.xml --input param=x.bin --profile --json");
    assert_json(result->out, "profile.0.op", "\"ReduceSum\"");
    static const char *const keys[] = {"layer",   "shape", "backend",  "kernel",         "tier",
                                       "threads", "us",    "gb_per_s", "exact_fallbacks"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char path[64];
        snprintf(path, sizeof path, "profile.1.%s", keys[i]);
        assert_non_null(json_at(result->out, path));
    }
    assert_has(cli("run two.xml --profile")->out, "ReduceMin");
}

static void test_layer(void **state) {
    (void)state;
    write_two_outputs("two");
    write_file("x.bin", six, sizeof six);
    const result_t *result = cli("run two.xml --layer minima --input data=x.bin --json");
    assert_int_equal(result->code, 0);
    assert_json(result->out, "outputs.0.data", "[-4,2,0.25]");
    result = cli("run two.xml --layer 3 --input x.bin --json");
    assert_json(result->out, "outputs.0.data", "[6,1.25]");
    assert_int_equal(cli("run two.xml --layer nosuch")->code, 1);
    assert_int_equal(cli("run two.xml --axes 1")->code, 1);
}

/* They are never made from the seed. */
static void test_run_time_axes(void **state) {
    (void)state;
    static const char *const model = GOOD_MODELS "/runtime_axes.xml";
    const result_t *result = cli("run %s", model);
    assert_int_equal(result->code, 1);
    assert_has(result->err, "\"axes\"");
    assert_int_equal(cli("run %s --layer norm", model)->code, 1);
    result = cli("run %s --axes 2,-1 --json", model);
    assert_json(result->out, "outputs.0.shape", "[6,12,1,1]");
    result = cli("run %s --layer norm --axes= --json", model);
    assert_json(result->out, "outputs.0.shape", "[6,12,10,24]");
    assert_int_equal(cli("run %s --axes 4", model)->code, 1);
    assert_int_equal(cli("run %s --axes 2 --axes 3", model)->code, 1);
    assert_int_equal(cli("run %s --axes 2,", model)->code, 2);
    result = cli("run %s/if_bodies.xml --layer 2/then_body/2 --json", GOOD_MODELS);
    assert_json(result->out, "outputs.0.shape", "[3]");
    result = cli("run %s/dynamic.xml --shape data=2,3,4 --json", GOOD_MODELS);
    assert_json(result->out, "outputs.0.shape", "[1,3,1]");
    assert_int_equal(cli("run %s/dynamic.xml", GOOD_MODELS)->code, 1);
}

/* How many axes there are is told at run time, and with it the rank of the output. */
static void test_run_time_rank(void **state) {
    (void)state;
    static const char text[] =
        "<net name='rank' version='11'><layers><layer id='0' name='x' type='Parameter' "
        "version='opset1'><data shape='2,3' element_type='i32'/><output><port id='0'><dim>2</dim>"
        "<dim>3</dim></port></output></layer><layer id='1' name='axes' type='Parameter' "
        "version='opset1'><data shape='?' element_type='i8'/><output><port id='0'><dim>-1</dim>"
        "</port></output></layer><layer id='2' name='total' type='ReduceSum' version='opset1'>"
        "<data keep_dims='false'/><input><port id='0'><dim>2</dim><dim>3</dim></port><port id='1'>"
        "<dim>-1</dim></port></input><output><port id='2'/></output></layer><layer id='3' name='y' "
        "type='Result' version='opset1'><input><port id='0'/></input></layer></layers><edges>"
        "<edge from-layer='0' from-port='0' to-layer='2' to-port='0'/><edge from-layer='1' "
        "from-port='0' to-layer='2' to-port='1'/><edge from-layer='2' from-port='2' to-layer='3' "
        "to-port='0'/></edges></net>";
    static const int32_t data[6] = {1, 2, 3, 4, 5, 6};
    write_file("rank.xml", text, sizeof text - 1);
    write_file("x.bin", data, sizeof data);
    assert_string_equal(cli("run rank.xml --input x=x.bin --axes 0")->out, "y i32 [3]\n[5 7 9]\n");
    const result_t *result = cli("run rank.xml --input x=x.bin --axes 1,0 --json");
    assert_int_equal(result->code, 0);
    assert_json(result->out, "outputs.0.shape", "[]");
    assert_json(result->out, "outputs.0.data", "[21]");
    assert_has(cli("explain rank.xml")->out, "not planned before its shapes are known");
    assert_has(cli("explain rank.xml --axes 1")->out, "keep 2, reduce 3");
    assert_int_equal(cli("explain rank.xml --axes 2")->code, 1);
    char nameless[sizeof text];
    memcpy(nameless, text, sizeof text);
    memcpy(strstr(nameless, "name='y'"), "name='' ", 8);
    write_file("nameless.xml", nameless, sizeof text - 1);
    result = cli("run nameless.xml --axes 1 --output-dir dir --json");
    assert_json(result->out, "outputs.0.file", "\"dir/_.npy\"");
}

static void test_seed(void **state) {
    (void)state;
    write_two_outputs("two");
    char *zero = strdup(cli("run two.xml --json")->out);
    assert_string_equal(cli("run two.xml --json --seed 0")->out, zero);
    assert_string_not_equal(cli("run two.xml --json --seed 1")->out, zero);
    free(zero);
}

static void test_failures(void **state) {
    (void)state;
    static const struct {
        const char *call, *status, *part;
    } cases[] = {
        {"run nosuch.xml", "NOT_FOUND", "nosuch.xml"},
        {"run two.xml --device NOSUCH", "NOT_FOUND", "NOSUCH"},
        {"run two.xml --input nosuch.npy", "NOT_FOUND", "nosuch.npy"},
        {"run two.xml --input nosuch=x.bin", "NOT_FOUND", "nosuch"},
        {"run two.xml --input short.bin", "PARAMETER_MISMATCH", "short.bin: 20 bytes"},
        {"run two.xml --input long.bin", "PARAMETER_MISMATCH", "long.bin: 28 bytes"},
        {"run two.xml --input .", "NOT_FOUND", "not a regular file"},
        {"run two.xml --input fifo", "NOT_FOUND", "not a regular file"},
        {"run two.xml --output-dir two.xml/sub", "GENERAL_ERROR", "two.xml/sub"},
        {"run two.xml --output-dir -", "PARAMETER_MISMATCH", "2"},
    };
    char seven[28] = {0};
    write_two_outputs("two");
    write_file("x.bin", six, sizeof six);
    write_file("short.bin", seven, 20);
    write_file("long.bin", seven, 28);
    char command[300];
    snprintf(command, sizeof command, "mkfifo '%s'", cli_path("fifo"));
    assert_int_equal(system(command), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool json = !strstr(cases[i].call, "--output-dir -");
        const result_t *result = cli("%s%s", cases[i].call, json ? " --json" : "");
        if (result->code != 1) print_error("%s\n", cases[i].call);
        assert_int_equal(result->code, 1);
        assert_has(result->err, cases[i].part);
        if (!json) continue;
        char status[64];
        snprintf(status, sizeof status, "\"%s\"", cases[i].status);
        assert_json(result->out, "error.status", status);
    }
}

static void test_output_files(void **state) {
    (void)state;
    static const unsigned char npy[128 + 8] = "\x93NUMPY\x01\0\x76\0{'descr': '<f4', "
                                              "'fortran_order': False, 'shape': (2,), }";
    size_t size = 0;
    write_two_outputs("two");
    write_file("x.bin", six, sizeof six);
    const result_t *result = cli("run two.xml --input x.bin --output-dir dir --json");
    assert_int_equal(result->code, 0);
    assert_json(result->out, "outputs.0.file", "\"dir/a_b.npy\"");
    assert_json(result->out, "outputs.1.file", "\"dir/a_b_2.npy\"");
    assert_null(json_at(result->out, "outputs.0.data"));
    char *file = read_file("dir/a_b.npy", &size);
    assert_int_equal(size, sizeof npy);
    assert_memory_equal(file, npy, 10 + 57);
    assert_int_equal(file[127], '\n');
    const float expected[2] = {6, 1.25f};
    assert_memory_equal(file + 128, expected, 8);
    free(file);
    result = cli("run two.xml --layer sums --input x.bin --output-dir -");
    assert_int_equal(result->code, 0);
    assert_int_equal(result->out_bytes, sizeof npy);
    assert_memory_equal(result->out, npy, 10 + 57);
}

/* Bits in, text out: the shortest digits that read back in the type. */
static void test_shortest(void **state) {
    (void)state;
    const struct {
        const char *type, *shape, *expected;
        const void *data;
        size_t bytes;
    } cases[] = {
        {"f64", "6",
         "[0.1,5e-324,1.7976931348623157e+308,5.684341886080802e-14,\"NaN\",\"-Infinity\"]",
         (const uint64_t[]){0x3fb999999999999a, 1, 0x7fefffffffffffff, 0x3d30000000000000,
                            0x7ff8000000000000, 0xfff0000000000000},
         48},
        {"f32", "7", "[0.1,1e-45,3.4028235e+38,-0.0,\"Infinity\",16777216,3.3333334e-05]",
         (const uint32_t[]){0x3dcccccd, 1, 0x7f7fffff, 0x80000000, 0x7f800000, 0x4b800000,
                            0x380bcf65},
         28},
        {"f16", "4", "[0.1,6e-08,6.55e+04,\"NaN\"]", (const uint16_t[]){0x2e66, 1, 0x7bff, 0x7e00},
         8},
        {"bf16", "3", "[0.1,9e-41,3.39e+38]", (const uint16_t[]){0x3dcd, 1, 0x7f7f}, 6},
        {"u64", "2", "[18446744073709551615,0]", (const uint64_t[]){UINT64_MAX, 0}, 16},
        {"i64", "1", "[-9223372036854775808]", (const int64_t[]){INT64_MIN}, 8},
        {"i8", "3", "[-128,127,0]", (const int8_t[]){-128, 127, 0}, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        one_layer_t model = {"ReduceMin", "opset1", cases[i].type, cases[i].shape, "", false};
        write_model("same", model);
        write_file("x.bin", cases[i].data, cases[i].bytes);
        const result_t *result = cli("run same.xml --input x.bin --json");
        assert_int_equal(result->code, 0);
        assert_json(result->out, "outputs.0.data", cases[i].expected);
    }
}

static void test_printing(void **state) {
    (void)state;
    one_layer_t model = {"ReduceSum", "opset1", "i32", "2,2,2", "", false};
    static const int32_t eight[8] = {1, 2, 3, 4, -5, 6, 7, 8};
    write_model("same", model);
    write_file("x.bin", eight, sizeof eight);
    assert_string_equal(cli("run same.xml --input x.bin")->out,
                        "y i32 [2,2,2]\n[[[ 1  2]\n  [ 3  4]]\n\n [[-5  6]\n  [ 7  8]]]\n");
    int32_t *many = calloc(1001, 4);
    for (int i = 0; i < 1001; i++) many[i] = i;
    model.shape = "1001";
    write_model("same", model);
    write_file("x.bin", many, 4004);
    assert_string_equal(cli("run same.xml --input x.bin")->out,
                        "y i32 [1001]\n[   0    1    2 ...  998  999 1000]\n");
    free(many);
    model.shape = "0,2";
    write_model("same", model);
    assert_string_equal(cli("run same.xml")->out, "y i32 [0,2]\n[]\n");
    model = (one_layer_t){"ReduceSum", "opset1", "i32", "2,3", "0,1", false};
    write_model("scalar", model);
    write_file("x.bin", eight, 24);
    assert_string_equal(cli("run scalar.xml --input x.bin")->out, "y i32 []\n11\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),        cmocka_unit_test(test_layer),
        cmocka_unit_test(test_seed),          cmocka_unit_test(test_run_time_axes),
        cmocka_unit_test(test_failures),      cmocka_unit_test(test_shortest),
        cmocka_unit_test(test_output_files),  cmocka_unit_test(test_printing),
        cmocka_unit_test(test_run_time_rank),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
