/* What the device computes without arithmetic, and how it finds its plans: identities, empty sets,
 * outputs that no layer makes, shapes and axes known at infer, strides, threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "device_graph.h"
#include "failing_memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const irr_element_type_e numeric[] = {IRR_F64, IRR_F32, IRR_F16, IRR_BF16, IRR_I64, IRR_I32,
                                             IRR_I16, IRR_I8,  IRR_U64, IRR_U32,  IRR_U16, IRR_U8};
enum { NUMERIC_COUNT = sizeof numeric / sizeof *numeric };

static irr_plugin_engine_t *engine;

static int make_engine(void **state) {
    (void)state;
    engine = engine_or_fail();
    return 0;
}
static int drop_engine(void **state) {
    (void)state;
    engine->release(engine);
    return 0;
}

/* ---- steps without arithmetic ---- */

static void test_identity_keeps_bits(void **state) {
    (void)state;
    for (unsigned t = 0; t < NUMERIC_COUNT; t++) {
        /* Signalling NaN, payloads, negative zeros and all else. */
        unsigned char data[8 * 8], result[8 * 8] = {0};
        memset(data, 0xff, sizeof data);
        for (unsigned i = 0; i < sizeof data; i += 3) data[i] = (unsigned char)(0x7f - i);
        device_graph_t graph;
        graph_begin(&graph);
        uint32_t in = graph_input(&graph, numeric[t], 1, SHAPE(8));
        uint32_t axes = graph_constant(&graph, IRR_U8, 1, SHAPE(0), NULL);
        uint32_t once = graph_layer(&graph, "ReduceL2", in, axes, 1, SHAPE(8));
        graph_output(&graph, graph_layer(&graph, "ReduceSum", once, IRR_NO_VALUE, 1, SHAPE(8)));
        irr_plugin_request_t *request = request_on(&graph, NULL, 0);
        irr_tensor_view_t from = tensor(numeric[t], 1, SHAPE(8), data);
        irr_tensor_view_t to = tensor(numeric[t], 1, SHAPE(8), result);
        infer_or_fail(request, &from, &to);
        assert_memory_equal(data, result, 8 * irr_element_bytes(numeric[t]));
        engine->release_request(request);
    }
}

/* ONNX's default for no axes: all of them, known at compilation or at infer. */
static void test_empty_axes_all(void **state) {
    (void)state;
    for (int given = 0; given < 2; given++) {
        device_graph_t graph;
        graph_begin(&graph);
        uint32_t in = graph_input(&graph, IRR_I32, 2, SHAPE(2, 2));
        uint32_t axes =
            given ? graph_input(&graph, IRR_I64, 1, SHAPE(IRR_DYNAMIC_DIM)) : IRR_NO_VALUE;
        graph_output(&graph, graph_layer(&graph, "ReduceSum", in, axes, 2, SHAPE(1, 1)));
        graph.values[graph.outputs[0]].rank = IRR_DYNAMIC_RANK;
        graph.layers[0].empty_axes = IRR_EMPTY_AXES_ALL;
        irr_plugin_request_t *request = request_on(&graph, NULL, 0);
        const int32_t data[] = {1, 20, 300, 4000};
        int32_t result = 0;
        irr_tensor_view_t from[] = {tensor(IRR_I32, 2, SHAPE(2, 2), data),
                                    tensor(IRR_I64, 1, SHAPE(0), NULL)};
        irr_tensor_view_t to = tensor(IRR_I32, 2, SHAPE(1, 1), &result);
        infer_or_fail(request, from, &to);
        assert_int_equal(result, 4321);
        engine->release_request(request);
    }
}

