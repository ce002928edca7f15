/* The device's one thread pool, and the way to a host's own.
 * Lives here: threads, the gate they meet at, the bell that wakes them. May not: anything that
 * knows what a task computes; the shares that they draw work from (shares.c).
 *
 * A region is open or closed. A worker that sees it open steps in (one compare-and-swap on the
 * gate), draws indices until there are none and steps out. The caller works too, then closes the
 * gate and waits only for the workers that are inside: one that sleeps, or wakes late, is never
 * waited for. Workers are all alike and own nothing, so an empty pool is a few numbers, and a
 * forked child starts with exactly those. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/parallel.h"

#include "base/fp_env.h"
#include "base/signals.h"
#include "kernel/available_cpus.h"
#include "kernel/bell.h"
#include "kernel/patience.h"
#include "kernel/shares.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The gate: how many workers are inside, is it open, does the caller sleep until the last one is
 * out, and the region's number (a worker enters a region once; when the number wraps around, the
 * worst is a worker that sits one region out). */
#define GATE_INSIDE 0xfffu
#define GATE_OPEN 0x1000u
#define GATE_AWAITED 0x2000u
#define GATE_NUMBER 0x4000u
#define GATE_NUMBERS (~(GATE_NUMBER - 1))

enum { SPIN_NS = 30000, SPIN_CROWDED_NS = 2000 };

enum { RINGS_IN_A_ROW = 3, GROW_AGAIN_NS = 1000000000 };

static struct {
    _Alignas(IRR_LINE) atomic_uint gate;
    atomic_uint limit;                     /* workers that may be inside */
    irr_sharing_t sharing;                 /* read by those inside alone */
    _Alignas(IRR_LINE) atomic_flag in_use; /* a caller has the pool */
    atomic_uint asked;                     /* the largest number of workers asked for */
    uint32_t started;                      /* those that could be started */
    int64_t grow_again_ns;                 /* not before, where some could not */
    atomic_uint quota;                     /* of CPUs, when workers were started */
    uint32_t rung_for;                     /* workers, the last time */
    int64_t row_ns, row_end_ns;            /* work that nobody helped with, call upon call */
    _Alignas(IRR_LINE) atomic_uint rings;  /* what sleepers wait on */
    atomic_uint sleepers;
    atomic_uint spin_ns;            /* a worker's patience before it sleeps */
    atomic_int caller_cpu;          /* when workers were started or rung for */
    atomic_int_fast64_t rung_at_ns; /* until a worker is awake, else 0 */
    irr_bell_t bell;                /* what ringing takes */
} pool = {.bell = {.ring_ns = IRR_USUAL_RING_NS, .wake_ns = IRR_USUAL_WAKE_NS}};

/* Of its regions, one at a time. */
static irr_share_t shares[IRR_MOST_WORKERS + 1];

static void futex_wait(atomic_uint *word, unsigned expected) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

/* Has one been woken? */
static bool futex_wake(atomic_uint *word, unsigned count) {
    return syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0) > 0;
}

/* ---- workers ---- */

/* Is a region open that this worker has not been in? */
static bool invites(unsigned gate, unsigned last_number) {
    return (gate & GATE_OPEN) && (gate & GATE_NUMBERS) != last_number &&
           (gate & GATE_INSIDE) < atomic_load_explicit(&pool.limit, memory_order_relaxed);
}

/* A scheduler may wake a worker where its caller is, which then waits until the worker sleeps. */
static void step_aside(const irr_cpus_t *all, size_t cpu) {
    irr_cpus_t others = *all;
    CPU_CLR_S(cpu, sizeof others.sets, others.sets);
    if (irr_count_cpus(&others) == 0) return;
    sched_setaffinity(0, sizeof others.sets, others.sets);
    sched_setaffinity(0, sizeof all->sets, all->sets);
}

/* Before a worker works, and after it slept: off the caller's CPU; and whoever spins while threads
 * have to share CPUs takes time from the others. Hosts may move any of them at any time. */
