/* The exact sums of tier avx512 with and without VNNI: a plan takes one of them, so the others are
 * called here. Rows, columns and leaves of random and of extreme elements are the same
 * accumulators. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_BYTES = 1 << 16, ROUNDS = 60, ACCUMULATORS = 4096 };

static uint64_t stream = 1;
static size_t below(size_t limit) {
    stream = stream * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(stream >> 33) % limit;
}

typedef struct {
    _Alignas(64) char bytes[ACCUMULATORS * 16 + IRR_ACCUMULATOR_SLACK_BYTES];
} accumulators_t;

/* The first `count` accumulators of both. */
static void compare(const irr_kernel_t *kernel, const accumulators_t *a, const accumulators_t *b,
                    size_t count, size_t rows, size_t width) {
    if (memcmp(a, b, count * kernel->accumulator_bytes))
        fail_msg("%s: [%zu, %zu] differs", kernel->name, rows, width);
}

static void compare_kernels(const irr_kernel_t *a, const irr_kernel_t *b, const char *data) {
    static accumulators_t one, other;
    size_t elements = MOST_BYTES / a->element_bytes, rows = 1 + below(200);
    size_t width = 1 + below(elements / rows < 2000 ? elements / rows : 2000);
    size_t ahead = below(2) * 8192; /* changes no bit */
    a->rows(&one, data, rows, width, 0);
    b->rows(&other, data, rows, width, ahead);
    compare(a, &one, &other, rows, rows, width);
    for (unsigned part = 0; part < 2; part++) { /* the second onto the first */
        a->steps(&one, data, width, rows, width, part == 0 ? IRR_STEPS_FIRST : 0);
        b->steps(&other, data, width, rows, width, part == 0 ? IRR_STEPS_FIRST : 0);
    }
    compare(a, &one, &other, width, rows, width);
    a->leaf(&one, data, rows * width, a->lanes, 0);
    b->leaf(&other, data, rows * width, b->lanes, ahead);
    compare(a, &one, &other, a->lanes, 1, rows * width);
}

/* Sums of squares and sums from one load; `alone` has the squares' sizes. */
static void compare_fused(const irr_fused_t *a, const irr_fused_t *b, const irr_kernel_t *alone,
                          const char *data) {
    static accumulators_t one[2], other[2];
    const size_t apart = sizeof *one, bytes[2] = {alone->accumulator_bytes, a->accumulator_bytes};
    size_t elements = MOST_BYTES / alone->element_bytes, rows = 1 + below(200), at = below(9);
    size_t width = 1 + below(elements / rows < 2000 ? elements / rows : 2000);
    size_t ahead = below(2) * 8192; /* changes no bit */
    memset(one, 0, sizeof one);
    memset(other, 0, sizeof other);
    a->steps(one, at, apart, data, width, rows, width, IRR_STEPS_FIRST);
    b->steps(other, at, apart, data, width, rows, width, IRR_STEPS_FIRST);
    for (size_t i = 0; i < 2; i++) assert_memory_equal(&one[i], &other[i], (at + width) * bytes[i]);
    a->rows(one, at, apart, data, rows, width, 0);
    b->rows(other, at, apart, data, rows, width, ahead);
    for (size_t i = 0; i < 2; i++) assert_memory_equal(&one[i], &other[i], (at + rows) * bytes[i]);
}

static void test_same(void **state) {
    (void)state;
    if (!irr_cpu_has_vnni()) skip();
    char *data = malloc(MOST_BYTES);
    unsigned kernels = 0;
    assert_non_null(data);
    if (getenv("IRR_TEST_SEED")) stream = strtoull(getenv("IRR_TEST_SEED"), NULL, 0);
    print_message("IRR_TEST_SEED=%llu\n", (unsigned long long)stream);
    const irr_kernel_table_t *table = irr_kernels(IRR_TIER_AVX512);
    for (unsigned fold = 0; fold < IRR_FOLD_COUNT; fold++)
        for (unsigned type = 0; type < IRR_ELEMENT_TYPE_COUNT; type++) {
            const irr_kernel_t *vnni =
                irr_kernel_of(table, (irr_fold_e)fold, (irr_element_type_e)type);
            if (vnni == &table->folds[fold][type]) continue;
            kernels++;
            for (unsigned round = 0; round < ROUNDS; round++) {
                bool extreme = below(2); /* the least, 0, and all bits */
                for (size_t i = 0; i < MOST_BYTES; i++)
                    data[i] =
                        (char)(extreme ? (const size_t[]){0x80, 0, 0xff}[below(3)] : below(256));
                compare_kernels(&table->folds[fold][type], vnni, data);
                const irr_fused_t *fused =
                    irr_fused_of(table, (irr_element_type_e)type, IRR_MOST_FUSED - 1);
                if (fold == IRR_FOLD_SQUARES)
                    compare_fused(&table->fused[type][IRR_MOST_FUSED - 1], fused, vnni, data);
            }
        }
    free(data);
    assert_true(kernels > 0);
    print_message("%u kernels\n", kernels);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
