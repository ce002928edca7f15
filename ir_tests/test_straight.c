/* Columns of few rows straight to results, of each tier: the bytes that the scalar tier's steps and
 * finish make, or false where a result may be in doubt, or columns are fewer than a vector.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_WIDTH = 700, MOST_BLOCKS = 3, ROUNDS = 400, GUARD = 64 };
enum { MOST_ELEMENTS = MOST_BLOCKS * IRR_LEAF_STEPS * MOST_WIDTH };

static uint64_t stream = 1;
static size_t below(size_t limit) {
    stream = stream * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(stream >> 33) % limit;
}

static _Alignas(64) char data[MOST_ELEMENTS * 8 + GUARD];
static _Alignas(64) char accumulators[MOST_WIDTH * 16 + IRR_ACCUMULATOR_SLACK_BYTES];
static char wanted[MOST_BLOCKS * MOST_WIDTH * 8];
static _Alignas(64) char found[sizeof wanted + GUARD];

/* Elements of `bytes` bytes, `fraction` of whose bits are the fraction: of middling size, or with
 * some that are anything, infinities, NaNs and zeros among them; if it is 0, any integers. */
static void draw_elements(char *to, size_t n, size_t bytes, unsigned fraction, bool anything) {
    if (fraction == 0) {
        for (size_t i = 0; i < n * bytes; i++) to[i] = (char)below(256);
        return;
    }
    uint64_t bias = ((uint64_t)1 << (8 * bytes - fraction - 2)) - 1, top = 2 * bias + 1;
    for (size_t i = 0; i < n; i++, to += bytes) {
        uint64_t exponent = bias - 2 + below(5), sign = (uint64_t)below(2) << (8 * bytes - 1);
        uint64_t x =
            ((uint64_t)below(1 << 30) << 30 | below(1 << 30)) & (((uint64_t)1 << fraction) - 1);
        if (anything && below(40) == 0) {
            exponent = below(3) ? below(top + 1) : below(2) * top;
            if (below(2)) x = 0;
        }
        x |= sign | exponent << fraction;
        memcpy(to, &x, bytes);
    }
}

static void compare(irr_tier_e tier, irr_op_e op, irr_element_type_e type, bool anything) {
    const irr_kernel_table_t *table = irr_kernels(IRR_TIER_SCALAR);
    const irr_op_kernel_t *by = &table->ops[IRR_PATH_ORDINARY][op][type];
    const irr_kernel_t *kernel = &table->folds[by->fold][by->fold_type];
    const size_t bytes = kernel->element_bytes, rows = 1 + below(IRR_LEAF_STEPS);
    const size_t width = 1 + below(MOST_WIDTH), count = 1 + below(MOST_BLOCKS), at = below(9);
    const size_t stride = count > 1 ? width : width + below(MOST_WIDTH + 1 - width);
    static const unsigned fractions[IRR_ELEMENT_TYPE_COUNT] = {
        [IRR_F64] = 52, [IRR_F32] = 23, [IRR_F16] = 10, [IRR_BF16] = 7};
    const double least = type == IRR_F64 ? 0x1p-1018 : type == IRR_F16 ? 0 : 0x1p-123;
    const irr_set_t set = {.count = (double)rows, .trust = (double)rows * least};
    const unsigned hows[] = {0, IRR_STEPS_LINES, IRR_STEPS_BEYOND | IRR_STEPS_FAR};
    char *first = data + at * bytes;
    bool sure = true;
    draw_elements(first, count * rows * stride, bytes, fractions[type], anything);
    for (size_t b = 0; b < count; b++) {
        kernel->steps(accumulators, first + b * rows * stride * bytes, stride, rows, width,
                      IRR_STEPS_FIRST);
        sure &= by->finish(wanted + b * width * bytes, accumulators, width, &set);
    }
    memset(found, 0x5a, sizeof found);
    bool vouched = irr_kernels(tier)->straight[op][type].run(found + at * bytes, first, count, rows,
                                                             stride, width, &set, hows[below(3)]);
    const char *name = irr_op_info(op)->word;
    if (vouched && !sure) fail_msg("%s %s: vouched for what is in doubt", name, kernel->name);
    if (vouched && memcmp(found + at * bytes, wanted, count * width * bytes))
        fail_msg("%s %s: %zu x [%zu, %zu] differs", name, kernel->name, count, rows, width);
    /* Min and Max and integers are never in doubt. */
    bool sums = fractions[type] > 0 && op != IRR_OP_MIN && op != IRR_OP_MAX;
    if (!vouched && !(anything && sums) && width * bytes >= 64)
        fail_msg("%s %s: [%zu, %zu] not vouched for", name, kernel->name, rows, width);
    for (size_t i = 0; i < sizeof found; i++)
        if ((i < at * bytes || i >= (at + count * width) * bytes) && found[i] != 0x5a)
            fail_msg("%s %s: wrote byte %zu beside its results", name, kernel->name, i);
}

static void test_straight(void **state) {
    unsigned kernels = 0;
    (void)state;
    if (getenv("IRR_TEST_SEED")) stream = strtoull(getenv("IRR_TEST_SEED"), NULL, 0);
    print_message("IRR_TEST_SEED=%llu\n", (unsigned long long)stream);
    for (int tier = 0; tier <= (int)irr_cpu_best_tier(); tier++)
        for (unsigned op = 0; op < IRR_OP_COUNT; op++)
            for (unsigned type = 0; type < IRR_ELEMENT_TYPE_COUNT; type++) {
                if (!irr_kernels((irr_tier_e)tier)->straight[op][type].run) continue;
                kernels++;
                for (unsigned i = 0; i < ROUNDS; i++)
                    compare((irr_tier_e)tier, (irr_op_e)op, (irr_element_type_e)type, i % 2);
            }
    if (irr_cpu_best_tier() > IRR_TIER_SCALAR) assert_true(kernels > 0);
    print_message("%u kernels\n", kernels);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_straight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
