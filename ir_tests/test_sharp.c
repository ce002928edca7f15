/* Data made to show what random data hides: how deep a fold is, integer roots one off, sums that
 * wrap.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device.h"
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 1 << 16, MOST_ROUNDINGS = 120 };

static const char *const backends[] = {"simd", "reference", "auto"};

static void run(random_case_t *c, const char *backend, const void *data, void *output) {
    char sentence[DEVICE_TEXT_BYTES];
    random_case_complete(c);
    device_setup_t setup = {.backend = backend, .threads = 1};
    if (device_run(engine, c, &setup, data, output, sentence) != IRR_OK) fail_msg("%s", sentence);
}

/* One number of 2^24 (a square of it) before ones: each one that is added to it alone is lost by
 * rounding to even, those that come in company are not. So what is missing from the sum counts the
 * steps that the first element of a set passes. */
static void test_depth(void **state) {
    (void)state;
    static const int64_t forms[][4] = {/* dims, and 1 or 2: the axes are [0] or [0, 2] */
                                       {MOST, 1, 1, 1},  {4097, 1, 1, 1}, {MOST / 2, 2, 1, 1},
                                       {4096, 3, 5, 2},  {33, 2, 900, 2}, {700, 7, 3, 2},
                                       {2047, 31, 1, 1}, {640, 100, 1, 1}};
    float *data = malloc(sizeof *data * MOST), output[128];
    assert_non_null(data);
    for (size_t form = 0; form < sizeof forms / sizeof *forms; form++)
        for (int squares = 0; squares < 2; squares++) {
            const int64_t *d = forms[form];
            random_case_t c = {.op = squares ? "ReduceL2" : "ReduceSum",
                               .type = IRR_F32,
                               .rank = 3,
                               .dims = {d[0], d[1], d[2]},
                               .axes = {0, 2},
                               .axis_count = (uint32_t)d[3]};
            random_case_complete(&c);
            for (size_t i = 0; i < c.elements; i++) data[i] = 1;
            for (size_t i = 0; i < c.outputs; i++) /* the first element of each set */
                data[i * (d[3] == 2 ? (size_t)d[2] : 1)] = squares ? 0x1p12f : 0x1p24f;
            run(&c, "simd", data, output);
            double ones = (double)(c.elements / c.outputs - 1);
            for (size_t i = 0; i < c.outputs; i++) {
                double sum = squares ? (double)output[i] * (double)output[i] : (double)output[i];
                double lost = 0x1p24 + ones - sum - (squares ? 8 : 0); /* 8: the root's rounding */
                if (lost > MOST_ROUNDINGS)
                    fail_msg("%s, form %zu: an element passes some %g roundings", c.op, form, lost);
            }
        }
    free(data);
}

/* [2 m^2, 2 m, 0 or 1] has the root of k^2 - 1 or k^2, where k = 2 m^2 + 1. */
static void test_integer_roots(void **state) {
    (void)state;
    static const irr_element_type_e types[] = {IRR_I8,  IRR_U8,  IRR_I16, IRR_U16,
                                               IRR_I32, IRR_U32, IRR_I64, IRR_U64};
    enum { SETS = 3000 };
    static uint64_t words[3 * SETS], data[3 * SETS], output[SETS];
    uint64_t stream = 1;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t b = 0; b < 3; b++) {
            bool is_signed = types[t] <= IRR_I64;
            size_t bytes = oracle_element_bytes(types[t]);
            uint64_t limit = (uint64_t)sqrt(ldexp(0.5, (int)bytes * 8 - is_signed));
            for (size_t i = 0; i < SETS; i++) {
                uint64_t m = i % 2 ? limit - random_below(&stream, limit < 9 ? limit : 9)
                                   : 1 + random_below(&stream, limit);
                words[3 * i] = 2 * m * m - (m == limit), words[3 * i + 1] = 2 * m;
                words[3 * i + 2] = i / 2 % 2;
            }
            for (size_t i = 0; i < 3 * SETS; i++)
                memcpy((char *)data + i * bytes, &words[i], bytes);
            random_case_t c = {.op = "ReduceL2",
                               .type = types[t],
                               .rank = 2,
                               .dims = {SETS, 3},
                               .axes = {1},
                               .axis_count = 1};
            run(&c, backends[b], data, output);
            oracle_problem_t problem = {
                .op = c.op, .type = c.type, .rank = 2, .dims = c.dims, .reduced = 2};
            oracle_answer_t answer;
            assert_true(oracle_solve(&problem, data, &answer));
            size_t wrong = oracle_first_wrong(&answer, output);
            if (wrong < SETS)
                fail_msg("%s, type %d: [%llu, %llu, %llu]", backends[b], (int)types[t],
                         (unsigned long long)words[3 * wrong],
                         (unsigned long long)words[3 * wrong + 1],
                         (unsigned long long)words[3 * wrong + 2]);
            oracle_release(&answer);
        }
}

