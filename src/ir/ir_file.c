/* The life of a read file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

bool irr_no_memory(irr_ir_graph_t *graph) {
    graph->out_of_memory = true;
    return false;
}

void irr_graph_release(irr_ir_graph_t *graph) {
    if (!graph || __atomic_sub_fetch(&graph->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    irr_weights_release(graph->weights);
    for (size_t i = 0; graph->constants && i < graph->layers.count; i++)
        irr_release(graph->constants[i]);
    void *const arrays[] = {graph->texts.at,       graph->layers.at, graph->ports.at,
                            graph->dims.at,        graph->edges.at,  graph->scopes.at,
                            graph->shapes.at,      graph->constants, graph->problems.at,
                            graph->symbols.entries};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) irr_release(arrays[i]);
    irr_arena_release(&graph->memory);
    irr_release(graph);
}

/* What only reading needs. */
static void finish_reading(irr_ir_graph_t *graph) {
    irr_release(graph->symbols.entries);
    graph->symbols.entries = NULL;
    irr_weights_release(graph->weights);
    graph->weights = NULL;
    graph->source = NULL;
}

/* No array is NULL: an empty run begins at an element like any other, even in a file without a
 * single port or dimension. */
static bool make_arrays(irr_ir_graph_t *graph) {
    return IRR_ROOM(graph, texts, 1) && IRR_ROOM(graph, layers, 1) && IRR_ROOM(graph, ports, 1) &&
           IRR_ROOM(graph, dims, 1) && IRR_ROOM(graph, scopes, 1) && IRR_ROOM(graph, shapes, 1);
}

irr_status_e irr_graph_read(const irr_ir_source_t *source,
                            irr_status_e (*more)(irr_ir_graph_t *graph, irr_sentence_t sentence),
                            irr_ir_graph_t **out, irr_sentence_t sentence) {
    *out = NULL;
    if (!source || (source->axes_count && !source->axes))
        return irr_fail(sentence, IRR_INVALID_C_PARAM, "the source of a model is NULL");
    irr_ir_graph_t *graph = irr_calloc(1, sizeof *graph);
    if (!graph) return irr_out_of_memory(sentence, sizeof *graph);
    const char *path = source->path ? source->path : "<memory>";
    irr_status_e status = IRR_OK;
    graph->references = 1;
    graph->source = source;
    graph->memory_limit_bytes = irr_memory_limit_bytes();
    graph->file.path = irr_take_text(&graph->memory, path);
    graph->weights = irr_weights_create(source);
    if (!graph->file.path || !graph->weights)
        irr_no_memory(graph);
    else if (make_arrays(graph) && irr_read_xml(graph))
        irr_check_graph(graph);
    irr_list_problems(graph);
    if (graph->out_of_memory)
        status = irr_fail(sentence, IRR_NOT_ALLOCATED, "out of memory while reading %.400s", path);
    if (!status && more) status = more(graph, sentence);
    finish_reading(graph);
    if (status)
        irr_graph_release(graph);
    else
        *out = graph;
    return status;
}

static irr_status_e add_texts(irr_ir_graph_t *graph, irr_sentence_t sentence) {
    char text[2 * IRR_SENTENCE_BYTES];
    size_t count = graph->file.problem_count + graph->file.unknown_layer_count;
    for (irr_check_problem_t *row = graph->file.problems; count--; row++)
        row->text = irr_take_text(&graph->memory, irr_ir_problem_text(row, text, sizeof text));
    return graph->memory.failed ? irr_out_of_memory(sentence, sizeof text) : IRR_OK;
}

irr_status_e irr_ir_read(const irr_ir_source_t *source, const irr_ir_file_t **file,
                         irr_sentence_t sentence) {
    irr_ir_graph_t *graph;
    irr_status_e status = irr_graph_read(source, add_texts, &graph, sentence);
    *file = status ? NULL : &graph->file;
    return status;
}

void irr_ir_file_free(const irr_ir_file_t *file) { irr_graph_release((irr_ir_graph_t *)file); }
