/* The command: every call of its table, exit codes, words, JSON.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const one_layer_t sum = {"ReduceSum", "opset1", "f32", "2,3", "1", false};

static void test_wrong_calls(void **state) {
    (void)state;
    static const char *const calls[] = {
        "",
        "nosuch",
        "check",
        "run",
        "run a.xml b.xml",
        "run sum.xml --nosuch",
        "run sum.xml --seed",
        "run sum.xml --seed -1",
        "run sum.xml --seed 1x",
        "run sum.xml --profile=1",
        "run sum.xml --device CPU --device CPU",
        "run sum.xml --property PERF_COUNT",
        "run sum.xml --property NO_SUCH_KEY=1",
        "run sum.xml --property PERF_COUNT=MAYBE",
        "run sum.xml --axes 1,",
        "run sum.xml --shape x=2,",
        "run sum.xml --shape x=-2,3",
        "run sum.xml --output-dir - --json",
        "check sum.xml --axes a",
        "check - -",
        "bench",
        "bench sum.xml --problem \"sum f32 [2] axes [0]\"",
        "bench --problem \"sum f32\"",
        "bench --problem \"nosuch f32 [2] axes [0]\"",
        "bench --problem \"sum f33 [2] axes [0]\"",
        "bench --problem \"sum f32 [2] axes [0] more\"",
        "bench --problem \"sum f32 [-2] axes [0]\"",
        "devices more",
        "doctor more",
        "help nosuch",
    };
    write_model("sum", sum);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const result_t *result = cli("%s", calls[i]);
        if (result->code != 2) print_error("%s\n", calls[i]);
        assert_int_equal(result->code, 2);
        assert_has(result->err, "usage: irreduce");
        if (!strstr(calls[i], "--json")) assert_string_equal(result->out, "");
    }
    const result_t *result = cli("run sum.xml --json --nosuch");
    assert_int_equal(result->code, 2);
    assert_json(result->out, "error.status", "\"INVALID_C_PARAM\"");
    assert_json(result->out, "error.message", "\"unknown option --nosuch\"");
}

static void test_help_and_versions(void **state) {
    (void)state;
    const result_t *result = cli("help");
    assert_int_equal(result->code, 0);
    static const char *const words[] = {"check",   "query",  "run",       "explain", "bench",
                                        "devices", "doctor", "--version", "help"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) assert_has(result->out, words[i]);
    assert_int_equal(cli("help run")->code, 0);
    result = cli("run --help");
    assert_int_equal(result->code, 0);
    assert_has(result->out, "--output-dir DIR");
    result = cli("--version");
    assert_int_equal(result->code, 0);
    assert_has(result->out, "irreduce");
    assert_has(result->out, "libxml2");
    assert_has(result->out, "oneDNN");
    assert_has(result->out, "scalar");
    result = cli("--version --json");
    assert_non_null(json_at(result->out, "tiers"));
    result = cli("devices");
    assert_int_equal(result->code, 0);
    assert_has(result->out, "CPU");
    assert_has(result->out, "INFERENCE_NUM_THREADS");
    result = cli("devices --json");
    assert_json(result->out, "devices.0.name", "\"CPU\"");
    assert_non_null(json_at(result->out, "devices.0.full_name"));
}

static void test_check(void **state) {
    (void)state;
    write_model("sum", sum);
    const result_t *result = cli("check sum.xml");
    assert_int_equal(result->code, 0);
    assert_string_equal(result->out, "4 layers, 1 reduce layers, 0 problems\n");
    result = cli("check sum.xml sum.xml --json");
    assert_int_equal(result->code, 0);
    assert_json(result->out, "files.0.file", "\"sum.xml\"");
    assert_json(result->out, "files.1.layers", "4");
    assert_json(result->out, "files.1.reduce_layers", "1");
    assert_json(result->out, "files.1.problems", "[]");

    size_t size = 0; /* axis 1 becomes axis 9 */
    int64_t axis = 9;
    char *text = read_file("sum.xml", &size);
    write_file("bad.xml", text, size);
    write_file("bad.bin", &axis, 8);
    free(text);
    result = cli("check bad.xml");
    assert_int_equal(result->code, 1);
    assert_string_equal(result->err, "");
    assert_has(result->out, "bad.xml:5: layer 2 \"reduce\" (ReduceSum): ");
    assert_has(result->out, "\n4 layers, 1 reduce layers, 1 problems\n");
    result = cli("check sum.xml bad.xml nosuch.xml --json");
    assert_int_equal(result->code, 1);
    assert_string_equal(result->err, "");
    assert_json(result->out, "files.1.problems.0.file", "\"bad.xml\"");
    assert_json(result->out, "files.1.problems.0.line", "5");
    assert_json(result->out, "files.1.problems.0.layer_id", "\"2\"");
    assert_json(result->out, "files.1.problems.0.layer_name", "\"reduce\"");
    assert_json(result->out, "files.1.problems.0.type", "\"ReduceSum\"");
    assert_json(result->out, "files.1.problems.0.status", "\"NETWORK_NOT_READ\"");
    assert_non_null(json_at(result->out, "files.1.problems.0.message"));
    assert_json(result->out, "files.2.problems.0.line", "null");
    assert_json(result->out, "files.2.problems.0.layer_id", "null");
    assert_int_equal(cli("check bad.xml --weights sum.bin")->code, 0);
    assert_int_equal(cli("check - --weights sum.bin <sum.xml")->code, 0);
}

