/* Allocations that fail on demand.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_FAILING_MEMORY_H
#define IRR_TESTS_FAILING_MEMORY_H

#include <stdint.h>

/* The n-th allocation from now (1 is the next) and all after it fail; 0 switches off. Counts over
 * all threads. */
void irr_fail_allocation_after(uint64_t n);
void irr_fail_one_allocation(uint64_t n); /* the n-th only */
uint64_t irr_allocation_count(void);

#endif