/* ONNX's noop_with_empty_axes: each element is a set. */
static void test_empty_axes_fold(void **state) {
    (void)state;
    device_graph_t graph;
    graph_begin(&graph);
    uint32_t in = graph_input(&graph, IRR_F32, 1, SHAPE(3));
    graph_output(&graph, graph_layer(&graph, "ReduceL2", in, IRR_NO_VALUE, 1, SHAPE(3)));
    graph.layers[0].empty_axes = IRR_EMPTY_AXES_FOLD;
    irr_plugin_request_t *request = request_on(&graph, NULL, 0);
    const float data[] = {-3, 4, -0.5f};
    float result[3];
    irr_tensor_view_t from = tensor(IRR_F32, 1, SHAPE(3), data);
    irr_tensor_view_t to = tensor(IRR_F32, 1, SHAPE(3), result);
    infer_or_fail(request, &from, &to);
    assert_true(result[0] == 3 && result[1] == 4 && result[2] == 0.5f);
    engine->release_request(request);
}

static void test_empty_sets(void **state) {
    (void)state;
    static const uint64_t greatest[NUMERIC_COUNT] = {UINT64_C(0x7ff0000000000000),
                                                     0x7f800000,
                                                     0x7c00,
                                                     0x7f80,
                                                     INT64_MAX,
                                                     INT32_MAX,
                                                     INT16_MAX,
                                                     INT8_MAX,
                                                     UINT64_MAX,
                                                     UINT32_MAX,
                                                     UINT16_MAX,
                                                     UINT8_MAX};
    static const uint64_t least[NUMERIC_COUNT] = {UINT64_C(0xfff0000000000000),
                                                  0xff800000,
                                                  0xfc00,
                                                  0xff80,
                                                  UINT64_C(1) << 63,
                                                  UINT64_C(1) << 31,
                                                  1 << 15,
                                                  1 << 7};
    static const uint64_t zero[NUMERIC_COUNT];
    static const struct {
        const char *op;
        const uint64_t *empty;
    } ops[] = {
        {"ReduceMin", greatest}, {"ReduceSum", zero}, {"ReduceL2", zero}, {"ReduceMax", least}};
    for (unsigned t = 0; t < NUMERIC_COUNT; t++)
        for (unsigned o = 0; o < sizeof ops / sizeof *ops; o++) {
            device_graph_t graph;
            graph_begin(&graph);
            const int16_t axis = -2;
            uint32_t in = graph_input(&graph, numeric[t], 3, SHAPE(2, 0, 1));
            uint32_t axes = graph_constant(&graph, IRR_I16, 1, SHAPE(1), &axis);
            graph_output(&graph, graph_layer(&graph, ops[o].op, in, axes, 2, SHAPE(2, 1)));
            irr_plugin_request_t *request = request_on(&graph, NULL, 0);
            uint64_t result[3] = {7, 7, 7};
            irr_tensor_view_t from = tensor(numeric[t], 3, SHAPE(2, 0, 1), NULL);
            irr_tensor_view_t to = tensor(numeric[t], 2, SHAPE(2, 1), result);
            infer_or_fail(request, &from, &to);
            size_t bytes = irr_element_bytes(numeric[t]);
            uint64_t expected = ops[o].empty[t];
            assert_memory_equal(result, &expected, bytes);
            assert_memory_equal((char *)result + bytes, &expected, bytes);
            assert_int_equal(((char *)result)[2 * bytes], bytes == 8 || bytes == 4 ? 7 : 0);
            engine->release_request(request);
        }
}

