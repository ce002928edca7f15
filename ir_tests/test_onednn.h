/* What the tests of the oneDNN backend share: problems, offers, one run of a problem.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_ONEDNN_H
#define IRR_TESTS_ONEDNN_H

#include "base/element_type.h"
#include "base/fp_env.h"
#include "base/memory.h"
#include "plan/backend.h"
#include "plan/onednn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool present;
static const uint64_t seed = 20260101;
static uint64_t random_state;

static inline uint64_t next_random(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 33;
}

static inline irr_problem_t problem_of(irr_op_e op, irr_element_type_e type, uint32_t rank,
                                       const int64_t *dims, uint64_t mask) {
    irr_problem_t problem = {.op = op, .type = type, .mask = mask};
    irr_geometry_of(dims, rank, mask, &problem.geometry);
    return problem;
}

static inline irr_problem_t rows_of(irr_op_e op, irr_element_type_e type, int64_t rows,
                                    int64_t set) {
    return problem_of(op, type, 2, (int64_t[]){rows, set}, 2);
}

static inline irr_config_t config_of(irr_backend_e backend, bool reproducible) {
    return (irr_config_t){.backend = backend,
                          .tier = irr_cpu_best_tier(),
                          .reproducible = reproducible,
                          .threads = 2};
}

static inline irr_offer_t offer_of(const irr_problem_t *problem, const irr_config_t *config) {
    irr_offer_t offer = {0};
    irr_backend_onednn.offer(problem, config, &offer);
    assert_true(offer.reason[0]);
    if (offer.serves) {
        assert_true(offer.estimate_us > 0);
        assert_true(offer.kernel[0]);
    }
    return offer;
}

static inline void declines(const irr_problem_t *problem, const irr_config_t *config,
                            const char *why) {
    irr_offer_t offer = offer_of(problem, config);
    if (offer.serves || !strstr(offer.reason, present ? why : "built without oneDNN"))
        fail_msg("%s %s: serves %d, %s", irr_op_info(problem->op)->type,
                 irr_element_type_info(problem->type)->name, offer.serves, offer.reason);
}

/* False in a build without oneDNN, where it is checked that the offer is declined for that. */
static inline bool serves(const irr_problem_t *problem, const irr_config_t *config) {
    if (!present) return declines(problem, config, ""), false;
    irr_offer_t offer = offer_of(problem, config);
    if (!offer.serves)
        fail_msg("%s %s declines: %s", irr_op_info(problem->op)->type,
                 irr_element_type_info(problem->type)->name, offer.reason);
    return true;
}

static inline irr_execution_stats_t run(const irr_problem_t *problem, const irr_config_t *config,
                                        const void *data, void *output) {
    char text[IRR_SENTENCE_BYTES] = "";
    irr_sentence_t sentence = {text, sizeof text};
    void *state = NULL;
    size_t scratch_bytes = 0;
    if (irr_backend_onednn.prepare(problem, config, &state, &scratch_bytes, sentence) != IRR_OK)
        fail_msg("prepare: %s", text);
    void *scratch = irr_malloc_aligned(scratch_bytes);
    irr_executor_t executor = {.threads = config->threads};
    irr_fp_env_t found = irr_fp_enter();
    irr_yield_t yield = {.state = state, .output = output};
    if (irr_backend_onednn.execute(&yield, 1, data, scratch, &executor, sentence) != IRR_OK)
        fail_msg("execute: %s", text);
    irr_fp_leave(found);
    irr_release(scratch);
    irr_backend_onednn.release(state);
    return yield.stats;
}

static inline void begin(void) {
    char version[32];
    irr_onednn_version(version, sizeof version);
    present = strcmp(version, "none") != 0;
    random_state = seed;
    printf("oneDNN %s, seed %llu\n", version, (unsigned long long)seed);
}

#endif
