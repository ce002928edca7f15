/* The graph as a graph: ids, ports, edges, cycles; then every layer after its sources.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

/* ---- finding layers and ports by id ---- */

/* The first layer of the scope, or port of the layer, that claimed this id; a free id becomes
 * `claimer`'s. IRR_NONE claims nothing: is there one? */
static uint32_t claim(irr_ir_graph_t *graph, irr_table_t *ids, uint32_t owner, irr_symbol_t id,
                      uint32_t claimer) {
    uint32_t *first = irr_table_find(ids, (uint64_t)owner << 32 | id);
    if (!first) return irr_no_memory(graph), claimer;
    if (*first == IRR_NONE) *first = claimer;
    return *first;
}

/* The same for ports. Nearly every layer has a handful: they are looked through, not hashed. */
static uint32_t claim_port(irr_ir_graph_t *graph, irr_table_t *ids, uint32_t layer, irr_symbol_t id,
                           uint32_t claimer) {
    const irr_run_t runs[] = {graph->layers.at[layer].inputs, graph->layers.at[layer].outputs};
    if (runs[0].count + runs[1].count > 8) return claim(graph, ids, layer, id, claimer);
    for (int i = 0; i < 2; i++)
        for (uint32_t port = runs[i].first; port < runs[i].first + runs[i].count; port++)
            if (graph->ports.at[port].id == id && port < claimer) claimer = port;
    return claimer;
}

static void index_layers(irr_ir_graph_t *graph, irr_table_t *ids) {
    for (uint32_t i = 0; i < graph->layers.count; i++) {
        const irr_layer_t *layer = &graph->layers.at[i];
        uint32_t first = layer->id ? claim(graph, ids, layer->scope, layer->id, i) : i;
        if (first != i)
            irr_problem(graph, irr_at_layer(graph, i),
                        "id %s is taken by the layer \"%.200s\" at line %" PRIu32,
                        irr_text(graph, layer->id), irr_text(graph, graph->layers.at[first].name),
                        graph->layers.at[first].line);
    }
}

static void index_ports(irr_ir_graph_t *graph, irr_table_t *ids) {
    for (uint32_t i = 0; i < graph->ports.count; i++) {
        const irr_port_t *port = &graph->ports.at[i];
        const char *kind = port->is_input ? "input" : "output";
        uint32_t first = port->id ? claim_port(graph, ids, port->layer, port->id, i) : i;
        if (!port->id)
            irr_problem(graph, irr_at_port(port), "an %s port has no attribute id", kind);
        else if (first != i)
            irr_problem(graph, irr_at_port(port),
                        "%s port id %s is taken by the port at line %" PRIu32, kind,
                        irr_text(graph, port->id), graph->ports.at[first].line);
    }
}

/* ---- edges ---- */

/* The port at one end of an edge, or IRR_NONE and a problem. */
static uint32_t port_at(irr_ir_graph_t *graph, const irr_edge_t *edge, bool is_input,
                        irr_table_t *layers, irr_table_t *ports) {
    const irr_symbol_t *ends = edge->ends, *end = is_input ? ends + 2 : ends;
    const char *why = is_input ? "has no input port " : "has no output port ";
    uint32_t layer = claim(graph, layers, edge->scope, end[0], IRR_NONE), port = IRR_NONE;
    if (layer == IRR_NONE)
        why = "does not exist";
    else
        port = claim_port(graph, ports, layer, end[1], IRR_NONE);
    if (port != IRR_NONE && graph->ports.at[port].is_input == is_input) return port;
    irr_problem(graph, irr_at_line(edge->line),
                "edge from layer %.30s port %.30s to layer %.30s port %.30s: layer %.60s %s%.60s",
                irr_text(graph, ends[0]), irr_text(graph, ends[1]), irr_text(graph, ends[2]),
                irr_text(graph, ends[3]), irr_text(graph, end[0]), why,
                irr_text(graph, layer == IRR_NONE ? 0 : end[1]));
    return IRR_NONE;
}

static void connect(irr_ir_graph_t *graph, irr_table_t *layers, irr_table_t *ports) {
    for (size_t i = 0; i < graph->edges.count; i++) {
        const irr_edge_t *edge = &graph->edges.at[i];
        uint32_t from = port_at(graph, edge, false, layers, ports);
        uint32_t to = port_at(graph, edge, true, layers, ports);
        if (to == IRR_NONE) continue;
        irr_port_t *port = &graph->ports.at[to];
        port->fed = true; /* a wrong source is told already */
        if (from == IRR_NONE) continue;
        if (port->of.source == IRR_NONE)
            port->of.source = from;
        else
            irr_problem(graph, (irr_place_t){edge->line, port->layer, IRR_NETWORK_NOT_READ},
                        "input port %s has a second edge, from layer %.60s port %.60s",
                        irr_text(graph, port->id), irr_text(graph, edge->ends[0]),
                        irr_text(graph, edge->ends[1]));
    }
    for (size_t i = 0; i < graph->ports.count && !graph->file.fragments; i++) {
        const irr_port_t *port = &graph->ports.at[i];
        if (port->is_input && port->id && !port->fed)
            irr_problem(graph, irr_at_port(port), "no edge leads to input port %s",
                        irr_text(graph, port->id));
    }
}

static void resolve(irr_ir_graph_t *graph) {
    irr_table_t layers = {0}, ports = {0};
    index_layers(graph, &layers);
    index_ports(graph, &ports);
    connect(graph, &layers, &ports);
    irr_release(layers.entries);
    irr_release(ports.entries);
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
        if (port->of.source == IRR_NONE) continue;
        uint32_t source = graph->ports.at[port->of.source].layer;
        if (inputs[source] == 0) {
            inputs[source] = 1;
            *--top = source;
        } else if (inputs[source] != IRR_NONE) {
            irr_problem(graph, irr_at_port(port),
                        "input port %s closes a cycle: it comes from layer %s \"%.200s\", which "
                        "needs this layer's output",
                        irr_text(graph, port->id), irr_text(graph, graph->layers.at[source].id),
                        irr_text(graph, graph->layers.at[source].name));
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

/* ---- layer by layer ---- */

static void check_unknown(irr_ir_graph_t *graph, uint32_t index) {
    irr_run_t inputs = graph->layers.at[index].inputs;
    irr_partial_t ignored;
    for (uint32_t i = 0; i < inputs.count; i++)
        irr_port_arriving(graph, inputs.first + i, &ignored);
    irr_trust_outputs(graph, index);
}

static void check_result(irr_ir_graph_t *graph, uint32_t index) {
    irr_port_counts(graph, index, 1, 0);
    check_unknown(graph, index);
}

void irr_check_graph(irr_ir_graph_t *graph) {
    static void (*const checks[IRR_LAYER_KINDS])(irr_ir_graph_t *, uint32_t) = {
        [IRR_LAYER_UNKNOWN] = check_unknown,   [IRR_LAYER_PARAMETER] = irr_check_parameter,
        [IRR_LAYER_CONST] = irr_check_const,   [IRR_LAYER_RESULT] = check_result,
        [IRR_LAYER_REDUCE] = irr_check_reduce,
    };
    resolve(graph);
    if (!sort_layers(graph)) return;
    /* Layers of fragments have no edges: they stay in the file's order. */
    for (size_t i = 0; i < graph->layers.count && !graph->out_of_memory; i++) {
        const irr_layer_t *layer = &graph->layers.at[graph->order[i]];
        checks[layer->kind](graph, graph->order[i]);
        graph->fragment += graph->scopes.at[layer->scope].layer == IRR_NONE;
    }
}
