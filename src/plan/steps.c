/* Steps that compute nothing: the identity copies bits, an empty set gives a constant.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "base/status.h"
#include "plan/planner.h"

#include <math.h>
#include <string.h>

typedef struct {
    size_t count, element_bytes;
    unsigned char element[8];
} none_state_t;

static irr_status_e prepare_none(const none_state_t *wanted, void **state,
                                 irr_sentence_t sentence) {
    none_state_t *made = irr_malloc(sizeof *made);
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    *made = *wanted;
    *state = made;
    return IRR_OK;
}

/* ---- copy ---- */

static irr_status_e copy(irr_yield_t *yield, uint32_t count, const void *data, void *scratch,
                         const irr_executor_t *executor, irr_sentence_t sentence) {
    (void)count, (void)scratch, (void)executor, (void)sentence;
    memcpy(yield->output, data, ((const none_state_t *)yield->state)->count);
    yield->stats = (irr_execution_stats_t){.threads = 1};
    return IRR_OK;
}

irr_status_e irr_prepare_copy(size_t bytes, void **state, irr_sentence_t sentence) {
    return prepare_none(&(none_state_t){.count = bytes, .element_bytes = 1}, state, sentence);
}

/* ---- fill ---- */

static irr_status_e fill(irr_yield_t *yield, uint32_t count, const void *data, void *scratch,
                         const irr_executor_t *executor, irr_sentence_t sentence) {
    (void)count, (void)data, (void)scratch, (void)executor, (void)sentence;
    const none_state_t *state = yield->state;
    char *to = yield->output;
    for (size_t k = 0; k < state->count; k++, to += state->element_bytes)
        memcpy(to, state->element, state->element_bytes);
    yield->stats = (irr_execution_stats_t){.threads = 1};
    return IRR_OK;
}

static void float_element(irr_empty_e empty, irr_element_type_e type, unsigned char *element) {
    static const double values[] = {[IRR_EMPTY_ZERO] = 0,
                                    [IRR_EMPTY_ONE] = 1,
                                    [IRR_EMPTY_GREATEST] = INFINITY,
                                    [IRR_EMPTY_LEAST] = -INFINITY,
                                    [IRR_EMPTY_NONE] = NAN};
    double wide = values[empty];
    float single = (float)wide;
    uint16_t half = type == IRR_F16 ? irr_f64_to_f16(wide) : irr_f64_to_bf16(wide);
    if (type == IRR_F64) memcpy(element, &wide, sizeof wide);
    if (type == IRR_F32) memcpy(element, &single, sizeof single);
    if (type == IRR_F16 || type == IRR_BF16) memcpy(element, &half, sizeof half);
}

static void integer_element(irr_empty_e empty, const irr_element_type_info_t *info,
                            unsigned char *element) {
    bool is_signed = info->kind == IRR_KIND_SIGNED;
    uint64_t greatest = UINT64_MAX >> (64 - info->bits + is_signed);
    const uint64_t values[] = {[IRR_EMPTY_ZERO] = 0,
                               [IRR_EMPTY_ONE] = 1,
                               [IRR_EMPTY_GREATEST] = greatest,
                               [IRR_EMPTY_LEAST] = is_signed ? ~greatest : 0};
    memcpy(element, &values[empty], info->bits / 8u); /* the low bytes, little-endian */
}

irr_status_e irr_prepare_fill(irr_op_e op, irr_element_type_e type, size_t count, void **state,
                              irr_sentence_t sentence) {
    const irr_element_type_info_t *info = irr_element_type_info(type);
    irr_empty_e empty = irr_op_info(op)->empty;
    none_state_t wanted = {.count = count, .element_bytes = info->bits / 8u};
    if (info->kind == IRR_KIND_FLOAT)
        float_element(empty, type, wanted.element);
    else if (empty != IRR_EMPTY_NONE)
        integer_element(empty, info, wanted.element);
    else
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "an empty set of %s has no %s", info->name,
                        irr_op_info(op)->type);
    return prepare_none(&wanted, state, sentence);
}

const irr_backend_t irr_backend_copy = {.name = "none", .execute = copy, .release = irr_release};
const irr_backend_t irr_backend_fill = {.name = "none", .execute = fill, .release = irr_release};
