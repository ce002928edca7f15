/* What the runtime does with models: read, copy, reshape, cut one layer out, find by name.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

/* ---- reading ---- */

/* What running needs, while the weights are open: axes everywhere, and what enters reductions and
 * Results of a net that can be run. */
static irr_status_e load_constants(irr_ir_graph_t *graph, irr_sentence_t sentence) {
    bool runnable = true;
    for (uint32_t i = 0; i < graph->layers.count; i++)
        runnable &= graph->layers.at[i].scope != 0 || graph->layers.at[i].kind != IRR_LAYER_UNKNOWN;
    for (uint32_t i = 0; i < graph->ports.count; i++) {
        const irr_port_t *port = &graph->ports.at[i];
        const irr_layer_t *layer = &graph->layers.at[port->layer];
        bool axes = layer->kind == IRR_LAYER_REDUCE && i == layer->inputs.first + 1;
        if (port->is_input && (axes || (runnable && layer->scope == 0)))
            IRR_TRY(irr_load_constant(graph, irr_feeder(graph, i), sentence));
    }
    return IRR_OK;
}

static irr_status_e without_problems(irr_ir_graph_t *graph, irr_sentence_t sentence) {
    const irr_check_problem_t *first = graph->report.problems;
    if (graph->report.size) return irr_fail(sentence, first->status, "%s", first->text);
    if (graph->fragments)
        return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                        "%.400s: the file holds lone <layer> fragments, which are checked only; a "
                        "model has the root <net>",
                        graph->report.file);
    return load_constants(graph, sentence);
}

irr_status_e irr_ir_read_model(const irr_ir_source_t *source, irr_ir_model_t **model,
                               irr_sentence_t sentence) {
    irr_ir_graph_t *graph;
    *model = NULL;
    IRR_TRY(irr_graph_read(source, without_problems, &graph, sentence));
    irr_status_e status = irr_model_build(graph, IRR_NONE, NULL, model, sentence);
    irr_ir_release(graph);
    return status;
}

irr_status_e irr_ir_clone(const irr_ir_model_t *model, irr_ir_model_t **copy,
                          irr_sentence_t sentence) {
    *copy = irr_malloc(sizeof **copy);
    if (!*copy) return irr_out_of_memory(sentence, sizeof **copy);
    **copy = *model;
    __atomic_add_fetch(&model->parts->references, 1, __ATOMIC_RELAXED);
    return IRR_OK;
}

