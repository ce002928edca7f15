/* What the files that judge a graph share: ports with their shapes and types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_IR_IR_CHECK_H
#define IRR_IR_IR_CHECK_H

#include "ir/ir_graph.h"

/* ---- ir_port.c ---- */
/* What a port says of itself: rank unknown for a port without dimensions, type IRR_TYPE_UNKNOWN
 * without a precision. */
void irr_port_declared(const irr_ir_graph_t *graph, const irr_port_t *port, irr_partial_t *shape,
                       uint8_t *type);
/* What was inferred for an output port. */
void irr_port_inferred(const irr_ir_graph_t *graph, const irr_port_t *port, irr_partial_t *shape);
/* Stores it, and lists a problem where the declaration says something else. */
void irr_port_infer(irr_ir_graph_t *graph, uint32_t port, const irr_partial_t *shape, uint8_t type);
/* Shape and type that arrive at an input port; lists a problem where the declaration differs. */
void irr_port_arriving(irr_ir_graph_t *graph, uint32_t port, irr_partial_t *shape, uint8_t *type);
/* The outputs are what they declare: of a layer that is unknown or not understood. */
void irr_trust_outputs(irr_ir_graph_t *graph, uint32_t layer);
/* Lists a problem where a layer has other numbers of ports. */
bool irr_port_counts(irr_ir_graph_t *graph, uint32_t layer, int inputs, int outputs,
                     const char *what);

/* ---- ir_check.c, ir_const.c, ir_reduce.c: a layer of each kind is judged, its outputs inferred --
 */
/* fragment: the layer's number among the lone fragments, for a reduction's axes. */
void irr_check_unknown(irr_ir_graph_t *graph, uint32_t layer, uint32_t fragment);
void irr_check_parameter(irr_ir_graph_t *graph, uint32_t layer, uint32_t fragment);
void irr_check_const(irr_ir_graph_t *graph, uint32_t layer, uint32_t fragment);
void irr_check_reduce(irr_ir_graph_t *graph, uint32_t layer, uint32_t fragment);

/* ---- ir_const.c ---- */
/* Copies the first `most` bytes of a constant that was judged well. */
irr_status_e irr_const_copy(irr_ir_graph_t *graph, const irr_layer_t *layer, size_t most, void *to,
                            irr_sentence_t sentence);
/* Where a well judged constant lies. */
bool irr_const_range(const irr_ir_graph_t *graph, const irr_layer_t *layer, uint64_t *offset,
                     uint64_t *size_bytes);

/* ---- ir_reduce.c ---- */
/* false: the word is none of true, false, 1, 0 in any case */
bool irr_keep_dims(const irr_ir_graph_t *graph, const irr_layer_t *layer, bool *keep_dims);

#endif
