/* --pairs: irreduce one way against irreduce another way, with the limit that the second may take.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <string.h>

typedef struct {
    const char *bar;
    irr_property_t first, second;
    unsigned threads;
    bool ordinary; /* data as they come, not the seed's, whose sums are often halfway */
    struct {
        const char *problem;
        double most; /* second's time over first's */
    } rows[20];      /* closed by NULL */
} pair_t;

static const pair_t pairs[] = {
    {"2 threads / 1",
     {"INFERENCE_NUM_THREADS", "1"},
     {"INFERENCE_NUM_THREADS", "2"},
     2,
     false,
     {{"sum f32 [4,1024] axes [1]", 1.03},
      {"sum f32 [8,1024] axes [1]", 1.03},
      {"sum f32 [16,1024] axes [1]", 1.03},
      {"sum f32 [32,1024] axes [1]", 1.03},
      {"sum f32 [64,1024] axes [1]", 1.03},
      {"sum f32 [128,1024] axes [1]", 1.03},
      {"sum f32 [256,1024] axes [1]", 1 / 1.6},
      {"sum f32 [512,1024] axes [1]", 1.03},
      {"sum f32 [1024,1024] axes [1]", 1.03},
      {"sum f32 [2048,1024] axes [1]", 1.03},
      {"sum f32 [4096,1024] axes [1]", 1 / 1.85},
      {"sum f32 [8192,1024] axes [1]", 1 / 1.85},
      {"sum f32 [65536,1024] axes [1]", 1 / 1.85},
      {"l2 f32 [1024,1024] axes [0]", 1.03},
      {"l2 f32 [1024,1024] axes [0,1]", 1.03},
      {"sum f32 [16,128,14,14] axes [0,2,3]", 1.03},
      {"min f32 [32,64,28,28] axes [0,2,3]", 1.03},
      {"sum f32 [333,777] axes [0]", 1.03},
      {"mean f16 [64,300,64] axes [0,2]", 1.03}}},
    {"AVX2 / AVX-512",
     {"IRREDUCE_ISA", "avx512"},
     {"IRREDUCE_ISA", "avx2"},
     1,
     false,
     {{"sum f32 [128,1024] axes [1]", 1 / 0.75},
      {"sum f32 [1024,128] axes [0]", 1 / 0.75},
      {"sum f32 [2048,1024] axes [1]", 1 / 0.9},
      {"sum f32 [16384,1024] axes [1]", 1 / 0.9},
      {"min f32 [2048,1024] axes [1]", 1 / 0.9},
      {"l2 f32 [2048,1024] axes [1]", 1 / 0.9},
      {"sum i32 [2048,1024] axes [1]", 1 / 0.9},
      {"sum f64 [1024,1024] axes [1]", 1 / 0.9},
      {"sum f16 [4096,1024] axes [1]", 1 / 0.9},
      {"sum bf16 [4096,1024] axes [1]", 1 / 0.9},
      {"sum i8 [8192,1024] axes [1]", 1 / 0.9}}},
    {"accuracy / performance",
     {"EXECUTION_MODE_HINT", "PERFORMANCE"},
     {"EXECUTION_MODE_HINT", "ACCURACY"},
     1,
     true,
     {{"sum f32 [128,1024] axes [1]", 4.5},
      {"sum f32 [2048,1024] axes [1]", 1.2},
      {"sum f32 [16384,1024] axes [1]", 1.2},
      {"l2 f32 [16384,1024] axes [1]", 1.2},
      {"sum f64 [64,1024] axes [1]", 4.5},
      {"sum f64 [1024,1024] axes [1]", 1.3},
      {"sum f64 [8192,1024] axes [1]", 1.3},
      {"sum bf16 [256,1024] axes [1]", 5.5},
      {"sum bf16 [4096,1024] axes [1]", 1.9},
      {"sum bf16 [32768,1024] axes [1]", 1.9},
      {"sum f16 [256,1024] axes [1]", 4.5},
      {"sum f16 [4096,1024] axes [1]", 1.9},
      {"sum f16 [32768,1024] axes [1]", 1.9},
      {"sum f32 [4096,1024] axes [0]", 1.2},
      {"sum f32 [16384,1024] axes [0]", 1.2},
      {"sum f64 [8192,1024] axes [0]", 1.3},
      {"sum f16 [4096,1024] axes [0]", 1.9},
      {"sum bf16 [16384,2048] axes [0]", 1.9}}},
};

