/* What is going on, on standard error, where somebody watches and waits for more than two seconds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    const char *what;
    bool running, ending, shown;
    double since_us;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *watch(void *unused) {
    (void)unused;
    pthread_mutex_lock(&state.lock);
    while (!state.ending) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 500 * 1000 * 1000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&state.changed, &state.lock, &until);
        double seconds = (now_us() - state.since_us) * 1e-6;
        if (state.ending || seconds < 2) continue;
        fprintf(stderr, "\r\033[Kirreduce: %s, %.0f s", state.what, seconds);
        state.shown = true;
    }
    if (state.shown) fputs("\r\033[K", stderr);
    pthread_mutex_unlock(&state.lock);
    return NULL;
}

void progress(const char *what) {
    if (!isatty(STDERR_FILENO)) return;
    pthread_mutex_lock(&state.lock);
    state.what = what;
    if (!state.running) {
        state.since_us = now_us();
        state.running = !pthread_create(&state.thread, NULL, watch, NULL);
    }
    pthread_mutex_unlock(&state.lock);
}

void progress_end(void) {
    pthread_mutex_lock(&state.lock);
    bool running = state.running;
    state.ending = true;
    pthread_cond_signal(&state.changed);
    pthread_mutex_unlock(&state.lock);
    if (running) pthread_join(state.thread, NULL);
    state.running = false;
}
