/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/writer.h"

#include <stdarg.h>
#include <stdio.h>

void irr_write(irr_writer_t *writer, const char *format, ...) {
    size_t room = writer->used_bytes < writer->capacity_bytes
                      ? writer->capacity_bytes - writer->used_bytes
                      : 0;
    va_list arguments;
    va_start(arguments, format);
    int wrote = vsnprintf(room ? writer->text + writer->used_bytes : NULL, room, format, arguments);
    va_end(arguments);
    writer->used_bytes += wrote > 0 ? (size_t)wrote : 0;
}

void irr_write_json(irr_writer_t *writer, const char *text) {
    if (!text) {
        irr_write(writer, "null");
        return;
    }
    irr_write(writer, "\"");
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            irr_write(writer, "\\%c", *c);
        else if (*c < 0x20)
            irr_write(writer, "\\u%04x", *c);
        else
            irr_write(writer, "%c", *c);
    }
    irr_write(writer, "\"");
}
