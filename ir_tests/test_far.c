/* Tensors that no cache holds, no near one, or but the second: whatever IRREDUCE_PREFETCH is, they
 * have the bits of their parts, each of which a cache holds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    COLD_BYTES = 80 << 20,
    FAR_BYTES = 34 << 20,
    LARGE_BYTES = 14 << 20,
    MIDDLE_BYTES = 7 << 20,
    NEAR_BYTES = 1 << 20
};

static void reduce(const char *op, irr_element_type_e type, const char *const way[3], int threads,
                   const int64_t dims[3], const void *data, void *output) {
    char sentence[DEVICE_TEXT_BYTES];
    random_case_t c = {.op = op, .type = type, .rank = 3, .axes = {1}, .axis_count = 1};
    device_setup_t setup = {.isa = way[0], .prefetch = way[1], .mode = way[2], .threads = threads};
    memcpy(c.dims, dims, 3 * sizeof *dims);
    random_case_complete(&c);
    if (device_run(engine, &c, &setup, data, output, sentence)) fail_msg("%s", sentence);
}

/* [parts, rows, width] over its rows, at once and part by part. */
static void check_of(size_t bytes, const char *op, irr_element_type_e type, int64_t rows,
                     int64_t width) {
    static const char *const ways[][3] = {{"scalar", "NO"},
                                          {"avx2", "NO"},
                                          {"avx2", "YES"},
                                          {"avx2", "FAR"}, /* or the best */
                                          {"avx512", "NO"},
                                          {"avx512", "YES"},
                                          {"avx512", "FAR"},
                                          {"avx512", "YES", "ACCURACY"},
                                          {"avx512", "FAR", "ACCURACY"},
                                          {"avx512", "NO", "ACCURACY"}};
    size_t element = irr_element_bytes(type), result = (size_t)width * element;
    size_t part = (size_t)rows * result, parts = bytes / part + 1;
    const int threads = bytes < COLD_BYTES ? 2 : 1;
    char *data = malloc(parts * part), *whole = malloc(parts * result), *alone = malloc(result);
    assert_true(data && whole && alone);
    for (size_t i = 0; i < parts * part; i++) /* floats from a half to 2, of either sign */
        data[i] = (char)(i % element + 1 < element ? i * i / 7 * 31 >> 3 : 0x3f ^ (i / 3 & 0x80));
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        const char *const *way = ways[k];
        reduce(op, type, way, threads, (int64_t[]){(int64_t)parts, rows, width}, data, whole);
        for (size_t i = 0; i < parts; i += 1 + parts / 3) {
            reduce(op, type, way, threads, (int64_t[]){1, rows, width}, data + i * part, alone);
            if (memcmp(whole + i * result, alone, result) != 0)
                fail_msg("%s of type %d, [%zu, %d, %d], %s, prefetch %s: part %zu has other bits",
                         op, (int)type, parts, (int)rows, (int)width, way[0], way[1], i);
        }
    }
    free(data), free(whole), free(alone);
}

static void check(const char *op, irr_element_type_e type, int64_t rows, int64_t width) {
    check_of(FAR_BYTES, op, type, rows, width);
    check_of(LARGE_BYTES, op, type, rows, width);
    check_of(MIDDLE_BYTES, op, type, rows, width);
    check_of(NEAR_BYTES, op, type, rows, width);
}

