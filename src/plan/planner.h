/* Who runs a reduction: asks every backend and picks. Each layer's end is a step: a backend's
 * prepared state, or one of the two of our own that need no arithmetic (identity, empty set).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_PLANNER_H
#define IRR_PLAN_PLANNER_H

#include "plan/backend.h"

/* What the backends said, and which was taken. */
typedef struct irr_choice {
    irr_offer_t offers[IRR_BACKEND_COUNT];
    irr_backend_e backend;
} irr_choice_t;

const irr_backend_t *irr_backend_row(irr_backend_e backend);

/* What holds for any shape and configuration: does the device take this op on this type? */
irr_status_e irr_planner_admit(irr_op_e op, irr_element_type_e type, irr_sentence_t sentence);
/* Asks all, for their words too or for the choice alone; auto takes the fastest that serves, and
 * the reference only where no other does. Fails when the forced backend declines. */
irr_status_e irr_planner_choose(const irr_problem_t *problem, const irr_config_t *config,
                                bool words, irr_choice_t *choice, irr_sentence_t sentence);

/* The steps without arithmetic: the identity, and the op's result for an empty set. They make no
 * offer, and take problems whose data has no elements. */
extern const irr_backend_t irr_backend_copy, irr_backend_fill;

#endif
