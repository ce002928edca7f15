/* irreduce: the whole public C API, in the order of a program's life.
 *
 * Nouns, verbs, argument order and numbers are those of OpenVINO's C API with `ov_` spelled `irr_`:
 * status first, outputs last, opaque `_t` types, one `_free` a type, any order of freeing is legal.
 * Where OpenVINO takes `...`, these take a count and an array of irr_property_t.
 * A failing call leaves nothing behind, sets its output pointer to NULL and its one sentence is in
 * irr_get_last_err_msg(). The library never prints, aborts or exits.
 *
 * Threads: one core, model and compiled model may be used by any number of threads at once (save
 * irr_model_reshape); an infer request by one at a time, a second call gets IRR_REQUEST_BUSY.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRREDUCE_IRREDUCE_H
#define IRREDUCE_IRREDUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IRR_API __attribute__((visibility("default")))

/* ---- status and element types: OpenVINO's words and numbers, frozen ------------------------- */

typedef enum {
    IRR_OK = 0,
    IRR_GENERAL_ERROR = -1,
    IRR_NOT_IMPLEMENTED = -2, /* a layer or element type that the device does not take */
    IRR_NETWORK_NOT_LOADED = -3,
    IRR_PARAMETER_MISMATCH = -4, /* tensor type or shape, property value, taken name, ABI number */
    IRR_NOT_FOUND = -5,          /* name, file, device, symbol, property key */
    IRR_OUT_OF_BOUNDS = -6,      /* an index */
    IRR_UNEXPECTED = -7,
    IRR_REQUEST_BUSY = -8,
    IRR_RESULT_NOT_READY = -9,
    IRR_NOT_ALLOCATED = -10, /* memory */
    IRR_INFER_NOT_STARTED = -11,
    IRR_NETWORK_NOT_READ = -12, /* anything wrong in a model file */
    IRR_INFER_CANCELLED = -13,
    IRR_INVALID_C_PARAM = -14, /* NULL, or a number that is no enumerator */
    IRR_UNKNOWN_C_ERROR = -15,
    IRR_NOT_IMPLEMENT_C_METHOD = -16,
    IRR_UNKNOW_EXCEPTION = -17
} irr_status_e;

typedef enum {
    IRR_DYNAMIC = 0,
    IRR_BOOLEAN = 1,
    IRR_BF16 = 2,
    IRR_F16 = 3,
    IRR_F32 = 4,
    IRR_F64 = 5,
    IRR_I4 = 6,
    IRR_I8 = 7,
    IRR_I16 = 8,
    IRR_I32 = 9,
    IRR_I64 = 10,
    IRR_U1 = 11,
    IRR_U2 = 12,
    IRR_U3 = 13,
    IRR_U4 = 14,
    IRR_U6 = 15,
    IRR_U8 = 16,
    IRR_U16 = 17,
    IRR_U32 = 18,
    IRR_U64 = 19,
    IRR_NF4 = 20,
    IRR_F8E4M3 = 21,
    IRR_F8E5M3 = 22,
    IRR_STRING = 23,
    IRR_F4E2M1 = 24,
    IRR_F8E8M0 = 25
} irr_element_type_e;

/* A property: OpenVINO's keys and values as text. The strings are copied by every call. */
typedef struct {
    const char *key;
    const char *value;
} irr_property_t;

/* ---- messages, versions, memory -------------------------------------------------------------- */

/* What a status means in general; a constant text for any number. */
IRR_API const char *irr_get_error_info(irr_status_e status);
/* The enumerator's word without IRR_, "PARAMETER_MISMATCH"; NULL for a number that is none. */
IRR_API const char *irr_get_status_word(irr_status_e status);
/* The sentence of this thread's last failing call, "" if none failed. The library's: it lives until
 * the thread's next failing call. */
IRR_API const char *irr_get_last_err_msg(void);
/* Frees a text that a function gave out. NULL, and irr_get_last_err_msg()'s, do nothing. */
IRR_API void irr_free(const char *content);

typedef struct irr_version {
    const char *buildNumber; /* "0.1.0" */
    const char *description; /* "irreduce 0.1.0, libxml2 2.9.14" */
} irr_version_t;

IRR_API irr_status_e irr_get_version(irr_version_t *version);
IRR_API void irr_version_free(irr_version_t *version);

