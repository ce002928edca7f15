/* --compare: two builds of the device library in one process, in turns. A row counts as changed
 * where the interval of its median ratio (95 %, by ranks: nothing is assumed of the noise) leaves
 * out 1 by a step, and a second measurement, with the builds' places in memory exchanged, says the
 * same.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP 1.02

typedef struct {
    double ratio, low, high, us, other_us; /* ratio: other's time over this build's */
} finding_t;

typedef struct {
    size_t rows, faster, slower, bits;
    double log_sum;
} total_t;

static total_t total;

/* ours: which of the two is this build. */
static int find(const case_t *c, size_t ours, finding_t *found) {
    contender_t builds[2];
    irr_property_t property = {settings.property, NULL};
    if (property.key) property.value = strchr(property.key, 0) + 1;
    builds[ours] = (contender_t){"this", &peer_irreduce, property, NULL, NULL};
    builds[!ours] = (contender_t){"other", &peer_irreduce, property, settings.compare, NULL};
    result_t results[2];
    double ratios[MOST_ROUNDS];
    measure(c, builds, 2, settings.rounds, results);
    for (size_t i = 0; i < 2; i++) {
        if (!results[i].ran) return fail(IRR_GENERAL_ERROR, "%s", noted_sentence());
        if (results[i].wrong)
            return fail(IRR_GENERAL_ERROR, "%s by %s: %s", c->problem, builds[i].name,
                        results[i].wrong);
    }
    size_t count = results[results[0].rounds > results[1].rounds].rounds;
    for (size_t i = 0; i < count; i++)
        ratios[i] = results[!ours].times_us[i] / results[ours].times_us[i];
    double median = sort_to_median(ratios, count);
    double rank = ((double)count - 1.96 * sqrt((double)count)) / 2;
    size_t low = rank > 0 ? (size_t)rank : 0;
    *found = (finding_t){median, ratios[low], ratios[count - 1 - low], results[ours].median_us,
                         results[!ours].median_us};
    if (!results[1].same) total.bits++, printf("%s: the builds' bits differ\n", c->problem);
    return IRR_OK;
}

/* 1: this build is faster, -1: slower, 0: within noise. */
static int verdict(const finding_t *found) {
    return found->low > STEP ? 1 : found->high < 1 / STEP ? -1 : 0;
}

static int row(const case_t *c) {
    static const char *const words[] = {"SLOWER", "", "faster"};
    finding_t found;
    TRY(find(c, 0, &found));
    int said = verdict(&found);
    if (said) {
        TRY(find(c, 1, &found));
        if (verdict(&found) != said) said = 0;
    }
    total.rows++;
    total.faster += said > 0;
    total.slower += said < 0;
    total.log_sum += log(found.ratio);
    if (said || settings.problems.count)
        printf("%-38s %2u %11.3f %11.3f %8.3f  [%.3f, %.3f] %s\n", c->problem, c->threads, found.us,
               found.other_us, found.ratio, found.low, found.high, words[said + 1]);
    fflush(stdout);
    return IRR_OK;
}

static void head(void) {
    char *path = realpath(settings.compare, NULL); /* a relative path is one beside the library */
    if (path) settings.compare = take_text("%s", path);
    free(path);
    printf("%-38s %2s %11s %11s %8s  %s\n", "problem", "t", "this us", "other us", "ratio",
           "interval");
}

static void foot(unsigned threads) {
    printf("%u threads, %zu rows: %zu faster, %zu slower, the rest within noise; geometric mean "
           "%.3f; bits differ in %zu\n",
           threads, total.rows, total.faster, total.slower,
           total.rows ? exp(total.log_sum / (double)total.rows) : 1, total.bits);
    total = (total_t){0};
}

const bench_mode_t compare_mode = {.head = head, .row = row, .foot = foot};