/* However many types are unknown, few are named. */
static void test_check_unknown(void **state) {
    (void)state;
    enum { LAYERS = 2000, ROOM = 100 * LAYERS };
    char *text = malloc(ROOM);
    assert_non_null(text);
    int length = snprintf(text, ROOM, "<net name=\"x\" version=\"11\"><layers>");
    for (int k = 0; k < LAYERS; k++)
        length +=
            snprintf(text + length, (size_t)(ROOM - length),
                     "<layer id=\"%d\" name=\"n\" type=\"T%d\" version=\"opset1\"/>", k, k / 2);
    length += snprintf(text + length, (size_t)(ROOM - length), "</layers><edges/></net>");
    write_file("unknown.xml", text, (size_t)length);
    free(text);
    const result_t *result = cli("check unknown.xml");
    assert_int_equal(result->code, 0);
    assert_has(result->out, "2000 layers of other types");
    assert_has(result->out, ": T0, T1, T2,");
    assert_has(result->out, "T19, ...\n");
}

static void test_check_fragments(void **state) {
    (void)state;
    static const char text[] =
        "<layer id=\"1\" type=\"ReduceSum\" ...>\n<data keep_dims=\"true\" />\n<input>\n"
        "<port id=\"0\"><dim>6</dim><dim>12</dim></port>\n"
        "<port id=\"1\"><dim>1</dim></port>\n</input>\n"
        "<output><port id=\"2\"><dim>6</dim><dim>1</dim></port></output>\n</layer>\n";
    char both[2 * sizeof text];
    int length = snprintf(both, sizeof both, "%s%s", text, text);
    write_file("fragments.xml", both, (size_t)length);
    assert_int_equal(cli("check fragments.xml --axes 1")->code, 0);
    assert_int_equal(cli("check fragments.xml --axes 1 --axes -1")->code, 0);
    const result_t *result = cli("check fragments.xml --axes 1 --axes 0");
    assert_int_equal(result->code, 1);
    assert_has(result->out, "fragments.xml:");
    assert_has(result->out, "2 layers, 2 reduce layers, 1 problems");
    write_file("one.xml", text, sizeof text - 1); /* counted over all files */
    assert_int_equal(cli("check one.xml one.xml --axes 1 --axes -1")->code, 0);
    result = cli("check one.xml one.xml --axes 1 --axes 0");
    assert_int_equal(result->code, 1);
    assert_has(result->out, "one.xml:");
}

