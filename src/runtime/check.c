/* The public check: the reader's findings as a report that the caller holds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

#include <string.h>

/* The caller's row of a finding; false when memory is out. */
static bool fill_row(const irr_ir_problem_t *from, irr_check_problem_t *row) {
    bool ok = true;
    char text[2 * IRR_SENTENCE_BYTES];
    irr_ir_problem_text(from, text, sizeof text);
    *row = (irr_check_problem_t){.file = from->file,
                                 .line = from->line,
                                 .layer_id = from->layer_id,
                                 .layer_name = from->layer_name,
                                 .type = from->layer_type,
                                 .status = from->status,
                                 .message = from->message,
                                 .text = irr_copy_text(text, &ok)};
    return ok;
}

static bool fill_rows(const irr_ir_file_t *file, irr_check_report_t *report) {
    bool ok = true;
    report->problems = irr_calloc(file->problem_count, sizeof *report->problems);
    report->unknown_layers = irr_calloc(file->unknown_layer_count, sizeof *report->unknown_layers);
    if (!report->problems || !report->unknown_layers) return false;
    report->size = file->problem_count;
    for (size_t k = 0; ok && k < report->size; k++)
        ok = fill_row(&file->problems[k], &report->problems[k]);
    irr_ir_problem_t note;
    for (size_t layer = 0; ok && irr_ir_unknown_layer(file, &layer, &note);)
        ok = fill_row(&note, &report->unknown_layers[report->unknown_size++]);
    return ok;
}

irr_status_e irr_check(const char *model_path, const char *weights_path, const irr_axes_t *axes,
                       const size_t axes_size, irr_check_report_t *report) {
    IRR_REQUIRE_OUT(report);
    IRR_REQUIRE(model_path);
    if (axes_size) IRR_REQUIRE(axes);
    irr_ir_axes_t *given = irr_calloc(axes_size, sizeof *given);
    if (!given) return irr_out_of_memory(irr_message(), axes_size * sizeof *given);
    for (size_t k = 0; k < axes_size; k++) given[k] = (irr_ir_axes_t){axes[k].values, axes[k].size};
    irr_ir_source_t source = {
        .path = model_path, .weights_path = weights_path, .axes = given, .axes_count = axes_size};
    const irr_ir_file_t *file = NULL;
    irr_status_e status = irr_ir_read(&source, &file, irr_message());
    irr_release(given);
    if (status) return status;
    bool ok = true;
    *report = (irr_check_report_t){.file = irr_copy_text(model_path, &ok),
                                   .layers = file->layer_count,
                                   .reduce_layers = file->reduce_layer_count,
                                   .owner = file,
                                   .fragments = file->fragments ? file->layer_count : 0};
    if (ok && fill_rows(file, report)) return IRR_OK;
    irr_check_report_free(report);
    return irr_out_of_memory(irr_message(), sizeof *report->problems);
}

void irr_check_report_free(irr_check_report_t *report) {
    if (!report) return;
    for (size_t k = 0; k < report->size; k++) irr_release((char *)report->problems[k].text);
    for (size_t k = 0; k < report->unknown_size; k++)
        irr_release((char *)report->unknown_layers[k].text);
    irr_release(report->problems);
    irr_release(report->unknown_layers);
    irr_release((char *)report->file);
    irr_ir_file_free(report->owner);
    *report = (irr_check_report_t){.file = NULL};
}
