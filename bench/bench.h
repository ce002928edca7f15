/* What the files of irreduce_bench share: a case, a peer that can run it, and a mode.
 * The bench knows irreduce through its public API alone, but for region.c; cases are made and fed
 * by the same files as the command's (tools/). To add a peer, write peer_x.c and add its row in
 * table.c. SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_BENCH_BENCH_H
#define IRR_BENCH_BENCH_H

#include "../tools/tool.h"

#include <sched.h>

typedef enum {
    OP_MIN = 0,
    OP_MAX,
    OP_SUM,
    OP_MEAN,
    OP_PROD,
    OP_L1,
    OP_L2,
    OP_AND,
    OP_OR,
    OP_COUNT
} op_e;

/* Neighbouring dimensions that are all kept or all reduced; dimensions of 1 are dropped. */
typedef struct {
    size_t size;
    bool reduced;
} run_t;

typedef struct {
    const char *problem; /* "sum f32 [6,12,10,24] axes [2,3]" */
    const char *group;   /* of shapes: "layer norm" */
    op_e op;
    bool siblings; /* the model has further layers, which most peers here cannot run */
    size_t run_count, outputs, set_size;
    run_t runs[MAX_RANK];
    uint64_t axes; /* a bit a reduced dimension */
    const view_t *data;
    unsigned threads;
    session_t *session; /* model and input, for irreduce itself; its text, for those who read IR */
} case_t;

typedef struct {
    const char *name;
    const struct peer *peer;
    irr_property_t property; /* irreduce, of threads also the read: key NULL for none */
    const char *plugin;      /* irreduce alone: another build's device library, or NULL */
    session_t *session;      /* irreduce alone: another model of the same inputs, or NULL */
} contender_t;

typedef struct peer {
    /* NULL if it cannot run the case; else its state. */
    void *(*open)(const case_t *bench_case, const contender_t *as);
    bool (*run)(void *state, void *output); /* false: it failed */
    void (*close)(void *state);
    bool spins; /* its threads go on spinning: leave them time to stop */
    /* Around each block of runs, not timed; may be NULL. */
    void (*begin)(void *state);
    void (*end)(void *state);
    /* Its version, NULL where there is none or the library cannot be loaded (noted); may be NULL.
     * library: the file to load, of a peer that is not linked. */
    const char *(*version)(const char *library);
} peer_t;

extern const peer_t peer_irreduce;
extern const peer_t peer_onnxruntime; /* these two open nothing until their library was loaded */
extern const peer_t peer_openvino;
extern const peer_t peer_onednn;             /* opens nothing in a build without oneDNN */
extern const peer_t peer_loop, peer_loop_o2; /* the same source */
extern const peer_t peer_read;               /* a plain read of the data's bytes */

/* pairs.c: a row of --pairs; most: what the second may take, times the first, or 0. */
void print_pair(const char *bar, const char *problem, double first_us, double second_us,
                double most);

/* library.c: all of the names, or a sentence that says which is missing. */
typedef struct {
    const char *name;
    void *at; /* where the function's address goes */
} symbol_t;
int library_open(const char *path, const symbol_t *symbols, size_t count);

/* onnx_model.c: the case as an ONNX file in memory; its bytes, or 0 if ONNX has no such model. */
enum { MOST_ONNX_BYTES = 4096 };
size_t onnx_model(const case_t *bench_case, unsigned char bytes[MOST_ONNX_BYTES]);
int onnx_element_type(irr_element_type_e type);

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
/* The first contender is irreduce itself; results[] has a row for each. */
void measure(const case_t *bench_case, const contender_t *contenders, size_t count, size_t rounds,
             result_t *results);
/* For one thread: a peer that sees one CPU starts no threads that might be in the way. */
void stay_on_one_cpu(void);
/* The calling thread to the first CPU of these, all others to those that follow; and all to all. */
void pin_all(const cpu_set_t *may, unsigned threads);
void unpin_all(const cpu_set_t *may);
double median_of(const double *values, size_t count);

/* region.c: its median, on threads that are awake. */
double empty_region_us(unsigned threads);

/* ---- the options, and the modes: what is measured and printed of each case ---- */
typedef struct {
    list_t problems;
    const char *ops, *types, *threads, *cases;
    const char *compare, *property; /* the other device library; of both, or NULL */
    uint64_t seed, random, rounds;
    bool few, scalar, tiers, pairs, neighbour, compile, json;
} settings_t;
extern settings_t settings;

typedef int row_f(const case_t *bench_case); /* measures a case and prints its row */
typedef struct {
    void (*head)(void);
    row_f *row;                     /* for each case of the lists */
    void (*foot)(unsigned threads); /* after the cases of each number of threads */
    int (*all)(void);               /* instead of row and foot, where there are no lists */
} bench_mode_t;
extern const bench_mode_t table_mode, tiers_mode, compare_mode;     /* of lists */
extern const bench_mode_t pairs_mode, neighbour_mode, compile_mode; /* of their own cases */
/* table.c: an option --PEER LIBRARY; all that were given. */
int take_library(const char *option, const char *library);
int load_libraries(void);
/* Says on standard error what is wrong with an answer; the exit code will be 1. */
void note_wrong(const char *problem, const char *name, const char *wrong);

/* cases.c */
typedef struct {
    const char *group, *shape; /* "layer norm", "[128,768] axes [1]" */
} shape_t;
extern const shape_t named_shapes[]; /* closed by NULL */
/* Opens it, gives it to row, closes it. "sum+l2 ...": the case is that of the first operation. */
int with_case(const char *problem, const char *group, unsigned threads, row_f *row);
char *random_shape(uint64_t *state);

/* verify.c: NULL if the output is right, else what is wrong. As far as `elements` data elements go:
 * of a larger tensor, evenly spread outputs are checked. */
const char *verify(const case_t *bench_case, const void *output, size_t elements);
/* A peer's answer need only be near. */
bool is_near(const case_t *bench_case, const void *output, const void *ours);

#endif
