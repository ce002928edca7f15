/* Steps that compute nothing: the identity copies bits, an empty set gives a constant.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "base/status.h"
#include "plan/backend.h"

#include <math.h>
#include <string.h>

typedef struct {
    size_t count, element_bytes;
    bool empty;               /* else the identity */
    unsigned char element[8]; /* of the empty set */
} state_t;

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
    (void)config;
    irr_status_e status = IRR_OK;
    state_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    made->count = problem->geometry.output_count;
    made->element_bytes = irr_element_bytes(problem->type);
    made->empty = problem->geometry.set_size == 0;
    if (made->empty) status = put_empty(problem, made->element, sentence);
    *scratch_bytes = 0;
    return IRR_GIVE(status, state, made, irr_release);
}

static irr_status_e execute(irr_yield_t *yield, uint32_t count, const void *data, void *scratch,
                            const irr_executor_t *executor, irr_sentence_t sentence) {
    const state_t *state = yield->state;
    char *to = yield->output;
    (void)count, (void)scratch, (void)executor, (void)sentence;
    if (!state->empty) memcpy(to, data, state->count * state->element_bytes);
    for (size_t k = 0; state->empty && k < state->count; k++, to += state->element_bytes)
        memcpy(to, state->element, state->element_bytes);
    return IRR_OK;
}

const irr_backend_t irr_backend_idle = {
    .name = "none", .prepare = prepare, .execute = execute, .release = irr_release};
