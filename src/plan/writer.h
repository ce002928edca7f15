/* Text into a caller's buffer of any size, counted as if it were large enough.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_WRITER_H
#define IRR_PLAN_WRITER_H

#include <stddef.h>

typedef struct irr_writer {
    char *text; /* always ends in NUL where capacity_bytes > 0 */
    size_t capacity_bytes;
    size_t used_bytes; /* what the whole text takes so far, without the NUL */
} irr_writer_t;

__attribute__((format(printf, 2, 3))) void irr_write(irr_writer_t *writer, const char *format, ...);
/* In quotes, with JSON's escapes; NULL as null. */
void irr_write_json(irr_writer_t *writer, const char *text);

#endif
