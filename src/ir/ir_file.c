/* The life of a read file, and the list of its problems with their one form as text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

#include <stdarg.h>
#include <stdlib.h>

bool irr_no_memory(irr_ir_graph_t *graph) {
    graph->memory.failed = true;
    return false;
}

/* ---- problems ---- */

static irr_check_problem_t problem_of(const irr_ir_graph_t *graph, irr_status_e status,
                                      uint32_t layer, uint32_t line, const char *message) {
    irr_check_problem_t problem = {
        .file = graph->report.file, .line = line, .status = status, .message = message};
    if (layer == IRR_NONE) return problem;
    const irr_layer_t *at = &graph->layers.at[layer];
    problem.layer_id = at->id;
    problem.layer_name = at->name;
    problem.type = at->type;
    return problem;
}

/* `model.xml:14: layer 3 "norm" (ReduceL2): axis 4 is outside ...`, cut to fit. */
static char *text_of(const irr_check_problem_t *problem, char *text, size_t capacity_bytes) {
    irr_writer_t to = {text, capacity_bytes, 0};
    irr_write(&to, "%s", problem->file);
    if (problem->line) irr_write(&to, ":%" PRId64, problem->line);
    if (problem->layer_id)
        irr_write(&to, ": layer %s \"%s\" (%s)", problem->layer_id, problem->layer_name,
                  problem->type);
    irr_write(&to, ": %s", problem->message);
    for (char *c = text; *c; c++) /* one problem, one line, whatever a name holds */
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    return text;
}

char *irr_layer_text(const irr_ir_graph_t *graph, uint32_t layer, const char *message,
                     irr_sentence_t to) {
    uint32_t line = graph->layers.at[layer].line;
    irr_check_problem_t problem = problem_of(graph, IRR_OK, layer, line, message);
    return text_of(&problem, to.text, to.capacity_bytes);
}

/* Until they are sorted, a problem's line holds its number in the list, too. */
void irr_problem_as(irr_ir_graph_t *graph, irr_status_e status, uint32_t layer, uint32_t line,
                    const char *format, ...) {
    char message[2 * IRR_SENTENCE_BYTES] = "more problems follow; the first 100000 are listed";
    _Static_assert(IRR_MAX_PROBLEMS == 100000, "as the sentence says");
    if (graph->problems.count > IRR_MAX_PROBLEMS || !IRR_ROOM(graph, problems)) return;
    if (graph->problems.count < IRR_MAX_PROBLEMS) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
    }
    irr_check_problem_t *problem = &graph->problems.at[graph->problems.count];
    *problem = problem_of(graph, status, layer, line, irr_take_text(&graph->memory, message));
    problem->line = problem->line << 32 | (int64_t)graph->problems.count++;
}

static int by_line(const void *a, const void *b) {
    const irr_check_problem_t *x = a, *y = b;
    return x->line < y->line ? -1 : 1;
}

/* Sorts them, and puts the layers behind that are not known: each with its text, or the first. */
static void fill_report(irr_ir_graph_t *graph, bool all) {
    size_t count = graph->report.size = graph->problems.count;
    char text[2 * IRR_SENTENCE_BYTES];
    if (count) qsort(graph->problems.at, count, sizeof *graph->problems.at, by_line);
    for (size_t i = 0; i < count; i++) graph->problems.at[i].line >>= 32;
    for (uint32_t i = 0; i < graph->layers.count; i++) {
        const irr_layer_t *layer = &graph->layers.at[i];
        graph->report.reduce_layers += layer->kind == IRR_LAYER_REDUCE;
        if (layer->kind == IRR_LAYER_UNKNOWN && IRR_ROOM(graph, problems))
            graph->problems.at[graph->problems.count++] = problem_of(
                graph, IRR_OK, i, layer->line, "not known; its declared ports are trusted");
    }
    const size_t told = all ? graph->problems.count : count > 0;
    for (size_t i = 0; i < told && !graph->memory.failed; i++) {
        irr_check_problem_t *problem = &graph->problems.at[i];
        problem->text = irr_take_text(&graph->memory, text_of(problem, text, sizeof text));
    }
    graph->report.problems = graph->problems.at;
    graph->report.unknown_layers = graph->problems.at + count;
    graph->report.unknown_size = graph->problems.count - count;
    graph->report.layers = graph->layers.count;
    graph->report.fragments = graph->fragments ? graph->layers.count : 0;
}

/* ---- life ---- */

void irr_ir_release(const void *owner) {
    irr_ir_graph_t *graph = (irr_ir_graph_t *)owner;
    if (!graph || __atomic_sub_fetch(&graph->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    void *const arrays[] = {graph->layers.at, graph->ports.at, graph->edges.at, graph->scopes.at,
                            graph->problems.at};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) irr_release(arrays[i]);
    irr_arena_release(&graph->memory);
    irr_release(graph);
}

irr_status_e irr_graph_read(const irr_ir_source_t *source,
                            irr_status_e (*more)(irr_ir_graph_t *graph, irr_sentence_t sentence),
                            irr_ir_graph_t **out, irr_sentence_t sentence) {
    *out = NULL;
    irr_ir_graph_t *graph = irr_calloc(1, sizeof *graph);
    if (!graph) return irr_out_of_memory(sentence, sizeof *graph);
    const char *path = source->path ? source->path : "<memory>";
    irr_status_e status = IRR_OK;
    graph->references = 1;
    graph->source = source;
    graph->weights.descriptor = -1;
    graph->memory_limit_bytes = irr_memory_limit_bytes();
    graph->report.file = irr_take_text(&graph->memory, path);
    graph->report.owner = graph;
    /* No array is NULL: an empty run begins at an element like any other. */
    if (!graph->memory.failed && IRR_ROOM(graph, layers) && IRR_ROOM(graph, ports) &&
        IRR_ROOM(graph, scopes) && IRR_ROOM(graph, problems) && irr_read_xml(graph))
        irr_check_graph(graph);
    fill_report(graph, more == NULL);
    if (graph->memory.failed)
        status = irr_fail(sentence, IRR_NOT_ALLOCATED, "out of memory while reading %.400s", path);
    if (!status && more) status = more(graph, sentence);
    irr_weights_close(graph);
    graph->source = NULL;
    return IRR_GIVE(status, out, graph, irr_ir_release);
}

irr_status_e irr_ir_check(const irr_ir_source_t *source, irr_check_report_t *report,
                          irr_sentence_t sentence) {
    irr_ir_graph_t *graph;
    IRR_TRY(irr_graph_read(source, NULL, &graph, sentence));
    *report = graph->report;
    return IRR_OK;
}
