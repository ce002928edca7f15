/* What speed.py cannot do in Python: a C host's loop, timed. The call is made through a pointer, as
 * in a program that is linked with the host. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <time.h>

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* Microseconds a call of count calls with one argument, or -1 when one of them tells an error. */
double irr_time_calls(int (*call)(void *argument), void *argument, unsigned count);

__attribute__((visibility("default"))) double irr_time_calls(int (*call)(void *argument),
                                                             void *argument, unsigned count) {
    double start = now_us();
    for (unsigned k = 0; k < count; k++)
        if (call(argument)) return -1;
    return (now_us() - start) / count;
}
