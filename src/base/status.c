/* Sentences: written, cut to fit, put together.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

size_t irr_text_bytes(const char *text, size_t most) {
    const char *end = memchr(text, '\0', most + 1);
    if (end) return (size_t)(end - text);
    while (most && ((unsigned char)text[most] & 0xc0) == 0x80) most--; /* within a character */
    return most;
}

irr_status_e irr_fail(irr_sentence_t to, irr_status_e status, const char *format, ...) {
    if (!to.text || to.capacity_bytes == 0) return status;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to.text, to.capacity_bytes, format, arguments);
    va_end(arguments);
    if (length < 0) to.text[0] = '\0';
    if (length > 0 && (size_t)length >= to.capacity_bytes && to.capacity_bytes > 4)
        memcpy(to.text + irr_text_bytes(to.text, to.capacity_bytes - 4), "...", 4);
    return status;
}

irr_status_e irr_fail_at(irr_sentence_t to, irr_status_e status, const char *format, ...) {
    char where[IRR_SENTENCE_BYTES], reason[IRR_SENTENCE_BYTES];
    if (status == IRR_OK || !to.text || to.capacity_bytes == 0) return status;
    snprintf(reason, sizeof reason, "%s", to.text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(where, sizeof where, format, arguments);
    va_end(arguments);
    return irr_fail(to, status, "%s%s", where, reason);
}

void irr_write(irr_writer_t *writer, const char *format, ...) {
    size_t used = writer->used_bytes, capacity = writer->capacity_bytes;
    size_t room = used < capacity ? capacity - used : 0;
    va_list arguments;
    va_start(arguments, format);
    int wrote = vsnprintf(room ? writer->text + used : NULL, room, format, arguments);
    va_end(arguments);
    writer->used_bytes += wrote > 0 ? (size_t)wrote : 0;
}

irr_status_e irr_out_of_memory(irr_sentence_t to, size_t bytes) {
    return irr_fail(to, IRR_NOT_ALLOCATED, "out of memory: %zu bytes could not be allocated",
                    bytes);
}
