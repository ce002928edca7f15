/* Locks that a forked child makes anew, each when it is first taken there.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/guard.h"

static atomic_uint generation; /* forks on the way to this process */
static pthread_mutex_t renewal = PTHREAD_MUTEX_INITIALIZER;

static void begin_child(void) {
    atomic_fetch_add(&generation, 1);
    pthread_mutex_init(&renewal, NULL);
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, begin_child); }

static void make(irr_guard_t *guard, unsigned now) {
    guard->lock = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
    atomic_store_explicit(&guard->generation, now, memory_order_release);
}

void irr_guard_init(irr_guard_t *guard) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    make(guard, atomic_load(&generation));
}

static pthread_rwlock_t *renewed(irr_guard_t *guard) {
    unsigned now = atomic_load_explicit(&generation, memory_order_relaxed);
    if (atomic_load_explicit(&guard->generation, memory_order_acquire) != now) {
        pthread_mutex_lock(&renewal);
        if (atomic_load(&guard->generation) != now) make(guard, now);
        pthread_mutex_unlock(&renewal);
    }
    return &guard->lock;
}

void irr_guard_read(irr_guard_t *guard) { pthread_rwlock_rdlock(renewed(guard)); }
void irr_guard_write(irr_guard_t *guard) { pthread_rwlock_wrlock(renewed(guard)); }
void irr_guard_leave(irr_guard_t *guard) { pthread_rwlock_unlock(&guard->lock); }
void irr_guard_destroy(irr_guard_t *guard) { pthread_rwlock_destroy(&guard->lock); }
