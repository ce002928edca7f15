/* The device through the wall: life cycle, properties, query, explain, profile, failing memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device_graph.h"
#include "failing_memory.h"
#include "kernel/cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char text[1024]; /* the last sentence */
static const irr_sentence_t sentence = {text, sizeof text};
static const int64_t axis_1 = 1;

static void assert_says(const char *part) {
    if (!strstr(text, part)) fail_msg("\"%s\" lacks \"%s\"", text, part);
}

/* f32 [2,3] summed over axis 1. */
static void sum_graph(device_graph_t *graph) {
    graph_begin(graph);
    uint32_t data = graph_input(graph, IRR_F32, 2, SHAPE(2, 3));
    uint32_t axes = graph_constant(graph, IRR_I64, 0, NULL, &axis_1);
    graph_output(graph, graph_layer(graph, "ReduceSum", data, axes, 1, SHAPE(2)));
}

static const float six[6] = {1, 2, 3, 4, 5, 6};

/* ---- life ---- */

static void test_life_in_any_order(void **state) {
    (void)state;
    device_graph_t graph;
    sum_graph(&graph);
    irr_plugin_request_t *request = request_on(&graph, NULL, 0); /* engine, compiled released */
    float sums[2] = {0};
    irr_tensor_view_t in = tensor(IRR_F32, 2, SHAPE(2, 3), six);
    irr_tensor_view_t out = tensor(IRR_F32, 1, SHAPE(2), sums);
    infer_or_fail(request, &in, &out);
    assert_true(sums[0] == 6 && sums[1] == 15);
    irr_plugin_engine_t *engine = engine_or_fail();
    in = tensor(IRR_F32, 2, SHAPE(3, 2), six);
    assert_int_equal(engine->infer(request, &in, &out, NULL, sentence), IRR_PARAMETER_MISMATCH);
    assert_says("input 0: dimension 0 is 3, expected 2");
    in = tensor(IRR_I32, 2, SHAPE(2, 3), six);
    assert_int_equal(engine->infer(request, &in, &out, NULL, sentence), IRR_PARAMETER_MISMATCH);
    assert_says("input 0: the tensor's type is i32, expected f32");
    in = tensor(IRR_F32, 2, SHAPE(2, 3), six);
    infer_or_fail(request, &in, &out);
    engine->release_request(request);
    engine->release(engine);
    engine = (irr_plugin_engine_t *)&graph;
    assert_int_equal(irr_create_plugin_engine(77, &engine, sentence), IRR_PARAMETER_MISMATCH);
    assert_says("ABI is 77");
    assert_null(engine);
}

/* ---- properties ---- */

static const char *get(irr_plugin_engine_t *engine, const char *key) {
    static char value[4096];
    size_t needed = 0;
    irr_status_e status = engine->get_property(engine, key, value, sizeof value, &needed, sentence);
    if (status != IRR_OK) fail_msg("%s: %s", key, text);
    assert_int_equal(needed, strlen(value) + 1);
    return value;
}

static const struct {
    const char *key, *value, *reads;
} good_properties[] = {{"INFERENCE_NUM_THREADS", "3", "3"},
                       {"PERF_COUNT", "TRUE", "YES"},
                       {"PERF_COUNT", "NO", "NO"},
                       {"EXECUTION_MODE_HINT", "ACCURACY", NULL},
                       {"EXECUTION_MODE_HINT", "PERFORMANCE", 0},
                       {"NUM_STREAMS", "4", "4"},
                       {"NUM_STREAMS", "AUTO", "AUTO"},
                       {"PERFORMANCE_HINT", "THROUGHPUT", NULL},
                       {"IRREDUCE_BACKEND", "reference", NULL},
                       {"IRREDUCE_BACKEND", "auto", NULL},
                       {"IRREDUCE_ISA", "scalar", NULL},
                       {"IRREDUCE_REPRODUCIBLE", "FALSE", "NO"},
                       {"IRREDUCE_PREFETCH", "TRUE", "YES"},
                       {"IRREDUCE_PREFETCH", "FAR", NULL},
                       {"IRREDUCE_PREFETCH", "NO", NULL}};
