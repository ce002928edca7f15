/* The one table of properties: key, who may set and read it, parse, print.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/compiled.h"

#include "kernel/available_cpus.h"
#include "plan/onednn.h"

#include <stdlib.h>

#define MOST_THREADS 1024

typedef struct {
    const char *key;
    unsigned set, get; /* owners, bits */
    const char *text;  /* what it does, for SUPPORTED_PROPERTIES */
    size_t at;         /* of its number in the configuration */
    const char *words; /* in the order of their numbers, as of irr_backend_e */
    uint32_t first;    /* the first word's number; -1 for one that stands before all */
    uint32_t distinct; /* numbers that the words repeat, or 0 */
    uint32_t most;     /* 0, or numbers up to this are taken as such */
    const char *numbers;
    bool environment; /* a variable of this name sets the default */
    void (*print)(const irr_config_t *config, irr_writer_t *writer); /* what is no number */
} property_row_t;

/* ---- from text, and what is no number ---- */

/* The index-th of "YES, NO"; false: there are not so many. */
static bool word_at(const char *words, uint32_t index, char word[32]) {
    while (words && index--) words = strchr(words, ' ') ? strchr(words, ' ') + 1 : NULL;
    return words && sscanf(words, "%31[^,]", word) == 1;
}

static bool parse(const property_row_t *row, const char *value, uint32_t *number) {
    char word[32], *end;
    for (uint32_t i = 0; word_at(row->words, i, word); i++)
        if (strcmp(word, value) == 0)
            return *number = (row->distinct ? i % row->distinct : i) + row->first, true;
    unsigned long parsed = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || parsed > row->most || !row->most) return false;
    return *number = (uint32_t)parsed, true;
}

/* what: where the value comes from. */
static irr_status_e set_row(const property_row_t *row, const char *what, const char *value,
                            irr_config_t *config, irr_sentence_t sentence) {
    if (!parse(row, value, (uint32_t *)((char *)config + row->at)))
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH, "%s %s is \"%s\"; it takes %s%s%s", what,
                        row->key, value, row->words ? row->words : "",
                        row->words && row->most ? ", " : "", row->most ? row->numbers : "");
    if (config->threads == 0) config->threads = irr_available_cpus();
    if (config->tier > irr_cpu_best_tier()) config->tier = irr_cpu_best_tier();
    return IRR_OK;
}

static void print_device_name(const irr_config_t *config, irr_writer_t *writer) {
    (void)config;
    char line[256], name[256] = "CPU";
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %255[^\n]", name) == 1) break;
    if (file) fclose(file);
    irr_write(writer, "%s", name);
}

/* One request has all threads; with fewer, several can run beside each other. */
static void print_requests(const irr_config_t *config, irr_writer_t *writer) {
    uint32_t requests = irr_available_cpus() / config->threads;
    irr_write(writer, "%u", (unsigned)(requests ? requests : 1));
}

static void print_tiers(const irr_config_t *config, irr_writer_t *writer) {
    (void)config;
    for (unsigned tier = 0, best = irr_cpu_best_tier(); tier <= best; tier++)
        irr_write(writer, "%s%s", tier ? " " : "", irr_tier_name((irr_tier_e)tier));
}

static void print_onednn_version(const irr_config_t *config, irr_writer_t *writer) {
    char version[32];
    (void)config;
    irr_onednn_version(version, sizeof version);
    irr_write(writer, "%s", version);
}

/* ---- the table ---- */

enum { DEVICE = IRR_OF_DEVICE, COMPILED = IRR_OF_COMPILED, BOTH = DEVICE | COMPILED };

#define AT(member) .at = offsetof(irr_config_t, member)
#define BOOLEAN .words = "NO, YES, FALSE, TRUE", .distinct = 2
#define AUTO_FIRST .first = UINT32_MAX

