/* The reader: from a file's bytes to a checked, plain model.
 * Lives here: what the runtime may know of it. A report has every problem of a file; a model
 * (irr_ir_model_t) is one scope of a file without problems, in a form that a device takes as it is.
 * May not: XML, plugins, tensors that a user holds.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_IR_IR_H
#define IRR_IR_IR_H

#include "base/shape.h"

/* ---- what to read ---- */

typedef struct irr_ir_source {
    const char *path;         /* the model; "-" is standard input; NULL: the bytes below */
    const char *weights_path; /* NULL or "": the model's path with .bin */
    const void *xml;          /* with path NULL; needed during the call only */
    size_t xml_bytes;
    const void *weights; /* with path NULL; may be NULL; needed during the call only */
    size_t weights_bytes;
    const irr_axes_t *axes; /* the k-th for the k-th lone <layer>; a single one serves all */
    size_t axes_count;
} irr_ir_source_t;

/* Reads and checks. Whatever is wrong with the file, a missing one included, is a problem in the
 * report; the call itself fails with IRR_NOT_ALLOCATED only. */
irr_status_e irr_ir_check(const irr_ir_source_t *source, irr_check_report_t *report,
                          irr_sentence_t sentence);
/* A report's owner; models keep what they need of a file themselves. NULL does nothing. */
void irr_ir_release(const void *owner);

/* ---- a model ---- */

/* An input (a Parameter) or an output (a Result). */
typedef struct irr_ir_port {
    const char *name;         /* first of names, else layer_name */
    const char *const *names; /* of the Parameter's port, of the Result's source port */
    uint32_t name_count;
    const char *layer_name; /* of the Parameter or Result */
    irr_element_type_e element_type;
    uint32_t rank; /* IRR_DYNAMIC_RANK: unknown until infer */
    const irr_dimension_t *dims;
    uint32_t value; /* index into graph.values */
} irr_ir_port_t;

/* A runnable or at least askable model; read it, write nothing. Its strings and arrays live as long
 * as the model and until the next reshape. The graph has its reductions in an order of execution:
 * what compile takes. */
typedef struct irr_model { /* irr_model_t of the public API, which does not see inside */
    const char *name;      /* the net's */
    irr_ir_port_t *inputs;
    irr_ir_port_t *outputs;
    uint32_t input_count, output_count;
    irr_graph_t graph;
    bool dynamic;            /* some input or output dimension is unknown */
    const char *unsupported; /* NULL, or the sentence why `graph` is not the whole model */
    struct irr_parts *parts; /* the reader's own */
} irr_ir_model_t;

/* Reads a whole model. Fails with the first problem that irr_ir_check lists; fragments are refused.
 * Constants are loaded. */
irr_status_e irr_ir_read_model(const irr_ir_source_t *source, irr_ir_model_t **model,
                               irr_sentence_t sentence);
/* A copy with its own life: what a compiled model keeps while the model is reshaped or freed. */
irr_status_e irr_ir_clone(const irr_ir_model_t *model, irr_ir_model_t **copy,
                          irr_sentence_t sentence);
void irr_ir_free(irr_ir_model_t *model); /* NULL does nothing */
/* One reduce layer as a model of its own: inputs `data` and, unless a constant, `axes`. The layer
 * is named by name or id; "2/then_body/2" reaches into bodies. */
irr_status_e irr_ir_extract(const irr_ir_model_t *model, const char *path, irr_ir_model_t **one,
                            irr_sentence_t sentence);

/* The layers of the model's scope in the order of the file, from *at = 0 on; false: no more. data,
 * axes and output are IRR_NO_VALUE for those that are no reductions. */
bool irr_ir_next_layer(const irr_ir_model_t *model, uint32_t *at, irr_graph_layer_t *layer);

/* New partial shapes, valid ones of a static rank, for the inputs of these names; failure leaves
 * the model as it was. */
irr_status_e irr_ir_reshape(irr_ir_model_t *model, size_t count, const char **names,
                            const irr_partial_shape_t *shapes, irr_sentence_t sentence);
/* The input or output that has this name among its names or as its layer's name; IRR_NOT_FOUND
 * lists the names there are. */
irr_status_e irr_ir_find(const irr_ir_model_t *model, bool output, const char *name,
                         uint32_t *index, irr_sentence_t sentence);

#endif
