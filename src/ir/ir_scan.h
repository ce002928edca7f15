/* The scan of the bytes before the parser sees them.
 * It refuses what would make the parser slow or unsafe (huge tags, many attributes, a DTD), finds
 * the first element, and blanks the literal `...` of the specification's examples.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_IR_IR_SCAN_H
#define IRR_IR_IR_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#define IRR_MAX_TAG_BYTES 65536
#define IRR_MAX_ATTRIBUTES 256

typedef struct irr_scan {
    char *at, *end;      /* what is not scanned yet of the bytes at hand */
    const char *until;   /* in a comment, CDATA section or instruction: its end */
    char *first;         /* the first element, once it was found */
    bool fragments;      /* it is a <layer> */
    const char *refusal; /* of the tag at `at` */
} irr_scan_t;

/* Scans to the end of the next tag. False: refused, or more bytes are needed, from `at` on. */
bool irr_scan_next(irr_scan_t *scan);

#endif
