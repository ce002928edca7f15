/* The .bin file, or the user's bytes in memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES 65536u /* axes are small and lie side by side: one read serves many */
#define FAILURE(weights) ((irr_sentence_t){(weights)->failure, sizeof(weights)->failure})

struct irr_weights {
    char *path; /* NULL: memory, or there is no file */
    uint64_t size_bytes;
    int descriptor;
    bool opened;
    irr_status_e status;
    char failure[IRR_SENTENCE_BYTES];
    const unsigned char *held; /* bytes at hand: the user's, or the block */
    uint64_t held_offset;
    size_t held_bytes;
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
    bool standard = source->path && strcmp(source->path, "-") == 0;
    weights->descriptor = -1;
    weights->held = weights->block;
    if (source->weights_path && *source->weights_path) {
        weights->path = irr_strdup(source->weights_path);
    } else if (source->path && !standard) {
        weights->path = default_path(source->path);
    } else { /* in memory, or none */
        weights->opened = true;
        weights->held = source->weights;
        weights->size_bytes = weights->held_bytes = source->weights_bytes;
        if (standard || !source->weights)
            weights->status = irr_fail(
                FAILURE(weights), IRR_NETWORK_NOT_READ, "%s",
                standard ? "a model from standard input has no weights file of its own; name one "
                           "(--weights)"
                         : "no weights were given with the model");
        return weights;
    }
    if (weights->path) return weights;
    irr_release(weights);
    return NULL;
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

static irr_status_e open_once(irr_weights_t *weights) {
    if (weights->opened) return weights->status;
    weights->opened = true;
    weights->status = irr_open_regular(weights->path, &weights->descriptor, &weights->size_bytes,
                                       FAILURE(weights));
    if (weights->status)
        irr_fail_at(FAILURE(weights), weights->status, "weights file \"%.400s\": ", weights->path);
    return weights->status;
}

irr_status_e irr_weights_size(irr_weights_t *weights, uint64_t *size_bytes,
                              irr_sentence_t sentence) {
    irr_status_e status = open_once(weights);
    *size_bytes = weights->size_bytes;
    if (status) irr_fail(sentence, status, "%s", weights->failure);
    weights->failure[0] = '\0';
    return status;
}

/* Reads until `bytes` are there, or to the end of the file, or to an error. */
static size_t read_at(int file, uint64_t offset, size_t bytes, unsigned char *to) {
    size_t got = 0;
    while (got < bytes) {
        size_t part = bytes - got < (1u << 30) ? bytes - got : 1u << 30;
        ssize_t n = pread(file, to + got, part, (off_t)(offset + got));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        got += (size_t)n;
    }
    return got;
}

static bool holds(const irr_weights_t *weights, uint64_t offset, size_t bytes) {
    return offset >= weights->held_offset &&
           offset + bytes <= weights->held_offset + weights->held_bytes;
}

irr_status_e irr_weights_copy(irr_weights_t *weights, uint64_t offset, size_t bytes, void *to,
                              irr_sentence_t sentence) {
    bool small = bytes <= BLOCK_BYTES / 16;
    if (bytes == 0) return IRR_OK;
    if (open_once(weights)) return irr_fail(sentence, weights->status, "%s", weights->failure);
    if (offset > weights->size_bytes || bytes > weights->size_bytes - offset)
        return irr_fail(sentence, IRR_NETWORK_NOT_READ, "the constant lies outside its file");
    if (small && !holds(weights, offset, bytes)) {
        weights->held_offset = offset;
        weights->held_bytes = read_at(weights->descriptor, offset, BLOCK_BYTES, weights->block);
    }
    if (holds(weights, offset, bytes)) {
        memcpy(to, weights->held + (offset - weights->held_offset), bytes);
        return IRR_OK;
    }
    if (!small && read_at(weights->descriptor, offset, bytes, to) == bytes) return IRR_OK;
    return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                    "weights file \"%.400s\": bytes %" PRIu64 " to %" PRIu64
                    " cannot be read; did it shrink?",
                    weights->path, offset, offset + bytes);
}
