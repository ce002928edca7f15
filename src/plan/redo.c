/* The elements of one set, run by run, into an exact accumulator.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/redo.h"

#include "plan/exact.h"

void irr_redo(const irr_problem_t *problem, const void *data, size_t index, void *output) {
    const irr_op_info_t *op = irr_op_info(problem->op);
    const irr_geometry_t *geometry = &problem->geometry;
    size_t size[IRR_MAX_RANK], stride[IRR_MAX_RANK], counter[IRR_MAX_RANK] = {0};
    size_t at = 0, apart = 1;
    uint32_t reduced = 0; /* runs, innermost first */
    for (uint32_t i = geometry->run_count; i-- > 0; apart *= geometry->runs[i].size) {
        size_t run = geometry->runs[i].size;
        if (geometry->runs[i].reduced) {
            size[reduced] = run;
            stride[reduced++] = apart;
        } else {
            at += index % run * apart;
            index /= run;
        }
    }
    size_t inner = reduced ? size[0] : 1, step = reduced ? stride[0] : 1;
    irr_exact_t exact;
    irr_exact_start(&exact, op->term);
    for (size_t left = geometry->set_size; left && !exact.nan; left -= inner) {
        irr_exact_add(&exact, problem->type, data, at, step, inner);
        for (uint32_t r = 1; r < reduced; r++) {
            at += stride[r];
            if (++counter[r] < size[r]) break;
            at -= size[r] * stride[r];
            counter[r] = 0;
        }
    }
    irr_exact_round(&exact, op->result, problem->type, output);
}