static void test_query(void **state) {
    (void)state;
    write_model("sum", sum);
    const result_t *result = cli("query sum.xml");
    assert_int_equal(result->code, 0);
    assert_has(result->out, "layer 2 \"reduce\" (ReduceSum): supported");
    result = cli("query sum.xml --device CPU --json");
    assert_int_equal(result->code, 0);
    assert_json(result->out, "device", "\"CPU\"");
    assert_json(result->out, "layers.2.id", "\"2\"");
    assert_json(result->out, "layers.2.name", "\"reduce\"");
    assert_json(result->out, "layers.2.type", "\"ReduceSum\"");
    assert_json(result->out, "layers.2.supported", "true");
    assert_non_null(json_at(result->out, "layers.2.reason"));
    result = cli("query sum.xml --device NOSUCH --json");
    assert_int_equal(result->code, 1);
    assert_json(result->out, "error.status", "\"NOT_FOUND\"");
    assert_has(result->err, "NOSUCH");
}

static void test_explain(void **state) {
    (void)state;
    write_model("sum", sum);
    const result_t *result = cli("explain sum.xml");
    assert_int_equal(result->code, 0);
    assert_has(result->out, "layer 2 \"reduce\" (ReduceSum f32): ");
    assert_has(result->out, "choice: ");
    result = cli("explain sum.xml --json");
    assert_int_equal(result->code, 0);
    assert_json(result->out, "layers.0.id", "\"2\"");
    assert_json(result->out, "layers.0.op", "\"ReduceSum\"");
    assert_json(result->out, "layers.0.type", "\"f32\"");
    assert_non_null(json_at(result->out, "layers.0.geometry"));
    assert_non_null(json_at(result->out, "layers.0.offers.0.backend"));
    assert_non_null(json_at(result->out, "layers.0.offers.0.estimate_us"));
    assert_non_null(json_at(result->out, "layers.0.offers.0.reason"));
    assert_non_null(json_at(result->out, "layers.0.choice"));
}

/* A model's layers are explained as they run: beside whom one shares a pass, into whom it is
 * folded; a layer that is taken out, as it runs alone. */
