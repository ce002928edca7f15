/* Every operation on every type against the exact oracle, on every backend and tier, through the
 * wall; and the promise of the same bits. Prints its seed; IRR_TEST_SEED and IRR_TEST_SECONDS (for
 * each of its tests) set where it starts and how long it looks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/op.h"
#include "device.h"
#include "oracle.h"
#include "random_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { MAX_ELEMENTS = 1 << 17, ROOM_BYTES = 9 << 20 };

static const irr_element_type_e types[] = {IRR_F32, IRR_F64, IRR_F16,    IRR_BF16, IRR_I8,
                                           IRR_U8,  IRR_I32, IRR_I64,    IRR_U64,  IRR_I16,
                                           IRR_U16, IRR_U32, IRR_BOOLEAN};
enum { TYPE_COUNT = sizeof types / sizeof *types };
/* A tier above the CPU's means the CPU's best, so all three can be asked for anywhere. */
static const char *const tiers[] = {"scalar", "avx2", "avx512"};

static guarded_t data_room, output_room, expected_room;
static uint64_t first_seed = 1;
static double seconds = 5;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The case and its data, the latter ending at a guard page. */
static void *make_case(random_case_t *c, uint64_t seed, size_t max_elements) {
    irr_op_e op = (irr_op_e)(seed % IRR_OP_COUNT);
    irr_element_type_e type = types[seed / IRR_OP_COUNT % TYPE_COUNT];
    if (!irr_op_takes(op, type)) type = irr_op_info(op)->takes_numeric ? IRR_F32 : IRR_BOOLEAN;
    /* The exact product of n numbers takes n^2 steps. */
    if (op == IRR_OP_PROD && max_elements > 4096) max_elements = 4096;
    random_case_make(c, seed, irr_op_info(op)->type, type, max_elements);
    size_t bytes = c->elements * oracle_element_bytes(c->type);
    void *data = guarded_at_end(&data_room, bytes, 0);
    random_case_fill(c, data);
    return data;
}

static void fail_case(const random_case_t *c, const device_setup_t *setup, const char *what,
                      const char *sentence) {
    char text[RANDOM_CASE_TEXT_BYTES], how[DEVICE_TEXT_BYTES];
    fail_msg("%s: %s: %s %s", random_case_text(c, text), device_setup_text(setup, how), what,
             sentence);
}

/* Runs into guarded room and returns it; anything but success fails the test. */
static void *run(const random_case_t *c, const device_setup_t *setup, const void *data,
                 guarded_t *room, size_t slack) {
    char sentence[DEVICE_TEXT_BYTES];
    size_t bytes = c->outputs * oracle_element_bytes(c->type);
    void *output = guarded_at_end(room, bytes, slack);
    if (device_run(engine, c, setup, data, output, sentence) != IRR_OK)
        fail_case(c, setup, "fails:", sentence);
    if (!guarded_is_whole(room, output, bytes)) fail_case(c, setup, "writes", "beside its output");
    return output;
}

static void judge(const random_case_t *c, const device_setup_t *setup,
                  const oracle_answer_t *answer, const void *output) {
    size_t k = oracle_first_wrong(answer, output);
    if (k == answer->count) return;
    char what[200];
    snprintf(what, sizeof what, "output %zu is %#llx, right is %#llx to %#llx%s", k,
             (unsigned long long)oracle_bits_at(output, c->type, k),
             (unsigned long long)answer->outputs[k].low,
             (unsigned long long)answer->outputs[k].high,
             answer->outputs[k].no_minus_zero ? " without -0" : "");
    fail_case(c, setup, what, "");
}

static void same(const random_case_t *c, const device_setup_t *setup, const void *output,
                 const void *expected) {
    if (memcmp(output, expected, c->outputs * oracle_element_bytes(c->type)) != 0)
        fail_case(c, setup, "has other bits than", "scalar on one thread");
}

static oracle_answer_t ask_oracle(const random_case_t *c, const void *data, bool accuracy) {
    oracle_problem_t problem = {.op = c->op,
                                .type = c->type,
                                .rank = c->rank,
                                .dims = c->dims,
                                .reduced = c->mask,
                                .identity = c->axis_count == 0,
                                .accuracy = accuracy};
    oracle_answer_t answer;
    assert_true(oracle_solve(&problem, data, &answer));
    assert_int_equal(answer.count, c->outputs);
    return answer;
}

