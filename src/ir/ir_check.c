/* The graph as a graph: ids, ports, edges, cycles; then every layer after its sources.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_check.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- finding layers and ports by id ---------------------------------------------------------- */

/* Open addressing over indices; the keys are read from the graph. */
typedef struct {
    uint32_t *slots;
    size_t mask;
    uint64_t seed;
    bool of_ports;
} table_t;

static bool create_table(table_t *table, size_t count, bool of_ports) {
    size_t slots = 16;
    while (slots < 2 * count) slots *= 2;
    *table = (table_t){irr_malloc(slots * sizeof(uint32_t)), slots - 1, irr_seed(), of_ports};
    if (table->slots) memset(table->slots, 0xff, slots * sizeof *table->slots);
    return table->slots;
}

/* The entry with this owner (scope or layer) and id, or the free slot that it belongs into. */
static uint32_t *find(const irr_ir_graph_t *graph, const table_t *table, uint32_t owner,
                      irr_symbol_t id) {
    size_t slot = irr_mix(table->seed, (uint64_t)owner << 32 | id) & table->mask;
    for (;; slot = (slot + 1) & table->mask) {
        uint32_t at = table->slots[slot];
        if (at == IRR_NONE) break;
        if (table->of_ports ? graph->ports[at].layer == owner && graph->ports[at].id == id
                            : graph->layers[at].scope == owner && graph->layers[at].id == id)
            break;
    }
    return &table->slots[slot];
}

static void index_layers(irr_ir_graph_t *graph, const table_t *table) {
    for (uint32_t i = 0; i < graph->layer_count; i++) {
        const irr_layer_t *layer = &graph->layers[i];
        if (!layer->id) continue;
        uint32_t *slot = find(graph, table, layer->scope, layer->id);
        if (*slot == IRR_NONE)
            *slot = i;
        else
            irr_layer_problem(graph, i, "id %s is taken by the layer \"%.200s\" at line %" PRIu32,
                              irr_symbol_text(graph, layer->id),
                              irr_symbol_text(graph, graph->layers[*slot].name),
                              graph->layers[*slot].line);
    }
}

/* Nearly every layer has a handful of ports: those are looked through, only the others indexed. */
static bool has_few_ports(const irr_layer_t *layer) {
    return (uint64_t)layer->input_count + layer->output_count <= 8;
}

static size_t ports_to_index(const irr_ir_graph_t *graph) {
    size_t count = 0;
    for (size_t i = 0; i < graph->layer_count; i++)
        if (!has_few_ports(&graph->layers[i]))
            count += (size_t)graph->layers[i].input_count + graph->layers[i].output_count;
    return count;
}

static uint32_t port_in_run(const irr_ir_graph_t *graph, uint32_t first, uint32_t count,
                            irr_symbol_t id) {
    for (uint32_t i = first; i < first + count; i++)
        if (graph->ports[i].id == id) return i;
    return IRR_NONE;
}

/* The port with this id, the first of the file if there are two. */
static uint32_t find_port(const irr_ir_graph_t *graph, const table_t *table, uint32_t index,
                          irr_symbol_t id) {
    const irr_layer_t *layer = &graph->layers[index];
    if (!has_few_ports(layer)) return *find(graph, table, index, id);
    uint32_t input = port_in_run(graph, layer->inputs, layer->input_count, id);
    uint32_t output = port_in_run(graph, layer->outputs, layer->output_count, id);
    return input < output ? input : output;
}

static void index_ports(irr_ir_graph_t *graph, const table_t *table) {
    for (uint32_t i = 0; i < graph->port_count; i++) {
        const irr_port_t *port = &graph->ports[i];
        const char *kind = port->is_input ? "input" : "output";
        if (!port->id) {
            irr_problem(graph, port->line, port->layer, IRR_NETWORK_NOT_READ,
                        "an %s port has no attribute id", kind);
            continue;
        }
        if (!has_few_ports(&graph->layers[port->layer])) {
            uint32_t *slot = find(graph, table, port->layer, port->id);
            if (*slot == IRR_NONE) *slot = i;
        }
        uint32_t first = find_port(graph, table, port->layer, port->id);
        if (first != i)
            irr_problem(graph, port->line, port->layer, IRR_NETWORK_NOT_READ,
                        "%s port id %s is taken by the port at line %" PRIu32, kind,
                        irr_symbol_text(graph, port->id), graph->ports[first].line);
    }
}