static void settle(void) {
    int caller = atomic_load_explicit(&pool.caller_cpu, memory_order_relaxed);
    irr_cpus_t cpus = irr_cpus_of_thread(0);
    if (caller >= 0) {
        if (sched_getcpu() == caller) step_aside(&cpus, (size_t)caller);
        CPU_SET_S((size_t)caller, sizeof cpus.sets, cpus.sets);
    }
    uint32_t count = irr_count_cpus(&cpus), threads = atomic_load(&pool.asked) + 1;
    bool crowded = threads > count || threads > atomic_load(&pool.quota);
    atomic_store_explicit(&pool.spin_ns, crowded ? SPIN_CROWDED_NS : SPIN_NS, memory_order_relaxed);
}

/* Sleeps until the bell rings, if no region invites. */
static void sleep_well(unsigned last_number) {
    /* Either the caller sees this sleeper after it opened the gate, or we see the gate open. */
    unsigned rings = atomic_load(&pool.rings);
    atomic_fetch_add(&pool.sleepers, 1);
    bool sleeps = !invites(atomic_load(&pool.gate), last_number);
    if (sleeps) {
        futex_wait(&pool.rings, rings);
        settle();
    }
    int64_t rung = atomic_exchange(&pool.rung_at_ns, 0);
    if (sleeps && rung) irr_bell_note_wake(&pool.bell, irr_now_ns() - rung);
    atomic_fetch_sub(&pool.sleepers, 1);
}

/* Spins, then sleeps, until a region invites; returns the gate as it then stood. */
static unsigned await_region(unsigned last_number) {
    unsigned gate, spin_ns = atomic_load_explicit(&pool.spin_ns, memory_order_relaxed);
    irr_patience_t patience = {0};
    while (!invites(gate = atomic_load_explicit(&pool.gate, memory_order_acquire), last_number)) {
        if (irr_spin(&patience, spin_ns)) continue;
        sleep_well(last_number);
        spin_ns = atomic_load_explicit(&pool.spin_ns, memory_order_relaxed);
        patience = (irr_patience_t){0};
    }
    return gate;
}

static void *worker(void *number) {
    uint32_t own = (uint32_t)(uintptr_t)number; /* from 1: the caller has seat 0 */
    irr_fp_enter();
    settle();
    for (unsigned last_number = 0;;) {
        unsigned gate = await_region(last_number);
        if (!atomic_compare_exchange_strong_explicit(&pool.gate, &gate, gate + 1,
                                                     memory_order_acquire, memory_order_relaxed))
            continue;
        last_number = gate & GATE_NUMBERS;
        irr_shares_draw(pool.sharing, own);
        gate = atomic_fetch_sub_explicit(&pool.gate, 1, memory_order_release);
        if ((gate & GATE_AWAITED) && (gate & GATE_INSIDE) == 1) futex_wake(&pool.gate, 1);
    }
    return NULL;
}

/* ---- the caller ---- */

/* In a forked child no worker lives. The numbers go on, though they need not. */
static void forget_workers(void) {
    atomic_store(&pool.gate, atomic_load(&pool.gate) & GATE_NUMBERS);
    atomic_store(&pool.sleepers, 0);
    atomic_store(&pool.rung_at_ns, 0);
    pool.asked = pool.started = 0;
    atomic_flag_clear(&pool.in_use);
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_workers); }

/* Starts what is missing. After a failure the pool lives with what it has, for a while: a call must
 * not repeat a failing system call each time. */
