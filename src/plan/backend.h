/* The one interface of a backend: offer, prepare, execute, release. The planner holds a table of
 * them; to add a backend, write backend_x.c and add its row there.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_BACKEND_H
#define IRR_PLAN_BACKEND_H

#include "kernel/cpu.h"
#include "kernel/parallel.h"
#include "plan/problem.h"

#include <stdio.h>

typedef enum {
    IRR_BACKEND_SIMD = 0,
    IRR_BACKEND_ONEDNN,
    IRR_BACKEND_REFERENCE,
    IRR_BACKEND_COUNT
} irr_backend_e;
#define IRR_BACKEND_AUTO UINT32_MAX

/* What the properties of a compiled model say; a number each, 0 or 1 for a flag. */
#define IRR_STREAMS_AUTO UINT32_MAX
typedef struct irr_config {
    uint32_t backend;       /* IRREDUCE_BACKEND, an irr_backend_e */
    uint32_t tier;          /* IRREDUCE_ISA, an irr_tier_e, capped to the CPU's best */
    uint32_t reproducible;  /* IRREDUCE_REPRODUCIBLE */
    uint32_t accuracy;      /* EXECUTION_MODE_HINT=ACCURACY */
    uint32_t prefetch;      /* IRREDUCE_PREFETCH */
    uint32_t profile;       /* PERF_COUNT */
    uint32_t threads;       /* INFERENCE_NUM_THREADS, at least 1 */
    uint32_t streams, hint; /* NUM_STREAMS and PERFORMANCE_HINT, kept to be read back */
    bool beside;            /* no property: what is asked about runs in one pass with others */
} irr_config_t;

/* A backend's answer to "would you run this?". Forced is told by config->backend: a backend then
 * serves whatever it can run at all. The asker zeroes it. */
typedef struct irr_offer {
    bool
        wordless; /* the asker wants neither kernel nor reason, which take longer than the choice */
    double beaten_by_us; /* unless 0: what cannot be sooner need not look closer */
    bool serves;
    double estimate_us; /* one thread, data in cache; where it serves */
    irr_tier_e tier;    /* of what would run, among the words */
    char kernel[64];    /* what would run: "sum_f32_rows", "jit:avx512"; where it serves */
    char reason[192];   /* one clause: why it serves, or why it declines */
} irr_offer_t;

/* Words go into an offer through this. */
#define IRR_OFFER_SAY(offer, member, ...)                                                          \
    ((offer)->wordless ? 0 : snprintf((offer)->member, sizeof(offer)->member, __VA_ARGS__))

/* What an execution tells the profile. */
typedef struct irr_execution_stats {
    uint32_t threads;         /* used at once */
    uint64_t exact_fallbacks; /* outputs redone in wider arithmetic */
} irr_execution_stats_t;

/* One of the results that an execution yields from its data. */
typedef struct irr_yield {
    const void *state;
    void *output;
    irr_execution_stats_t stats; /* of one thread, unless the backend says more */
} irr_yield_t;

/* Problems on the same data over the same axes that are executed together, at most. */
#define IRR_MOST_SIBLINGS 16u

typedef struct irr_backend {
    const char *name; /* "simd", "onednn", "reference" */
    void (*offer)(const irr_problem_t *problem, const irr_config_t *config, irr_offer_t *offer);
    /* Makes what execute needs. *state is the backend's own and read-only from then on: requests
     * on many threads share it. *scratch_bytes is what each request must bring, aligned. */
    irr_status_e (*prepare)(const irr_problem_t *problem, const irr_config_t *config, void **state,
                            size_t *scratch_bytes, irr_sentence_t sentence);
    /* NULL for a backend that executes one problem at a time. Could both be executed together, with
     * the bits of each alone and sooner? Both problems reduce the same data over the same axes. */
    bool (*joins)(const void *first, const void *other);
    /* States that join the first of them, at most IRR_MOST_SIBLINGS, are from now on executed
     * together, in this order; *scratch_bytes is for all. */
    void (*join)(void *const *states, uint32_t count, size_t *scratch_bytes);
    /* One state, or all that were joined. The caller has entered the contract's floating-point
     * environment on its thread. */
    irr_status_e (*execute)(irr_yield_t *yields, uint32_t count, const void *data, void *scratch,
                            const irr_executor_t *executor, irr_sentence_t sentence);
    /* NULL for a backend without a short way for what one thread does. Enters the floating-point
     * environment by itself, if it has to. False: execute must do it. */
    bool (*at_once)(const void *state, const void *data, void *output, void *scratch,
                    const irr_host_services_t *services);
    void (*release)(void *state);
} irr_backend_t;

extern const irr_backend_t irr_backend_simd;
extern const irr_backend_t irr_backend_onednn; /* declines everything in a build without oneDNN */
extern const irr_backend_t irr_backend_reference;

/* ---- planner.c: who runs a reduction; asks every backend and picks ---- */

/* What the backends said, and which was taken. */
typedef struct irr_choice {
    irr_offer_t offers[IRR_BACKEND_COUNT];
    irr_backend_e backend;
} irr_choice_t;

const irr_backend_t *irr_backend_row(irr_backend_e backend);

/* Steps without arithmetic: the identity, or the op's result for empty sets. It makes no offer, and
 * takes problems whose data has no elements. */
extern const irr_backend_t irr_backend_idle;

/* Asks all, for their words too or for the choice alone; auto takes the fastest that serves, and
 * the reference only where no other does. Fails when the forced backend declines. */
irr_status_e irr_planner_choose(const irr_problem_t *problem, const irr_config_t *config,
                                bool words, irr_choice_t *choice, irr_sentence_t sentence);
/* Who runs the problem, be it without arithmetic; NULL: it has no outputs. */
irr_status_e irr_planner_pick(const irr_problem_t *problem, irr_empty_axes_e empty_axes,
                              const irr_config_t *config, const irr_backend_t **backend,
                              irr_sentence_t sentence);

#endif
