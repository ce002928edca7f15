/* The device's one thread pool, and the executor through which plans use it or a host's own.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_KERNEL_PARALLEL_H
#define IRR_KERNEL_PARALLEL_H

#include "kernel/trial.h"

#include <irreduce/plugin.h>

/* How an infer may spread: over the host's pool if services is not NULL, else over the device's
 * pool, at most `threads` of it with the caller's own. */
typedef struct irr_executor {
    const irr_host_services_t *services;
    uint32_t threads; /* at least 1 */
    /* What the work takes one thread, more or less; 0: very long. Sleeping threads are called where
     * they would be awake in time, or calls follow each other so closely that they would be for the
     * next ones. */
    uint64_t alone_ns;
    /* What a thread's tasks read is in its own cache, from which another would get it slowly;
     * false: it is in all caches, or in none. */
    bool apart;
    /* All of it on the caller's thread, where no other takes part; NULL: the tasks one by one. */
    void (*alone)(void *argument);
    /* What is left to the caller's thread after all tasks, but not after `alone`; NULL: nothing. */
    void (*last)(void *argument);
    irr_trial_t *trial; /* of this work; NULL: threads pay */
} irr_executor_t;

typedef void (*irr_task_f)(void *argument, size_t index);

/* Runs task(argument, 0 .. count-1), each once, and returns when all are done. Every other thread
 * works in the contract's floating-point environment; the caller has entered it on its own. All is
 * done on the caller's thread where threads is 1, count is 1 or the pool is busy with another
 * request (so a task may call this too). Never fails: a pool that cannot start threads runs with
 * those it has. Takes no lock and allocates nothing once the pool has its threads. */
void irr_parallel_for(const irr_executor_t *executor, size_t count, irr_task_f task,
                      void *argument);
/* Whether the verdict is that this call is sooner alone; if so, it counts as one of those that the
 * verdict holds for, and goes without the pool. */
bool irr_parallel_says_alone(irr_trial_t *trial);
/* Threads that a call with this executor can use at once. */
uint32_t irr_executor_width(const irr_executor_t *executor);

#endif
