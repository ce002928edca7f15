/* The public check: the reader's findings, and the file that holds them, as a report.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

irr_status_e irr_check(const char *model_path, const char *weights_path, const irr_axes_t *axes,
                       const size_t axes_size, irr_check_report_t *report) {
    IRR_REQUIRE_OUT(report, model_path);
    if (axes_size) IRR_REQUIRE(axes);
    irr_ir_source_t source = {
        .path = model_path, .weights_path = weights_path, .axes = axes, .axes_count = axes_size};
    const irr_ir_file_t *file = NULL;
    irr_status_e status = irr_ir_read(&source, &file, irr_message());
    if (status) return status;
    *report = (irr_check_report_t){.file = file->path,
                                   .layers = file->layer_count,
                                   .reduce_layers = file->reduce_layer_count,
                                   .problems = file->problems,
                                   .size = file->problem_count,
                                   .unknown_layers = file->problems + file->problem_count,
                                   .unknown_size = file->unknown_layer_count,
                                   .owner = file,
                                   .fragments = file->fragments ? file->layer_count : 0};
    return IRR_OK;
}

void irr_check_report_free(irr_check_report_t *report) {
    if (!report) return;
    irr_ir_file_free(report->owner);
    *report = (irr_check_report_t){.file = NULL};
}
