/* The caller's floating-point environment: whatever it is, the answer has the same bits and the
 * environment is found again as it was. For x86-64 (CMake builds it there alone).
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/op.h"
#include "device.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { CONTROL_BITS = 0xffc0, MASKS = 0x1f80, FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x40 };
enum { FLAGS = 64, MAX_ELEMENTS = 1 << 14 };

/* The word while the device runs on this host's threads, which have flags of their own. */
static unsigned host_word;
static bool host_word_kept;
static size_t host_tasks;

static void host_parallel_for(void *context, size_t count, void (*task)(void *, size_t),
                              void *argument) {
    (void)context;
    unsigned found = __builtin_ia32_stmxcsr();
    for (size_t i = count; i-- > 0;) {
        __builtin_ia32_ldmxcsr(host_word);
        task(argument, i);
        host_tasks++;
        if (__builtin_ia32_stmxcsr() != host_word) host_word_kept = false;
    }
    __builtin_ia32_ldmxcsr(found);
}

/* Runs the case in rounding mode `mode & 3`, flushing where mode & 4, with `flags` up: on this
 * thread and the device's, or on threads that have other flags up and flush where this one does
 * not. */
static void run_in(const random_case_t *c, device_setup_t setup, unsigned mode, unsigned flags,
                   const void *data, const void *expected, void *output) {
    char sentence[DEVICE_TEXT_BYTES], text[RANDOM_CASE_TEXT_BYTES];
    size_t bytes = c->outputs * oracle_element_bytes(c->type);
    unsigned word = MASKS | (mode & 3) << 13 | (mode & 4 ? FLUSH_TO_ZERO | DENORMALS_ARE_ZERO : 0);
    setup.word = word | flags % FLAGS;
    setup.repeats = flags % 3; /* the first call is looked at as the others are */
    host_word = (word | flags * 5 % FLAGS) ^ FLUSH_TO_ZERO;
    host_word_kept = true;
    memset(output, 0xff, bytes);
    unsigned found = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(word | flags % FLAGS); /* it is compiled there, too */
    irr_status_e status = device_run(engine, c, &setup, data, output, sentence);
    unsigned after = __builtin_ia32_stmxcsr() & CONTROL_BITS;
    __builtin_ia32_ldmxcsr(found);
    if (status != IRR_OK) fail_msg("%s: %s", random_case_text(c, text), sentence);
    assert_int_equal(after, word);
    assert_true(host_word_kept);
    if (memcmp(output, expected, bytes) != 0)
        fail_msg("control word %#x changes %s", word, random_case_text(c, text));
}

static void test_environment(void **state) {
    (void)state;
    static const irr_element_type_e types[] = {IRR_F32, IRR_F64, IRR_F16, IRR_BF16,
                                               IRR_I32, IRR_I64, IRR_U8};
    static const char *const backends[] = {"reference", "simd", "auto"};
    static double data[MAX_ELEMENTS], expected[MAX_ELEMENTS], output[MAX_ELEMENTS];
    const irr_host_services_t services = {sizeof services, NULL, host_parallel_for, 2};
    char sentence[DEVICE_TEXT_BYTES];
    for (uint64_t seed = 0; seed < 600; seed++) {
        random_case_t c;
        const char *op = irr_op_info((irr_op_e)(seed % IRR_OP_COUNT))->type;
        if (!irr_op_info((irr_op_e)(seed % IRR_OP_COUNT))->takes_numeric) continue;
        random_case_make(&c, seed, op, types[seed / IRR_OP_COUNT % 7], MAX_ELEMENTS);
        random_case_fill(&c, data);
        device_setup_t setup = {.backend = backends[seed / 5 % 3], .threads = 1 + seed % 3};
        assert_int_equal(device_run(engine, &c, &setup, data, expected, sentence), IRR_OK);
        for (unsigned mode = 0; mode < 8; mode++) {
            setup.services = mode % 3 == 2 ? &services : NULL;
            run_in(&c, setup, mode, (unsigned)seed + mode * 11, data, expected, output);
        }
    }
}

/* So much data that a host's threads take part. */
static void test_threads_of_a_host(void **state) {
    (void)state;
    enum { ROWS = 600, ROW = 1000 };
    static const irr_element_type_e types[] = {IRR_F32, IRR_F64, IRR_I32};
    static double data[ROWS * ROW], expected[ROWS], output[ROWS];
    const irr_host_services_t services = {sizeof services, NULL, host_parallel_for, 2};
    char sentence[DEVICE_TEXT_BYTES];
    for (unsigned k = 0; k < IRR_OP_COUNT * 3; k++) {
        const irr_op_info_t *op = irr_op_info((irr_op_e)(k % IRR_OP_COUNT));
        random_case_t c = {.seed = k, .op = op->type, .type = types[k / IRR_OP_COUNT], .rank = 2};
        if (!op->takes_numeric) continue;
        c.dims[0] = ROWS, c.dims[1] = ROW, c.axes[0] = 1, c.axis_count = 1;
        random_case_complete(&c);
        random_case_fill(&c, data);
        device_setup_t setup = {.threads = 2};
        assert_int_equal(device_run(engine, &c, &setup, data, expected, sentence), IRR_OK);
        setup.services = &services, host_tasks = 0;
        for (unsigned mode = 0; mode < 8; mode++)
            run_in(&c, setup, mode, k + mode * 11, data, expected, output);
        assert_true(host_tasks > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_environment),
                                       cmocka_unit_test(test_threads_of_a_host)};
    return cmocka_run_group_tests(tests, device_open, device_close);
}
