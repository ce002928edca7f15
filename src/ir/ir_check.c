/* The graph as a graph: ids, ports, edges, cycles; then every layer after its sources.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

#include <stdlib.h>

/* ---- finding layers and ports by id ---- */

/* The ids of layers in their scopes, or of ports in their layers. */
typedef struct {
    uint32_t owner, number;
    const char *id;
} name_t;

typedef struct {
    name_t *at; /* by owner and id */
    size_t count;
} index_t;

static int by_id(const void *a, const void *b) {
    const name_t *x = a, *y = b;
    return x->owner != y->owner ? (x->owner < y->owner ? -1 : 1) : strcmp(x->id, y->id);
}

static int by_number(const void *a, const void *b) {
    const name_t *x = a, *y = b;
    int order = by_id(x, y);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static void add(index_t *index, uint32_t owner, uint32_t number, const char *id) {
    if (id != irr_no_text) index->at[index->count++] = (name_t){owner, number, id};
}

/* Files are mostly in order. The first that has an id keeps it; `twice` hears of the others. */
static void sort(irr_ir_graph_t *graph, index_t *index,
                 void (*twice)(irr_ir_graph_t *graph, uint32_t number, uint32_t first)) {
    name_t *at = index->at;
    size_t i = 1, count = index->count;
    while (i < count && by_number(&at[i - 1], &at[i]) < 0) i++;
    if (i < count) qsort(at, count, sizeof *at, by_number);
    index->count = 0;
    for (i = 0; i < count; i++) {
        const name_t *last = index->count ? &at[index->count - 1] : NULL;
        if (last && by_id(last, &at[i]) == 0)
            twice(graph, at[i].number, last->number);
        else
            at[index->count++] = at[i];
    }
}

/* IRR_NONE: none has this id. */
static uint32_t find(const index_t *index, uint32_t owner, const char *id) {
    const name_t wanted = {owner, 0, id};
    const name_t *found = bsearch(&wanted, index->at, index->count, sizeof wanted, by_id);
    return found ? found->number : IRR_NONE;
}

static void layer_twice(irr_ir_graph_t *graph, uint32_t layer, uint32_t first) {
    const irr_layer_t *layers = graph->layers.at;
    irr_problem(graph, layer, layers[layer].line,
                "id %s is taken by the layer \"%.200s\" at line %" PRIu32, layers[layer].id,
                layers[first].name, layers[first].line);
}

static void port_twice(irr_ir_graph_t *graph, uint32_t number, uint32_t first) {
    const irr_port_t *port = &graph->ports.at[number];
    irr_problem(graph, port->layer, port->line,
                "%s port id %s is taken by the port at line %" PRIu32, irr_side(port), port->id,
                graph->ports.at[first].line);
}

/* ---- edges ---- */

/* The port at one end of an edge, or IRR_NONE and a problem. */
static uint32_t port_at(irr_ir_graph_t *graph, const irr_edge_t *edge, bool is_input,
                        const index_t *layers, const index_t *ports) {
    const char *const *ends = edge->ends, *const *end = is_input ? ends + 2 : ends;
    const char *why = is_input ? "has no input port " : "has no output port ";
    uint32_t layer = find(layers, edge->scope, end[0]);
    uint32_t port = layer == IRR_NONE ? IRR_NONE : find(ports, layer, end[1]);
    if (port != IRR_NONE && graph->ports.at[port].is_input == is_input) return port;
    bool there = layer != IRR_NONE;
    irr_problem(graph, IRR_NONE, edge->line,
                "edge from layer %.30s port %.30s to layer %.30s port %.30s: layer %.60s %s%.60s",
                ends[0], ends[1], ends[2], ends[3], end[0], there ? why : "does not exist",
                there ? end[1] : "");
    return IRR_NONE;
}

static void connect(irr_ir_graph_t *graph, const index_t *layers, const index_t *ports) {
    for (size_t i = 0; i < graph->edges.count; i++) {
        const irr_edge_t *edge = &graph->edges.at[i];
        uint32_t from = port_at(graph, edge, false, layers, ports);
        uint32_t to = port_at(graph, edge, true, layers, ports);
        if (to == IRR_NONE) continue;
        irr_port_t *port = &graph->ports.at[to];
        port->fed = true; /* a wrong source is told already */
        if (from == IRR_NONE) continue;
        if (port->source == IRR_NONE)
            port->source = from;
        else
            irr_problem(graph, port->layer, edge->line,
                        "input port %s has a second edge, from layer %.60s port %.60s", port->id,
                        edge->ends[0], edge->ends[1]);
    }
    for (size_t i = 0; i < graph->ports.count; i++) {
        const irr_port_t *port = &graph->ports.at[i];
        if (port->id == irr_no_text)
            irr_problem(graph, port->layer, port->line, "an %s port has no attribute id",
                        irr_side(port));
        else if (port->is_input && !port->fed && !graph->fragments)
            irr_problem(graph, port->layer, port->line, "no edge leads to input port %s", port->id);
    }
}

static void resolve(irr_ir_graph_t *graph) {
    index_t layers = {.at = irr_calloc(graph->layers.count, sizeof(name_t))};
    index_t ports = {.at = irr_calloc(graph->ports.count, sizeof(name_t))};
    if (layers.at && ports.at) {
        for (uint32_t i = 0; i < graph->layers.count; i++)
            add(&layers, graph->layers.at[i].scope, i, graph->layers.at[i].id);
        for (uint32_t i = 0; i < graph->ports.count; i++)
            add(&ports, graph->ports.at[i].layer, i, graph->ports.at[i].id);
        sort(graph, &layers, layer_twice);
        sort(graph, &ports, port_twice);
        connect(graph, &layers, &ports);
    } else {
        irr_no_memory(graph);
    }
    irr_release(layers.at);
    irr_release(ports.at);
    irr_release(graph->edges.at);
    graph->edges.at = NULL;
}

/* ---- every layer after its sources ---- */

/* Depth first along the sources, so that each layer follows them; the file's order else. The open
 * layers are a stack at the end of the order, which they cannot fill. */
static void visit(irr_ir_graph_t *graph, uint32_t root, size_t *ordered) {
    irr_layer_t *layers = graph->layers.at;
    uint32_t *end = graph->order + graph->layers.count, *top = end;
    *--top = root;
    layers[root].visits = 1;
    while (top < end) {
        irr_layer_t *layer = &layers[*top];
        if (layer->visits > layer->inputs.count) {
            layer->visits = IRR_NONE;
            graph->order[(*ordered)++] = *top++;
            irr_kinds[layer->kind].check(graph, layer);
            /* Layers of fragments have no edges: they stay in the file's order. */
            graph->fragment += graph->scopes.at[layer->scope].layer == IRR_NONE;
            continue;
        }
        const uint32_t index = layer->inputs.first + layer->visits++ - 1;
        const irr_port_t *port = &graph->ports.at[index];
        irr_layer_t *source = irr_feeder(graph, index);
        if (!source) continue;
        if (source->visits == 0) {
            source->visits = 1;
            *--top = (uint32_t)(source - layers);
        } else if (source->visits != IRR_NONE) {
            irr_problem(graph, port->layer, port->line,
                        "input port %s closes a cycle: it comes from layer %s \"%.200s\", which "
                        "needs this layer's output",
                        port->id, source->id, source->name);
        }
    }
}

void irr_check_graph(irr_ir_graph_t *graph) {
    size_t count = graph->layers.count, ordered = 0;
    resolve(graph);
    graph->order = irr_take(&graph->memory, count, sizeof *graph->order);
    for (uint32_t i = 0; i < count && !graph->memory.failed; i++)
        if (graph->layers.at[i].visits == 0) visit(graph, i, &ordered);
}
