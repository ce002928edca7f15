/* The oracle against answers known by hand and against this machine's own correctly rounded +, /,
 * sqrt and conversions. A judge must be judged first.
 * SPDX-License-Identifier: Apache-2.0 */
#include "oracle.h"
#include "oracle_big.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static oracle_interval_t solve(const char *op, irr_element_type_e type, const void *data,
                               int64_t count, bool accuracy) {
    oracle_problem_t problem = {
        .op = op, .type = type, .rank = 1, .dims = &count, .reduced = 1, .accuracy = accuracy};
    oracle_answer_t answer;
    assert_true(oracle_solve(&problem, data, &answer));
    assert_int_equal(answer.count, 1);
    oracle_interval_t found = answer.outputs[0];
    oracle_release(&answer);
    return found;
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_f32(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t next_random(void) {
    static uint64_t state = 1;
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* One answer, known by hand: type, operation, data as bits, the right bits (in ACCURACY). */
typedef struct known {
    irr_element_type_e type;
    const char *op;
    int count;
    uint64_t data[4], right;
} known_t;

static const known_t knowns[] = {
    {IRR_F16, "ReduceSum", 2, {0x3c00, 0x1000}, 0x3c00},         /* 1 + 2^-11: a tie, to even */
    {IRR_F16, "ReduceSum", 3, {0x3c00, 0x1000, 0x0001}, 0x3c01}, /* and a bit more */
    {IRR_F16, "ReduceSum", 2, {0x7bff, 0x4bff}, 0x7bff},         /* 65504 + 15.99: below the tie */
    {IRR_F16, "ReduceSum", 2, {0x7bff, 0x4c00}, 0x7c00},         /* 65504 + 16: infinity */
    {IRR_F16, "ReduceSum", 2, {0x3c00, 0xbc00}, 0},
    {IRR_F16, "ReduceSum", 2, {0x8000, 0x8000}, 0},
    {IRR_F16, "ReduceSum", 2, {0x7c00, 0xfc00}, 0x7e00},
    {IRR_F16, "ReduceSum", 2, {0x7c00, 0xfbff}, 0x7c00},
    {IRR_F16, "ReduceMin", 3, {0x0000, 0x8000, 0x0001}, 0x8000},
    {IRR_F16, "ReduceMin", 2, {0x0000, 0xfd01}, 0x7e00},
    {IRR_F16, "ReduceMin", 2, {0x8001, 0x8002}, 0x8002},
    {IRR_F16, "ReduceMin", 0, {0}, 0x7c00},
    {IRR_F16, "ReduceMax", 2, {0x8000, 0x0000}, 0x0000},
    {IRR_F16, "ReduceMax", 0, {0}, 0xfc00},
    {IRR_F16, "ReduceMean", 2, {0x7bff, 0x7bff}, 0x7bff},
    {IRR_F16, "ReduceMean", 2, {0x8001, 0x0000}, 0x8000}, /* rounds to zero, keeps its sign */
    {IRR_F16, "ReduceMean", 2, {0x8003, 0x0000}, 0x8002}, /* 1.5 units: a tie, to even */
    {IRR_F16, "ReduceMean", 0, {0}, 0x7e00},
    {IRR_F16, "ReduceL1", 2, {0xbc00, 0x3c00}, 0x4000},
    {IRR_F16, "ReduceL1", 2, {0xfc00, 0x7c00}, 0x7c00},
    {IRR_F16, "ReduceL1", 1, {0x8000}, 0},
    {IRR_F16, "ReduceL2", 2, {0xc200, 0x4400}, 0x4500}, /* [-3, 4] */
    {IRR_F16, "ReduceL2", 1, {0x8001}, 0x0001},
    {IRR_F16, "ReduceL2", 4, {0x7bff, 0x7bff, 0x7bff, 0x7bff}, 0x7c00},
    {IRR_F16, "ReduceL2", 0, {0}, 0},
    {IRR_F16, "ReduceProd", 2, {0x8000, 0x3c00}, 0x8000},
    {IRR_F16, "ReduceProd", 2, {0x8000, 0x7c00}, 0x7e00},
    {IRR_F16, "ReduceProd", 2, {0xc000, 0x7c00}, 0xfc00},
    {IRR_F16, "ReduceProd", 0, {0}, 0x3c00},
    {IRR_F16, "ReduceProd", 3, {0x0400, 0x0400, 0x8400}, 0x8000}, /* -2^-42 */
    {IRR_BF16, "ReduceSum", 2, {0x3f80, 0x3b80}, 0x3f80},         /* 1 + 2^-8: a tie */
    {IRR_BF16, "ReduceSum", 2, {0x3f81, 0x3b80}, 0x3f82},
    {IRR_BF16, "ReduceMin", 1, {0xffc1}, 0x7fc0},
    {IRR_BF16, "ReduceL2", 2, {0x7f00, 0x7f00}, 0x7f35}, /* 2^127 sqrt 2: no false overflow */
    {IRR_I8, "ReduceSum", 2, {0x7f, 0x01}, 0x80},
    {IRR_I8, "ReduceMin", 2, {0x7f, 0x80}, 0x80},
    {IRR_I8, "ReduceMin", 0, {0}, 0x7f},
    {IRR_I8, "ReduceMax", 0, {0}, 0x80},
    {IRR_I8, "ReduceMean", 2, {0xff, 0xfe}, 0xff}, /* -1.5 truncated: -1 */
    {IRR_I8, "ReduceL1", 1, {0x80}, 0x80},
    {IRR_I8, "ReduceL2", 1, {0x80}, 0x7f}, /* 128: at most the type's maximum */
    {IRR_I8, "ReduceL2", 2, {0x01, 0x01}, 1},
    {IRR_I8, "ReduceProd", 2, {0x40, 0x04}, 0},
    {IRR_I8, "ReduceProd", 0, {0}, 1},
    {IRR_U8, "ReduceMin", 2, {0x7f, 0x80}, 0x7f},
    {IRR_U8, "ReduceMin", 0, {0}, 0xff},
    {IRR_U8, "ReduceSum", 2, {0xff, 0xff}, 0xfe},
    {IRR_U8, "ReduceL2", 2, {3, 4}, 5},
    {IRR_U16, "ReduceL2", 2, {0xffff, 0xffff}, 0xffff},
    {IRR_I32, "ReduceL2", 1, {0x80000000}, 0x7fffffff},
    {IRR_U32, "ReduceL2", 2, {0xffffffff, 0xffffffff}, 0xffffffff},
    {IRR_I64, "ReduceL2", 1, {UINT64_C(1) << 63}, INT64_MAX},
    {IRR_I64, "ReduceL2", 2, {3000000000, 4000000000}, 5000000000},
    {IRR_U64, "ReduceL2", 1, {UINT64_MAX}, UINT64_MAX},
    {IRR_U64, "ReduceL2", 2, {UINT64_MAX, UINT64_MAX}, UINT64_MAX},
    {IRR_U64, "ReduceMean", 2, {UINT64_MAX, UINT64_MAX}, UINT64_MAX},
    {IRR_I64, "ReduceMean", 2, {UINT64_C(1) << 63, UINT64_C(1) << 63}, UINT64_C(1) << 63},
    {IRR_U64, "ReduceSum", 2, {UINT64_MAX, 2}, 1},
    {IRR_BOOLEAN, "ReduceLogicalAnd", 2, {1, 2}, 1},
    {IRR_BOOLEAN, "ReduceLogicalAnd", 0, {0}, 1},
    {IRR_BOOLEAN, "ReduceLogicalOr", 2, {0, 0}, 0},
    {IRR_BOOLEAN, "ReduceLogicalOr", 0, {0}, 0},
};

static void test_known_answers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof knowns / sizeof *knowns; i++) {
        known_t known = knowns[i];
        char data[32];
        size_t bytes = oracle_element_bytes(known.type);
        for (int k = 0; k < known.count; k++)
            memcpy(data + (size_t)k * bytes, &known.data[k], bytes);
        oracle_interval_t found = solve(known.op, known.type, data, known.count, true);
        if (strcmp(known.op, "ReduceProd") != 0) assert_int_equal(found.low, found.high);
        if (!oracle_is_right(&found, known.type, known.right))
            fail_msg("row %zu: %s: %llx, not %llx", i, known.op, (unsigned long long)found.low,
                     (unsigned long long)known.right);
    }
}

static void test_against_the_machine(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double x[3] = {ldexp((double)(int64_t)next_random(), (int)(next_random() % 140) - 120),
                       ldexp((double)(int64_t)next_random(), (int)(next_random() % 140) - 120), 0};
        if (i % 4 == 0) x[1] = ldexp(x[1], -960), x[0] = ldexp(x[0], -1000); /* subnormals */
        assert_int_equal(solve("ReduceSum", IRR_F64, x, 2, true).low, bits_of(x[0] + x[1]));
        x[1] = 0;
        assert_int_equal(solve("ReduceMean", IRR_F64, x, 3, true).low, bits_of(x[0] / 3));
        assert_int_equal(solve("ReduceL2", IRR_F64, x, 3, true).high, bits_of(fabs(x[0])));
        double ints[2] = {(double)(next_random() >> 39), (double)(next_random() >> 39)};
        assert_int_equal(solve("ReduceL2", IRR_F64, ints, 2, true).low,
                         bits_of(sqrt(ints[0] * ints[0] + ints[1] * ints[1])));
        double a = ldexp((double)(int64_t)next_random(), (int)(next_random() % 100) - 80);
        if (i % 4 == 0) a = ldexp(a, -135);
        uint64_t mantissa = bits_of(a);
        big_t big = {0}; /* the machine's own conversion to f32 */
        int exponent;
        double fraction = frexp(fabs(a), &exponent);
        big_add_at(&big, (uint64_t)ldexp(fraction, 53), 0);
        assert_int_equal(big_round(&big, mantissa >> 63, exponent - 53, &(float_format_t){8, 23}),
                         bits_of_f32((float)a));
        big_release(&big);
    }
}

