/* The wall between a host (libirreduce.so, or a door to another runtime) and a device library.
 *
 * A host describes a checked graph in the plain structs below; a device compiles it and runs it. A
 * device library exports one symbol, irr_create_plugin_engine. Rules that hold for every function:
 *   - it returns a status; on failure it writes one sentence into the caller's buffer, gives
 *     nothing out and keeps nothing;
 *   - pointers in a struct belong to whoever made the struct and live for the call only: the device
 *     copies names, shapes and constants that it wants to keep;
 *   - a struct begins with its size in bytes; fields and functions are appended, never moved;
 *     a reader looks at no field past the size it was given.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRREDUCE_PLUGIN_H
#define IRREDUCE_PLUGIN_H

#include <irreduce/irreduce.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of this wall. A host refuses a device whose number differs. */
#define IRR_PLUGIN_ABI 1u
#define IRR_MAX_RANK 64u
#define IRR_DYNAMIC_DIM (-1)
/* Rank of a value whose rank follows from the values of axes at infer. */
#define IRR_DYNAMIC_RANK UINT32_MAX
/* Index of a value that is not there: the axes of a layer that has no axes input. */
#define IRR_NO_VALUE UINT32_MAX

/* Where an error's sentence goes: at most capacity_bytes with the closing NUL. text may be NULL. */
typedef struct irr_sentence {
    char *text;
    size_t capacity_bytes;
} irr_sentence_t;

/* ---- the graph ------------------------------------------------------------------------------- */

/* One tensor that flows through the graph. A graph input and a layer's result have data NULL. */
typedef struct irr_graph_value {
    irr_element_type_e element_type;
    uint32_t rank;        /* 0 to IRR_MAX_RANK, or IRR_DYNAMIC_RANK */
    const int64_t *dims;  /* rank numbers, IRR_DYNAMIC_DIM where unknown until infer */
    const void *constant; /* dense row-major bytes of a constant, any alignment; else NULL */
    bool is_constant;     /* tells a constant of 0 elements (NULL bytes) from a variable */
} irr_graph_value_t;

/* What an empty axes list means. OpenVINO: the data unchanged. ONNX: every dimension is reduced, or
 * with noop_with_empty_axes each element is folded by itself. */
typedef enum {
    IRR_EMPTY_AXES_IDENTITY = 0,
    IRR_EMPTY_AXES_FOLD = 1,
    IRR_EMPTY_AXES_ALL = 2
} irr_empty_axes_e;
typedef enum { IRR_DUPLICATE_AXES_ERROR = 0, IRR_DUPLICATE_AXES_MERGE = 1 } irr_duplicate_axes_e;

/* One layer. The numbers of data, axes and output are indices into the graph's values. */
typedef struct irr_graph_layer {
    const char *id;   /* unique text, for messages and profiles */
    const char *name; /* may be "" */
    const char *type; /* IR type word: "ReduceMin", "ReduceSum", ... */
    uint32_t data;
    uint32_t axes; /* a constant, a graph input, or IRR_NO_VALUE (an empty list) */
    uint32_t output;
    bool keep_dims;
    irr_empty_axes_e empty_axes;
    irr_duplicate_axes_e duplicate_axes;
} irr_graph_layer_t;

/* Layers stand in an order of execution: a value is made before it is read. */
typedef struct irr_graph {
    size_t size_bytes; /* sizeof(irr_graph_t) */
    const char *name;
    const irr_graph_value_t *values;
    uint32_t value_count;
    const irr_graph_layer_t *layers;
    uint32_t layer_count;
    const uint32_t *inputs; /* value indices, in the order of infer's inputs */
    uint32_t input_count;
    const uint32_t *outputs; /* value indices, any values: inputs, constants, results */
    uint32_t output_count;
} irr_graph_t;

/* A tensor at infer. Strides in bytes, NULL for dense row-major. data may be NULL for 0 elements;
 * else it is aligned to its element size. */
typedef struct irr_tensor_view {
    void *data;
    irr_element_type_e element_type;
    uint32_t rank;
    const int64_t *dims;
    const int64_t *byte_strides;
} irr_tensor_view_t;

/* ---- what a host may offer ------------------------------------------------------------------- */

/* A host that has its own thread pool hands it over here; infer then runs on it alone. */
typedef struct irr_host_services {
    size_t size_bytes; /* sizeof(irr_host_services_t) */
    void *context;
    /* Runs task(argument, 0 .. count-1), each once, in any order and on any threads, and returns
     * when all are done. */
    void (*parallel_for)(void *context, size_t count, void (*task)(void *argument, size_t index),
                         void *argument);
    uint32_t thread_count; /* how many of them run at once, at least 1 */
} irr_host_services_t;

/* ---- what a device tells --------------------------------------------------------------------- */

/* One row a layer, of the request's last infer. Strings live until its next infer or its release.
 */
