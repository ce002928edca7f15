/* The .bin file, or the user's bytes in memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_weights.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES 65536u /* axes are small and lie side by side: one read serves many */

struct irr_weights {
    char *path; /* NULL: memory, or there is no file */
    const unsigned char *memory;
    uint64_t size_bytes;
    int descriptor;
    bool opened, told;
    irr_status_e status;
    char failure[IRR_SENTENCE_BYTES];
    uint64_t block_offset;
    size_t block_used;
    unsigned char block[BLOCK_BYTES];
};

irr_status_e irr_open_regular(const char *path, int *descriptor, uint64_t *size_bytes,
                              irr_sentence_t sentence) {
    struct stat info;
    /* Non-blocking: opening a FIFO must not wait for a writer. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return irr_fail(sentence, errno == ENOENT ? IRR_NOT_FOUND : IRR_NETWORK_NOT_READ,
                        "the file cannot be opened: %s", strerror(errno));
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode)) {
        *descriptor = file;
        *size_bytes = (uint64_t)info.st_size;
        return IRR_OK;
    }
    close(file);
    return irr_fail(sentence, IRR_NETWORK_NOT_READ, "this is a %s; a regular file is expected",
                    S_ISDIR(info.st_mode)                            ? "directory"
                    : S_ISFIFO(info.st_mode)                         ? "FIFO"
                    : S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode) ? "device"
                                                                     : "special file");
}

/* model.xml -> model.bin; any other name gets .bin in place of its extension, or behind it. */
static char *default_path(const char *model) {
    const char *slash = strrchr(model, '/'), *dot = strrchr(slash ? slash : model, '.');
    size_t stem = dot && dot != model && dot != slash + 1 ? (size_t)(dot - model) : strlen(model);
    char *path = irr_malloc(stem + sizeof ".bin");
    if (path) sprintf(path, "%.*s.bin", (int)stem, model);
    return path;
}

irr_weights_t *irr_weights_create(const irr_ir_source_t *source) {
    irr_weights_t *weights = irr_calloc(1, sizeof *weights);
    if (!weights) return NULL;
    weights->descriptor = -1;
    bool named = source->weights_path && *source->weights_path;
    if (named)
        weights->path = irr_strdup(source->weights_path);
    else if (source->path && strcmp(source->path, "-") != 0)
        weights->path = default_path(source->path);
    else if (source->path || !source->weights)
        weights->status = irr_fail((irr_sentence_t){weights->failure, sizeof weights->failure},
                                   IRR_NETWORK_NOT_READ,
                                   source->path ? "a model from standard input has no weights file "
                                                  "of its own; name one (--weights)"
                                                : "no weights were given with the model");
    else
        weights->memory = source->weights, weights->size_bytes = source->weights_bytes;
    weights->opened = !weights->path;
    if (!weights->path && !weights->memory && !weights->status) {
        irr_release(weights);
        return NULL;
    }
    return weights;
}

void irr_weights_release(irr_weights_t *weights) {
    if (!weights) return;
    if (weights->descriptor >= 0) close(weights->descriptor);
    irr_release(weights->path);
    irr_release(weights);
}

const char *irr_weights_path(const irr_weights_t *weights) {
    return weights->path ? weights->path : "<memory>";
}

irr_status_e irr_weights_size(irr_weights_t *weights, uint64_t *size_bytes, bool *told,
                              irr_sentence_t sentence) {
    if (!weights->opened) {
        char reason[IRR_SENTENCE_BYTES] = "";
        weights->opened = true;
        weights->status =
            irr_open_regular(weights->path, &weights->descriptor, &weights->size_bytes,
                             (irr_sentence_t){reason, sizeof reason});
        if (weights->status)
            irr_fail((irr_sentence_t){weights->failure, sizeof weights->failure}, weights->status,
                     "weights file \"%.400s\": %s", weights->path, reason);
    }
    *told = weights->told;
    weights->told = weights->status != IRR_OK;
    *size_bytes = weights->size_bytes;
    if (weights->status) return irr_fail(sentence, weights->status, "%s", weights->failure);
    return IRR_OK;
}

/* Reads until `bytes` are there; false at the end of the file or on an error. */
static bool read_at(int file, uint64_t offset, size_t bytes, unsigned char *to, size_t *got) {
    for (*got = 0; *got < bytes;) {
        size_t part = bytes - *got < (1u << 30) ? bytes - *got : 1u << 30;
        ssize_t n = pread(file, to + *got, part, (off_t)(offset + *got));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        *got += (size_t)n;
    }
    return true;
}

irr_status_e irr_weights_copy(irr_weights_t *weights, uint64_t offset, size_t bytes, void *to,
                              irr_sentence_t sentence) {
    size_t got = 0;
    if (bytes == 0) return IRR_OK;
    if (weights->memory) {
        memcpy(to, weights->memory + offset, bytes);
        return IRR_OK;
    }
    if (bytes <= BLOCK_BYTES / 16) {
        if (offset < weights->block_offset ||
            offset + bytes > weights->block_offset + weights->block_used) {
            weights->block_offset = offset;
            read_at(weights->descriptor, offset, BLOCK_BYTES, weights->block, &weights->block_used);
        }
        if (offset + bytes <= weights->block_offset + weights->block_used) {
            memcpy(to, weights->block + (offset - weights->block_offset), bytes);
            return IRR_OK;
        }
    } else if (read_at(weights->descriptor, offset, bytes, to, &got)) {
        return IRR_OK;
    }
    return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                    "weights file \"%.400s\": bytes %" PRIu64 " to %" PRIu64
                    " cannot be read; did it shrink?",
                    weights->path, offset, offset + bytes);
}
