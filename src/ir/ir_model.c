/* What the runtime does with models: read, copy, reshape, cut one layer out, find by name.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "base/shape.h"
#include "ir/ir_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- constants ---- */

static irr_status_e load_constant(irr_ir_graph_t *graph, uint32_t index, uint64_t *total_bytes,
                                  irr_sentence_t sentence) {
    const irr_layer_t *layer = &graph->layers[index];
    uint64_t offset, size_bytes;
    if (layer->kind != IRR_LAYER_CONST || graph->constants[index]) return IRR_OK;
    if (!irr_const_range(graph, layer, &offset, &size_bytes) || size_bytes == 0) return IRR_OK;
    *total_bytes += size_bytes;
    void *bytes = *total_bytes <= graph->memory_limit_bytes ? irr_malloc_aligned(size_bytes) : NULL;
    if (!bytes) return irr_out_of_memory(sentence, size_bytes);
    irr_status_e status = irr_const_copy(graph, layer, size_bytes, bytes, sentence);
    graph->constants[index] = bytes;
    return status;
}

irr_status_e irr_load_constants(irr_ir_graph_t *graph, irr_sentence_t sentence) {
    uint64_t total_bytes = 0;
    bool runnable = true;
    graph->constants = irr_calloc(graph->layer_count, sizeof *graph->constants);
    if (!graph->constants) return irr_out_of_memory(sentence, graph->layer_count * sizeof(void *));
    for (uint32_t i = 0; i < graph->layer_count; i++)
        runnable &= graph->layers[i].scope != 0 || graph->layers[i].kind != IRR_LAYER_UNKNOWN;
    for (uint32_t i = 0; i < graph->layer_count; i++) {
        const irr_layer_t *layer = &graph->layers[i];
        bool reduction = layer->kind == IRR_LAYER_REDUCE;
        if (!reduction && layer->kind != IRR_LAYER_RESULT) continue;
        /* data, and what a Result returns, are needed to run only */
        for (uint32_t p = 0; p < layer->inputs.count; p++) {
            if (!(reduction && p == 1) && !(runnable && layer->scope == 0)) continue;
            uint32_t from = graph->ports[graph->ports[layer->inputs.first + p].of.source].layer;
            irr_status_e status = load_constant(graph, from, &total_bytes, sentence);
            if (status) return status;
        }
    }
    return IRR_OK;
}

/* ---- reading ---- */

static irr_status_e without_problems(irr_ir_graph_t *graph, irr_sentence_t sentence) {
    if (graph->file.problem_count) {
        irr_ir_problem_text(graph->file.problems, sentence.text, sentence.capacity_bytes);
        return graph->file.problems->status;
    }
    if (graph->file.fragments)
        return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                        "%.400s: the file holds lone <layer> fragments, which are checked only; a "
                        "model has the root <net>",
                        graph->path);
    return irr_load_constants(graph, sentence);
}

irr_status_e irr_ir_read_model(const irr_ir_source_t *source, irr_ir_model_t **model,
                               irr_sentence_t sentence) {
    irr_ir_graph_t *graph;
    irr_whole_model_t *whole = NULL;
    *model = NULL;
    irr_status_e status = irr_graph_read(source, without_problems, &graph, sentence);
    if (status) return status;
    status = irr_model_build(graph, IRR_NONE, NULL, &whole, sentence);
    irr_graph_release(graph);
    if (!status) *model = &whole->face;
    return status;
}

/* ---- copying and reshaping ---- */

