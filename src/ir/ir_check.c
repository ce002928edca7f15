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
    name_t *at; /* by owner, id and number */
    size_t count;
    bool unique;
} index_t;

static int by_name(const void *a, const void *b) {
    const name_t *x = a, *y = b;
    if (x->owner != y->owner) return x->owner < y->owner ? -1 : 1;
    int order = strcmp(x->id, y->id);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static bool in_order(const index_t *index) {
    for (size_t i = 1; i < index->count; i++) {
        const name_t *x = &index->at[i - 1], *y = &index->at[i];
        if (by_name(x, y) > 0 || (x->owner == y->owner && strcmp(x->id, y->id) == 0)) return false;
    }
    return true;
}

/* Files are mostly in order, nearly always without a double. */
static void sort(index_t *index) {
    index->unique = in_order(index);
    if (index->unique) return;
    qsort(index->at, index->count, sizeof *index->at, by_name);
    index->unique = in_order(index);
}

/* The first that has this id; IRR_NONE: there is none. */
static uint32_t find(const index_t *index, uint32_t owner, const char *id) {
    const name_t wanted = {owner, 0, id};
    size_t from = 0, to = index->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (by_name(&index->at[middle], &wanted) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    const name_t *found = &index->at[from];
    bool same = from < index->count && found->owner == owner && strcmp(found->id, id) == 0;
    return same ? found->number : IRR_NONE;
}

static void add(index_t *index, uint32_t owner, uint32_t number, const char *id) {
    if (id != irr_no_text) index->at[index->count++] = (name_t){owner, number, id};
}

/* The one that has claimed this one's id. */
static uint32_t claimer(const index_t *index, uint32_t owner, uint32_t number, const char *id) {
    return index->unique || id == irr_no_text ? number : find(index, owner, id);
}

static void index_layers(irr_ir_graph_t *graph, index_t *index) {
    const irr_layer_t *layers = graph->layers.at;
    for (uint32_t i = 0; i < graph->layers.count; i++) add(index, layers[i].scope, i, layers[i].id);
    sort(index);
    for (uint32_t i = 0; i < graph->layers.count; i++) {
        uint32_t first = claimer(index, layers[i].scope, i, layers[i].id);
        if (first != i)
            irr_problem(graph, i, IRR_AT_LAYER,
                        "id %s is taken by the layer \"%.200s\" at line %" PRIu32, layers[i].id,
                        layers[first].name, layers[first].line);
    }
}

static void index_ports(irr_ir_graph_t *graph, index_t *index) {
    const irr_port_t *ports = graph->ports.at, *port = ports;
    for (uint32_t i = 0; i < graph->ports.count; i++) add(index, ports[i].layer, i, ports[i].id);
    sort(index);
    for (uint32_t i = 0; i < graph->ports.count; i++, port++) {
        const char *kind = port->is_input ? "input" : "output";
        uint32_t first = claimer(index, port->layer, i, port->id);
        if (port->id == irr_no_text)
            irr_problem(graph, port->layer, port->line, "an %s port has no attribute id", kind);
        else if (first != i)
            irr_problem(graph, port->layer, port->line,
                        "%s port id %s is taken by the port at line %" PRIu32, kind, port->id,
                        ports[first].line);
    }
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
    for (size_t i = 0; i < graph->ports.count && !graph->fragments; i++) {
        const irr_port_t *port = &graph->ports.at[i];
        if (port->is_input && port->id != irr_no_text && !port->fed)
            irr_problem(graph, port->layer, port->line, "no edge leads to input port %s", port->id);
    }
}

static void resolve(irr_ir_graph_t *graph) {
    index_t layers = {.at = irr_calloc(graph->layers.count, sizeof(name_t))};
    index_t ports = {.at = irr_calloc(graph->ports.count, sizeof(name_t))};
    if (layers.at && ports.at) {
        index_layers(graph, &layers);
        index_ports(graph, &ports);
        connect(graph, &layers, &ports);
    } else {
        irr_no_memory(graph);
    }
    irr_release(layers.at);
    irr_release(ports.at);
    irr_release(graph->edges.at);
    graph->edges.at = NULL;
}

/* ---- order ---- */

/* Depth first along the sources, so that each layer follows them; the file's order else. `inputs`
 * counts the inputs that were looked at, plus one, of each layer that is open: 0 is new, IRR_NONE
 * done. The open ones are a stack at the end of the order, which they cannot fill. */
static void visit(irr_ir_graph_t *graph, uint32_t *inputs, uint32_t root, size_t *ordered) {
    uint32_t *end = graph->order + graph->layers.count, *top = end;
    *--top = root;
    inputs[root] = 1;
    while (top < end) {
        uint32_t index = *top;
        const irr_layer_t *layer = &graph->layers.at[index];
        if (inputs[index] > layer->inputs.count) {
            inputs[index] = IRR_NONE;
            top++;
            graph->order[(*ordered)++] = index;
            continue;
        }
        const irr_port_t *port = &graph->ports.at[layer->inputs.first + inputs[index]++ - 1];
        if (port->source == IRR_NONE) continue;
        uint32_t source = graph->ports.at[port->source].layer;
        if (inputs[source] == 0) {
            inputs[source] = 1;
            *--top = source;
        } else if (inputs[source] != IRR_NONE) {
            irr_problem(graph, port->layer, port->line,
                        "input port %s closes a cycle: it comes from layer %s \"%.200s\", which "
                        "needs this layer's output",
                        port->id, graph->layers.at[source].id, graph->layers.at[source].name);
        }
    }
}

static bool sort_layers(irr_ir_graph_t *graph) {
    size_t count = graph->layers.count, ordered = 0;
    uint32_t *inputs = irr_calloc(count, sizeof *inputs);
    graph->order = irr_take(&graph->memory, count, sizeof *graph->order);
    bool done = inputs && graph->order;
    for (uint32_t i = 0; done && i < count; i++)
        if (inputs[i] == 0) visit(graph, inputs, i, &ordered);
    irr_release(inputs);
    return done || irr_no_memory(graph);
}

void irr_check_graph(irr_ir_graph_t *graph) {
    resolve(graph);
    if (!sort_layers(graph)) return;
    /* Layers of fragments have no edges: they stay in the file's order. */
    for (size_t i = 0; i < graph->layers.count && !graph->memory.failed; i++) {
        irr_check_layer(graph, graph->order[i]);
        graph->fragment +=
            graph->scopes.at[graph->layers.at[graph->order[i]].scope].layer == IRR_NONE;
    }
}
