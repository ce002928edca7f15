/* The grammar of an IR document; stores what it meets and judges only the form. What the layers
 * mean is ir_check.c's. SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_elements.h"

#include "base/element_type.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const unsigned char **list; /* localname, prefix, URI, value, end */
    int count;
} attributes_t;

static void out_of_memory(irr_reader_t *reader) {
    reader->graph->out_of_memory = true;
    reader->stopped = true;
}

void irr_refuse(irr_reader_t *reader, uint32_t line, const char *format, ...) {
    char text[IRR_SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    irr_problem(reader->graph, line, IRR_NONE, IRR_NETWORK_NOT_READ, "%s", text);
    reader->stopped = true;
}

/* The attribute's text in the pool; 0: it is not there. */
static irr_symbol_t kept(irr_reader_t *reader, const attributes_t *attributes, const char *name,
                         bool (*keep)(irr_texts_t *, const char *, size_t, irr_symbol_t *)) {
    irr_symbol_t symbol = 0;
    for (int i = 0; i < attributes->count; i++) {
        const unsigned char **row = attributes->list + 5 * (size_t)i;
        if (row[1] || row[0][0] != (unsigned char)name[0] ||
            strcmp((const char *)row[0], name) != 0)
            continue;
        if (!keep(&reader->graph->texts, (const char *)row[3], (size_t)(row[4] - row[3]), &symbol))
            out_of_memory(reader);
        break;
    }
    return symbol;
}

static irr_symbol_t symbol_of(irr_reader_t *reader, const attributes_t *attributes,
                              const char *name) {
    return kept(reader, attributes, name, irr_texts_add);
}

static irr_symbol_t name_of(irr_reader_t *reader, const attributes_t *attributes,
                            const char *name) {
    return kept(reader, attributes, name, irr_texts_append);
}

/* Room for one more element of an array of the graph; false: out of memory. */
#define ROOM(reader, array, count, room)                                                           \
    (irr_grow((void **)&(reader)->graph->array, &(reader)->graph->room,                            \
              (reader)->graph->count + 1, sizeof *(reader)->graph->array) ||                       \
     (out_of_memory(reader), false))

static uint32_t add_scope(irr_reader_t *reader, uint32_t layer, const char *body) {
    irr_ir_graph_t *graph = reader->graph;
    irr_symbol_t symbol = 0;
    if (!ROOM(reader, scopes, scope_count, scope_room)) return 0;
    if (body && !irr_texts_add(&graph->texts, body, strlen(body), &symbol)) out_of_memory(reader);
    graph->scopes[graph->scope_count] = (irr_scope_t){layer, symbol};
    return (uint32_t)graph->scope_count++;
}

/* ---- what opens ------------------------------------------------------------------------------ */

static void open_net(irr_reader_t *reader, irr_level_t *level, const attributes_t *attributes) {
    irr_ir_graph_t *graph = reader->graph;
    graph->net_name = symbol_of(reader, attributes, "name");
    irr_symbol_t symbol = symbol_of(reader, attributes, "version");
    const char *version = irr_symbol_text(graph, symbol);
    int64_t number;
    if (!symbol)
        irr_problem(graph, level->line, IRR_NONE, IRR_NETWORK_NOT_READ,
                    "<net> has no attribute version; IR versions 10 and 11 are known");
    else if (!irr_parse_number(version, strlen(version), &number) || number < 10 || number > 11)
        irr_problem(graph, level->line, IRR_NONE, IRR_NETWORK_NOT_READ,
                    "<net> has version \"%.40s\"; IR versions 10 and 11 are known", version);
    level->index = add_scope(reader, IRR_NONE, NULL);
}

static void open_body(irr_reader_t *reader, irr_level_t *level, const char *name) {
    level->index = add_scope(reader, level->index, name);
}

static irr_layer_kind_e kind_of(const char *type, uint8_t *op) {
    irr_op_e known;
    if (irr_op_by_type(type, &known)) return *op = (uint8_t)known, IRR_LAYER_REDUCE;
    return strcmp(type, "Parameter") == 0 ? IRR_LAYER_PARAMETER
           : strcmp(type, "Const") == 0   ? IRR_LAYER_CONST
           : strcmp(type, "Result") == 0  ? IRR_LAYER_RESULT
                                          : IRR_LAYER_UNKNOWN;
}

static void open_layer(irr_reader_t *reader, irr_level_t *level, const attributes_t *attributes) {
    irr_ir_graph_t *graph = reader->graph;
    if (graph->layer_count == IRR_MAX_LAYERS) {
        irr_refuse(reader, level->line, "the file has more than %u layers", IRR_MAX_LAYERS);
        return;
    }
    if (graph->file.fragments) level->index = add_scope(reader, IRR_NONE, NULL);
    if (!ROOM(reader, layers, layer_count, layer_room)) return;
    irr_layer_t layer = {.line = level->line, .scope = level->index};
    layer.id = symbol_of(reader, attributes, "id");
    layer.name = name_of(reader, attributes, "name");
    layer.type = symbol_of(reader, attributes, "type");
    layer.version = symbol_of(reader, attributes, "version");
    layer.kind = (uint8_t)kind_of(irr_symbol_text(graph, layer.type), &layer.op);
    level->index = (uint32_t)graph->layer_count;
    graph->layers[graph->layer_count++] = layer;
    if (!layer.id) irr_layer_problem(graph, level->index, "attribute id is missing");
    if (!layer.type) irr_layer_problem(graph, level->index, "attribute type is missing");
    if (!layer.name && !graph->file.fragments)
        irr_layer_problem(graph, level->index, "attribute name is missing");
}

static void open_data(irr_reader_t *reader, irr_level_t *level, const attributes_t *attributes) {
    irr_layer_t *layer = &reader->graph->layers[level->index];
    layer->data_line = level->line;
    if (layer->kind == IRR_LAYER_REDUCE)
        layer->data[IRR_DATA_KEEP_DIMS] = symbol_of(reader, attributes, "keep_dims");
    if (layer->kind != IRR_LAYER_PARAMETER && layer->kind != IRR_LAYER_CONST) return;
    layer->data[IRR_DATA_ELEMENT_TYPE] = symbol_of(reader, attributes, "element_type");
    layer->data[IRR_DATA_SHAPE] = symbol_of(reader, attributes, "shape");
    if (layer->kind != IRR_LAYER_CONST) return;
    layer->data[IRR_DATA_OFFSET] = symbol_of(reader, attributes, "offset");
    layer->data[IRR_DATA_SIZE] = symbol_of(reader, attributes, "size");
}

/* Files use a few precisions a million times: the last answer is mostly the next one. */
static uint8_t precision_type(irr_reader_t *reader, irr_symbol_t symbol) {
    irr_element_type_e known;
    const char *word = irr_symbol_text(reader->graph, symbol);
    if (!symbol) return IRR_TYPE_UNKNOWN;
    uint32_t at = symbol % (sizeof reader->precisions / sizeof *reader->precisions);
    if (reader->precisions[at] == symbol) return reader->precision_types[at];
    bool right =
        irr_element_type_by_precision(word, &known) || irr_element_type_by_name(word, &known);
    reader->precisions[at] = symbol;
    return reader->precision_types[at] = right ? (uint8_t)known : IRR_TYPE_WRONG;
}

static void open_port(irr_reader_t *reader, irr_level_t *level, const attributes_t *attributes,
                      bool is_input) {
    irr_ir_graph_t *graph = reader->graph;
    if (!ROOM(reader, ports, port_count, port_room)) return;
    irr_port_t port = {.line = level->line,
                       .layer = level->index,
                       .dims = (uint32_t)graph->dim_count,
                       .of.source = IRR_NONE,
                       .shape_rank = IRR_PORT_RANK_UNKNOWN,
                       .type = IRR_TYPE_UNKNOWN,
                       .is_input = is_input};
    port.id = symbol_of(reader, attributes, "id");
    port.precision = symbol_of(reader, attributes, "precision");
    port.declared_type = precision_type(reader, port.precision);
    port.names = name_of(reader, attributes, "names");
    irr_layer_t *layer = &graph->layers[level->index];
    uint32_t *first = is_input ? &layer->inputs : &layer->outputs;
    uint32_t *count = is_input ? &layer->input_count : &layer->output_count;
    if (!*count) *first = (uint32_t)graph->port_count;
    ++*count;
    level->index = (uint32_t)graph->port_count;
    graph->ports[graph->port_count++] = port;
}

static void open_edge(irr_reader_t *reader, irr_level_t *level, const attributes_t *attributes) {
    static const char *const names[] = {"from-layer", "from-port", "to-layer", "to-port"};
    irr_ir_graph_t *graph = reader->graph;
    irr_symbol_t ends[4];
    if (graph->edge_count == IRR_MAX_EDGES) {
        irr_refuse(reader, level->line, "the file has more than %u edges", IRR_MAX_EDGES);
        return;
    }
    if (!ROOM(reader, edges, edge_count, edge_room)) return;
    for (int i = 0; i < 4; i++) {
        if ((ends[i] = symbol_of(reader, attributes, names[i])) || reader->stopped) continue;
        irr_problem(graph, level->line, IRR_NONE, IRR_NETWORK_NOT_READ,
                    "<edge> has no attribute %s", names[i]);
        return;
    }
    graph->edges[graph->edge_count++] =
        (irr_edge_t){ends[0], ends[1], ends[2], ends[3], level->line, level->index};
}

/* ---- the grammar ----------------------------------------------------------------------------- */

typedef struct {
    irr_element_e parent;
    const char *name;
    irr_element_e element;
    bool once;
} rule_t;

/* The commonest come first. */
static const rule_t rules[] = {
    {IRR_AT_PORT, "dim", IRR_AT_DIM, false},
    {IRR_AT_EDGES, "edge", IRR_AT_EDGE, false},
    {IRR_AT_INPUT, "port", IRR_AT_PORT, false},
    {IRR_AT_OUTPUT, "port", IRR_AT_PORT, false},
    {IRR_AT_LAYER, "input", IRR_AT_INPUT, true},
    {IRR_AT_LAYER, "output", IRR_AT_OUTPUT, true},
    {IRR_AT_LAYER, "data", IRR_AT_DATA, true},
    {IRR_AT_LAYERS, "layer", IRR_AT_LAYER, false},
    {IRR_AT_LAYER, "body", IRR_AT_BODY, true},
    {IRR_AT_LAYER, "then_body", IRR_AT_BODY, true},
    {IRR_AT_LAYER, "else_body", IRR_AT_BODY, true},
    {IRR_AT_DOCUMENT, "net", IRR_AT_NET, true},
    {IRR_AT_DOCUMENT, "fragments", IRR_AT_FRAGMENTS, true},
    {IRR_AT_FRAGMENTS, "layer", IRR_AT_LAYER, false},
    {IRR_AT_NET, "layers", IRR_AT_LAYERS, true},
    {IRR_AT_NET, "edges", IRR_AT_EDGES, true},
    {IRR_AT_BODY, "layers", IRR_AT_LAYERS, true},
    {IRR_AT_BODY, "edges", IRR_AT_EDGES, true},
};

static const char *const element_names[] = {
    [IRR_AT_NET] = "net",       [IRR_AT_FRAGMENTS] = "fragments", [IRR_AT_LAYERS] = "layers",
    [IRR_AT_LAYER] = "layer",   [IRR_AT_DATA] = "data",           [IRR_AT_INPUT] = "input",
    [IRR_AT_OUTPUT] = "output", [IRR_AT_PORT] = "port",           [IRR_AT_DIM] = "dim",
    [IRR_AT_EDGES] = "edges",   [IRR_AT_EDGE] = "edge",           [IRR_AT_BODY] = "body",
};

/* The rule for this child, or NULL: an element that means nothing here is skipped. */
static const rule_t *rule_for(const irr_reader_t *reader, irr_element_e parent, const char *name) {
    if (parent == IRR_AT_SKIPPED ||
        (parent == IRR_AT_DOCUMENT &&
         reader->graph->file.fragments != (strcmp(name, "fragments") == 0)))
        return NULL;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].parent == parent && rules[i].name[0] == name[0] &&
            strcmp(rules[i].name, name) == 0)
            return &rules[i];
    return NULL;
}