/* An input, a constant and a result twice, among the outputs; a chain behind an output. */
static void test_outputs_of_every_origin(void **state) {
    (void)state;
    static const int32_t data[4] = {1, 2, 3, 4}, constant[2] = {-5, 9};
    static const int64_t zero = 0;
    device_graph_t graph;
    graph_begin(&graph);
    uint32_t in = graph_input(&graph, IRR_I32, 2, SHAPE(2, 2));
    uint32_t fixed = graph_constant(&graph, IRR_I32, 1, SHAPE(2), constant);
    uint32_t axes = graph_constant(&graph, IRR_I64, 0, NULL, &zero);
    uint32_t sums = graph_layer(&graph, "ReduceSum", in, axes, 1, SHAPE(2));
    uint32_t least = graph_layer(&graph, "ReduceMin", sums, axes, 0, NULL);
    uint32_t root = graph_layer(&graph, "ReduceL2", fixed, axes, 0, NULL);
    const uint32_t outputs[] = {in, fixed, sums, sums, least, root};
    for (unsigned o = 0; o < 6; o++) graph_output(&graph, outputs[o]);
    irr_plugin_request_t *request = request_on(&graph, NULL, 0);
    int32_t a[4], b[2], c[2], d[2], e = 0, f = 0;
    irr_tensor_view_t from = tensor(IRR_I32, 2, SHAPE(2, 2), data);
    irr_tensor_view_t to[] = {tensor(IRR_I32, 2, SHAPE(2, 2), a), tensor(IRR_I32, 1, SHAPE(2), b),
                              tensor(IRR_I32, 1, SHAPE(2), c),    tensor(IRR_I32, 1, SHAPE(2), d),
                              tensor(IRR_I32, 0, NULL, &e),       tensor(IRR_I32, 0, NULL, &f)};
    infer_or_fail(request, &from, to);
    assert_memory_equal(a, data, sizeof a);
    assert_memory_equal(b, constant, sizeof b);
    assert_true(c[0] == 4 && c[1] == 6 && d[0] == 4 && d[1] == 6 && e == 4);
    assert_int_equal(f, 10); /* the root of 106, truncated */
    engine->release_request(request);
}

/* ---- shapes and axes at infer ---- */

static void dynamic_graph(device_graph_t *graph) {
    static const int64_t axis = -1;
    graph_begin(graph);
    uint32_t in = graph_input(graph, IRR_I64, 2, SHAPE(-1, -1));
    uint32_t axes = graph_constant(graph, IRR_I64, 0, NULL, &axis);
    uint32_t sums = graph_layer(graph, "ReduceSum", in, axes, 1, SHAPE(-1));
    uint32_t axes_0 = graph_constant(graph, IRR_U8, 0, NULL, "");
    graph_output(graph, graph_layer(graph, "ReduceSum", sums, axes_0, 0, NULL));
}

/* The sum of rows x columns ones. */
static void infer_ones(irr_plugin_request_t *request, int64_t rows, int64_t columns) {
    static int64_t ones[70 * 70];
    int64_t sum = -1;
    for (int64_t i = 0; i < rows * columns; i++) ones[i] = 1;
    irr_tensor_view_t from = tensor(IRR_I64, 2, SHAPE(rows, columns), ones);
    irr_tensor_view_t to = tensor(IRR_I64, 0, NULL, &sum);
    char text[256];
    irr_sentence_t sentence = {text, sizeof text};
    if (engine->infer(request, &from, &to, NULL, sentence) != IRR_OK) fail_msg("%s", text);
    assert_int_equal(sum, rows * columns);
}

static void test_plans_are_kept_and_bounded(void **state) {
    (void)state;
    device_graph_t graph;
    dynamic_graph(&graph);
    irr_plugin_request_t *request = request_on(&graph, NULL, 0);
    infer_ones(request, 70, 70); /* the most memory */
    for (int64_t n = 69; n > 69 - 63; n--) infer_ones(request, n, 3);
    uint64_t before = irr_allocation_count();
    for (int64_t n = 69; n > 69 - 63; n--) infer_ones(request, n, 3);
    infer_ones(request, 70, 70);
    infer_ones(request, 70, 70);
    assert_int_equal(irr_allocation_count(), before); /* all 64 are still there */
    infer_ones(request, 1, 1);                        /* the oldest, [69,3], makes room */
    infer_ones(request, 0, 5);
    before = irr_allocation_count();
    infer_ones(request, 70, 70);
    infer_ones(request, 7, 3);
    assert_int_equal(irr_allocation_count(), before);
    infer_ones(request, 69, 3);
    assert_true(irr_allocation_count() > before);
    engine->release_request(request);
}

