/* Layers beside each other: what runs as one pass has the bits of each layer alone, on every tier,
 * any number of threads and in both modes; and explain says so.
 * Prints its seed; IRR_TEST_SEED and IRR_TEST_SECONDS set where it starts and how long it looks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/op.h"
#include "layers.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const tiers[] = {"scalar", "avx2", "avx512"};

/* The layer's result, were it alone. */
static void compare(const random_case_t *c, const char *mode, const void *data, const void *output,
                    const char *with) {
    char text[DEVICE_TEXT_BYTES], name[RANDOM_CASE_TEXT_BYTES];
    size_t bytes = c->outputs * oracle_element_bytes(c->type);
    void *expected = malloc(bytes + 64);
    device_setup_t alone = {.backend = "simd", .isa = "scalar", .threads = 1, .mode = mode};
    if (device_run(engine, c, &alone, data, expected, text)) fail_msg("%s", text);
    if (memcmp(expected, output, bytes) != 0)
        fail_msg("%s: other bits %s than alone", random_case_text(c, name), with);
    free(expected);
}

static void test_siblings(void **state) {
    (void)state;
    double until = layers_now() + layers_seconds;
    uint64_t seed = layers_seed, passes = 0;
    for (; layers_now() < until || seed < layers_seed + 30; seed++) {
        static layers_t m;
        static char explained[1 << 16], kernels[MOST_LAYERS][256];
        random_case_t c;
        irr_element_type_e type = layer_types[seed % LAYER_TYPES];
        uint64_t stream = seed;
        void *data = layers_data(&c, seed, type);
        layers_begin(&m, &c);
        unsigned count = 2 + (unsigned)random_below(&stream, MOST_LAYERS - 2);
        for (unsigned k = 0; k < count; k++) {
            irr_op_e op;
            do op = (irr_op_e)random_below(&stream, IRR_OP_COUNT);
            while (!irr_op_takes(op, type));
            random_case_t one = c;
            one.op = irr_op_info(op)->type;
            one.keep_dims = random_below(&stream, 2);
            random_case_complete(&one);
            layers_add(&m, &one, 0, false);
        }
        char threads[4];
        snprintf(threads, sizeof threads, "%u", (unsigned)(1 + random_below(&stream, 4)));
        const char *mode = random_below(&stream, 3) ? NULL : "ACCURACY";
        const irr_property_t properties[] = {{"PERF_COUNT", "YES"},
                                             {"IRREDUCE_BACKEND", "simd"},
                                             {"INFERENCE_NUM_THREADS", threads},
                                             {"IRREDUCE_ISA", tiers[random_below(&stream, 3)]},
                                             {"EXECUTION_MODE_HINT", mode ? mode : "PERFORMANCE"}};
        layers_run(&m, properties, 5, data, explained, sizeof explained, kernels);
        for (unsigned k = 0; k < count; k++) {
            compare(&m.cases[k], mode, data, m.out[k].data, "beside others");
            passes += strstr(kernels[k], ", one pass with layer ") != NULL;
        }
        layers_end(&m);
    }
    assert_true(passes > 0);
    print_message("%llu models from IRR_TEST_SEED=%llu, %llu layers in passes\n",
                  (unsigned long long)(seed - layers_seed), (unsigned long long)layers_seed,
                  (unsigned long long)passes);
}

/* Floats from a half to 2, of either sign, with some NaNs and zeros of either sign among them. */
static void fill_far(char *data, size_t count, size_t element) {
    for (size_t i = 0; i < count * element; i++)
        data[i] = (char)(i % element + 1 < element ? i * i / 7 * 31 >> 3 : 0x3f ^ (i / 3 & 0x80));
    for (size_t i = 0; i < count; i += 9973) memset(data + i * element, 0xff, element);
    for (size_t i = 7; i < count; i += 997) {
        memset(data + i * element, 0, element);
        data[i * element + element - 1] = (char)(i % 2 ? 0x80 : 0);
    }
}

/* Each of the ops has the bits that it has alone, and all are one pass, in two tiers. */
static void check_pass(const random_case_t *c, const char *const *ops, size_t count, char *data) {
    static const char *const ways[][3] = {
        {"avx2", "NO", "1"}, {"avx512", "YES", "2"}, {"avx512", "FAR", "2"}, {"avx2", "FAR", "1"}};
    for (unsigned t = 0; t < sizeof ways / sizeof *ways; t++) {
        static layers_t m;
        static char explained[1 << 16], kernels[MOST_LAYERS][256];
        const irr_property_t properties[] = {{"PERF_COUNT", "YES"},
                                             {"IRREDUCE_BACKEND", "simd"},
                                             {"INFERENCE_NUM_THREADS", ways[t][2]},
                                             {"IRREDUCE_ISA", ways[t][0]},
                                             {"IRREDUCE_PREFETCH", ways[t][1]}};
        layers_begin(&m, c);
        for (unsigned i = 0; i < count; i++) {
            random_case_t one = *c;
            one.op = ops[i];
            random_case_complete(&one);
            layers_add(&m, &one, 0, false);
        }
        layers_run(&m, properties, 5, data, explained, sizeof explained, kernels);
        for (unsigned i = 0; i < count; i++) {
            compare(&m.cases[i], NULL, data, m.out[i].data, "beside others, far away");
            assert_non_null(strstr(kernels[i], ", one pass with layer "));
        }
        layers_end(&m);
    }
}

