/* Bytes from files: opening only what is a regular file, and the constants in a .bin.
 * Never maps a file: one that shrinks while it is used must not raise SIGBUS.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_IR_IR_WEIGHTS_H
#define IRR_IR_IR_WEIGHTS_H

#include "ir/ir_graph.h"

/* A descriptor of a regular file and its size, or a sentence without the path's layer. */
irr_status_e irr_open_regular(const char *path, int *descriptor, uint64_t *size_bytes,
                              irr_sentence_t sentence);

/* Nothing is opened before the first constant asks. */
irr_weights_t *irr_weights_create(const irr_ir_source_t *source);
void irr_weights_release(irr_weights_t *weights);
/* The size of the file. Its failure is remembered, and told only the first time: then "". */
irr_status_e irr_weights_size(irr_weights_t *weights, uint64_t *size_bytes,
                              irr_sentence_t sentence);
const char *irr_weights_path(const irr_weights_t *weights);
irr_status_e irr_weights_copy(irr_weights_t *weights, uint64_t offset, size_t bytes, void *to,
                              irr_sentence_t sentence);

#endif
