/* The signal mask that a thread of ours begins with. SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_BASE_SIGNALS_H
#define IRR_BASE_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/* Around pthread_create, which hands the mask on: a host's signals stay with the host's threads;
 * what a thread does to itself (a page that a handler has yet to bring) stays its own, even where
 * the thread that makes it has that blocked. Gives the mask to go back to. */
static inline void irr_signals_of_host(sigset_t *before) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
    sigset_t mask;
    sigfillset(&mask);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&mask, own[i]);
    pthread_sigmask(SIG_SETMASK, &mask, before);
}

#endif
