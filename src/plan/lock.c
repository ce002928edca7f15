/* A handful of mutexes shared by all objects, so that a fork can take them all.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/compiled.h"

#include <pthread.h>
#include <stdint.h>

enum { COUNT = 16 };
static pthread_mutex_t mutexes[COUNT];

static void take_all(void) {
    for (unsigned i = 0; i < COUNT; i++) pthread_mutex_lock(&mutexes[i]);
}

static void give_all(void) {
    for (unsigned i = COUNT; i-- > 0;) pthread_mutex_unlock(&mutexes[i]);
}

static void make_all(void) {
    for (unsigned i = 0; i < COUNT; i++) pthread_mutex_init(&mutexes[i], NULL);
    pthread_atfork(take_all, give_all, give_all);
}

static pthread_mutex_t *mutex_of(const void *object) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_all);
    return &mutexes[(uintptr_t)object / 64 % COUNT];
}

void irr_lock(const void *object) { pthread_mutex_lock(mutex_of(object)); }
void irr_unlock(const void *object) { pthread_mutex_unlock(mutex_of(object)); }