static const device_setup_t reference = {.backend = "reference", .threads = 1};
/* The scalar tier is the bit model. */
static const device_setup_t model = {.backend = "simd", .isa = "scalar", .threads = 1};

/* The contract's one error: integers have no mean of nothing. Says so, and that it names the layer.
 */
static bool is_refused(const random_case_t *c, const void *data) {
    if (strcmp(c->op, "ReduceMean") != 0 || oracle_is_float(c->type) || c->elements > 0 ||
        c->outputs == 0 || c->axis_count == 0)
        return false;
    oracle_answer_t answer = ask_oracle(c, data, false);
    assert_true(answer.is_error);
    oracle_release(&answer);
    char sentence[DEVICE_TEXT_BYTES];
    assert_int_not_equal(device_run(engine, c, &model, data, output_room.first, sentence), IRR_OK);
    assert_non_null(strstr(sentence, "ReduceMean"));
    return true;
}

/* What the scalar tier says, after the others have said the same. */
static const void *ask_tiers(const random_case_t *c, const void *data) {
    const void *expected = run(c, &model, data, &expected_room, 0);
    for (size_t t = 0; t < 3; t++) {
        device_setup_t setup = {
            .backend = "simd", .isa = tiers[t], .threads = 1 + (unsigned)(c->seed + t) % 8};
        same(c, &setup, run(c, &setup, data, &output_room, 0), expected);
    }
    return expected;
}

/* Every backend and tier against the oracle. */
static void check_case(const random_case_t *c, const void *data) {
    oracle_answer_t answer = ask_oracle(c, data, false);
    judge(c, &reference, &answer, run(c, &reference, data, &output_room, 0));
    judge(c, &model, &answer, ask_tiers(c, data));
    device_setup_t automatic = {.threads = 1 + (unsigned)c->seed % 3};
    void *output = run(c, &automatic, data, &output_room, 0);
    judge(c, &automatic, &answer, output);
    automatic.reproducible = "NO";
    judge(c, &automatic, &answer, run(c, &automatic, data, &output_room, 0));
    oracle_release(&answer);
    answer = ask_oracle(c, data, true); /* correctly rounded */
    device_setup_t exact = {.threads = 1 + (unsigned)c->seed % 3, .mode = "ACCURACY"};
    judge(c, &exact, &answer, run(c, &exact, data, &output_room, 0));
    oracle_release(&answer);
}

static void test_random_cases(void **state) {
    (void)state;
    double end = now() + seconds;
    uint64_t seed = first_seed;
    for (; now() < end || seed < first_seed + 200; seed++) {
        random_case_t c;
        void *data = make_case(&c, seed, MAX_ELEMENTS);
        if (!is_refused(&c, data)) check_case(&c, data);
    }
    print_message("%llu cases from IRR_TEST_SEED=%llu\n", (unsigned long long)(seed - first_seed),
                  (unsigned long long)first_seed);
}

/* Statistics over the first and the third dimension, of more rows than a leaf: what is in doubt
 * goes up the ladder in the same units. */
static void test_blocks_of_segments(void **state) {
    (void)state;
    static const int64_t shapes[][4] = {
        {70, 3, 37, 5}, {90, 2, 100, 3}, {40, 9, 33, 2}, {20, 13, 64, 1}, {30, 5, 40, 3}};
    for (uint64_t seed = first_seed; seed < first_seed + 2 * IRR_OP_COUNT * TYPE_COUNT; seed++) {
        random_case_t c;
        make_case(&c, seed, 1);
        c.rank = 4, c.axis_count = 2, c.axes[0] = 0, c.axes[1] = 2, c.seed = seed;
        memcpy(c.dims, shapes[seed % (sizeof shapes / sizeof *shapes)], sizeof *shapes);
        c.kind = random_data_kind(c.type, seed / 5 * 3 + seed / (IRR_OP_COUNT * TYPE_COUNT));
        random_case_complete(&c);
        void *data = guarded_at_end(&data_room, c.elements * oracle_element_bytes(c.type), 0);
        random_case_fill(&c, data);
        if (strcmp(c.op, "ReduceProd") == 0) /* n^2 steps again */
            ask_tiers(&c, data);
        else
            check_case(&c, data);
    }
}

