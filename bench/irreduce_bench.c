/* irreduce_bench: problem strings -> the answer is verified -> interleaved timing -> a table.
 * Lives here: the options, and the way through the cases. What is measured and printed of a case is
 * a mode's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALL_TYPES "f64,f32,f16,bf16,i64,i32,i16,i8,u64,u32,u16,u8,boolean"
#define ALL_OPS "min,max,sum,mean,prod,l1,l2,and,or"

#define LENGTH(table) (sizeof table / sizeof *table)

settings_t settings = {.threads = "1,2", .rounds = 7};
static const bench_mode_t *mode = &table_mode;
static const struct {
    const bool *asked;
    const bench_mode_t *mode;
} modes[] = {{&settings.tiers, &tiers_mode},
             {&settings.pairs, &pairs_mode},
             {&settings.neighbour, &neighbour_mode},
             {&settings.compile, &compile_mode}};
static bool all_right = true;

void note_wrong(const char *problem, const char *name, const char *wrong) {
    all_right = false;
    fprintf(stderr, "WRONG: %s by %s: %s\n", problem, name, wrong);
}

/* ---- options ---- */

static const char usage[] =
    "irreduce_bench [--problem \"sum f32 [6,12,10,24] axes [2,3]\"]... [--cases FILE]\n"
    "               [--ops sum,min,l2|all] [--types f32|i8,...|all] [--few] [--random N]\n"
    "               [--seed S] [--threads 1,2] [--rounds 7] [--json]\n"
    "               [--onnxruntime LIBRARY] [--openvino LIBRARY]\n"
    "               [--scalar | --tiers | --compare PLUGIN.so [--property KEY=VALUE] |\n"
    "               --pairs | --neighbour | --compile]\n"
    "FILE has a problem a line; --few takes one shape of each group; --random draws N shapes more\n"
    "for each operation and type, from a seed that is drawn and printed where none is given.\n"
    "LIBRARY: libonnxruntime.so.* or libopenvino_c.so.* of the Python packages.\n"
    "With --threads 1 the process stays on one CPU.\n"
    "Columns: time and GB/s of irreduce; /read: its time over a plain read of the same bytes; "
    "then\n"
    "each peer's time over irreduce's (above 1: irreduce is faster; !: the peer's answer "
    "differs).\n"
    "--scalar: the scalar tier, and loops compiled with no more than -O2.\n"
    "--tiers: each operation and type out of L1, tier by tier; the ratios are scalar's time over\n"
    "the tier's.\n"
    "--compare: this build of the device library and another, in turns; ratio: the other's time\n"
    "over this one's. Prints each problem that was given, or of the lists those that changed.\n"
    "Both have the property.\n"
    "--pairs: one way of irreduce against another: 1 and 2 threads, AVX2 and AVX-512, accuracy "
    "and\n"
    "performance, k sibling layers and one. --neighbour: what a process next door loses to\n"
    "idle threads. --compile: what reading, compiling and a new shape cost.";

static const struct {
    const char *name;
    bool *value;
} flags[] = {
    {"--few", &settings.few},         {"--tiers", &settings.tiers},
    {"--pairs", &settings.pairs},     {"--neighbour", &settings.neighbour},
    {"--compile", &settings.compile}, {"--json", &settings.json},
    {"--scalar", &settings.scalar},
};
static const struct {
    const char *name;
    const char **value;
} texts[] = {{"--ops", &settings.ops},
             {"--types", &settings.types},
             {"--threads", &settings.threads},
             {"--cases", &settings.cases},
             {"--compare", &settings.compare}};
static const struct {
    const char *name;
    uint64_t *value;
} numbers[] = {
    {"--seed", &settings.seed}, {"--random", &settings.random}, {"--rounds", &settings.rounds}};

static bool take_flag(const char *name) {
    for (size_t i = 0; i < LENGTH(flags); i++)
        if (!strcmp(name, flags[i].name)) return *flags[i].value = true;
    return false;
}

static int take_option(const char *name, const char *value) {
    if (!strcmp(name, "--problem"))
        return settings.problems.items[settings.problems.count++] = value, IRR_OK;
    if (!strcmp(name, "--property")) {
        char *property = take_text("%s", value), *equals = strchr(property, '=');
        if (!equals) return wrong_call("--property: \"%s\" is no KEY=VALUE", value);
        *equals = 0;
        return settings.property = property, IRR_OK;
    }
    for (size_t i = 0; i < LENGTH(texts); i++)
        if (!strcmp(name, texts[i].name)) return *texts[i].value = value, IRR_OK;
    for (size_t i = 0; i < LENGTH(numbers); i++)
        if (!strcmp(name, numbers[i].name))
            return *numbers[i].value = strtoull(value, NULL, 10), IRR_OK;
    return take_library(name, value);
}

