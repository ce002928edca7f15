/* Locks of cores and devices. One that another thread held when the process forked is open in the
 * child: what it guards is changed at one stroke, and that thread will never come back.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_RUNTIME_GUARD_H
#define IRR_RUNTIME_GUARD_H

#include <pthread.h>
#include <stdatomic.h>

/* For one writer or many readers; a writer is not kept waiting by readers without end, so that a
 * thread must not read twice at a time. */
typedef struct irr_guard {
    pthread_rwlock_t lock;
    atomic_uint generation; /* the process's for which it was made */
} irr_guard_t;

void irr_guard_init(irr_guard_t *guard);
void irr_guard_read(irr_guard_t *guard);
void irr_guard_write(irr_guard_t *guard);
void irr_guard_leave(irr_guard_t *guard);
void irr_guard_destroy(irr_guard_t *guard);

#endif