/* The same bits on 1 to 8 threads, at every address, with strides, beside other layers, with
 * unknown dims. */
static void test_same_bits(void **state) {
    (void)state;
    double end = now() + seconds;
    uint64_t seed = first_seed + 1000000, count = 0;
    for (; now() < end || count < 10; seed++, count++) {
        random_case_t c;
        void *data = make_case(&c, seed, count % 4 ? 4096 : MAX_ELEMENTS);
        if (is_refused(&c, data)) continue;
        size_t step = oracle_element_bytes(c.type), bytes = c.elements * step;
        const void *expected = run(&c, &model, data, &expected_room, 0);
        for (unsigned threads = 1; threads <= 8; threads++) {
            device_setup_t setup = {.backend = "simd",
                                    .isa = tiers[(seed + threads) % 3],
                                    .threads = threads,
                                    .siblings = c.type == IRR_BOOLEAN ? 0 : threads % 4};
            same(&c, &setup, run(&c, &setup, data, &output_room, 0), expected);
        }
        device_setup_t dynamic = {
            .backend = "simd", .isa = tiers[seed % 3], .threads = 2, .dynamic = true};
        same(&c, &dynamic, run(&c, &dynamic, data, &output_room, 0), expected);
        device_setup_t strided = {.backend = "simd", .isa = tiers[seed % 3], .strided = true};
        same(&c, &strided, run(&c, &strided, data, &output_room, 0), expected);
        device_setup_t fast = {.backend = "simd", .threads = 1};
        for (size_t slack = 0; slack < 64; slack += step) {
            void *moved = slack % 3 == 0 ? guarded_at_start(&data_room, bytes, slack)
                                         : guarded_at_end(&data_room, bytes, slack);
            random_case_fill(&c, moved);
            fast.isa = tiers[(slack / step + seed) % 3];
            same(&c, &fast, run(&c, &fast, moved, &output_room, slack), expected);
        }
    }
    print_message("%llu cases from IRR_TEST_SEED=%llu\n", (unsigned long long)count,
                  (unsigned long long)first_seed);
}

/* Each operation and type at each size around the blocks, as a row, a column and a middle run, as
 * many short rows and as few in several segments, and on each kind of data. */
static void test_edges(void **state) {
    (void)state;
    static const int64_t sizes[] = {1,   2,    3,    4,    5,    6,    7,    8,   9,   12,
                                    15,  16,   17,   31,   32,   33,   63,   64,  65,  127,
                                    128, 129,  255,  256,  257,  511,  512,  513, 767, 768,
                                    769, 1023, 1025, 2047, 2048, 2049, 4095, 4097};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned form = 0; form < (sizes[i] < 130 ? 5 : 3); form++)
            for (uint64_t seed = 0; seed < IRR_OP_COUNT * TYPE_COUNT; seed++) {
                static const int64_t rows[] = {3, 1, 1, 37, 9}, columns[] = {1, 5, 67, 1, 1};
                random_case_t c;
                make_case(&c, seed, 1);
                if (sizes[i] > 600 && strcmp(c.op, "ReduceProd") == 0) continue; /* n^2 again */
                c.rank = 3, c.keep_dims = false;
                c.dims[0] = rows[form], c.dims[1] = sizes[i], c.dims[2] = columns[form];
                c.axis_count = 1, c.axes[0] = 1;
                if (form == 4) /* segments */
                    c.axis_count = 2, c.dims[1] = 2, c.dims[2] = sizes[i], c.axes[1] = 0,
                    c.axes[0] = 2;
                random_case_complete(&c);
                c.kind = random_data_kind(c.type, i + 5 * form), c.seed = i;
                void *data =
                    guarded_at_end(&data_room, c.elements * oracle_element_bytes(c.type), 0);
                random_case_fill(&c, data);
                oracle_answer_t answer = ask_oracle(&c, data, false);
                judge(&c, &reference, &answer, run(&c, &reference, data, &output_room, 0));
                const void *expected = run(&c, &model, data, &expected_room, 0);
                judge(&c, &model, &answer, expected);
                for (size_t t = 1; t < 3; t++) {
                    device_setup_t setup = {.backend = "simd", .isa = tiers[t], .threads = 1};
                    same(&c, &setup, run(&c, &setup, data, &output_room, 0), expected);
                }
                oracle_release(&answer);
            }
}

