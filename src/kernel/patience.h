/* How long to spin. SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_KERNEL_PATIENCE_H
#define IRR_KERNEL_PATIENCE_H

#include "kernel/cpu.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

static inline int64_t irr_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Patience: true until `spin_ns` have passed since the first call. The clock is read rarely. */
typedef struct {
    int64_t until_ns;
    unsigned turns;
} irr_patience_t;

static inline bool irr_spin(irr_patience_t *patience, unsigned spin_ns) {
    irr_cpu_relax();
    if (++patience->turns % 32) return true;
    int64_t now = irr_now_ns();
    if (!patience->until_ns) patience->until_ns = now + spin_ns;
    return now < patience->until_ns;
}

#endif
