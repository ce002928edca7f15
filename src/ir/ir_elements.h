/* Elements: what each start and end tag of the document does to the graph.
 * Lives here: the grammar. May not: the parser; its callbacks are called with plain C types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_IR_IR_ELEMENTS_H
#define IRR_IR_IR_ELEMENTS_H

#include "ir/ir_scan.h"

typedef enum {
    IRR_AT_DOCUMENT,
    IRR_AT_NET,
    IRR_AT_FRAGMENTS,
    IRR_AT_LAYERS,
    IRR_AT_LAYER,
    IRR_AT_DATA,
    IRR_AT_INPUT,
    IRR_AT_OUTPUT,
    IRR_AT_PORT,
    IRR_AT_DIM,
    IRR_AT_EDGES,
    IRR_AT_EDGE,
    IRR_AT_BODY,
    IRR_AT_SKIPPED
} irr_element_e;

typedef struct {
    irr_element_e element;
    uint32_t index; /* of the scope, layer or port that this element belongs to */
    uint32_t line;
    uint32_t seen; /* children that may come once: a bit for each irr_element_e */
} irr_level_t;

typedef struct {
    irr_ir_graph_t *graph;
    irr_scan_t scan;
    irr_level_t levels[IRR_MAX_DEPTH + 3];
    uint32_t depth;
    char number[32]; /* the text of a <dim> */
    size_t number_length;
    irr_symbol_t precisions[16]; /* words looked up lately, and their types */
    uint8_t precision_types[16];
    bool stopped;
} irr_reader_t;

/* The parser's callbacks; context is the reader. An attribute is five pointers: local name, prefix,
 * URI, value, end of the value. */
void irr_on_start(void *context, const unsigned char *name, const unsigned char *prefix,
                  const unsigned char *uri, int namespace_count, const unsigned char **namespaces,
                  int count, int defaulted, const unsigned char **list);
void irr_on_end(void *context, const unsigned char *name, const unsigned char *prefix,
                const unsigned char *uri);
void irr_on_text(void *context, const unsigned char *text, int length);
/* Lists a problem and ends the reading. */
__attribute__((format(printf, 3, 4))) void irr_refuse(irr_reader_t *reader, uint32_t line,
                                                      const char *format, ...);

#endif
