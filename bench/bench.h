/* What the files of irreduce_bench share: a case, and a peer that can run it.
 * The bench knows irreduce through its public API alone; cases are made and fed by the same files
 * as the command's (tools/). To add a peer, write peer_x.c and add its row in irreduce_bench.c.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_BENCH_BENCH_H
#define IRR_BENCH_BENCH_H

#include "../tools/tool.h"

typedef enum { FOLD_MIN = 0, FOLD_SUM, FOLD_L2, FOLD_COUNT } fold_e;

/* Neighbouring dimensions that are all kept or all reduced; dimensions of 1 are dropped. */
typedef struct {
    size_t size;
    bool reduced;
} run_t;

typedef struct {
    const char *problem; /* "sum f32 [6,12,10,24] axes [2,3]" */
    fold_e fold;
    size_t run_count, outputs, set_size;
    run_t runs[MAX_RANK];
    const view_t *data;
    unsigned threads;
    session_t *session; /* model and input, for irreduce itself */
} case_t;

typedef struct {
    const char *name;
    const struct peer *peer;
    irr_property_t property; /* irreduce alone: key NULL for none */
    const char *plugin;      /* irreduce alone: another build's device library, or NULL */
} contender_t;

typedef struct peer {
    const char *name;
    /* NULL if it cannot run the case; else its state. */
    void *(*open)(const case_t *bench_case, const contender_t *as);
    void (*run)(void *state, void *output);
    void (*close)(void *state);
    bool spins; /* its threads go on spinning: leave them time to stop */
    /* Around each block of runs, not timed; may be NULL. */
    void (*begin)(void *state);
    void (*end)(void *state);
} peer_t;

extern const peer_t peer_irreduce;
extern const peer_t peer_onednn; /* opens nothing in a build without oneDNN */
extern const peer_t peer_loop;
extern const peer_t peer_read; /* a plain read of the data's bytes */

/* peer_irreduce.c: what runs the case, "sum_f32_rows (simd, avx512)". */
char *irreduce_kernel(const case_t *bench_case, const contender_t *as);

/* measure.c: interleaved rounds and their medians. */
enum { MOST_ROUNDS = 99, MOST_CONTENDERS = 8 };
typedef struct {
    bool ran;
    const char *wrong;                       /* irreduce's own answer: why it is wrong, or NULL */
    bool near;                               /* a peer's answer: near the first contender's */
    bool same;                               /* the bits of the first contender's answer */
    size_t rounds;                           /* fewer where one takes long */
    double median_us, times_us[MOST_ROUNDS]; /* by round: those of one round belong together */
} result_t;
double median_of(const double *values, size_t count);
/* The first contender is irreduce itself; results[] has a row for each. */
void measure(const case_t *bench_case, const contender_t *contenders, size_t count, size_t rounds,
             result_t *results);

/* compare.c: the contenders are two builds of irreduce. What changed beyond noise? */
int compare_row(const case_t *bench_case, const char *plugin, size_t rounds, bool always);
void compare_head(void);
void compare_means(void);

/* cases.c */
int case_open(const char *problem, uint64_t seed, session_t *session, irr_tensor_t **weights,
              view_t *data, case_t *made);
char *random_problem(uint64_t *state, const char *fold, const char *type);
extern const char *const default_shapes[]; /* "[6,12,10,24] axes [2,3]", closed by NULL */

/* verify.c: NULL if the output is right, else what is wrong. As far as `elements` data elements go:
 * of a larger tensor, evenly spread outputs are checked. */
const char *verify(const case_t *bench_case, const void *output, size_t elements);
/* A peer's answer need only be near. */
bool is_near(const case_t *bench_case, const void *output, const void *ours);

#endif
