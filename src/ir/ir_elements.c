/* The grammar of an IR document; stores what it meets and judges only the form. What the layers
 * mean is ir_check.c's. SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_elements.h"

#include "base/element_type.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef enum {
    AT_DOCUMENT = 0,
    AT_NET,
    AT_FRAGMENTS,
    AT_LAYERS,
    AT_LAYER,
    AT_DATA,
    AT_INPUT,
    AT_OUTPUT,
    AT_PORT,
    AT_DIM,
    AT_EDGES,
    AT_EDGE,
    AT_BODY
} element_e;

struct irr_rule {
    element_e parent, element;
    const char *name;
    bool once;
    bool strict; /* an element in it that has no rule is a slip of the writer's pen */
    void (*open)(irr_reader_t *reader, irr_level_t *level, const irr_attributes_t *attributes);
};

bool irr_reader_out_of_memory(irr_reader_t *reader) {
    reader->graph->out_of_memory = true;
    reader->stopped = true;
    return false;
}

bool irr_refuse(irr_reader_t *reader, uint32_t line, const char *format, ...) {
    char text[IRR_SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    irr_problem(reader->graph, irr_at_line(line), "%s", text);
    reader->stopped = true;
    return false;
}

/* ---- attributes ---- */

/* Most comparisons end at the first letter. */
static bool is_word(const char *a, const char *b) { return *a == *b && strcmp(a, b) == 0; }

/* The attribute's text in the pool; 0: it is not there. */
static irr_symbol_t kept(irr_reader_t *reader, const irr_attributes_t *attributes, const char *name,
                         bool (*keep)(irr_texts_t *, const char *, size_t, irr_symbol_t *)) {
    irr_symbol_t symbol = 0;
    for (int i = 0; i < attributes->count; i++) {
        const unsigned char **row = attributes->list + 5 * (size_t)i;
        if (row[1] || !is_word((const char *)row[0], name)) continue;
        if (!keep(&reader->graph->texts, (const char *)row[3], (size_t)(row[4] - row[3]), &symbol))
            irr_reader_out_of_memory(reader);
        break;
    }
    return symbol;
}

static irr_symbol_t symbol_of(irr_reader_t *reader, const irr_attributes_t *attributes,
                              const char *name) {
    return kept(reader, attributes, name, irr_texts_add);
}

/* Of a text that nobody compares by its symbol. */
static irr_symbol_t name_of(irr_reader_t *reader, const irr_attributes_t *attributes,
                            const char *name) {
    return kept(reader, attributes, name, irr_texts_append);
}

/* ---- what opens ---- */

/* Room for one more element of an array of the graph; false: out of memory. */
#define ROOM(reader, array, count, room)                                                           \
    (irr_grow((void **)&(reader)->graph->array, &(reader)->graph->room,                            \
              (reader)->graph->count + 1, sizeof *(reader)->graph->array) ||                       \
     irr_reader_out_of_memory(reader))

static uint32_t add_scope(irr_reader_t *reader, uint32_t layer, const char *body) {
    irr_ir_graph_t *graph = reader->graph;
    irr_symbol_t symbol;
    if (!ROOM(reader, scopes, scope_count, scope_room)) return 0;
    if (!irr_texts_add(&graph->texts, body, strlen(body), &symbol))
        return irr_reader_out_of_memory(reader);
    graph->scopes[graph->scope_count] = (irr_scope_t){layer, symbol};
    return (uint32_t)graph->scope_count++;
}

static void open_net(irr_reader_t *reader, irr_level_t *level, const irr_attributes_t *attributes) {
    irr_ir_graph_t *graph = reader->graph;
    graph->net_name = symbol_of(reader, attributes, "name");
    irr_symbol_t symbol = symbol_of(reader, attributes, "version");
    const char *version = irr_text(graph, symbol);
    int64_t number;
    if (!symbol)
        irr_problem(graph, irr_at_line(level->line),
                    "<net> has no attribute version; IR versions 10 and 11 are known");
    else if (!irr_parse_number(version, strlen(version), &number) || number < 10 || number > 11)
        irr_problem(graph, irr_at_line(level->line),
                    "<net> has version \"%.40s\"; IR versions 10 and 11 are known", version);
    level->scope = add_scope(reader, IRR_NONE, "");
}

static void open_body(irr_reader_t *reader, irr_level_t *level,
                      const irr_attributes_t *attributes) {
    (void)attributes;
    level->scope = add_scope(reader, level->layer, level->rule->name);
    level->layer = IRR_NONE;
}

static irr_layer_kind_e kind_of(const char *type, uint8_t *op) {
    irr_op_e known;
    if (irr_op_by_type(type, &known)) return *op = (uint8_t)known, IRR_LAYER_REDUCE;
    return strcmp(type, "Parameter") == 0 ? IRR_LAYER_PARAMETER
           : strcmp(type, "Const") == 0   ? IRR_LAYER_CONST
           : strcmp(type, "Result") == 0  ? IRR_LAYER_RESULT
                                          : IRR_LAYER_UNKNOWN;
}

static void open_layer(irr_reader_t *reader, irr_level_t *level,
                       const irr_attributes_t *attributes) {
    irr_ir_graph_t *graph = reader->graph;
    if (graph->layer_count == IRR_MAX_LAYERS) {
        irr_refuse(reader, level->line, "the file has more than %u layers", IRR_MAX_LAYERS);
        return;
    }
    if (graph->file.fragments) level->scope = add_scope(reader, IRR_NONE, "");
    if (!ROOM(reader, layers, layer_count, layer_room)) return;
    irr_layer_t layer = {.line = level->line, .data_line = level->line, .scope = level->scope};
    layer.id = symbol_of(reader, attributes, "id");
    layer.name = name_of(reader, attributes, "name");
    layer.type = symbol_of(reader, attributes, "type");
    layer.version = symbol_of(reader, attributes, "version");
    layer.kind = (uint8_t)kind_of(irr_text(graph, layer.type), &layer.op);
    level->layer = (uint32_t)graph->layer_count;
    graph->layers[graph->layer_count++] = layer;
    graph->file.layer_count++;
    graph->file.reduce_layer_count += layer.kind == IRR_LAYER_REDUCE;
    graph->file.unknown_layer_count += layer.kind == IRR_LAYER_UNKNOWN;
    irr_place_t place = irr_at_layer(graph, level->layer);
    if (!layer.id) irr_problem(graph, place, "attribute id is missing");
    if (!layer.type || !*irr_text(graph, layer.type))
        irr_problem(graph, place, "attribute type is %s", layer.type ? "empty" : "missing");
    if (!layer.name && !graph->file.fragments)
        irr_problem(graph, place, "attribute name is missing");
}

static void open_data(irr_reader_t *reader, irr_level_t *level,
                      const irr_attributes_t *attributes) {
    /* by kind: the attributes that it needs, in the order of their slots */
    static const char *const names[][IRR_DATA_SLOTS] = {
        [IRR_LAYER_PARAMETER] = {"element_type", "shape"},
        [IRR_LAYER_CONST] = {"element_type", "shape", "offset", "size"},
        [IRR_LAYER_REDUCE] = {"keep_dims"},
    };
    irr_layer_t *layer = &reader->graph->layers[level->layer];
    layer->data_line = level->line;
    for (int slot = 0; slot < IRR_DATA_SLOTS && names[layer->kind][slot]; slot++)
        layer->data[slot] = name_of(reader, attributes, names[layer->kind][slot]);
}

/* Files use a few precisions a million times: the last answer is mostly the next one. */
static uint8_t precision_type(irr_reader_t *reader, irr_symbol_t symbol) {
    irr_element_type_e known;
    const char *word = irr_text(reader->graph, symbol);
    if (!symbol) return IRR_TYPE_UNKNOWN;
    uint32_t at = symbol % (sizeof reader->precisions / sizeof *reader->precisions);
    if (reader->precisions[at] == symbol) return reader->precision_types[at];
    bool right =
        irr_element_type_by_precision(word, &known) || irr_element_type_by_name(word, &known);
    reader->precisions[at] = symbol;
    return reader->precision_types[at] = right ? (uint8_t)known : IRR_TYPE_WRONG;
}

static void open_port(irr_reader_t *reader, irr_level_t *level,
                      const irr_attributes_t *attributes) {
    irr_ir_graph_t *graph = reader->graph;
    irr_layer_t *layer = &graph->layers[level->layer];
    if (!ROOM(reader, ports, port_count, port_room)) return;
    irr_port_t port = {.line = level->line,
                       .layer = level->layer,
                       .dims = (uint32_t)graph->dim_count,
                       .of.source = IRR_NONE,
                       .shape_rank = IRR_PORT_RANK_UNKNOWN,
                       .type = IRR_TYPE_UNKNOWN,
                       .is_input = level->rule->parent == AT_INPUT};
    port.id = symbol_of(reader, attributes, "id");
    port.precision = symbol_of(reader, attributes, "precision");
    port.declared_type = precision_type(reader, port.precision);
    port.names = name_of(reader, attributes, "names");
    level->port = (uint32_t)graph->port_count;
    irr_run_t *run = port.is_input ? &layer->inputs : &layer->outputs;
    if (!run->count++) run->first = level->port;
    graph->ports[graph->port_count++] = port;
}

static void open_dim(irr_reader_t *reader, irr_level_t *level, const irr_attributes_t *attributes) {
    (void)level, (void)attributes;
    reader->number_length = 0;
}

static void open_edge(irr_reader_t *reader, irr_level_t *level,
                      const irr_attributes_t *attributes) {
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
        irr_problem(graph, irr_at_line(level->line), "<edge> has no attribute %s", names[i]);
        return;
    }
    graph->edges[graph->edge_count++] =
        (irr_edge_t){{ends[0], ends[1]}, {ends[2], ends[3]}, level->line, level->scope};
}

