/* The caller's floating-point environment: whatever it is, the answer has the same bits and the
 * environment is found again as it was. For x86-64 (CMake builds it there alone).
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/op.h"
#include "device.h"
#include "oracle.h"

#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { CONTROL_BITS = 0xffc0, MASKS = 0x1f80, FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x40 };
enum { FLAGS = 64, MAX_ELEMENTS = 1 << 14 };

/* The word while the device runs on this host's threads, which have flags of their own. */
static unsigned host_word;
static bool host_word_kept;

static void host_parallel_for(void *context, size_t count, void (*task)(void *, size_t),
                              void *argument) {
    (void)context;
    unsigned found = __builtin_ia32_stmxcsr();
    for (size_t i = count; i-- > 0;) {
        __builtin_ia32_ldmxcsr(host_word);
        task(argument, i);
        if (__builtin_ia32_stmxcsr() != host_word) host_word_kept = false;
    }
    __builtin_ia32_ldmxcsr(found);
}

static void test_environment(void **state) {
    (void)state;
    static const irr_element_type_e types[] = {IRR_F32, IRR_F64, IRR_F16, IRR_BF16,
                                               IRR_I32, IRR_I64, IRR_U8};
    static const int exceptions[] = {0, FE_INEXACT, FE_UNDERFLOW | FE_INEXACT, FE_OVERFLOW,
                                     FE_ALL_EXCEPT};
    static const char *const backends[] = {"reference", "simd", "auto"};
    static double data[MAX_ELEMENTS], expected[MAX_ELEMENTS], output[MAX_ELEMENTS];
    const irr_host_services_t services = {sizeof services, NULL, host_parallel_for, 2};
    char sentence[DEVICE_TEXT_BYTES], text[RANDOM_CASE_TEXT_BYTES];
    for (uint64_t seed = 0; seed < 600; seed++) {
        random_case_t c;
        const char *op = irr_op_info((irr_op_e)(seed % IRR_OP_COUNT))->type;
        if (!irr_op_info((irr_op_e)(seed % IRR_OP_COUNT))->takes_numeric) continue;
        random_case_make(&c, seed, op, types[seed / IRR_OP_COUNT % 7], MAX_ELEMENTS);
        random_case_fill(&c, data);
        size_t bytes = c.outputs * oracle_element_bytes(c.type);
        device_setup_t setup = {.backend = backends[seed / 5 % 3], .threads = 1 + seed % 3};
        assert_int_equal(device_run(engine, &c, &setup, data, expected, sentence), IRR_OK);
        for (unsigned rounding = 0; rounding < 8; rounding++) {
            setup.exceptions = exceptions[(seed + rounding) % 5];
            unsigned word = MASKS | (rounding & 3) << 13;
            word |= rounding & 4 ? FLUSH_TO_ZERO | DENORMALS_ARE_ZERO : 0;
            setup.services = rounding % 3 == 2 ? &services : NULL;
            host_word =
                (word | (seed ^ rounding * 9) % FLAGS) ^ FLUSH_TO_ZERO; /* flags that were up */
            host_word_kept = true;
            memset(output, 0xff, bytes);
            unsigned found = __builtin_ia32_stmxcsr();
            __builtin_ia32_ldmxcsr(word | (seed + rounding * 11) % FLAGS);
            irr_status_e status = device_run(engine, &c, &setup, data, output, sentence);
            unsigned after = __builtin_ia32_stmxcsr() & CONTROL_BITS;
            __builtin_ia32_ldmxcsr(found);
            assert_int_equal(status, IRR_OK);
            assert_int_equal(after, word);
            assert_true(host_word_kept);
            if (memcmp(output, expected, bytes) != 0)
                fail_msg("control word %#x changes %s", word, random_case_text(&c, text));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_environment)};
    return cmocka_run_group_tests(tests, device_open, device_close);
}
