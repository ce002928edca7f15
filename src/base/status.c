/* The status table.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *word, *text;
} status_row_t;

/* Row -status of each status. */
static const status_row_t rows[] = {
    [0] = {"OK", "done"},
    [1] = {"GENERAL_ERROR", "general error"},
    [2] = {"NOT_IMPLEMENTED", "the device does not take this layer or element type"},
    [3] = {"NETWORK_NOT_LOADED", "the model is not loaded"},
    [4] = {"PARAMETER_MISMATCH", "a tensor, property or number does not fit"},
    [5] = {"NOT_FOUND", "not found"},
    [6] = {"OUT_OF_BOUNDS", "index out of bounds"},
    [7] = {"UNEXPECTED", "unexpected error"},
    [8] = {"REQUEST_BUSY", "the infer request is busy"},
    [9] = {"RESULT_NOT_READY", "the result is not ready"},
    [10] = {"NOT_ALLOCATED", "out of memory"},
    [11] = {"INFER_NOT_STARTED", "the inference was not started"},
    [12] = {"NETWORK_NOT_READ", "the model cannot be read"},
    [13] = {"INFER_CANCELLED", "the inference was cancelled"},
    [14] = {"INVALID_C_PARAM", "an argument is NULL or no enumerator"},
    [15] = {"UNKNOWN_C_ERROR", "unknown error"},
    [16] = {"NOT_IMPLEMENT_C_METHOD", "this function is not implemented"},
    [17] = {"UNKNOW_EXCEPTION", "unknown exception"},
};
_Static_assert(sizeof rows / sizeof *rows == 1 - IRR_UNKNOW_EXCEPTION, "a row for each status");

static const status_row_t *row_of(irr_status_e status) {
    static const status_row_t none = {NULL, "no status of irreduce"};
    return status <= 0 && status >= IRR_UNKNOW_EXCEPTION ? &rows[-(int)status] : &none;
}

const char *irr_status_word(irr_status_e status) { return row_of(status)->word; }
const char *irr_status_text(irr_status_e status) { return row_of(status)->text; }

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
