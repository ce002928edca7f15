/* Dimensions: counting, matching, printing; and the two rules of every reduction, which the reader,
 * the device and each door ask here: what the axes mean, and the shape of the result.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_BASE_SHAPE_H
#define IRR_BASE_SHAPE_H

#include "base/status.h"

/* Elements of a fully known shape (1 for rank 0); false if it does not fit a size_t. A dimension
 * of 0 makes 0, whatever the others are. */
bool irr_shape_elements(const int64_t *dims, uint32_t rank, size_t *count);
bool irr_shape_is_dynamic(const int64_t *dims, uint32_t rank);
/* "[6,12,10,24]", a dynamic dimension as "?"; cut to fit. Returns text. */
#define IRR_SHAPE_TEXT_BYTES 1400
char *irr_shape_text(const int64_t *dims, uint32_t rank, char *text, size_t capacity_bytes);

/* "[?,3,1..10,2..]" */
char *irr_ranges_text(const irr_dimension_t *dims, uint32_t rank, char *text,
                      size_t capacity_bytes);

/* Axes: element k of `count` integers of `type` at any alignment. The set is a mask, bit d for
 * dimension d. Values outside [-rank, rank-1] and (unless merged) duplicates fail with a sentence
 * such as "axis 4 is outside [-4, 3] of data [6,12,10,24]". dims are for that sentence alone. An
 * empty list is the empty set, or that of all dimensions. */
irr_status_e irr_axes_mask(const void *values, irr_element_type_e type, size_t count,
                           const int64_t *dims, uint32_t rank, irr_duplicate_axes_e duplicates,
                           irr_empty_axes_e empty, uint64_t *mask, irr_sentence_t sentence);
/* The k-th integer; false when it is above INT64_MAX (u64 only). */
bool irr_integer_at(const void *values, irr_element_type_e type, size_t k, int64_t *value);

/* The result's dims: reduced ones are 1 or gone. out has room for rank numbers. */
void irr_reduced_shape(const int64_t *dims, uint32_t rank, uint64_t mask, bool keep_dims,
                       int64_t *out, uint32_t *out_rank);

/* ---- the shapes of a graph's values at infer; every host with a graph view asks here ---- */

/* `layer 3 "norm" (ReduceL2): ` before the sentence of a failure. */
irr_status_e irr_fail_layer(irr_sentence_t to, irr_status_e status, const irr_graph_layer_t *layer);

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
