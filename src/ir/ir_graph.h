/* The plain graph of a file, and what the files of src/ir offer each other.
 * Arrays of small structs that refer to each other by index; texts and dimensions lie in the
 * graph's memory, a text that is not there is irr_no_text. To read on, in the way of the data:
 * ir_xml.c and ir_elements.c (the grammar) fill the graph; ir_check.c connects it and has
 * ir_layers.c judge each layer; ir_build.c makes models. SPDX-License-Identifier: Apache-2.0 */
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
/* Room for one more element; false: out of memory, and the whole read fails. */
#define IRR_ROOM(graph, list)                                                                      \
    (irr_grow((void **)&(graph)->list.at, &(graph)->list.room, (graph)->list.count + 1,            \
              sizeof *(graph)->list.at) ||                                                         \
     irr_no_memory(graph))

/* What is known of a tensor. */
typedef struct irr_partial {
    const irr_dimension_t *dims; /* of whoever made it */
    const int64_t *numbers;      /* the same, IRR_DYNAMIC_DIM for what is no single number */
    uint32_t rank;               /* or IRR_DYNAMIC_RANK */
    uint8_t type;                /* or IRR_TYPE_UNKNOWN */
} irr_partial_t;
#define IRR_TYPE_UNKNOWN 255u

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
    const char *id, *type, *version, *name;
    const char *data[IRR_MOST_ATTRIBUTES];
    uint64_t offset, size_bytes; /* of a Const, where <data> tells both */
    const void *constant;        /* its bytes once they are loaded */
    uint32_t line, scope;
    uint32_t data_line;         /* the layer's own without a <data> */
    uint32_t visits;            /* 0: new, IRR_NONE: checked, else 1 + inputs looked at */
    irr_run_t inputs, outputs;  /* of ports */
    uint8_t kind;               /* irr_layer_kind_e */
    uint8_t op;                 /* irr_op_e of a reduction */
    bool keep_dims, in_weights; /* of a Const: its bytes are there */
} irr_layer_t;

typedef struct irr_port {
    const char *id, *names;
    irr_partial_t declared; /* without dimensions of a dynamic rank */
    irr_partial_t known;    /* of an output: what was inferred */
    uint32_t line, layer;
    uint32_t source; /* of an input: the output port that feeds it */
    uint32_t value;  /* of an output in the net: its number among the values of the model */
    bool is_input, fed;
} irr_port_t;

static inline const char *irr_side(const irr_port_t *port) {
    return port->is_input ? "input" : "output";
}

typedef struct irr_edge {
    const char *ends[4]; /* from layer, from port, to layer, to port */
    uint32_t line, scope;
} irr_edge_t;

typedef struct irr_scope {
    uint32_t layer; /* the layer whose body this is; IRR_NONE: the net, or a fragment */
    const char *body;
} irr_scope_t;

/* ir_weights.c's own, while a file is read. */
typedef struct irr_weights {
    const char *path;           /* "<memory>" */
    const unsigned char *bytes; /* the user's; NULL: they are read from the file, one by one */
    uint64_t size_bytes;
    int descriptor; /* below 0: no file is open */
    bool asked;
} irr_weights_t;

/* One read file. Immutable once it is read, and counted: models and reports share it. */
typedef struct irr_ir_graph {
    irr_check_report_t report;
    irr_arena_t memory; /* texts, shapes, order; failed: some step could not allocate, and the whole
                           read fails */
    const char *net_name;
    IRR_LIST(irr_layer_t) layers;
    IRR_LIST(irr_port_t) ports;
    IRR_LIST(irr_edge_t) edges;
    IRR_LIST(irr_scope_t) scopes;
    IRR_LIST(irr_check_problem_t) problems;
    uint32_t value_count;
    uint32_t *order;   /* all layers, sources first */
    bool fragments;    /* lone <layer>s instead of a <net> */
    uint32_t fragment; /* the number among them of the layer that is checked */
    uint64_t memory_limit_bytes, constant_bytes;
    int references;
    irr_weights_t weights;
    const irr_ir_source_t *source; /* while it is read only */
} irr_ir_graph_t;

/* The layer that feeds an input port; NULL: none does. */
static inline irr_layer_t *irr_feeder(const irr_ir_graph_t *graph, uint32_t port) {
    uint32_t source = graph->ports.at[port].source;
    return source == IRR_NONE ? NULL : &graph->layers.at[graph->ports.at[source].layer];
}

