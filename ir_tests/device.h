/* A way to run a random case on the CPU device through the wall alone, and memory whose ends are
 * watched. SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_DEVICE_H
#define IRR_TESTS_DEVICE_H

#include "random_cases.h"

#include <irreduce/plugin.h>

/* The device of a test program, opened and closed around its tests by these two. */
extern irr_plugin_engine_t *engine;
int device_open(void **state);
int device_close(void **state);

/* How to run it. NULL and 0 leave the device's default. */
typedef struct device_setup {
    const char *backend, *isa, *reproducible, *prefetch, *mode;
    unsigned threads;
    bool dynamic;       /* the graph knows the rank alone */
    unsigned siblings;  /* so many other layers on the same data, before and after it */
    bool run_time_axes; /* axes come as an input */
    bool strided;       /* both tensors lie with gaps, outermost dimension innermost */
    const irr_host_services_t *services;
    uint64_t *exact_fallbacks; /* of the case's own layer, from the profile */
    unsigned repeats;          /* further calls of infer, of the same request */
    unsigned word;             /* MXCSR when infer is called; 0: the default, no flag is up */
} device_setup_t;

/* Runs the case. The sentence is kept in `text`. A call that leaves another MXCSR than it found is
 * an error. */
#define DEVICE_TEXT_BYTES 1024
irr_status_e device_run(irr_plugin_engine_t *engine, const random_case_t *c,
                        const device_setup_t *setup, const void *data, void *output, char *text);
char *device_setup_text(const device_setup_t *setup, char *text);

/* Memory between two pages that may not be touched. */
typedef struct guarded {
    char *pages, *first, *end; /* usable: first to end */
    size_t mapped_bytes;
} guarded_t;

bool guarded_make(guarded_t *g, size_t bytes);
void guarded_release(guarded_t *g);
/* Room for `bytes` that ends `slack` bytes before the last guard, or begins `slack` after the first
 * one; everything around it is filled with a pattern. */
void *guarded_at_end(guarded_t *g, size_t bytes, size_t slack);
void *guarded_at_start(guarded_t *g, size_t bytes, size_t slack);
/* Is the pattern still there on both sides? */
bool guarded_is_whole(const guarded_t *g, const void *room, size_t bytes);

#endif
