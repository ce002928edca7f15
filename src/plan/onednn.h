/* oneDNN's reductions behind a few plain functions, so that one file alone knows its headers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_ONEDNN_H
#define IRR_PLAN_ONEDNN_H

#include "plan/problem.h"

/* One reduction of one shape. Any number of threads may run it at once. */
typedef struct irr_onednn {
    const char *implementation; /* "jit:avx512_core" */
    size_t scratch_bytes;
} irr_onednn_t;

void irr_onednn_version(char *text, size_t capacity_bytes); /* "2.6.3"; "none" without it */
/* Why it cannot run this at all, as far as is known without asking for a primitive; else NULL. */
const char *irr_onednn_objection(const irr_problem_t *problem);
/* Of the problem its op, type and runs. `seats` of the threads that run it at once allocate nothing
 * of ours; with 0 only its implementation can be asked. IRR_NOT_IMPLEMENTED: oneDNN has none. */
irr_status_e irr_onednn_create(const irr_problem_t *problem, uint32_t seats, irr_onednn_t **made);
void irr_onednn_destroy(irr_onednn_t *made); /* NULL does nothing */
/* On the caller's thread alone. */
bool irr_onednn_run(const irr_onednn_t *made, const void *data, void *output, void *scratch);

#endif
