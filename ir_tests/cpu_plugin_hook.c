/* The CPU device as a module of the tests, in which allocations can be made to fail.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_plugin_hook.h"

#include "failing_memory.h"

__attribute__((visibility("default"))) const cpu_plugin_hook_t irr_cpu_plugin_hook = {
    irr_fail_allocation_after, irr_fail_one_allocation, irr_allocation_count};