/* All that share loads, of more than the caches hold: columns and rows that end anywhere. */
static void test_far_siblings(void **state) {
    (void)state;
    static const irr_element_type_e far_types[] = {IRR_F32, IRR_BF16, IRR_I8, IRR_I32};
    static const char *const ops[] = {"ReduceMean", "ReduceL1",  "ReduceL2",
                                      "ReduceMin",  "ReduceMax", "ReduceSum"};
    char *data = malloc(28 << 20);
    assert_non_null(data);
    for (unsigned k = 0; k < 2 * sizeof far_types / sizeof *far_types; k++) {
        random_case_t c;
        irr_element_type_e type = far_types[k / 2];
        random_case_make(&c, layers_seed + k, "ReduceMin", type, MOST_ELEMENTS);
        c.rank = 2, c.axis_count = 1, c.axes[0] = k % 2;
        c.dims[0] = 1613, c.dims[1] = (26 << 20) / 1613 / (int64_t)oracle_element_bytes(type);
        random_case_complete(&c);
        fill_far(data, c.elements, oracle_element_bytes(type));
        check_pass(&c, ops, sizeof ops / sizeof *ops, data);
    }
    free(data);
}

/* Narrow columns, whose tree the kernel that they share makes; rows end with a part of a step. */
static void test_narrow_siblings(void **state) {
    (void)state;
    static const irr_element_type_e types[] = {IRR_F32, IRR_F64, IRR_F16, IRR_BF16};
    static const char *const ops[] = {"ReduceSum", "ReduceL2", "ReduceMin", "ReduceMax"};
    static const int64_t shapes[][2] = {{2057, 5}, {2049, 7}, {300, 30}, {4000, 64}, {77, 150}};
    char *data = malloc(4 << 20);
    assert_non_null(data);
    for (unsigned k = 0; k < 4 * sizeof shapes / sizeof *shapes; k++) {
        random_case_t c;
        random_case_make(&c, layers_seed + k, "ReduceMin", types[k % 4], MOST_ELEMENTS);
        c.rank = 2, c.axis_count = 1, c.axes[0] = 0;
        memcpy(c.dims, shapes[k / 4], 2 * sizeof *c.dims);
        random_case_complete(&c);
        fill_far(data, c.elements, oracle_element_bytes(c.type));
        check_pass(&c, ops, 4, data);
    }
    free(data);
}

/* Columns that two threads share, of one whose tree is cut and of one that takes all rows at once:
 * units are the same, whoever comes first. */
static void test_shared_columns(void **state) {
    (void)state;
    static const char *const ops[][2] = {
        {"ReduceProd", "ReduceMax"}, {"ReduceMin", "ReduceProd"}, {"ReduceProd", "ReduceMin"}};
    static const int64_t shapes[][2] = {{256, 193}, {200, 193}, {218, 194}, {109, 225}};
    enum { SHAPES = sizeof shapes / sizeof *shapes, RANDOM = 60 };
    char *data = malloc(8 << 20);
    assert_non_null(data);
    uint64_t stream = layers_seed;
    for (unsigned k = 0; k < SHAPES + RANDOM; k++) {
        random_case_t c;
        irr_element_type_e type = k < SHAPES || random_below(&stream, 2) ? IRR_F64 : IRR_F32;
        random_case_make(&c, layers_seed + k, "ReduceMin", type, MOST_ELEMENTS);
        c.rank = 2, c.axis_count = 1, c.axes[0] = 0;
        c.dims[0] = k < SHAPES ? shapes[k][0] : 60 + (int64_t)random_below(&stream, 300);
        c.dims[1] = k < SHAPES ? shapes[k][1] : 100 + (int64_t)random_below(&stream, 1500);
        random_case_complete(&c);
        fill_far(data, c.elements, oracle_element_bytes(type));
        for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) check_pass(&c, ops[i], 2, data);
    }
    free(data);
}

/* One is slow enough to be beyond the caches, the other is not; of few long rows, or of columns;
 * and roots that are looked at again, of a pass whose units hold several blocks. */