/* ---- the grammar ---- */

static const irr_rule_t document = {.element = AT_DOCUMENT};

/* The commonest come first. The root of fragments is ours. */
static const irr_rule_t rules[] = {
    {AT_PORT, AT_DIM, "dim", false, true, open_dim},
    {AT_EDGES, AT_EDGE, "edge", false, false, open_edge},
    {AT_INPUT, AT_PORT, "port", false, true, open_port},
    {AT_OUTPUT, AT_PORT, "port", false, true, open_port},
    {AT_LAYER, AT_INPUT, "input", true, true, NULL},
    {AT_LAYER, AT_OUTPUT, "output", true, true, NULL},
    {AT_LAYER, AT_DATA, "data", true, false, open_data},
    {AT_LAYERS, AT_LAYER, "layer", false, true, open_layer},
    {AT_LAYER, AT_BODY, "body", false, false, open_body},
    {AT_LAYER, AT_BODY, "then_body", false, false, open_body},
    {AT_LAYER, AT_BODY, "else_body", false, false, open_body},
    {AT_DOCUMENT, AT_NET, "net", true, false, open_net},
    {AT_DOCUMENT, AT_FRAGMENTS, "fragments", true, true, NULL},
    {AT_FRAGMENTS, AT_LAYER, "layer", false, true, open_layer},
    {AT_NET, AT_LAYERS, "layers", true, true, NULL},
    {AT_NET, AT_EDGES, "edges", true, true, NULL},
    {AT_BODY, AT_LAYERS, "layers", true, true, NULL},
    {AT_BODY, AT_EDGES, "edges", true, true, NULL},
};

