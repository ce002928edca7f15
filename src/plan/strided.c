/* Copies block by block: the innermost dimensions that are dense anyway are one block.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/strided.h"

#include "base/element_type.h"

#include <string.h>

size_t irr_view_bytes(const irr_tensor_view_t *view) {
    size_t bytes = irr_element_bytes(view->element_type);
    for (uint32_t d = 0; d < view->rank; d++) bytes *= (size_t)view->dims[d];
    return bytes;
}

/* Bytes of the innermost dense block; *outer: dimensions that lie around it. */
static size_t block_bytes(const irr_tensor_view_t *view, uint32_t *outer) {
    size_t bytes = irr_element_bytes(view->element_type);
    uint32_t d = view->rank;
    while (d > 0 && (view->dims[d - 1] == 1 || view->byte_strides[d - 1] == (int64_t)bytes))
        bytes *= (size_t)view->dims[--d];
    *outer = d;
    return bytes;
}

bool irr_view_is_strided(const irr_tensor_view_t *view) {
    uint32_t outer;
    if (!view->byte_strides || irr_view_bytes(view) == 0) return false;
    block_bytes(view, &outer);
    return outer > 0;
}

static void copy(const irr_tensor_view_t *view, char *dense, bool pack) {
    uint32_t outer;
    size_t block = block_bytes(view, &outer), total = irr_view_bytes(view);
    int64_t index[IRR_MAX_RANK] = {0};
    char *at = view->data;
    for (size_t done = 0; done < total; done += block) {
        memcpy(pack ? dense + done : at, pack ? at : dense + done, block);
        for (uint32_t d = outer; d-- > 0;) {
            at += view->byte_strides[d];
            if (++index[d] < view->dims[d]) break;
            at -= view->byte_strides[d] * view->dims[d];
            index[d] = 0;
        }
    }
}

void irr_view_pack(const irr_tensor_view_t *view, void *dense) { copy(view, dense, true); }

void irr_view_unpack(const irr_tensor_view_t *view, const void *dense) {
    copy(view, (char *)dense, false);
}
