/* The public check, which is the reader's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

irr_status_e irr_check(const char *model_path, const char *weights_path, const irr_axes_t *axes,
                       const size_t axes_size, irr_check_report_t *report) {
    IRR_REQUIRE_OUT(report, model_path);
    if (axes_size) IRR_REQUIRE(axes);
    irr_ir_source_t source = {
        .path = model_path, .weights_path = weights_path, .axes = axes, .axes_count = axes_size};
    return irr_ir_check(&source, report, irr_message());
}

void irr_check_report_free(irr_check_report_t *report) {
    if (!report) return;
    irr_ir_release(report->owner);
    *report = (irr_check_report_t){.file = NULL};
}
