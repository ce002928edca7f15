/* The compiled graph and its plans, shared by the files that make, run and explain them.
 * A compiled model is the graph copied and checked; a plan is that graph at one set of shapes and
 * axes. A request runs a plan. Lives here: these objects. May not: arithmetic on elements.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_COMPILED_H
#define IRR_PLAN_COMPILED_H

#include "base/element_type.h"
#include "base/memory.h"
#include "plan/backend.h"

#include <stdatomic.h>
#include <string.h>

#define IRR_PLAN_CACHE_CAPACITY 64

/* ---- the graph, copied ---- */

typedef struct irr_value {
    irr_graph_value_t is; /* its constant aligned */
    bool given;           /* an input or a constant */
    uint32_t readers;     /* layers that take it as their data */
    uint32_t maker;       /* the layer whose output it is, or IRR_NO_LAYER */
    uint32_t output;      /* the graph's first that it is, or IRR_NO_VALUE */
} irr_value_t;

#define IRR_NO_LAYER UINT32_MAX

typedef struct irr_layer {
    irr_graph_layer_t is;
    irr_op_e op;
    uint32_t axes_input; /* graph input of run-time axes, or IRR_NO_VALUE */
    uint64_t mask;       /* where the axes are known */
    /* What it reads and over which axes: its data and mask, unless it does the work of the layers
     * before it as well (chains.c), which then do nothing. */
    uint32_t source;
    uint64_t source_mask;
    uint64_t places;      /* dimensions of the source that those of its output are */
    uint32_t folded_into; /* the layer that does its work, or IRR_NO_LAYER */
} irr_layer_t;

/* ---- one set of shapes ---- */

/* A layer's part of the work: of the layer with the same number. Siblings, layers that reduce one
 * tensor over the same axes, may be executed in one pass: by the first of them, in the order of the
 * list. */
typedef struct irr_step {
    const irr_backend_t *backend; /* NULL: there is nothing to do */
    void *state;
    uint64_t mask;         /* of the axes of its work */
    uint32_t first, next;  /* of its pass; itself and IRR_NO_LAYER where it is alone */
    uint32_t length;       /* of a pass' first: how many they are */
    irr_profile_row_t row; /* what no execution changes, once a profile asked */
} irr_step_t;

typedef struct irr_plan {
    const irr_plugin_compiled_t *compiled; /* which outlives it */
    atomic_uint users;                     /* the cache and requests */
    irr_arena_t memory;        /* of what follows, once it is made under the model's lock */
    int64_t *key;              /* threads, dims of every input, each layer's run-time mask */
    irr_step_t *steps;         /* one a layer */
    irr_tensor_view_t *shapes; /* by value, as is the next: no data, no strides */
    size_t *offsets;           /* in the request's memory; SIZE_MAX: not there */
    size_t scratch_offset, scratch_bytes, memory_bytes;
} irr_plan_t;

struct irr_plugin_compiled {
    atomic_uint users; /* the host and requests */
    irr_config_t config;
    atomic_bool profile; /* these two may change after compilation */
    atomic_uint threads;
    irr_arena_t memory; /* of what follows */
    char *name;
    irr_value_t *values;
    irr_layer_t *layers;
    uint32_t *inputs, *outputs;
    uint32_t value_count, layer_count, input_count, output_count;
    size_t key_count, key_masks;                /* numbers in a plan's key; the first mask */
    bool is_static;                             /* but for threads, every key is the same */
    irr_plan_t *cache[IRR_PLAN_CACHE_CAPACITY]; /* last used first; under the model's lock */
};

/* ---- compiled.c ---- */

/* Whether the device takes this layer of the graph; no name in the sentence. mask: the axes, where
 * they are known. */
irr_status_e irr_layer_admit(const irr_graph_t *graph, const irr_graph_layer_t *layer, irr_op_e *op,
                             uint64_t *mask, irr_sentence_t sentence);
irr_status_e irr_compiled_create(const irr_graph_t *graph, const irr_config_t *config,
                                 irr_plugin_compiled_t **compiled, irr_sentence_t sentence);
void irr_compiled_release(irr_plugin_compiled_t *compiled); /* one user less; NULL does nothing */

/* ---- plan.c ---- */

/* The plan of this key, from the cache or new; the caller becomes a user. */
irr_status_e irr_plan_acquire(irr_plugin_compiled_t *compiled, const int64_t *key,
                              irr_plan_t **plan, irr_sentence_t sentence);
void irr_plan_release(irr_plan_t *plan); /* one user less; NULL does nothing */
/* What the layer is to do in this plan, for the backends. */
void irr_plan_problem(const irr_plan_t *plan, uint32_t layer, irr_problem_t *problem,
                      irr_config_t *config);

/* ---- chains.c ---- */

/* Lets the last of several reductions in a row do the work of all, where no bit can tell. */
void irr_fold_chains(irr_plugin_compiled_t *compiled);

/* ---- explain.c: a plan in words, which are worked out when somebody asks ---- */

/* JSON of IRREDUCE_EXPLAIN, by the plan last used. */
void irr_compiled_explain(irr_plugin_compiled_t *compiled, irr_writer_t *writer);
/* A layer's row of a profile, but for what an execution tells. NULL: out of memory. */
const irr_profile_row_t *irr_plan_row(irr_plan_t *plan, uint32_t layer);

/* ---- request.c: one inference at a time, on the plan that its shapes ask for ---- */

/* The four functions of the wall that a request is behind. */
irr_status_e irr_request_create(irr_plugin_compiled_t *compiled, irr_plugin_request_t **request,
                                irr_sentence_t sentence);
void irr_request_release(irr_plugin_request_t *request);
/* Of dense rows, which fit. */
size_t irr_view_bytes(const irr_tensor_view_t *view);
irr_status_e irr_request_infer(irr_plugin_request_t *request, const irr_tensor_view_t *inputs,
                               const irr_tensor_view_t *outputs,
                               const irr_host_services_t *services, irr_sentence_t sentence);
irr_status_e irr_request_profile(irr_plugin_request_t *request, irr_profile_row_t *rows,
                                 size_t capacity, size_t *count, irr_sentence_t sentence);

/* ---- properties.c: text on the outside, irr_config_t inside ---- */

/* Whose property is set or read: a compiled model takes fewer than a device. */
typedef enum { IRR_OF_DEVICE = 1, IRR_OF_COMPILED = 2 } irr_property_owner_e;

/* Known to a compiled model alone, which prints them itself. */
#define IRR_KEY_MODEL_NAME "NETWORK_NAME"
#define IRR_KEY_EXPLAIN "IRREDUCE_EXPLAIN"

/* The defaults, and what the environment says of those keys that listen to it. */
irr_status_e irr_config_default(irr_config_t *config, irr_sentence_t sentence);
/* config is changed by the whole set of properties or not at all. */
irr_status_e irr_config_set(irr_config_t *config, const irr_property_t *properties, size_t count,
                            irr_property_owner_e owner, irr_sentence_t sentence);
irr_status_e irr_config_get(const irr_config_t *config, const char *key, irr_property_owner_e owner,
                            irr_writer_t *writer, irr_sentence_t sentence);

/* ---- lock.c: the locks of planning ----
 * A thread that forks while another one plans would leave the child a lock that nobody opens, and
 * oneDNN's own in whatever state they are: so a fork waits until no thread plans. Short locks,
 * never two at once, none on the path of an infer whose plan is there. */

/* The lock of this object, which may be that of others too: hold one at a time. */
void irr_lock(const void *object);
void irr_unlock(const void *object);

#endif