static irr_status_e rebuild(const irr_ir_model_t *face, const irr_ir_reshape_t *shapes,
                            size_t count, irr_whole_model_t **copy, irr_sentence_t sentence) {
    const irr_whole_model_t *model = (const irr_whole_model_t *)face;
    irr_partial_t *inputs = irr_calloc(face->input_count, sizeof *inputs);
    if (!inputs) return irr_out_of_memory(sentence, face->input_count * sizeof *inputs);
    for (uint32_t i = 0; i < face->input_count; i++) {
        const irr_ir_port_t *port = &face->inputs[i];
        inputs[i].rank = port->rank;
        if (port->rank && port->rank != IRR_DYNAMIC_RANK)
            memcpy(inputs[i].dims, port->dims, port->rank * sizeof *port->dims);
    }
    for (size_t k = 0; k < count; k++) {
        irr_partial_t *to = &inputs[shapes[k].input];
        to->rank = shapes[k].rank;
        if (to->rank && to->rank != IRR_DYNAMIC_RANK)
            memcpy(to->dims, shapes[k].dims, to->rank * sizeof *to->dims);
    }
    irr_status_e status = irr_model_build(model->file, model->extracted, inputs, copy, sentence);
    irr_release(inputs);
    return status;
}

irr_status_e irr_ir_clone(const irr_ir_model_t *model, irr_ir_model_t **copy,
                          irr_sentence_t sentence) {
    irr_whole_model_t *whole = NULL;
    irr_status_e status = rebuild(model, NULL, 0, &whole, sentence);
    *copy = status ? NULL : &whole->face;
    return status;
}

static irr_status_e check_reshape(const irr_ir_model_t *model, const irr_ir_reshape_t *shape,
                                  irr_sentence_t sentence) {
    if (shape->input >= model->input_count)
        return irr_fail(sentence, IRR_OUT_OF_BOUNDS,
                        "input %" PRIu32 " is not there: %" PRIu32 " inputs", shape->input,
                        model->input_count);
    const char *name = model->inputs[shape->input].name;
    if (shape->rank == IRR_DYNAMIC_RANK || shape->rank > IRR_MAX_RANK)
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                        "input \"%s\": a rank of 0 to %u is expected", name, IRR_MAX_RANK);
    for (uint32_t d = 0; d < shape->rank; d++) {
        irr_ir_dim_t dim = shape->dims[d];
        if (dim.min < 0 || dim.max < -1 || (dim.max >= 0 && dim.max < dim.min))
            return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                            "input \"%s\": dimension %" PRIu32 " is %" PRId64 "..%" PRId64
                            ", which is no range",
                            name, d, dim.min, dim.max);
    }
    return IRR_OK;
}

irr_status_e irr_ir_reshape_inputs(irr_ir_model_t *model, const irr_ir_reshape_t *shapes,
                                   size_t count, irr_sentence_t sentence) {
    irr_whole_model_t *old = (irr_whole_model_t *)model, *reshaped = NULL;
    if (old->extracted == IRR_NONE && model->unsupported)
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "the model cannot be reshaped: %s",
                        model->unsupported);
    for (size_t k = 0; k < count; k++) {
        irr_status_e status = check_reshape(model, &shapes[k], sentence);
        if (status) return status;
    }
    irr_status_e status = rebuild(model, shapes, count, &reshaped, sentence);
    if (status) return status;
    irr_whole_model_t swapped = *old; /* the handle stays, its contents change */
    *old = *reshaped;
    *reshaped = swapped;
    irr_ir_free(&reshaped->face);
    return IRR_OK;
}

/* ---- one layer ---- */

static bool same(const irr_ir_graph_t *file, irr_symbol_t symbol, const char *text) {
    return symbol && strcmp(irr_text(file, symbol), text) == 0;
}

/* The layer of this scope by name or else id; reductions first. */
static uint32_t layer_in_scope(const irr_ir_graph_t *file, uint32_t scope, const char *text) {
    uint32_t best = IRR_NONE;
    int best_rank = 0;
    for (uint32_t i = 0; i < file->layer_count; i++) {
        const irr_layer_t *layer = &file->layers[i];
        if (layer->scope != scope) continue;
        int rank = same(file, layer->name, text) ? 2 : same(file, layer->id, text) ? 1 : 0;
        if (rank && layer->kind == IRR_LAYER_REDUCE) rank += 2;
        if (rank > best_rank) best = i, best_rank = rank;
    }
    return best;
}

