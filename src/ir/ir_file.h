/* A read file and how it is shared.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_IR_IR_FILE_H
#define IRR_IR_IR_FILE_H

#include "ir/ir_graph.h"

/* Reads, checks, lists; then `more` (or NULL) while the weights are still open. */
irr_status_e irr_graph_read(const irr_ir_source_t *source,
                            irr_status_e (*more)(irr_ir_graph_t *graph, irr_sentence_t sentence),
                            irr_ir_graph_t **out, irr_sentence_t sentence);
/* Files are immutable and counted; models share them. */
irr_ir_graph_t *irr_graph_retain(irr_ir_graph_t *graph);
void irr_graph_release(irr_ir_graph_t *graph);

#endif