/* The rule for this child, or NULL: an element that means nothing here is skipped. */
static const irr_rule_t *rule_for(const irr_reader_t *reader, const irr_rule_t *parent,
                                  const char *name) {
    if (parent == &document && reader->graph->file.fragments != (strcmp(name, "fragments") == 0))
        return NULL;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].parent == parent->element && is_word(rules[i].name, name)) return &rules[i];
    return NULL;
}

/* An element without a rule: free-form information, or a slip? */
static void skip(irr_reader_t *reader, const irr_level_t *parent, const char *name, uint32_t line) {
    const irr_ir_graph_t *graph = reader->graph;
    if (parent->rule == &document) {
        irr_refuse(reader, line, "the root element is <%.60s>, expected <net>", name);
        return;
    }
    bool free_form =
        parent->rule->element == AT_LAYER && graph->layers[parent->layer].kind == IRR_LAYER_UNKNOWN;
    if (!parent->rule->strict || free_form || strcmp(name, "rt_info") == 0) return;
    irr_problem(reader->graph, (irr_place_t){line, parent->layer, IRR_NETWORK_NOT_READ},
                "<%s> holds an unknown element <%.60s>", parent->rule->name, name);
}

void irr_start_reader(irr_reader_t *reader, irr_ir_graph_t *graph) {
    reader->graph = graph;
    reader->levels[0] = (irr_level_t){.rule = &document, .layer = IRR_NONE};
}