/* From here on two threads are as fast as memory lets them: what it does is printed beside. */
enum { BYTES_OF_MEMORY = 16 << 20 };

static const pair_t *pair; /* the one that goes on, and its row's limit */
static double most;

void print_pair(const char *bar, const char *problem, double first_us, double second_us,
                double limit) {
    double ratio = second_us / first_us;
    if (settings.json) {
        json("{ bar:s problem:s first_us:f second_us:f most:f }", bar, problem, first_us, second_us,
             limit);
        return;
    }
    printf("%-26s %-38s %11.3f %11.3f %6.2f", bar, problem, first_us, second_us, ratio);
    if (limit > 0) printf(" %6.2f %s", limit, ratio > limit ? "above" : "");
    printf("\n");
    fflush(stdout);
}

static int measure_pair(const case_t *c, const char *bar, const contender_t ways[2], double limit) {
    result_t results[2];
    measure(c, ways, 2, settings.rounds, results);
    for (size_t i = 0; i < 2; i++) {
        if (!results[i].ran) return fail(IRR_GENERAL_ERROR, "%s", noted_sentence());
        if (results[i].wrong) note_wrong(c->problem, c->group, results[i].wrong);
    }
    print_pair(bar, c->problem, results[0].median_us, results[1].median_us, limit);
    return IRR_OK;
}

static double draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Bell-shaped around 0, with every bit of the mantissa in use, each rounded to the type. */
static void fill_ordinary(const view_t *data) {
    uint64_t state = settings.seed;
    for (size_t i = 0; i < data->count; i++) {
        double x = draw(&state) + draw(&state) + draw(&state) - 1.5;
        store_float(type_of(data->type), data->data, i, x * (draw(&state) + 0.5));
    }
}

static int row(const case_t *c) {
    if (pair->ordinary) fill_ordinary(c->data);
    contender_t ways[2] = {{"first", &peer_irreduce, pair->first, NULL, NULL},
                           {"second", &peer_irreduce, pair->second, NULL, NULL}};
    TRY(measure_pair(c, pair->bar, ways, most));
    if (pair->threads == 1 || c->data->bytes < BYTES_OF_MEMORY) return IRR_OK;
    ways[0].peer = ways[1].peer = &peer_read;
    return measure_pair(c, "the same of a plain read", ways, 0);
}

/* ---- siblings: the first operation alone, and all of the problem's, of the same memory ---- */

static const char *const sibling_problems[] = {
    "sum+l2 f32 [4096,4096] axes [1]",
    "sum+l2 f32 [4096,4096] axes [0]",
    "min+max f32 [4096,4096] axes [1]",
    "mean+l2 f32 [64,512,1024] axes [0,2]",
    "sum+l2 f16 [4096,8192] axes [1]",
    "min+max i8 [8192,8192] axes [0]",
    "sum+l1+l2+min+max f32 [4096,4096] axes [1]",
};

static int sibling_row(const case_t *c) {
    static options_t options;
    session_t alone = {.options = &options, .made = true};
    size_t word = strcspn(c->problem, "+"), rest = strcspn(c->problem, " ");
    const char *first = take_text("%.*s%s", (int)word, c->problem, c->problem + rest);
    int status = problem_open(first, &alone);
    if (!status) {
        const contender_t ways[2] = {{"alone", &peer_irreduce, {NULL, NULL}, NULL, &alone},
                                     {"siblings", &peer_irreduce, {NULL, NULL}, NULL, NULL}};
        alone.tensors[0] = c->session->tensors[0];
        status = measure_pair(c, c->group, ways, most);
        alone.tensors[0].tensor = NULL;
    }
    session_close(&alone);
    return status;
}

/* ---- all ---- */

static void head(void) {
    if (!settings.json)
        printf("%-26s %-38s %11s %11s %6s %6s\n", "bar", "problem", "first us", "second us",
               "ratio", "most");
}

static int all(void) {
    for (pair = pairs; pair < pairs + sizeof pairs / sizeof *pairs; pair++)
        for (size_t i = 0; pair->rows[i].problem; i++) {
            most = pair->rows[i].most;
            TRY(with_case(pair->rows[i].problem, pair->bar, pair->threads, row));
        }
    most = 1.15;
    for (size_t i = 0; i < sizeof sibling_problems / sizeof *sibling_problems; i++)
        TRY(with_case(sibling_problems[i], "siblings / one", 1, sibling_row));
    return IRR_OK;
}

const bench_mode_t pairs_mode = {.head = head, .all = all};