static void grow(uint32_t workers) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (workers <= pool.asked && irr_now_ns() < pool.grow_again_ns) return;
    pthread_once(&once, watch_forks);
    if (pool.asked < workers) pool.asked = workers;
    atomic_store(&pool.quota, irr_quota_cpus());
    atomic_store(&pool.caller_cpu, sched_getcpu());
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    irr_cpus_t cpus = irr_cpus_of_workers();
    if (irr_count_cpus(&cpus))
        pthread_attr_setaffinity_np(&attributes, sizeof cpus.sets, cpus.sets);
    sigset_t found;
    irr_signals_of_host(&found);
    pthread_t thread;
    while (pool.started < pool.asked &&
           pthread_create(&thread, &attributes, worker, (void *)(uintptr_t)(pool.started + 1)) ==
               0) {
        pthread_setname_np(thread, "irreduce");
        pool.started++;
    }
    pthread_sigmask(SIG_SETMASK, &found, NULL);
    pthread_attr_destroy(&attributes);
    pool.grow_again_ns = irr_now_ns() + GROW_AGAIN_NS;
}

/* Has the bell been rung, and nobody come yet? */
static bool is_one_coming(int64_t now) {
    int64_t rung = atomic_load(&pool.rung_at_ns);
    return rung && now - rung < IRR_MOST_WAKE_NS;
}

/* Where calls follow each other, nobody knows how long. If no more came, the bell would have been
 * rung in vain, for a part of what they took. */
static bool is_in_long_row(int64_t now) {
    unsigned spin_ns = atomic_load(&pool.spin_ns);
    if (now - pool.row_end_ns > (spin_ns ? spin_ns : SPIN_NS)) pool.row_ns = 0;
    return pool.row_ns > RINGS_IN_A_ROW * pool.bell.ring_ns && !is_one_coming(now);
}

static void ring(uint32_t workers) {
    int64_t began = irr_now_ns();
    if (is_one_coming(began) && workers <= pool.rung_for) return;
    pool.rung_for = workers;
    atomic_store_explicit(&pool.caller_cpu, sched_getcpu(), memory_order_relaxed);
    atomic_store(&pool.rung_at_ns, began);
    atomic_fetch_add(&pool.rings, 1);
    if (futex_wake(&pool.rings, workers)) irr_bell_note_ring(&pool.bell, irr_now_ns() - began);
}

static void open_gate(bool bell) {
    uint32_t workers = pool.sharing.seats - 1;
    atomic_store_explicit(&pool.limit, workers, memory_order_relaxed);
    unsigned gate = atomic_load_explicit(&pool.gate, memory_order_relaxed);
    atomic_store(&pool.gate, ((gate & GATE_NUMBERS) + GATE_NUMBER) | GATE_OPEN);
    uint32_t sleepers = atomic_load(&pool.sleepers);
    if (sleepers == 0) return;
    uint32_t awake = pool.started > sleepers ? pool.started - sleepers : 0;
    if (awake < workers && (bell || !awake)) ring(workers - awake);
}

static void close_gate(void) {
    unsigned gate = atomic_fetch_and_explicit(&pool.gate, ~GATE_OPEN, memory_order_acquire);
    unsigned spin_ns = atomic_load_explicit(&pool.spin_ns, memory_order_relaxed);
    irr_patience_t patience = {0};
    gate &= ~GATE_OPEN;
    while (gate & GATE_INSIDE) {
        if (!irr_spin(&patience, spin_ns)) {
            unsigned awaited = gate | GATE_AWAITED;
            if (awaited == gate || atomic_compare_exchange_strong(&pool.gate, &gate, awaited))
                futex_wait(&pool.gate, awaited);
        }
        gate = atomic_load_explicit(&pool.gate, memory_order_acquire);
    }
}

/* ---- a host's pool ---- */

/* Shares of a region on its caller's stack; more threads have some of them together. Which of the
 * host's threads runs a lane is not known, so a share is nobody's cache: there is no waiting. */
enum { MOST_HOSTED_SHARES = 64 };

/* One for each thread that may work at once, so that the host's pool cannot spread any wider. */
static void run_hosted(void *sharing, size_t lane) {
    irr_fp_env_t found = irr_fp_enter();
    irr_shares_draw(*(const irr_sharing_t *)sharing, (uint32_t)lane);
    irr_fp_leave(found);
}

