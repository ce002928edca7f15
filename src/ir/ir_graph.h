/* The plain graph of a file, and what the files of src/ir offer each other.
 * Arrays of small structs that refer to each other by index; every text is a symbol (an offset into
 * one pool); equal ids, types and words have equal symbols and are compared as numbers, names not.
 * To read on, in the way of the data: ir_scan.c, ir_xml.c, ir_elements.c (the grammar) fill the
 * graph; ir_check.c judges it with ir_port.c, ir_const.c, ir_reduce.c; ir_build.c makes models.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_IR_IR_GRAPH_H
#define IRR_IR_IR_GRAPH_H

#include "base/element_type.h"
#include "base/memory.h"
#include "base/op.h"
#include "base/shape.h"
#include "ir/ir.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define IRR_NONE UINT32_MAX
#define IRR_MAX_XML_BYTES (UINT64_C(2) << 30)
#define IRR_MAX_LAYERS 1000000u
#define IRR_MAX_EDGES 10000000u
#define IRR_MAX_DEPTH 64u
#define IRR_MAX_PROBLEMS 100000u

/* A growing array. */
#define IRR_LIST(element)                                                                          \
    struct {                                                                                       \
        element *at;                                                                               \
        size_t count, room;                                                                        \
    }
/* Room for so many more elements; false: out of memory, and the whole read fails. */
#define IRR_ROOM(graph, list, more)                                                                \
    (irr_grow((void **)&(graph)->list.at, &(graph)->list.room, (graph)->list.count + (more),       \
              sizeof *(graph)->list.at) ||                                                         \
     irr_no_memory(graph))

typedef uint32_t irr_symbol_t; /* 0: the attribute is not there */

/* A number for each key; no key is 0. */
typedef struct irr_entry {
    uint64_t key;
    uint32_t number;
} irr_entry_t;

typedef struct irr_table {
    irr_entry_t *entries;
    size_t slots, count;
    uint64_t seed; /* random, so that nobody can write a file whose ids all fall into one slot */
} irr_table_t;

typedef enum {
    IRR_LAYER_UNKNOWN = 0,
    IRR_LAYER_PARAMETER,
    IRR_LAYER_CONST,
    IRR_LAYER_RESULT,
    IRR_LAYER_REDUCE,
    IRR_LAYER_KINDS
} irr_layer_kind_e;

#define IRR_MOST_ATTRIBUTES 4 /* of one element that are of interest */

/* Slots of a layer's <data>: those that its kind needs. */
enum {
    IRR_DATA_KEEP_DIMS = 0,
    IRR_DATA_ELEMENT_TYPE = 0,
    IRR_DATA_SHAPE,
    IRR_DATA_OFFSET,
    IRR_DATA_SIZE
};

typedef struct irr_run {
    uint32_t first, count;
} irr_run_t;

typedef struct irr_layer {
    irr_symbol_t id, type, version, name;
    irr_symbol_t data[IRR_MOST_ATTRIBUTES];
    uint32_t line, scope;
    uint32_t data_line;        /* the layer's own without a <data> */
    irr_run_t inputs, outputs; /* of ports */
    uint8_t kind;              /* irr_layer_kind_e */
    uint8_t op;                /* irr_op_e of a reduction */
} irr_layer_t;

#define IRR_PORT_RANK_UNKNOWN 255u
#define IRR_TYPE_UNKNOWN 255u /* no precision is declared */
#define IRR_TYPE_WRONG 254u   /* the precision is no word that we know */

typedef struct irr_port {
    irr_symbol_t id, precision, names;
    uint32_t line, layer;
    uint32_t dims; /* declared: a run of rank numbers in graph.dims, -1 is dynamic */
    union {
        uint32_t source; /* of an input: the output port that feeds it */
        uint32_t shape;  /* of an output: the run of shape_rank in graph.shapes, inferred */
    } of;
    uint8_t rank, shape_rank, type; /* type and shape_rank of an output: inferred */
    uint8_t declared_type;
    bool is_input, fed;
} irr_port_t;

typedef struct irr_edge {
    irr_symbol_t ends[4]; /* from layer, from port, to layer, to port */
    uint32_t line, scope;
} irr_edge_t;

typedef struct irr_scope {
    uint32_t layer; /* the layer whose body this is; IRR_NONE: the net, or a fragment */
    irr_symbol_t body;
} irr_scope_t;

/* Where a problem lies, and what sort it is. */
typedef struct irr_place {
    uint32_t line, layer; /* of no layer: IRR_NONE */
    irr_status_e status;
} irr_place_t;

typedef struct irr_problem {
    irr_place_t place;
    uint32_t order;
    char *message;
} irr_problem_t;

