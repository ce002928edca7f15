/* The profile of a request's last run, copied out of the device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

static irr_profiling_info_t row_of(const irr_profile_row_t *from, void *rows) {
    int64_t time_us = (int64_t)((from->time_ns + 500) / 1000);
    const char *op = irr_list_text(rows, from->op), *kernel = irr_list_text(rows, from->kernel);
    return (irr_profiling_info_t){.status = from->executed ? IRR_EXECUTED : IRR_OPTIMIZED_OUT,
                                  .real_time = time_us,
                                  .cpu_time = time_us,
                                  .node_name = irr_list_text(rows, from->layer),
                                  .exec_type = kernel,
                                  .node_type = op,
                                  .real_time_ns = (int64_t)from->time_ns,
                                  .op = op,
                                  .shape = irr_list_text(rows, from->shape),
                                  .backend = irr_list_text(rows, from->backend),
                                  .kernel = kernel,
                                  .tier = irr_list_text(rows, from->tier),
                                  .threads = from->threads,
                                  .bytes = from->bytes,
                                  .exact_fallbacks = from->exact_fallbacks};
}

/* By who has entered. */
static irr_status_e collect(const irr_infer_request_t *request, irr_profiling_info_list_t *infos) {
    size_t count = 0, filled = 0;
    irr_status_e status =
        request->engine->profile(request->request, NULL, 0, &count, irr_message());
    if (status || count == 0) return status;
    irr_profile_row_t *from = irr_calloc(count, sizeof *from);
    irr_profiling_info_t *rows = irr_list_make(count, sizeof *rows);
    *infos = (irr_profiling_info_list_t){rows, count};
    if (!from || !rows) {
        status = irr_list_check(NULL);
    } else {
        for (size_t k = 0; k < count; k++) from[k].size_bytes = sizeof *from;
        status = request->engine->profile(request->request, from, count, &filled, irr_message());
        for (size_t k = 0; !status && k < count; k++) rows[k] = row_of(&from[k], rows);
        if (!status) status = irr_list_check(rows);
    }
    irr_release(from);
    return status;
}

irr_status_e irr_infer_request_get_profiling_info(const irr_infer_request_t *infer_request,
                                                  irr_profiling_info_list_t *infos) {
    IRR_REQUIRE_OUT(infos, infer_request);
    IRR_TRY(irr_request_enter(infer_request));
    irr_status_e status = collect(infer_request, infos);
    irr_request_leave(infer_request);
    if (status) irr_profiling_info_list_free(infos);
    return status;
}

IRR_LIST_FREE(irr_profiling_info_list_free, irr_profiling_info_list_t, profiling_infos)
