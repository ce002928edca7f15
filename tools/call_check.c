/* irreduce check: every problem of every file, and what the files hold.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#define TYPES_SHOWN 20

/* Layers that are not known are no problems, but a reader should know of them. */
static void print_unknown(const irr_check_report_t *report) {
    const char *types[TYPES_SHOWN];
    size_t count = 0;
    if (!report->unknown_size) return;
    printf("%s: %zu layers of other types, their declared ports are trusted:", report->file,
           report->unknown_size);
    for (size_t i = 0, k; i < report->unknown_size && count < TYPES_SHOWN; i++) {
        const char *type = report->unknown_layers[i].type;
        for (k = 0; k < count && strcmp(types[k], type); k++) continue;
        if (k < count) continue;
        types[count++] = type;
        printf("%s %s", count > 1 ? "," : "", type);
    }
    puts(count == TYPES_SHOWN ? ", ..." : "");
}

static void json_findings(const char *key, const irr_check_problem_t *findings, size_t count) {
    json_open(key, '[');
    for (size_t k = 0; k < count; k++) {
        const irr_check_problem_t *one = &findings[k];
        json_open(NULL, '{');
        if (one->status) json_text("file", one->file);
        json_raw("line", one->line ? take_text("%lld", (long long)one->line) : "null");
        json_fields("layer_id:s layer_name:s type:s", one->layer_id, one->layer_name, one->type);
        if (one->status) /* an unknown layer has none */
            json_fields("status:s message:s", status_word(one->status), one->message);
        json_close();
    }
    json_close();
}

static void print_report(const irr_check_report_t *report, bool as_json) {
    if (as_json) {
        json_open(NULL, '{');
        json_fields("file:s layers:d reduce_layers:d", report->file, (int64_t)report->layers,
                    (int64_t)report->reduce_layers);
        json_findings("problems", report->problems, report->size);
        json_findings("unknown_layers", report->unknown_layers, report->unknown_size);
        json_close();
        return;
    }
    for (size_t k = 0; k < report->size; k++) puts(report->problems[k].text);
    print_unknown(report);
}

/* The k-th axes are for the k-th fragment of the whole call; a single list serves all. */
static int check_files(const options_t *options, irr_check_report_t *reports, size_t *done) {
    const irr_axes_t *axes = options->axes_values;
    size_t left = options->axes.count;
    for (; *done < options->models.count; ++*done) {
        irr_check_report_t *report = &reports[*done];
        LIB(irr_check(options->models.items[*done], options->weights, axes, left, report));
        if (options->axes.count < 2) continue;
        size_t used = report->fragments < left ? report->fragments : left;
        bool told = used == report->fragments || left > 1; /* above one list the reader tells */
        axes += used, left -= used;
        if (told) continue;
        ++*done;
        return wrong_call("%zu --axes are not enough for the fragments", options->axes.count);
    }
    return IRR_OK;
}

int call_check(const options_t *options, session_t *session) {
    (void)session;
    const list_t *models = &options->models;
    irr_check_report_t *reports = take(models->count * sizeof *reports);
    size_t done = 0, layers = 0, reduce_layers = 0, problems = 0, standard = 0;
    for (size_t i = 0; i < models->count; i++) standard += !strcmp(models->items[i], "-");
    if (standard > 1) return wrong_call("standard input is read twice");
    progress("checking");
    int status = check_files(options, reports, &done);
    progress_end();
    if (!status && options->json) json_open(NULL, '{'), json_open("files", '[');
    for (size_t i = 0; i < done; i++) {
        if (!status) print_report(&reports[i], options->json);
        layers += reports[i].layers;
        reduce_layers += reports[i].reduce_layers;
        problems += reports[i].size;
        irr_check_report_free(&reports[i]);
    }
    if (status) return status;
    if (options->json)
        json_end();
    else
        printf("%zu layers, %zu reduce layers, %zu problems\n", layers, reduce_layers, problems);
    return problems ? PROBLEMS : IRR_OK;
}