static const struct {
    const char *key, *value;
    irr_status_e status;
    const char *part;
} bad_properties[] = {
    {"PERF_COUNTS", "YES", IRR_NOT_FOUND, "known are INFERENCE_NUM_THREADS, PERF_COUNT, "},
    {"PERF_COUNT", "yes", IRR_PARAMETER_MISMATCH, "it takes NO, YES, FALSE, TRUE"},
    {"INFERENCE_NUM_THREADS", "-1", IRR_PARAMETER_MISMATCH, "it takes 0"},
    {"INFERENCE_NUM_THREADS", "2x", IRR_PARAMETER_MISMATCH, "\"2x\""},
    {"INFERENCE_NUM_THREADS", "", IRR_PARAMETER_MISMATCH, "it takes 0"},
    {"INFERENCE_NUM_THREADS", "99999999999999999999", IRR_PARAMETER_MISMATCH, "to 1024"},
    {"IRREDUCE_BACKEND", "gpu", IRR_PARAMETER_MISMATCH, "auto, simd, onednn, reference"},
    {"IRREDUCE_ISA", "sse2", IRR_PARAMETER_MISMATCH, "auto, scalar, avx2, avx512"},
    {"IRREDUCE_PREFETCH", "AUTO", IRR_PARAMETER_MISMATCH, "it takes NO, YES, FAR, FALSE, TRUE"},
    {"FULL_DEVICE_NAME", "x", IRR_PARAMETER_MISMATCH, "can only be read"},
    {"IRREDUCE_EXPLAIN", "x", IRR_PARAMETER_MISMATCH, "can only be read"}};

static void test_properties(void **state) {
    (void)state;
    irr_plugin_engine_t *engine = engine_or_fail();
    assert_string_equal(get(engine, "IRREDUCE_REPRODUCIBLE"), "YES");
    static const char *const prefetching[] = {"NO", "YES", "FAR"};
    assert_string_equal(get(engine, "IRREDUCE_PREFETCH"), prefetching[irr_cpu_prefetching()]);
    for (size_t i = 0; i < sizeof good_properties / sizeof *good_properties; i++) {
        assert_int_equal(engine->set_property(engine, good_properties[i].key,
                                              good_properties[i].value, sentence),
                         0);
        assert_string_equal(get(engine, good_properties[i].key), good_properties[i].reads
                                                                     ? good_properties[i].reads
                                                                     : good_properties[i].value);
    }
    for (size_t i = 0; i < sizeof bad_properties / sizeof *bad_properties; i++) {
        assert_int_equal(
            engine->set_property(engine, bad_properties[i].key, bad_properties[i].value, sentence),
            bad_properties[i].status);
        assert_says(bad_properties[i].part);
    }
    assert_true(strlen(get(engine, "FULL_DEVICE_NAME")) > 0);
    assert_ptr_equal(strstr(get(engine, "IRREDUCE_TIERS"), "scalar"),
                     get(engine, "IRREDUCE_TIERS"));
    assert_true(atoi(get(engine, "OPTIMAL_NUMBER_OF_INFER_REQUESTS")) >= 1);
    assert_non_null(strstr(get(engine, "SUPPORTED_PROPERTIES"), "\nNUM_STREAMS RW: accepted"));
    assert_true(strlen(get(engine, "IRREDUCE_ONEDNN_VERSION")) > 0);
    char little[3] = "??";
    size_t needed;
    assert_int_equal(
        engine->get_property(engine, "INFERENCE_NUM_THREADS", NULL, 0, &needed, sentence), 0);
    assert_int_equal(needed, 2);
    assert_int_equal(engine->get_property(engine, "IRREDUCE_ISA", little, 3, &needed, sentence), 0);
    assert_string_equal(little, "sc");
    assert_int_equal(needed, 7);
    assert_int_equal(engine->get_property(engine, "NONE", little, 3, &needed, sentence),
                     IRR_NOT_FOUND);
    engine->release(engine);
}

