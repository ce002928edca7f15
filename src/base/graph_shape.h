/* The shapes of a graph's values at infer. Every host with a graph view asks here.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_BASE_GRAPH_SHAPE_H
#define IRR_BASE_GRAPH_SHAPE_H

#include "base/status.h"

typedef struct irr_bound_shape {
    uint32_t rank;
    int64_t dims[IRR_MAX_RANK];
} irr_bound_shape_t;

/* Type, rank and dims of an input against the graph's, or against ranges where there are any. */
irr_status_e irr_check_tensor(const irr_graph_value_t *value, const irr_dimension_t *ranges,
                              const irr_tensor_view_t *tensor, irr_sentence_t sentence);
/* Checks the inputs' types and dims against the graph's (IRR_PARAMETER_MISMATCH) and binds the
 * shape of every value; shapes has room for value_count. Where a shape depends on the values of
 * axes, that input is read: dense. Allocates nothing, locks nothing; any thread. */
irr_status_e irr_graph_bind_shapes(const irr_graph_t *graph, const irr_tensor_view_t *inputs,
                                   irr_bound_shape_t *shapes, irr_sentence_t sentence);

#endif
