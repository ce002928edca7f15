/* What the tests' module of the CPU device exports beside the device: its own copy of
 * failing_memory. SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_CPU_PLUGIN_HOOK_H
#define IRR_TESTS_CPU_PLUGIN_HOOK_H

#include <stdint.h>

#define CPU_PLUGIN_PATH "libirr_test_cpu_plugin.so" /* beside the library */

typedef struct {
    void (*fail_after)(uint64_t n);
    void (*fail_one)(uint64_t n);
    uint64_t (*count)(void);
} cpu_plugin_hook_t;

#endif