/* Sets of the least or the greatest value alone: no partial sum may wrap or lose its sign, however
 * long a leaf or many rows at a time; 66,052 squares of bytes are 2^32 and a little. The root is
 * more than the type holds, the mean is the value. */
static void test_integer_extremes(void **state) {
    (void)state;
    static const irr_element_type_e types[] = {IRR_I8,  IRR_U8,  IRR_I16, IRR_U16,
                                               IRR_I32, IRR_U32, IRR_I64, IRR_U64};
    static const char *const tiers[] = {"scalar", "avx2", "avx512"};
    static const int64_t forms[][3] = {/* dims, and the axis */
                                       {1025, 60, 0}, {300, 210, 0}, {5000, 13, 0}, {3, 20000, 1},
                                       {900, 70, 1},  {90, 500, 1},  {17, 66052, 1}};
    enum { FORMS = sizeof forms / sizeof *forms, MOST_BYTES = 17 * 66052 * sizeof(uint64_t) };
    static uint64_t output[1024];
    char *data = malloc(MOST_BYTES);
    assert_non_null(data);
    char sentence[DEVICE_TEXT_BYTES];
    for (size_t k = 0; k < 8 * 2 * 2 * 3 * FORMS; k++) {
        irr_element_type_e type = types[k % 8];
        const int64_t *d = forms[k / 96];
        bool is_signed = type <= IRR_I64, mean = k / 8 % 2;
        size_t bytes = oracle_element_bytes(type);
        uint64_t greatest = UINT64_MAX >> (64 - 8 * bytes + is_signed);
        uint64_t value = k / 16 % 2 || !is_signed ? greatest : greatest + 1;
        uint64_t expected = mean ? value : greatest;
        random_case_t c = {.op = mean ? "ReduceMean" : "ReduceL2",
                           .type = type,
                           .rank = 2,
                           .dims = {d[0], d[1]},
                           .axes = {d[2]},
                           .axis_count = 1};
        device_setup_t setup = {.backend = "simd", .isa = tiers[k / 32 % 3], .threads = 1};
        random_case_complete(&c);
        for (size_t i = 0; i < c.elements; i++) memcpy(data + i * bytes, &value, bytes);
        if (device_run(engine, &c, &setup, data, output, sentence) != IRR_OK)
            fail_msg("%s", sentence);
        for (size_t i = 0; i < c.outputs; i++)
            if (memcmp((char *)output + i * bytes, &expected, bytes))
                fail_msg("%s of type %d, %s, [%d, %d]: output %zu", c.op, (int)type, setup.isa,
                         (int)d[0], (int)d[1], i);
    }
    free(data);
}

/* Rows where a great number is added and taken away again before, after or between small ones,
 * which it swallows: what is left of them tells in which order they were added, whatever the type
 * rounds away. No tier, and no number of rows, may change it. */
