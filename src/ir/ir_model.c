/* What the runtime does with models: read, copy, reshape, cut one layer out, find by name.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_build.h"
#include "ir/ir_weights.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- constants ---- */

static irr_status_e load_constant(irr_ir_graph_t *graph, uint32_t index, uint64_t *total_bytes,
                                  irr_sentence_t sentence) {
    const irr_layer_t *layer = &graph->layers.at[index];
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
    graph->constants = irr_calloc(graph->layers.count, sizeof *graph->constants);
    if (!graph->constants) return irr_out_of_memory(sentence, graph->layers.count * sizeof(void *));
    for (uint32_t i = 0; i < graph->layers.count; i++)
        runnable &= graph->layers.at[i].scope != 0 || graph->layers.at[i].kind != IRR_LAYER_UNKNOWN;
    for (uint32_t i = 0; i < graph->layers.count; i++) {
        const irr_layer_t *layer = &graph->layers.at[i];
        bool reduction = layer->kind == IRR_LAYER_REDUCE;
        if (!reduction && layer->kind != IRR_LAYER_RESULT) continue;
        /* data, and what a Result returns, are needed to run only */
        for (uint32_t p = 0; p < layer->inputs.count; p++) {
            if (!(reduction && p == 1) && !(runnable && layer->scope == 0)) continue;
            uint32_t from =
                graph->ports.at[graph->ports.at[layer->inputs.first + p].of.source].layer;
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
    *model = NULL;
    irr_status_e status = irr_graph_read(source, without_problems, &graph, sentence);
    if (status) return status;
    status = irr_model_build(graph, IRR_NONE, NULL, model, sentence);
    irr_graph_release(graph);
    return status;
}

irr_status_e irr_ir_clone(const irr_ir_model_t *face, irr_ir_model_t **copy,
                          irr_sentence_t sentence) {
    irr_whole_model_t *made = irr_malloc(sizeof *made);
    *copy = NULL;
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    *made = *(const irr_whole_model_t *)face;
    __atomic_add_fetch(&made->parts->references, 1, __ATOMIC_RELAXED);
    *copy = &made->face;
    return IRR_OK;
}

void irr_ir_free(irr_ir_model_t *face) {
    irr_parts_t *parts = face ? ((irr_whole_model_t *)face)->parts : NULL;
    if (parts && __atomic_sub_fetch(&parts->references, 1, __ATOMIC_ACQ_REL) == 0) {
        for (size_t i = 0; i < parts->block_count; i++) irr_release(parts->blocks[i]);
        irr_release(parts->blocks);
        irr_graph_release(parts->file);
        irr_release(parts);
    }
    irr_release(face);
}

/* ---- reshaping ---- */

static void put_shape(irr_partial_t *to, uint32_t rank, const irr_dimension_t *dims) {
    to->rank = rank;
    if (rank && rank != IRR_DYNAMIC_RANK) memcpy(to->dims, dims, rank * sizeof *dims);
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
        irr_dimension_t dim = shape->dims[d];
        if (dim.min < 0 || dim.max < -1 || (dim.max >= 0 && dim.max < dim.min))
            return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                            "input \"%s\": dimension %" PRIu32 " is %" PRId64 "..%" PRId64
                            ", which is no range",
                            name, d, dim.min, dim.max);
    }
    return IRR_OK;
}

irr_status_e irr_ir_reshape_inputs(irr_ir_model_t *old, const irr_ir_reshape_t *shapes,
                                   size_t count, irr_sentence_t sentence) {
    irr_whole_model_t *model = (irr_whole_model_t *)old, swapped = *model;
    irr_ir_model_t *reshaped = NULL;
    if (model->parts->extracted == IRR_NONE && old->unsupported)
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "the model cannot be reshaped: %s",
                        old->unsupported);
    irr_partial_t *inputs = irr_calloc(old->input_count, sizeof *inputs);
    if (!inputs) return irr_out_of_memory(sentence, old->input_count * sizeof *inputs);
    for (uint32_t i = 0; i < old->input_count; i++) {
        inputs[i].type = (uint8_t)old->inputs[i].element_type;
        put_shape(&inputs[i], old->inputs[i].rank, old->inputs[i].dims);
    }
    irr_status_e status = IRR_OK;
    for (size_t k = 0; k < count && !status; k++) {
        status = check_reshape(old, &shapes[k], sentence);
        if (!status) put_shape(&inputs[shapes[k].input], shapes[k].rank, shapes[k].dims);
    }
    if (!status)
        status = irr_model_build(model->parts->file, model->parts->extracted, inputs, &reshaped,
                                 sentence);
    irr_release(inputs);
    if (status) return status;
    *model = *(irr_whole_model_t *)reshaped; /* the handle stays, its contents change */
    *(irr_whole_model_t *)reshaped = swapped;
    irr_ir_free(reshaped);
    return IRR_OK;
}

