/* The .bin file, or the user's bytes in memory: nothing is opened before the first constant asks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Reads until `bytes` are there, or to the end of the file, or to an error. */
static size_t read_at(int file, uint64_t offset, size_t bytes, unsigned char *to) {
    size_t got = 0;
    while (got < bytes) {
        ssize_t n = pread(file, to + got, bytes - got, (off_t)(offset + got));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        got += (size_t)n;
    }
    return got;
}

/* model.xml -> model.bin; any other name gets .bin in place of its extension, or behind it. */
static const char *default_path(const char *model, irr_arena_t *memory) {
    const char *slash = strrchr(model, '/'), *dot = strrchr(slash ? slash : model, '.');
    size_t stem = dot && dot != model && dot != slash + 1 ? (size_t)(dot - model) : strlen(model);
    char *path = irr_take(memory, stem + sizeof ".bin", 1);
    if (path) sprintf(path, "%.*s.bin", (int)stem, model);
    return path;
}

static irr_status_e open_weights(irr_ir_graph_t *graph, irr_sentence_t sentence) {
    const irr_ir_source_t *source = graph->source;
    irr_weights_t *weights = &graph->weights;
    bool standard = source->path && strcmp(source->path, "-") == 0;
    if (source->weights_path && *source->weights_path) {
        weights->path = source->weights_path;
    } else if (source->path && !standard) {
        weights->path = default_path(source->path, &graph->memory);
    } else if (!source->path && source->weights) {
        weights->path = "<memory>";
        weights->bytes = source->weights;
        weights->size_bytes = source->weights_bytes;
        return IRR_OK;
    } else {
        return irr_fail(sentence, IRR_NETWORK_NOT_READ, "%s",
                        standard ? "a model from standard input has no weights file of its own; "
                                   "name one (--weights)"
                                 : "no weights were given with the model");
    }
    if (!weights->path) return irr_out_of_memory(sentence, sizeof ".bin");
    irr_status_e status =
        irr_open_regular(weights->path, &weights->descriptor, &weights->size_bytes, sentence);
    return irr_fail_at(sentence, status, "weights file \"%.400s\": ", weights->path);
}

bool irr_weights_open(irr_ir_graph_t *graph, const irr_layer_t *layer) {
    irr_weights_t *weights = &graph->weights;
    char sentence[IRR_SENTENCE_BYTES];
    irr_status_e status = IRR_OK;
    if (!weights->asked) status = open_weights(graph, (irr_sentence_t){sentence, sizeof sentence});
    if (status)
        irr_problem_as(graph, status, (uint32_t)(layer - graph->layers.at), layer->data_line,
                       "its bytes %" PRIu64 " to %" PRIu64 " are needed: %s", layer->offset,
                       layer->offset + layer->size_bytes, sentence);
    weights->asked = true;
    return weights->bytes || weights->descriptor >= 0;
}

void irr_weights_close(const irr_ir_graph_t *graph) {
    if (graph->weights.descriptor >= 0) close(graph->weights.descriptor);
}

irr_status_e irr_load_constant(irr_ir_graph_t *graph, irr_layer_t *layer, irr_sentence_t sentence) {
    const irr_weights_t *weights = &graph->weights;
    const uint64_t offset = layer->offset, size_bytes = layer->size_bytes;
    if (size_bytes == 0 || layer->constant) return IRR_OK;
    graph->constant_bytes += size_bytes;
    bool fits = graph->constant_bytes <= graph->memory_limit_bytes;
    void *bytes = fits ? irr_take(&graph->memory, size_bytes, 1) : NULL;
    if (!bytes) return irr_out_of_memory(sentence, size_bytes);
    if (weights->bytes)
        memcpy(bytes, weights->bytes + offset, size_bytes);
    else if (read_at(weights->descriptor, offset, size_bytes, bytes) != size_bytes)
        return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                        "weights file \"%.400s\": bytes %" PRIu64 " to %" PRIu64
                        " cannot be read; did it shrink?",
                        weights->path, offset, offset + size_bytes);
    layer->constant = bytes;
    return IRR_OK;
}