static void test_parts(void **state) {
    (void)state;
    check("ReduceSum", IRR_F32, 1001, 821);
    check("ReduceMin", IRR_BF16, 1001, 821);
    check("ReduceL2", IRR_F32, 77, 3001);
    check("ReduceMax", IRR_F32, 40, 4096); /* the longest as they lie */
    check("ReduceSum", IRR_I8, 40, 16384);
    check("ReduceSum", IRR_F32, 1001, 67); /* narrow ones, whose tree is a call's */
    check("ReduceL2", IRR_BF16, 300, 5);
    check("ReduceMean", IRR_F64, 257, 90);
    check("ReduceProd", IRR_F32, 70, 2003);
    check("ReduceMin", IRR_F64, 20, 5003);  /* a tile of few rows */
    check("ReduceSum", IRR_F16, 99, 16001); /* wide ones */
    check("ReduceMean", IRR_F32, 70, 20000);
    check("ReduceSum", IRR_F32, 1001, 1); /* rows in pieces */
    check("ReduceMin", IRR_F16, 49, 1);   /* short ones */
    check("ReduceMin", IRR_F32, 9, 1);    /* parts of loads */
    check("ReduceSum", IRR_I8, 3, 1);
    check("ReduceMean", IRR_U8, 2, 1);
    check("ReduceL2", IRR_I16, 24, 1);
    check("ReduceSum", IRR_F16, 13, 1);
    check("ReduceSum", IRR_BF16, 12, 13); /* small blocks of narrow columns */
    check("ReduceMin", IRR_F32, 20, 6);
    check("ReduceL2", IRR_F64, 700001, 1);   /* leaves */
    check("ReduceSum", IRR_I8, 7, 400009);   /* all rows in one pass */
    check("ReduceMin", IRR_BF16, 12, 40003); /* lines beside */
    check("ReduceSum", IRR_F32, 2, 500003);  /* few rows, straight to results past the caches */
    check_of(FAR_BYTES, "ReduceSum", IRR_U8, 3, 11000001);
    check("ReduceL2", IRR_BF16, 3, 70000);
    check("ReduceMax", IRR_F16, 3, 6000001);
    check("ReduceSum", IRR_F16, 7, 3001);
    check("ReduceMean", IRR_F64, 6, 997);
    check("ReduceSum", IRR_I32, 15, 30011); /* parts of bands */
    check("ReduceL2", IRR_I8, 12, 40003);
    check("ReduceL2", IRR_I32, 5, 9001);
    check("ReduceMean", IRR_I32, 300, 401); /* exact */
    check("ReduceL2", IRR_I32, 301, 401);   /* squares as they lie */
    check("ReduceL2", IRR_U64, 77, 163);
    check_of(COLD_BYTES, "ReduceMin", IRR_F32, 300, 512);
    check("ReduceMax", IRR_U16, 19, 300); /* small blocks */
    check("ReduceMax", IRR_I32, 19, 700); /* whose rows are taken as they lie */
    check("ReduceMin", IRR_F32, 9, 512);
    check("ReduceSum", IRR_F32, 64, 1024);
    check("ReduceSum", IRR_F16, 7, 1003); /* wide ones */
    check("ReduceL2", IRR_I16, 33, 999);
    check("ReduceL2", IRR_I64, 200, 3001); /* exact, of wide states and of 8 bytes */
    check("ReduceMean", IRR_U64, 77, 1500);
    check("ReduceL2", IRR_I16, 300, 5003);
    check("ReduceMean", IRR_F16, 20, 3001); /* as many streams */
    check("ReduceMax", IRR_BF16, 24, 2050);
    check("ReduceMin", IRR_I16, 400, 2050); /* brief strips */
}

/* All of the elements at once, by each tier. */
static void check_product(irr_element_type_e type, size_t count, const void *data,
                          const void *expected) {
    static const char *const tiers[] = {"scalar", "avx2", "avx512"};
    const size_t bytes = irr_element_bytes(type);
    uint64_t first;
    for (size_t k = 0; k < sizeof tiers / sizeof *tiers; k++) {
        uint64_t got = 0;
        const char *const way[3] = {tiers[k], "NO"};
        reduce("ReduceProd", type, way, 2, (int64_t[]){1, (int64_t)count, 1}, data, &got);
        if (k == 0 && !expected) first = got, expected = &first;
        if (memcmp(&got, expected, bytes) != 0)
            fail_msg("product of %zu of type %d, %s: %llx", count, (int)type, tiers[k],
                     (unsigned long long)got);
    }
}

/* Exponents whose sum is beyond 32 bits, and such as cancel. */
static void test_products(void **state) {
    enum { LEAST = 24300000, PAIRS = 1250000 };
    uint16_t *least = malloc(LEAST * sizeof *least), zero = 0;
    double *pairs = malloc(2 * PAIRS * sizeof *pairs);
    uint32_t stream = 1;
    (void)state;
    assert_true(least && pairs);
    for (size_t i = 0; i < LEAST; i++) least[i] = 1;
    for (size_t i = 0; i < PAIRS; i++) {
        double x = 1 + ((stream = stream * 1664525 + 1013904223) >> 8) * 0x1p-24;
        pairs[2 * i] = x * 0x1p1000, pairs[2 * i + 1] = 1 / x * 0x1p-1000;
    }
    check_product(IRR_BF16, LEAST, least, &zero);
    check_product(IRR_F64, 2 * PAIRS, pairs, NULL);
    free(least), free(pairs);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, device_open, device_close);
}