/* The rest of the path behind "LAYER/BODY/", where LAYER is the id or name of the scope's owner. */
static const char *behind(const irr_ir_graph_t *file, const irr_scope_t *scope, const char *path) {
    const irr_layer_t *owner = &file->layers[scope->layer];
    const irr_symbol_t words[] = {owner->id, owner->name};
    const char *body = irr_text(file, scope->body);
    for (int i = 0; i < 2; i++) {
        const char *word = irr_text(file, words[i]);
        size_t length = strlen(word), more = strlen(body);
        if (length && strncmp(path, word, length) == 0 && path[length] == '/' &&
            strncmp(path + length + 1, body, more) == 0 && path[length + 1 + more] == '/')
            return path + length + more + 2;
    }
    return NULL;
}

static uint32_t layer_by_path(const irr_ir_graph_t *file, const char *path) {
    uint32_t scope = 0, found = layer_in_scope(file, 0, path);
    /* A body's scope comes after its owner's: one pass goes as deep as the path does. */
    for (uint32_t s = 1; found == IRR_NONE && s < file->scope_count; s++) {
        if (file->layers[file->scopes[s].layer].scope != scope) continue;
        const char *rest = behind(file, &file->scopes[s], path);
        if (!rest) continue;
        path = rest;
        scope = s;
        found = layer_in_scope(file, scope, path);
    }
    return found;
}

irr_status_e irr_ir_extract(const irr_ir_model_t *face, const char *path, irr_ir_model_t **one,
                            irr_sentence_t sentence) {
    const irr_whole_model_t *model = (const irr_whole_model_t *)face;
    irr_ir_graph_t *file = model->file;
    irr_whole_model_t *whole = NULL;
    *one = NULL;
    if (!path) return irr_fail(sentence, IRR_INVALID_C_PARAM, "the layer's name is NULL");
    uint32_t index = layer_by_path(file, path);
    if (index == IRR_NONE)
        return irr_fail(sentence, IRR_NOT_FOUND,
                        "%.300s: no layer has the name, id or path \"%.200s\" (a path is like "
                        "2/then_body/2)",
                        file->path, path);
    if (file->layers[index].kind != IRR_LAYER_REDUCE) {
        irr_ir_problem_t problem =
            irr_public_problem(file, irr_at_layer(file, index), "it is no reduction");
        irr_ir_problem_text(&problem, sentence.text, sentence.capacity_bytes);
        return IRR_NOT_IMPLEMENTED;
    }
    irr_status_e status = irr_model_build(file, index, NULL, &whole, sentence);
    if (!status) *one = &whole->face;
    return status;
}

/* ---- names ---- */

static bool has_name(const irr_ir_port_t *port, const char *name) {
    for (uint32_t i = 0; i < port->name_count; i++)
        if (strcmp(port->names[i], name) == 0) return true;
    return false;
}

static irr_status_e by_name(const irr_ir_port_t *ports, uint32_t count, const char *what,
                            const char *name, uint32_t *index, irr_sentence_t sentence) {
    char there[IRR_SENTENCE_BYTES / 2] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        if (has_name(&ports[i], name)) return *index = i, IRR_OK;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(ports[i].layer_name, name) == 0) return *index = i, IRR_OK;
    for (uint32_t i = 0; i < count && used < sizeof there; i++) {
        int wrote =
            snprintf(there + used, sizeof there - used, "%s\"%s\"", i ? ", " : "", ports[i].name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return irr_fail(sentence, IRR_NOT_FOUND, "no %s is called \"%.200s\"; there %s %s", what, name,
                    count == 1 ? "is" : "are", count ? there : "none");
}

irr_status_e irr_ir_input_by_name(const irr_ir_model_t *model, const char *name, uint32_t *index,
                                  irr_sentence_t sentence) {
    return by_name(model->inputs, model->input_count, "input", name, index, sentence);
}

irr_status_e irr_ir_output_by_name(const irr_ir_model_t *model, const char *name, uint32_t *index,
                                   irr_sentence_t sentence) {
    return by_name(model->outputs, model->output_count, "output", name, index, sentence);
}