static void test_unlike_siblings(void **state) {
    (void)state;
    static const struct {
        irr_element_type_e type;
        const char *ops[2];
        uint32_t rank, axis_count;
        int64_t dims[5], axes[2];
    } cases[] = {{IRR_I32, {"ReduceMin", "ReduceMean"}, 2, 1, {500, 6000}, {0}},
                 {IRR_I32, {"ReduceMean", "ReduceMin"}, 2, 1, {500, 6000}, {0}},
                 {IRR_F64, {"ReduceSum", "ReduceProd"}, 2, 1, {1024, 1464}, {0}},
                 {IRR_U8, {"ReduceMean", "ReduceMax"}, 2, 1, {300, 5000}, {0}},
                 {IRR_U8, {"ReduceMax", "ReduceMean"}, 2, 1, {300, 20000}, {0}},
                 {IRR_I16, {"ReduceL2", "ReduceMin"}, 2, 1, {300, 5000}, {0}},
                 {IRR_I32, {"ReduceMin", "ReduceMean"}, 2, 1, {9000, 40}, {0}},
                 {IRR_U16, {"ReduceMin", "ReduceMean"}, 4, 2, {12, 2, 6, 40000}, {0, 2}},
                 {IRR_I16, {"ReduceMax", "ReduceL2"}, 2, 1, {8, 850000}, {0}},
                 {IRR_F32, {"ReduceSum", "ReduceL2"}, 5, 2, {100, 2, 20, 2, 8}, {1, 3}}};
    char *data = malloc(16 << 20);
    assert_non_null(data);
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        random_case_t c;
        random_case_make(&c, layers_seed + k, "ReduceMin", cases[k].type, MOST_ELEMENTS);
        c.rank = cases[k].rank, c.axis_count = cases[k].axis_count;
        memcpy(c.dims, cases[k].dims, c.rank * sizeof *c.dims);
        for (uint32_t i = 0; i < c.axis_count; i++) c.axes[i] = cases[k].axes[i];
        random_case_complete(&c);
        fill_far(data, c.elements, oracle_element_bytes(c.type));
        for (size_t i = 0; i < c.elements && c.type == IRR_F32; i++)
            ((float *)data)[i] = (float)(1 + i * i % 997) * 1e-25f; /* squares underflow */
        check_pass(&c, cases[k].ops, 2, data);
    }
    free(data);
}

/* What is on other axes, or small, stays alone; the first names the second, the others the first.
 */
static void test_who_joins(void **state) {
    (void)state;
    static layers_t m;
    static char explained[1 << 16], kernels[MOST_LAYERS][256];
    const irr_property_t properties[] = {{"PERF_COUNT", "YES"}, {"INFERENCE_NUM_THREADS", "1"}};
    random_case_t rows = {.op = "ReduceSum", .type = IRR_F32, .rank = 2, .dims = {100, 1000}};
    rows.axis_count = 1, rows.axes[0] = 1;
    random_case_complete(&rows);
    float *data = guarded_at_end(&layers_room, 400000, 0);
    for (size_t i = 0; i < 100000; i++) data[i] = (float)(i % 7);
    random_case_t columns = rows, least = rows;
    columns.axes[0] = -2, least.op = "ReduceMin", least.keep_dims = true;
    random_case_complete(&columns), random_case_complete(&least);
    layers_begin(&m, &rows);
    layers_add(&m, &rows, 0, false);
    layers_add(&m, &columns, 0, false);
    layers_add(&m, &least, 0, false);
    layers_add(&m, &rows, 0, false);
    layers_run(&m, properties, 2, data, explained, sizeof explained, kernels);
    assert_string_equal(kernels[0], "sum_f32_rows, one pass with layer r2");
    assert_null(strstr(kernels[1], "one pass"));
    assert_string_equal(kernels[2], "min_f32_rows, one pass with layer r0");
    assert_string_equal(kernels[3], "sum_f32_rows, one pass with layer r0");
    assert_non_null(
        strstr(explained, "\"one_pass_with\":\"r2\",\"choice\":\"simd\"},{\"id\":\"1\""));
    layers_end(&m);
    rows.dims[0] = least.dims[0] = 2; /* all of it lies in the nearest cache anyway */
    random_case_complete(&rows), random_case_complete(&least);
    layers_begin(&m, &rows);
    layers_add(&m, &rows, 0, false);
    layers_add(&m, &least, 0, false);
    layers_run(&m, properties, 2, data, explained, sizeof explained, kernels);
    assert_null(strstr(kernels[0], "one pass"));
    assert_null(strstr(explained, "one_pass_with"));
    layers_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_siblings),        cmocka_unit_test(test_far_siblings),
        cmocka_unit_test(test_narrow_siblings), cmocka_unit_test(test_shared_columns),
        cmocka_unit_test(test_unlike_siblings), cmocka_unit_test(test_who_joins)};
    return LAYERS_MAIN(tests);
}