void irr_open_element(irr_reader_t *reader, uint32_t line, const char *name,
                      irr_attributes_t attributes) {
    if (reader->stopped) return;
    irr_level_t *parent = &reader->levels[reader->depth], *level = parent + 1;
    if (reader->depth - reader->graph->file.fragments == IRR_MAX_DEPTH) {
        irr_refuse(reader, line, "elements are nested deeper than %u", IRR_MAX_DEPTH);
        return;
    }
    reader->depth++;
    *level = *parent;
    level->line = line;
    level->seen = 0;
    if (!parent->rule) return;
    level->rule = rule_for(reader, parent->rule, name);
    if (!level->rule) {
        skip(reader, parent, name, line);
    } else if (level->rule->once && (parent->seen >> level->rule->element & 1)) {
        level->rule = NULL;
        irr_problem(reader->graph, (irr_place_t){line, parent->layer, IRR_NETWORK_NOT_READ},
                    "<%s> is there a second time", name);
    } else {
        parent->seen |= 1u << level->rule->element;
        if (level->rule->open) level->rule->open(reader, level, &attributes);
    }
}

static void close_dim(irr_reader_t *reader, const irr_level_t *level) {
    irr_ir_graph_t *graph = reader->graph;
    irr_port_t *port = &graph->ports[level->port];
    irr_place_t place = {level->line, level->layer, IRR_NETWORK_NOT_READ};
    int64_t dim;
    size_t length = reader->number_length;
    if (length > sizeof reader->number) length = sizeof reader->number;
    if (length < reader->number_length || !irr_parse_dim(reader->number, length, &dim)) {
        irr_problem(graph, place,
                    "port %s: <dim> is \"%.*s\", expected a number of at least 0, or -1",
                    irr_text(graph, port->id), (int)length, reader->number);
        dim = -1;
    }
    if (port->rank == IRR_MAX_RANK) {
        irr_problem(graph, place, "port %s has more than %u dimensions", irr_text(graph, port->id),
                    IRR_MAX_RANK);
        reader->levels[reader->depth - 1].rule = NULL; /* said once a port */
        return;
    }
    if (!ROOM(reader, dims, dim_count, dim_room)) return;
    graph->dims[graph->dim_count++] = dim;
    port->rank++;
}

void irr_close_element(irr_reader_t *reader) {
    if (reader->stopped) return;
    const irr_level_t *level = &reader->levels[reader->depth];
    element_e element = level->rule ? level->rule->element : AT_DOCUMENT;
    if (element == AT_DIM) close_dim(reader, level);
    if (element == AT_NET && !(level->seen >> AT_LAYERS & 1))
        irr_problem(reader->graph, irr_at_line(level->line), "<net> has no <layers>");
    if (reader->depth) reader->depth--;
}

void irr_element_text(irr_reader_t *reader, const char *text, size_t length) {
    const irr_rule_t *rule = reader->levels[reader->depth].rule;
    if (!rule || rule->element != AT_DIM) return;
    size_t used = reader->number_length, room = sizeof reader->number;
    size_t left = used < room ? room - used : 0;
    memcpy(reader->number + (room - left), text, length < left ? length : left);
    reader->number_length = used + length;
}
