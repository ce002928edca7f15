/* One inference at a time, on the plan that its shapes ask for.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_REQUEST_H
#define IRR_PLAN_REQUEST_H

#include "plan/compiled.h"

/* The five functions of the wall that a request is behind. */
irr_status_e irr_request_create(irr_plugin_compiled_t *compiled, irr_plugin_request_t **request,
                                irr_sentence_t sentence);
void irr_request_release(irr_plugin_request_t *request);
irr_status_e irr_request_infer(irr_plugin_request_t *request, const irr_tensor_view_t *inputs,
                               const irr_tensor_view_t *outputs,
                               const irr_host_services_t *services, irr_sentence_t sentence);
irr_status_e irr_request_profile(irr_plugin_request_t *request, irr_profile_row_t *rows,
                                 size_t capacity, size_t *count, irr_sentence_t sentence);

#endif