static void test_explain_together(void **state) {
    (void)state;
    static const char *const kinds[][2] = {{"ReduceSum", "ReduceL2"}, {"ReduceMin", "ReduceMin"}};
    for (int chain = 0; chain < 2; chain++) {
        char text[4096];
        int length = snprintf(
            text, sizeof text,
            "<net name='two' version='11'><layers><layer id='0' name='x' type='Parameter' "
            "version='opset1'><data shape='4,300,3000' element_type='f32'/><output><port id='0'>"
            "<dim>4</dim><dim>300</dim><dim>3000</dim></port></output></layer><layer id='1' "
            "name='axes' type='Const' version='opset1'><data element_type='i64' shape='1' "
            "offset='0' size='8'/><output><port id='0'><dim>1</dim></port></output></layer>"
            "<layer id='2' name='first' type='%s' version='opset4'><data keep_dims='true'/><input>"
            "<port id='0'><dim>4</dim><dim>300</dim><dim>3000</dim></port><port id='1'><dim>1</dim>"
            "</port></input><output><port id='2'><dim>4</dim><dim>300</dim><dim>1</dim></port>"
            "</output></layer><layer id='3' name='second' type='%s' version='opset4'><data "
            "keep_dims='true'/><input><port id='0'><dim>-1</dim><dim>-1</dim><dim>-1</dim></port>"
            "<port id='1'><dim>1</dim></port></input><output><port id='2'><dim>-1</dim>"
            "<dim>-1</dim><dim>1</dim></port></output></layer><layer id='4' name='y' type='Result' "
            "version='opset1'><input><port id='0'><dim>-1</dim><dim>-1</dim><dim>1</dim></port>"
            "</input></layer><layer id='5' name='z' type='Result' version='opset1'><input>"
            "<port id='0'><dim>-1</dim><dim>-1</dim><dim>1</dim></port></input></layer></layers>"
            "<edges><edge from-layer='0' from-port='0' to-layer='2' to-port='0'/><edge "
            "from-layer='1' from-port='0' to-layer='2' to-port='1'/><edge from-layer='%d' "
            "from-port='%d' to-layer='3' to-port='0'/><edge from-layer='1' from-port='0' "
            "to-layer='3' to-port='1'/><edge from-layer='%d' from-port='2' to-layer='4' "
            "to-port='0'/><edge from-layer='3' from-port='2' to-layer='5' to-port='0'/></edges>"
            "</net>",
            kinds[chain][0], kinds[chain][1], chain ? 2 : 0, chain ? 2 : 0, chain ? 3 : 2);
        static const int64_t last = 2;
        write_file("two.xml", text, (size_t)length);
        write_file("two.bin", &last, sizeof last);
        const result_t *result = cli("explain two.xml");
        assert_int_equal(result->code, 0);
        assert_has(result->out, chain ? "folded into layer second" : "one pass with layer second");
        result = cli("explain two.xml --json");
        assert_json(result->out, "layers.1.name", "\"second\"");
        if (!chain) assert_json(result->out, "layers.1.one_pass_with", "\"first\"");
        result = cli("explain two.xml --layer first");
        assert_has(result->out, "layer 2 \"first\"");
        assert_has(result->out, "choice: simd\n");
        assert_null(strstr(result->out, "second"));
        result = cli("run two.xml --profile"); /* nothing is told of what did not run */
        if (chain)
            assert_has(result->out,
                       "profile: first ReduceMin [4,300,3000] axes [2] folded into layer second\n");
    }
}

static void test_bench(void **state) {
    (void)state;
    static const char *const keys[] = {"threads", "median_us", "min_us", "read_us",
                                       "ratio",   "gb_per_s",  "kernel"};
    static const char *const problems[] = {
        "sum f32 [6,12,10,24] axes [2,3]", "l2 f16 [64,64] axes [-1]", "min i8 [7,9] axes [0]",
        "sum u64 [3,5] axes [0,1]",        "l2 f64 [5,4,3] axes [1]",
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        const result_t *result = cli("bench --problem \"%s\" --threads 1 --json", problems[i]);
        assert_int_equal(result->code, 0);
        assert_json(result->out, "verified", "true");
        assert_json(result->out, "threads", "1");
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            assert_non_null(json_at(result->out, keys[k]));
        assert_has(result->out, problems[i]);
    }
    write_model("sum", sum);
    const result_t *result = cli("bench sum.xml");
    assert_int_equal(result->code, 0);
    assert_has(result->out, "median");
    result = cli("bench %s/types.xml", GOOD_MODELS); /* every kernel of a long list is named */
    assert_has(result->out, ",sum_u8_rows, ");
    result = cli("bench --problem \"sum f32 [2] axes [5]\"");
    assert_int_equal(result->code, 1);
    assert_has(result->err, "<memory>:");
}

static void test_streams(void **state) {
    (void)state;
    write_model("sum", sum);
    assert_int_equal(cli("run - --weights sum.bin <sum.xml")->code, 0);
    assert_int_equal(cli("run sum.xml >/dev/full")->code, 1);
    assert_int_equal(cli("run sum.xml --input - </dev/null")->code, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_calls),   cmocka_unit_test(test_help_and_versions),
        cmocka_unit_test(test_check),         cmocka_unit_test(test_check_fragments),
        cmocka_unit_test(test_check_unknown), cmocka_unit_test(test_query),
        cmocka_unit_test(test_explain),       cmocka_unit_test(test_explain_together),
        cmocka_unit_test(test_bench),         cmocka_unit_test(test_streams),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