static void test_order_in_rows(void **state) {
    (void)state;
    enum { ROWS = 33, LONGEST = 150, DRAWS = 4 };
    static const irr_element_type_e types[] = {IRR_F16, IRR_BF16, IRR_F32, IRR_F64};
    static const uint64_t great[] = {0x7800, 0x4e80, 0x4e800000, 0x43b0000000000000};
    static const uint64_t small[] = {0x0400, 0x3f80, 0x3f800000, 0x3ff0000000000000};
    static const char *const tiers[] = {"scalar", "avx2", "avx512"};
    static const int64_t counts[] = {1, 8, 16, ROWS};
    static uint64_t data[ROWS * LONGEST], alone[1], output[ROWS];
    char sentence[DEVICE_TEXT_BYTES];
    uint64_t stream = 1;
    for (size_t k = 0; k < 4 * (size_t)LONGEST * DRAWS; k++) {
        irr_element_type_e type = types[k % 4];
        size_t bytes = oracle_element_bytes(type), length = k / 4 / DRAWS + 1;
        size_t plus = random_below(&stream, length), minus = random_below(&stream, length);
        if (k / 4 % DRAWS == 0) plus = 0, minus = length > 1;
        for (size_t i = 0; i < ROWS * length; i++) {
            uint64_t x = small[k % 4], sign = UINT64_C(1) << (8 * bytes - 1);
            if (i % length == plus) x = great[k % 4];
            if (i % length == minus) x = great[k % 4] | sign;
            memcpy((char *)data + i * bytes, &x, bytes);
        }
        for (size_t run = 0; run < 3 * 4; run++) {
            device_setup_t setup = {.backend = "simd", .isa = tiers[run / 4], .threads = 1};
            random_case_t c = {.op = "ReduceSum",
                               .type = type,
                               .rank = 2,
                               .dims = {counts[run % 4], (int64_t)length},
                               .axes = {1},
                               .axis_count = 1};
            random_case_complete(&c);
            if (device_run(engine, &c, &setup, data, run ? output : alone, sentence) != IRR_OK)
                fail_msg("%s", sentence);
            for (size_t i = 0; run && i < c.outputs; i++)
                if (memcmp((char *)output + i * bytes, alone, bytes))
                    fail_msg("type %d, %zu elements, great ones at %zu and %zu, %s: row %zu of %d",
                             (int)type, length, plus, minus, setup.isa, i, (int)c.dims[0]);
        }
    }
}

/* Powers of two whose product is 1 or -1, though partial products of some sets leave the range. */
static void test_products_in_pairs(void **state) {
    (void)state;
    static const struct {
        irr_element_type_e type;
        int fraction, bias, most;
    } types[] = {{IRR_F16, 10, 15, 14},
                 {IRR_BF16, 7, 127, 100},
                 {IRR_F32, 23, 127, 100},
                 {IRR_F64, 52, 1023, 900}};
    static const char *const tiers[] = {"scalar", "avx2", "avx512"};
    static const int64_t forms[][4] = {/* dims, and the axis */
                                       {70, 40, 20, 1}, {200, 6, 4, 1},  {900, 40, 1, 1},
                                       {40, 500, 1, 0}, {1, 1000, 1, 1}, {60, 2, 300, 1}};
    static uint64_t data[MOST], output[MOST / 2];
    static int exponents[MOST];
    char sentence[DEVICE_TEXT_BYTES];
    uint64_t stream = 1;
    for (size_t k = 0; k < 4 * 3 * 6 * 3; k++) {
        const int64_t *d = forms[k / 12 % 6];
        size_t bytes = oracle_element_bytes(types[k % 4].type);
        int axis = (int)d[3], apart = (int)(axis ? d[2] : d[1] * d[2]), n = (int)d[axis];
        random_case_t c = {.op = "ReduceProd",
                           .type = types[k % 4].type,
                           .rank = 3,
                           .dims = {d[0], d[1], d[2]},
                           .axes = {axis},
                           .axis_count = 1};
        device_setup_t setup = {.backend = "simd", .isa = tiers[k / 4 % 3], .threads = 1 + k % 2};
        random_case_complete(&c);
        for (size_t i = 0; i < c.outputs; i++) {
            bool wide = i % 701 == k / 72 * 3;
            size_t first = i / (size_t)apart * (size_t)(apart * n) + i % (size_t)apart;
            for (int j = 0; j < n; j++) {
                int most = wide ? types[k % 4].most : 1; /* the second half takes all back */
                int e = most - (int)random_below(&stream, 3) % (most + 1);
                exponents[j] = j < n / 2 ? e : j == n - 1 - j ? 0 : -exponents[n - 1 - j];
                uint64_t x = (uint64_t)(types[k % 4].bias + exponents[j]) << types[k % 4].fraction;
                if (j == 1 && i % 3 == 0) x |= UINT64_C(1) << (8 * bytes - 1);
                memcpy((char *)data + (first + (size_t)(j * apart)) * bytes, &x, bytes);
            }
        }
        if (device_run(engine, &c, &setup, data, output, sentence) != IRR_OK)
            fail_msg("%s", sentence);
        for (size_t i = 0; i < c.outputs; i++) {
            uint64_t one = (uint64_t)types[k % 4].bias << types[k % 4].fraction;
            if (i % 3 == 0) one |= UINT64_C(1) << (8 * bytes - 1);
            if (memcmp((char *)output + i * bytes, &one, bytes))
                fail_msg("type %d, %s, [%d, %d, %d]: output %zu", (int)c.type, setup.isa, (int)d[0],
                         (int)d[1], (int)d[2], i);
        }
    }
}

