/* Whether work that is hardly worth a second thread is sooner with it: both ways are tried, now and
 * then, and what took less time is the way until the next trial.
 * Lives here: times and verdicts. May not: threads, clocks, locks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_KERNEL_TRIAL_H
#define IRR_KERNEL_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { IRR_WAY_ALONE, IRR_WAY_TOGETHER } irr_way_e;

/* Starts as zeros; whoever has the pool, and nobody else, calls these functions. */
typedef struct irr_trial {
    uint32_t tried[2];        /* calls each way */
    int64_t least_ns[2];      /* of these */
    irr_way_e way;            /* the verdict, which holds for */
    uint32_t rest, last_rest; /* so many calls, before so many */
} irr_trial_t;

/* The way of the next call; NULL: threads pay. */
irr_way_e irr_trial_way(irr_trial_t *trial);
/* Whether the verdict is that this call goes alone, as which it then counts. */
bool irr_trial_takes_alone(irr_trial_t *trial);
/* Does the time of a call that goes this way count? */
bool irr_trial_is_on(const irr_trial_t *trial, irr_way_e way);
void irr_trial_note(irr_trial_t *trial, irr_way_e way, int64_t ns);

#endif
