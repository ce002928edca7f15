/* What calling another thread takes, and hearing that it is done: an empty region of the pool,
 * which the public API cannot ask for. The pool's own files are compiled into the bench.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include "kernel/parallel.h"

enum { ROUNDS = MOST_ROUNDS, REGIONS = 100 };

static void nothing(void *argument, size_t index) { (void)argument, (void)index; }

static double regions_us(const irr_executor_t *executor) {
    double start = now_us();
    for (int i = 0; i < REGIONS; i++) irr_parallel_for(executor, executor->threads, nothing, NULL);
    return (now_us() - start) / REGIONS;
}

double empty_region_us(unsigned threads) {
    irr_executor_t executor = {.threads = threads};
    double times[ROUNDS];
    cpu_set_t may;
    sched_getaffinity(0, sizeof may, &may);
    regions_us(&executor); /* unpinned: a pool counts the CPUs that it may use when it starts */
    pin_all(&may, threads);
    for (int i = 0; i < ROUNDS; i++) times[i] = regions_us(&executor);
    unpin_all(&may);
    return median_of(times, ROUNDS);
}
