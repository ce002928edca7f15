/* Tensors with byte strides, to and from dense rows.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_STRIDED_H
#define IRR_PLAN_STRIDED_H

#include <irreduce/plugin.h>

/* Bytes of the view's elements when dense. */
size_t irr_view_bytes(const irr_tensor_view_t *view);
/* False for a view without strides, and for strides that say what dense rows are anyway. */
bool irr_view_is_strided(const irr_tensor_view_t *view);
void irr_view_pack(const irr_tensor_view_t *view, void *dense);
void irr_view_unpack(const irr_tensor_view_t *view, const void *dense);

#endif
