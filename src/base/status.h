/* Statuses and the one way a sentence is written.
 * Lives here: irr_fail. May not: anything that knows files, layers or tensors.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_BASE_STATUS_H
#define IRR_BASE_STATUS_H

#include <irreduce/plugin.h>

/* Room for one sentence; longer ones end in "...". */
#define IRR_SENTENCE_BYTES 1024

/* The bytes of a text, or of its characters (UTF-8) that are no more than so many bytes. */
size_t irr_text_bytes(const char *text, size_t most);

/* Writes the sentence (cut to fit) and returns status, so that `return irr_fail(...)` is the idiom.
 */
__attribute__((format(printf, 3, 4))) irr_status_e irr_fail(irr_sentence_t to, irr_status_e status,
                                                            const char *format, ...);
/* Leaves the calling function with the status of a call that failed. */
#define IRR_TRY(call)                                                                              \
    do {                                                                                           \
        irr_status_e try_ = (call);                                                                \
        if (try_ != IRR_OK) return try_;                                                           \
    } while (0)
/* What a function ends with that makes something: it gives that out, or drops it on failure. */
#define IRR_GIVE(status, out, made, drop)                                                          \
    ((status) ? (drop(made), (status)) : (*(out) = (made), IRR_OK))
/* Puts where it happened before a sentence that is there already: "layer 3: ". IRR_OK: there is
 * none, and nothing is done. */
__attribute__((format(printf, 3, 4))) irr_status_e
irr_fail_at(irr_sentence_t to, irr_status_e status, const char *format, ...);
/* Text into a buffer of any size, counted as if it were large enough. */
typedef struct irr_writer {
    char *text; /* always ends in NUL where capacity_bytes > 0 */
    size_t capacity_bytes;
    size_t used_bytes; /* what the whole text takes so far, without the NUL */
} irr_writer_t;
__attribute__((format(printf, 2, 3))) void irr_write(irr_writer_t *writer, const char *format, ...);
irr_status_e irr_out_of_memory(irr_sentence_t to, size_t bytes);

#endif
