/* --neighbour: what does a process on another CPU lose to a program's idle threads? The program
 * makes one call of two threads every fifty milliseconds, so that the work itself is less than a
 * hundredth, and sleeps in between; the process next door counts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 8, ROUNDS = 5 };
static const struct timespec pause_50_ms = {.tv_nsec = 50000000};

static atomic_ulong *counted; /* shared with the process next door */

static pid_t start_neighbour(void) {
    pid_t parent = getpid(), child = fork();
    if (child) return child;
    cpu_set_t last;
    CPU_ZERO(&last);
    CPU_SET(1, &last);
    sched_setaffinity(0, sizeof last, &last);
    while (getppid() == parent)
        for (int i = 0; i < 1 << 16; i++)
            atomic_fetch_add_explicit(counted, 1, memory_order_relaxed);
    _exit(0);
}

/* Counts a microsecond while the program makes its calls. peer NULL: it makes none. */
static double count_beside(const peer_t *peer, void *state, void *output) {
    unsigned long before = atomic_load(counted);
    double start = now_us();
    for (int i = 0; i < CALLS; i++) {
        if (peer) peer->run(state, output);
        nanosleep(&pause_50_ms, NULL);
    }
    return (double)(atomic_load(counted) - before) / (now_us() - start);
}

static int row(const case_t *c) {
    static const contender_t loud[] = {
        {"irreduce", &peer_irreduce, {NULL, NULL}, NULL, NULL},
        {"onnxruntime", &peer_onnxruntime, {NULL, NULL}, NULL, NULL},
        {"openvino", &peer_openvino, {NULL, NULL}, NULL, NULL},
        {"onednn", &peer_onednn, {NULL, NULL}, NULL, NULL},
    };
    static char output[4096 * 8];
    for (size_t i = 0; i < sizeof loud / sizeof *loud; i++) {
        void *state = loud[i].peer->open(c, &loud[i]);
        double quiet[ROUNDS], beside[ROUNDS];
        if (!state || !loud[i].peer->run(state, output)) continue;
        for (int round = 0; round < ROUNDS; round++) {
            quiet[round] = count_beside(NULL, NULL, NULL);
            beside[round] = count_beside(loud[i].peer, state, output);
        }
        loud[i].peer->close(state);
        print_pair("neighbour beside / alone", loud[i].name, 1e6 / median_of(quiet, ROUNDS),
                   1e6 / median_of(beside, ROUNDS), i ? 0 : 1.02);
    }
    return IRR_OK;
}

static int all(void) {
    counted =
        mmap(NULL, sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counted == MAP_FAILED) return fail(IRR_NOT_ALLOCATED, "no memory to share");
    pid_t child = start_neighbour();
    int status = with_case("sum f32 [4096,1024] axes [1]", "neighbour", 2, row);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return status;
}

static void head(void) {
    if (!settings.json)
        printf("%-26s %-38s %11s %11s %6s %6s\n", "us a million counts", "beside", "alone",
               "beside", "ratio", "most");
}

const bench_mode_t neighbour_mode = {.head = head, .all = all};
