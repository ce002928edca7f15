/* The pool: every index once, on any number of threads, nested, forked, crowded, without threads;
 * a host's pool; the floating-point environment.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/fp_env.h"
#include "kernel/available_cpus.h"
#include "kernel/parallel.h"
#include "sanitized.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* The thread sanitizer ends a child that starts threads, unless told otherwise; it finds only a
 * visible function. */
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "die_after_fork=0"; }

/* Linked with --wrap=pthread_create: after `allowed_threads` starts, starting fails. */
static atomic_int allowed_threads = 1 << 20, refused_threads;
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
    if (atomic_fetch_sub(&allowed_threads, 1) > 0)
        return __real_pthread_create(thread, attributes, start, argument);
    atomic_fetch_add(&refused_threads, 1);
    return 11; /* EAGAIN */
}

enum { INDICES = 1000 };

typedef struct {
    unsigned char seen[INDICES]; /* plain on purpose: a race would be seen by TSan */
    atomic_uint wrong_environment;
    bool nested;
    uint32_t threads;
} board_t;

static void nested_task(void *argument, size_t index) { ((unsigned char *)argument)[index]++; }

static void mark(void *argument, size_t index) {
    board_t *board = argument;
    board->seen[index]++;
    volatile float tiny = 1e-38f; /* half of it is a denormal: 0 if FTZ is on */
    if (tiny * 0.25f == 0.0f) atomic_fetch_add(&board->wrong_environment, 1);
    if (!board->nested) return;
    unsigned char inner[7] = {0};
    irr_executor_t executor = {.threads = board->threads};
    irr_parallel_for(&executor, sizeof inner, nested_task, inner);
    for (size_t i = 0; i < sizeof inner; i++)
        if (inner[i] != 1) board->seen[index] = 100;
}

/* 0 if every index below count was seen once and no other. */
static int run_board(const irr_executor_t *executor, size_t count, bool nested) {
    board_t *board = calloc(1, sizeof *board);
    board->nested = nested;
    board->threads = executor->threads;
    irr_parallel_for(executor, count, mark, board);
    int wrong = (int)atomic_load(&board->wrong_environment);
    for (size_t i = 0; i < INDICES; i++) wrong += board->seen[i] != (i < count);
    free(board);
    return wrong;
}

static int thread_count(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (struct dirent *entry; (entry = readdir(tasks));) count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* First of all tests: the pool is empty. A call by itself does without it, calls in a row get it.
 */
static void brief_work_comes_first(void **state) {
    (void)state;
    irr_executor_t executor = {.threads = 3, .alone_ns = 1000};
    int before = thread_count();
    assert_int_equal(run_board(&executor, 100, false), 0);
    assert_int_equal(thread_count(), before);
    for (int repeat = 0; repeat < 1000; repeat++)
        assert_int_equal(run_board(&executor, 100, false), 0);
}

static void mark_all(void *argument) {
    for (size_t index = 0; index < 100; index++) ((board_t *)argument)->seen[index] += 10;
}

static void alone_inside(void *argument, size_t index) {
    irr_executor_t executor = {.threads = 3, .alone = mark_all};
    if (index == 0) irr_parallel_for(&executor, 100, mark, argument);
}

/* What the caller does without help, it does in one go: of one thread, of brief work when all
 * sleep, inside a task. */
static void work_alone_is_whole(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        irr_executor_t executor = {.threads = way ? 3 : 1, .alone_ns = way == 1, .alone = mark_all};
        board_t *board = calloc(1, sizeof *board);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* past any spinning */
        irr_parallel_for(&executor, 100, way == 3 ? alone_inside : mark, board);
        for (size_t i = 0; i < 100; i++) assert_int_equal(board->seen[i], way == 2 ? 1 : 10);
        free(board);
    }
}

typedef struct {
    int together, last, alone;
    long task_ns, last_ns, alone_ns; /* what each is made to take */
} race_t;

static void pass_ns(long ns) {
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000000 + now.tv_nsec - from.tv_nsec < ns);
}

static void run_a_part(void *argument, size_t index) {
    race_t *race = argument;
    if (index == 0) race->together++;
    pass_ns(race->task_ns);
}

static void run_the_last(void *argument) {
    race_t *race = argument;
    race->last++;
    pass_ns(race->last_ns);
}

static void run_all(void *argument) {
    race_t *race = argument;
    race->alone++;
    pass_ns(race->alone_ns);
}

/* What is sooner alone is done alone but for a few tries, what is sooner together soon is; what is
 * left to the caller after the tasks has its part. */