typedef struct irr_profile_row {
    size_t size_bytes;   /* filled by the caller: sizeof(irr_profile_row_t) */
    const char *layer;   /* name, or the id where it has none */
    const char *op;      /* IR type word */
    const char *shape;   /* "[6,12,10,24] axes [2,3]" */
    const char *backend; /* "simd", "onednn", "reference", "none" (identity, empty set) */
    const char *kernel;
    const char *tier;         /* "scalar", "avx2", "avx512" */
    uint32_t threads;         /* used by this layer */
    bool executed;            /* false: optimised out */
    uint64_t start_ns;        /* since the infer began */
    uint64_t time_ns;         /* wall clock */
    uint64_t bytes;           /* read and written */
    uint64_t exact_fallbacks; /* outputs that were redone in wider arithmetic */
} irr_profile_row_t;

/* ---- the device ------------------------------------------------------------------------------ */

typedef struct irr_plugin_compiled irr_plugin_compiled_t; /* any thread, any number at once */
typedef struct irr_plugin_request irr_plugin_request_t;   /* one thread at a time */
typedef struct irr_plugin_engine irr_plugin_engine_t;

struct irr_plugin_engine {
    uint32_t abi_number;     /* IRR_PLUGIN_ABI; first for ever */
    uint32_t size_bytes;     /* sizeof(irr_plugin_engine_t) as the device was built */
    const char *description; /* lives as long as the engine, as does the next */
    const char *build_number;

    /* Frees the engine. Compiled models and requests made by it stay usable. */
    void (*release)(irr_plugin_engine_t *engine);

    /* Properties are text. get copies at most capacity bytes with the NUL and sets *needed_bytes
     * to what the whole text takes. An unknown key is IRR_NOT_FOUND, a bad value
     * IRR_PARAMETER_MISMATCH; the sentence lists the right ones. A host calls set_property while no
     * other thread is in this engine, all others on any threads at once. */
    irr_status_e (*set_property)(irr_plugin_engine_t *engine, const char *key, const char *value,
                                 irr_sentence_t sentence);
    irr_status_e (*get_property)(irr_plugin_engine_t *engine, const char *key, char *text,
                                 size_t capacity_bytes, size_t *needed_bytes,
                                 irr_sentence_t sentence);

    /* IRR_OK if the device takes this layer under these properties, else IRR_NOT_IMPLEMENTED with
     * the reason in the sentence. Layers of any type may be asked about; for those that are not
     * reductions data, axes and output are IRR_NO_VALUE. */
    irr_status_e (*query)(irr_plugin_engine_t *engine, const irr_graph_t *graph, uint32_t layer,
                          const irr_property_t *properties, size_t property_count,
                          irr_sentence_t sentence);

    /* Plans the whole graph. Properties win over the engine's own. */
    irr_status_e (*compile)(irr_plugin_engine_t *engine, const irr_graph_t *graph,
                            const irr_property_t *properties, size_t property_count,
                            irr_plugin_compiled_t **compiled, irr_sentence_t sentence);
    void (*release_compiled)(irr_plugin_compiled_t *compiled); /* its requests stay usable */
    irr_status_e (*set_compiled_property)(irr_plugin_compiled_t *compiled, const char *key,
                                          const char *value, irr_sentence_t sentence);
    irr_status_e (*get_compiled_property)(irr_plugin_compiled_t *compiled, const char *key,
                                          char *text, size_t capacity_bytes, size_t *needed_bytes,
                                          irr_sentence_t sentence);

    irr_status_e (*create_request)(irr_plugin_compiled_t *compiled, irr_plugin_request_t **request,
                                   irr_sentence_t sentence);
    void (*release_request)(irr_plugin_request_t *request);

    /* Runs the graph once. The host has bound every shape: inputs and outputs stand in the graph's
     * order, with the dims that follow from the inputs. Outputs do not overlap inputs.
     * services may be NULL. */
    irr_status_e (*infer)(irr_plugin_request_t *request, const irr_tensor_view_t *inputs,
                          const irr_tensor_view_t *outputs, const irr_host_services_t *services,
                          irr_sentence_t sentence);

    /* Copies at most capacity rows, sets *count to how many there are; 0 with PERF_COUNT=NO. */
    irr_status_e (*profile)(irr_plugin_request_t *request, irr_profile_row_t *rows, size_t capacity,
                            size_t *count, irr_sentence_t sentence);
};

#define IRR_CREATE_PLUGIN_ENGINE "irr_create_plugin_engine"
typedef irr_status_e (*irr_create_plugin_engine_f)(uint32_t host_abi_number,
                                                   irr_plugin_engine_t **engine,
                                                   irr_sentence_t sentence);
/* The one symbol of a device library. The engine belongs to the caller until release. */
IRR_API irr_status_e irr_create_plugin_engine(uint32_t host_abi_number,
                                              irr_plugin_engine_t **engine,
                                              irr_sentence_t sentence);

#ifdef __cplusplus
}
#endif
#endif
