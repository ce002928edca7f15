/* Ports: what they declare against what arrives or is inferred.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

static const char *type_word(uint8_t type) {
    const irr_element_type_info_t *info = irr_element_type_info(type);
    return info ? info->precision : "an unknown precision";
}

void irr_port_declared(const irr_ir_graph_t *graph, const irr_port_t *port, irr_partial_t *it) {
    it->rank = port->rank ? port->rank : IRR_DYNAMIC_RANK;
    for (uint32_t d = 0; d < port->rank; d++) {
        int64_t dim = graph->dims.at[port->dims + d];
        it->dims[d] = dim < 0 ? (irr_dimension_t){0, -1} : (irr_dimension_t){dim, dim};
    }
    it->type = port->declared_type;
    if (it->type == IRR_DYNAMIC || it->type == IRR_TYPE_WRONG) it->type = IRR_TYPE_UNKNOWN;
}

void irr_port_inferred(const irr_ir_graph_t *graph, const irr_port_t *port, irr_partial_t *it) {
    bool known = port->shape_rank != IRR_PORT_RANK_UNKNOWN;
    irr_partial_set(it, port->type, known ? port->shape_rank : IRR_DYNAMIC_RANK,
                    known ? graph->shapes.at + port->of.shape : NULL);
}

/* A port without dimensions declares a scalar or a dynamic rank, nothing else. */
static bool agrees(const irr_port_t *port, const irr_partial_t *declared,
                   const irr_partial_t *shape) {
    if (!irr_partial_compatible(declared, shape)) return false;
    return port->rank || !shape->rank || !irr_partial_static(shape);
}

/* The problem of a port that says one thing where another is there. */
static void differs(irr_ir_graph_t *graph, const irr_port_t *port, const char *noun,
                    const char *said, const char *found) {
    const char *id = irr_text(graph, port->id);
    if (port->is_input) {
        const irr_layer_t *from = &graph->layers.at[graph->ports.at[port->of.source].layer];
        irr_problem(graph, irr_at_port(port),
                    "input port %s declares %s, but layer %s \"%.200s\" gives %s", id, said,
                    irr_text(graph, from->id), irr_text(graph, from->name), found);
    } else {
        irr_problem(graph, irr_at_port(port), "output port %s declares %s%s, but the output's %s%s",
                    id, *noun ? "" : "precision ", said, *noun ? noun : "is ", found);
    }
}

/* Lists problems where the port declares something else than what is there. What agrees with what
 * the source had promised (or NULL) is none: that `it` differs from it is a problem already. */
static void compare(irr_ir_graph_t *graph, const irr_port_t *port, const irr_partial_t *promised,
                    irr_partial_t *it) {
    irr_partial_t declared;
    char said[IRR_SENTENCE_BYTES / 3] = "no dimensions", found[IRR_SENTENCE_BYTES / 3];
    irr_port_declared(graph, port, &declared);
    if (port->declared_type == IRR_TYPE_WRONG &&
        graph->layers.at[port->layer].kind != IRR_LAYER_UNKNOWN)
        irr_problem(graph, irr_at_port(port),
                    "%s port %s: attribute precision is \"%.60s\", which is no precision",
                    port->is_input ? "input" : "output", irr_text(graph, port->id),
                    irr_text(graph, port->precision));
    if (agrees(port, &declared, it)) {
        /* as it should be */
    } else if (promised && promised->rank != IRR_DYNAMIC_RANK &&
               agrees(port, &declared, promised)) {
        irr_partial_set(it, it->type, promised->rank, promised->dims);
    } else {
        if (port->rank) irr_partial_text(&declared, said, sizeof said);
        differs(graph, port, "shape is ", said, irr_partial_text(it, found, sizeof found));
    }
    if (declared.type == IRR_TYPE_UNKNOWN || declared.type == it->type) return;
    if (it->type == IRR_TYPE_UNKNOWN || (promised && declared.type == promised->type))
        it->type = declared.type;
    else
        differs(graph, port, "", type_word(declared.type), type_word(it->type));
}

void irr_port_infer(irr_ir_graph_t *graph, uint32_t index, irr_partial_t *it) {
    irr_port_t *port = &graph->ports.at[index];
    compare(graph, port, NULL, it);
    port->type = it->type;
    if (it->rank == IRR_DYNAMIC_RANK || !IRR_ROOM(graph, shapes, it->rank)) return;
    memcpy(graph->shapes.at + graph->shapes.count, it->dims, it->rank * sizeof *it->dims);
    port->of.shape = (uint32_t)graph->shapes.count;
    port->shape_rank = (uint8_t)it->rank;
    graph->shapes.count += it->rank;
}

void irr_port_arriving(irr_ir_graph_t *graph, uint32_t index, irr_partial_t *it) {
    const irr_port_t *port = &graph->ports.at[index];
    irr_partial_t promised;
    if (port->of.source == IRR_NONE) {
        irr_port_declared(graph, port, it);
        compare(graph, port, NULL, it);
        if (graph->file.fragments && !port->rank) it->rank = 0;
        return;
    }
    const irr_port_t *source = &graph->ports.at[port->of.source];
    irr_port_inferred(graph, source, it);
    irr_port_declared(graph, source, &promised);
    compare(graph, port, &promised, it);
    uint8_t type = it->type;
    if (it->rank == IRR_DYNAMIC_RANK && graph->layers.at[source->layer].kind == IRR_LAYER_UNKNOWN)
        irr_port_declared(graph, port, it); /* its ports say all that is known of it */
    it->type = type;
}

void irr_trust_outputs(irr_ir_graph_t *graph, uint32_t layer) {
    irr_run_t run = graph->layers.at[layer].outputs;
    irr_partial_t it;
    for (uint32_t port = run.first; port < run.first + run.count; port++) {
        irr_port_declared(graph, &graph->ports.at[port], &it);
        irr_port_infer(graph, port, &it);
    }
}

bool irr_port_counts(irr_ir_graph_t *graph, uint32_t index, uint32_t inputs, uint32_t outputs) {
    const irr_layer_t *layer = &graph->layers.at[index];
    const uint32_t found[] = {layer->inputs.count, layer->outputs.count};
    const uint32_t expected[] = {inputs, outputs};
    for (int i = 0; i < 2; i++)
        if (found[i] != expected[i])
            irr_problem(graph, irr_at_layer(graph, index),
                        "it has %" PRIu32 " %s port%s, expected %" PRIu32 "%s", found[i],
                        i ? "output" : "input", found[i] == 1 ? "" : "s", expected[i],
                        expected[i] == 2 ? " (data and axes)" : "");
    return found[0] == inputs && found[1] == outputs;
}
