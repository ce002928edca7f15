/* The one table of properties: key, who may set and read it, parse, print.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/properties.h"

#include "base/status.h"
#include "plan/onednn.h"
#include "plan/planner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST_THREADS 1024

typedef struct {
    const char *key;
    unsigned set, get; /* owners, bits */
    bool environment;  /* a variable of this name sets the default */
    bool (*parse)(const char *value, irr_config_t *config);
    void (*print)(const irr_config_t *config, irr_writer_t *writer); /* NULL: not of the config */
    const char *values; /* what parse takes, for errors */
    const char *text;   /* what it does, for SUPPORTED_PROPERTIES */
} property_row_t;

/* ---- parse and print ---- */

static bool parse_word(const char *const *words, const char *value, uint32_t *row) {
    for (uint32_t i = 0; words[i]; i++)
        if (strcmp(words[i], value) == 0) return *row = i, true;
    return false;
}

static bool parse_boolean(const char *value, bool *flag) {
    static const char *const words[] = {"NO", "YES", "FALSE", "TRUE", NULL};
    uint32_t row;
    if (!parse_word(words, value, &row)) return false;
    return *flag = row & 1, true;
}

static bool parse_number(const char *value, long most, long *number) {
    char *end;
    *number = strtol(value, &end, 10);
    return *value >= '0' && *value <= '9' && *end == '\0' && *number <= most;
}

static const char *yes_no(bool flag) { return flag ? "YES" : "NO"; }

static bool parse_threads(const char *value, irr_config_t *config) {
    long number;
    if (!parse_number(value, MOST_THREADS, &number)) return false;
    config->threads = number ? (uint32_t)number : irr_available_cpus();
    return true;
}
static void print_threads(const irr_config_t *config, irr_writer_t *writer) {
    irr_write(writer, "%u", (unsigned)config->threads);
}

static bool parse_streams(const char *value, irr_config_t *config) {
    long number = -1;
    if (strcmp(value, "AUTO") != 0 && !parse_number(value, INT16_MAX, &number)) return false;
    config->streams = (int32_t)number;
    return true;
}
static void print_streams(const irr_config_t *config, irr_writer_t *writer) {
    if (config->streams < 0)
        irr_write(writer, "AUTO");
    else
        irr_write(writer, "%d", (int)config->streams);
}

static const char *const hints[] = {"LATENCY", "THROUGHPUT", "CUMULATIVE_THROUGHPUT", NULL};
static bool parse_hint(const char *value, irr_config_t *config) {
    return parse_word(hints, value, &config->hint);
}
static void print_hint(const irr_config_t *config, irr_writer_t *writer) {
    irr_write(writer, "%s", hints[config->hint]);
}

static bool parse_profile(const char *value, irr_config_t *config) {
    return parse_boolean(value, &config->profile);
}
static void print_profile(const irr_config_t *config, irr_writer_t *writer) {
    irr_write(writer, "%s", yes_no(config->profile));
}

static const char *const modes[] = {"PERFORMANCE", "ACCURACY", NULL};
static bool parse_mode(const char *value, irr_config_t *config) {
    uint32_t row;
    if (!parse_word(modes, value, &row)) return false;
    return config->accuracy = row, true;
}
static void print_mode(const irr_config_t *config, irr_writer_t *writer) {
    irr_write(writer, "%s", modes[config->accuracy]);
}

static bool parse_backend(const char *value, irr_config_t *config) {
    if (strcmp(value, "auto") == 0) return config->backend = IRR_BACKEND_AUTO, true;
    return irr_backend_by_name(value, &config->backend);
}
static void print_backend(const irr_config_t *config, irr_writer_t *writer) {
    bool is_auto = config->backend == IRR_BACKEND_AUTO;
    irr_write(writer, "%s", is_auto ? "auto" : irr_backend_row(config->backend)->name);
}

static bool parse_isa(const char *value, irr_config_t *config) {
    irr_tier_e best = irr_cpu_best_tier(), asked = best;
    if (strcmp(value, "auto") != 0 && !irr_tier_by_name(value, &asked)) return false;
    return config->tier = asked < best ? asked : best, true;
}
static void print_isa(const irr_config_t *config, irr_writer_t *writer) {
    irr_write(writer, "%s", irr_tier_name(config->tier));
}