/* Not inline: its stack is for a host's regions alone. */
__attribute__((noinline)) static void work_hosted(const irr_executor_t *executor, size_t count,
                                                  irr_task_f task, void *argument, uint32_t width) {
    irr_share_t hosted_shares[MOST_HOSTED_SHARES];
    uint32_t seats = width < MOST_HOSTED_SHARES ? width : MOST_HOSTED_SHARES;
    irr_sharing_t sharing = {task, argument, hosted_shares, seats, .apart = false};
    irr_shares_deal(&sharing, count);
    executor->services->parallel_for(executor->services->context, width, run_hosted, &sharing);
}

/* ---- entry ---- */

uint32_t irr_executor_width(const irr_executor_t *executor) {
    const irr_host_services_t *services = executor->services;
    uint32_t most = services ? services->thread_count : IRR_MOST_WORKERS + 1;
    if (executor->threads < most) most = executor->threads;
    return most ? most : 1;
}

static void end_work(const irr_executor_t *executor, void *argument) {
    if (executor->last) executor->last(argument);
}

static void work_alone(const irr_executor_t *executor, size_t count, irr_task_f task,
                       void *argument) {
    if (executor->alone) {
        executor->alone(argument);
        return;
    }
    for (size_t index = 0; index < count; index++) task(argument, index);
    end_work(executor, argument);
}

/* ---- one thread or several ---- */

bool irr_parallel_says_alone(irr_trial_t *trial) {
    if (atomic_flag_test_and_set_explicit(&pool.in_use, memory_order_acquire)) return false;
    bool alone = irr_trial_takes_alone(trial);
    atomic_flag_clear_explicit(&pool.in_use, memory_order_release);
    return alone;
}

/* The caller has the pool. Clocks are read where no worker is awake, the others take too little. */
static void work_together(const irr_executor_t *executor, size_t count, irr_task_f task,
                          void *argument, uint32_t workers) {
    bool awake = pool.asked >= workers && atomic_load(&pool.sleepers) < pool.started;
    bool bell = irr_bell_pays(&pool.bell, executor->alone_ns);
    irr_way_e way = irr_trial_way(executor->trial);
    bool timed = irr_trial_is_on(executor->trial, way) || (way == IRR_WAY_TOGETHER && !awake);
    int64_t began_ns = timed ? irr_now_ns() : 0;
    if (way == IRR_WAY_TOGETHER && (awake || bell || is_in_long_row(began_ns))) {
        if (workers > pool.started) grow(workers);
        pool.sharing =
            (irr_sharing_t){task, argument, shares, workers + 1, .apart = executor->apart};
        irr_shares_deal(&pool.sharing, count);
        open_gate(bell);
        irr_shares_draw(pool.sharing, 0);
        close_gate();
        end_work(executor, argument); /* takes its part of a trial's time */
    } else {
        work_alone(executor, count, task, argument);
    }
    if (!timed) return;
    int64_t end_ns = irr_now_ns();
    if (awake || way == IRR_WAY_ALONE) {
        irr_trial_note(executor->trial, way, end_ns - began_ns);
    } else {
        if (!bell) irr_bell_fade(&pool.bell, executor->alone_ns);
        pool.row_ns += end_ns - began_ns;
        pool.row_end_ns = end_ns;
    }
}

void irr_parallel_for(const irr_executor_t *executor, size_t count, irr_task_f task,
                      void *argument) {
    uint32_t width = irr_executor_width(executor);
    if (count < width) width = (uint32_t)count;
    if (width > 1 && executor->services) {
        work_hosted(executor, count, task, argument, width);
        end_work(executor, argument);
    } else if (width > 1 &&
               !atomic_flag_test_and_set_explicit(&pool.in_use, memory_order_acquire)) {
        work_together(executor, count, task, argument, width - 1);
        atomic_flag_clear_explicit(&pool.in_use, memory_order_release);
    } else {
        work_alone(executor, count, task, argument);
    }
}
