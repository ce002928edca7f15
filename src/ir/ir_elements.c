/* The grammar of an IR document; stores what it meets and judges only the form. What the layers
 * mean is ir_layers.c's. SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_elements.h"

typedef enum {
    AT_DOCUMENT = 0,
    AT_NET,    /* or a body, which holds the same */
    AT_LAYERS, /* or the root of fragments, which is ours */
    AT_LAYER,
    AT_DATA,
    AT_INPUT,
    AT_OUTPUT,
    AT_PORT,
    AT_DIM,
    AT_EDGES,
    AT_EDGE
} element_e;

/* What opens an element gets its attributes of interest, in the order of their names. */
typedef void open_f(irr_reader_t *reader, irr_level_t *level, const char *const *texts);

struct irr_rule {
    element_e parent, element;
    const char *name;
    bool once;
    bool strict; /* an element in it that has no rule is a slip of the writer's pen */
    open_f *open;
    const char *attributes[IRR_MOST_ATTRIBUTES];
};

/* ---- what opens ---- */

static uint32_t add_scope(irr_ir_graph_t *graph, uint32_t layer, const char *body) {
    if (!IRR_ROOM(graph, scopes)) return 0;
    graph->scopes.at[graph->scopes.count] = (irr_scope_t){layer, body};
    return (uint32_t)graph->scopes.count++;
}

static void open_net(irr_reader_t *reader, irr_level_t *level, const char *const *texts) {
    irr_ir_graph_t *graph = reader->graph;
    const char *version = texts[0];
    int64_t number;
    if (version == irr_no_text)
        irr_problem(graph, IRR_NONE, level->line,
                    "<net> has no attribute version; IR versions 10 and 11 are known");
    else if (!irr_parse_number(version, &number) || number < 10 || number > 11)
        irr_problem(graph, IRR_NONE, level->line,
                    "<net> has version \"%.40s\"; IR versions 10 and 11 are known", version);
    graph->net_name = texts[1];
    level->scope = add_scope(graph, IRR_NONE, "");
}

static void open_body(irr_reader_t *reader, irr_level_t *level, const char *const *texts) {
    (void)texts;
    level->scope = add_scope(reader->graph, level->layer, level->rule->name);
    level->layer = IRR_NONE;
}

static irr_layer_kind_e kind_of(const char *type, uint8_t *op) {
    irr_op_e known;
    if (irr_op_by_type(type, &known)) return *op = (uint8_t)known, IRR_LAYER_REDUCE;
    irr_layer_kind_e kind = IRR_LAYER_RESULT;
    while (kind != IRR_LAYER_UNKNOWN && strcmp(type, irr_kinds[kind].type) != 0) kind--;
    return kind;
}

static void open_layer(irr_reader_t *reader, irr_level_t *level, const char *const *texts) {
    irr_ir_graph_t *graph = reader->graph;
    if (graph->layers.count == IRR_MAX_LAYERS)
        irr_refuse(reader, level->line, "the file has more than %u layers", IRR_MAX_LAYERS);
    if (reader->stopped || !IRR_ROOM(graph, layers)) return;
    if (graph->fragments) level->scope = add_scope(graph, IRR_NONE, "");
    irr_layer_t *layer = &graph->layers.at[level->layer = (uint32_t)graph->layers.count++];
    *layer = (irr_layer_t){.id = texts[0],
                           .type = texts[1],
                           .version = texts[2],
                           .name = texts[3],
                           .data = {irr_no_text, irr_no_text, irr_no_text, irr_no_text},
                           .line = level->line,
                           .data_line = level->line,
                           .scope = level->scope};
    layer->kind = (uint8_t)kind_of(layer->type, &layer->op);
    if (layer->id == irr_no_text)
        irr_problem(graph, level->layer, level->line, "attribute id is missing");
    if (!*layer->type)
        irr_problem(graph, level->layer, level->line, "attribute type is %s",
                    layer->type == irr_no_text ? "missing" : "empty");
    if (layer->name == irr_no_text && !graph->fragments)
        irr_problem(graph, level->layer, level->line, "attribute name is missing");
}

static void open_data(irr_reader_t *reader, irr_level_t *level, const char *const *texts) {
    irr_layer_t *layer = &reader->graph->layers.at[level->layer];
    layer->data_line = level->line;
    memcpy(layer->data, texts, sizeof layer->data);
}

