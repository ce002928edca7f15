/* Layers beside and behind each other: what runs as one pass, or as one reduction, has the bits of
 * each layer alone, on every tier, any number of threads and in both modes; and explain says so.
 * Prints its seed; IRR_TEST_SEED and IRR_TEST_SECONDS set where it starts and how long it looks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/op.h"
#include "device.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { MOST_LAYERS = 20, MOST_ELEMENTS = 1 << 17, ROOM_BYTES = 2 << 20 };

static uint64_t first_seed = 1;
static double seconds = 3;
static guarded_t room;

/* A graph of layers on value 0; layer k has axes in value 1 + 2k and its result in 2 + 2k. */
typedef struct {
    irr_graph_t graph;
    irr_graph_value_t values[1 + 2 * MOST_LAYERS];
    irr_graph_layer_t layers[MOST_LAYERS];
    char ids[MOST_LAYERS][8], names[MOST_LAYERS][8];
    random_case_t data, cases[MOST_LAYERS]; /* each layer alone */
    int64_t axis_counts[MOST_LAYERS];
    uint32_t input, outputs[MOST_LAYERS];
    irr_tensor_view_t in, out[MOST_LAYERS];
} model_t;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void begin(model_t *m, const random_case_t *data) {
    memset(m, 0, sizeof *m);
    m->data = *data;
    m->values[0] = (irr_graph_value_t){data->type, data->rank, m->data.dims, NULL, false};
    m->graph = (irr_graph_t){.size_bytes = sizeof m->graph,
                             .name = "beside",
                             .values = m->values,
                             .value_count = 1,
                             .layers = m->layers,
                             .inputs = &m->input,
                             .input_count = 1,
                             .outputs = m->outputs};
}

/* The next layer, as its case says, on the value. Its result is an output unless `between`. */
static uint32_t add(model_t *m, const random_case_t *c, uint32_t data, bool between) {
    uint32_t k = m->graph.layer_count++, axes = m->graph.value_count++,
             result = m->graph.value_count++;
    random_case_t *own = &m->cases[k];
    *own = *c;
    m->axis_counts[k] = own->axis_count;
    snprintf(m->ids[k], sizeof m->ids[k], "%u", (unsigned)k);
    snprintf(m->names[k], sizeof m->names[k], "r%u", (unsigned)k);
    m->values[axes] = (irr_graph_value_t){IRR_I64, 1, &m->axis_counts[k], own->axes, true};
    m->values[result] = (irr_graph_value_t){own->type, own->out_rank, own->out_dims, NULL, false};
    m->layers[k] = (irr_graph_layer_t){.id = m->ids[k],
                                       .name = k % 2 ? "" : m->names[k],
                                       .type = own->op,
                                       .data = data,
                                       .axes = axes,
                                       .output = result,
                                       .keep_dims = own->keep_dims};
    if (between) return result;
    size_t bytes = own->outputs * oracle_element_bytes(own->type);
    m->out[m->graph.output_count] =
        (irr_tensor_view_t){malloc(bytes + 64), own->type, own->out_rank, own->out_dims, NULL};
    m->outputs[m->graph.output_count++] = result;
    return result;
}

static void end(model_t *m) {
    for (uint32_t o = 0; o < MOST_LAYERS; o++) free(m->out[o].data);
}

/* Runs the model; gives its explanation and the profile's kernels, one a line. */
static void run(model_t *m, const irr_property_t *properties, size_t count, void *data,
                char *explained, size_t capacity, char kernels[MOST_LAYERS][256]) {
    char text[DEVICE_TEXT_BYTES];
    irr_sentence_t sentence = {text, sizeof text};
    irr_plugin_compiled_t *compiled;
    irr_plugin_request_t *request;
    size_t needed, rows = 0;
    irr_profile_row_t profile[MOST_LAYERS] = {{.size_bytes = sizeof *profile}};
    m->in = (irr_tensor_view_t){data, m->values[0].element_type, m->values[0].rank,
                                m->values[0].dims, NULL};
    for (size_t k = 0; k < MOST_LAYERS; k++) profile[k].size_bytes = sizeof *profile;
    if (engine->compile(engine, &m->graph, properties, count, &compiled, sentence) ||
        engine->get_compiled_property(compiled, "IRREDUCE_EXPLAIN", explained, capacity, &needed,
                                      sentence) ||
        engine->create_request(compiled, &request, sentence) ||
        engine->infer(request, &m->in, m->out, NULL, sentence) ||
        engine->profile(request, profile, MOST_LAYERS, &rows, sentence))
        fail_msg("%s", text);
    assert_int_equal(rows, m->graph.layer_count);
    for (size_t k = 0; k < rows; k++)
        snprintf(kernels[k], sizeof kernels[k], "%s%s",
                 profile[k].executed ? "" : "idle: ", profile[k].kernel);
    engine->release_request(request);
    engine->release_compiled(compiled);
}

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

