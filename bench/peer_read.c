/* The limit: a plain read of the case's data, by the command's own reader.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stdlib.h>

typedef struct {
    const case_t *bench_case;
    unsigned threads;
    reader_t *reader;
} state_t;

/* The case's threads, or those that irreduce is told to use. */
static void *open_state(const case_t *c, const contender_t *as) {
    state_t *state = calloc(1, sizeof *state);
    if (!state) return NULL;
    state->bench_case = c;
    state->threads = as->property.key ? (unsigned)atoi(as->property.value) : c->threads;
    return state;
}

/* Its threads spin, so they live for one block only. */
static void begin(void *opaque) {
    state_t *state = opaque;
    state->reader = reader_start(state->bench_case->session, state->threads);
    reader_time_us(state->reader);
}

static void end(void *opaque) { reader_end(((state_t *)opaque)->reader); }

static bool run(void *opaque, void *output) {
    (void)output;
    reader_time_us(((state_t *)opaque)->reader);
    return true;
}

const peer_t peer_read = {
    .open = open_state, .run = run, .close = free, .begin = begin, .end = end};