/* The word of the IR, "f32"; NULL for a number that is no enumerator. A constant text. */
IRR_API const char *irr_get_element_type_name(irr_element_type_e type);
IRR_API irr_status_e irr_get_element_type_by_name(const char *name, irr_element_type_e *type);

/* ---- dimensions and shapes ------------------------------------------------------------------- */

/* From min to max; equal: static. {0, -1}, or {-1, -1} as OpenVINO gives it: any. */
typedef struct irr_dimension {
    int64_t min;
    int64_t max;
} irr_dimension_t;

typedef irr_dimension_t irr_rank_t;

typedef struct {
    int64_t rank;
    int64_t *dims; /* NULL is legal for rank 0 */
} irr_shape_t;

typedef struct irr_partial_shape {
    irr_rank_t rank;
    irr_dimension_t *dims;
} irr_partial_shape_t;

IRR_API bool irr_dimension_is_dynamic(const irr_dimension_t dim);
IRR_API bool irr_rank_is_dynamic(const irr_rank_t rank);

/* Copies dims; freed with irr_shape_free. */
IRR_API irr_status_e irr_shape_create(const int64_t rank, const int64_t *dims, irr_shape_t *shape);
IRR_API irr_status_e irr_shape_free(irr_shape_t *shape);

/* Each is freed with irr_partial_shape_free. A dynamic rank takes no dims. */
IRR_API irr_status_e irr_partial_shape_create(const int64_t rank, const irr_dimension_t *dims,
                                              irr_partial_shape_t *partial_shape);
IRR_API irr_status_e irr_partial_shape_create_dynamic(const irr_rank_t rank,
                                                      const irr_dimension_t *dims,
                                                      irr_partial_shape_t *partial_shape);
IRR_API irr_status_e irr_partial_shape_create_static(const int64_t rank, const int64_t *dims,
                                                     irr_partial_shape_t *partial_shape);
IRR_API void irr_partial_shape_free(irr_partial_shape_t *partial_shape);
/* IRR_PARAMETER_MISMATCH if it is dynamic. */
IRR_API irr_status_e irr_partial_shape_to_shape(const irr_partial_shape_t partial_shape,
                                                irr_shape_t *shape);
IRR_API irr_status_e irr_shape_to_partial_shape(const irr_shape_t shape,
                                                irr_partial_shape_t *partial_shape);
IRR_API bool irr_partial_shape_is_dynamic(const irr_partial_shape_t partial_shape);
/* "[?,3,1..10]"; freed with irr_free. NULL when memory is out. */
IRR_API const char *irr_partial_shape_to_string(const irr_partial_shape_t partial_shape);

/* ---- tensors: dense, row-major --------------------------------------------------------------- */

typedef struct irr_tensor irr_tensor_t;

/* Memory of the library, zeroed, aligned to 64 bytes. */
IRR_API irr_status_e irr_tensor_create(const irr_element_type_e type, const irr_shape_t shape,
                                       irr_tensor_t **tensor);
/* The caller's memory, which outlives the tensor; aligned to its element size; NULL is legal for 0
 * elements. */
IRR_API irr_status_e irr_tensor_create_from_host_ptr(const irr_element_type_e type,
                                                     const irr_shape_t shape, void *host_ptr,
                                                     irr_tensor_t **tensor);
/* Never grows a host pointer; the library's memory may move, its old contents may be lost. */
IRR_API irr_status_e irr_tensor_set_shape(irr_tensor_t *tensor, const irr_shape_t shape);
IRR_API irr_status_e irr_tensor_get_shape(const irr_tensor_t *tensor, irr_shape_t *shape);
IRR_API irr_status_e irr_tensor_get_element_type(const irr_tensor_t *tensor,
                                                 irr_element_type_e *type);
IRR_API irr_status_e irr_tensor_get_size(const irr_tensor_t *tensor, size_t *elements_size);
IRR_API irr_status_e irr_tensor_get_byte_size(const irr_tensor_t *tensor, size_t *byte_size);
IRR_API irr_status_e irr_tensor_data(const irr_tensor_t *tensor, void **data);
IRR_API void irr_tensor_free(irr_tensor_t *tensor);

/* ---- the core and its devices ---------------------------------------------------------------- */

typedef struct irr_core irr_core_t;
typedef struct irr_model irr_model_t;
typedef struct irr_compiled_model irr_compiled_model_t;
typedef struct irr_infer_request irr_infer_request_t;