/* An element without a rule: free-form information, or a slip of the writer's pen? */
static void skip(irr_reader_t *reader, const irr_level_t *parent, const char *name, uint32_t line) {
    irr_element_e in = parent->element;
    if (in == IRR_AT_DOCUMENT) {
        irr_refuse(reader, line, "the root element is <%.60s>, expected <net>", name);
        return;
    }
    bool strict = in == IRR_AT_FRAGMENTS || in == IRR_AT_LAYERS || in == IRR_AT_EDGES ||
                  in == IRR_AT_INPUT || in == IRR_AT_OUTPUT || in == IRR_AT_PORT ||
                  in == IRR_AT_DIM;
    uint32_t layer = in == IRR_AT_LAYER                          ? parent->index
                     : in == IRR_AT_INPUT || in == IRR_AT_OUTPUT ? parent->index
                     : in == IRR_AT_PORT || in == IRR_AT_DIM
                         ? reader->graph->ports[parent->index].layer
                         : IRR_NONE;
    if (in == IRR_AT_LAYER) strict = reader->graph->layers[layer].kind != IRR_LAYER_UNKNOWN;
    if (!strict || strcmp(name, "rt_info") == 0) return;
    irr_problem(reader->graph, line, layer, IRR_NETWORK_NOT_READ,
                "<%s> holds an unknown element <%.60s>", element_names[in], name);
}

