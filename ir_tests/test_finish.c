/* Roots and quotients of the finishes of L2 and Mean, of each tier: the nearest float, as sqrtf and
 * `/` have it, or a mark that asks for another way, and that of sums alone which cannot be vouched
 * for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 600, ROUNDS = 8000 };

static uint64_t stream = 1;
static uint64_t draw(void) {
    stream = stream * 6364136223846793005u + 1442695040888963407u;
    return stream >> 32;
}

/* Any positive float, or one near a power of 4, whose root is near one of 2; now and then 0 or
 * infinity. */
static float draw_sum(unsigned kind) {
    uint32_t bits = (uint32_t)draw() & 0x7fffffff;
    if (kind % 4 == 1) bits = (bits & 0x7f000000) + 0x00800000 + bits % 64 - 32;
    if (kind % 4 == 2) bits = 0x0c000000 + bits % 0x02000000; /* about 2^-101 */
    if (bits >= 0x7f800000 || (kind % 4 == 3 && draw() % 64 == 0))
        bits = draw() % 2 ? 0 : 0x7f800000;
    float sum;
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

static void check(irr_tier_e tier, size_t n, double trust, unsigned kind) {
    const irr_set_t set = {.count = 2, .trust = trust};
    float sums[MOST], roots[MOST];
    bool vouched = true;
    for (size_t i = 0; i < n; i++) sums[i] = draw_sum(kind);
    bool sure =
        irr_kernels(tier)->ops[IRR_PATH_ORDINARY][IRR_OP_L2][IRR_F32].finish(roots, sums, n, &set);
    for (size_t i = 0; i < n; i++) {
        if (sums[i] >= trust && isfinite(sums[i])) {
            if (roots[i] != sqrtf(sums[i]))
                fail_msg("tier %d: %a: %a, not %a", (int)tier, sums[i], roots[i], sqrtf(sums[i]));
        } else {
            if (!isnan(roots[i])) fail_msg("tier %d: %a: %a", (int)tier, sums[i], roots[i]);
            vouched = false;
        }
    }
    assert_int_equal(sure, vouched);
}

static void test_roots(void **state) {
    static const double trusts[] = {0x1p-122, 0x1p-100};
    (void)state;
    if (getenv("IRR_TEST_SEED")) stream = strtoull(getenv("IRR_TEST_SEED"), NULL, 0);
    print_message("IRR_TEST_SEED=%llu\n", (unsigned long long)stream);
    for (int tier = 0; tier <= (int)irr_cpu_best_tier(); tier++)
        for (unsigned i = 0; i < ROUNDS; i++)
            check((irr_tier_e)tier, 1 + draw() % MOST, trusts[i / 4 % 2], i);
}

/* Doubles of any size, and squares of what lies between two neighbours of the root: rounded, so
 * that the root is as near to the middle as roots come. */
static double draw_square(unsigned kind) {
    const double power = ldexp(1, (int)(draw() % 2040) - 1020);
    const double m = 1 + (double)(draw() << 20 | draw() % (1 << 20)) * 0x1p-52;
    if (kind % 4 == 0) return m * power;
    if (kind % 4 == 1) return ldexp(1 + (double)(draw() % 64) * 0x1p-52 - 0x1p-48, draw() % 2);
    if (kind % 4 == 2 && draw() % 64 == 0) return draw() % 2 ? 0 : INFINITY;
    double middle_low = m * 0x1p-53, square = fma(m, m, 2 * m * middle_low);
    return square * (kind % 4 == 2 ? 1 : 0x1p-880);
}
static void check_squares(irr_tier_e tier, size_t n, double trust, unsigned kind) {
    const irr_set_t set = {.count = 2, .trust = trust};
    double sums[MOST], roots[MOST];
    bool vouched = true;
    for (size_t i = 0; i < n; i++) sums[i] = draw_square(kind);
    bool sure =
        irr_kernels(tier)->ops[IRR_PATH_ORDINARY][IRR_OP_L2][IRR_F64].finish(roots, sums, n, &set);
    for (size_t i = 0; i < n; i++) {
        bool good = sums[i] >= trust && isfinite(sums[i]);
        if (good ? roots[i] != sqrt(sums[i]) : !isnan(roots[i]))
            fail_msg("tier %d: %a: %a, not %a", (int)tier, sums[i], roots[i], sqrt(sums[i]));
        vouched = vouched && good;
    }
    assert_int_equal(sure, vouched);
}

/* Of integers below 2^50: next to squares, and others. */
static void check_small(irr_tier_e tier, size_t n) {
    const irr_kernel_table_t *table = irr_kernels(tier);
    const irr_op_kernel_t *of[2] = {&table->ops[IRR_PATH_SMALL][IRR_OP_L2][IRR_I32],
                                    &table->ops[IRR_PATH_SMALL][IRR_OP_L2][IRR_I64]};
    const irr_set_t set = {.count = 2};
    double sums[MOST];
    int64_t whole[MOST], want[MOST], roots_64[MOST];
    int32_t roots_32[MOST];
    const size_t large = draw() % 8 ? n : draw() % n;
    for (size_t i = 0; i < n; i++) {
        uint64_t root = draw() >> (7 + draw() % 25), sum = root * root;
        if (draw() % 2 && root) sum += draw() % 3 - 1;
        if (draw() % 4 == 0) sum = (draw() << 32 | draw()) >> (14 + draw() % 50);
        if (i == large) sum = UINT64_C(1) << 50;
        root = (uint64_t)sqrtl((long double)sum);
        sums[i] = (double)sum, whole[i] = (int64_t)sum, want[i] = (int64_t)root;
    }
    assert_int_equal(of[0]->finish(roots_32, sums, n, &set), large == n);
    assert_int_equal(of[1]->finish(roots_64, whole, n, &set), large == n);
    for (size_t i = 0; i < n && large == n; i++)
        if (roots_32[i] != want[i] || roots_64[i] != want[i])
            fail_msg("tier %d: %a: %d, %lld, not %lld", (int)tier, sums[i], (int)roots_32[i],
                     (long long)roots_64[i], (long long)want[i]);
}

static void test_wide_roots(void **state) {
    (void)state;
    for (int tier = 0; tier <= (int)irr_cpu_best_tier(); tier++)
        for (unsigned i = 0; i < ROUNDS; i++) {
            check_squares((irr_tier_e)tier, 1 + draw() % MOST, i / 4 % 2 ? 0x1p-1017 : 0x1p-890, i);
            check_small((irr_tier_e)tier, 1 + draw() % (i % 2 ? MOST : 20));
        }
}

/* Those of f16 are trusted, however small: 0, or the square of 2^-24 and more. */
static void test_halves(void **state) {
    (void)state;
    for (int tier = 0; tier <= (int)irr_cpu_best_tier(); tier++)
        for (size_t n = 1; n < 80; n++) {
            float sums[80];
            uint16_t roots[80];
            for (size_t i = 0; i < n; i++) sums[i] = i % 3 ? ldexpf(1, -48 + 2 * (int)(i % 20)) : 0;
            const irr_set_t set = {.count = 2};
            assert_true(irr_kernels((irr_tier_e)tier)
                            ->ops[IRR_PATH_ORDINARY][IRR_OP_L2][IRR_F16]
                            .finish(roots, sums, n, &set));
            for (size_t i = 0; i < n; i++) {
                int e = (int)(i % 20); /* 2^(e - 24), a denormal below 2^-14 */
                int want = i % 3 == 0 ? 0 : e < 10 ? 1 << e : (e - 9) << 10;
                assert_int_equal(roots[i], want);
            }
        }
}

#define DEFINE_CHECK_MEANS(name, F, T, mantissa, bias)                                             \
    static void name(irr_tier_e tier, size_t n) {                                                  \
        enum { HIGH = 8 * sizeof(F) - 1 };                                                         \
        const size_t count = 2 + draw() % (1u << (1 + draw() % 30));                               \
        const irr_set_t set = {.count = (double)count};                                            \
        const bool ordinary = draw() % 2;                                                          \
        F sums[MOST], means[MOST];                                                                 \
        bool vouched = true;                                                                       \
        for (size_t i = 0; i < n; i++) {                                                           \
            uint64_t bits = draw() << 32 | draw(), near = (uint64_t)bias << mantissa;              \
            if (ordinary) bits = (bits & ((UINT64_C(1) << mantissa) - 1)) | near;                  \
            bits &= UINT64_MAX >> (63 - HIGH);                                                     \
            memcpy(&sums[i], &bits, sizeof sums[i]);                                               \
            if (draw() % 64 == 0) sums[i] = draw() % 2 ? 0 : (F)INFINITY;                          \
        }                                                                                          \
        bool sure = irr_kernels(tier)->ops[IRR_PATH_ORDINARY][IRR_OP_MEAN][T].finish(means, sums,  \
                                                                                     n, &set);     \
        for (size_t i = 0; i < n; i++) {                                                           \
            F mean = sums[i] / (F)count;                                                           \
            if (isfinite(sums[i]) && (sums[i] == 0 || isnormal(mean))) {                           \
                if (means[i] != mean)                                                              \
                    fail_msg("tier %d: %a / %zu: %a, not %a", (int)tier, (double)sums[i], count,   \
                             (double)means[i], (double)mean);                                      \
            } else {                                                                               \
                assert_true(isnan(means[i]));                                                      \
                vouched = false;                                                                   \
            }                                                                                      \
        }                                                                                          \
        assert_int_equal(sure, vouched);                                                           \
    }
DEFINE_CHECK_MEANS(check_means_f32, float, IRR_F32, 23, 127)
DEFINE_CHECK_MEANS(check_means_f64, double, IRR_F64, 52, 1023)

static void test_means(void **state) {
    (void)state;
    for (int tier = 0; tier <= (int)irr_cpu_best_tier(); tier++)
        for (unsigned i = 0; i < ROUNDS / 2; i++) {
            check_means_f32((irr_tier_e)tier, 1 + draw() % MOST);
            check_means_f64((irr_tier_e)tier, 1 + draw() % MOST);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_roots),
                                       cmocka_unit_test(test_wide_roots),
                                       cmocka_unit_test(test_halves), cmocka_unit_test(test_means)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
