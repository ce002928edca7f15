/* The provider's objects: a factory makes one ep for a session, an ep makes kernels for its nodes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_ONNXRUNTIME_EP_H
#define IRR_ONNXRUNTIME_EP_H

#include "host.h"

#include <irreduce/plugin.h>

#define IRR_EP_NAME "IrreduceExecutionProvider"

typedef struct irr_ort_operator irr_ort_operator_t;
typedef struct irr_ort_ep irr_ort_ep_t;

/* What the runtime hands back when it wants a kernel. */
typedef struct {
    irr_ort_ep_t *ep;
    const irr_ort_operator_t *row;
} irr_ort_maker_t;

enum { IRR_ORT_OPERATORS = 7 };

struct irr_ort_ep {
    ort_ep_t face; /* first: the runtime holds a pointer to it */
    const ort_t *ort;
    irr_plugin_engine_t *engine;
    ort_registry_t *registry;
    irr_ort_maker_t makers[IRR_ORT_OPERATORS];
};

/* ---- operators.c ---- */

struct irr_ort_operator {
    const char *type;    /* ONNX's word, and the IR's */
    const char *boolean; /* what it is on booleans; NULL: nothing */
    int newest;          /* the last version whose meaning is this */
};
extern const irr_ort_operator_t irr_ort_operators[IRR_ORT_OPERATORS];
/* ONNX Runtime's number of an element type -> ours; IRR_DYNAMIC where it has none. */
irr_element_type_e irr_ort_element_type(int type);
/* Fills ep->registry with a kernel for each operator. */
ort_status_t *irr_ort_register(irr_ort_ep_t *ep);

/* ---- node.c, kernel.c ---- */

ort_status_t *irr_ort_create_kernel(void *maker, const ort_node_info_t *info,
                                    ort_kernel_t **kernel);
/* A failed call's sentence as the runtime's status. */
ort_status_t *irr_ort_status(const ort_t *ort, irr_status_e status, const char *sentence);

#endif
