/* The table: irreduce, a plain read of the same bytes, and the peers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <math.h>
#include <string.h>

/* ---- the contenders; a peer that is loaded has an option of its name ---- */

enum { IRREDUCE, READ, FIRST_PEER, SCALAR_PEERS, MOST_PEERS = 6 };
static const contender_t all[MOST_PEERS] = {
    [IRREDUCE] = {"irreduce", &peer_irreduce, {NULL, NULL}, NULL, NULL},
    [READ] = {"read", &peer_read, {NULL, NULL}, NULL, NULL},
    [FIRST_PEER] = {"onnxruntime", &peer_onnxruntime, {NULL, NULL}, NULL, NULL},
    {"openvino", &peer_openvino, {NULL, NULL}, NULL, NULL},
    {"onednn", &peer_onednn, {NULL, NULL}, NULL, NULL},
    {"loop", &peer_loop, {NULL, NULL}, NULL, NULL},
};
/* --scalar: what a compiler makes of loops without being told more than -O2. */
static const contender_t scalar[SCALAR_PEERS] = {
    [IRREDUCE] = {"irreduce", &peer_irreduce, {"IRREDUCE_ISA", "scalar"}, NULL, NULL},
    [READ] = {"read", &peer_read, {NULL, NULL}, NULL, NULL},
    [FIRST_PEER] = {"loop", &peer_loop_o2, {NULL, NULL}, NULL, NULL},
};
static const contender_t *peers = all;
static size_t peer_count = MOST_PEERS;
static const char *libraries[MOST_PEERS], *versions[MOST_PEERS];

int take_library(const char *option, const char *library) {
    for (size_t i = FIRST_PEER; i < MOST_PEERS; i++)
        if (!strncmp(option, "--", 2) && !strcmp(option + 2, all[i].name) && all[i].peer->version)
            return libraries[i] = library, IRR_OK;
    return wrong_call("%s is no option; irreduce_bench --help lists them", option);
}

/* And asks for the versions of those that are linked. */
int load_libraries(void) {
    irr_version_t about;
    if (settings.scalar) peers = scalar, peer_count = SCALAR_PEERS;
    LIB(irr_get_version(&about));
    versions[IRREDUCE] = take_text("%s", about.buildNumber);
    irr_version_free(&about);
    for (size_t i = FIRST_PEER; i < peer_count; i++) {
        if (!peers[i].peer->version) continue;
        versions[i] = peers[i].peer->version(libraries[i]);
        if (libraries[i] && !versions[i]) return fail(WRONG_CALL, "%s", noted_sentence());
    }
    return IRR_OK;
}

/* ---- a row ---- */

typedef struct {
    double log_sum;
    size_t count;
} mean_t;

static mean_t means[MOST_PEERS];

static void add(mean_t *mean, double ratio) {
    mean->log_sum += log(ratio);
    mean->count++;
}

static void print_json(const case_t *c, const char *kernel, const result_t *results) {
    json("{ problem:s group:s threads:d bytes:d kernel:s verified:b gb_per_s:f median_us:{",
         c->problem, c->group, (int64_t)c->threads, (int64_t)c->data->bytes, kernel,
         !results[IRREDUCE].wrong, (double)c->data->bytes / results[IRREDUCE].median_us / 1e3);
    for (size_t i = 0; i < peer_count; i++)
        if (results[i].ran)
            json("*:f", peers[i].name, results[i].median_us);
        else
            json("*:r", peers[i].name, "null");
    json("} wrong:[");
    for (size_t i = FIRST_PEER; i < peer_count; i++)
        if (results[i].ran && !results[i].near) json(":s", peers[i].name);
    json("] }");
}

static void print_text(const case_t *c, const char *kernel, const result_t *results) {
    double ours = results[IRREDUCE].median_us;
    printf("%-38s %2u %11.3f %7.1f %6.2f", c->problem, c->threads, ours,
           (double)c->data->bytes / ours / 1e3, ours / results[READ].median_us);
    for (size_t i = FIRST_PEER; i < peer_count; i++)
        if (results[i].ran)
            printf(" %10.2f%c", results[i].median_us / ours, results[i].near ? ' ' : '!');
        else
            printf("          - ");
    printf(" %s\n", kernel);
}

static int row(const case_t *c) {
    result_t results[MOST_PEERS];
    measure(c, peers, peer_count, settings.rounds, results);
    if (!results[IRREDUCE].ran) return fail(IRR_GENERAL_ERROR, "%s", noted_sentence());
    if (results[IRREDUCE].wrong) note_wrong(c->problem, "irreduce", results[IRREDUCE].wrong);
    double ours = results[IRREDUCE].median_us;
    add(&means[READ], ours / results[READ].median_us);
    for (size_t i = FIRST_PEER; i < peer_count; i++)
        if (results[i].ran) add(&means[i], results[i].median_us / ours);
    (settings.json ? print_json : print_text)(c, irreduce_kernel(c, &peers[IRREDUCE]), results);
    fflush(stdout);
    return IRR_OK;
}

/* ---- above and below ---- */

static void head(void) {
    if (settings.json) json("versions:{");
    for (size_t i = 0; i < peer_count; i++)
        if (versions[i] && settings.json)
            json("*:s", peers[i].name, versions[i]);
        else if (versions[i])
            printf("%s %s\n", peers[i].name, versions[i]);
    if (settings.json) {
        json("}");
        return;
    }
    printf("%-38s %2s %11s %7s %6s", "problem", "t", "us", "GB/s", "/read");
    for (size_t i = FIRST_PEER; i < peer_count; i++) printf(" %10.10s ", peers[i].name);
    printf(" kernel\n");
}

static void foot(unsigned threads) {
    if (!settings.json && means[READ].count) {
        printf("%-38s %2u %11s %7s %6.2f", "geometric means", threads, "", "",
               exp(means[READ].log_sum / (double)means[READ].count));
        for (size_t i = FIRST_PEER; i < peer_count; i++)
            if (means[i].count)
                printf(" %10.2f ", exp(means[i].log_sum / (double)means[i].count));
            else
                printf("          - ");
        printf("\n");
    }
    memset(means, 0, sizeof means);
}

const bench_mode_t table_mode = {.head = head, .row = row, .foot = foot};
