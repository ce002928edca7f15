/* What reading costs: the same bytes, on the same number of threads, summed by a loop that does
 * nothing else, in the widest vectors that the CPU has.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define NO_TURN SIZE_MAX /* of a reader that ends */

typedef uint64_t read_bytes_f(const char *data, size_t bytes);
#define ROW(tier) read_bytes_f read_bytes_##tier;
READ_ROWS
#undef ROW

struct reader {
    const session_t *session;
    size_t threads; /* the caller's and those that could be started */
    read_bytes_f *loop;
    pthread_t *workers; /* the caller's is unused */
    _Atomic size_t numbered, turn, done;
    _Atomic uint64_t sum; /* so that no compiler drops the loop */
};

static void read_share(reader_t *reader, size_t index) {
    uint64_t sum = 0;
    for (size_t i = 0; i < reader->session->input_count; i++) {
        const view_t *view = &reader->session->tensors[i];
        size_t blocks = view->bytes / 64 + 1;
        size_t from = blocks * index / reader->threads * 64;
        size_t to = blocks * (index + 1) / reader->threads * 64;
        if (index + 1 == reader->threads) to = view->bytes;
        if (to > from) sum += reader->loop((const char *)view->data + from, to - from);
    }
    atomic_fetch_add(&reader->sum, sum);
}

/* Until *count is there. Busily: a sleep would be measured too. */
static void await(const _Atomic size_t *count, size_t value) {
    for (unsigned spins = 0; atomic_load(count) < value; spins++)
        if (spins > 10000) sched_yield();
}

static void *work(void *argument) {
    reader_t *reader = argument;
    size_t index = 1 + atomic_fetch_add(&reader->numbered, 1);
    for (size_t turn = 1;; turn++) {
        await(&reader->turn, turn);
        if (atomic_load(&reader->turn) == NO_TURN) return NULL;
        read_share(reader, index);
        atomic_fetch_add(&reader->done, 1);
    }
}

/* The widest loop that this CPU runs; IRREDUCE_TIERS names its tiers, the best one last. */
static read_bytes_f *best_loop(const irr_core_t *core) {
    static const struct {
        const char *tier;
        read_bytes_f *loop;
    } rows[] = {
#define ROW(tier) {#tier, read_bytes_##tier},
        READ_ROWS
#undef ROW
    };
    read_bytes_f *best = rows[0].loop;
    char *tiers = NULL;
    if (!irr_core_get_property(core, "CPU", irr_property_key_tiers, &tiers))
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (strstr(tiers, rows[i].tier)) best = rows[i].loop;
    irr_free(tiers);
    return best;
}

reader_t *reader_start(const session_t *session, size_t threads) {
    reader_t *reader = take(sizeof *reader);
    *reader = (reader_t){.session = session, .threads = 1, .loop = best_loop(session->core)};
    reader->workers = take(threads * sizeof *reader->workers);
    while (reader->threads < threads &&
           !pthread_create(&reader->workers[reader->threads], NULL, work, reader))
        reader->threads++;
    return reader;
}

double reader_time_us(reader_t *reader) {
    size_t turn = atomic_load(&reader->turn) + 1;
    double start = now_us();
    atomic_store(&reader->turn, turn);
    read_share(reader, 0);
    await(&reader->done, turn * (reader->threads - 1));
    return now_us() - start;
}

void reader_end(reader_t *reader) {
    atomic_store(&reader->turn, NO_TURN);
    for (size_t i = 1; i < reader->threads; i++) pthread_join(reader->workers[i], NULL);
}