/* A new number of threads is a new plan, for requests that exist as well. */
static void test_threads_change(void **state) {
    (void)state;
    device_graph_t graph;
    dynamic_graph(&graph);
    irr_plugin_compiled_t *compiled;
    irr_plugin_request_t *request;
    const irr_sentence_t none = {NULL, 0};
    assert_int_equal(engine->compile(engine, &graph.view, NULL, 0, &compiled, none), IRR_OK);
    assert_int_equal(engine->create_request(compiled, &request, none), IRR_OK);
    infer_ones(request, 9, 9);
    engine->set_compiled_property(compiled, "INFERENCE_NUM_THREADS", "7", none);
    uint64_t before = irr_allocation_count();
    infer_ones(request, 9, 9);
    assert_true(irr_allocation_count() > before);
    before = irr_allocation_count();
    infer_ones(request, 9, 9);
    assert_int_equal(irr_allocation_count(), before);
    engine->release_request(request);
    engine->release_compiled(compiled);
}

static void test_run_time_axes(void **state) {
    (void)state;
    static const float data[6] = {1, 2, 3, 4, 5, 6};
    static const struct {
        int64_t count;
        int8_t axes[2];
        uint32_t rank;
        int64_t dims[2];
        float result[6];
    } rows[] = {{1, {0}, 2, {1, 3}, {5, 7, 9}},
                {1, {-1}, 2, {2, 1}, {6, 15}},
                {2, {1, 0}, 2, {1, 1}, {21}},
                {0, {0}, 2, {2, 3}, {1, 2, 3, 4, 5, 6}}};
    device_graph_t graph;
    graph_begin(&graph);
    uint32_t in = graph_input(&graph, IRR_F32, 2, SHAPE(2, 3));
    uint32_t axes = graph_input(&graph, IRR_I8, 1, SHAPE(-1));
    graph_output(&graph, graph_layer(&graph, "ReduceSum", in, axes, 2, SHAPE(-1, -1)));
    irr_plugin_request_t *request = request_on(&graph, NULL, 0);
    for (unsigned turn = 0; turn < 8; turn++) {
        unsigned i = turn % 4;
        float result[6] = {0};
        irr_tensor_view_t from[] = {tensor(IRR_F32, 2, SHAPE(2, 3), data),
                                    tensor(IRR_I8, 1, &rows[i].count, rows[i].axes)};
        irr_tensor_view_t to = tensor(IRR_F32, 2, rows[i].dims, result);
        infer_or_fail(request, from, &to);
        assert_memory_equal(result, rows[i].result, sizeof result);
    }
    char text[256];
    const int8_t wrong[] = {1, -1};
    irr_tensor_view_t from[] = {tensor(IRR_F32, 2, SHAPE(2, 3), data),
                                tensor(IRR_I8, 1, SHAPE(2), wrong)};
    float result[6];
    irr_tensor_view_t to = tensor(IRR_F32, 2, SHAPE(2, 1), result);
    assert_int_equal(engine->infer(request, from, &to, NULL, (irr_sentence_t){text, sizeof text}),
                     IRR_PARAMETER_MISMATCH);
    assert_non_null(
        strstr(text, "layer 10 \"first \"one\"\" (ReduceSum): axis -1 names dimension"));
    engine->release_request(request);
}

/* ---- strides ---- */

