/* irreduce_bench: problem strings -> the answer is verified -> interleaved timing -> a table.
 * Lives here: the options, the lists of contenders, the printing. ONNX Runtime and OpenVINO will be
 * two more rows among the contenders.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const contender_t peers[] = {
    {"irreduce", &peer_irreduce, {NULL, NULL}, NULL},
    {"read", &peer_read, {NULL, NULL}, NULL},
    {"reference", &peer_irreduce, {"IRREDUCE_BACKEND", "reference"}, NULL},
    {"onednn", &peer_onednn, {NULL, NULL}, NULL},
    {"loop", &peer_loop, {NULL, NULL}, NULL},
};
static const contender_t tiers[] = {
    {"scalar", &peer_irreduce, {"IRREDUCE_ISA", "scalar"}, NULL},
    {"avx2", &peer_irreduce, {"IRREDUCE_ISA", "avx2"}, NULL},
    {"avx512", &peer_irreduce, {"IRREDUCE_ISA", "avx512"}, NULL},
};
enum {
    PEERS = sizeof peers / sizeof *peers,
    TIERS = sizeof tiers / sizeof *tiers,
    FIRST_RATIO = 2
};

typedef struct {
    list_t problems;
    const char *folds, *types, *threads, *compare, *cases;
    uint64_t seed;
    size_t random, rounds;
    bool json, tiers;
} settings_t;

typedef struct {
    double log_sum;
    size_t count;
} mean_t;

static settings_t settings = {
    .folds = "sum,min,l2", .types = "f32", .threads = "1,2", .seed = 1, .random = 8, .rounds = 7};
static bool all_right = true;

/* ---- options ---- */

static const char usage[] =
    "irreduce_bench [--problem \"sum f32 [6,12,10,24] axes [2,3]\"]... | [--ops sum,min,l2]\n"
    "               [--types f32,i8,...|all] [--random N] [--seed S] [--threads 1,2]\n"
    "               [--cases FILE] [--rounds 7] [--tiers] [--compare PLUGIN.so] [--json]\n"
    "FILE has a problem a line.\n"
    "Columns: time and GB/s of irreduce; /read: its time over a plain read of the same bytes; "
    "then\n"
    "each peer's time over irreduce's (above 1: irreduce is faster; !: the peer's answer "
    "differs).\n"
    "--tiers: each operation and type out of L1, tier by tier; the ratios are scalar's time over\n"
    "the tier's.\n"
    "--compare: this build of the device library and another, in turns; ratio: the other's time "
    "over\n"
    "this one's. Prints each problem that was given, or of the lists those that changed.\n";

static const char all_types[] = "f64,f32,f16,bf16,i64,i32,i16,i8,u64,u32,u16,u8";

static bool take_option(const char *name, const char *value) {
    if (!strcmp(name, "--problem"))
        settings.problems.items[settings.problems.count++] = value;
    else if (!strcmp(name, "--ops"))
        settings.folds = value;
    else if (!strcmp(name, "--types"))
        settings.types = strcmp(value, "all") ? value : all_types;
    else if (!strcmp(name, "--threads"))
        settings.threads = value;
    else if (!strcmp(name, "--seed"))
        settings.seed = strtoull(value, NULL, 10);
    else if (!strcmp(name, "--random"))
        settings.random = strtoull(value, NULL, 10);
    else if (!strcmp(name, "--cases"))
        settings.cases = value;
    else if (!strcmp(name, "--compare"))
        settings.compare = realpath(value, NULL) ? realpath(value, NULL) : value;
    else if (!strcmp(name, "--rounds"))
        settings.rounds = strtoull(value, NULL, 10);
    else
        return false;
    return true;
}

static bool parse(int argc, char **argv) {
    bool types_given = false;
    settings.problems.items = take((size_t)argc * sizeof *settings.problems.items);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            settings.json = true;
        else if (!strcmp(argv[i], "--tiers"))
            settings.tiers = true;
        else if (i + 1 >= argc || !take_option(argv[i], argv[i + 1]))
            return false;
        else
            types_given |= !strcmp(argv[i++], "--types");
    }
    if (settings.tiers && !types_given) settings.types = all_types;
    return settings.rounds >= 1 && settings.rounds <= MOST_ROUNDS;
}