void irr_ir_free(irr_ir_model_t *model) {
    if (!model) return;
    struct irr_parts *parts = model->parts;
    irr_release(model);
    if (__atomic_sub_fetch(&parts->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    irr_arena_release(&parts->memory);
    irr_ir_release(parts->file);
    irr_release(parts);
}

/* ---- reshaping ---- */

/* What the inputs are, and what some of them shall be. */
static irr_status_e new_inputs(const irr_ir_model_t *model, size_t count, const char **names,
                               const irr_partial_shape_t *shapes, irr_partial_t *inputs,
                               irr_sentence_t sentence) {
    for (uint32_t i = 0; i < model->input_count; i++) {
        const irr_ir_port_t *port = &model->inputs[i];
        inputs[i] = (irr_partial_t){
            .dims = port->dims, .rank = port->rank, .type = (uint8_t)port->element_type};
    }
    for (size_t k = 0; k < count; k++) {
        uint32_t index;
        IRR_TRY(irr_ir_find(model, false, names[k], &index, sentence));
        inputs[index].dims = shapes[k].dims;
        inputs[index].rank = (uint32_t)shapes[k].rank.max;
    }
    return IRR_OK;
}

irr_status_e irr_ir_reshape(irr_ir_model_t *model, size_t count, const char **names,
                            const irr_partial_shape_t *shapes, irr_sentence_t sentence) {
    irr_ir_model_t old = *model, *reshaped = NULL;
    if (old.parts->extracted == IRR_NONE && old.unsupported)
        return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "the model cannot be reshaped: %s",
                        old.unsupported);
    irr_partial_t *inputs = irr_calloc(old.input_count, sizeof *inputs);
    if (!inputs) return irr_out_of_memory(sentence, old.input_count * sizeof *inputs);
    irr_status_e status = new_inputs(model, count, names, shapes, inputs, sentence);
    if (!status)
        status =
            irr_model_build(old.parts->file, old.parts->extracted, inputs, &reshaped, sentence);
    irr_release(inputs);
    if (status) return status;
    *model = *reshaped; /* the handle stays, its contents change */
    *reshaped = old;
    irr_ir_free(reshaped);
    return IRR_OK;
}

/* ---- one layer ---- */

/* What follows of "LAYER/BODY/.../LAYER" behind the scope's own part of it, where a LAYER is the id
 * or name of a body's owner; NULL: the path leads elsewhere. */
static const char *behind(const irr_ir_graph_t *file, uint32_t scope, const char *path) {
    if (scope == 0) return path;
    const irr_layer_t *owner = &file->layers.at[file->scopes.at[scope].layer];
    const char *const words[] = {owner->id, owner->name}, *body = file->scopes.at[scope].body;
    path = behind(file, owner->scope, path);
    for (int i = 0; path && i < 2; i++) {
        size_t length = strlen(words[i]), more = strlen(body);
        if (length && strncmp(path, words[i], length) == 0 && path[length] == '/' &&
            strncmp(path + length + 1, body, more) == 0 && path[length + 1 + more] == '/')
            return path + length + more + 2;
    }
    return NULL;
}

/* By name or else id; reductions first, and the net before the bodies. */
static uint32_t layer_by_path(const irr_ir_graph_t *file, const char *path) {
    uint32_t best = IRR_NONE;
    int best_rank = 0;
    for (uint32_t i = 0; i < file->layers.count; i++) {
        const irr_layer_t *layer = &file->layers.at[i];
        const char *text = behind(file, layer->scope, path);
        if (!text) continue;
        int rank = strcmp(layer->name, text) == 0 ? 2 : strcmp(layer->id, text) == 0 ? 1 : 0;
        if (rank && layer->kind == IRR_LAYER_REDUCE) rank += 2;
        if (rank && layer->scope == 0) rank += 4;
        if (rank > best_rank) best = i, best_rank = rank;
    }
    return best;
}

irr_status_e irr_ir_extract(const irr_ir_model_t *model, const char *path, irr_ir_model_t **one,
                            irr_sentence_t sentence) {
    irr_ir_graph_t *file = model->parts->file;
    *one = NULL;
    uint32_t index = layer_by_path(file, path);
    if (index == IRR_NONE)
        return irr_fail(sentence, IRR_NOT_FOUND,
                        "%.300s: no layer has the name, id or path \"%.200s\" (a path is like "
                        "2/then_body/2)",
                        file->report.file, path);
    if (file->layers.at[index].kind != IRR_LAYER_REDUCE)
        return irr_layer_text(file, index, "it is no reduction", sentence), IRR_NOT_IMPLEMENTED;
    return irr_model_build(file, index, NULL, one, sentence);
}

/* ---- names ---- */

static bool has_name(const irr_ir_port_t *port, const char *name) {
    for (uint32_t i = 0; i < port->name_count; i++)
        if (strcmp(port->names[i], name) == 0) return true;
    return false;
}

irr_status_e irr_ir_find(const irr_ir_model_t *model, bool output, const char *name,
                         uint32_t *index, irr_sentence_t sentence) {
    const irr_ir_port_t *ports = output ? model->outputs : model->inputs;
    uint32_t count = output ? model->output_count : model->input_count;
    char there[IRR_SENTENCE_BYTES / 2] = "none";
    irr_writer_t to = {there, sizeof there, 0};
    for (uint32_t i = 0; i < count; i++)
        if (has_name(&ports[i], name)) return *index = i, IRR_OK;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(ports[i].layer_name, name) == 0) return *index = i, IRR_OK;
    for (uint32_t i = 0; i < count; i++) irr_write(&to, "%s\"%s\"", i ? ", " : "", ports[i].name);
    return irr_fail(sentence, IRR_NOT_FOUND, "no %s is called \"%.200s\"; there %s %s",
                    output ? "output" : "input", name, count == 1 ? "is" : "are", there);
}
