/* The list of problems and its one form as text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "ir/ir_graph.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

irr_place_t irr_at_line(uint32_t line) {
    return (irr_place_t){line, IRR_NONE, IRR_NETWORK_NOT_READ};
}

irr_place_t irr_at_layer(const irr_ir_graph_t *graph, uint32_t layer) {
    return (irr_place_t){graph->layers[layer].line, layer, IRR_NETWORK_NOT_READ};
}

irr_place_t irr_at_data(const irr_ir_graph_t *graph, uint32_t layer) {
    return (irr_place_t){graph->layers[layer].data_line, layer, IRR_NETWORK_NOT_READ};
}

irr_place_t irr_at_port(const irr_port_t *port) {
    return (irr_place_t){port->line, port->layer, IRR_NETWORK_NOT_READ};
}

void irr_problem(irr_ir_graph_t *graph, irr_place_t place, const char *format, ...) {
    char message[2 * IRR_SENTENCE_BYTES] = "more problems follow; the first 100000 are listed";
    _Static_assert(IRR_MAX_PROBLEMS == 100000, "as the sentence says");
    if (graph->problem_count > IRR_MAX_PROBLEMS) return;
    if (graph->problem_count < IRR_MAX_PROBLEMS) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
    }
    irr_problem_t problem = {place, (uint32_t)graph->problem_count, irr_strdup(message)};
    if (problem.message && irr_grow((void **)&graph->problems, &graph->problem_room,
                                    graph->problem_count + 1, sizeof problem)) {
        graph->problems[graph->problem_count++] = problem;
        return;
    }
    irr_release(problem.message);
    graph->out_of_memory = true;
}

const char *irr_text(const irr_ir_graph_t *graph, irr_symbol_t symbol) {
    return symbol ? graph->texts.bytes + symbol : "";
}

static int by_line(const void *a, const void *b) {
    const irr_problem_t *x = a, *y = b;
    if (x->place.line != y->place.line) return x->place.line < y->place.line ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

irr_ir_problem_t irr_public_problem(const irr_ir_graph_t *graph, irr_place_t place,
                                    const char *message) {
    irr_ir_problem_t public = {
        .file = graph->path, .line = place.line, .status = place.status, .message = message};
    if (place.layer == IRR_NONE) return public;
    const irr_layer_t *layer = &graph->layers[place.layer];
    public.layer_id = irr_text(graph, layer->id);
    public.layer_name = irr_text(graph, layer->name);
    public.type = irr_text(graph, layer->type);
    return public;
}

bool irr_list_problems(irr_ir_graph_t *graph) {
    size_t count = graph->problem_count;
    if (count) qsort(graph->problems, count, sizeof *graph->problems, by_line);
    graph->listed = irr_calloc(count, sizeof *graph->listed);
    if (!graph->listed) return false;
    for (size_t i = 0; i < count; i++)
        graph->listed[i] =
            irr_public_problem(graph, graph->problems[i].place, graph->problems[i].message);
    graph->file.problems = graph->listed;
    graph->file.problem_count = count;
    return true;
}

char *irr_ir_problem_text(const irr_ir_problem_t *problem, char *text, size_t capacity_bytes) {
    char line[24] = "";
    if (problem->line) snprintf(line, sizeof line, ":%" PRId64, problem->line);
    if (problem->layer_id)
        snprintf(text, capacity_bytes, "%s%s: layer %s \"%s\" (%s): %s", problem->file, line,
                 problem->layer_id, problem->layer_name, problem->type, problem->message);
    else
        snprintf(text, capacity_bytes, "%s%s: %s", problem->file, line, problem->message);
    for (char *c = text; *c; c++) /* one problem, one line, whatever a name holds */
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    return text;
}
