/* What this door uses of ONNX Runtime's C interface, in our own words: it comes as tables of
 * function pointers that only ever grow at their end, so a function is its place in its table.
 * Lives here: places, signatures, the structs that the runtime reads. May not: anything of ours.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_ONNXRUNTIME_HOST_H
#define IRR_ONNXRUNTIME_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The interface of 1.24, the first with kernels in a plugin. */
#define ORT_VERSION 24
#define ORT_VERSION_TEXT "1.24"

/* The runtime's objects. A status is NULL where all went well; else it is the caller's. */
typedef struct ort_status ort_status_t;
typedef struct ort_value ort_value_t;
typedef struct ort_type ort_type_t;
typedef struct ort_shape ort_shape_t;
typedef struct ort_options ort_options_t;
typedef struct ort_pairs ort_pairs_t;
typedef struct ort_graph ort_graph_t;
typedef struct ort_node ort_node_t;
typedef struct ort_node_info ort_node_info_t;
typedef struct ort_context ort_context_t;
typedef struct ort_device ort_device_t;
typedef struct ort_ep_device ort_ep_device_t;
typedef struct ort_support ort_support_t;
typedef struct ort_registry ort_registry_t;
typedef struct ort_builder ort_builder_t;
typedef struct ort_definition ort_definition_t;
typedef struct ort_data_type ort_data_type_t;
typedef struct ort_kernel ort_kernel_t;
typedef struct ort_ep ort_ep_t;
typedef struct ort_factory ort_factory_t;
typedef void (*ort_any_f)(void);

typedef struct {
    const ort_any_f *(*table)(uint32_t version); /* NULL: the runtime is older */
    const char *(*version_text)(void);
} ort_base_t;

/* Codes of a status, element types, kinds of hardware: the runtime's numbers. */
enum { ORT_FAIL = 1, ORT_INVALID_ARGUMENT = 2, ORT_NOT_IMPLEMENTED = 9 };
enum {
    ORT_FLOAT = 1,
    ORT_UINT8 = 2,
    ORT_INT8 = 3,
    ORT_INT32 = 6,
    ORT_INT64 = 7,
    ORT_BOOL = 9,
    ORT_FLOAT16 = 10,
    ORT_DOUBLE = 11,
    ORT_UINT32 = 12,
    ORT_UINT64 = 13,
    ORT_BFLOAT16 = 16
};
enum { ORT_CPU = 0 };

typedef ort_status_t *(*ort_create_kernel_f)(void *state, const ort_node_info_t *info,
                                             ort_kernel_t **kernel);

/* ORT_FUNCTION(place, result, name, arguments) of the main table. */
#define ORT_MAIN_TABLE                                                                             \
    ORT_FUNCTION(0, ort_status_t *, create_status, (int code, const char *sentence))               \
    ORT_FUNCTION(51, ort_status_t *, tensor_data, (ort_value_t *, void **data))                    \
    ORT_FUNCTION(55, ort_status_t *, shape_of_type, (const ort_type_t *, const ort_shape_t **))    \
    ORT_FUNCTION(60, ort_status_t *, shape_element_type, (const ort_shape_t *, int *type))         \
    ORT_FUNCTION(61, ort_status_t *, shape_rank, (const ort_shape_t *, size_t *rank))              \
    ORT_FUNCTION(62, ort_status_t *, shape_dims, (const ort_shape_t *, int64_t *, size_t rank))    \
    ORT_FUNCTION(86, ort_status_t *, info_integer,                                                 \
                 (const ort_node_info_t *, const char *name, int64_t *value))                      \
    ORT_FUNCTION(90, ort_status_t *, context_input,                                                \
                 (const ort_context_t *, size_t index, const ort_value_t **))                      \
    ORT_FUNCTION(                                                                                  \
        91, ort_status_t *, context_output,                                                        \
        (ort_context_t *, size_t index, const int64_t *dims, size_t rank, ort_value_t **))         \
    ORT_FUNCTION(93, void, release_status, (ort_status_t *))                                       \
    ORT_FUNCTION(98, void, release_type, (ort_type_t *))                                           \
    ORT_FUNCTION(163, ort_status_t *, info_integers,                                               \
                 (const ort_node_info_t *, const char *name, int64_t *values, size_t *count))      \
    ORT_FUNCTION(230, ort_status_t *, info_input_count, (const ort_node_info_t *, size_t *count))  \
    ORT_FUNCTION(234, ort_status_t *, info_input_type,                                             \
                 (const ort_node_info_t *, size_t index, ort_type_t **))                           \
    ORT_FUNCTION(244, ort_status_t *, info_name,                                                   \
                 (const ort_node_info_t *, char *name, size_t *bytes))                             \
    ORT_FUNCTION(249, ort_status_t *, info_constant,                                               \
                 (const ort_node_info_t *, size_t index, int *is_constant, const ort_value_t **))  \
    ORT_FUNCTION(274, ort_status_t *, context_parallel_for,                                        \
                 (const ort_context_t *, void (*task)(void *argument, size_t index), size_t count, \
                  size_t batches, void *argument))                                                 \
    ORT_FUNCTION(298, void, pairs,                                                                 \
                 (const ort_pairs_t *, const char *const **keys, const char *const **values,       \
                  size_t *count))                                                                  \
    ORT_FUNCTION(300, void, release_pairs, (ort_pairs_t *))                                        \
    ORT_FUNCTION(307, int, device_kind, (const ort_device_t *))                                    \
    ORT_FUNCTION(317, const ort_any_f *, ep_table, (void))                                         \
    ORT_FUNCTION(344, ort_status_t *, graph_node_count, (const ort_graph_t *, size_t *count))      \
    ORT_FUNCTION(345, ort_status_t *, graph_nodes,                                                 \
                 (const ort_graph_t *, const ort_node_t **nodes, size_t count))                    \
    ORT_FUNCTION(379, ort_status_t *, options_entries, (const ort_options_t *, ort_pairs_t **))    \
    ORT_FUNCTION(390, bool, shape_is_known, (const ort_shape_t *))                                 \
    ORT_FUNCTION(414, ort_status_t *, tensor_shape,                                                \
                 (const ort_value_t *, int *type, const int64_t **dims, size_t *rank))