static void open_port(irr_reader_t *reader, irr_level_t *level, const char *const *texts) {
    irr_ir_graph_t *graph = reader->graph;
    irr_layer_t *layer = &graph->layers.at[level->layer];
    bool is_input = level->rule->parent == AT_INPUT;
    irr_run_t *run = is_input ? &layer->inputs : &layer->outputs;
    if (!IRR_ROOM(graph, ports)) return;
    level->port = (uint32_t)graph->ports.count++;
    if (!run->count++) run->first = level->port;
    reader->rank = 0;
    irr_port_t *port = &graph->ports.at[level->port];
    *port = (irr_port_t){.id = texts[0],
                         .names = texts[2],
                         .line = level->line,
                         .layer = level->layer,
                         .declared = {.rank = IRR_DYNAMIC_RANK, .type = IRR_TYPE_UNKNOWN},
                         .known = {.rank = IRR_DYNAMIC_RANK, .type = IRR_TYPE_UNKNOWN},
                         .source = IRR_NONE,
                         .value = is_input || level->scope ? IRR_NO_VALUE : graph->value_count++,
                         .is_input = is_input};
    irr_element_type_e type = IRR_DYNAMIC;
    bool known = texts[1] == irr_no_text || irr_element_type_by_precision(texts[1], &type);
    if (type != IRR_DYNAMIC) port->declared.type = (uint8_t)type;
    if (!known && layer->kind != IRR_LAYER_UNKNOWN)
        irr_problem(graph, level->layer, level->line,
                    "%s port %s: attribute precision is \"%.60s\", which is no precision",
                    irr_side(port), port->id, texts[1]);
}

static void open_edge(irr_reader_t *reader, irr_level_t *level, const char *const *texts) {
    irr_ir_graph_t *graph = reader->graph;
    if (graph->edges.count == IRR_MAX_EDGES)
        irr_refuse(reader, level->line, "the file has more than %u edges", IRR_MAX_EDGES);
    for (int i = 0; i < 4; i++) {
        if (texts[i] != irr_no_text) continue;
        irr_problem(graph, IRR_NONE, level->line, "<edge> has no attribute %s",
                    level->rule->attributes[i]);
        return;
    }
    if (reader->stopped || !IRR_ROOM(graph, edges)) return;
    irr_edge_t *edge = &graph->edges.at[graph->edges.count++];
    *edge = (irr_edge_t){.line = level->line, .scope = level->scope};
    memcpy(edge->ends, texts, sizeof edge->ends);
}

/* ---- the grammar ---- */

static const irr_rule_t document = {.element = AT_DOCUMENT};

#define PORT .attributes = {"id", "precision", "names"}

/* The commonest come first. */
static const irr_rule_t rules[] = {
    {AT_PORT, AT_DIM, "dim", .strict = true},
    {AT_EDGES, AT_EDGE, "edge", .open = open_edge,
     .attributes = {"from-layer", "from-port", "to-layer", "to-port"}},
    {AT_INPUT, AT_PORT, "port", .strict = true, .open = open_port, PORT},
    {AT_OUTPUT, AT_PORT, "port", .strict = true, .open = open_port, PORT},
    {AT_LAYER, AT_INPUT, "input", .once = true, .strict = true},
    {AT_LAYER, AT_OUTPUT, "output", .once = true, .strict = true},
    {AT_LAYER, AT_DATA, "data", .once = true, .open = open_data}, /* attributes by layer's kind */
    {AT_LAYERS, AT_LAYER, "layer", .strict = true, .open = open_layer,
     .attributes = {"id", "type", "version", "name"}},
    {AT_LAYER, AT_NET, "body", .open = open_body},
    {AT_LAYER, AT_NET, "then_body", .open = open_body},
    {AT_LAYER, AT_NET, "else_body", .open = open_body},
    {AT_DOCUMENT, AT_NET, "net", .once = true, .open = open_net, .attributes = {"version", "name"}},
    {AT_DOCUMENT, AT_LAYERS, "fragments", .once = true, .strict = true},
    {AT_NET, AT_LAYERS, "layers", .once = true, .strict = true},
    {AT_NET, AT_EDGES, "edges", .once = true, .strict = true},
};

/* Most comparisons end at the first letter. */
static bool is_word(const char *a, const char *b) { return *a == *b && strcmp(a, b) == 0; }

/* The rule for this child, or NULL: an element that means nothing here is skipped. */
static const irr_rule_t *rule_for(const irr_reader_t *reader, const irr_rule_t *parent,
                                  const char *name) {
    if (parent == &document && reader->graph->fragments != (strcmp(name, "fragments") == 0))
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
    bool free_form = parent->rule->element == AT_LAYER &&
                     graph->layers.at[parent->layer].kind == IRR_LAYER_UNKNOWN;
    if (!parent->rule->strict || free_form || strcmp(name, "rt_info") == 0) return;
    irr_problem(reader->graph, parent->layer, line, "<%s> holds an unknown element <%.60s>",
                parent->rule->name, name);
}