static void trials_decide(void **state) {
    (void)state;
    if (irr_available_cpus() < 2) skip(); /* no trial counts where threads share a CPU */
    irr_trial_t first = {.rest = 0}, second = first, third = first;
    irr_executor_t executor = {.threads = 2, .alone_ns = 1000, .alone = run_all, .trial = &first};
    race_t slow = {.task_ns = 5000, .alone_ns = 1000}, fast = {.alone_ns = 20000};
    for (int i = 0; i < 10000; i++) irr_parallel_for(&executor, 4, run_a_part, &slow);
    assert_int_equal(slow.together + slow.alone, 10000);
    assert_in_range(slow.together, 0, 6000);
    executor.trial = &second;
    for (int i = 0; i < 100000 && fast.together < 1000; i++)
        irr_parallel_for(&executor, 4, run_a_part, &fast);
    assert_int_equal(fast.together, 1000);
    executor.trial = &third;
    executor.last = run_the_last;
    race_t late = {.last_ns = 20000, .alone_ns = 5000};
    for (int i = 0; i < 100000 && late.alone < 3000; i++) /* a wrong verdict: some 800 */
        irr_parallel_for(&executor, 4, run_a_part, &late);
    assert_int_equal(late.alone, 3000);
    assert_int_equal(late.last, late.together);
}

/* A verdict for one thread is told to those who would not call at all, as often as it holds. */
static void the_verdict_is_told(void **state) {
    (void)state;
    if (irr_available_cpus() < 2) skip(); /* no trial counts where threads share a CPU */
    irr_trial_t trial = {.rest = 0};
    irr_executor_t executor = {.threads = 2, .alone_ns = 1000, .alone = run_all, .trial = &trial};
    race_t slow = {.task_ns = 5000, .alone_ns = 1000}, fast = {.alone_ns = 20000};
    assert_false(irr_parallel_says_alone(&trial));
    for (int i = 0; i < 1000000 && trial.rest < 3; i++) /* other work may keep the thread away */
        irr_parallel_for(&executor, 4, run_a_part, &slow);
    assert_true(trial.rest >= 3);
    for (uint32_t calls = trial.rest; calls; calls--) assert_true(irr_parallel_says_alone(&trial));
    assert_false(irr_parallel_says_alone(&trial));
    for (int i = 0; i < 100000 && fast.together < 1000; i++)
        irr_parallel_for(&executor, 4, run_a_part, &fast);
    assert_int_equal(fast.together, 1000);
    uint32_t rest = trial.rest;
    assert_false(irr_parallel_says_alone(&trial));
    assert_int_equal(trial.rest, rest);
}

static void sum_board(void *argument) {
    board_t *board = argument;
    for (size_t index = 0; index < 100; index++) board->seen[INDICES - 1] += board->seen[index];
}

/* Once, after all tasks, on any number of threads and where the pool is busy. */
static void the_last_comes_last(void **state) {
    (void)state;
    for (int repeat = 0; repeat < 300; repeat++) {
        irr_executor_t executor = {.threads = 1 + (uint32_t)repeat % 3, .last = sum_board};
        board_t *board = calloc(1, sizeof *board);
        irr_parallel_for(&executor, 100, mark, board);
        assert_int_equal(board->seen[INDICES - 1], 100);
        free(board);
    }
}

static void every_index_once(void **state) {
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8, 256};
    static const size_t counts[] = {0, 1, 2, 3, 7, 64, 999, 1000};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        irr_executor_t executor = {.threads = threads[t]};
        assert_int_equal(irr_executor_width(&executor), threads[t]);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int repeat = 0; repeat < 20; repeat++) {
                executor.apart = repeat % 2;
                assert_int_equal(run_board(&executor, counts[c], false), 0);
            }
    }
}

static void a_task_may_call_it_too(void **state) {
    (void)state;
    irr_executor_t executor = {.threads = 3};
    for (int repeat = 0; repeat < 50; repeat++)
        assert_int_equal(run_board(&executor, 100, true), 0);
}

static void *many_regions(void *argument) {
    (void)argument;
    irr_executor_t executor = {.threads = 3};
    intptr_t wrong = 0;
    for (int repeat = 0; repeat < 300; repeat++) wrong += run_board(&executor, 50, false);
    return (void *)wrong;
}

static void callers_at_once(void **state) {
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many_regions, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

static void sleepers_wake(void **state) {
    (void)state;
    irr_executor_t executor = {.threads = 4};
    for (int repeat = 0; repeat < 10; repeat++) {
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); /* past any spinning */
        assert_int_equal(run_board(&executor, 500, false), 0);
    }
}

typedef struct {
    pthread_t caller;
    atomic_int by_caller, by_others;
} slow_t;

