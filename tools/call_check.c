/* irreduce check: every problem of every file, and what the files hold.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <string.h>

#define TYPES_SHOWN 20

/* Layers that are not known are no problems, but a reader should know of them. */
static void print_unknown(const irr_check_report_t *report) {
    const char *types[TYPES_SHOWN];
    size_t count = 0;
    if (!report->unknown_size) return;
    printf("%s: %zu layers of other types, their declared ports are trusted:", report->file,
           report->unknown_size);
    for (size_t i = 0; i < report->unknown_size && count < TYPES_SHOWN; i++) {
        const char *type = report->unknown_layers[i].type;
        bool seen = !type;
        for (size_t k = 0; k < count; k++) seen = seen || !strcmp(types[k], type);
        if (seen) continue;
        types[count++] = type;
        printf("%s %s", count > 1 ? "," : "", type);
    }
    puts(count == TYPES_SHOWN ? ", ..." : "");
}

static void print_reports(const irr_check_report_t *reports, size_t count) {
    size_t layers = 0, reduce_layers = 0, problems = 0;
    for (size_t i = 0; i < count; i++) {
        const irr_check_report_t *report = &reports[i];
        layers += report->layers;
        reduce_layers += report->reduce_layers;
        problems += report->size;
        for (size_t k = 0; k < report->size; k++) puts(report->problems[k].text);
        print_unknown(report);
    }
    printf("%zu layers, %zu reduce layers, %zu problems\n", layers, reduce_layers, problems);
}

static void json_finding(json_t *json, const irr_check_problem_t *finding) {
    if (finding->line > 0)
        json_int(json, "line", finding->line);
    else
        json_text(json, "line", NULL);
    json_text(json, "layer_id", finding->layer_id);
    json_text(json, "layer_name", finding->layer_name);
    json_text(json, "type", finding->type);
}

static void json_report(json_t *json, const irr_check_report_t *report) {
    json_open(json, NULL, '{');
    json_text(json, "file", report->file);
    json_int(json, "layers", (int64_t)report->layers);
    json_int(json, "reduce_layers", (int64_t)report->reduce_layers);
    json_open(json, "problems", '[');
    for (size_t k = 0; k < report->size; k++) {
        json_open(json, NULL, '{');
        json_text(json, "file", report->problems[k].file);
        json_finding(json, &report->problems[k]);
        json_text(json, "status", status_word(report->problems[k].status));
        json_text(json, "message", report->problems[k].message);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "unknown_layers", '[');
    for (size_t k = 0; k < report->unknown_size; k++) {
        json_open(json, NULL, '{');
        json_finding(json, &report->unknown_layers[k]);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void json_reports(const irr_check_report_t *reports, size_t count) {
    json_t json = {stdout, false};
    json_open(&json, NULL, '{');
    json_open(&json, "files", '[');
    for (size_t i = 0; i < count; i++) json_report(&json, &reports[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    putchar('\n');
}

static int parse_axes(const list_t *texts, irr_axes_t *axes) {
    for (size_t i = 0; i < texts->count; i++) {
        int64_t *values = take(MAX_RANK * sizeof *values);
        if (!parse_numbers(texts->items[i], values, &axes[i].size))
            return wrong_call("--axes \"%s\" is not a list as in 2,3", texts->items[i]);
        axes[i].values = values;
    }
    return IRR_OK;
}

/* The k-th axes are for the k-th fragment of the whole call; a single list serves all. */
static int check_files(const options_t *options, const irr_axes_t *axes,
                       irr_check_report_t *reports, size_t *done) {
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

int call_check(const options_t *options) {
    const list_t *models = &options->models;
    irr_axes_t *axes = take(options->axes.count * sizeof *axes);
    irr_check_report_t *reports = take(models->count * sizeof *reports);
    size_t done = 0, problems = 0, standard = 0;
    TRY(parse_axes(&options->axes, axes));
    for (size_t i = 0; i < models->count; i++) standard += !strcmp(models->items[i], "-");
    if (standard > 1) return wrong_call("standard input is read twice");
    progress("checking");
    int status = check_files(options, axes, reports, &done);
    progress_end();
    if (!status) (options->json ? json_reports : print_reports)(reports, done);
    for (size_t i = 0; i < done; i++) {
        problems += reports[i].size;
        irr_check_report_free(&reports[i]);
    }
    return status ? status : problems ? PROBLEMS : IRR_OK;
}
