/* The plain graph of a file, shared by the files of src/ir only.
 * Arrays of small structs that refer to each other by index; every text is a symbol (an offset into
 * one pool); equal ids, types and words have equal symbols and are compared as numbers, names not.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_IR_IR_GRAPH_H
#define IRR_IR_IR_GRAPH_H

#include "base/op.h"
#include "ir/ir.h"

#define IRR_NONE UINT32_MAX
#define IRR_MAX_XML_BYTES (UINT64_C(2) << 30)
#define IRR_MAX_LAYERS 1000000u
#define IRR_MAX_EDGES 10000000u
#define IRR_MAX_DEPTH 64u
#define IRR_MAX_PROBLEMS 100000u

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

typedef struct irr_texts {
    char *bytes;
    size_t used, capacity;
    irr_table_t table; /* the symbols of the texts that are compared */
} irr_texts_t;

typedef enum {
    IRR_LAYER_UNKNOWN = 0,
    IRR_LAYER_PARAMETER,
    IRR_LAYER_CONST,
    IRR_LAYER_RESULT,
    IRR_LAYER_REDUCE
} irr_layer_kind_e;

/* Slots of a layer's <data>: those that its kind needs. */
enum {
    IRR_DATA_KEEP_DIMS = 0,
    IRR_DATA_ELEMENT_TYPE = 0,
    IRR_DATA_SHAPE,
    IRR_DATA_OFFSET,
    IRR_DATA_SIZE,
    IRR_DATA_SLOTS
};

typedef struct irr_run {
    uint32_t first, count;
} irr_run_t;

typedef struct irr_layer {
    irr_symbol_t id, name, type, version;
    irr_symbol_t data[IRR_DATA_SLOTS];
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

typedef struct irr_end {
    irr_symbol_t layer, port;
} irr_end_t;

typedef struct irr_edge {
    irr_end_t from, to;
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

typedef struct irr_weights irr_weights_t; /* ir_weights.h */

/* One read file: the public part, then what only src/ir sees. */
typedef struct irr_ir_graph {
    irr_ir_file_t file; /* first: a pointer to it is a pointer to the graph */
    char *path;
    irr_texts_t texts;
    irr_symbol_t net_name;
    irr_layer_t *layers;
    irr_port_t *ports;
    int64_t *dims;
    irr_edge_t *edges;
    irr_scope_t *scopes;
    irr_problem_t *problems;
    irr_ir_problem_t *listed; /* what file.problems points to */
    irr_ir_dim_t *shapes;
    uint32_t *order;  /* all layers, sources first */
    void **constants; /* bytes of each layer's constant once loaded, or NULL */
    size_t layer_count, port_count, dim_count, edge_count, scope_count, problem_count, shape_count;
    size_t layer_room, port_room, dim_room, edge_room, scope_room, problem_room, shape_room;
    uint64_t memory_limit_bytes;
    bool out_of_memory; /* some step could not allocate: the whole read fails */
    int references;
    irr_weights_t *weights;
    const irr_ir_source_t *source; /* during irr_ir_read only */
} irr_ir_graph_t;

/* ---- ir_text.c ---- */
/* The key's number, IRR_NONE until the caller sets it; NULL: out of memory. */
uint32_t *irr_table_find(irr_table_t *table, uint64_t key);
bool irr_texts_add(irr_texts_t *texts, const char *text, size_t length, irr_symbol_t *symbol);
/* A text that nobody compares by its symbol: kept without a look for an equal one. */
bool irr_texts_append(irr_texts_t *texts, const char *text, size_t length, irr_symbol_t *symbol);
/* A non-negative decimal number, blanks around it allowed. */
bool irr_parse_number(const char *text, size_t length, int64_t *value);
/* A <dim>: a number, or -1. */
bool irr_parse_dim(const char *text, size_t length, int64_t *value);
/* "2, ?,1..10": IRR_DYNAMIC_RANK for "...". Static: only plain numbers are taken. */
irr_status_e irr_parse_shape(const char *text, bool only_static, irr_ir_dim_t *dims, uint32_t *rank,
                             irr_sentence_t sentence);

/* ---- ir_problem.c ---- */
irr_place_t irr_at_line(uint32_t line);
irr_place_t irr_at_layer(const irr_ir_graph_t *graph, uint32_t layer);
irr_place_t irr_at_data(const irr_ir_graph_t *graph, uint32_t layer); /* its <data> */
irr_place_t irr_at_port(const irr_port_t *port);
__attribute__((format(printf, 3, 4))) void irr_problem(irr_ir_graph_t *graph, irr_place_t place,
                                                       const char *format, ...);
bool irr_list_problems(irr_ir_graph_t *graph); /* sorts; fills file.problems */
/* As the world sees it; message stays the caller's. */
irr_ir_problem_t irr_public_problem(const irr_ir_graph_t *graph, irr_place_t place,
                                    const char *message);
const char *irr_text(const irr_ir_graph_t *graph, irr_symbol_t symbol); /* "" for none */

/* ---- ir_xml.c: fills the arrays from the source's bytes ---- */
/* False: the document could not be read to its end, the problems say why. */
bool irr_read_xml(irr_ir_graph_t *graph);

/* ---- ir_check.c: ids, ports, edges, cycles, then layer by layer ---- */
void irr_check_graph(irr_ir_graph_t *graph);

/* ---- ir_shape.c: partial shapes ---- */
typedef struct irr_partial {
    uint32_t rank; /* or IRR_DYNAMIC_RANK */
    irr_ir_dim_t dims[IRR_MAX_RANK];
} irr_partial_t;
typedef struct irr_axes_known {
    bool values; /* mask is right */
    uint64_t mask;
    int64_t count; /* of axes; -1: unknown */
} irr_axes_known_t;
void irr_partial_reduce(const irr_partial_t *data, const irr_axes_known_t *axes, bool keep_dims,
                        irr_partial_t *out);
bool irr_partial_static(const irr_partial_t *shape);
/* Could a tensor have both shapes? */
bool irr_partial_compatible(const irr_partial_t *a, const irr_partial_t *b);
/* dims with -1 for what is unknown */
void irr_partial_dims(const irr_partial_t *shape, int64_t *dims);
char *irr_partial_text(const irr_partial_t *shape, char *text, size_t capacity_bytes);
/* True unless a tensor of a static shape is larger than the limit or its size wraps around. */
bool irr_partial_fits(const irr_partial_t *shape, irr_element_type_e type, uint64_t limit_bytes);

#endif
