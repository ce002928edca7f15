/* The error bound of PERFORMANCE on data that is hard on sums and products: every answer lies in
 * the oracle's interval, and its error over the bound is printed, the worst of each op, type and
 * geometry. And the depth of the trees of shapes too large to run. IRR_TEST_SEED sets where it
 * starts. SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/op.h"
#include "device.h"
#include "kernel/kernels.h"
#include "oracle.h"
#include "plan/layout.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 1 << 17, DEPTH_LIMIT = 120, PRODUCT_MOST = 4096 };

static const irr_element_type_e types[] = {IRR_F64, IRR_F32, IRR_F16, IRR_BF16};
static const int most[] = {1023, 127, 15, 127}; /* exponents */
enum { TYPES = sizeof types / sizeof *types };

static uint64_t first_seed = 1;
static char data[MOST * 8];
static uint64_t output[MOST];
static double values[MOST]; /* what data holds */

static void put(irr_element_type_e type, size_t at, double x) {
    if (type == IRR_F64) {
        memcpy(data + at * 8, &x, 8);
        values[at] = x;
    } else if (type == IRR_F32) {
        float single = (float)x;
        memcpy(data + at * 4, &single, 4);
        values[at] = (double)single;
    } else {
        uint16_t half = type == IRR_F16 ? irr_f64_to_f16(x) : irr_f64_to_bf16(x);
        memcpy(data + at * 2, &half, 2);
        values[at] = type == IRR_F16 ? irr_f16_to_f64(half) : irr_bf16_to_f64(half);
    }
}

static double real(uint64_t *stream) { return 1 + ldexp((double)(random_next(stream) >> 11), -53); }

static double cancelling(uint64_t seed, size_t k, int top) {
    uint64_t pair = seed + k / 2;
    return (void)top, (k & 1 ? -1 : 1) * real(&pair) * (k % 1024 < 2 ? 1.001 : 1);
}
static double alternating(uint64_t seed, size_t k, int top) {
    uint64_t stream = seed + k;
    double x = ldexp(real(&stream), k % 2 ? top / 3 : -top / 3);
    return k % 4 < 2 ? x : -x;
}
static double one_huge(uint64_t seed, size_t k, int top) {
    uint64_t stream = seed + k;
    return k % 1021 ? real(&stream) : ldexp(real(&stream), top / 3);
}
static double positive(uint64_t seed, size_t k, int top) {
    uint64_t stream = seed + k;
    return (void)top, real(&stream);
}
static double all_equal(uint64_t seed, size_t k, int top) {
    return (void)k, (void)top, real(&seed);
}
static double (*const kinds[])(uint64_t seed, size_t k, int top) = {cancelling, alternating,
                                                                    one_huge, positive, all_equal};

static const struct {
    const char *name;
    int64_t dims[4]; /* axes 1 and 3 are reduced */
} geometries[] = {{"rows", {64, 1000, 1, 1}},     {"long row", {1, MOST, 1, 1}},
                  {"columns", {1, 1000, 100, 1}}, {"long columns", {1, MOST / 3, 3, 1}},
                  {"middle", {8, 33, 65, 1}},     {"alternating", {3, 70, 5, 90}},
                  {"many runs", {2, 9, 700, 9}}};

/* The place of an output's element. */
static size_t place(const random_case_t *c, size_t k, size_t number) {
    size_t inner = (size_t)c->dims[3], kept = (size_t)c->dims[2], length = (size_t)c->dims[1];
    return ((k / kept * length + number / inner) * kept + k % kept) * inner + number % inner;
}

static double value_of(irr_element_type_e type, uint64_t bits) {
    double x;
    float single;
    uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, 4), memcpy(&x, &bits, 8);
    return type == IRR_F64   ? x
           : type == IRR_F32 ? (double)single
           : type == IRR_F16 ? irr_f16_to_f64((uint16_t)bits)
                             : irr_bf16_to_f64((uint16_t)bits);
}

/* The least error before the final rounding that explains the answer: how far the exact result is
 * from what rounds to it. The true one may be larger; nothing that is seen from outside tells it,
 * least of all f16 and bf16, whose rounding hides most of it. */
static long double least_error(irr_element_type_e type, uint64_t bits, long double exact) {
    long double got = value_of(type, bits), sign = got < 0 ? -1 : 1;
    uint64_t one = 1, minus = one << (oracle_element_bytes(type) * 8 - 1);
    uint64_t magnitude = bits & ~minus, next = magnitude + 1; /* towards the exact result */
    if (magnitude && (exact - got) * sign < 0) next = magnitude - 1;
    long double half = fabsl((long double)value_of(type, next) - fabsl(got)) / 2;
    long double error = fabsl(got - exact) - half;
    return error > 0 ? error : 0;
}

