/* How a model is made of a file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_IR_IR_BUILD_H
#define IRR_IR_IR_BUILD_H

#include "ir/ir_graph.h"

/* What a model is made of; its clones share it. */
struct irr_parts {
    irr_ir_graph_t *file;
    uint32_t extracted; /* the one layer of the model; IRR_NONE: the file's net */
    int references;
    irr_arena_t memory;
};

/* Builds the net, or one layer of it, with these shapes of its inputs (NULL: the file's). */
irr_status_e irr_model_build(irr_ir_graph_t *file, uint32_t extracted, const irr_partial_t *inputs,
                             irr_ir_model_t **model, irr_sentence_t sentence);

#endif