static void test_intervals(void **state) {
    (void)state;
    float ones[2] = {1, 1};
    oracle_interval_t sum = solve("ReduceSum", IRR_F32, ones, 2, false);
    /* 2 -+ 2 * 2^-17: downwards units are half as wide. */
    assert_int_equal(sum.low, bits_of_f32(2 - 0x1p-16f));
    assert_int_equal(sum.high, bits_of_f32(2 + 0x1p-16f));
    double pair[2] = {3, 4};
    oracle_interval_t norm = solve("ReduceL2", IRR_F64, pair, 2, false);
    assert_int_equal(norm.low, bits_of(5 - 5 * 0x1p-46));
    assert_int_equal(norm.high, bits_of(5 + 5 * 0x1p-46));
    float large[2] = {3e30f, 4e30f}, small[2] = {3e-30f, 4e-30f};
    oracle_interval_t hypotenuse = solve("ReduceL2", IRR_F32, large, 2, false);
    assert_true(oracle_is_right(&hypotenuse, IRR_F32, bits_of_f32(5e30f)));
    assert_false(oracle_is_right(&hypotenuse, IRR_F32, bits_of_f32(INFINITY)));
    hypotenuse = solve("ReduceL2", IRR_F32, small, 2, false);
    assert_true(oracle_is_right(&hypotenuse, IRR_F32, bits_of_f32(5e-30f)));
    assert_false(oracle_is_right(&hypotenuse, IRR_F32, 0));
    float cancel[2] = {1e30f, -1e30f};
    oracle_interval_t zero = solve("ReduceSum", IRR_F32, cancel, 2, false);
    assert_true(oracle_is_right(&zero, IRR_F32, 0));
    assert_true(oracle_is_right(&zero, IRR_F32, bits_of_f32(-1e24f)));
    assert_false(oracle_is_right(&zero, IRR_F32, bits_of_f32(-0.0f)));
    assert_false(oracle_is_right(&zero, IRR_F32, bits_of_f32(2e25f)));
    float largest[2] = {3e38f, 3e38f};
    assert_int_equal(solve("ReduceMean", IRR_F32, largest, 2, true).low, bits_of_f32(3e38f));
    assert_int_equal(solve("ReduceSum", IRR_F32, largest, 2, false).low, bits_of_f32(INFINITY));
    float nearly[2] = {0x1.fffffep127f, 0x1p80f}; /* infinity only where the bound reaches it */
    oracle_interval_t edge = solve("ReduceSum", IRR_F32, nearly, 2, false);
    assert_true(oracle_is_right(&edge, IRR_F32, bits_of_f32(INFINITY)));
    assert_true(oracle_is_right(&edge, IRR_F32, bits_of_f32(0x1.fffffep127f)));
    assert_false(oracle_is_right(&edge, IRR_F32, bits_of_f32(-INFINITY)));
}

