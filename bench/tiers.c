/* --tiers: each operation and type out of L1, tier by tier.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { SCALAR, AVX2, AVX512, TIERS };
static const contender_t tiers[TIERS] = {
    [SCALAR] = {"scalar", &peer_irreduce, {"IRREDUCE_ISA", "scalar"}, NULL, NULL},
    [AVX2] = {"avx2", &peer_irreduce, {"IRREDUCE_ISA", "avx2"}, NULL, NULL},
    [AVX512] = {"avx512", &peer_irreduce, {"IRREDUCE_ISA", "avx512"}, NULL, NULL},
};

static void head(void) {
    setenv("IRREDUCE_BACKEND", "simd", 1); /* the rows are its kernels */
    if (!settings.json)
        printf("%-14s %11s %8s %8s\n", "out of L1", "scalar us", "avx2 x", "avx512 x");
}

static int row(const case_t *c) {
    result_t results[TIERS];
    measure(c, tiers, TIERS, settings.rounds, results);
    for (size_t i = 0; i < TIERS; i++) {
        if (!results[i].ran) return fail(IRR_GENERAL_ERROR, "%s", noted_sentence());
        if (results[i].wrong) note_wrong(c->problem, tiers[i].name, results[i].wrong);
        if (!results[i].same) note_wrong(c->problem, tiers[i].name, "the bits are not scalar's");
    }
    double scalar = results[SCALAR].median_us, last = scalar / results[AVX512].median_us;
    size_t words = (size_t)(strchr(c->problem, '[') - c->problem);
    if (settings.json) {
        json("{ problem:s", take_text("%.*s", (int)words, c->problem));
        for (size_t i = 0; i < TIERS; i++) json("*:f", tiers[i].name, results[i].median_us);
        json("}");
    } else {
        printf("%-14.*s %11.3f %8.2f %8.2f %s\n", (int)words, c->problem, scalar,
               scalar / results[AVX2].median_us, last, last < 2 ? "below 2" : "");
        fflush(stdout);
    }
    return IRR_OK;
}

static void foot(unsigned threads) { (void)threads; }

const bench_mode_t tiers_mode = {.head = head, .row = row, .foot = foot};
