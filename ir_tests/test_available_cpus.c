/* The CPUs that this process may use, and its workers; what waking these is believed to take; the
 * names of tiers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/available_cpus.h"
#include "kernel/bell.h"
#include "kernel/cpu.h"
#include "kernel/parallel.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void tie_to_one_cpu(void) {
    cpu_set_t mask, one;
    assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &mask)) CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

static void the_mask_bounds_them(void **state) {
    (void)state;
    cpu_set_t mask;
    assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
    assert_in_range(irr_available_cpus(), 1, CPU_COUNT(&mask));
    tie_to_one_cpu();
    assert_int_equal(irr_available_cpus(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof mask, &mask), 0);
}

static void nothing(void *argument, size_t index) { (void)argument, (void)index; }

static void *call_from_one_cpu(void *unused) {
    irr_executor_t executor = {.threads = 4};
    tie_to_one_cpu();
    irr_parallel_for(&executor, 100, nothing, NULL);
    return unused;
}

static bool is_worker(const char *task) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", task);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    if (!fgets(name, sizeof name, file)) *name = '\0';
    fclose(file);
    return strcmp(name, "irreduce\n") == 0;
}

/* Workers that may use the same CPUs as the process's first thread. */
static int workers_like_the_first(void) {
    irr_cpus_t all = irr_cpus_of_thread(getpid());
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    assert_non_null(tasks);
    for (struct dirent *entry; (entry = readdir(tasks));) {
        if (!is_worker(entry->d_name)) continue;
        irr_cpus_t cpus = irr_cpus_of_thread(atoi(entry->d_name));
        count += memcmp(&cpus, &all, sizeof all) == 0;
    }
    closedir(tasks);
    return count;
}

/* Whoever is the first to need them: workers outlive that call. One that is woken where its caller
 * is moves off that CPU, so wait for the last. */
static void workers_use_all(void **state) {
    (void)state;
    pthread_t caller;
    assert_int_equal(pthread_create(&caller, NULL, call_from_one_cpu, NULL), 0);
    pthread_join(caller, NULL);
    for (int ms = 0; ms < 2000 && workers_like_the_first() < 3; ms++) usleep(1000);
    assert_int_equal(workers_like_the_first(), 3);
}

/* One bad moment does not keep the bell silent for good; what is true is learnt again. */
static void beliefs_fade(void **state) {
    (void)state;
    irr_bell_t bell = {.ring_ns = IRR_USUAL_RING_NS, .wake_ns = IRR_USUAL_WAKE_NS};
    uint64_t brief_ns = IRR_USUAL_WAKE_NS / 2, work_ns = 5 * IRR_USUAL_WAKE_NS;
    assert_true(irr_bell_pays(&bell, 0));
    assert_true(irr_bell_pays(&bell, work_ns));
    assert_false(irr_bell_pays(&bell, brief_ns));
    for (int i = 0; i < 100; i++) {
        irr_bell_note_ring(&bell, 1000000000);
        irr_bell_note_wake(&bell, 1000000000);
    }
    assert_false(irr_bell_pays(&bell, work_ns));
    for (int i = 0; i < 10000; i++) irr_bell_fade(&bell, brief_ns);
    assert_false(irr_bell_pays(&bell, work_ns)); /* nothing that these calls could have had */
    int calls = 0;
    for (; calls < 10000 && !irr_bell_pays(&bell, work_ns); calls++) irr_bell_fade(&bell, work_ns);
    assert_in_range(calls, 100, 2000);
    for (int i = 0; i < 20; i++) {
        irr_bell_note_ring(&bell, IRR_USUAL_RING_NS / 2);
        irr_bell_note_wake(&bell, IRR_USUAL_WAKE_NS / 8);
    }
    assert_true(irr_bell_pays(&bell, brief_ns));
}

static void tiers_have_names(void **state) {
    (void)state;
    for (unsigned i = 0; i < IRR_TIER_COUNT; i++) assert_non_null(irr_tier_name((irr_tier_e)i));
    assert_null(irr_tier_name(IRR_TIER_COUNT));
    assert_true(irr_cpu_best_tier() < IRR_TIER_COUNT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mask_bounds_them),
        cmocka_unit_test(workers_use_all),
        cmocka_unit_test(beliefs_fade),
        cmocka_unit_test(tiers_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