/* Devices come from plugins.xml beside the library; without that file there are none. */
IRR_API irr_status_e irr_core_create(irr_core_t **core);
/* From another plugins.xml; a missing or bad file is an error. */
IRR_API irr_status_e irr_core_create_with_config(const char *xml_config_file, irr_core_t **core);
IRR_API void irr_core_free(irr_core_t *core);

/* Loads the device library at once. A relative path is looked up beside this library and nowhere
 * else. A taken name, no file, a missing symbol and a wrong ABI number fail. */
IRR_API irr_status_e irr_core_register_plugin(const irr_core_t *core, const char *path,
                                              const char *device_name);
/* What was compiled with it stays usable. */
IRR_API irr_status_e irr_core_unregister_plugin(const irr_core_t *core, const char *device_name);

typedef struct {
    char **devices;
    size_t size;
} irr_available_devices_t;

/* All that are registered, in that order; no library is loaded. */
IRR_API irr_status_e irr_core_get_available_devices(const irr_core_t *core,
                                                    irr_available_devices_t *devices);
IRR_API void irr_available_devices_free(irr_available_devices_t *devices);

typedef struct {
    const char *device_name;
    irr_version_t version;
} irr_core_version_t;

typedef struct {
    irr_core_version_t *versions;
    size_t size;
} irr_core_version_list_t;

IRR_API irr_status_e irr_core_get_versions_by_device_name(const irr_core_t *core,
                                                          const char *device_name,
                                                          irr_core_version_list_t *versions);
IRR_API void irr_core_versions_free(irr_core_version_list_t *versions);

/* Keys. The first eight are OpenVINO's, the rest our own; what a device knows it tells under
 * SUPPORTED_PROPERTIES. */
IRR_API extern const char *const irr_property_key_supported_properties;
IRR_API extern const char *const irr_property_key_optimal_number_of_infer_requests;
IRR_API extern const char *const irr_property_key_device_full_name; /* FULL_DEVICE_NAME */
IRR_API extern const char *const irr_property_key_num_streams;
IRR_API extern const char *const irr_property_key_inference_num_threads;
IRR_API extern const char *const irr_property_key_hint_performance_mode; /* PERFORMANCE_HINT */
IRR_API extern const char *const irr_property_key_hint_execution_mode;   /* EXECUTION_MODE_HINT */
IRR_API extern const char *const irr_property_key_enable_profiling;      /* PERF_COUNT */
IRR_API extern const char *const irr_property_key_backend;               /* IRREDUCE_BACKEND */
IRR_API extern const char *const irr_property_key_isa;                   /* IRREDUCE_ISA */
IRR_API extern const char *const irr_property_key_reproducible;          /* IRREDUCE_REPRODUCIBLE */
IRR_API extern const char *const irr_property_key_prefetch;              /* IRREDUCE_PREFETCH */
IRR_API extern const char *const irr_property_key_explain; /* IRREDUCE_EXPLAIN, compiled model */
IRR_API extern const char *const irr_property_key_tiers;   /* IRREDUCE_TIERS, "scalar avx2" */
IRR_API extern const char
    *const irr_property_key_onednn_version; /* IRREDUCE_ONEDNN_VERSION, "none" */

/* device_name NULL: every device, until one fails. On one device all are set, or none. */
IRR_API irr_status_e irr_core_set_properties(const irr_core_t *core, const char *device_name,
                                             const size_t num_properties,
                                             const irr_property_t *properties);
/* The value is freed with irr_free. */
IRR_API irr_status_e irr_core_get_property(const irr_core_t *core, const char *device_name,
                                           const char *property_key, char **property_value);

/* ---- checking a file ------------------------------------------------------------------------- */

/* Axes for a lone <layer> fragment. */
typedef struct {
    const int64_t *values;
    size_t size;
} irr_axes_t;

/* A finding about a file. */
typedef struct {
    const char *file;
    int64_t line;         /* 0: none */
    const char *layer_id; /* these three are NULL where it belongs to no layer */
    const char *layer_name;
    const char *type; /* IR type word of the layer */
    irr_status_e status;
    const char *message; /* the sentence without file, line and layer */
    const char *text;    /* all of it: `model.xml:14: layer 3 "norm" (ReduceL2): ...` */
} irr_check_problem_t;