/* ---- ir_file.c: the life of a file, and its problems ---- */
/* Reads, checks, lists; then `more`, or nothing, while the weights are still open. */
irr_status_e irr_graph_read(const irr_ir_source_t *source,
                            irr_status_e (*more)(irr_ir_graph_t *graph, irr_sentence_t sentence),
                            irr_ir_graph_t **out, irr_sentence_t sentence);
bool irr_no_memory(irr_ir_graph_t *graph); /* notes it; false, for `return irr_no_memory(...)` */
/* A problem of a layer, or IRR_NONE, at a line. */
#define irr_problem(graph, ...) irr_problem_as(graph, IRR_NETWORK_NOT_READ, __VA_ARGS__)
__attribute__((format(printf, 5, 6))) void irr_problem_as(irr_ir_graph_t *graph,
                                                          irr_status_e status, uint32_t layer,
                                                          uint32_t line, const char *format, ...);
/* `model.xml:14: layer 3 "norm" (ReduceL2): message`, cut to fit. Returns the text. */
char *irr_layer_text(const irr_ir_graph_t *graph, uint32_t layer, const char *message,
                     irr_sentence_t to);

/* ---- ir_shape.c ---- */
extern const char irr_no_text[1]; /* "" by its address: no such attribute */
/* A non-negative decimal number, blanks around it allowed. */
bool irr_parse_number(const char *text, int64_t *value);
/* A <dim>: a number, or -1. */
bool irr_parse_dim(const char *text, irr_dimension_t *dim);
/* "2, ?,1..10"; "..." is a dynamic rank. Static: only plain numbers are taken. The dimensions are
 * put into `memory`. */
irr_status_e irr_parse_shape(const char *text, bool only_static, irr_arena_t *memory,
                             irr_partial_t *shape, irr_sentence_t sentence);
/* A copy of the dimensions in `memory`, none below 0; without it the rank is unknown. */
void irr_partial_set(irr_partial_t *it, const irr_dimension_t *dims, uint32_t rank,
                     irr_arena_t *memory);
/* How many axes there are, by their shape; -1: unknown. */
int64_t irr_axes_count(const irr_partial_t *axes);
/* Type and shape of the result, its dimensions in `memory`, or what is wrong with the axes. Their
 * values may be NULL: unknown, or there are none. */
irr_status_e irr_partial_reduce(const irr_partial_t *data, const irr_partial_t *axes,
                                const void *values, bool keep_dims, irr_arena_t *memory,
                                irr_partial_t *out, irr_sentence_t sentence);
bool irr_partial_static(const irr_partial_t *shape);
char *irr_partial_text(const irr_partial_t *shape, char *text, size_t capacity_bytes);
/* Of a tensor of a static shape, else 0; UINT64_MAX: more than there can be. An element without a
 * size of its own takes one. */
uint64_t irr_partial_bytes(const irr_partial_t *shape);

/* ---- ir_xml.c: fills the arrays from the source's bytes ---- */
/* False: the document could not be read to its end, the problems say why. */
bool irr_read_xml(irr_ir_graph_t *graph);

/* ---- ir_check.c: ids, ports, edges, cycles, then layer by layer ---- */
void irr_check_graph(irr_ir_graph_t *graph);

/* ---- ir_layers.c: what there is to know of a kind of layer ---- */
typedef struct irr_kind {
    const char *type;                            /* NULL: any that is no other kind's */
    const char *attributes[IRR_MOST_ATTRIBUTES]; /* of <data>, in the order of their slots */
    void (*check)(irr_ir_graph_t *graph, irr_layer_t *layer); /* judges, and infers its outputs */
} irr_kind_t;
extern const irr_kind_t irr_kinds[IRR_LAYER_KINDS];

/* ---- ir_weights.c: bytes from files. Only regular ones are opened, and none is mapped: one that
 * shrinks while it is used must not raise SIGBUS ---- */
/* A descriptor of a regular file and its size, or a sentence without the path's layer. */
irr_status_e irr_open_regular(const char *path, int *descriptor, uint64_t *size_bytes,
                              irr_sentence_t sentence);
/* Opens the weights for the first constant that needs them. False: they are not there, which is a
 * problem of that one. */
bool irr_weights_open(irr_ir_graph_t *graph, const irr_layer_t *constant);
void irr_weights_close(const irr_ir_graph_t *graph);
/* The bytes of a constant that has them in its weights, once; of no other layer, and of 0 bytes,
 * none. */
irr_status_e irr_load_constant(irr_ir_graph_t *graph, irr_layer_t *layer, irr_sentence_t sentence);

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
