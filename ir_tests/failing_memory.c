/* Allocations that fail on demand, in whatever this is linked with.
 * SPDX-License-Identifier: Apache-2.0 */
#include "failing_memory.h"

#include "base/memory.h"

#include <stdatomic.h>

/* Allocations failing_from up to, not with, failing_to fail; 0: none. */
static atomic_uint_fast64_t allocation_count, failing_from, failing_to;

bool irr_may_allocate(void) {
    uint64_t mine = atomic_fetch_add(&allocation_count, 1) + 1;
    uint64_t from = atomic_load(&failing_from);
    return from == 0 || mine < from || mine >= atomic_load(&failing_to);
}

void irr_fail_allocation_after(uint64_t n) {
    atomic_store(&failing_to, UINT64_MAX);
    atomic_store(&failing_from, n ? atomic_load(&allocation_count) + n : 0);
}

void irr_fail_one_allocation(uint64_t n) {
    irr_fail_allocation_after(n);
    if (n) atomic_store(&failing_to, atomic_load(&failing_from) + 1);
}

uint64_t irr_allocation_count(void) { return atomic_load(&allocation_count); }