typedef struct {
    const char *file;
    size_t layers;
    size_t reduce_layers;
    irr_check_problem_t *problems;
    size_t size;
    irr_check_problem_t *unknown_layers; /* not known, so their declared ports are trusted */
    size_t unknown_size;
    const void *owner; /* the library's */
    size_t fragments;  /* lone <layer>s, in a file of these */
} irr_check_report_t;

/* Finds every problem of one file. weights_path NULL: the model's path with .bin; axes: the k-th
 * for the k-th fragment, one serves all. Problems, a file that cannot be opened too, are the
 * result: the call itself fails only without memory or with a NULL. */
IRR_API irr_status_e irr_check(const char *model_path, const char *weights_path,
                               const irr_axes_t *axes, const size_t axes_size,
                               irr_check_report_t *report);
IRR_API void irr_check_report_free(irr_check_report_t *report);

/* ---- models ---------------------------------------------------------------------------------- */

/* bin_path NULL or "": the model's path with .bin. "-" is standard input. Fails with the first
 * problem that irr_check would list. */
IRR_API irr_status_e irr_core_read_model(const irr_core_t *core, const char *model_path,
                                         const char *bin_path, irr_model_t **model);
/* weights: a tensor of bytes (u8), or NULL. Its bytes are copied as far as they are needed. */
IRR_API irr_status_e irr_core_read_model_from_memory_buffer(const irr_core_t *core,
                                                            const char *model_str,
                                                            const size_t str_len,
                                                            const irr_tensor_t *weights,
                                                            irr_model_t **model);
/* One reduce layer of a model as a model: inputs `data` and, unless constant, `axes`. By id, by
 * name, or by a path into bodies: "2/then_body/2". */
IRR_API irr_status_e irr_model_extract_layer(const irr_model_t *model, const char *layer,
                                             irr_model_t **extracted);
IRR_API void irr_model_free(irr_model_t *model);

/* A snapshot of one input or output of a model; the caller's, freed with irr_output_port_free.
 * OpenVINO has two port types, we one: the second name serves programs that move over. */
typedef struct irr_output_port irr_output_port_t;
typedef irr_output_port_t irr_output_const_port_t;

IRR_API irr_status_e irr_model_inputs_size(const irr_model_t *model, size_t *size);
/* The only one; IRR_OUT_OF_BOUNDS if there are none or several. */
IRR_API irr_status_e irr_model_input(const irr_model_t *model, irr_output_port_t **port);
IRR_API irr_status_e irr_model_input_by_index(const irr_model_t *model, const size_t index,
                                              irr_output_port_t **port);
IRR_API irr_status_e irr_model_input_by_name(const irr_model_t *model, const char *name,
                                             irr_output_port_t **port);
IRR_API irr_status_e irr_model_outputs_size(const irr_model_t *model, size_t *size);
IRR_API irr_status_e irr_model_output(const irr_model_t *model, irr_output_port_t **port);
IRR_API irr_status_e irr_model_output_by_index(const irr_model_t *model, const size_t index,
                                               irr_output_port_t **port);
IRR_API irr_status_e irr_model_output_by_name(const irr_model_t *model, const char *name,
                                              irr_output_port_t **port);
IRR_API bool irr_model_is_dynamic(const irr_model_t *model);
/* Whether some reduction takes its axes from this input. */
IRR_API irr_status_e irr_model_input_is_axes(const irr_model_t *model, const size_t index,
                                             bool *is_axes);
/* New shapes for the named inputs; the model must not be in use elsewhere. */
IRR_API irr_status_e irr_model_reshape(const irr_model_t *model, const char **tensor_names,
                                       const irr_partial_shape_t *partial_shapes, size_t size);
IRR_API irr_status_e irr_model_reshape_input_by_name(const irr_model_t *model,
                                                     const char *tensor_name,
                                                     const irr_partial_shape_t partial_shape);
/* Freed with irr_free. */
IRR_API irr_status_e irr_model_get_friendly_name(const irr_model_t *model, char **friendly_name);

/* IRR_PARAMETER_MISMATCH for a dynamic shape. */
IRR_API irr_status_e irr_port_get_shape(const irr_output_port_t *port, irr_shape_t *tensor_shape);
IRR_API irr_status_e irr_const_port_get_shape(const irr_output_const_port_t *port,
                                              irr_shape_t *tensor_shape);