static void test_environment(void **state) {
    (void)state;
    setenv("IRREDUCE_REPRODUCIBLE", "NO", 1);
    setenv("IRREDUCE_ISA", "scalar", 1);
    irr_plugin_engine_t *engine = engine_or_fail();
    assert_string_equal(get(engine, "IRREDUCE_REPRODUCIBLE"), "NO");
    assert_string_equal(get(engine, "IRREDUCE_ISA"), "scalar");
    engine->set_property(engine, "IRREDUCE_REPRODUCIBLE", "YES", sentence);
    assert_string_equal(get(engine, "IRREDUCE_REPRODUCIBLE"), "YES");
    engine->release(engine);
    setenv("IRREDUCE_ISA", "neon", 1);
    assert_int_equal(irr_create_plugin_engine(IRR_PLUGIN_ABI, &engine, sentence),
                     IRR_PARAMETER_MISMATCH);
    assert_says("environment variable IRREDUCE_ISA is \"neon\"");
    unsetenv("IRREDUCE_REPRODUCIBLE");
    unsetenv("IRREDUCE_ISA");
}

static void test_compiled_properties(void **state) {
    (void)state;
    device_graph_t graph;
    sum_graph(&graph);
    irr_plugin_engine_t *engine = engine_or_fail();
    irr_plugin_compiled_t *compiled;
    const irr_property_t wrong = {"PERF_COUNT", "maybe"};
    compiled = (irr_plugin_compiled_t *)&graph;
    assert_int_equal(engine->compile(engine, &graph.view, &wrong, 1, &compiled, sentence),
                     IRR_PARAMETER_MISMATCH);
    assert_null(compiled);
    const irr_property_t threads = {"INFERENCE_NUM_THREADS", "1"};
    assert_int_equal(engine->compile(engine, &graph.view, &threads, 1, &compiled, sentence), 0);
    char value[64];
    size_t needed;
    assert_int_equal(engine->set_compiled_property(compiled, "PERF_COUNT", "YES", sentence), 0);
    assert_int_equal(engine->get_compiled_property(compiled, "PERF_COUNT", value, sizeof value,
                                                   &needed, sentence),
                     0);
    assert_string_equal(value, "YES");
    assert_int_equal(engine->get_compiled_property(compiled, "NETWORK_NAME", value, sizeof value,
                                                   &needed, sentence),
                     0);
    assert_string_equal(value, "small");
    assert_int_equal(engine->set_compiled_property(compiled, "IRREDUCE_ISA", "scalar", sentence),
                     IRR_PARAMETER_MISMATCH);
    assert_says("INFERENCE_NUM_THREADS, PERF_COUNT can be set");
    assert_int_equal(
        engine->get_compiled_property(compiled, "NONE", value, sizeof value, &needed, sentence),
        IRR_NOT_FOUND);
    assert_says("IRREDUCE_EXPLAIN");
    engine->release_compiled(compiled);
    engine->release(engine);
}

/* ---- query ---- */

static irr_status_e ask(irr_plugin_engine_t *engine, device_graph_t *graph, const char *key,
                        const char *value) {
    text[0] = '\0';
    const irr_property_t property = {key, value};
    return engine->query(engine, &graph->view, graph->view.layer_count - 1, &property, key != NULL,
                         sentence);
}

