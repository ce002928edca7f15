/* How a model is made of a file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_IR_IR_BUILD_H
#define IRR_IR_IR_BUILD_H

#include "ir/ir_check.h"
#include "ir/ir_file.h"

/* Memory that is freed at once. */
typedef struct irr_arena {
    void **blocks;
    size_t count, room;
} irr_arena_t;

/* A model with its private half. */
typedef struct irr_whole_model {
    irr_ir_model_t face; /* first: a pointer to it is a pointer to the whole */
    irr_ir_graph_t *file;
    uint32_t extracted; /* the one layer of this model; IRR_NONE: the file's net */
    irr_arena_t arena;
} irr_whole_model_t;

/* Zeroed memory that lives as long as the model; NULL: out of memory. */
void *irr_take(irr_whole_model_t *model, size_t count, size_t element_bytes);
/* "a,b\,c" is the two names a and b,c. */
bool irr_split_names(irr_whole_model_t *model, const char *text, irr_ir_port_t *port);
/* Builds the net, or one layer of it, with these shapes of its inputs (NULL: the file's). */
irr_status_e irr_model_build(irr_ir_graph_t *file, uint32_t extracted, const irr_partial_t *inputs,
                             irr_whole_model_t **model, irr_sentence_t sentence);
/* Loads what running needs, while the weights are open: axes everywhere, data of the net. */
irr_status_e irr_load_constants(irr_ir_graph_t *graph, irr_sentence_t sentence);

#endif