static void open_by_rule(irr_reader_t *reader, const rule_t *rule, irr_level_t *level,
                         irr_level_t *parent, const attributes_t *attributes) {
    bool again = rule->once && (parent->seen >> rule->element & 1) && rule->element != IRR_AT_BODY;
    parent->seen |= 1u << rule->element;
    if (again) {
        irr_problem(reader->graph, level->line,
                    rule->parent == IRR_AT_LAYER ? parent->index : IRR_NONE, IRR_NETWORK_NOT_READ,
                    "<%s> is there a second time", rule->name);
        return;
    }
    level->element = rule->element;
    switch (rule->element) {
    case IRR_AT_NET:
        open_net(reader, level, attributes);
        break;
    case IRR_AT_LAYER:
        open_layer(reader, level, attributes);
        break;
    case IRR_AT_DATA:
        open_data(reader, level, attributes);
        break;
    case IRR_AT_PORT:
        open_port(reader, level, attributes, rule->parent == IRR_AT_INPUT);
        break;
    case IRR_AT_BODY:
        open_body(reader, level, rule->name);
        break;
    case IRR_AT_EDGE:
        open_edge(reader, level, attributes);
        break;
    case IRR_AT_DIM:
        reader->number_length = 0;
        break;
    default:
        break; /* IRR_AT_LAYERS, IRR_AT_EDGES, IRR_AT_INPUT, IRR_AT_OUTPUT: only their children
                  matter */
    }
}

