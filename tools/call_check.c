/* irreduce check: every problem of every file, and what the files hold.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#define TYPES_SHOWN 20

/* Layers that are not known are no problems, but a reader should know of them. */
static void print_unknown(const irr_check_report_t *report) {
    const char *types[TYPES_SHOWN];
    size_t count = 0;
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

static const char *line_text(const irr_check_problem_t *finding) {
    return finding->line ? take_text("%lld", (long long)finding->line) : "null";
}

static void print_json(const irr_check_report_t *report) {
    json("{ file:s layers:d reduce_layers:d problems:[", report->file, (int64_t)report->layers,
         (int64_t)report->reduce_layers);
    for (size_t k = 0; k < report->size; k++) {
        const irr_check_problem_t *one = &report->problems[k];
        json("{ file:s line:r layer_id:s layer_name:s type:s status:s message:s }", one->file,
             line_text(one), one->layer_id, one->layer_name, one->type, status_word(one->status),
             one->message);
    }
    json("] unknown_layers:[");
    for (size_t k = 0; k < report->unknown_size; k++) {
        const irr_check_problem_t *one = &report->unknown_layers[k];
        json("{ line:r layer_id:s layer_name:s type:s }", line_text(one), one->layer_id,
             one->layer_name, one->type);
    }
    json("] }");
}

static void print_text(const irr_check_report_t *report) {
    for (size_t k = 0; k < report->size; k++) puts(report->problems[k].text);
    if (report->unknown_size) print_unknown(report);
}

/* The k-th axes are for the k-th fragment of the whole call; a single list serves all. */
static int check_files(const options_t *options, irr_check_report_t *reports) {
    const irr_axes_t *axes = options->axes_values;
    size_t left = options->axes.count;
    for (size_t i = 0; i < options->models.count; i++) {
        LIB(irr_check(options->models.items[i], options->weights, axes, left, &reports[i]));
        if (options->axes.count < 2) continue;
        size_t used = reports[i].fragments < left ? reports[i].fragments : left;
        if (used < reports[i].fragments && left < 2) /* above one list the reader tells */
            return wrong_call("%zu --axes are not enough for the fragments", options->axes.count);
        axes += used;
        left -= used;
    }
    return IRR_OK;
}

int call_check(session_t *session) {
    const options_t *options = session->options;
    const list_t *models = &options->models;
    irr_check_report_t *reports = take(models->count * sizeof *reports);
    size_t layers = 0, reduce_layers = 0, problems = 0, standard = 0;
    for (size_t i = 0; i < models->count; i++) standard += !strcmp(models->items[i], "-");
    if (standard > 1) return wrong_call("standard input is read twice");
    progress("checking");
    int status = check_files(options, reports);
    progress_end();
    if (!status && options->json) json("{ files:[");
    for (size_t i = 0; i < models->count; i++) {
        if (!status) (options->json ? print_json : print_text)(&reports[i]);
        layers += reports[i].layers;
        reduce_layers += reports[i].reduce_layers;
        problems += reports[i].size;
        irr_check_report_free(&reports[i]);
    }
    if (status) return status;
    if (options->json)
        json("] }\n");
    else
        printf("%zu layers, %zu reduce layers, %zu problems\n", layers, reduce_layers, problems);
    return problems ? PROBLEMS : IRR_OK;
}
