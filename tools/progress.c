/* What is going on, on standard error, where somebody watches and waits for more than two seconds.
 * The lock of standard error guards what is here. SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <signal.h>
#include <time.h>
#include <unistd.h>

static struct {
    const char *what; /* NULL: it is over */
    double since_us;  /* 0: the timer is not running */
    bool shown;
    timer_t timer;
} state;

/* Each half second, on a thread that the timer makes for it. */
static void show(union sigval unused) {
    (void)unused;
    flockfile(stderr);
    if (state.what) {
        fprintf(stderr, "\r\033[Kirreduce: %s, %.0f s", state.what,
                (now_us() - state.since_us) * 1e-6);
        state.shown = true;
    }
    funlockfile(stderr);
}

void progress(const char *what) {
    static const struct itimerspec times = {{0, 500 * 1000 * 1000}, {2, 0}};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = show};
    if (!isatty(STDERR_FILENO)) return;
    flockfile(stderr);
    state.what = what;
    if (!state.since_us && !timer_create(CLOCK_MONOTONIC, &event, &state.timer)) {
        state.since_us = now_us();
        timer_settime(state.timer, 0, &times, NULL);
    }
    funlockfile(stderr);
}

void progress_end(void) {
    flockfile(stderr);
    if (state.since_us) timer_delete(state.timer);
    if (state.shown) fputs("\r\033[K", stderr);
    state.since_us = 0, state.shown = false, state.what = NULL;
    funlockfile(stderr);
}
