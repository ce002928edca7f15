/* The list of problems and its one form as text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "ir/ir_graph.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(irr_ir_graph_t *graph, irr_problem_t problem, const char *format,
                va_list arguments) {
    char message[2 * IRR_SENTENCE_BYTES];
    if (graph->problem_count > IRR_MAX_PROBLEMS) return;
    if (graph->problem_count == IRR_MAX_PROBLEMS)
        snprintf(message, sizeof message, "more problems follow; the first %u are listed",
                 IRR_MAX_PROBLEMS);
    else
        vsnprintf(message, sizeof message, format, arguments);
    problem.order = (uint32_t)graph->problem_count;
    problem.message = irr_strdup(message);
    if (!problem.message || !irr_grow((void **)&graph->problems, &graph->problem_room,
                                      graph->problem_count + 1, sizeof problem)) {
        irr_release(problem.message);
        graph->out_of_memory = true;
        return;
    }
    graph->problems[graph->problem_count++] = problem;
}

void irr_problem(irr_ir_graph_t *graph, uint32_t line, uint32_t layer, irr_status_e status,
                 const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(graph, (irr_problem_t){line, layer, 0, status, NULL}, format, arguments);
    va_end(arguments);
}

void irr_layer_problem(irr_ir_graph_t *graph, uint32_t layer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    uint32_t line = graph->layers[layer].line;
    add(graph, (irr_problem_t){line, layer, 0, IRR_NETWORK_NOT_READ, NULL}, format, arguments);
    va_end(arguments);
}

const char *irr_symbol_text(const irr_ir_graph_t *graph, irr_symbol_t symbol) {
    return symbol ? graph->texts.bytes + symbol : "";
}

static int by_line(const void *a, const void *b) {
    const irr_problem_t *x = a, *y = b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

bool irr_list_problems(irr_ir_graph_t *graph) {
    size_t count = graph->problem_count;
    if (count) qsort(graph->problems, count, sizeof *graph->problems, by_line);
    graph->listed = irr_calloc(count, sizeof *graph->listed);
    if (!graph->listed) return false;
    for (size_t i = 0; i < count; i++) {
        const irr_problem_t *problem = &graph->problems[i];
        irr_ir_problem_t *out = &graph->listed[i];
        *out = (irr_ir_problem_t){.file = graph->path,
                                  .line = problem->line,
                                  .status = problem->status,
                                  .message = problem->message};
        if (problem->layer == IRR_NONE) continue;
        const irr_layer_t *layer = &graph->layers[problem->layer];
        out->layer_id = irr_symbol_text(graph, layer->id);
        out->layer_name = irr_symbol_text(graph, layer->name);
        out->layer_type = irr_symbol_text(graph, layer->type);
    }
    graph->file.problems = graph->listed;
    graph->file.problem_count = count;
    return true;
}

char *irr_ir_problem_text(const irr_ir_problem_t *problem, char *text, size_t capacity_bytes) {
    char line[16] = "";
    if (problem->line) snprintf(line, sizeof line, ":%" PRIu32, problem->line);
    if (problem->layer_id)
        snprintf(text, capacity_bytes, "%s%s: layer %s \"%s\" (%s): %s", problem->file, line,
                 problem->layer_id, problem->layer_name, problem->layer_type, problem->message);
    else
        snprintf(text, capacity_bytes, "%s%s: %s", problem->file, line, problem->message);
    for (char *c = text; *c; c++) /* one problem, one line, whatever a name holds */
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    return text;
}
