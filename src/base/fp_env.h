/* The floating-point environment of a computation: round to nearest, denormals kept, no traps.
 * The control word is looked at and put back by itself, 3 ns; fenv.h would cost fifty times that.
 * Whoever reads it soon after a flag has changed waits, on Intel's processors, for 85 ns, or 20
 * where a fence stands between: so no flag is changed that need not be, and there is a fence where
 * none is likely to change again soon.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_BASE_FP_ENV_H
#define IRR_BASE_FP_ENV_H

#include <stdatomic.h>
#include <stdbool.h>

#if defined(__x86_64__)
typedef unsigned irr_fp_env_t;

/* Nearest, FTZ and DAZ off, all exceptions masked; the six flags. */
enum {
    IRR_FP_CONTROL = 0x1f80,
    IRR_FP_INVALID = 0x01,
    IRR_FP_DENORMAL = 0x02,
    IRR_FP_OVERFLOW = 0x08,
    IRR_FP_UNDERFLOW = 0x10,
    IRR_FP_INEXACT = 0x20,
    IRR_FP_FLAGS = 0x3f
};

/* No load moves across these two. */
static inline unsigned irr_fp_word(void) {
    unsigned word;
    __asm__ volatile("stmxcsr %0" : "=m"(word) : : "memory");
    return word;
}
static inline void irr_fp_set_word(unsigned word) {
    __asm__ volatile("ldmxcsr %0" : : "m"(word) : "memory");
}
static inline void irr_fp_fence(void) { __asm__ volatile("lfence" : : : "memory"); }

/* Sets the contract's environment for this thread and returns the one found: mostly the same, and
 * what follows need not wait for a word that is only compared. */
static inline irr_fp_env_t irr_fp_enter(void) {
    irr_fp_env_t found = irr_fp_word();
    if ((found & ~(unsigned)IRR_FP_FLAGS) != IRR_FP_CONTROL)
        irr_fp_set_word(IRR_FP_CONTROL | (found & IRR_FP_FLAGS));
    return found;
}
/* Where none had been rounded before, one has been since, most likely: no use in a look that waits.
 */
static inline void irr_fp_leave(irr_fp_env_t found) {
    if (!(found & IRR_FP_INEXACT) || irr_fp_word() != found) irr_fp_set_word(found), irr_fp_fence();
}

/* From here on these flags tell. Whoever asks for them sees to it that what is computed in between
 * is done. */
static inline bool irr_fp_expect_none_of(unsigned flags) {
    unsigned word = irr_fp_word();
    if (word & flags) irr_fp_set_word(word & ~flags);
    return word & flags;
}

/* Between enter and leave: has a result been rounded since? */
static inline void irr_fp_expect_exact(void) { irr_fp_expect_none_of(IRR_FP_INEXACT); }
static inline bool irr_fp_has_rounded(void) { return irr_fp_word() & IRR_FP_INEXACT; }

/* Likewise: have all numbers been normal since? No denormal number was met, none was made by
 * rounding, and no operation was invalid. A sum that is rounded on purpose must be told of, too:
 * some emulators raise no flag. */
enum { IRR_FP_ABNORMAL = IRR_FP_INVALID | IRR_FP_DENORMAL | IRR_FP_UNDERFLOW };
static inline void irr_fp_expect_normal(void) {
    float sum = 1;
    irr_fp_expect_none_of(IRR_FP_ABNORMAL | IRR_FP_INEXACT);
    __asm__ volatile("addss %1, %0" : "+x"(sum) : "x"(0x1p-30f));
}
static inline bool irr_fp_was_normal(void) {
    return (irr_fp_word() & (IRR_FP_ABNORMAL | IRR_FP_INEXACT)) == IRR_FP_INEXACT;
}

/* Likewise of any flags: was each result exact, or (OUT_OF_RANGE) exact or in the range of its
 * type? */
enum { IRR_FP_OUT_OF_RANGE = IRR_FP_OVERFLOW | IRR_FP_UNDERFLOW };
static inline void irr_fp_hope_for_none_of(unsigned flags) {
    if (irr_fp_expect_none_of(flags)) irr_fp_fence();
}
static inline bool irr_fp_has_raised(unsigned flags) { return irr_fp_word() & flags; }
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
enum { IRR_FP_OUT_OF_RANGE = 1, IRR_FP_INEXACT = 2 };
static inline void irr_fp_hope_for_none_of(unsigned flags) { (void)flags; }
static inline bool irr_fp_has_raised(unsigned flags) { return flags != 0; }
#endif

/* Can one rely on it? Some emulators raise no flag (valgrind). Asked once: it is the machine's. */
static inline bool irr_fp_tells_rounding(void) {
    enum { UNKNOWN, NO, YES };
    static atomic_int told;
    int known = atomic_load_explicit(&told, memory_order_relaxed);
    if (known == UNKNOWN) {
        volatile double one = 1, sum;
        irr_fp_expect_exact();
        sum = one + 0x1p-60;
        known = irr_fp_has_rounded() && sum > 0 ? YES : NO;
        atomic_store_explicit(&told, known, memory_order_relaxed);
    }
    return known == YES;
}

#endif
