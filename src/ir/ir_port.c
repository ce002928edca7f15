/* Ports: what they declare against what arrives or is inferred.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "ir/ir_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *type_word(uint8_t type) {
    const irr_element_type_info_t *info = irr_element_type_info(type);
    return info && info->precision ? info->precision : "an unknown precision";
}

void irr_port_declared(const irr_ir_graph_t *graph, const irr_port_t *port, irr_partial_t *shape,
                       uint8_t *type) {
    shape->rank = port->rank ? port->rank : IRR_DYNAMIC_RANK;
    for (uint32_t d = 0; d < port->rank; d++) {
        int64_t dim = graph->dims[port->dims + d];
        shape->dims[d] = dim < 0 ? (irr_ir_dim_t){0, -1} : (irr_ir_dim_t){dim, dim};
    }
    *type = port->declared_type;
    if (*type == IRR_DYNAMIC || *type == IRR_TYPE_WRONG) *type = IRR_TYPE_UNKNOWN;
}

void irr_port_inferred(const irr_ir_graph_t *graph, const irr_port_t *port, irr_partial_t *shape) {
    shape->rank = port->shape_rank == IRR_PORT_RANK_UNKNOWN ? IRR_DYNAMIC_RANK : port->shape_rank;
    if (port->shape_rank && shape->rank != IRR_DYNAMIC_RANK)
        memcpy(shape->dims, graph->shapes + port->of.shape, shape->rank * sizeof *shape->dims);
}

/* A port without dimensions declares a scalar or a dynamic rank, nothing else. */
static bool agrees(const irr_port_t *port, const irr_partial_t *declared,
                   const irr_partial_t *shape) {
    if (!irr_partial_compatible(declared, shape)) return false;
    return port->rank || !shape->rank || !irr_partial_static(shape);
}

static char *declared_text(const irr_port_t *port, const irr_partial_t *declared, char *text,
                           size_t capacity_bytes) {
    if (port->rank) return irr_partial_text(declared, text, capacity_bytes);
    snprintf(text, capacity_bytes, "no dimensions");
    return text;
}

static void wrong_precision_word(irr_ir_graph_t *graph, const irr_port_t *port) {
    if (port->declared_type != IRR_TYPE_WRONG ||
        graph->layers[port->layer].kind == IRR_LAYER_UNKNOWN)
        return;
    irr_problem(graph, irr_at_port(port),
                "%s port %s: attribute precision is \"%.60s\", which is no precision",
                port->is_input ? "input" : "output", irr_text(graph, port->id),
                irr_text(graph, port->precision));
}

static void store(irr_ir_graph_t *graph, irr_port_t *port, const irr_partial_t *shape,
                  uint8_t type) {
    port->type = type;
    if (shape->rank == IRR_DYNAMIC_RANK) return;
    if (!irr_grow((void **)&graph->shapes, &graph->shape_room, graph->shape_count + shape->rank,
                  sizeof *graph->shapes)) {
        graph->out_of_memory = true;
        return;
    }
    if (shape->rank)
        memcpy(graph->shapes + graph->shape_count, shape->dims, shape->rank * sizeof *shape->dims);
    port->of.shape = (uint32_t)graph->shape_count;
    port->shape_rank = (uint8_t)shape->rank;
    graph->shape_count += shape->rank;
}

void irr_port_infer(irr_ir_graph_t *graph, uint32_t index, const irr_partial_t *shape,
                    uint8_t type) {
    irr_port_t *port = &graph->ports[index];
    irr_partial_t declared;
    uint8_t declared_type;
    char said[IRR_SENTENCE_BYTES / 3], meant[IRR_SENTENCE_BYTES / 3];
    irr_port_declared(graph, port, &declared, &declared_type);
    wrong_precision_word(graph, port);
    if (!agrees(port, &declared, shape))
        irr_problem(graph, irr_at_port(port),
                    "output port %s declares %s, but the output's shape is %s",
                    irr_text(graph, port->id), declared_text(port, &declared, said, sizeof said),
                    irr_partial_text(shape, meant, sizeof meant));
    if (type == IRR_TYPE_UNKNOWN)
        type = declared_type;
    else if (declared_type != IRR_TYPE_UNKNOWN && declared_type != type)
        irr_problem(graph, irr_at_port(port),
                    "output port %s declares precision %s, but the output's is %s",
                    irr_text(graph, port->id), type_word(declared_type), type_word(type));
    store(graph, port, shape, type);
}