/* Keeps the attributes that the rule names. */
static void keep(irr_ir_graph_t *graph, const irr_level_t *level, const unsigned char **attributes,
                 int count, const char **texts) {
    const char *const *names = level->rule->element == AT_DATA
                                   ? irr_kinds[graph->layers.at[level->layer].kind].attributes
                                   : level->rule->attributes;
    for (int slot = 0; slot < IRR_MOST_ATTRIBUTES; slot++) {
        texts[slot] = irr_no_text;
        for (int i = 0; i < count && names[slot] && texts[slot] == irr_no_text; i++) {
            const unsigned char **row = attributes + 5 * (size_t)i;
            size_t length = (size_t)(row[4] - row[3]);
            if (row[1] || !is_word((const char *)row[0], names[slot])) continue;
            char *text = irr_take(&graph->memory, length + 1, 1);
            texts[slot] = text ? memcpy(text, row[3], length) : NULL;
        }
    }
}

void irr_start_reader(irr_reader_t *reader, irr_ir_graph_t *graph) {
    reader->graph = graph;
    reader->levels[0] = (irr_level_t){.rule = &document, .layer = IRR_NONE};
}

void irr_open_element(irr_reader_t *reader, uint32_t line, const char *name,
                      const unsigned char **attributes, int count) {
    irr_level_t *parent = &reader->levels[reader->depth], *level = parent + 1;
    const char *texts[IRR_MOST_ATTRIBUTES];
    reader->stopped |= reader->graph->memory.failed;
    if (reader->depth - reader->graph->fragments == IRR_MAX_DEPTH)
        irr_refuse(reader, line, "elements are nested deeper than %u", IRR_MAX_DEPTH);
    if (reader->stopped) return;
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
        irr_problem(reader->graph, parent->layer, line, "<%s> is there a second time", name);
    } else {
        parent->seen |= 1u << level->rule->element;
        keep(reader->graph, level, attributes, count, texts);
        if (level->rule->open && !reader->graph->memory.failed)
            level->rule->open(reader, level, texts);
    }
}

static void close_port(irr_reader_t *reader, uint32_t port) {
    irr_port_t *it = &reader->graph->ports.at[port];
    uint32_t rank = reader->rank < IRR_MAX_RANK ? reader->rank : IRR_MAX_RANK;
    if (rank) irr_partial_set(&it->declared, reader->dims, rank, &reader->graph->memory);
}

static void close_dim(irr_reader_t *reader, const irr_level_t *level) {
    irr_ir_graph_t *graph = reader->graph;
    const char *port = graph->ports.at[level->port].id;
    bool fits = reader->number_length < sizeof reader->number;
    irr_dimension_t dim = {0, -1};
    reader->number[fits ? reader->number_length : sizeof reader->number - 1] = '\0';
    reader->number_length = 0;
    if (!fits || !irr_parse_dim(reader->number, &dim))
        irr_problem(graph, level->layer, level->line,
                    "port %s: <dim> is \"%s\", expected a number of at least 0, or -1", port,
                    reader->number);
    if (reader->rank < IRR_MAX_RANK)
        reader->dims[reader->rank] = dim;
    else if (reader->rank == IRR_MAX_RANK) /* said once a port */
        irr_problem(graph, level->layer, level->line, "port %s has more than %u dimensions", port,
                    IRR_MAX_RANK);
    reader->rank++;
}

void irr_close_element(irr_reader_t *reader) {
    if (reader->stopped) return;
    const irr_level_t *level = &reader->levels[reader->depth];
    element_e element = level->rule ? level->rule->element : AT_DOCUMENT;
    if (element == AT_DIM) close_dim(reader, level);
    if (element == AT_PORT) close_port(reader, level->port);
    bool net = element == AT_NET && level->rule->parent == AT_DOCUMENT;
    if (net && !(level->seen >> AT_LAYERS & 1))
        irr_problem(reader->graph, IRR_NONE, level->line, "<net> has no <layers>");
    if (reader->depth) reader->depth--;
}

void irr_element_text(void *context, const unsigned char *text, int length) {
    irr_reader_t *reader = context;
    const irr_rule_t *rule = reader->levels[reader->depth].rule;
    if (!rule || rule->element != AT_DIM) return;
    size_t room = sizeof reader->number - reader->number_length;
    size_t more = (size_t)length < room ? (size_t)length : room;
    memcpy(reader->number + reader->number_length, text, more);
    reader->number_length += more;
}
