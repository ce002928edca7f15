/* oneDNN's place, as the contract words it: what `auto` may give it, what IRREDUCE_REPRODUCIBLE=NO
 * and ACCURACY change, and that its answers keep what is promised then. A build without oneDNN runs
 * this too: there it must decline everything.
 * SPDX-License-Identifier: Apache-2.0 */
#include "test_onednn.h"

#include <math.h>

/* ---- what auto may take ---- */

static const irr_op_e extremes[] = {IRR_OP_MIN, IRR_OP_MAX};

static void auto_takes_byte_extremes_of_rows_alone(void **unused) {
    (void)unused;
    irr_config_t config = config_of(IRR_BACKEND_AUTO, true);
    for (int t = 0; t < IRR_ELEMENT_TYPE_COUNT; t++) {
        irr_element_type_e type = (irr_element_type_e)t;
        if (!irr_is_numeric(type)) continue;
        for (unsigned op = 0; op < IRR_OP_COUNT; op++) {
            irr_problem_t rows = rows_of((irr_op_e)op, type, 60, 300);
            bool extreme = op == IRR_OP_MIN || op == IRR_OP_MAX;
            if (extreme && irr_element_bytes(type) == 1) {
                irr_offer_t offer = offer_of(&rows, &config);
                assert_int_equal(offer.serves, present);
                if (present) assert_non_null(strstr(offer.kernel, "jit"));
                irr_problem_t columns = problem_of((irr_op_e)op, type, 2, (int64_t[]){60, 300}, 1);
                declines(&columns, &config, "ref");
            } else {
                declines(&rows, &config, "");
            }
        }
    }
    irr_problem_t problem = rows_of(IRR_OP_SUM, IRR_F32, 60, 300);
    declines(&problem, &config, "IRREDUCE_REPRODUCIBLE");
    problem = rows_of(IRR_OP_SUM, IRR_I8, 60, 300);
    declines(&problem, &config, "not the contract's");
    problem = rows_of(IRR_OP_MIN, IRR_F32, 60, 300);
    declines(&problem, &config, "not the contract's");
    problem = rows_of(IRR_OP_MIN, IRR_F16, 60, 300);
    declines(&problem, &config, "cannot reduce this type");
    problem = rows_of(IRR_OP_MIN, IRR_I8, 60, 1);
    declines(&problem, &config, "one element");
    if (irr_cpu_best_tier() == IRR_TIER_SCALAR) return;
    config.tier = IRR_TIER_SCALAR;
    problem = rows_of(IRR_OP_MIN, IRR_I8, 60, 300);
    declines(&problem, &config, "IRREDUCE_ISA");
}

static void check_bytes(irr_op_e op, size_t rows, size_t set, uint32_t threads, size_t shift) {
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        irr_problem_t problem =
            rows_of(op, is_signed ? IRR_I8 : IRR_U8, (int64_t)rows, (int64_t)set);
        irr_config_t config = config_of(IRR_BACKEND_AUTO, true);
        config.threads = threads;
        if (!serves(&problem, &config)) return;
        uint8_t *data = malloc(rows * set + shift), *output = malloc(rows + shift);
        for (size_t i = 0; i < rows * set; i++)
            data[shift + i] = (uint8_t)(next_random() % 256 | (next_random() % 4 ? 0x40 : 0));
        irr_execution_stats_t stats = run(&problem, &config, data + shift, output + shift);
        assert_int_equal(stats.exact_fallbacks, 0);
        assert_in_range(stats.threads, 1, threads);
        for (size_t r = 0; r < rows; r++) {
            int best = op == IRR_OP_MIN ? 1000 : -1000;
            for (size_t i = 0; i < set; i++) {
                uint8_t byte = data[shift + r * set + i];
                int value = is_signed ? (int8_t)byte : byte;
                if (op == IRR_OP_MIN ? value < best : value > best) best = value;
            }
            int got = is_signed ? (int8_t)output[shift + r] : output[shift + r];
            if (got != best)
                fail_msg("%s %zux%zu threads %u shift %zu row %zu: %d, not %d (seed %llu)",
                         irr_op_info(op)->word, rows, set, threads, shift, r, got, best,
                         (unsigned long long)seed);
        }
        free(data), free(output);
    }
}

static void byte_extremes_are_exact(void **unused) {
    (void)unused;
    for (size_t k = 0; k < sizeof extremes / sizeof *extremes; k++) {
        for (int repeat = 0; repeat < 60; repeat++)
            check_bytes(extremes[k], 1 + next_random() % 40, 2 + next_random() % 400,
                        1 + (uint32_t)next_random() % 3, next_random() % 3);
        check_bytes(extremes[k], 1, 300000, 2, 1);
        for (uint32_t threads = 1; threads <= 5; threads++)
            check_bytes(extremes[k], 301, 1777, threads, 1);
    }
}

/* ---- IRREDUCE_REPRODUCIBLE=NO ---- */

static float widen(const void *data, irr_element_type_e type, size_t k) {
    float value;
    if (type == IRR_F32) return memcpy(&value, (const char *)data + 4 * k, 4), value;
    uint16_t half;
    memcpy(&half, (const char *)data + 2 * k, 2);
    return (float)irr_bf16_to_f64(half);
}

static void store(void *data, irr_element_type_e type, size_t k, float value) {
    if (type == IRR_F32) {
        memcpy((char *)data + 4 * k, &value, 4);
        return;
    }
    uint16_t half = irr_f64_to_bf16((double)value);
    memcpy((char *)data + 2 * k, &half, 2);
}

static float round_to(irr_element_type_e type, double value) {
    return type == IRR_F32 ? (float)value : (float)irr_bf16_to_f64(irr_f64_to_bf16(value));
}