typedef struct judged {
    long double exact, bound;
} judged_t;

/* In long double, by a compensated sum: its own error is thousands of times smaller than the bound.
 * The product's exponent is apart. */
static judged_t judge(const random_case_t *c, const irr_op_info_t *op, size_t k) {
    long double sum = 0, lost = 0, magnitude = 0, product = 1;
    size_t count = c->elements / c->outputs;
    long double u = c->type == IRR_F64 ? 0x1p-53L : 0x1p-24L;
    int exponent = 0;
    for (size_t number = 0; number < count; number++) {
        int shift;
        long double x = values[place(c, k, number)], before = sum;
        product = frexpl(product * x, &shift), exponent += shift;
        if (op->term == IRR_TERM_SQUARE) x *= x;
        if (op->term == IRR_TERM_MAGNITUDE) x = fabsl(x);
        sum = before + x;
        lost += fabsl(before) >= fabsl(x) ? (before - sum) + x : (x - sum) + before;
        magnitude += fabsl(x);
    }
    sum += lost, product = ldexpl(product, exponent);
    long double n = op->result == IRR_RESULT_QUOTIENT || !op->term ? (long double)count : 1;
    if (!op->term) return (judged_t){product, 2 * n * u * fabsl(product)};
    if (op->result == IRR_RESULT_ROOT) return (judged_t){sqrtl(sum), 128 * u * sqrtl(sum)};
    return (judged_t){sum / n, 128 * u * magnitude / n};
}

static double ratio(const random_case_t *c, const irr_op_info_t *op, size_t k) {
    judged_t right = judge(c, op, k);
    long double error = least_error(c->type, oracle_bits_at(output, c->type, k), right.exact);
    return right.bound > 0 ? (double)(error / right.bound) : 0;
}

/* Data that is hard on sums; of products every second factor is about the inverse of the one
 * before, so that the result stays in the range and what is on the way to it does not. */
static void fill(const random_case_t *c, const irr_op_info_t *op, size_t type, size_t kind) {
    /* Squares must stay in the range too. */
    int top = op->term == IRR_TERM_SQUARE ? most[type] / 2 : most[type];
    size_t count = c->elements / c->outputs;
    for (size_t i = 0; i < c->elements; i++) {
        size_t k = i / count, number = i % count;
        uint64_t seed = first_seed * 1000 + kind + (uint64_t)k * 0x10000001;
        bool invert = !op->term && number % 2;
        double x = kinds[kind](seed, number - invert, top);
        put(c->type, place(c, k, number), invert ? 1 / x : x);
    }
}

static double worst_of(const irr_op_info_t *op, size_t type, size_t geometry) {
    random_case_t c = {.op = op->type,
                       .type = types[type],
                       .rank = 4,
                       .axes = {1, 3},
                       .axis_count = 2,
                       .seed = first_seed};
    memcpy(c.dims, geometries[geometry].dims, sizeof geometries[geometry].dims);
    random_case_complete(&c);
    double worst = 0;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        char sentence[DEVICE_TEXT_BYTES];
        fill(&c, op, type, kind);
        oracle_problem_t problem = {
            .op = c.op, .type = c.type, .rank = 4, .dims = c.dims, .reduced = c.mask};
        oracle_answer_t answer = {0};
        /* Whole numbers of millions of bits take minutes: there the ratio alone judges. */
        bool solved = op->term || c.elements / c.outputs <= PRODUCT_MOST;
        if (solved) assert_true(oracle_solve(&problem, data, &answer));
        for (unsigned threads = 1; threads < 5; threads += 3) {
            device_setup_t setup = {.backend = "simd", .threads = threads};
            if (device_run(engine, &c, &setup, data, output, sentence) != IRR_OK)
                fail_msg("%s", sentence);
            size_t k = solved ? oracle_first_wrong(&answer, output) : 0;
            if (k < answer.count)
                fail_msg("%s of type %d, %s, kind %zu: output %zu leaves the bound", c.op,
                         (int)c.type, geometries[geometry].name, kind, k);
        }
        for (size_t k = 0; k < c.outputs; k++) worst = fmax(worst, ratio(&c, op, k));
        if (solved) oracle_release(&answer);
    }
    assert_true(worst <= 1);
    return worst;
}

