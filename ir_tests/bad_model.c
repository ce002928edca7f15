/* Making a bad model from its row.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bad_model.h"

#include <stdlib.h>
#include <string.h>

#include "ir_bad_models.inc"

const size_t bad_model_count = sizeof bad_models / sizeof *bad_models;

void make_bad(bad_case_t *made, const bad_model_t *bad) {
    char path[512];
    size_t bytes;
    made->good = read_whole(good_path(bad->model, ".xml", path, sizeof path), &bytes);
    assert_non_null(made->good);
    made->xml = edited(made->good, bad->line, bad->find, bad->replace);
    made->weights = read_whole(good_path(bad->model, ".bin", path, sizeof path), &bytes);
    if (bad->axes[0] || bad->axes[1]) memcpy(made->weights, bad->axes, sizeof bad->axes);
    made->source = (irr_ir_source_t){.xml = made->xml,
                                     .xml_bytes = strlen(made->xml),
                                     .weights = made->weights,
                                     .weights_bytes = bytes};
}

void release_bad(bad_case_t *made) {
    free(made->good);
    free(made->xml);
    free(made->weights);
}