static void near_sums_keep_the_bound(void **unused) {
    (void)unused;
    static const irr_element_type_e kinds[] = {IRR_F32, IRR_BF16};
    irr_config_t config = config_of(IRR_BACKEND_AUTO, false);
    enum { ROWS = 37 };
    for (int repeat = 0; repeat < 80; repeat++) {
        irr_element_type_e type = kinds[repeat % 2];
        size_t set = 2 + next_random() % 900;
        irr_problem_t problem = rows_of(IRR_OP_SUM, type, ROWS, (int64_t)set);
        if (!serves(&problem, &config)) return;
        void *data = malloc(ROWS * set * 4);
        for (size_t i = 0; i < ROWS * set; i++) {
            float value = ldexpf((float)next_random() - 1073741824.0f, (int)(next_random() % 30));
            store(data, type, i, value);
        }
        char output[ROWS * 4];
        run(&problem, &config, data, output);
        for (size_t r = 0; r < ROWS; r++) {
            double sum = 0, magnitude = 0;
            for (size_t i = 0; i < set; i++) {
                double x = (double)widen(data, type, r * set + i);
                sum += x, magnitude += fabs(x);
            }
            double bound = 128 * ldexp(magnitude, -24);
            float low = round_to(type, sum - bound), high = round_to(type, sum + bound);
            float got = widen(output, type, r);
            if (!(low <= got && got <= high))
                fail_msg("%s 37x%zu row %zu: %a outside [%a, %a] (seed %llu)",
                         irr_element_type_info(type)->name, set, r, (double)got, (double)low,
                         (double)high, (unsigned long long)seed);
        }
        free(data);
    }
}

static void near_sums_of_special_values(void **unused) {
    (void)unused;
    enum { ROWS = 7, SET = 20 };
    irr_config_t config = config_of(IRR_BACKEND_AUTO, false);
    irr_problem_t problem = rows_of(IRR_OP_SUM, IRR_F32, ROWS, SET);
    if (!serves(&problem, &config)) return;
    float data[ROWS][SET] = {0}, output[ROWS];
    data[0][0] = 3e38f, data[0][1] = 3e38f, data[0][2] = -3e38f, data[0][3] = -3e38f;
    data[0][4] = 1.0f; /* a false overflow in almost any order but pairs */
    data[1][5] = -NAN;
    data[2][0] = INFINITY, data[2][1] = -INFINITY;
    data[3][7] = -INFINITY;
    for (int i = 0; i < SET; i++) data[4][i] = -0.0f;
    data[5][3] = -1e-45f;
    data[6][0] = 3e38f, data[6][SET - 4] = 3e38f, data[6][SET - 1] = -3e38f;
    irr_execution_stats_t stats = run(&problem, &config, data, output);
    assert_true(stats.exact_fallbacks >= 3);
    uint32_t bits[ROWS];
    memcpy(bits, output, sizeof bits);
    assert_true(fabsf(output[0]) <= 128 * ldexpf(1, -24) * 12e37f * 10);
    assert_int_equal(bits[1], 0x7fc00000);
    assert_int_equal(bits[2], 0x7fc00000);
    assert_int_equal(bits[3], 0xff800000);
    assert_int_equal(bits[4], 0);
    assert_int_equal(bits[5], 0x80000001);
    assert_true(output[6] > 2.9e38f && output[6] < 3.1e38f);

    problem = rows_of(IRR_OP_SUM, IRR_BF16, ROWS, SET);
    if (!serves(&problem, &config)) return;
    uint16_t halves[ROWS][SET] = {0}, results[ROWS];
    halves[0][3] = 0x0010; /* below the smallest normal: its store alone would make 0 */
    halves[1][3] = 0x8001;
    halves[2][0] = 0x7f80;
    halves[3][0] = 0xffc1;
    for (int i = 0; i < SET; i++) halves[4][i] = 0x8000;
    halves[5][0] = 0x3f80, halves[6][0] = 0x0081;
    run(&problem, &config, halves, results);
    static const uint16_t expected[ROWS] = {0x0010, 0x8001, 0x7f80, 0x7fc0, 0, 0x3f80, 0x0081};
    assert_memory_equal(results, expected, sizeof expected);
}

static void limits_of_near_sums(void **unused) {
    (void)unused;
    irr_config_t config = config_of(IRR_BACKEND_AUTO, false);
    irr_problem_t problem = rows_of(IRR_OP_SUM, IRR_F32, 9, 2049);
    declines(&problem, &config, "2048");
    problem = rows_of(IRR_OP_SUM, IRR_F32, 9, 2048); /* 128 additions and the lanes: too deep */
    declines(&problem, &config, "120");
    problem = rows_of(IRR_OP_L2, IRR_F32, 9, 100);
    declines(&problem, &config, "not the contract's");
    problem = rows_of(IRR_OP_MIN, IRR_F32, 9, 100);
    declines(&problem, &config, "not the contract's");
    config.accuracy = true;
    problem = rows_of(IRR_OP_SUM, IRR_F32, 9, 100);
    declines(&problem, &config, "ACCURACY");
    config.backend = IRR_BACKEND_ONEDNN;
    declines(&problem, &config, "ACCURACY");
    config.backend = IRR_BACKEND_AUTO;
    problem = rows_of(IRR_OP_MIN, IRR_U8, 9, 100);
    assert_int_equal(offer_of(&problem, &config).serves, present);
}

int main(void) {
    begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_takes_byte_extremes_of_rows_alone),
        cmocka_unit_test(byte_extremes_are_exact),
        cmocka_unit_test(near_sums_keep_the_bound),
        cmocka_unit_test(near_sums_of_special_values),
        cmocka_unit_test(limits_of_near_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