IRR_API irr_status_e irr_port_get_partial_shape(const irr_output_const_port_t *port,
                                                irr_partial_shape_t *partial_shape);
IRR_API irr_status_e irr_port_get_element_type(const irr_output_const_port_t *port,
                                               irr_element_type_e *tensor_type);
/* The first of the port's names, else the layer's. Freed with irr_free. */
IRR_API irr_status_e irr_port_get_any_name(const irr_output_const_port_t *port, char **tensor_name);
IRR_API void irr_output_port_free(irr_output_port_t *port);
IRR_API void irr_output_const_port_free(irr_output_const_port_t *port);

/* ---- what a device takes --------------------------------------------------------------------- */

typedef struct {
    const char *layer_id;
    const char *layer_name;
    const char *layer_type;
    bool supported;
    const char *reason; /* why not; "" if supported */
} irr_supported_op_t;

typedef struct {
    irr_supported_op_t *ops; /* one for each layer of the model, in the file's order */
    size_t size;
} irr_supported_ops_t;

IRR_API irr_status_e irr_core_query_model(const irr_core_t *core, const irr_model_t *model,
                                          const char *device_name, const size_t num_properties,
                                          const irr_property_t *properties,
                                          irr_supported_ops_t *supported_ops);
IRR_API void irr_supported_ops_free(irr_supported_ops_t *supported_ops);

/* ---- compiled models ------------------------------------------------------------------------- */

IRR_API irr_status_e irr_core_compile_model(const irr_core_t *core, const irr_model_t *model,
                                            const char *device_name, const size_t num_properties,
                                            const irr_property_t *properties,
                                            irr_compiled_model_t **compiled_model);
IRR_API irr_status_e irr_core_compile_model_from_file(const irr_core_t *core,
                                                      const char *model_path,
                                                      const char *device_name,
                                                      const size_t num_properties,
                                                      const irr_property_t *properties,
                                                      irr_compiled_model_t **compiled_model);
IRR_API irr_status_e irr_compiled_model_inputs_size(const irr_compiled_model_t *compiled_model,
                                                    size_t *size);
IRR_API irr_status_e irr_compiled_model_input(const irr_compiled_model_t *compiled_model,
                                              irr_output_const_port_t **port);
IRR_API irr_status_e irr_compiled_model_input_by_index(const irr_compiled_model_t *compiled_model,
                                                       const size_t index,
                                                       irr_output_const_port_t **port);
IRR_API irr_status_e irr_compiled_model_input_by_name(const irr_compiled_model_t *compiled_model,
                                                      const char *name,
                                                      irr_output_const_port_t **port);
IRR_API irr_status_e irr_compiled_model_outputs_size(const irr_compiled_model_t *compiled_model,
                                                     size_t *size);
IRR_API irr_status_e irr_compiled_model_output(const irr_compiled_model_t *compiled_model,
                                               irr_output_const_port_t **port);
IRR_API irr_status_e irr_compiled_model_output_by_index(const irr_compiled_model_t *compiled_model,
                                                        const size_t index,
                                                        irr_output_const_port_t **port);
IRR_API irr_status_e irr_compiled_model_output_by_name(const irr_compiled_model_t *compiled_model,
                                                       const char *name,
                                                       irr_output_const_port_t **port);
IRR_API irr_status_e irr_compiled_model_set_properties(const irr_compiled_model_t *compiled_model,
                                                       const size_t num_properties,
                                                       const irr_property_t *properties);
/* The value is freed with irr_free. */
IRR_API irr_status_e irr_compiled_model_get_property(const irr_compiled_model_t *compiled_model,
                                                     const char *property_key,
                                                     char **property_value);
IRR_API irr_status_e irr_compiled_model_create_infer_request(
    const irr_compiled_model_t *compiled_model, irr_infer_request_t **infer_request);
IRR_API void irr_compiled_model_free(irr_compiled_model_t *compiled_model);

/* ---- infer requests -------------------------------------------------------------------------- */

/* Type and shape are checked against the port; the request keeps the tensor. By name: an input or
 * an output. Shapes bind at infer, from the tensors as they then are. */
IRR_API irr_status_e irr_infer_request_set_tensor(irr_infer_request_t *infer_request,
                                                  const char *tensor_name,
                                                  const irr_tensor_t *tensor);
IRR_API irr_status_e irr_infer_request_set_input_tensor_by_index(irr_infer_request_t *infer_request,
                                                                 const size_t idx,
                                                                 const irr_tensor_t *tensor);
