/* A kernel: one node of a session's graph.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_ONNXRUNTIME_KERNEL_H
#define IRR_ONNXRUNTIME_KERNEL_H

#include "base/status.h"
#include "ep.h"

#include <pthread.h>
#include <stdatomic.h>

/* Requests at rest; what more threads than these at once make is released again. */
enum { IDLE_REQUESTS = 8 };

typedef struct variant {
    struct variant *next;
    irr_plugin_compiled_t *compiled;
    uint64_t mask; /* where the axes are known */
    uint32_t rank;
    int64_t dims[IRR_MAX_RANK]; /* IRR_DYNAMIC_DIM: takes any */
    _Atomic(irr_plugin_request_t *) idle[IDLE_REQUESTS];
} variant_t;

typedef struct kernel {
    ort_kernel_t face; /* first: the runtime holds a pointer to it */
    const irr_ort_ep_t *ep;
    const ort_t *ort;
    const char *word; /* IR type */
    char name[128];
    irr_element_type_e type;
    size_t element_bytes;
    bool keep_dims;
    irr_empty_axes_e empty_axes;
    bool axes_at_run_time; /* they are input 1 */
    int64_t *axes;         /* else these */
    size_t axes_count;
    _Atomic(variant_t *) variants; /* added at the head, never removed */
    pthread_mutex_t mutex;         /* of adding */
} kernel_t;

/* Compiles the node for data of this rank: of these dims, or with dims NULL of any. */
irr_status_e irr_ort_add_variant(kernel_t *kernel, uint32_t rank, const int64_t *dims,
                                 irr_sentence_t sentence);
ort_status_t *irr_ort_compute(ort_kernel_t *face, ort_context_t *context);
void irr_ort_release_kernel(ort_kernel_t *face);

#endif
