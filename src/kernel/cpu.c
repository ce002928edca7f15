/* CPUID and XCR0 -> tier. The one file that includes cpuid.h. __builtin_cpu_supports is of no use:
 * clang 14 rejects "f16c", and neither compiler's word covers what the OS saves in every version.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/cpu.h"

#include <stddef.h>
#include <stdint.h>

static const char *const names[] = {
    [IRR_TIER_SCALAR] = "scalar",
    [IRR_TIER_AVX2] = "avx2",
    [IRR_TIER_AVX512] = "avx512",
};
_Static_assert(sizeof names / sizeof *names == IRR_TIER_COUNT, "a name for each tier");

const char *irr_tier_name(irr_tier_e tier) {
    return (unsigned)tier < IRR_TIER_COUNT ? names[tier] : NULL;
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdatomic.h>

/* What a tier needs beyond the tier below it. */
typedef struct {
    uint32_t leaf1_ecx, leaf7_ebx; /* CPUID bits */
    uint32_t xcr0;                 /* state the OS must save */
    uint32_t leaf7_ecx;
} needs_t;

static const needs_t needs[] = {
    [IRR_TIER_SCALAR] = {0, 0, 0, 0},
    [IRR_TIER_AVX2] = {bit_OSXSAVE | bit_AVX | bit_FMA | bit_F16C, bit_AVX2 | bit_BMI2, 0x06, 0},
    [IRR_TIER_AVX512] = {0, bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL, 0xe6, 0},
    [IRR_TIER_COUNT] = {0, 0, 0xe6, bit_AVX512VNNI}, /* beyond the last tier */
};
_Static_assert(sizeof needs / sizeof *needs == IRR_TIER_COUNT + 1, "a row for each tier");

static uint32_t read_xcr0(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* The best tier, or one more. */
static unsigned ask_cpu(void) {
    uint32_t eax, ebx = 0, ecx = 0, edx, leaf1_ecx = 0, unused;
    if (__get_cpuid(1, &eax, &unused, &leaf1_ecx, &edx) == 0) return IRR_TIER_SCALAR;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return IRR_TIER_SCALAR;
    uint32_t xcr0 = leaf1_ecx & bit_OSXSAVE ? read_xcr0() : 0;
    unsigned tier = IRR_TIER_SCALAR;
    while (tier < IRR_TIER_COUNT) {
        const needs_t *next = &needs[tier + 1];
        bool has = (leaf1_ecx & next->leaf1_ecx) == next->leaf1_ecx &&
                   (ebx & next->leaf7_ebx) == next->leaf7_ebx &&
                   (ecx & next->leaf7_ecx) == next->leaf7_ecx && (xcr0 & next->xcr0) == next->xcr0;
        if (!has) break;
        tier++;
    }
    return tier;
}

/* AMD's Zen 4, and Zen 3 with it, by the family's number, and Zen 5. Measured, of what is beyond
 * the last cache: on Zen 4 asking for rows by pieces takes 0.6 to 0.95 of the time, on Zen 5 it
 * takes 1.3 to 1.9 times as long; lines called far ahead into the nearest cache, columns take on
 * Zen 5 0.4 to 0.9 of the time, on Zen 4 up to twice as long. Intel's Emerald Rapids fetches ahead
 * by itself: all it wants called for are lines a little ahead of loops that have much to do for
 * each (0.75 to 0.95), and whatever else is costs up to half of its speed or brings nothing. */
enum { ZEN_4 = 0x19, ZEN_5 = 0x1a };
irr_prefetch_e irr_cpu_prefetching(void) {
    uint32_t eax, ebx, ecx, edx;
    if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0 || ebx != signature_AMD_ebx ||
        __get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0)
        return IRR_PREFETCH_SOUND;
    uint32_t family = (eax >> 8 & 0xf) + (eax >> 20 & 0xff);
    return family == ZEN_4   ? IRR_PREFETCH_LAGS
           : family == ZEN_5 ? IRR_PREFETCH_FAR
                             : IRR_PREFETCH_SOUND;
}

/* CPUID leaves a virtual machine: some microseconds, so it is asked once. */
static unsigned level(void) {
    static atomic_uint known; /* one more than the level; 0: not yet */
    unsigned now = atomic_load_explicit(&known, memory_order_relaxed);
    if (now == 0) {
        now = ask_cpu() + 1;
        atomic_store_explicit(&known, now, memory_order_relaxed);
    }
    return now - 1;
}
irr_tier_e irr_cpu_best_tier(void) {
    unsigned found = level();
    return found < IRR_TIER_COUNT ? (irr_tier_e)found : IRR_TIER_COUNT - 1;
}
bool irr_cpu_has_vnni(void) { return level() == IRR_TIER_COUNT; }

void irr_cpu_relax(void) { __builtin_ia32_pause(); }
#else
irr_tier_e irr_cpu_best_tier(void) { return IRR_TIER_SCALAR; }
bool irr_cpu_has_vnni(void) { return false; }
irr_prefetch_e irr_cpu_prefetching(void) { return IRR_PREFETCH_SOUND; }

void irr_cpu_relax(void) {}
#endif