/* The next word of a list with commas, or NULL. */
static char *next_word(const char **list) {
    size_t length = strcspn(*list, ",");
    if (!length) return NULL;
    char *word = take_text("%.*s", (int)length, *list);
    *list += length + ((*list)[length] == ',');
    return word;
}

/* A problem a line. */
static int read_cases(void) {
    char line[256];
    FILE *file = settings.cases ? fopen(settings.cases, "r") : NULL;
    if (!settings.cases) return IRR_OK;
    if (!file) return wrong_call("--cases: %s cannot be opened", settings.cases);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        const char **more = take((settings.problems.count + 1) * sizeof *more);
        memcpy(more, settings.problems.items, settings.problems.count * sizeof *more);
        settings.problems.items = more;
        if (*line && *line != '#') more[settings.problems.count++] = take_text("%s", line);
    }
    fclose(file);
    return IRR_OK;
}

/* ---- one case ---- */

static void add(mean_t *mean, double ratio) {
    mean->log_sum += log(ratio);
    mean->count++;
}

static void print_wrong(const char *problem, const char *name, const char *wrong) {
    all_right = false;
    fprintf(stderr, "WRONG: %s by %s: %s\n", problem, name, wrong);
}

static void print_json(const case_t *c, const char *kernel, const result_t *results) {
    json_open(NULL, '{');
    json_text("problem", c->problem);
    json_int("threads", c->threads);
    json_text("kernel", kernel);
    json_bool("verified", !results[0].wrong);
    json_float("gb_per_s", (double)c->data->bytes / results[0].median_us / 1e3);
    json_open("median_us", '{');
    for (size_t i = 0; i < PEERS; i++)
        if (results[i].ran)
            json_float(peers[i].name, results[i].median_us);
        else
            json_raw(peers[i].name, "null");
    json_close();
    json_close();
}

static void print_row(const case_t *c, const char *kernel, const result_t *results, mean_t *means) {
    double ours = results[0].median_us;
    if (settings.json)
        print_json(c, kernel, results);
    else
        printf("%-38s %2u %11.3f %7.1f %6.2f", c->problem, c->threads, ours,
               (double)c->data->bytes / ours / 1e3, ours / results[1].median_us);
    add(&means[1], ours / results[1].median_us);
    for (size_t i = FIRST_RATIO; i < PEERS; i++) {
        double ratio = results[i].median_us / ours;
        if (results[i].ran) add(&means[i], ratio);
        if (settings.json) continue;
        if (!results[i].ran)
            printf("         -");
        else
            printf(" %8.2f%c", ratio,
                   results[i].near || peers[i].peer == &peer_irreduce ? ' ' : '!');
    }
    if (!settings.json) printf("  %s\n", kernel);
    fflush(stdout);
}

static void print_tiers(const case_t *c, const result_t *results) {
    const char *problem =
        take_text("%.*s", (int)(strchr(c->problem, '[') - c->problem), c->problem);
    if (settings.json) {
        json_open(NULL, '{');
        json_text("problem", c->problem);
        for (size_t i = 0; i < TIERS; i++) json_float(tiers[i].name, results[i].median_us);
        json_close();
        return;
    }
    double scalar = results[0].median_us, last = scalar / results[TIERS - 1].median_us;
    printf("%-10s %11.3f %8.2f %8.2f %s\n", problem, scalar, scalar / results[1].median_us, last,
           last < 2 ? "below 2" : "");
    fflush(stdout);
}

static int run_case(const char *problem, unsigned threads, mean_t *means) {
    session_t session = {0};
    irr_tensor_t *weights = NULL;
    view_t data;
    case_t c;
    result_t results[MOST_CONTENDERS];
    const contender_t *contenders = settings.tiers ? tiers : peers;
    size_t count = settings.tiers ? TIERS : PEERS;
    int status = case_open(problem, settings.seed, &session, &weights, &data, &c);
    c.threads = threads;
    if (!status && settings.compare) {
        status = compare_row(&c, settings.compare, settings.rounds, settings.problems.count > 0);
    } else if (!status) {
        measure(&c, contenders, count, settings.rounds, results);
        for (size_t i = 0; i < count; i++)
            if (results[i].wrong) print_wrong(problem, contenders[i].name, results[i].wrong);
        if (!results[0].ran)
            status = fail(IRR_GENERAL_ERROR, "%s", noted_sentence());
        else if (settings.tiers)
            print_tiers(&c, results);
        else
            print_row(&c, irreduce_kernel(&c, &peers[0]), results, means);
    }
    irr_tensor_free(weights);
    session_close(&session);
    return status;
}