/* Small integers, for which sums in narrow lanes are enough, and now and then one for which they
 * are not, or just so: beside many units that are not concerned. */
static void test_large_among_small(void **state) {
    (void)state;
    static const irr_element_type_e types[] = {IRR_I32, IRR_U32, IRR_I64, IRR_U64};
    static const char *const ops[] = {"ReduceL2", "ReduceMean"}, *const tiers[] = {"scalar", "avx2",
                                                                                   "avx512"};
    static const int64_t forms[][3] = {{3000, 5, 1}, {900, 4, 3}, {40, 30, 9}, {2, 6, 900}};
    static const uint64_t around[] = {UINT64_C(1) << 25, UINT64_C(1) << 38, UINT64_C(1) << 31,
                                      UINT64_C(1) << 63};
    static uint64_t data[16384], output[16384];
    char sentence[DEVICE_TEXT_BYTES];
    uint64_t stream = 1;
    for (size_t k = 0; k < 4 * 2 * 4 * 3; k++) {
        const int64_t *d = forms[k / 8 % 4];
        size_t bytes = oracle_element_bytes(types[k % 4]), n = (size_t)(d[0] * d[1] * d[2]);
        for (size_t i = 0; i < n; i++) {
            uint64_t x = random_below(&stream, 1000);
            if (random_below(&stream, 400) == 0)
                x = around[random_below(&stream, 4)] + random_below(&stream, 3) - 1;
            memcpy((char *)data + i * bytes, &x, bytes);
        }
        random_case_t c = {.op = ops[k / 4 % 2],
                           .type = types[k % 4],
                           .rank = 3,
                           .dims = {d[0], d[1], d[2]},
                           .axes = {1},
                           .axis_count = 1};
        device_setup_t setup = {.backend = "simd", .isa = tiers[k / 32], .threads = 1 + k % 2};
        random_case_complete(&c);
        if (device_run(engine, &c, &setup, data, output, sentence) != IRR_OK)
            fail_msg("%s", sentence);
        oracle_problem_t problem = {
            .op = c.op, .type = c.type, .rank = 3, .dims = c.dims, .reduced = 2};
        oracle_answer_t answer;
        assert_true(oracle_solve(&problem, data, &answer));
        size_t wrong = oracle_first_wrong(&answer, output);
        if (wrong < c.outputs)
            fail_msg("%s, type %d, %s, [%d, %d, %d]: output %zu", c.op, (int)c.type, setup.isa,
                     (int)d[0], (int)d[1], (int)d[2], wrong);
        oracle_release(&answer);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_depth),
                                       cmocka_unit_test(test_integer_roots),
                                       cmocka_unit_test(test_integer_extremes),
                                       cmocka_unit_test(test_order_in_rows),
                                       cmocka_unit_test(test_products_in_pairs),
                                       cmocka_unit_test(test_large_among_small)};
    return cmocka_run_group_tests(tests, device_open, device_close);
}
