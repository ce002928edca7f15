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
    unsigned char element[8]; /* of the empty set */
} state_t;

static irr_status_e prepare_copy(const irr_problem_t *problem, const irr_config_t *config,
                                 void **state, size_t *scratch_bytes, irr_sentence_t sentence) {
    (void)config;
    state_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    made->count = problem->geometry.output_count;
    made->element_bytes = irr_element_bytes(problem->type);
    *scratch_bytes = 0;
    *state = made;
    return IRR_OK;
}

static irr_status_e copy(irr_yield_t *yield, uint32_t count, const void *data, void *scratch,
                         const irr_executor_t *executor, irr_sentence_t sentence) {
    const state_t *state = yield->state;
    (void)count, (void)scratch, (void)executor, (void)sentence;
    memcpy(yield->output, data, state->count * state->element_bytes);
    yield->stats = (irr_execution_stats_t){.threads = 1};
    return IRR_OK;
}

static irr_status_e fill(irr_yield_t *yield, uint32_t count, const void *data, void *scratch,
                         const irr_executor_t *executor, irr_sentence_t sentence) {
    (void)count, (void)data, (void)scratch, (void)executor, (void)sentence;
    const state_t *state = yield->state;
    char *to = yield->output;
    for (size_t k = 0; k < state->count; k++, to += state->element_bytes)
        memcpy(to, state->element, state->element_bytes);
    yield->stats = (irr_execution_stats_t){.threads = 1};
    return IRR_OK;
}

/* The op's result for the empty set. */
static irr_status_e prepare_fill(const irr_problem_t *problem, const irr_config_t *config,
                                 void **state, size_t *scratch_bytes, irr_sentence_t sentence) {
    static const double reals[] = {[IRR_EMPTY_ZERO] = 0,
                                   [IRR_EMPTY_ONE] = 1,
                                   [IRR_EMPTY_GREATEST] = INFINITY,
                                   [IRR_EMPTY_LEAST] = -INFINITY,
                                   [IRR_EMPTY_NONE] = NAN};
    const irr_element_type_info_t *info = irr_element_type_info(problem->type);
    irr_empty_e empty = irr_op_info(problem->op)->empty;
    bool is_signed = info->kind == IRR_KIND_SIGNED, is_float = info->kind == IRR_KIND_FLOAT;
    uint64_t greatest = UINT64_MAX >> (64 - info->bits + is_signed);
    const uint64_t integers[] = {[IRR_EMPTY_ZERO] = 0,
                                 [IRR_EMPTY_ONE] = 1,
                                 [IRR_EMPTY_GREATEST] = greatest,
                                 [IRR_EMPTY_LEAST] = is_signed ? ~greatest : 0};
    if (!is_float && empty == IRR_EMPTY_NONE)
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "an empty set of %s has no %s", info->name,
                        irr_op_info(problem->op)->type);
    IRR_TRY(prepare_copy(problem, config, state, scratch_bytes, sentence));
    state_t *made = *state;
    if (is_float)
        irr_put_float(made->element, problem->type, 0, reals[empty]);
    else
        memcpy(made->element, &integers[empty], made->element_bytes); /* the low bytes */
    return IRR_OK;
}

const irr_backend_t irr_backend_copy = {
    .name = "none", .prepare = prepare_copy, .execute = copy, .release = irr_release};
const irr_backend_t irr_backend_fill = {
    .name = "none", .prepare = prepare_fill, .execute = fill, .release = irr_release};