static void test_bounds(void **state) {
    (void)state;
    print_message(
        "IRR_TEST_SEED=%llu; the worst of: least error before the final rounding that "
        "explains an answer, over the bound (Prod: 2 n u, else 128 u); f16 and bf16 show one "
        "beside their rounding boundaries alone\n",
        (unsigned long long)first_seed);
    for (unsigned i = 0; i < IRR_OP_COUNT; i++)
        for (size_t g = 0; g < sizeof geometries / sizeof *geometries; g++) {
            const irr_op_info_t *op = irr_op_info((irr_op_e)i);
            if (!op->term && i != IRR_OP_PROD) continue;
            double worst[TYPES];
            for (size_t t = 0; t < TYPES; t++) worst[t] = worst_of(op, t, g);
            print_message("%-10s %-13s f64 %.4f  f32 %.4f  f16 %.4f  bf16 %.4f\n", op->type,
                          geometries[g].name, worst[0], worst[1], worst[2], worst[3]);
        }
}

/* Every kernel's layout of 2^40 elements and of what lies around it, without data. */
static void test_depth(void **state) {
    (void)state;
    static const int64_t shapes[][5] = {/* dims; axes 1 and 3 (and 4 where it is not 1) */
                                        {1, INT64_C(1) << 40, 1, 1, 1},
                                        {1, (INT64_C(1) << 40) - 1, 1, 1, 1},
                                        {1 << 20, 1 << 20, 1, 1, 1},
                                        {1, 1 << 20, 1 << 20, 1, 1},
                                        {1, INT64_C(1) << 38, 4, 1, 1},
                                        {1, INT64_C(1) << 35, 31, 1, 1},
                                        {1, INT64_C(1) << 30, 1023, 1, 1},
                                        {1, 1 << 20, 2, 1 << 19, 1},
                                        {1, (1 << 20) + 1, 2, (1 << 19) - 1, 1},
                                        {1, 1 << 30, 2, 33, 16},
                                        {3, 1 << 5, 1 << 5, 1 << 25, 7},
                                        {1, INT64_C(1) << 34, 2, 31, 1},
                                        {1, INT64_C(1) << 34, 2, 32, 1},
                                        {1, 1 << 30, 2, 32, 16}};
    uint32_t deepest = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (unsigned tier = 0; tier <= (unsigned)irr_cpu_best_tier(); tier++)
            for (unsigned op = 0; op < IRR_OP_COUNT; op++)
                for (size_t t = 0; t < TYPES; t++)
                    for (uint32_t threads = 1; threads <= 64; threads *= 8)
                        for (unsigned last = 0; last < 2; last++) {
                            const irr_kernel_table_t *table = irr_kernels((irr_tier_e)tier);
                            const irr_op_kernel_t *row =
                                &table->ops[IRR_PATH_ORDINARY][op][types[t]];
                            if (!irr_op_info((irr_op_e)op)->term || !row->finish) continue;
                            const irr_kernel_t *kernel = &table->folds[row->fold][row->fold_type];
                            irr_lane_info_t lanes = {.lanes = kernel->lanes,
                                                     .accumulator_bytes = kernel->accumulator_bytes,
                                                     .element_bytes = kernel->element_bytes,
                                                     .tile_accumulator_bytes =
                                                         kernel->accumulator_bytes,
                                                     .alone = true,
                                                     .most_block_elements = SIZE_MAX,
                                                     .row_leaves = IRR_LONG_ROW_LEAVES,
                                                     .most_last_rows = 256,
                                                     .column_leaves = kernel->leaves};
                            irr_geometry_t geometry;
                            irr_layout_t layout;
                            irr_geometry_of(shapes[s], 5, last ? 0x1a : 0x0a, &geometry);
                            irr_cost_t cost = {0x1p50, threads, false};
                            irr_layout_of(&geometry, &lanes, &cost, &layout);
                            uint32_t depth = irr_layout_depth(&layout) + 2; /* square, divide */
                            if (depth > deepest) deepest = depth;
                            assert_true(depth <= DEPTH_LIMIT);
                        }
    print_message("deepest: %u roundings\n", deepest);
}

static int set_up(void **state) {
    if (getenv("IRR_TEST_SEED")) first_seed = strtoull(getenv("IRR_TEST_SEED"), NULL, 0);
    return device_open(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds), cmocka_unit_test(test_depth)};
    return cmocka_run_group_tests(tests, set_up, device_close);
}
