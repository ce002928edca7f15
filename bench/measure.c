/* Interleaved timing: every contender once a round, medians over the rounds, threads pinned.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    BLOCK_US = 300,
    CALIBRATIONS = 3,
    SLOW_US = 50000,
    SLOW_ROUNDS = 3,
    ENDLESS_US = 300000,
    VERIFIED = 1 << 20,
    PAGE = 4096
};
static const struct timespec calm = {.tv_nsec = 30000000};

typedef struct {
    const contender_t *is;
    void *state, *output;
    size_t repeats;
} runner_t;

/* ---- pinning: this thread to the first CPU, all others, in their order, to those after it ---- */

static void pin(pid_t thread, const cpu_set_t *may, unsigned index) {
    unsigned count = (unsigned)CPU_COUNT(may), wanted = index % (count ? count : 1);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, may) || wanted--) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(thread, sizeof one, &one);
        return;
    }
}

void stay_on_one_cpu(void) {
    cpu_set_t may;
    sched_getaffinity(0, sizeof may, &may);
    pin(0, &may, 0);
}

void pin_all(const cpu_set_t *may, unsigned threads) {
    DIR *tasks = opendir("/proc/self/task");
    unsigned others = 0;
    if (!tasks) return;
    for (struct dirent *entry; (entry = readdir(tasks));) {
        pid_t thread = (pid_t)atoi(entry->d_name);
        if (thread <= 0) continue;
        if (thread == getpid())
            pin(thread, may, 0);
        else
            pin(thread, may, 1 + others++ % (threads - 1));
    }
    closedir(tasks);
}

void unpin_all(const cpu_set_t *may) {
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return;
    for (struct dirent *entry; (entry = readdir(tasks));)
        if (atoi(entry->d_name) > 0)
            sched_setaffinity((pid_t)atoi(entry->d_name), sizeof *may, may);
    closedir(tasks);
}

/* ---- blocks of runs ---- */

static double block(const runner_t *runner, const cpu_set_t *may, unsigned threads) {
    const peer_t *peer = runner->is->peer;
    if (peer->begin) peer->begin(runner->state);
    if (threads > 1) { /* a thread starts where its maker runs: move it, and wake it, before */
        pin_all(may, threads);
        for (size_t i = 0; i < runner->repeats; i++) peer->run(runner->state, runner->output);
    }
    double start = now_us();
    for (size_t i = 0; i < runner->repeats; i++) peer->run(runner->state, runner->output);
    double took = now_us() - start;
    if (peer->end) peer->end(runner->state);
    return took / (double)runner->repeats;
}

static bool open_runner(const case_t *c, const contender_t *contender, runner_t *runner) {
    size_t bytes = c->outputs * 8;
    *runner = (runner_t){.is = contender, .repeats = 1};
    runner->state = contender->peer->open(c, contender);
    if (!runner->state) return false;
    /* At the same place of a page for all: where the output lies may cost time. */
    runner->output = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    return runner->output != NULL;
}

static void close_runner(runner_t *runner) {
    if (runner->state) runner->is->peer->close(runner->state);
    free(runner->output);
}

/* Warms up, finds how many runs a block takes; the result learns how many rounds there is time for.
 * What takes very long has been measured by that. */
static void calibrate(runner_t *runner, size_t rounds, const cpu_set_t *may, unsigned threads,
                      result_t *result) {
    /* Unpinned at first: a pool counts the CPUs that it may use when it starts. */
    double start = now_us();
    if (!runner->is->peer->begin)
        result->ran = runner->is->peer->run(runner->state, runner->output);
    result->times_us[0] = now_us() - start;
    if (!result->ran || result->times_us[0] > ENDLESS_US) return;
    block(runner, may, threads);
    double one = block(runner, may, threads);
    /* The first runs may take many times as long as those of a block: threads sleep. */
    for (int i = 0; i < CALIBRATIONS && one * (double)runner->repeats < BLOCK_US; i++) {
        runner->repeats = (size_t)(BLOCK_US / (one < 0.01 ? 0.01 : one)) + 1;
        one = block(runner, may, threads);
    }
    result->rounds = one > SLOW_US && rounds > SLOW_ROUNDS ? SLOW_ROUNDS : rounds;
}

double median_of(const double *values, size_t count) {
    double sorted[MOST_ROUNDS];
    memcpy(sorted, values, count * sizeof *sorted);
    return sort_to_median(sorted, count);
}

/* Is the answer right, and is it the first contender's? */
static void judge(const case_t *c, const runner_t *runner, const runner_t *first,
                  result_t *result) {
    const peer_t *peer = runner->is->peer;
    size_t bytes = c->outputs * type_of(c->data->type)->bytes;
    if (peer == &peer_irreduce) result->wrong = verify(c, runner->output, VERIFIED);
    if (peer->begin || !first->output) return; /* it has no answer, or there is none to compare */
    result->near = is_near(c, runner->output, first->output);
    result->same = memcmp(runner->output, first->output, bytes) == 0;
}

static void rest(const runner_t *runner, unsigned threads) {
    if (runner->is->peer->spins && threads > 1) nanosleep(&calm, NULL);
}

void measure(const case_t *c, const contender_t *contenders, size_t count, size_t rounds,
             result_t *results) {
    static runner_t runners[MOST_CONTENDERS];
    cpu_set_t may;
    sched_getaffinity(0, sizeof may, &may);
    for (size_t i = 0; i < count; i++) {
        results[i] = (result_t){.ran = open_runner(c, &contenders[i], &runners[i])};
        if (!results[i].ran) continue;
        calibrate(&runners[i], rounds, &may, c->threads, &results[i]);
        unpin_all(&may);
        if (!results[i].ran) continue;
        judge(c, &runners[i], &runners[0], &results[i]);
        rest(&runners[i], c->threads);
    }
    if (c->threads > 1)
        pin_all(&may, c->threads);
    else
        pin(0, &may, 0);
    for (size_t round = 0; round < rounds; round++)
        for (size_t k = 0; k < count; k++) { /* there and back: no one always follows the same */
            size_t i = round % 2 ? count - 1 - k : k;
            if (!results[i].ran || round >= results[i].rounds) continue;
            results[i].times_us[round] = block(&runners[i], &may, c->threads);
            rest(&runners[i], c->threads);
        }
    unpin_all(&may);
    for (size_t i = 0; i < count; i++) {
        if (results[i].ran)
            results[i].median_us = results[i].rounds
                                       ? median_of(results[i].times_us, results[i].rounds)
                                       : results[i].times_us[0];
        close_runner(&runners[i]);
    }
}