/* ---- edges ----------------------------------------------------------------------------------- */

static void edge_problem(irr_ir_graph_t *graph, const irr_edge_t *edge, const char *why,
                         irr_symbol_t layer, irr_symbol_t port) {
    char name[192];
    snprintf(name, sizeof name, "edge from layer %.30s port %.30s to layer %.30s port %.30s",
             irr_symbol_text(graph, edge->from_layer), irr_symbol_text(graph, edge->from_port),
             irr_symbol_text(graph, edge->to_layer), irr_symbol_text(graph, edge->to_port));
    irr_problem(graph, edge->line, IRR_NONE, IRR_NETWORK_NOT_READ, "%s: layer %.60s %s%.60s", name,
                irr_symbol_text(graph, layer), why, irr_symbol_text(graph, port));
}

/* One end of an edge: the port's index, or IRR_NONE and a problem. */
static uint32_t edge_end(irr_ir_graph_t *graph, const irr_edge_t *edge, const table_t *layers,
                         const table_t *ports, bool to) {
    irr_symbol_t layer_id = to ? edge->to_layer : edge->from_layer;
    irr_symbol_t port_id = to ? edge->to_port : edge->from_port;
    uint32_t layer = *find(graph, layers, edge->scope, layer_id);
    if (layer == IRR_NONE) {
        edge_problem(graph, edge, "does not exist", layer_id, 0);
        return IRR_NONE;
    }
    uint32_t port = find_port(graph, ports, layer, port_id);
    if (port != IRR_NONE && graph->ports[port].is_input == to) return port;
    edge_problem(graph, edge, to ? "has no input port " : "has no output port ", layer_id, port_id);
    return IRR_NONE;
}

static void connect(irr_ir_graph_t *graph, const table_t *layers, const table_t *ports) {
    for (size_t i = 0; i < graph->edge_count; i++) {
        const irr_edge_t *edge = &graph->edges[i];
        uint32_t from = edge_end(graph, edge, layers, ports, false);
        uint32_t to = edge_end(graph, edge, layers, ports, true);
        if (to == IRR_NONE || from == IRR_NONE) {
            if (to != IRR_NONE) graph->ports[to].fed = true; /* that problem is told */
            continue;
        }
        irr_port_t *port = &graph->ports[to];
        if (port->of.source != IRR_NONE)
            irr_problem(graph, edge->line, port->layer, IRR_NETWORK_NOT_READ,
                        "input port %s has a second edge, from layer %.60s port %.60s",
                        irr_symbol_text(graph, port->id), irr_symbol_text(graph, edge->from_layer),
                        irr_symbol_text(graph, edge->from_port));
        else
            port->of.source = from;
        port->fed = true;
    }
    for (uint32_t i = 0; i < graph->port_count && !graph->file.fragments; i++)
        if (graph->ports[i].is_input && graph->ports[i].id && !graph->ports[i].fed)
            irr_problem(graph, graph->ports[i].line, graph->ports[i].layer, IRR_NETWORK_NOT_READ,
                        "no edge leads to input port %s",
                        irr_symbol_text(graph, graph->ports[i].id));
}

static bool resolve(irr_ir_graph_t *graph) {
    table_t layers = {0}, ports = {0};
    bool done = create_table(&layers, graph->layer_count, false) &&
                create_table(&ports, ports_to_index(graph), true);
    if (done) {
        index_layers(graph, &layers);
        index_ports(graph, &ports);
        connect(graph, &layers, &ports);
    }
    irr_release(layers.slots);
    irr_release(ports.slots);
    irr_release(graph->edges);
    graph->edges = NULL;
    return done;
}

/* ---- order ----------------------------------------------------------------------------------- */

enum { NEW = 0, OPEN, DONE };

typedef struct {
    uint8_t *states;
    uint32_t *next_input; /* of each open layer */
    uint32_t *stack;
} walk_t;

