/* A tensor past 2^31 elements: sums and minima against closed forms, by rows, by columns, whole.
 * Needs about 2.3 GB; says so and passes by where memory is short. IRR_TEST_LARGE=NO skips it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 2200, COLUMNS = 1000003 }; /* 2,200,006,600 elements */
static const size_t needed_bytes = (size_t)2600 << 20;

static uint8_t *data, *output;

static size_t available_bytes(void) {
    unsigned long long kilobytes = 0;
    char line[256];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1) break;
    if (file) fclose(file);
    return (size_t)kilobytes << 10;
}

static bool enough_memory(void) {
    const char *wish = getenv("IRR_TEST_LARGE");
    size_t available = available_bytes();
    if (wish && strcmp(wish, "NO") == 0)
        print_message("skipped: IRR_TEST_LARGE=NO\n");
    else if (available < needed_bytes || irr_memory_limit_bytes() < needed_bytes)
        print_message("skipped: needs %zu MB, %zu MB are available\n", needed_bytes >> 20,
                      available >> 20);
    else
        return true;
    return false;
}

static void reduce(const char *op, irr_element_type_e type, const char *backend, int axes) {
    char sentence[DEVICE_TEXT_BYTES];
    random_case_t c = {.op = op, .type = type, .rank = 2, .dims = {ROWS, COLUMNS}};
    for (int d = 0; d < 2; d++)
        if (axes >> d & 1) c.axes[c.axis_count++] = d;
    random_case_complete(&c);
    device_setup_t setup = {.backend = backend};
    if (device_run(engine, &c, &setup, data, output, sentence) != IRR_OK) fail_msg("%s", sentence);
}

/* value(i, j) = 3 i + 5 j + 7 modulo 256: over j it repeats after 256, so each row is a stretch of
 * one table, begun where 5 j = 3 i, that is at 3 i * 205 (5 * 205 = 1 modulo 256). */
static void fill_pattern(void) {
    uint8_t *table = malloc(COLUMNS + 256);
    assert_non_null(table);
    for (size_t j = 0; j < COLUMNS + 256; j++) table[j] = (uint8_t)(5 * j + 7);
    for (size_t i = 0; i < ROWS; i++)
        memcpy(data + i * COLUMNS, table + (3 * i * 205) % 256, COLUMNS);
    free(table);
}

static void check_sums(irr_element_type_e type) {
    const uint64_t n = COLUMNS, m = ROWS;
    reduce("ReduceSum", type, NULL, 2);
    for (uint64_t i = 0; i < m; i++)
        assert_int_equal(output[i], (n * (3 * i + 7) + 5 * (n * (n - 1) / 2)) & 255);
    reduce("ReduceSum", type, NULL, 1);
    for (uint64_t j = 0; j < n; j++)
        assert_int_equal(output[j], (m * (5 * j + 7) + 3 * (m * (m - 1) / 2)) & 255);
    const char *const backends[] = {NULL, "reference"};
    for (int b = 0; b < 2; b++) {
        reduce("ReduceSum", type, backends[b], 3);
        assert_int_equal(output[0],
                         (n * m * 7 + 3 * n * (m * (m - 1) / 2) + 5 * m * (n * (n - 1) / 2)) & 255);
    }
}

/* 100 everywhere but for three lower values, two of them past 2^31. */
static void check_minima(irr_element_type_e type, uint8_t lowest) {
    const size_t marks[3] = {12345, (size_t)2147483648u + 77, (size_t)ROWS * COLUMNS - 1};
    const uint8_t values[3] = {99, 42, lowest};
    memset(data, 100, (size_t)ROWS * COLUMNS);
    for (int k = 0; k < 3; k++) data[marks[k]] = values[k];
    for (int axes = 1; axes < 4; axes++) {
        reduce("ReduceMin", type, NULL, axes);
        size_t count = axes == 1 ? COLUMNS : axes == 2 ? ROWS : 1;
        for (size_t i = 0; i < count; i++) {
            uint8_t right = 100;
            for (int k = 0; k < 3; k++) {
                size_t at = axes == 1 ? marks[k] % COLUMNS : axes == 2 ? marks[k] / COLUMNS : 0;
                if (at == i) right = values[k];
            }
            assert_int_equal(output[i], right);
        }
    }
}

static void test_past_2_31(void **state) {
    (void)state;
    if (!enough_memory()) return;
    data = malloc((size_t)ROWS * COLUMNS), output = malloc(COLUMNS);
    if (data && output) {
        fill_pattern();
        check_sums(IRR_U8);
        check_minima(IRR_U8, 3);
        check_minima(IRR_I8, 0x80);
    } else
        print_message("skipped: no memory\n");
    free(data), free(output);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_past_2_31)};
    return cmocka_run_group_tests(tests, device_open, device_close);
}