static void test_strides(void **state) {
    (void)state;
    /* [2,3,2] inside a larger, transposed buffer, the middle dimension backwards. */
    int16_t field[64], result[16];
    for (int i = 0; i < 64; i++) field[i] = (int16_t)i;
    for (int i = 0; i < 16; i++) result[i] = -1;
    const int64_t in_strides[] = {2, -16, 32}, out_strides[] = {12, 4};
    static const int64_t axis = 1;
    device_graph_t graph;
    graph_begin(&graph);
    uint32_t in = graph_input(&graph, IRR_I16, 3, SHAPE(2, 3, 2));
    uint32_t axes = graph_constant(&graph, IRR_I64, 0, NULL, &axis);
    graph_output(&graph, graph_layer(&graph, "ReduceMin", in, axes, 2, SHAPE(2, 2)));
    irr_plugin_request_t *request = request_on(&graph, NULL, 0);
    irr_tensor_view_t from = tensor(IRR_I16, 3, SHAPE(2, 3, 2), &field[20]);
    irr_tensor_view_t to = tensor(IRR_I16, 2, SHAPE(2, 2), result);
    from.byte_strides = in_strides;
    to.byte_strides = out_strides;
    infer_or_fail(request, &from, &to);
    /* Element (a,b,c) is field[20 + a - 8b + 16c]; the least has b = 2. */
    for (int a = 0; a < 2; a++)
        for (int c = 0; c < 2; c++) assert_int_equal(result[a * 6 + c * 2], 20 + a - 16 + 16 * c);
    assert_true(result[1] == -1 && result[3] == -1 && result[7] == -1 && result[9] == -1);
    uint64_t before = irr_allocation_count();
    assert_int_equal(engine->infer(request, &from, &to, NULL, (irr_sentence_t){NULL, 0}), IRR_OK);
    assert_int_equal(irr_allocation_count(), before);
    engine->release_request(request);
}

/* ---- threads ---- */

typedef struct {
    irr_plugin_compiled_t *compiled;
    unsigned first;
} worker_t;

static void *work(void *argument) {
    const worker_t *worker = argument;
    irr_plugin_request_t *request = NULL;
    if (engine->create_request(worker->compiled, &request, (irr_sentence_t){NULL, 0}) != IRR_OK)
        return argument;
    static int64_t ones[64 * 64];
    void *failed = NULL;
    for (unsigned turn = 0; turn < 300 && !failed; turn++) {
        int64_t rows = (int64_t)(worker->first + turn) % 64, sum = -1;
        irr_tensor_view_t from = tensor(IRR_I64, 2, SHAPE(rows, 64), ones);
        irr_tensor_view_t to = tensor(IRR_I64, 0, NULL, &sum);
        if (engine->infer(request, &from, &to, NULL, (irr_sentence_t){NULL, 0}) != IRR_OK ||
            sum != 0)
            failed = argument;
        if (turn == 100)
            engine->set_compiled_property(worker->compiled, "PERF_COUNT", "YES",
                                          (irr_sentence_t){NULL, 0});
    }
    char json[16];
    size_t needed;
    engine->get_compiled_property(worker->compiled, "IRREDUCE_EXPLAIN", json, sizeof json, &needed,
                                  (irr_sentence_t){NULL, 0});
    engine->release_request(request);
    return failed;
}

static void test_requests_on_threads(void **state) {
    (void)state;
    device_graph_t graph;
    dynamic_graph(&graph);
    irr_plugin_compiled_t *compiled;
    assert_int_equal(
        engine->compile(engine, &graph.view, NULL, 0, &compiled, (irr_sentence_t){NULL, 0}), 0);
    pthread_t threads[4];
    worker_t workers[4];
    for (unsigned i = 0; i < 4; i++) {
        workers[i] = (worker_t){compiled, i * 17};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    engine->release_compiled(compiled);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_identity_keeps_bits),
                                       cmocka_unit_test(test_empty_axes_all),
                                       cmocka_unit_test(test_empty_axes_fold),
                                       cmocka_unit_test(test_empty_sets),
                                       cmocka_unit_test(test_outputs_of_every_origin),
                                       cmocka_unit_test(test_plans_are_kept_and_bounded),
                                       cmocka_unit_test(test_threads_change),
                                       cmocka_unit_test(test_run_time_axes),
                                       cmocka_unit_test(test_strides),
                                       cmocka_unit_test(test_requests_on_threads)};
    return cmocka_run_group_tests(tests, make_engine, drop_engine);
}
