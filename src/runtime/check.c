/* The public check: the reader's findings as a report that the caller holds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

static void add_text(irr_check_problem_t *row, void *rows) {
    char text[2 * IRR_SENTENCE_BYTES];
    row->text = irr_list_text(rows, irr_ir_problem_text(row, text, sizeof text));
}

/* One list: the problems, behind them the layers that are not known. */
static irr_status_e fill(const irr_ir_file_t *file, const char *path, irr_check_report_t *report) {
    size_t count = file->problem_count, unknown = file->unknown_layer_count;
    irr_check_problem_t *rows = irr_list_make(count + unknown, sizeof *rows);
    if (!rows) return irr_list_check(rows);
    if (count) memcpy(rows, file->problems, count * sizeof *rows);
    if (unknown) memcpy(rows + count, file->unknown_layers, unknown * sizeof *rows);
    for (size_t k = 0; k < count + unknown; k++) add_text(&rows[k], rows);
    *report = (irr_check_report_t){.file = irr_list_text(rows, path),
                                   .layers = file->layer_count,
                                   .reduce_layers = file->reduce_layer_count,
                                   .problems = rows,
                                   .size = count,
                                   .unknown_layers = rows + count,
                                   .unknown_size = unknown,
                                   .fragments = file->fragments ? file->layer_count : 0};
    return irr_list_check(rows);
}

irr_status_e irr_check(const char *model_path, const char *weights_path, const irr_axes_t *axes,
                       const size_t axes_size, irr_check_report_t *report) {
    IRR_REQUIRE_OUT(report, model_path);
    if (axes_size) IRR_REQUIRE(axes);
    irr_ir_source_t source = {
        .path = model_path, .weights_path = weights_path, .axes = axes, .axes_count = axes_size};
    const irr_ir_file_t *file = NULL;
    irr_status_e status = irr_ir_read(&source, &file, irr_message());
    if (!status) status = fill(file, model_path, report);
    report->owner = file;
    if (status) irr_check_report_free(report);
    return status;
}

void irr_check_report_free(irr_check_report_t *report) {
    if (!report) return;
    irr_list_free(report->problems);
    irr_ir_file_free(report->owner);
    *report = (irr_check_report_t){.file = NULL};
}