/* The same of the table for execution providers. */
#define ORT_EP_TABLE                                                                               \
    ORT_FUNCTION(0, ort_status_t *, create_ep_device,                                              \
                 (ort_factory_t *, const ort_device_t *, const void *metadata,                     \
                  const void *options, ort_ep_device_t **))                                        \
    ORT_FUNCTION(3, ort_status_t *, support_node, (ort_support_t *, const ort_node_t *))           \
    ORT_FUNCTION(18, ort_status_t *, create_registry, (ort_registry_t **))                         \
    ORT_FUNCTION(19, void, release_registry, (ort_registry_t *))                                   \
    ORT_FUNCTION(20, ort_status_t *, registry_add,                                                 \
                 (ort_registry_t *, const ort_definition_t *, ort_create_kernel_f, void *state))   \
    ORT_FUNCTION(21, ort_status_t *, create_builder, (ort_builder_t **))                           \
    ORT_FUNCTION(22, void, release_builder, (ort_builder_t *))                                     \
    ORT_FUNCTION(23, ort_status_t *, builder_operator, (ort_builder_t *, const char *type))        \
    ORT_FUNCTION(24, ort_status_t *, builder_domain, (ort_builder_t *, const char *domain))        \
    ORT_FUNCTION(25, ort_status_t *, builder_versions, (ort_builder_t *, int first, int last))     \
    ORT_FUNCTION(26, ort_status_t *, builder_provider, (ort_builder_t *, const char *name))        \
    ORT_FUNCTION(29, ort_status_t *, builder_types,                                                \
                 (ort_builder_t *, const char *constraint, const ort_data_type_t *const *types,    \
                  size_t count))                                                                   \
    ORT_FUNCTION(32, ort_status_t *, builder_build, (ort_builder_t *, ort_definition_t **))        \
    ORT_FUNCTION(33, void, release_definition, (ort_definition_t *))                               \
    ORT_FUNCTION(40, ort_status_t *, data_type, (int element_type, const ort_data_type_t **))      \
    ORT_FUNCTION(41, ort_status_t *, support_find,                                                 \
                 (ort_support_t *, const ort_node_t *, const ort_definition_t **found))

#define ORT_FUNCTION(place, result, name, arguments) result(*name) arguments;
typedef struct {
    ORT_MAIN_TABLE
    ORT_EP_TABLE
} ort_t;
#undef ORT_FUNCTION

/* Structs that we fill and the runtime reads: a version, then functions by place. Those that we
 * leave NULL are optional, as is whatever later versions append. */
struct ort_kernel {
    uint32_t version, flags;
    ort_status_t *(*compute)(ort_kernel_t *kernel, ort_context_t *context);
    void (*release)(ort_kernel_t *kernel);
    ort_status_t *(*prepack)(ort_kernel_t *kernel, const ort_value_t *constant, int index,
                             void *allocator, void *cache, bool *is_packed);
    ort_any_f unused;
};

struct ort_ep {
    uint32_t version;
    const char *(*name)(const ort_ep_t *ep);
    ort_status_t *(*capability)(ort_ep_t *ep, const ort_graph_t *graph, ort_support_t *support);
    ort_any_f unused[10];
    ort_status_t *(*registry)(ort_ep_t *ep, const ort_registry_t **registry);
    ort_any_f unused_either[1];
};

struct ort_factory {
    uint32_t version;
    const char *(*name)(const ort_factory_t *factory);
    const char *(*vendor)(const ort_factory_t *factory);
    ort_status_t *(*devices)(ort_factory_t *factory, const ort_device_t *const *hardware,
                             size_t hardware_count, ort_ep_device_t **devices, size_t capacity,
                             size_t *count);
    ort_status_t *(*create_ep)(ort_factory_t *factory, const ort_device_t *const *hardware,
                               const void *const *metadata, size_t count,
                               const ort_options_t *options, const void *logger, ort_ep_t **ep);
    void (*release_ep)(ort_factory_t *factory, ort_ep_t *ep);
    uint32_t (*vendor_id)(const ort_factory_t *factory);
    const char *(*product_version)(const ort_factory_t *factory);
    ort_any_f unused[3];
    ort_status_t *(*data_transfer)(ort_factory_t *factory, void **transfer);
    ort_any_f unused_either[6];
};

#endif