/* Short rows of each length on each kind of data in turns: those whose partial results leave the
 * range are done again by other paths than most. */
static void test_short_rows(void **state) {
    (void)state;
    for (int64_t length = 1; length < 140; length++)
        for (uint64_t seed = 0; seed < IRR_OP_COUNT * TYPE_COUNT; seed++) {
            random_case_t c;
            make_case(&c, seed, 1);
            c.rank = 2, c.axis_count = 1;
            c.dims[0] = 37, c.dims[1] = length, c.axes[0] = 1;
            random_case_complete(&c);
            c.kind = random_data_kind(c.type, (uint64_t)length), c.seed = (uint64_t)length;
            void *data = guarded_at_end(&data_room, c.elements * oracle_element_bytes(c.type), 0);
            random_case_fill(&c, data);
            const void *expected = run(&c, &model, data, &expected_room, 0);
            for (size_t t = 1; t < 3; t++) {
                device_setup_t setup = {.backend = "simd", .isa = tiers[t], .threads = 1};
                same(&c, &setup, run(&c, &setup, data, &output_room, 0), expected);
            }
        }
}

/* A million elements whose roundings all err to one side: a fold too deep leaves the bound. */
static void test_long_runs(void **state) {
    (void)state;
    static const struct {
        uint32_t rank, axis_count;
        int64_t dims[4], axes[2];
    } forms[] = {{1, 1, {1 << 20}, {0}},
                 {2, 1, {349525, 3}, {0}},
                 {4, 2, {128, 3, 1365, 2}, {0, 2}},
                 {4, 2, {3, 349, 3, 333}, {1, 3}}};
    for (size_t form = 0; form < sizeof forms / sizeof *forms; form++)
        for (uint64_t k = 0; k < 4 * IRR_OP_COUNT; k++) {
            random_case_t c = {.seed = first_seed + k,
                               .type = types[k % 4],
                               .op = irr_op_info((irr_op_e)(k / 4))->type,
                               .rank = forms[form].rank,
                               .axis_count = forms[form].axis_count};
            if (!irr_op_info((irr_op_e)(k / 4))->term) continue; /* it does not sum */
            memcpy(c.dims, forms[form].dims, sizeof forms[form].dims);
            memcpy(c.axes, forms[form].axes, sizeof forms[form].axes);
            random_case_complete(&c);
            while (strcmp(random_data_name(c.kind, c.type), "all equal") != 0) c.kind++;
            void *data = guarded_at_end(&data_room, c.elements * oracle_element_bytes(c.type), 0);
            random_case_fill(&c, data);
            oracle_answer_t answer = ask_oracle(&c, data, false);
            const void *expected = run(&c, &model, data, &expected_room, 0);
            judge(&c, &model, &answer, expected);
            device_setup_t setup = {.backend = "simd", .isa = "avx512", .threads = 8};
            same(&c, &setup, run(&c, &setup, data, &output_room, 0), expected);
            oracle_release(&answer);
        }
}

static int set_up(void **state) {
    if (getenv("IRR_TEST_SEED")) first_seed = strtoull(getenv("IRR_TEST_SEED"), NULL, 0);
    if (getenv("IRR_TEST_SECONDS")) seconds = atof(getenv("IRR_TEST_SECONDS"));
    return device_open(state) || !guarded_make(&data_room, ROOM_BYTES) ||
           !guarded_make(&output_room, ROOM_BYTES) || !guarded_make(&expected_room, ROOM_BYTES);
}

static int tear_down(void **state) {
    guarded_release(&data_room), guarded_release(&output_room), guarded_release(&expected_room);
    return device_close(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),        cmocka_unit_test(test_short_rows),
        cmocka_unit_test(test_long_runs),    cmocka_unit_test(test_blocks_of_segments),
        cmocka_unit_test(test_random_cases), cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