/* ---- one layer ---- */

/* The layer of this scope by name or else id; reductions first. */
static uint32_t layer_in_scope(const irr_ir_graph_t *file, uint32_t scope, const char *text) {
    uint32_t best = IRR_NONE;
    int best_rank = 0;
    for (uint32_t i = 0; i < file->layers.count; i++) {
        const irr_layer_t *layer = &file->layers.at[i];
        if (layer->scope != scope) continue;
        int rank = strcmp(irr_text(file, layer->name), text) == 0 ? 2
                   : strcmp(irr_text(file, layer->id), text) == 0 ? 1
                                                                  : 0;
        if (rank && layer->kind == IRR_LAYER_REDUCE) rank += 2;
        if (rank > best_rank) best = i, best_rank = rank;
    }
    return best;
}

/* The rest of the path behind "LAYER/BODY/", where LAYER is the id or name of the scope's owner. */
static const char *behind(const irr_ir_graph_t *file, const irr_scope_t *scope, const char *path) {
    const irr_layer_t *owner = &file->layers.at[scope->layer];
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
    for (uint32_t s = 1; found == IRR_NONE && s < file->scopes.count; s++) {
        if (file->layers.at[file->scopes.at[s].layer].scope != scope) continue;
        const char *rest = behind(file, &file->scopes.at[s], path);
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
    irr_ir_graph_t *file = model->parts->file;
    *one = NULL;
    if (!path) return irr_fail(sentence, IRR_INVALID_C_PARAM, "the layer's name is NULL");
    uint32_t index = layer_by_path(file, path);
    if (index == IRR_NONE)
        return irr_fail(sentence, IRR_NOT_FOUND,
                        "%.300s: no layer has the name, id or path \"%.200s\" (a path is like "
                        "2/then_body/2)",
                        file->path, path);
    if (file->layers.at[index].kind != IRR_LAYER_REDUCE) {
        irr_check_problem_t problem =
            irr_public_problem(file, irr_at_layer(file, index), "it is no reduction");
        irr_ir_problem_text(&problem, sentence.text, sentence.capacity_bytes);
        return IRR_NOT_IMPLEMENTED;
    }
    return irr_model_build(file, index, NULL, one, sentence);
}

/* ---- names ---- */

static bool has_name(const irr_ir_port_t *port, const char *name) {
    for (uint32_t i = 0; i < port->name_count; i++)
        if (strcmp(port->names[i], name) == 0) return true;
    return false;
}

static irr_status_e by_name(const irr_ir_port_t *ports, uint32_t count, const char *what,
                            const char *name, uint32_t *index, irr_sentence_t sentence) {
    char there[IRR_SENTENCE_BYTES / 2] = "none";
    irr_sentence_t to = {there, sizeof there};
    for (uint32_t i = 0; i < count; i++)
        if (has_name(&ports[i], name)) return *index = i, IRR_OK;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(ports[i].layer_name, name) == 0) return *index = i, IRR_OK;
    for (uint32_t i = 0; i < count; i++) irr_append(&to, "%s\"%s\"", i ? ", " : "", ports[i].name);
    return irr_fail(sentence, IRR_NOT_FOUND, "no %s is called \"%.200s\"; there %s %s", what, name,
                    count == 1 ? "is" : "are", there);
}

irr_status_e irr_ir_input_by_name(const irr_ir_model_t *model, const char *name, uint32_t *index,
                                  irr_sentence_t sentence) {
    return by_name(model->inputs, model->input_count, "input", name, index, sentence);
}

irr_status_e irr_ir_output_by_name(const irr_ir_model_t *model, const char *name, uint32_t *index,
                                   irr_sentence_t sentence) {
    return by_name(model->outputs, model->output_count, "output", name, index, sentence);
}