static void test_query(void **state) {
    (void)state;
    device_graph_t graph;
    irr_plugin_engine_t *engine = engine_or_fail();
    sum_graph(&graph);
    assert_int_equal(ask(engine, &graph, NULL, NULL), IRR_OK);
    assert_int_equal(ask(engine, &graph, "IRREDUCE_BACKEND", "reference"), IRR_OK);
    assert_int_equal(ask(engine, &graph, "EXECUTION_MODE_HINT", "ACCURACY"), IRR_OK);
    graph.layers[0].type = "ReduceMin";
    assert_int_equal(ask(engine, &graph, "EXECUTION_MODE_HINT", "ACCURACY"), IRR_OK);
    graph.layers[0].type = "Softmax";
    assert_int_equal(ask(engine, &graph, NULL, NULL), IRR_NOT_IMPLEMENTED);
    assert_says("type Softmax; this device takes ReduceMin, ");
    graph.layers[0] = (irr_graph_layer_t){.id = "0",
                                          .name = "p",
                                          .type = "Parameter",
                                          .data = IRR_NO_VALUE,
                                          .axes = IRR_NO_VALUE,
                                          .output = IRR_NO_VALUE};
    assert_int_equal(ask(engine, &graph, NULL, NULL), IRR_OK);
    sum_graph(&graph);
    graph.values[0].element_type = graph.values[2].element_type = IRR_BOOLEAN;
    assert_int_equal(ask(engine, &graph, NULL, NULL), IRR_NOT_IMPLEMENTED);
    assert_says("boolean");
    sum_graph(&graph);
    graph.values[1].element_type = (irr_element_type_e)99;
    assert_int_equal(ask(engine, &graph, NULL, NULL), IRR_NETWORK_NOT_READ);
    assert_says("axes of type no element type and rank ");
    sum_graph(&graph);
    graph.values[1].constant = SHAPE(7);
    assert_int_equal(ask(engine, &graph, NULL, NULL), IRR_NETWORK_NOT_READ);
    assert_says("axis 7 is outside [-2, 1] of data [2,3]");
    irr_plugin_compiled_t *compiled;
    assert_int_equal(engine->compile(engine, &graph.view, NULL, 0, &compiled, sentence),
                     IRR_NETWORK_NOT_READ);
    assert_says("layer 10 \"first \"one\"\" (ReduceSum): axis 7 is outside");
    sum_graph(&graph);
    graph.values[0].rank = IRR_DYNAMIC_RANK;
    assert_int_equal(ask(engine, &graph, NULL, NULL), IRR_NOT_IMPLEMENTED);
    sum_graph(&graph);
    graph.values[2].dims = SHAPE(3);
    assert_int_equal(engine->compile(engine, &graph.view, NULL, 0, &compiled, sentence),
                     IRR_PARAMETER_MISMATCH);
    assert_says("value 2: dimension 0 is 2, expected 3");
    assert_int_equal(engine->query(engine, &graph.view, 9, NULL, 0, sentence), IRR_OUT_OF_BOUNDS);
    graph.view.size_bytes = 8;
    assert_int_equal(engine->compile(engine, &graph.view, NULL, 0, &compiled, sentence),
                     IRR_PARAMETER_MISMATCH);
    assert_says("graph of 8 bytes");
    engine->release(engine);
}

/* ---- explain and profile ---- */

/* An identity, a reduction, an empty set and no output at all. */
static void mixed_graph(device_graph_t *graph) {
    graph_begin(graph);
    uint32_t data = graph_input(graph, IRR_F32, 2, SHAPE(2, 3));
    uint32_t none = graph_input(graph, IRR_F32, 2, SHAPE(2, 0));
    uint32_t axes = graph_constant(graph, IRR_I64, 0, NULL, &axis_1);
    uint32_t same = graph_layer(graph, "ReduceL2", data, IRR_NO_VALUE, 2, SHAPE(2, 3));
    graph_output(graph, graph_layer(graph, "ReduceSum", same, axes, 1, SHAPE(2)));
    graph_output(graph, graph_layer(graph, "ReduceMin", none, axes, 1, SHAPE(2)));
    graph_output(graph, graph_layer(graph, "ReduceMin", none, IRR_NO_VALUE, 2, SHAPE(2, 0)));
}