static bool parse_reproducible(const char *value, irr_config_t *config) {
    return parse_boolean(value, &config->reproducible);
}
static void print_reproducible(const irr_config_t *config, irr_writer_t *writer) {
    irr_write(writer, "%s", yes_no(config->reproducible));
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

static const char booleans[] = "YES, NO, TRUE, FALSE";

static const property_row_t rows[] = {
    {"INFERENCE_NUM_THREADS", BOTH, BOTH, false, parse_threads, print_threads,
     "0 (all CPUs that the process may use) to 1024", "most threads that one infer uses"},
    {"PERF_COUNT", BOTH, BOTH, false, parse_profile, print_profile, booleans,
     "measure each layer for the profile"},
    {"EXECUTION_MODE_HINT", DEVICE, BOTH, false, parse_mode, print_mode, "PERFORMANCE, ACCURACY",
     "ACCURACY: correctly rounded floats"},
    {"NUM_STREAMS", DEVICE, BOTH, false, parse_streams, print_streams, "AUTO, 0 to 32767",
     "accepted and kept, changes nothing: requests run side by side on their callers' threads"},
    {"PERFORMANCE_HINT", DEVICE, BOTH, false, parse_hint, print_hint,
     "LATENCY, THROUGHPUT, CUMULATIVE_THROUGHPUT",
     "accepted and kept, changes nothing: threads follow from their own property"},
    {"IRREDUCE_BACKEND", DEVICE, BOTH, true, parse_backend, print_backend,
     "auto, simd, onednn, reference", "force one backend, or compilation fails"},
    {"IRREDUCE_ISA", DEVICE, BOTH, true, parse_isa, print_isa, "auto, scalar, avx2, avx512",
     "cap the instruction set; reads as what is used"},
    {"IRREDUCE_REPRODUCIBLE", DEVICE, BOTH, true, parse_reproducible, print_reproducible, booleans,
     "YES: the same bits on any tier and number of threads"},
    {"FULL_DEVICE_NAME", 0, DEVICE, false, NULL, print_device_name, NULL, "the CPU's own name"},
    {"OPTIMAL_NUMBER_OF_INFER_REQUESTS", 0, BOTH, false, NULL, print_requests, NULL,
     "requests that keep all CPUs busy"},
    {"IRREDUCE_TIERS", 0, DEVICE, false, NULL, print_tiers, NULL, "instruction sets of this CPU"},
    {"IRREDUCE_ONEDNN_VERSION", 0, DEVICE, false, NULL, print_onednn_version, NULL,
     "oneDNN's version, or none"},
    {"SUPPORTED_PROPERTIES", 0, BOTH, false, NULL, NULL, NULL, "this list"},
    {IRR_KEY_MODEL_NAME, 0, COMPILED, false, NULL, NULL, NULL, "the model's name"},
    {IRR_KEY_EXPLAIN, 0, COMPILED, false, NULL, NULL, NULL,
     "JSON: what each backend offered for each layer, and the choice"},
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static const property_row_t *row_of(const char *key) {
    for (unsigned i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].key, key) == 0) return &rows[i];
    return NULL;
}

/* Writes "KEY, KEY, ..." of those that this owner may set or read. */
static void list_keys(irr_property_owner_e owner, bool set, char *text, size_t capacity_bytes) {
    irr_writer_t writer = {text, capacity_bytes, 0};
    for (unsigned i = 0; i < ROW_COUNT; i++)
        if ((set ? rows[i].set : rows[i].get) & owner)
            irr_write(&writer, "%s%s", writer.used_bytes ? ", " : "", rows[i].key);
}

/* One line a property: key, whether this owner may set it, what it does. */
static void write_supported(irr_property_owner_e owner, irr_writer_t *writer) {
    for (unsigned i = 0; i < ROW_COUNT; i++)
        if (rows[i].get & owner)
            irr_write(writer, "%s%s %s: %s", i ? "\n" : "", rows[i].key,
                      rows[i].set & owner ? "RW" : "RO", rows[i].text);
}

/* ---- the calls ---- */

static irr_status_e set_one(irr_config_t *config, const char *key, const char *value,
                            irr_property_owner_e owner, irr_sentence_t sentence) {
    char keys[IRR_SENTENCE_BYTES / 2];
    const property_row_t *row = row_of(key);
    list_keys(owner, true, keys, sizeof keys);
    if (!row)
        return irr_fail(sentence, IRR_NOT_FOUND, "property %s is unknown; known are %s", key, keys);
    if (!(row->set & owner))
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                        "property %s can only be read here; %s can be set", key, keys);
    if (!row->parse(value, config))
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH, "property %s is \"%s\"; it takes %s", key,
                        value, row->values);
    return IRR_OK;
}

irr_status_e irr_config_default(irr_config_t *config, irr_sentence_t sentence) {
    *config = (irr_config_t){.backend = IRR_BACKEND_AUTO,
                             .tier = irr_cpu_best_tier(),
                             .reproducible = true,
                             .threads = irr_available_cpus(),
                             .streams = -1};
    for (unsigned i = 0; i < ROW_COUNT; i++) {
        const char *value = rows[i].environment ? getenv(rows[i].key) : NULL;
        if (value && *value && !rows[i].parse(value, config))
            return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                            "environment variable %s is \"%s\"; it takes %s", rows[i].key, value,
                            rows[i].values);
    }
    return IRR_OK;
}

irr_status_e irr_config_set(irr_config_t *config, const irr_property_t *properties, size_t count,
                            irr_property_owner_e owner, irr_sentence_t sentence) {
    irr_config_t changed = *config;
    for (size_t i = 0; i < count; i++) {
        irr_status_e status =
            set_one(&changed, properties[i].key, properties[i].value, owner, sentence);
        if (status != IRR_OK) return status;
    }
    *config = changed;
    return IRR_OK;
}

irr_status_e irr_config_get(const irr_config_t *config, const char *key, irr_property_owner_e owner,
                            irr_writer_t *writer, irr_sentence_t sentence) {
    const property_row_t *row = row_of(key);
    if (row && (row->get & owner)) {
        if (row->print)
            row->print(config, writer);
        else
            write_supported(owner, writer);
        return IRR_OK;
    }
    char keys[IRR_SENTENCE_BYTES / 2];
    list_keys(owner, false, keys, sizeof keys);
    return irr_fail(sentence, IRR_NOT_FOUND, "property %s is unknown; known are %s", key, keys);
}