static void differs(irr_ir_graph_t *graph, const irr_port_t *port, const char *said,
                    const char *given) {
    const irr_layer_t *from = &graph->layers[graph->ports[port->of.source].layer];
    irr_problem(graph, irr_at_port(port),
                "input port %s declares %s, but layer %s \"%.200s\" gives %s",
                irr_text(graph, port->id), said, irr_text(graph, from->id),
                irr_text(graph, from->name), given);
}

/* A source may have declared one thing and inferred another, which is its own problem: what agrees
 * with either raises no second one. */
void irr_port_arriving(irr_ir_graph_t *graph, uint32_t index, irr_partial_t *shape, uint8_t *type) {
    const irr_port_t *port = &graph->ports[index];
    irr_partial_t declared, source_declared;
    uint8_t declared_type, source_type;
    char said[IRR_SENTENCE_BYTES / 3], given[IRR_SENTENCE_BYTES / 3];
    irr_port_declared(graph, port, &declared, &declared_type);
    wrong_precision_word(graph, port);
    if (port->of.source == IRR_NONE) {
        *shape = declared;
        *type = declared_type;
        if (graph->file.fragments && !port->rank) shape->rank = 0;
        return;
    }
    const irr_port_t *source = &graph->ports[port->of.source];
    irr_port_inferred(graph, source, shape);
    irr_port_declared(graph, source, &source_declared, &source_type);
    *type = source->type;
    if (!agrees(port, &declared, shape)) {
        if (source->rank && agrees(port, &declared, &source_declared))
            *shape = source_declared;
        else
            differs(graph, port, declared_text(port, &declared, said, sizeof said),
                    irr_partial_text(shape, given, sizeof given));
    }
    if (shape->rank == IRR_DYNAMIC_RANK && graph->layers[source->layer].kind == IRR_LAYER_UNKNOWN)
        *shape = declared; /* its ports say all that is known of it */
    if (*type == IRR_TYPE_UNKNOWN) {
        *type = declared_type;
    } else if (declared_type != IRR_TYPE_UNKNOWN && declared_type != *type) {
        if (declared_type == source_type)
            *type = source_type;
        else
            differs(graph, port, type_word(declared_type), type_word(*type));
    }
}

void irr_trust_outputs(irr_ir_graph_t *graph, uint32_t layer) {
    irr_run_t run = graph->layers[layer].outputs;
    irr_partial_t shape;
    uint8_t type;
    for (uint32_t port = run.first; port < run.first + run.count; port++) {
        irr_port_declared(graph, &graph->ports[port], &shape, &type);
        irr_port_infer(graph, port, &shape, type);
    }
}

bool irr_port_counts(irr_ir_graph_t *graph, uint32_t index, int inputs, int outputs,
                     const char *what) {
    const irr_layer_t *layer = &graph->layers[index];
    bool right = true;
    if (layer->inputs.count != (uint32_t)inputs) {
        irr_problem(graph, irr_at_layer(graph, index),
                    "it has %" PRIu32 " input port%s, expected %d%s", layer->inputs.count,
                    layer->inputs.count == 1 ? "" : "s", inputs, what);
        right = false;
    }
    if (layer->outputs.count != (uint32_t)outputs) {
        irr_problem(graph, irr_at_layer(graph, index),
                    "it has %" PRIu32 " output port%s, expected %d", layer->outputs.count,
                    layer->outputs.count == 1 ? "" : "s", outputs);
        right = false;
    }
    return right;
}