/* Data of any element type and shape, at the very end of its room. */
static void *make_data(random_case_t *c, uint64_t seed, irr_element_type_e type) {
    uint64_t stream = seed * 77 + 5;
    do {
        random_case_make(c, random_next(&stream), "ReduceMin", type, MOST_ELEMENTS);
        if (seed % 3 == 0 && c->elements) { /* wide leaves, which are cut */
            c->rank = 3, c->axis_count = 1, c->axes[0] = seed % 2 ? 1 : 0;
            c->dims[0] = (int64_t)(1 + random_below(&stream, 3));
            c->dims[1] = (int64_t)(1 + random_below(&stream, 70));
            c->dims[2] = (int64_t)(500 + random_below(&stream, 9000));
            while (c->dims[0] * c->dims[1] * c->dims[2] > MOST_ELEMENTS)
                c->dims[1] = c->dims[1] / 2 + (c->dims[1] == 1 && (c->dims[0] = 1));
            random_case_complete(c);
        }
        if (seed % 3 == 1 &&
            c->elements) { /* steps of several narrow rows, the last one of a few */
            c->rank = 3, c->axis_count = 1, c->axes[0] = 1;
            c->dims[0] = (int64_t)(1 + random_below(&stream, 3));
            c->dims[1] = (int64_t)(33 + random_below(&stream, 300));
            c->dims[2] = (int64_t)(2 + random_below(&stream, 40));
            random_case_complete(c);
        }
    } while (c->elements == 0 || c->axis_count == 0);
    void *data = guarded_at_end(&room, c->elements * oracle_element_bytes(type), 0);
    random_case_fill(c, data);
    return data;
}

static const irr_element_type_e types[] = {IRR_F32, IRR_F64, IRR_F16,    IRR_BF16, IRR_I8,
                                           IRR_U8,  IRR_I32, IRR_I64,    IRR_U64,  IRR_I16,
                                           IRR_U16, IRR_U32, IRR_BOOLEAN};
enum { TYPE_COUNT = sizeof types / sizeof *types };
static const char *const tiers[] = {"scalar", "avx2", "avx512"};

/* ---- siblings ---- */

