/* The ranked table of backends and the choice among their offers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/backend.h"

#include "base/status.h"

#include <math.h>

static const irr_backend_t *const rows[] = {
    [IRR_BACKEND_SIMD] = &irr_backend_simd,
    [IRR_BACKEND_ONEDNN] = &irr_backend_onednn,
    [IRR_BACKEND_REFERENCE] = &irr_backend_reference,
};
_Static_assert(sizeof rows / sizeof *rows == IRR_BACKEND_COUNT, "a row for each backend");

const irr_backend_t *irr_backend_row(irr_backend_e backend) { return rows[backend]; }

irr_status_e irr_planner_choose(const irr_problem_t *problem, const irr_config_t *config,
                                bool words, irr_choice_t *choice, irr_sentence_t sentence) {
    irr_offer_t *offers = choice->offers;
    /* The reference never declines, and never beats one that serves. */
    irr_backend_e best = IRR_BACKEND_REFERENCE;
    double least_us = INFINITY;
    for (unsigned i = 0; i < IRR_BACKEND_COUNT; i++) {
        offers[i] = (irr_offer_t){.wordless = !words, .tier = config->tier};
        offers[i].beaten_by_us = words || i == 0 ? 0 : least_us;
        rows[i]->offer(problem, config, &offers[i]);
        if (!offers[i].serves || offers[i].estimate_us >= least_us) continue;
        if (i != IRR_BACKEND_REFERENCE) best = (irr_backend_e)i;
        least_us = offers[i].estimate_us;
    }
    choice->backend = config->backend == IRR_BACKEND_AUTO ? best : (irr_backend_e)config->backend;
    if (offers[choice->backend].serves) return IRR_OK;
    if (!words) return irr_planner_choose(problem, config, true, choice, sentence);
    return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "IRREDUCE_BACKEND=%s cannot run it: %s",
                    rows[choice->backend]->name, offers[choice->backend].reason);
}

irr_status_e irr_planner_pick(const irr_problem_t *problem, irr_empty_axes_e empty_axes,
                              const irr_config_t *config, const irr_backend_t **backend,
                              irr_sentence_t sentence) {
    irr_choice_t choice;
    bool identity = problem->mask == 0 && empty_axes == IRR_EMPTY_AXES_IDENTITY;
    bool idle = identity || problem->geometry.set_size == 0;
    bool none = problem->geometry.output_count == 0;
    if (!idle && !none) IRR_TRY(irr_planner_choose(problem, config, false, &choice, sentence));
    *backend = none ? NULL : idle ? &irr_backend_idle : rows[choice.backend];
    return IRR_OK;
}
