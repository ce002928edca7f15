/* The profile of a request's last run, copied out of the device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

static bool copy_row(const irr_profile_row_t *from, irr_profiling_info_t *to) {
    bool ok = true;
    int64_t time_us = (int64_t)((from->time_ns + 500) / 1000);
    *to = (irr_profiling_info_t){.status = from->executed ? IRR_EXECUTED : IRR_OPTIMIZED_OUT,
                                 .real_time = time_us,
                                 .cpu_time = time_us,
                                 .node_name = irr_copy_text(from->layer, &ok),
                                 .exec_type = irr_copy_text(from->kernel, &ok),
                                 .node_type = irr_copy_text(from->op, &ok),
                                 .real_time_ns = (int64_t)from->time_ns,
                                 .op = irr_copy_text(from->op, &ok),
                                 .shape = irr_copy_text(from->shape, &ok),
                                 .backend = irr_copy_text(from->backend, &ok),
                                 .kernel = irr_copy_text(from->kernel, &ok),
                                 .tier = irr_copy_text(from->tier, &ok),
                                 .threads = from->threads,
                                 .bytes = from->bytes,
                                 .exact_fallbacks = from->exact_fallbacks};
    return ok;
}

/* By who has entered. */
static irr_status_e collect(const irr_infer_request_t *request, irr_profiling_info_list_t *infos) {
    size_t count = 0, filled = 0;
    bool ok = true;
    irr_status_e status =
        request->engine->profile(request->request, NULL, 0, &count, irr_message());
    if (status || count == 0) return status;
    irr_profile_row_t *rows = irr_calloc(count, sizeof *rows);
    infos->profiling_infos = irr_calloc(count, sizeof *infos->profiling_infos);
    if (!rows || !infos->profiling_infos)
        ok = false;
    else
        infos->size = count;
    for (size_t k = 0; ok && k < count; k++) rows[k].size_bytes = sizeof *rows;
    if (ok)
        status = request->engine->profile(request->request, rows, count, &filled, irr_message());
    for (size_t k = 0; ok && !status && k < count; k++)
        ok = copy_row(&rows[k], &infos->profiling_infos[k]);
    irr_release(rows);
    return ok ? status : irr_out_of_memory(irr_message(), count * sizeof *rows);
}

irr_status_e irr_infer_request_get_profiling_info(const irr_infer_request_t *infer_request,
                                                  irr_profiling_info_list_t *infos) {
    IRR_REQUIRE_OUT(infos);
    IRR_REQUIRE(infer_request);
    irr_status_e status = irr_request_enter(infer_request);
    if (status) return status;
    status = collect(infer_request, infos);
    irr_request_leave(infer_request);
    if (status) irr_profiling_info_list_free(infos);
    return status;
}

void irr_profiling_info_list_free(irr_profiling_info_list_t *infos) {
    if (!infos) return;
    for (size_t k = 0; k < infos->size; k++) {
        const irr_profiling_info_t *row = &infos->profiling_infos[k];
        const char *texts[] = {row->node_name, row->exec_type, row->node_type, row->op,
                               row->shape,     row->backend,   row->kernel,    row->tier};
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) irr_release((char *)texts[t]);
    }
    irr_release(infos->profiling_infos);
    *infos = (irr_profiling_info_list_t){NULL, 0};
}
