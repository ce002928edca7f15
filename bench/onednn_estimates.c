/* Prints the table of src/plan/backend_onednn.c: what oneDNN's implementations cost on this
 * machine. Each is asked for in a process of its own (the cap on its instruction set is read once),
 * timed on rows in cache, one thread, and fitted: time = call + outputs * output + elements *
 * element. SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    const char *mark, *cap; /* cap: ONEDNN_MAX_CPU_ISA */
    unsigned lanes;
    op_e op;
    irr_element_type_e type;
} question_t;

static const question_t questions[] = {
    {"ref", "ALL", 1, OP_L2, IRR_F32},      {"avx512", "ALL", 16, OP_MIN, IRR_I8},
    {"avx512", "ALL", 16, OP_SUM, IRR_F32}, {"avx", "AVX2", 8, OP_MIN, IRR_I8},
    {"avx", "AVX2", 8, OP_SUM, IRR_F32},    {"sse", "SSE41", 4, OP_MIN, IRR_I8},
    {"sse", "SSE41", 4, OP_SUM, IRR_F32},
};

enum { ROUNDS = 9, MOST_BYTES = 256 << 10, POINTS = 64 };

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Microseconds of one run; below zero if oneDNN cannot. */
static double time_rows(const question_t *question, size_t rows, size_t set) {
    static _Alignas(64) char data[MOST_BYTES], output[MOST_BYTES];
    view_t view = {.type = question->type, .data = data};
    case_t c = {.op = question->op,
                .run_count = 2,
                .outputs = rows,
                .set_size = set,
                .runs = {{rows, false}, {set, true}},
                .data = &view,
                .threads = 1};
    void *state = peer_onednn.open(&c, NULL);
    if (!state) return -1;
    double times[ROUNDS];
    size_t repeats = 1 + 200000 / (rows * set);
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_us();
        for (size_t i = 0; i < repeats; i++) peer_onednn.run(state, output);
        times[round] = (now_us() - start) / (double)repeats;
    }
    peer_onednn.close(state);
    qsort(times, ROUNDS, sizeof *times, ascending);
    return times[ROUNDS / 4]; /* the quiet rounds */
}

/* Least squares of the relative error: three normal equations by elimination. */
static void fit(double points[][4], size_t count, double cost[3]) {
    double m[3][4] = {{0}};
    for (size_t p = 0; p < count; p++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 4; k++)
                m[i][k] += points[p][i] * points[p][k] / (points[p][3] * points[p][3]);
    for (int i = 0; i < 3; i++)
        for (int r = 0; r < 3; r++)
            if (r != i) {
                double factor = m[r][i] / m[i][i];
                for (int k = i; k < 4; k++) m[r][k] -= factor * m[i][k];
            }
    for (int i = 0; i < 3; i++) cost[i] = m[i][3] / m[i][i];
}

static int answer(const question_t *question) {
    static const size_t sets[] = {8, 32, 100, 256, 1000, 2048, 8192}, rows[] = {1, 4, 16, 64, 256};
    double points[POINTS][4], cost[3], worst = 1;
    size_t count = 0;
    setenv("ONEDNN_MAX_CPU_ISA", question->cap, 1);
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            if (rows[r] * sets[s] * type_of(question->type)->bytes > MOST_BYTES) continue;
            double us = time_rows(question, rows[r], sets[s]);
            if (us < 0) return 1;
            double point[4] = {1, (double)rows[r], (double)(rows[r] * sets[s]), us};
            memcpy(points[count++], point, sizeof point);
        }
    fit(points, count, cost);
    for (size_t p = 0; p < count; p++) {
        double guess = cost[0] + cost[1] * points[p][1] + cost[2] * points[p][2];
        double off = guess > points[p][3] ? guess / points[p][3] : points[p][3] / guess;
        if (off > worst) worst = off;
    }
    printf("    {\"%s\", %s, %u, %.3f, %.5f, %.7f}, /* %s, worst guess off by %.2fx */\n",
           question->mark, type_of(question->type)->bytes == 1 ? "true" : "false", question->lanes,
           cost[0], cost[1], cost[2], irr_get_element_type_name(question->type), worst);
    return 0;
}

int main(void) {
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            int status = answer(&questions[i]);
            fflush(stdout);
            _exit(status);
        }
        int status = 1;
        waitpid(child, &status, 0);
        if (status) printf("    (%s: oneDNN has none)\n", questions[i].mark);
    }
    return 0;
}