static void test_explain(void **state) {
    (void)state;
    device_graph_t graph;
    mixed_graph(&graph);
    irr_plugin_engine_t *engine = engine_or_fail();
    irr_plugin_compiled_t *compiled;
    const irr_property_t property = {"IRREDUCE_BACKEND", "reference"};
    assert_int_equal(engine->compile(engine, &graph.view, &property, 1, &compiled, sentence), 0);
    char json[8192];
    size_t needed;
    assert_int_equal(engine->get_compiled_property(compiled, "IRREDUCE_EXPLAIN", json, sizeof json,
                                                   &needed, sentence),
                     0);
    assert_int_equal(needed, strlen(json) + 1);
    static const char *const parts[] = {
        ("{\"layers\":[{\"id\":\"10\",\"name\":\"first \\\"one\\\"\",\"op\":\"ReduceL2\","
         "\"type\":\"f32\",\"geometry\":\"identity\",\"offers\":[],\"choice\":\"none\"},"),
        "{\"backend\":\"reference\",\"estimate_us\":0.", "\"choice\":\"reference\"}",
        "\"geometry\":\"empty\"", "\"geometry\":\"nothing\",\"offers\":[],\"choice\":\"none\"}]}"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(json, parts[i])) fail_msg("%s lacks %s", json, parts[i]);
    engine->release_compiled(compiled);
    graph.values[0].dims = SHAPE(-1, 3); /* dynamic: nothing is planned yet */
    graph.values[3].dims = SHAPE(-1, 3);
    graph.values[4].dims = SHAPE(-1);
    assert_int_equal(engine->compile(engine, &graph.view, NULL, 0, &compiled, sentence), 0);
    engine->get_compiled_property(compiled, "IRREDUCE_EXPLAIN", json, sizeof json, &needed,
                                  sentence);
    assert_non_null(strstr(json, "\"geometry\":null,\"offers\":[],\"choice\":null"));
    engine->release_compiled(compiled);
    engine->release(engine);
}

static void test_profile(void **state) {
    (void)state;
    device_graph_t graph;
    mixed_graph(&graph);
    irr_plugin_engine_t *engine = engine_or_fail();
    const irr_property_t properties[] = {{"PERF_COUNT", "YES"}, {"IRREDUCE_BACKEND", "reference"}};
    irr_plugin_request_t *request = request_on(&graph, properties, 2);
    float sums[2], minima[2];
    irr_tensor_view_t in[] = {tensor(IRR_F32, 2, SHAPE(2, 3), six),
                              tensor(IRR_F32, 2, SHAPE(2, 0), NULL)};
    irr_tensor_view_t out[] = {tensor(IRR_F32, 1, SHAPE(2), sums),
                               tensor(IRR_F32, 1, SHAPE(2), minima),
                               tensor(IRR_F32, 2, SHAPE(2, 0), NULL)};
    irr_profile_row_t rows[4] = {{.size_bytes = sizeof *rows}};
    size_t count = 9;
    assert_true(engine->profile(request, rows, 4, &count, sentence) == 0 && count == 0);
    infer_or_fail(request, in, out);
    assert_true(engine->profile(request, rows, 4, &count, sentence) == 0 && count == 4);
    assert_string_equal(rows[0].layer, "first \"one\"");
    assert_string_equal(rows[0].backend, "none");
    assert_string_equal(rows[0].kernel, "identity");
    assert_int_equal(rows[0].bytes, 48);
    assert_string_equal(rows[1].layer, "11");
    assert_string_equal(rows[1].op, "ReduceSum");
    assert_string_equal(rows[1].shape, "[2,3] axes [1]");
    assert_string_equal(rows[1].backend, "reference");
    assert_string_equal(rows[1].kernel, "reference_sum_f32");
    assert_string_equal(rows[1].tier, "scalar");
    assert_int_equal(rows[1].threads, 1);
    assert_int_equal(rows[1].bytes, 32);
    assert_true(rows[1].start_ns >= rows[0].start_ns + rows[0].time_ns);
    assert_true(rows[1].executed);
    assert_string_equal(rows[2].kernel, "empty");
    assert_false(rows[3].executed);
    assert_int_equal(rows[3].size_bytes, sizeof *rows);
    irr_profile_row_t one = {.size_bytes = sizeof one};
    assert_int_equal(engine->profile(request, &one, 1, &count, sentence), 0);
    assert_int_equal(count, 4);
    engine->release_request(request);
    engine->release(engine);
}

/* ---- memory that fails ---- */