void irr_on_start(void *context, const unsigned char *name, const unsigned char *prefix,
                  const unsigned char *uri, int namespace_count, const unsigned char **namespaces,
                  int count, int defaulted, const unsigned char **list) {
    (void)prefix, (void)uri, (void)namespace_count, (void)namespaces, (void)defaulted;
    irr_reader_t *reader = context;
    if (reader->stopped) return;
    if (reader->graph->problem_count > IRR_MAX_PROBLEMS) reader->stopped = true;
    irr_level_t *parent = &reader->levels[reader->depth];
    bool wrapper = reader->depth == 0 && reader->graph->file.fragments;
    uint32_t line = wrapper ? 1 : irr_scan_next_line(&reader->scan);
    if (reader->depth - reader->graph->file.fragments == IRR_MAX_DEPTH) {
        irr_refuse(reader, line, "elements are nested deeper than %u", IRR_MAX_DEPTH);
        return;
    }
    irr_level_t *level = &reader->levels[++reader->depth];
    *level = (irr_level_t){IRR_AT_SKIPPED, parent->index, line, 0};
    const rule_t *rule = rule_for(reader, parent->element, (const char *)name);
    attributes_t attributes = {list, count};
    if (rule)
        open_by_rule(reader, rule, level, parent, &attributes);
    else if (parent->element != IRR_AT_SKIPPED)
        skip(reader, parent, (const char *)name, line);
}

static void close_dim(irr_reader_t *reader, const irr_level_t *level) {
    irr_ir_graph_t *graph = reader->graph;
    irr_port_t *port = &graph->ports[level->index];
    int64_t dim;
    size_t length = reader->number_length;
    if (length > sizeof reader->number) length = sizeof reader->number;
    if (length < reader->number_length || !irr_parse_dim(reader->number, length, &dim)) {
        irr_problem(graph, level->line, port->layer, IRR_NETWORK_NOT_READ,
                    "port %s: <dim> is \"%.*s\", expected a number of at least 0, or -1",
                    irr_symbol_text(graph, port->id), (int)length, reader->number);
        dim = -1;
    }
    if (port->rank == IRR_MAX_RANK) {
        irr_problem(graph, level->line, port->layer, IRR_NETWORK_NOT_READ,
                    "port %s has more than %u dimensions", irr_symbol_text(graph, port->id),
                    IRR_MAX_RANK);
        reader->levels[reader->depth - 1].element = IRR_AT_SKIPPED; /* said once a port */
        return;
    }
    if (!ROOM(reader, dims, dim_count, dim_room)) return;
    graph->dims[graph->dim_count++] = dim;
    port->rank++;
}

void irr_on_end(void *context, const unsigned char *name, const unsigned char *prefix,
                const unsigned char *uri) {
    (void)name, (void)prefix, (void)uri;
    irr_reader_t *reader = context;
    if (reader->stopped) return;
    const irr_level_t *level = &reader->levels[reader->depth];
    if (level->element == IRR_AT_DIM) close_dim(reader, level);
    if (level->element == IRR_AT_NET && !(level->seen >> IRR_AT_LAYERS & 1))
        irr_problem(reader->graph, level->line, IRR_NONE, IRR_NETWORK_NOT_READ,
                    "<net> has no <layers>");
    if (reader->depth) reader->depth--;
}

void irr_on_text(void *context, const unsigned char *text, int length) {
    irr_reader_t *reader = context;
    if (reader->levels[reader->depth].element != IRR_AT_DIM) return;
    size_t room = sizeof reader->number, used = reader->number_length;
    if (used < room)
        memcpy(reader->number + used, text,
               (size_t)length < room - used ? (size_t)length : room - used);
    reader->number_length = used + (size_t)length;
}