static int parse(int argc, char **argv) {
    settings.problems.items = take((size_t)argc * sizeof *settings.problems.items);
    settings.seed = (uint64_t)time(NULL);
    for (int i = 1; i < argc; i++) {
        if (take_flag(argv[i])) continue;
        if (i + 1 == argc) return wrong_call("%s", usage);
        TRY(take_option(argv[i], argv[i + 1]));
        i++;
    }
    if (settings.rounds < 1 || settings.rounds > MOST_ROUNDS)
        return wrong_call("--rounds: 1 to %d", MOST_ROUNDS);
    for (size_t i = 0; i < LENGTH(modes); i++)
        if (*modes[i].asked) mode = modes[i].mode;
    if (settings.compare) mode = &compare_mode;
    if (settings.compare && settings.json) return wrong_call("--compare prints no JSON");
    if (settings.property && !settings.compare) return wrong_call("--property goes with --compare");
    if (!settings.ops) settings.ops = "sum,min,l2";
    if (!settings.types) settings.types = settings.tiers ? "all" : "f32";
    if (!strcmp(settings.ops, "all")) settings.ops = ALL_OPS;
    if (!strcmp(settings.types, "all")) settings.types = ALL_TYPES;
    return IRR_OK;
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

/* The next word of a list with commas, or NULL. */
static char *next_word(const char **list) {
    size_t length = strcspn(*list, ",");
    if (!length) return NULL;
    char *word = take_text("%.*s", (int)length, *list);
    *list += length + ((*list)[length] == ',');
    return word;
}

/* ---- the cases ---- */

static int run_list(const char *op, const char *type, unsigned threads) {
    irr_element_type_e element;
    uint64_t state = settings.seed;
    if (irr_get_element_type_by_name(type, &element) || !type_of(element))
        return wrong_call("--types: \"%s\" is no element type", type);
    if ((!strcmp(op, "and") || !strcmp(op, "or")) != (element == IRR_BOOLEAN)) return IRR_OK;
    if (settings.tiers) /* 16 KiB: half an L1 cache */
        return with_case(
            take_text("%s %s [4,%d] axes [1]", op, type, 4096 / type_of(element)->bytes), "L1",
            threads, mode->row);
    const char *group = "";
    for (const shape_t *shape = named_shapes; shape->group; shape++) {
        bool first = strcmp(shape->group, group) != 0;
        group = shape->group;
        if (first || !settings.few)
            TRY(with_case(take_text("%s %s %s", op, type, shape->shape), group, threads,
                          mode->row));
    }
    for (size_t i = 0; i < settings.random; i++)
        TRY(with_case(take_text("%s %s %s", op, type, random_shape(&state)), "random", threads,
                      mode->row));
    return IRR_OK;
}

static int run_thread_count(unsigned threads) {
    for (size_t i = 0; i < settings.problems.count; i++)
        TRY(with_case(settings.problems.items[i], "given", threads, mode->row));
    if (settings.problems.count) return IRR_OK;
    const char *types = settings.types;
    for (char *type; (type = next_word(&types));) {
        const char *ops = settings.ops;
        for (char *op; (op = next_word(&ops));) TRY(run_list(op, type, threads));
    }
    return IRR_OK;
}

static int run_all(const char *command) {
    const char *list = settings.tiers ? "1" : settings.threads;
    TRY(read_cases());
    if (!mode->all && !strcmp(list, "1")) stay_on_one_cpu();
    TRY(load_libraries());
    if (settings.json) {
        json("{ command:s seed:d rounds:d", command, (int64_t)settings.seed,
             (int64_t)settings.rounds);
    } else {
        printf("%s\nseed %llu, %llu rounds\n", command, (unsigned long long)settings.seed,
               (unsigned long long)settings.rounds);
    }
    mode->head();
    if (settings.json) json("rows:[");
    if (mode->all) TRY(mode->all());
    for (char *word; !mode->all && (word = next_word(&list));) {
        unsigned threads = (unsigned)strtoul(word, NULL, 10);
        if (!threads) return wrong_call("--threads: \"%s\" is no number of threads", word);
        TRY(run_thread_count(threads));
        mode->foot(threads);
    }
    if (settings.json) json("] }\n");
    return IRR_OK;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--help")) return puts(usage), 0;
    char *command = take_text("irreduce_bench");
    for (int i = 1; i < argc; i++)
        command = take_text(strpbrk(argv[i], " []") ? "%s \"%s\"" : "%s %s", command, argv[i]);
    int status = parse(argc, argv);
    if (!status) status = run_all(command);
    if (status) fprintf(stderr, "irreduce_bench: %s\n", noted_sentence());
    give_back_all();
    return status > 0 ? 2 : status || !all_right;
}