static irr_status_e whole_life(const device_graph_t *graph) {
    irr_plugin_engine_t *engine = NULL, face;
    irr_plugin_compiled_t *compiled = NULL;
    irr_plugin_request_t *request = NULL;
    irr_status_e status = irr_create_plugin_engine(IRR_PLUGIN_ABI, &engine, sentence);
    if (status != IRR_OK) return assert_null(engine), status;
    face = *engine;
    status = engine->compile(engine, &graph->view, NULL, 0, &compiled, sentence);
    if (status != IRR_OK) assert_null(compiled);
    if (status == IRR_OK) status = face.create_request(compiled, &request, sentence);
    if (compiled && status != IRR_OK) assert_null(request);
    float sums[2], minima[2];
    int64_t strides[] = {12, 4}, wide[] = {8};
    float spread[4] = {0};
    irr_tensor_view_t in[] = {tensor(IRR_F32, 2, SHAPE(2, 3), six),
                              tensor(IRR_F32, 2, SHAPE(2, 0), NULL)};
    irr_tensor_view_t out[] = {tensor(IRR_F32, 1, SHAPE(2), sums),
                               tensor(IRR_F32, 1, SHAPE(2), minima),
                               tensor(IRR_F32, 2, SHAPE(2, 0), NULL)};
    in[0].byte_strides = strides;
    if (status == IRR_OK) status = face.infer(request, in, out, NULL, sentence);
    out[0].data = spread;
    out[0].byte_strides = wide; /* needs staging */
    if (status == IRR_OK) status = face.infer(request, in, out, NULL, sentence);
    if (status == IRR_OK) assert_true(spread[0] == 6 && spread[2] == 15 && spread[1] == 0);
    face.release_request(request);
    face.release_compiled(compiled);
    face.release(engine);
    return status;
}

static void test_failing_memory(void **state) {
    (void)state;
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        device_graph_t graph;
        mixed_graph(&graph);
        if (dynamic) graph.dims[0][0] = graph.dims[3][0] = graph.dims[4][0] = -1;
        uint64_t n = 1;
        for (irr_status_e status = IRR_NOT_ALLOCATED; status != IRR_OK; n++) {
            irr_fail_allocation_after(n);
            status = whole_life(&graph);
            irr_fail_allocation_after(0);
            if (status != IRR_OK) assert_int_equal(status, IRR_NOT_ALLOCATED);
        }
        assert_true(n > 20);
    }
}

/* Plans of several tasks have others beside them: for one thread, for outputs in doubt. */
static void test_failing_memory_of_plans(void **state) {
    (void)state;
    static const char *const types[] = {"ReduceL2", "ReduceProd"};
    static const irr_property_t two = {"INFERENCE_NUM_THREADS", "2"};
    irr_plugin_engine_t *engine = engine_or_fail();
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        device_graph_t graph;
        graph_begin(&graph);
        uint32_t data = graph_input(&graph, IRR_F32, 2, SHAPE(2048, 1024));
        uint32_t axes = graph_constant(&graph, IRR_I64, 0, NULL, &axis_1);
        graph_output(&graph, graph_layer(&graph, types[k], data, axes, 1, SHAPE(2048)));
        uint64_t n = 1;
        for (irr_status_e status = IRR_NOT_ALLOCATED; status != IRR_OK; n++) {
            irr_plugin_compiled_t *compiled = NULL;
            irr_fail_allocation_after(n);
            status = engine->compile(engine, &graph.view, &two, 1, &compiled, sentence);
            irr_fail_allocation_after(0);
            if (status != IRR_OK) assert_int_equal(status, IRR_NOT_ALLOCATED);
            if (status != IRR_OK) assert_null(compiled);
            engine->release_compiled(compiled);
        }
        assert_true(n > 6);
    }
    engine->release(engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_life_in_any_order),
                                       cmocka_unit_test(test_properties),
                                       cmocka_unit_test(test_environment),
                                       cmocka_unit_test(test_compiled_properties),
                                       cmocka_unit_test(test_query),
                                       cmocka_unit_test(test_explain),
                                       cmocka_unit_test(test_profile),
                                       cmocka_unit_test(test_failing_memory),
                                       cmocka_unit_test(test_failing_memory_of_plans)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
