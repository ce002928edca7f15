/* Steps that compute nothing: the identity copies bits, an empty set gives a constant.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "plan/backend.h"

#include <math.h>
#include <string.h>

/* The op's result for the empty set. */
static irr_status_e put_empty(const irr_problem_t *problem, void *element,
                              irr_sentence_t sentence) {
    static const double reals[] = {[IRR_EMPTY_ZERO] = 0,
                                   [IRR_EMPTY_ONE] = 1,
                                   [IRR_EMPTY_GREATEST] = INFINITY,
                                   [IRR_EMPTY_LEAST] = -INFINITY,
                                   [IRR_EMPTY_NONE] = NAN};
    const irr_element_type_info_t *info = irr_element_type_info(problem->type);
    irr_empty_e empty = irr_op_info(problem->op)->empty;
    bool is_signed = info->kind == IRR_KIND_SIGNED;
    uint64_t greatest = UINT64_MAX >> (64 - info->bits + is_signed);
    const uint64_t integers[] = {[IRR_EMPTY_ZERO] = 0,
                                 [IRR_EMPTY_ONE] = 1,
                                 [IRR_EMPTY_GREATEST] = greatest,
                                 [IRR_EMPTY_LEAST] = is_signed ? ~greatest : 0};
    if (info->kind == IRR_KIND_FLOAT)
        irr_put_float(element, problem->type, 0, reals[empty]);
    else if (empty != IRR_EMPTY_NONE)
        memcpy(element, &integers[empty], info->bits / 8u); /* the low bytes */
    else
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "an empty set of %s has no %s", info->name,
                        irr_op_info(problem->op)->type);
    return IRR_OK;
}

static irr_status_e prepare(const irr_problem_t *problem, const irr_config_t *config, void **state,
                            size_t *scratch_bytes, irr_sentence_t sentence) {
    uint64_t element;
    (void)config;
    *scratch_bytes = 0;
    if (problem->geometry.set_size == 0) IRR_TRY(put_empty(problem, &element, sentence));
    return irr_problem_copy(problem, state, sentence);
}

static irr_status_e execute(irr_yield_t *yield, uint32_t count, const void *data, void *scratch,
                            const irr_executor_t *executor, irr_sentence_t sentence) {
    const irr_problem_t *problem = yield->state;
    size_t bytes = irr_element_bytes(problem->type), all = problem->geometry.output_count * bytes;
    uint64_t element;
    (void)count, (void)scratch, (void)executor;
    if (problem->geometry.set_size) {
        memcpy(yield->output, data, all);
        return IRR_OK;
    }
    IRR_TRY(put_empty(problem, &element, sentence)); /* as when it was prepared */
    for (size_t at = 0; at < all; at += bytes) memcpy((char *)yield->output + at, &element, bytes);
    return IRR_OK;
}

const irr_backend_t irr_backend_idle = {
    .name = "none", .prepare = prepare, .execute = execute, .release = irr_release};
