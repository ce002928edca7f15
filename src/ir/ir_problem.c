/* The list of problems and its one form as text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

#include <stdarg.h>
#include <stdlib.h>

irr_place_t irr_at_line(uint32_t line) {
    return (irr_place_t){line, IRR_NONE, IRR_NETWORK_NOT_READ};
}

irr_place_t irr_at_layer(const irr_ir_graph_t *graph, uint32_t layer) {
    return (irr_place_t){graph->layers.at[layer].line, layer, IRR_NETWORK_NOT_READ};
}

irr_place_t irr_at_data(const irr_ir_graph_t *graph, uint32_t layer) {
    return (irr_place_t){graph->layers.at[layer].data_line, layer, IRR_NETWORK_NOT_READ};
}

irr_place_t irr_at_port(const irr_port_t *port) {
    return (irr_place_t){port->line, port->layer, IRR_NETWORK_NOT_READ};
}

void irr_problem(irr_ir_graph_t *graph, irr_place_t place, const char *format, ...) {
    char message[2 * IRR_SENTENCE_BYTES] = "more problems follow; the first 100000 are listed";
    _Static_assert(IRR_MAX_PROBLEMS == 100000, "as the sentence says");
    if (graph->problems.count > IRR_MAX_PROBLEMS || !IRR_ROOM(graph, problems, 1)) return;
    if (graph->problems.count < IRR_MAX_PROBLEMS) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
    }
    irr_problem_t problem = {place, (uint32_t)graph->problems.count,
                             irr_take_text(&graph->memory, message)};
    if (problem.message)
        graph->problems.at[graph->problems.count++] = problem;
    else
        irr_no_memory(graph);
}

irr_check_problem_t irr_public_problem(const irr_ir_graph_t *graph, irr_place_t place,
                                       const char *message) {
    irr_check_problem_t problem = {
        .file = graph->file.path, .line = place.line, .status = place.status, .message = message};
    if (place.layer == IRR_NONE) return problem;
    const irr_layer_t *layer = &graph->layers.at[place.layer];
    problem.layer_id = irr_text(graph, layer->id);
    problem.layer_name = irr_text(graph, layer->name);
    problem.type = irr_text(graph, layer->type);
    return problem;
}

static int by_line(const void *a, const void *b) {
    const irr_problem_t *x = a, *y = b;
    if (x->place.line != y->place.line) return x->place.line < y->place.line ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

void irr_list_problems(irr_ir_graph_t *graph) {
    size_t count = graph->problems.count;
    irr_check_problem_t *to =
        irr_take(&graph->memory, count + graph->file.unknown_layer_count, sizeof *to);
    if (!to || graph->out_of_memory) {
        irr_no_memory(graph);
        return;
    }
    graph->file.problems = to;
    if (count) qsort(graph->problems.at, count, sizeof *graph->problems.at, by_line);
    for (size_t i = 0; i < count; i++)
        *to++ =
            irr_public_problem(graph, graph->problems.at[i].place, graph->problems.at[i].message);
    graph->file.problem_count = count;
    for (uint32_t i = 0; i < graph->layers.count; i++) {
        irr_place_t place = {graph->layers.at[i].line, i, IRR_OK};
        if (graph->layers.at[i].kind == IRR_LAYER_UNKNOWN)
            *to++ = irr_public_problem(graph, place, "not known; its declared ports are trusted");
    }
}

char *irr_ir_problem_text(const irr_check_problem_t *problem, char *text, size_t capacity_bytes) {
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
