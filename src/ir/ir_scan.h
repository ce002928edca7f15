/* The scan of the bytes before the parser sees them.
 * It refuses what would make the parser slow or unsafe (huge tags, many attributes, a DTD), knows
 * the line that each tag starts at (the parser knows where it ends), finds the first element, and
 * blanks the literal `...` of the specification's examples.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_IR_IR_SCAN_H
#define IRR_IR_IR_SCAN_H

#include "ir/ir_graph.h"

#define IRR_MAX_TAG_BYTES 65536u
#define IRR_MAX_ATTRIBUTES 256u

typedef enum {
    IRR_SCAN_TEXT = 0,
    IRR_SCAN_OPEN,   /* after < */
    IRR_SCAN_TAG,    /* in a tag, outside quotes */
    IRR_SCAN_QUOTED, /* in an attribute's value */
    IRR_SCAN_BANG,   /* after <! */
    IRR_SCAN_SPECIAL /* in a comment, CDATA section or processing instruction */
} irr_scan_state_e;

typedef struct irr_scan {
    irr_scan_state_e state;
    uint32_t line; /* of the byte that comes next, from 1 */
    uint32_t tag_line, tag_bytes, attributes;
    char last;         /* byte of the chunk before */
    char quote;        /* in IRR_SCAN_QUOTED */
    char bang[8];      /* what follows <! */
    uint32_t matched;  /* of bang, or of the end that a special part waits for */
    const char *end;   /* "-->", "]]>", "?>" */
    bool seen_element; /* the first element has begun */
    bool is_start;     /* this tag is a start tag */
    bool fragments;    /* the first element is <layer> */
    size_t first;      /* where it begins in this chunk, or SIZE_MAX */
    uint32_t *lines;   /* of start tags that the parser has not reported yet */
    size_t lines_head, lines_count, lines_room;
    const char *refusal; /* set when irr_scan_bytes returns false, with tag_line */
} irr_scan_t;

/* Scans one chunk, in place. False: refused, or out of memory (refusal NULL). */
bool irr_scan_bytes(irr_scan_t *scan, char *bytes, size_t count);
/* The line of the next start tag in the parser's order. */
uint32_t irr_scan_next_line(irr_scan_t *scan);

#endif