static void test_walk_and_errors(void **state) {
    (void)state;
    int64_t dims[3] = {2, 3, 2};
    uint8_t data[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, sums[2] = {30, 36};
    uint8_t rows[6] = {1, 5, 9, 13, 17, 21}, middle[4] = {6, 9, 24, 27};
    const struct {
        uint64_t mask;
        size_t count;
        const uint8_t *right;
    } cases[] = {{3, 2, sums}, {4, 6, rows}, {2, 4, middle}};
    oracle_problem_t problem = {.op = "ReduceSum", .type = IRR_U8, .rank = 3, .dims = dims};
    oracle_answer_t answer;
    for (size_t i = 0; i < 3; i++) {
        problem.reduced = cases[i].mask;
        assert_true(oracle_solve(&problem, data, &answer));
        assert_int_equal(answer.count, cases[i].count);
        assert_int_equal(oracle_first_wrong(&answer, cases[i].right), answer.count);
        oracle_release(&answer);
    }
    problem.identity = true, problem.reduced = 0;
    assert_true(oracle_solve(&problem, data, &answer));
    assert_int_equal(oracle_first_wrong(&answer, data), 12);
    oracle_release(&answer);
    int64_t none[2] = {2, 0};
    oracle_problem_t mean = {
        .op = "ReduceMean", .type = IRR_I32, .rank = 2, .dims = none, .reduced = 2};
    assert_true(oracle_solve(&mean, NULL, &answer));
    assert_true(answer.is_error);
    oracle_release(&answer);
    mean.reduced = 1;
    assert_true(oracle_solve(&mean, NULL, &answer));
    assert_true(!answer.is_error && answer.count == 0);
    oracle_release(&answer);
    mean.type = IRR_BOOLEAN;
    assert_false(oracle_solve(&mean, NULL, &answer));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers), cmocka_unit_test(test_against_the_machine),
        cmocka_unit_test(test_intervals), cmocka_unit_test(test_walk_and_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