static void slow_elsewhere(void *argument, size_t index) {
    slow_t *slow = argument;
    (void)index;
    if (pthread_equal(pthread_self(), slow->caller)) {
        atomic_fetch_add(&slow->by_caller, 1);
        return;
    }
    atomic_fetch_add(&slow->by_others, 1);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* A thread that is held up keeps the index that it has drawn, and no other. */
static void held_up_threads_are_helped(void **state) {
    (void)state;
    irr_executor_t executor = {.threads = 2, .apart = true};
    for (int repeat = 0; repeat < 20; repeat++) {
        slow_t slow = {.caller = pthread_self()};
        irr_parallel_for(&executor, 100, slow_elsewhere, &slow);
        assert_int_equal(slow.by_caller + slow.by_others, 100);
        assert_in_range(slow.by_others, 0, 2);
    }
}

static double cpu_seconds(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

static void idle_threads_sleep(void **state) {
    (void)state;
    irr_executor_t executor = {.threads = 8};
    assert_int_equal(run_board(&executor, 500, false), 0);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    double before = cpu_seconds();
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    assert_true(cpu_seconds() - before < 0.02);
}

static int child_result(void) {
    irr_executor_t executor = {.threads = 3};
    int wrong = 0;
    for (int repeat = 0; repeat < 20; repeat++) wrong += run_board(&executor, 100, repeat % 2);
    return wrong != 0;
}

static void forked_children_work(void **state) {
    (void)state;
    pthread_t busy[2]; /* the pool is in use while we fork */
    int busy_count = ADDRESS_SANITIZED ? 0 : 2;
    for (int i = 0; i < busy_count; i++)
        assert_int_equal(pthread_create(&busy[i], NULL, many_regions, NULL), 0);
    for (int repeat = 0; repeat < 10; repeat++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) _exit(child_result());
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    for (int i = 0; i < busy_count; i++) pthread_join(busy[i], NULL);
    assert_int_equal(child_result(), 0);
}

static void threads_that_cannot_start(void **state) {
    (void)state;
    pid_t child = fork(); /* its pool is empty */
    if (child == 0) {
        atomic_store(&allowed_threads, 2);
        irr_executor_t executor = {.threads = 8};
        int wrong = run_board(&executor, 100, false) + run_board(&executor, 100, false);
        if (wrong || atomic_load(&refused_threads) != 1) _exit(1); /* once, not at each call */
        atomic_store(&allowed_threads, 100);
        usleep(1100000); /* what could not be may be a second later */
        wrong = run_board(&executor, 100, false);
        _exit(wrong || atomic_load(&allowed_threads) != 100 - 5);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A host's pool: two threads in a foreign floating-point environment. */
typedef struct {
    void (*task)(void *, size_t);
    void *argument;
    size_t begin, end;
    unsigned word; /* of x86-64: FTZ and DAZ on; no flag is up, or that of a rounded result */
    bool restored;
} host_part_t;

static void *host_thread(void *argument) {
    host_part_t *part = argument;
    irr_fp_env_t foreign = irr_fp_enter();
#if defined(__x86_64__)
    foreign = part->word;
#endif
    irr_fp_leave(foreign);
    for (size_t i = part->begin; i < part->end; i++) part->task(part->argument, i);
    irr_fp_env_t now = irr_fp_enter();
    part->restored = memcmp(&now, &foreign, sizeof now) == 0;
    return NULL;
}

static void host_parallel_for(void *context, size_t count, void (*task)(void *, size_t),
                              void *argument) {
    *(size_t *)context += count;
    host_part_t parts[2] = {{task, argument, 0, count / 2, 0x9fc0, false},
                            {task, argument, count / 2, count, 0x9fe0, false}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, host_thread, &parts[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_true(parts[i].restored);
    }
}

static void a_host_pool_replaces_ours(void **state) {
    (void)state;
    size_t calls = 0;
    irr_host_services_t services = {sizeof services, &calls, host_parallel_for, 5};
    irr_executor_t executor = {.services = &services, .threads = 3};
    assert_int_equal(irr_executor_width(&executor), 3);
    assert_int_equal(run_board(&executor, 100, false), 0);
    assert_int_equal(calls, 3); /* lanes: the host cannot spread wider than the model may */
    executor.threads = 1;
    assert_int_equal(run_board(&executor, 100, false), 0);
    assert_int_equal(calls, 3);
    executor.threads = 64;
    assert_int_equal(irr_executor_width(&executor), 5);
    /* More lanes than there are shares, one after another in two threads. */
    services.thread_count = 100, executor.threads = 100, executor.apart = true, calls = 0;
    assert_int_equal(run_board(&executor, 1000, false), 0);
    assert_int_equal(run_board(&executor, 101, true), 0);
    assert_int_equal(calls, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brief_work_comes_first),
        cmocka_unit_test(work_alone_is_whole),
        cmocka_unit_test(trials_decide),
        cmocka_unit_test(the_verdict_is_told),
        cmocka_unit_test(the_last_comes_last),
        cmocka_unit_test(every_index_once),
        cmocka_unit_test(a_task_may_call_it_too),
        cmocka_unit_test(callers_at_once),
        cmocka_unit_test(sleepers_wake),
        cmocka_unit_test(held_up_threads_are_helped),
        cmocka_unit_test(idle_threads_sleep),
        cmocka_unit_test(forked_children_work),
        cmocka_unit_test(threads_that_cannot_start),
        cmocka_unit_test(a_host_pool_replaces_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
