/* Elements: what each start and end tag of the document does to the graph.
 * Lives here: the grammar. May not: the parser; it calls these functions with plain C types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_IR_IR_ELEMENTS_H
#define IRR_IR_IR_ELEMENTS_H

#include "ir/ir_graph.h"

typedef struct irr_rule irr_rule_t;

/* An open element. It inherits from its parent what it belongs to. */
typedef struct {
    const irr_rule_t *rule; /* NULL: skipped, with all that it holds */
    uint32_t line;
    uint32_t seen; /* rules of children that may come once, a bit for each element */
    uint32_t scope, layer, port;
} irr_level_t;

typedef struct {
    irr_ir_graph_t *graph;
    irr_level_t levels[IRR_MAX_DEPTH + 3];
    uint32_t depth;
    char number[33]; /* the text of a <dim> */
    size_t number_length;
    irr_dimension_t dims[IRR_MAX_RANK]; /* of the port that is open */
    uint32_t rank;
    bool stopped; /* refused or malformed: nothing more is read */
} irr_reader_t;

void irr_start_reader(irr_reader_t *reader, irr_ir_graph_t *graph);
/* An attribute is five pointers: local name, prefix, URI, value, end of the value. */
void irr_open_element(irr_reader_t *reader, uint32_t line, const char *name,
                      const unsigned char **attributes, int count);
void irr_close_element(irr_reader_t *reader);
/* As the parser calls it: the context is the reader. */
void irr_element_text(void *reader, const unsigned char *text, int length);
/* Lists a problem and ends the reading, unless that has ended. */
#define irr_refuse(reader, line, ...)                                                              \
    do {                                                                                           \
        if (!(reader)->stopped) irr_problem((reader)->graph, IRR_NONE, line, __VA_ARGS__);         \
        (reader)->stopped = true;                                                                  \
    } while (0)

#endif
