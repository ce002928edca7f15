/* The floating-point environment of a computation: round to nearest, denormals kept, no traps.
 * The control word is swapped by itself, 3 ns; fenv.h would cost fifty times that.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_BASE_FP_ENV_H
#define IRR_BASE_FP_ENV_H

#include <stdbool.h>

#if defined(__x86_64__)
typedef unsigned irr_fp_env_t;

/* Sets the contract's environment for this thread and returns the one found. */
static inline irr_fp_env_t irr_fp_enter(void) {
    irr_fp_env_t found = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80); /* all exceptions masked, nearest, FTZ and DAZ off */
    return found;
}
static inline void irr_fp_leave(irr_fp_env_t found) { __builtin_ia32_ldmxcsr(found); }

/* Between the two, in the contract's environment: has a result been rounded since? No load moves
 * across them; whoever asks sees to it that what is computed in between is done. */
static inline void irr_fp_expect_exact(void) {
    static const unsigned none = 0x1f80;
    __asm__ volatile("ldmxcsr %0" : : "m"(none) : "memory");
}
static inline bool irr_fp_has_rounded(void) {
    unsigned now;
    __asm__ volatile("stmxcsr %0" : "=m"(now) : : "memory");
    return now & 0x20;
}

/* Likewise: have all numbers been normal since? No denormal number was met, none was made by
 * rounding, and no operation was invalid. A sum that is rounded on purpose must be told of, too:
 * some emulators raise no flag. */
static inline void irr_fp_expect_normal(void) {
    float sum = 1;
    irr_fp_expect_exact();
    __asm__ volatile("addss %1, %0" : "+x"(sum) : "x"(0x1p-30f));
}
static inline bool irr_fp_was_normal(void) {
    unsigned now;
    __asm__ volatile("stmxcsr %0" : "=m"(now) : : "memory");
    return (now & 0x33) == 0x20;
}

/* Likewise, after expect_exact: was each result in the range of its type, or exact? */
static inline bool irr_fp_kept_range(void) {
    unsigned now;
    __asm__ volatile("stmxcsr %0" : "=m"(now) : : "memory");
    return (now & 0x18) == 0;
}
#else
#include <fenv.h>
typedef fenv_t irr_fp_env_t;

static inline irr_fp_env_t irr_fp_enter(void) {
    irr_fp_env_t found;
    fegetenv(&found);
    fesetenv(FE_DFL_ENV);
    return found;
}
static inline void irr_fp_leave(irr_fp_env_t found) { fesetenv(&found); }
static inline void irr_fp_expect_exact(void) {}
static inline bool irr_fp_has_rounded(void) { return true; } /* who knows */
static inline void irr_fp_expect_normal(void) {}
static inline bool irr_fp_was_normal(void) { return false; }
static inline bool irr_fp_kept_range(void) { return false; }
#endif

/* Can one rely on it? Some emulators raise no flag (valgrind). */
static inline bool irr_fp_tells_rounding(void) {
    volatile double one = 1, sum;
    irr_fp_expect_exact();
    sum = one + 0x1p-60;
    return irr_fp_has_rounded() && sum > 0;
}

#endif