static const property_row_t rows[] = {
    {"INFERENCE_NUM_THREADS", BOTH, BOTH, "most threads that one infer uses", AT(threads),
     .most = MOST_THREADS, .numbers = "0 (all CPUs that the process may use) to 1024"},
    {"PERF_COUNT", BOTH, BOTH, "measure each layer for the profile", AT(profile), BOOLEAN},
    {"EXECUTION_MODE_HINT", DEVICE, BOTH, "ACCURACY: correctly rounded floats", AT(accuracy),
     .words = "PERFORMANCE, ACCURACY"},
    {"NUM_STREAMS", DEVICE, BOTH,
     "accepted and kept, changes nothing: requests run side by side on their callers' threads",
     AT(streams), .words = "AUTO", AUTO_FIRST, .most = INT16_MAX, .numbers = "0 to 32767"},
    {"PERFORMANCE_HINT", DEVICE, BOTH,
     "accepted and kept, changes nothing: threads follow from their own property", AT(hint),
     .words = "LATENCY, THROUGHPUT, CUMULATIVE_THROUGHPUT"},
    {"IRREDUCE_BACKEND", DEVICE, BOTH, "force one backend, or compilation fails", AT(backend),
     .words = "auto, simd, onednn, reference", AUTO_FIRST, .environment = true},
    {"IRREDUCE_ISA", DEVICE, BOTH, "cap the instruction set; reads as what is used", AT(tier),
     .words = "auto, scalar, avx2, avx512", AUTO_FIRST, .environment = true},
    {"IRREDUCE_REPRODUCIBLE", DEVICE, BOTH, "YES: the same bits on any tier and number of threads",
     AT(reproducible), BOOLEAN, .environment = true},
    {"IRREDUCE_PREFETCH", DEVICE, BOTH,
     "how data beyond the caches are read: YES where the processor's prefetching lags, FAR where "
     "its "
     "nearest cache can wait for many lines; default: as it is known",
     AT(prefetch), .words = "NO, YES, FAR, FALSE, TRUE", .distinct = 3, .environment = true},
    {"FULL_DEVICE_NAME", 0, DEVICE, "the CPU's own name", .print = print_device_name},
    {"OPTIMAL_NUMBER_OF_INFER_REQUESTS", 0, BOTH, "requests that keep all CPUs busy",
     .print = print_requests},
    {"IRREDUCE_TIERS", 0, DEVICE, "instruction sets of this CPU", .print = print_tiers},
    {"IRREDUCE_ONEDNN_VERSION", 0, DEVICE, "oneDNN's version, or none",
     .print = print_onednn_version},
    {"SUPPORTED_PROPERTIES", 0, BOTH, "this list", .print = NULL},
    {IRR_KEY_MODEL_NAME, 0, COMPILED, "the model's name", .print = NULL},
    {IRR_KEY_EXPLAIN, 0, COMPILED, "JSON: what each backend offered for each layer, and the choice",
     .print = NULL},
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

/* Its row, if this owner may set it, or read it; else a sentence that lists those that he may. */
static irr_status_e find(const char *key, irr_property_owner_e owner, bool set,
                         const property_row_t **found, irr_sentence_t sentence) {
    char keys[IRR_SENTENCE_BYTES / 2];
    irr_writer_t writer = {keys, sizeof keys, 0};
    bool known = false;
    for (unsigned i = 0; i < ROW_COUNT; i++) {
        bool allowed = (set ? rows[i].set : rows[i].get) & owner;
        bool meant = strcmp(rows[i].key, key) == 0;
        if (allowed && meant) return *found = &rows[i], IRR_OK;
        if (allowed) irr_write(&writer, "%s%s", writer.used_bytes ? ", " : "", rows[i].key);
        known = known || meant;
    }
    if (known && set)
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                        "property %s can only be read here; %s can be set", key, keys);
    return irr_fail(sentence, IRR_NOT_FOUND, "property %s is unknown; known are %s", key, keys);
}

/* One line a property: key, whether this owner may set it, what it does. */
static void write_supported(irr_property_owner_e owner, irr_writer_t *writer) {
    for (unsigned i = 0; i < ROW_COUNT; i++)
        if (rows[i].get & owner)
            irr_write(writer, "%s%s %s: %s", i ? "\n" : "", rows[i].key,
                      rows[i].set & owner ? "RW" : "RO", rows[i].text);
}

static void print(const property_row_t *row, irr_property_owner_e owner, const irr_config_t *config,
                  irr_writer_t *writer) {
    uint32_t number = *(const uint32_t *)((const char *)config + row->at);
    char word[32];
    if (row->print)
        row->print(config, writer);
    else if (word_at(row->words, number - row->first, word))
        irr_write(writer, "%s", word);
    else if (row->most)
        irr_write(writer, "%u", (unsigned)number);
    else
        write_supported(owner, writer);
}

/* ---- the calls ---- */

irr_status_e irr_config_default(irr_config_t *config, irr_sentence_t sentence) {
    *config = (irr_config_t){.backend = IRR_BACKEND_AUTO,
                             .tier = irr_cpu_best_tier(),
                             .reproducible = true,
                             .prefetch = irr_cpu_prefetching(),
                             .threads = irr_available_cpus(),
                             .streams = IRR_STREAMS_AUTO};
    for (unsigned i = 0; i < ROW_COUNT; i++) {
        const char *value = rows[i].environment ? getenv(rows[i].key) : NULL;
        if (value && *value)
            IRR_TRY(set_row(&rows[i], "environment variable", value, config, sentence));
    }
    return IRR_OK;
}

irr_status_e irr_config_set(irr_config_t *config, const irr_property_t *properties, size_t count,
                            irr_property_owner_e owner, irr_sentence_t sentence) {
    irr_config_t changed = *config;
    const property_row_t *row;
    for (size_t i = 0; i < count; i++) {
        IRR_TRY(find(properties[i].key, owner, true, &row, sentence));
        IRR_TRY(set_row(row, "property", properties[i].value, &changed, sentence));
    }
    *config = changed;
    return IRR_OK;
}

irr_status_e irr_config_get(const irr_config_t *config, const char *key, irr_property_owner_e owner,
                            irr_writer_t *writer, irr_sentence_t sentence) {
    const property_row_t *row;
    IRR_TRY(find(key, owner, false, &row, sentence));
    print(row, owner, config, writer);
    return IRR_OK;
}