/* Depth first along the sources, so that each layer follows them; the file's order else. */
static void visit(irr_ir_graph_t *graph, walk_t *walk, uint32_t root, size_t *ordered) {
    size_t depth = 0;
    walk->stack[depth++] = root;
    walk->states[root] = OPEN;
    while (depth) {
        uint32_t index = walk->stack[depth - 1];
        const irr_layer_t *layer = &graph->layers[index];
        if (walk->next_input[index] == layer->input_count) {
            walk->states[index] = DONE;
            graph->order[(*ordered)++] = index;
            depth--;
            continue;
        }
        const irr_port_t *port = &graph->ports[layer->inputs + walk->next_input[index]++];
        if (port->of.source == IRR_NONE) continue;
        uint32_t source = graph->ports[port->of.source].layer;
        if (walk->states[source] == OPEN)
            irr_problem(graph, port->line, index, IRR_NETWORK_NOT_READ,
                        "input port %s closes a cycle: it comes from layer %s \"%.200s\", which "
                        "needs this layer's output",
                        irr_symbol_text(graph, port->id),
                        irr_symbol_text(graph, graph->layers[source].id),
                        irr_symbol_text(graph, graph->layers[source].name));
        if (walk->states[source] != NEW) continue;
        walk->states[source] = OPEN;
        walk->stack[depth++] = source;
    }
}

static bool sort_layers(irr_ir_graph_t *graph) {
    size_t count = graph->layer_count, ordered = 0;
    walk_t walk = {irr_calloc(count, 1), irr_calloc(count, sizeof(uint32_t)),
                   irr_malloc(count * sizeof(uint32_t))};
    graph->order = irr_malloc(count * sizeof *graph->order);
    bool done = walk.states && walk.next_input && walk.stack && graph->order;
    for (uint32_t i = 0; done && i < count; i++)
        if (walk.states[i] == NEW) visit(graph, &walk, i, &ordered);
    irr_release(walk.states);
    irr_release(walk.next_input);
    irr_release(walk.stack);
    return done;
}

/* ---- layer by layer -------------------------------------------------------------------------- */

/* Result, and layers that we do not know: their outputs are trusted, their inputs are compared. */
static void check_other(irr_ir_graph_t *graph, uint32_t index) {
    const irr_layer_t *layer = &graph->layers[index];
    irr_partial_t shape;
    uint8_t type;
    if (layer->kind == IRR_LAYER_RESULT) irr_port_counts(graph, index, 1, 0, "");
    for (uint32_t i = 0; i < layer->input_count; i++)
        irr_port_arriving(graph, layer->inputs + i, &shape, &type);
    for (uint32_t i = 0; i < layer->output_count; i++) {
        irr_port_declared(graph, &graph->ports[layer->outputs + i], &shape, &type);
        irr_port_infer(graph, layer->outputs + i, &shape, type);
    }
}

static void check_layer(irr_ir_graph_t *graph, uint32_t index, uint32_t fragment) {
    switch ((irr_layer_kind_e)graph->layers[index].kind) {
    case IRR_LAYER_PARAMETER:
        irr_check_parameter(graph, index);
        break;
    case IRR_LAYER_CONST:
        irr_check_const(graph, index);
        break;
    case IRR_LAYER_REDUCE:
        irr_check_reduce(graph, index, fragment);
        break;
    case IRR_LAYER_RESULT:
    case IRR_LAYER_UNKNOWN:
        check_other(graph, index);
        break;
    }
}

static bool count_layers(irr_ir_graph_t *graph) {
    graph->file.layer_count = graph->layer_count;
    graph->unknown = irr_malloc(graph->layer_count * sizeof *graph->unknown);
    for (uint32_t i = 0; graph->unknown && i < graph->layer_count; i++) {
        graph->file.reduce_layer_count += graph->layers[i].kind == IRR_LAYER_REDUCE;
        if (graph->layers[i].kind == IRR_LAYER_UNKNOWN)
            graph->unknown[graph->file.unknown_layer_count++] = i;
    }
    return graph->unknown;
}

void irr_check_graph(irr_ir_graph_t *graph) {
    if (!count_layers(graph) || !resolve(graph) || !sort_layers(graph)) {
        graph->out_of_memory = true;
        return;
    }
    uint32_t fragment = 0; /* layers of fragments have no edges: they stay in the file's order */
    for (size_t i = 0; i < graph->layer_count && !graph->out_of_memory; i++) {
        uint32_t index = graph->order[i];
        bool root = graph->scopes[graph->layers[index].scope].layer == IRR_NONE;
        check_layer(graph, index, fragment);
        fragment += root;
    }
}