static void test_siblings(void **state) {
    (void)state;
    double until = now() + seconds;
    uint64_t seed = first_seed, passes = 0;
    for (; now() < until || seed < first_seed + 30; seed++) {
        static model_t m;
        static char explained[1 << 16], kernels[MOST_LAYERS][256];
        random_case_t c;
        irr_element_type_e type = types[seed % TYPE_COUNT];
        uint64_t stream = seed;
        void *data = make_data(&c, seed, type);
        begin(&m, &c);
        unsigned count = 2 + (unsigned)random_below(&stream, MOST_LAYERS - 2);
        for (unsigned k = 0; k < count; k++) {
            irr_op_e op;
            do op = (irr_op_e)random_below(&stream, IRR_OP_COUNT);
            while (!irr_op_takes(op, type));
            random_case_t one = c;
            one.op = irr_op_info(op)->type;
            one.keep_dims = random_below(&stream, 2);
            random_case_complete(&one);
            add(&m, &one, 0, false);
        }
        char threads[4];
        snprintf(threads, sizeof threads, "%u", (unsigned)(1 + random_below(&stream, 4)));
        const char *mode = random_below(&stream, 3) ? NULL : "ACCURACY";
        const irr_property_t properties[] = {{"PERF_COUNT", "YES"},
                                             {"IRREDUCE_BACKEND", "simd"},
                                             {"INFERENCE_NUM_THREADS", threads},
                                             {"IRREDUCE_ISA", tiers[random_below(&stream, 3)]},
                                             {"EXECUTION_MODE_HINT", mode ? mode : "PERFORMANCE"}};
        run(&m, properties, 5, data, explained, sizeof explained, kernels);
        for (unsigned k = 0; k < count; k++) {
            compare(&m.cases[k], mode, data, m.out[k].data, "beside others");
            passes += strstr(kernels[k], ", one pass with layer ") != NULL;
        }
        end(&m);
    }
    assert_true(passes > 0);
    print_message("%llu models from IRR_TEST_SEED=%llu, %llu layers in passes\n",
                  (unsigned long long)(seed - first_seed), (unsigned long long)first_seed,
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
    for (unsigned t = 1; t < sizeof tiers / sizeof *tiers; t++) {
        static model_t m;
        static char explained[1 << 16], kernels[MOST_LAYERS][256];
        const irr_property_t properties[] = {{"PERF_COUNT", "YES"},
                                             {"IRREDUCE_BACKEND", "simd"},
                                             {"INFERENCE_NUM_THREADS", t > 1 ? "2" : "1"},
                                             {"IRREDUCE_ISA", tiers[t]},
                                             {"IRREDUCE_PREFETCH", t > 1 ? "YES" : "NO"}};
        begin(&m, c);
        for (unsigned i = 0; i < count; i++) {
            random_case_t one = *c;
            one.op = ops[i];
            random_case_complete(&one);
            add(&m, &one, 0, false);
        }
        run(&m, properties, 5, data, explained, sizeof explained, kernels);
        for (unsigned i = 0; i < count; i++) {
            compare(&m.cases[i], NULL, data, m.out[i].data, "beside others, far away");
            assert_non_null(strstr(kernels[i], ", one pass with layer "));
        }
        end(&m);
    }
}

/* All that share loads, of more than the caches hold: columns and rows that end anywhere. */
static void test_far_siblings(void **state) {
    (void)state;
    static const irr_element_type_e far_types[] = {IRR_F32, IRR_BF16, IRR_I8};
    static const char *const ops[] = {"ReduceMean", "ReduceL1",  "ReduceL2",
                                      "ReduceMin",  "ReduceMax", "ReduceSum"};
    char *data = malloc(28 << 20);
    assert_non_null(data);
    for (unsigned k = 0; k < 2 * sizeof far_types / sizeof *far_types; k++) {
        random_case_t c;
        irr_element_type_e type = far_types[k / 2];
        random_case_make(&c, first_seed + k, "ReduceMin", type, MOST_ELEMENTS);
        c.rank = 2, c.axis_count = 1, c.axes[0] = k % 2;
        c.dims[0] = 1613, c.dims[1] = (26 << 20) / 1613 / (int64_t)oracle_element_bytes(type);
        random_case_complete(&c);
        fill_far(data, c.elements, oracle_element_bytes(type));
        check_pass(&c, ops, sizeof ops / sizeof *ops, data);
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
                 {IRR_U16, {"ReduceMin", "ReduceMean"}, 4, 2, {12, 2, 6, 40000}, {0, 2}},
                 {IRR_I16, {"ReduceMax", "ReduceL2"}, 2, 1, {8, 850000}, {0}},
                 {IRR_F32, {"ReduceSum", "ReduceL2"}, 5, 2, {100, 2, 20, 2, 8}, {1, 3}}};
    char *data = malloc(16 << 20);
    assert_non_null(data);
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        random_case_t c;
        random_case_make(&c, first_seed + k, "ReduceMin", cases[k].type, MOST_ELEMENTS);
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
    static model_t m;
    static char explained[1 << 16], kernels[MOST_LAYERS][256];
    const irr_property_t properties[] = {{"PERF_COUNT", "YES"}, {"INFERENCE_NUM_THREADS", "1"}};
    random_case_t rows = {.op = "ReduceSum", .type = IRR_F32, .rank = 2, .dims = {100, 1000}};
    rows.axis_count = 1, rows.axes[0] = 1;
    random_case_complete(&rows);
    float *data = guarded_at_end(&room, 400000, 0);
    for (size_t i = 0; i < 100000; i++) data[i] = (float)(i % 7);
    random_case_t columns = rows, least = rows;
    columns.axes[0] = -2, least.op = "ReduceMin", least.keep_dims = true;
    random_case_complete(&columns), random_case_complete(&least);
    begin(&m, &rows);
    add(&m, &rows, 0, false);
    add(&m, &columns, 0, false);
    add(&m, &least, 0, false);
    add(&m, &rows, 0, false);
    run(&m, properties, 2, data, explained, sizeof explained, kernels);
    assert_string_equal(kernels[0], "sum_f32_rows, one pass with layer r2");
    assert_null(strstr(kernels[1], "one pass"));
    assert_string_equal(kernels[2], "min_f32_rows, one pass with layer r0");
    assert_string_equal(kernels[3], "sum_f32_rows, one pass with layer r0");
    assert_non_null(
        strstr(explained, "\"one_pass_with\":\"r2\",\"choice\":\"simd\"},{\"id\":\"1\""));
    end(&m);
    rows.dims[0] = least.dims[0] = 2; /* all of it lies in the nearest cache anyway */
    random_case_complete(&rows), random_case_complete(&least);
    begin(&m, &rows);
    add(&m, &rows, 0, false);
    add(&m, &least, 0, false);
    run(&m, properties, 2, data, explained, sizeof explained, kernels);
    assert_null(strstr(kernels[0], "one pass"));
    assert_null(strstr(explained, "one_pass_with"));
    end(&m);
}

/* ---- chains ---- */

/* The next link on the shape of the last one's result; false: nothing is left to reduce. */
static bool next_link(random_case_t *c, uint64_t *stream) {
    c->rank = c->out_rank;
    memcpy(c->dims, c->out_dims, sizeof c->dims);
    if (c->rank == 0) return false;
    c->axis_count = 1;
    c->axes[0] = (int64_t)random_below(stream, c->rank) - (random_below(stream, 2) ? c->rank : 0);
    c->keep_dims = random_below(stream, 2);
    random_case_complete(c);
    return true;
}

static bool folds(const char *op, irr_element_type_e type) {
    if (strcmp(op, "ReduceSum") == 0 || strcmp(op, "ReduceProd") == 0) return irr_is_integer(type);
    return strcmp(op, "ReduceMin") == 0 || strcmp(op, "ReduceMax") == 0 ||
           strcmp(op, "ReduceLogicalAnd") == 0 || strcmp(op, "ReduceLogicalOr") == 0;
}

/* A chain of two or three, run as a whole and link by link. */
static void test_chains(void **state) {
    (void)state;
    double until = now() + seconds;
    uint64_t seed = first_seed, folded = 0;
    for (; now() < until || seed < first_seed + 100; seed++) {
        static model_t m;
        static char explained[1 << 16], kernels[MOST_LAYERS][256];
        random_case_t c;
        uint64_t stream = seed ^ 0xabcdef;
        irr_element_type_e type = types[seed % TYPE_COUNT];
        void *data = make_data(&c, seed, type);
        if (seed % 5 == 0 && c.rank < RANDOM_MAX_RANK) { /* an empty set somewhere */
            c.dims[random_below(&stream, c.rank)] = 0;
            random_case_complete(&c);
        }
        irr_op_e op;
        do op = (irr_op_e)random_below(&stream, IRR_OP_COUNT);
        while (!irr_op_takes(op, type) || (op == IRR_OP_MEAN && irr_is_integer(type)));
        c.op = irr_op_info(op)->type;
        bool seen = random_below(&stream, 4) == 0; /* what lies between is an output, too */
        uint32_t value = 0;
        begin(&m, &c);
        unsigned links = 0, wanted = 2 + (unsigned)random_below(&stream, 2);
        while (links < wanted && (links == 0 || next_link(&c, &stream)))
            value = add(&m, &c, value, ++links < wanted && !seen);
        if (links < wanted) m.graph.output_count = 0;
        if (m.graph.output_count) {
            const irr_property_t properties[] = {{"PERF_COUNT", "YES"},
                                                 {"IRREDUCE_BACKEND", "simd"}};
            run(&m, properties, 2, data, explained, sizeof explained, kernels);
            void *link = malloc(1 << 21), *link_data = malloc(1 << 21);
            memcpy(link_data, data, m.cases[0].elements * oracle_element_bytes(type));
            for (unsigned k = 0; k < links; k++) {
                char text[DEVICE_TEXT_BYTES];
                device_setup_t alone = {.backend = "simd", .isa = "scalar", .threads = 1};
                if (device_run(engine, &m.cases[k], &alone, link_data, link, text))
                    fail_msg("%s", text);
                memcpy(link_data, link, m.cases[k].outputs * oracle_element_bytes(type));
                bool idle = strncmp(kernels[k], "idle: folded into layer ", 24) == 0;
                assert_int_equal(idle, k + 1 < links && !seen && folds(c.op, type));
                folded += idle;
            }
            size_t bytes = c.outputs * oracle_element_bytes(type);
            if (memcmp(link, m.out[m.graph.output_count - 1].data, bytes) != 0)
                fail_msg("seed %llu: other bits in a chain", (unsigned long long)seed);
            free(link), free(link_data);
        }
        end(&m);
    }
    assert_true(folded > 0);
    print_message("%llu chains from IRR_TEST_SEED=%llu, %llu layers folded\n",
                  (unsigned long long)(seed - first_seed), (unsigned long long)first_seed,
                  (unsigned long long)folded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_siblings), cmocka_unit_test(test_far_siblings),
        cmocka_unit_test(test_unlike_siblings), cmocka_unit_test(test_who_joins),
        cmocka_unit_test(test_chains)};
    if (getenv("IRR_TEST_SEED")) first_seed = strtoull(getenv("IRR_TEST_SEED"), NULL, 0);
    if (getenv("IRR_TEST_SECONDS")) seconds = atof(getenv("IRR_TEST_SECONDS"));
    if (device_open(NULL) || !guarded_make(&room, ROOM_BYTES))
        return fprintf(stderr, "no device or no memory\n"), 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    guarded_release(&room);
    device_close(NULL);
    return failed;
}