/* ---- all cases ---- */

static int run_list(const char *fold, const char *type, unsigned threads, mean_t *means) {
    if (settings.tiers) { /* 16 KiB: half an L1 cache */
        irr_element_type_e element;
        if (irr_get_element_type_by_name(type, &element) || !type_of(element))
            return wrong_call("--types: \"%s\" is no element type", type);
        return run_case(
            take_text("%s %s [4,%d] axes [1]", fold, type, 4096 / type_of(element)->bytes), threads,
            means);
    }
    uint64_t state = settings.seed;
    for (size_t i = 0; default_shapes[i]; i++)
        TRY(run_case(take_text("%s %s %s", fold, type, default_shapes[i]), threads, means));
    for (size_t i = 0; i < settings.random; i++)
        TRY(run_case(random_problem(&state, fold, type), threads, means));
    return IRR_OK;
}

static int run_thread_count(unsigned threads, mean_t *means) {
    for (size_t i = 0; i < settings.problems.count; i++)
        TRY(run_case(settings.problems.items[i], threads, means));
    if (settings.problems.count) return IRR_OK;
    const char *types = settings.types;
    for (char *type; (type = next_word(&types));) {
        const char *folds = settings.folds;
        for (char *fold; (fold = next_word(&folds));) TRY(run_list(fold, type, threads, means));
    }
    return IRR_OK;
}

static void print_head(void) {
    if (settings.json) return;
    if (settings.compare)
        compare_head();
    else if (settings.tiers)
        printf("%-10s %11s %8s %8s\n", "out of L1", "scalar us", "avx2 x", "avx512 x");
    else
        printf("%-38s %2s %11s %7s %6s %9s %9s %9s  %s\n", "problem", "t", "us", "GB/s", "/read",
               peers[2].name, peers[3].name, peers[4].name, "kernel");
}

static void print_means(unsigned threads, const mean_t *means) {
    if (settings.json || settings.tiers || settings.compare || !means[1].count) return;
    printf("%-38s %2u %11s %7s", "geometric means", threads, "", "");
    for (size_t i = 1; i < PEERS; i++)
        if (means[i].count)
            printf(i > 1 ? " %8.2f " : " %6.2f", exp(means[i].log_sum / (double)means[i].count));
        else
            printf("         -");
    printf("\n");
}

static int run_all(void) {
    const char *list = settings.tiers ? "1" : settings.threads;
    print_head();
    for (char *word; (word = next_word(&list));) {
        mean_t means[PEERS] = {{0, 0}};
        unsigned threads = (unsigned)strtoul(word, NULL, 10);
        if (!threads) return wrong_call("--threads: \"%s\" is no number of threads", word);
        TRY(run_thread_count(threads, means));
        print_means(threads, means);
    }
    return IRR_OK;
}

int main(int argc, char **argv) {
    if (!parse(argc, argv)) return fputs(usage, stderr), 2;
    if (settings.tiers) setenv("IRREDUCE_BACKEND", "simd", 1); /* the rows are its kernels */
    char *command = take_text("irreduce_bench");
    for (int i = 1; i < argc; i++)
        command = take_text(strpbrk(argv[i], " []") ? "%s \"%s\"" : "%s %s", command, argv[i]);
    if (settings.json) {
        json_open(NULL, '{');
        json_text("command", command);
        json_int("seed", (int64_t)settings.seed);
        json_open("rows", '[');
    } else {
        printf("%s\nseed %llu, %zu rounds\n", command, (unsigned long long)settings.seed,
               settings.rounds);
    }
    int status = read_cases();
    if (!status) status = run_all();
    if (!status && settings.compare) compare_means();
    if (settings.json) json_end();
    if (status) fprintf(stderr, "irreduce_bench: %s\n", noted_sentence());
    give_back_all();
    return status > 0 ? 2 : status || !all_right;
}