typedef struct irr_weights irr_weights_t; /* ir_weights.c */

/* One read file: the public part, then what only src/ir sees. Immutable once it is read, and
 * counted: models share it. */
typedef struct irr_ir_graph {
    irr_ir_file_t file; /* first: a pointer to it is a pointer to the graph */
    irr_arena_t memory; /* path, messages, order, lists */
    IRR_LIST(char) texts;
    irr_table_t symbols; /* of the texts that are compared */
    irr_symbol_t net_name;
    IRR_LIST(irr_layer_t) layers;
    IRR_LIST(irr_port_t) ports;
    IRR_LIST(int64_t) dims;
    IRR_LIST(irr_edge_t) edges;
    IRR_LIST(irr_scope_t) scopes;
    IRR_LIST(irr_dimension_t) shapes;
    IRR_LIST(irr_problem_t) problems;
    uint32_t *order;   /* all layers, sources first */
    void **constants;  /* bytes of each layer's constant once loaded, or NULL */
    uint32_t fragment; /* among the lone fragments, the number of the layer that is checked */
    uint64_t memory_limit_bytes;
    bool out_of_memory; /* some step could not allocate: the whole read fails */
    int references;
    irr_weights_t *weights;
    const irr_ir_source_t *source; /* during irr_ir_read only */
} irr_ir_graph_t;

/* ---- ir_file.c ---- */
/* Reads, checks, lists; then `more` (or NULL) while the weights are still open. */
irr_status_e irr_graph_read(const irr_ir_source_t *source,
                            irr_status_e (*more)(irr_ir_graph_t *graph, irr_sentence_t sentence),
                            irr_ir_graph_t **out, irr_sentence_t sentence);
void irr_graph_release(irr_ir_graph_t *graph);
bool irr_no_memory(irr_ir_graph_t *graph); /* notes it; false, for `return irr_no_memory(...)` */

/* ---- ir_text.c ---- */
/* The key's number, IRR_NONE until the caller sets it; NULL: out of memory. */
uint32_t *irr_table_find(irr_table_t *table, uint64_t key);
/* A text's symbol; 0: out of memory. Equal texts have equal symbols where they are `compared`. */
irr_symbol_t irr_symbol(irr_ir_graph_t *graph, const char *text, size_t length, bool compared);
const char *irr_text(const irr_ir_graph_t *graph, irr_symbol_t symbol); /* "" for none */
/* A non-negative decimal number, blanks around it allowed. */
bool irr_parse_number(const char *text, size_t length, int64_t *value);
/* A <dim>: a number, or -1. */
bool irr_parse_dim(const char *text, size_t length, int64_t *value);

/* ---- ir_shape.c ---- */
/* What is known of a tensor. */
typedef struct irr_partial {
    uint8_t type;  /* or IRR_TYPE_UNKNOWN */
    uint32_t rank; /* or IRR_DYNAMIC_RANK */
    irr_dimension_t dims[IRR_MAX_RANK];
} irr_partial_t;
/* What is known of a reduction's axes. */
typedef struct irr_axes_known {
    const void *values; /* NULL: unknown, or there are none */
    irr_element_type_e type;
    int64_t count; /* -1: unknown */
} irr_axes_known_t;
/* Their number follows from their shape. */
irr_axes_known_t irr_axes_of(const irr_partial_t *axes);
/* Type and shape of the result, or what is wrong with the axes. */
irr_status_e irr_partial_reduce(const irr_partial_t *data, const irr_axes_known_t *axes,
                                bool keep_dims, irr_partial_t *out, irr_sentence_t sentence);
void irr_partial_set(irr_partial_t *it, uint8_t type, uint32_t rank, const irr_dimension_t *dims);
bool irr_partial_static(const irr_partial_t *shape);
/* Could a tensor have both shapes? */
bool irr_partial_compatible(const irr_partial_t *a, const irr_partial_t *b);
/* dims with -1 for what is unknown */
void irr_partial_dims(const irr_partial_t *shape, int64_t *dims);
char *irr_partial_text(const irr_partial_t *shape, char *text, size_t capacity_bytes);
/* True unless a tensor of a static shape is larger than the limit or its size wraps around. */
bool irr_partial_fits(const irr_partial_t *shape, uint64_t limit_bytes);

/* In ir_text.c. "2, ?,1..10"; "..." is a dynamic rank. Static: only plain numbers are taken. */
irr_status_e irr_parse_shape(const char *text, bool only_static, irr_partial_t *shape,
                             irr_sentence_t sentence);

