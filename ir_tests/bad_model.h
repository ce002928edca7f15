/* The catalogue of bad models: each is a good one with one edit, and the exact problems that must
 * be listed. SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_BAD_MODEL_H
#define IRR_TESTS_BAD_MODEL_H

#include "ir_source.h"

typedef struct {
    const char *model;
    int line;
    const char *find, *replace;
    int64_t axes[2];
    const char *problems; /* without "<memory>:" */
} bad_model_t;

extern const bad_model_t bad_models[];
extern const size_t bad_model_count;

/* The edited model and its weights, in memory. */
typedef struct {
    char *good, *xml, *weights;
    irr_ir_source_t source;
} bad_case_t;

void make_bad(bad_case_t *made, const bad_model_t *bad);
void release_bad(bad_case_t *made);

#endif
