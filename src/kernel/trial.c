/* Trials of one thread against several: trial.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/trial.h"

/* A second thread is worth a sixteenth at least. A wrong verdict for one may cost half, so it is
 * soon looked at again; one that was right is found so ever more rarely, for a trial wakes the
 * other thread: every 512 calls, that was some hundredths of calls of 1 us. */
enum { TRIES = 4, LEAST_REST = 16, TOGETHER_REST = 512, MOST_REST = 4096 };

static irr_way_e verdict(irr_trial_t *trial) {
    const int64_t *ns = trial->least_ns;
    uint32_t longer = trial->last_rest < MOST_REST ? 2 * trial->last_rest : MOST_REST;
    bool together = ns[IRR_WAY_TOGETHER] + ns[IRR_WAY_TOGETHER] / 16 < ns[IRR_WAY_ALONE];
    trial->way = together ? IRR_WAY_TOGETHER : IRR_WAY_ALONE;
    trial->last_rest = together || longer < LEAST_REST ? LEAST_REST : longer;
    trial->rest = together ? TOGETHER_REST : trial->last_rest;
    trial->tried[IRR_WAY_ALONE] = trial->tried[IRR_WAY_TOGETHER] = 0;
    return trial->way;
}

/* Together comes first, and counts when threads are awake; that they sleep is no trial. */
irr_way_e irr_trial_way(irr_trial_t *trial) {
    if (!trial) return IRR_WAY_TOGETHER;
    if (trial->rest) return trial->rest--, trial->way;
    if (trial->tried[IRR_WAY_TOGETHER] < TRIES) return IRR_WAY_TOGETHER;
    return trial->tried[IRR_WAY_ALONE] < TRIES ? IRR_WAY_ALONE : verdict(trial);
}

bool irr_trial_takes_alone(irr_trial_t *trial) {
    bool alone = trial->rest && trial->way == IRR_WAY_ALONE;
    if (alone) trial->rest--;
    return alone;
}

bool irr_trial_is_on(const irr_trial_t *trial, irr_way_e way) {
    return trial && !trial->rest && trial->tried[way] < TRIES;
}

void irr_trial_note(irr_trial_t *trial, irr_way_e way, int64_t ns) {
    if (!irr_trial_is_on(trial, way)) return;
    if (trial->tried[way]++ == 0 || ns < trial->least_ns[way]) trial->least_ns[way] = ns;
}