/* ---- ir_problem.c ---- */
irr_place_t irr_at_line(uint32_t line);
irr_place_t irr_at_layer(const irr_ir_graph_t *graph, uint32_t layer);
irr_place_t irr_at_data(const irr_ir_graph_t *graph, uint32_t layer); /* its <data> */
irr_place_t irr_at_port(const irr_port_t *port);
__attribute__((format(printf, 3, 4))) void irr_problem(irr_ir_graph_t *graph, irr_place_t place,
                                                       const char *format, ...);
void irr_list_problems(irr_ir_graph_t *graph); /* sorts; fills file.problems */
/* As the world sees it; message stays the caller's. */
irr_check_problem_t irr_public_problem(const irr_ir_graph_t *graph, irr_place_t place,
                                       const char *message);

/* ---- ir_xml.c: fills the arrays from the source's bytes ---- */
/* False: the document could not be read to its end, the problems say why. */
bool irr_read_xml(irr_ir_graph_t *graph);

/* ---- ir_check.c: ids, ports, edges, cycles, then layer by layer ---- */
void irr_check_graph(irr_ir_graph_t *graph);

/* ---- ir_port.c ---- */
/* What a port says of itself: rank unknown for a port without dimensions. */
void irr_port_declared(const irr_ir_graph_t *graph, const irr_port_t *port, irr_partial_t *it);
/* What was inferred for an output port. */
void irr_port_inferred(const irr_ir_graph_t *graph, const irr_port_t *port, irr_partial_t *it);
/* Stores it (an unknown type as declared), and lists a problem where the declaration differs. */
void irr_port_infer(irr_ir_graph_t *graph, uint32_t port, irr_partial_t *it);
/* What arrives at an input port; lists a problem where the declaration differs. */
void irr_port_arriving(irr_ir_graph_t *graph, uint32_t port, irr_partial_t *it);
/* The outputs are what they declare: of a layer that is unknown or not understood. */
void irr_trust_outputs(irr_ir_graph_t *graph, uint32_t layer);
/* Lists a problem where a layer has other numbers of ports. */
bool irr_port_counts(irr_ir_graph_t *graph, uint32_t layer, uint32_t inputs, uint32_t outputs);

/* ---- ir_const.c, ir_reduce.c: a layer of each kind is judged, its outputs are inferred ---- */
void irr_check_parameter(irr_ir_graph_t *graph, uint32_t layer);
void irr_check_const(irr_ir_graph_t *graph, uint32_t layer);
void irr_check_reduce(irr_ir_graph_t *graph, uint32_t layer);
/* Copies the first bytes of a constant that was judged well. */
irr_status_e irr_const_copy(irr_ir_graph_t *graph, const irr_layer_t *layer, size_t bytes, void *to,
                            irr_sentence_t sentence);
/* Where a well judged constant lies. */
bool irr_const_range(const irr_ir_graph_t *graph, const irr_layer_t *layer, uint64_t *offset,
                     uint64_t *size_bytes);
/* false: the word is none of true, false, 1, 0 in any case */
bool irr_keep_dims(const irr_ir_graph_t *graph, const irr_layer_t *layer, bool *keep_dims);

/* ---- ir_weights.c: bytes from files. Only regular ones are opened, and none is mapped: one that
 * shrinks while it is used must not raise SIGBUS ---- */
/* A descriptor of a regular file and its size, or a sentence without the path's layer. */
irr_status_e irr_open_regular(const char *path, int *descriptor, uint64_t *size_bytes,
                              irr_sentence_t sentence);

/* Nothing is opened before the first constant asks. */
irr_weights_t *irr_weights_create(const irr_ir_source_t *source);
void irr_weights_release(irr_weights_t *weights);
/* The size of the file. Its failure is remembered, and told only the first time: then "". */
irr_status_e irr_weights_size(irr_weights_t *weights, uint64_t *size_bytes,
                              irr_sentence_t sentence);
const char *irr_weights_path(const irr_weights_t *weights);
irr_status_e irr_weights_copy(irr_weights_t *weights, uint64_t offset, size_t bytes, void *to,
                              irr_sentence_t sentence);

/* ---- ir_build.c: how a model is made of a file ---- */
/* What a model is made of; its clones share it. */
struct irr_parts {
    irr_ir_graph_t *file;
    uint32_t extracted; /* the one layer of the model; IRR_NONE: the file's net */
    int references;
    irr_arena_t memory;
};

/* Builds the net, or one layer of it, with these shapes of its inputs (NULL: the file's). */
irr_status_e irr_model_build(irr_ir_graph_t *file, uint32_t extracted, const irr_partial_t *inputs,
                             irr_ir_model_t **model, irr_sentence_t sentence);

#endif
