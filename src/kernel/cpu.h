/* Instruction-set tiers and what this CPU has. cpuid.h is included by cpu.c alone.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_KERNEL_CPU_H
#define IRR_KERNEL_CPU_H

#include <stdbool.h>

/* Ascending: a CPU that has a tier has all before it. */
typedef enum {
    IRR_TIER_SCALAR = 0,
    IRR_TIER_AVX2,   /* AVX2, FMA, F16C, BMI2, and the OS saves YMM */
    IRR_TIER_AVX512, /* F, BW, DQ, VL, and the OS saves ZMM and masks */
    IRR_TIER_COUNT
} irr_tier_e;

/* How its prefetching is, as far as that was measured: sound, so that lines are called for but a
 * little ahead; too late for tight loops; and the nearest cache can wait for so many lines that it
 * need not be for it. */
typedef enum { IRR_PREFETCH_SOUND, IRR_PREFETCH_LAGS, IRR_PREFETCH_FAR } irr_prefetch_e;

const char *irr_tier_name(irr_tier_e tier); /* "scalar", "avx2", "avx512" */
irr_tier_e irr_cpu_best_tier(void);         /* from CPUID and XCR0 */
bool irr_cpu_has_vnni(void);                /* sums of products, with the best tier */
irr_prefetch_e irr_cpu_prefetching(void);   /* asks the processor each time: some microseconds */
void irr_cpu_relax(void);                   /* tells the core that this thread spins */

#endif