IRR_API irr_status_e irr_infer_request_set_input_tensor(irr_infer_request_t *infer_request,
                                                        const irr_tensor_t *tensor);
IRR_API irr_status_e irr_infer_request_set_output_tensor_by_index(
    irr_infer_request_t *infer_request, const size_t idx, const irr_tensor_t *tensor);
IRR_API irr_status_e irr_infer_request_set_output_tensor(irr_infer_request_t *infer_request,
                                                         const irr_tensor_t *tensor);
/* A new handle on the tensor in use, freed with irr_tensor_free. A tensor that was never set is the
 * library's, with 0 in its dynamic dimensions until infer knows them. */
IRR_API irr_status_e irr_infer_request_get_tensor(const irr_infer_request_t *infer_request,
                                                  const char *tensor_name, irr_tensor_t **tensor);
IRR_API irr_status_e irr_infer_request_get_input_tensor_by_index(
    const irr_infer_request_t *infer_request, const size_t idx, irr_tensor_t **tensor);
IRR_API irr_status_e irr_infer_request_get_input_tensor(const irr_infer_request_t *infer_request,
                                                        irr_tensor_t **tensor);
IRR_API irr_status_e irr_infer_request_get_output_tensor_by_index(
    const irr_infer_request_t *infer_request, const size_t idx, irr_tensor_t **tensor);
IRR_API irr_status_e irr_infer_request_get_output_tensor(const irr_infer_request_t *infer_request,
                                                         irr_tensor_t **tensor);

/* Runs on the caller's thread. */
IRR_API irr_status_e irr_infer_request_infer(irr_infer_request_t *infer_request);

/* Runs on the request's own thread, which it makes at the first start and keeps. */
IRR_API irr_status_e irr_infer_request_start_async(irr_infer_request_t *infer_request);
/* The status of the last started run; IRR_OK before any start. Its sentence becomes this thread's.
 */
IRR_API irr_status_e irr_infer_request_wait(irr_infer_request_t *infer_request);
/* Milliseconds; IRR_RESULT_NOT_READY on time-out or before any start. */
IRR_API irr_status_e irr_infer_request_wait_for(irr_infer_request_t *infer_request,
                                                const int64_t timeout);
/* The next wait returns IRR_INFER_CANCELLED, or IRR_OK if the run was done already. */
IRR_API irr_status_e irr_infer_request_cancel(irr_infer_request_t *infer_request);

typedef struct {
    void (*callback_func)(void *args);
    void *args;
} irr_callback_t;

/* Called on the request's thread when a started run has ended, with status and outputs set. wait,
 * getters and start_async are legal in it, free is not. The struct is copied; NULL clears. */
IRR_API irr_status_e irr_infer_request_set_callback(irr_infer_request_t *infer_request,
                                                    const irr_callback_t *callback);

typedef enum { IRR_NOT_RUN = 0, IRR_OPTIMIZED_OUT = 1, IRR_EXECUTED = 2 } irr_profiling_status_e;

/* One layer of the request's last run. */
typedef struct {
    irr_profiling_status_e status;
    int64_t real_time; /* microseconds, as is cpu_time */
    int64_t cpu_time;
    const char *node_name;
    const char *exec_type; /* the kernel */
    const char *node_type; /* IR type word */
    int64_t real_time_ns;
    const char *op;    /* IR type word */
    const char *shape; /* "[6,12,10,24] axes [2,3]" */
    const char *backend;
    const char *kernel;
    const char *tier; /* "scalar", "avx2", "avx512" */
    size_t threads;
    uint64_t bytes;           /* read and written */
    uint64_t exact_fallbacks; /* outputs that were redone in wider arithmetic */
} irr_profiling_info_t;

typedef struct {
    irr_profiling_info_t *profiling_infos;
    size_t size;
} irr_profiling_info_list_t;

/* Empty with PERF_COUNT=NO. */
IRR_API irr_status_e irr_infer_request_get_profiling_info(const irr_infer_request_t *infer_request,
                                                          irr_profiling_info_list_t *infos);
IRR_API void irr_profiling_info_list_free(irr_profiling_info_list_t *infos);
/* Waits for a run that is under way. */
IRR_API void irr_infer_request_free(irr_infer_request_t *infer_request);

#ifdef __cplusplus
}
#endif
#endif
