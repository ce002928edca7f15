/* From bytes to callbacks: libxml2's push parser, fed in chunks that were scanned before: libxml2
 * is quadratic in a tag of many attributes. No tree, no DTD, no entity but the five predefined, no
 * network, no other file. The only file of the reader that knows libxml2.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_elements.h"
#include "ir/ir_xml_memory.h"

#include <errno.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <pthread.h>
#include <unistd.h>

#define MAX_XML_BYTES (UINT64_C(2) << 30)
#define MAX_TAG_BYTES 65536
#define MAX_ATTRIBUTES 256
#define WINDOW_BYTES (2 * MAX_TAG_BYTES)
#define LONGEST_START 9 /* of what is told apart by its first bytes: <![CDATA[ */
#define SHORT_TAG_BYTES (4 * MAX_ATTRIBUTES) /* an attribute takes more: a="" */
#define MAX_NAMES 50000 /* the parser's table of names stops growing: it would be quadratic */

typedef struct {
    char *at, *end;      /* what is not scanned yet of the bytes at hand */
    const char *until;   /* in a comment, CDATA section or instruction: its end */
    char *first;         /* the first element, once it was found */
    bool fragments;      /* it is a <layer> */
    const char *refusal; /* of the tag at `at` */
} scan_t;

typedef struct {
    irr_reader_t reader; /* first: the callbacks' context */
    int descriptor;      /* where the bytes come from, unless from memory */
    bool opened;         /* by us */
    const char *memory;
    size_t memory_bytes;
    xmlParserCtxtPtr parser;
    irr_xml_memory_t out_of_memory;
    scan_t scan;
    char window[WINDOW_BYTES + 1]; /* what is not handed on yet, and a NUL */
    size_t held;
    uint32_t end_line; /* of the document, once the parser has all of it */
} parse_t;

/* ---- the scan ----
 * Refuses what would make the parser slow or unsafe (huge tags, many attributes, a DTD), finds the
 * first element, and blanks the literal `...` of the specification's examples. */

/* What stands between < and its end is not looked at in these. */
static const struct {
    const char *start, *end;
} opaque[] = {{"<?", "?>"}, {"<!--", "-->"}, {"<![CDATA[", "]]>"}};

static bool begins(const char *at, const char *word) {
    return strncmp(at, word, strlen(word)) == 0;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static bool pass_special(scan_t *scan) {
    size_t length = strlen(scan->until), left = (size_t)(scan->end - scan->at);
    char *close = memmem(scan->at, left, scan->until, length);
    if (close) {
        scan->at = close + length;
        scan->until = NULL;
    } else if (left >= length) {
        scan->at = scan->end - (length - 1); /* its end may have begun */
    }
    return close;
}

static bool pass_tag(scan_t *scan) {
    char *c = scan->at + 1, *stop = scan->end;
    int attributes = 0;
    /* A well-formed tag ends before the next one begins: a short way says that all is well. */
    char *next = scan->fragments ? NULL : memchr(c, '<', (size_t)(stop - c));
    if (next && next - c < SHORT_TAG_BYTES) return scan->at = next, true;
    if (stop - scan->at > MAX_TAG_BYTES) stop = scan->at + MAX_TAG_BYTES;
    for (; c < stop && *c != '>'; c++) {
        if (*c == '"' || *c == '\'') {
            char *close = memchr(c + 1, *c, (size_t)(stop - c) - 1);
            c = close ? close : stop - 1;
        } else if (*c == '=' && ++attributes > MAX_ATTRIBUTES) {
            return scan->refusal = "a tag has more than 256 attributes", false;
        } else if (*c == '.' && scan->fragments && is_blank(c[-1])) {
            *c = ' '; /* the second dot then follows a blank, too */
        }
    }
    if (c == stop && stop - scan->at == MAX_TAG_BYTES)
        return scan->refusal = "a tag is longer than 64 KiB", false;
    if (c < stop) scan->at = c + 1;
    return c < stop;
}

/* Scans to the end of the next tag. False: refused, or more bytes are needed, from `at` on. What is
 * malformed is left for the parser to say. */
static bool scan_next(scan_t *scan) {
    if (scan->until) return pass_special(scan);
    while (scan->at < scan->end && *scan->at != '<') scan->at++;
    if (scan->end - scan->at < LONGEST_START) return false;
    for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++) {
        if (!begins(scan->at, opaque[i].start)) continue;
        scan->until = opaque[i].end;
        scan->at += strlen(opaque[i].start);
        return true;
    }
    if (begins(scan->at, "<!D"))
        return scan->refusal = "the document has a DTD (<!DOCTYPE); such documents are not read",
               false;
    if (!scan->first) {
        scan->first = scan->at;
        scan->fragments = begins(scan->at, "<layer") && strchr(" \t\r\n/>", scan->at[6]);
    }
    return pass_tag(scan);
}

/* ---- memory ---- */

static void note_memory(void *memory, xmlErrorPtr error) {
    if (error->code == XML_ERR_NO_MEMORY) ((irr_xml_memory_t *)memory)->out_of_memory = true;
}

void irr_xml_memory_begin(irr_xml_memory_t *memory) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, xmlInitParser); /* two threads must not begin at once */
    *memory = (irr_xml_memory_t){false, xmlStructuredError, xmlStructuredErrorContext};
    xmlSetStructuredErrorFunc(memory, note_memory);
}

void irr_xml_memory_end(const irr_xml_memory_t *memory) {
    xmlSetStructuredErrorFunc(memory->context_before, memory->before);
}

/* ---- the parser ---- */

/* The parser stands at the end of the tag, and its line is that one's. */
static uint32_t line_of_tag(const xmlParserInput *input) {
    const xmlChar *at = input->cur;
    int line = input->line;
    while (at > input->base && *--at != '<') line -= *at == '\n';
    return (uint32_t)line;
}

/* The line where the bytes end that the parser was given. */
static uint32_t line_of_end(const xmlParserInput *input) {
    int line = input->line;
    for (const xmlChar *at = input->cur; at < input->end; at++) line += *at == '\n';
    return (uint32_t)line;
}

static void on_start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int namespace_count, const xmlChar **namespaces, int count, int defaulted,
                     const xmlChar **list) {
    (void)prefix, (void)uri, (void)namespace_count, (void)namespaces, (void)defaulted;
    parse_t *parse = context;
    irr_open_element(&parse->reader, line_of_tag(parse->parser->input), (const char *)name, list,
                     count);
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    (void)name, (void)prefix, (void)uri;
    irr_close_element(context);
}

/* Malformed: the parser's word is the one problem, for what was read is not to be trusted. */
static void on_error(void *context, xmlErrorPtr error) {
    parse_t *parse = context;
    irr_reader_t *reader = &parse->reader;
    irr_ir_graph_t *graph = reader->graph;
    const char *message = error->message ? error->message : "the document is not well-formed";
    uint32_t open_line = reader->levels[reader->depth].line;
    note_memory(&parse->out_of_memory, error);
    if (error->level < XML_ERR_FATAL || reader->stopped) return;
    graph->problems.count = graph->layers.count = 0;
    if (parse->end_line && open_line) /* the parser speaks of extra content here */
        irr_refuse(reader, parse->end_line,
                   "malformed XML: the document ends inside the element of line %" PRIu32,
                   open_line);
    irr_refuse(reader, error->line > 0 ? (uint32_t)error->line : 0, "malformed XML: %.*s",
               (int)strcspn(message, "\n"), message);
}

static bool create_parser(parse_t *parse) {
    xmlSAXHandler handler;
    memset(&handler, 0, sizeof handler);
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = on_start;
    handler.endElementNs = on_end;
    handler.characters = handler.ignorableWhitespace = handler.cdataBlock = irr_element_text;
    handler.serror = on_error;
    parse->parser = xmlCreatePushParserCtxt(&handler, parse, NULL, 0, NULL);
    if (!parse->parser) return false;
    /* NOENT decodes &amp; in attributes; there are no other entities without a DTD. */
    return xmlCtxtUseOptions(parse->parser,
                             XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_IGNORE_ENC) == 0;
}

/* ---- reading ---- */

static bool open_input(parse_t *parse) {
    irr_ir_graph_t *graph = parse->reader.graph;
    const irr_ir_source_t *source = graph->source;
    uint64_t size_bytes;
    char reason[IRR_SENTENCE_BYTES];
    parse->descriptor = STDIN_FILENO;
    if (!source->path) {
        parse->memory = source->xml ? source->xml : "";
        parse->memory_bytes = source->xml ? source->xml_bytes : 0;
        return true;
    }
    if (strcmp(source->path, "-") == 0) return true;
    irr_status_e status = irr_open_regular(source->path, &parse->descriptor, &size_bytes,
                                           (irr_sentence_t){reason, sizeof reason});
    if (status) irr_problem_as(graph, status, IRR_NONE, 0, "%s", reason);
    return parse->opened = !status;
}

/* Fills the window. The bytes added: 0 at the end of the input. */
static size_t fill(parse_t *parse) {
    size_t before = parse->held, room;
    while ((room = WINDOW_BYTES - parse->held) > 0) {
        char *to = parse->window + parse->held;
        ssize_t n = (ssize_t)(parse->memory_bytes < room ? parse->memory_bytes : room);
        if (parse->memory) {
            memcpy(to, parse->memory, (size_t)n);
            parse->memory += n;
            parse->memory_bytes -= (size_t)n;
        } else {
            n = read(parse->descriptor, to, room);
        }
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) irr_refuse(&parse->reader, 0, "the file cannot be read: %s", strerror(errno));
        if (n <= 0) break;
        parse->held += (size_t)n;
    }
    parse->window[parse->held] = '\0';
    return parse->held - before;
}

/* ---- what is no XML in UTF-8 ---- */

static const struct {
    const char *start, *what;
} magics[] = {
    {"\x1f\x8b", "compressed (gzip); compressed files are not read"},
    {"\xfd\x37zXZ", "compressed (xz); compressed files are not read"},
    {"BZh", "compressed (bzip2); compressed files are not read"},
    {"\x28\xb5\x2f\xfd", "compressed (zstd); compressed files are not read"},
    {"PK\x03\x04", "compressed (zip); compressed files are not read"},
    {"\xff\xfe", "UTF-16; UTF-8 is expected"},
    {"\xfe\xff", "UTF-16; UTF-8 is expected"},
};

/* Refuses what is none by its first bytes, which the window holds, and a NUL behind. */
static void check_start(parse_t *parse) {
    irr_reader_t *reader = &parse->reader;
    const char *at = parse->window, *end = at + parse->held;
    uint32_t line = 1;
    if (at == end) irr_refuse(reader, 0, "the file is empty; an IR document is expected");
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (begins(at, magics[i].start)) irr_refuse(reader, 1, "the file is %s", magics[i].what);
    if (begins(at, "\xef\xbb\xbf")) at += 3;
    for (; is_blank(*at); at++) line += *at == '\n';
    if (at == end) irr_refuse(reader, 1, "the file is blank; an IR document is expected");
    if (at[0] == '<' && at[1]) return;
    if (at[0] == '<' && at + 1 < end) at++;
    irr_refuse(reader, line, "the file is no XML text: it begins with byte 0x%02x",
               (unsigned char)*at);
}

/* ---- feeding ---- */

static void push(parse_t *parse, const char *bytes, size_t count) {
    if (parse->reader.stopped) return;
    xmlParseChunk(parse->parser, bytes, (int)count, false);
    if (xmlDictSize(parse->parser->dict) > MAX_NAMES)
        irr_refuse(&parse->reader, (uint32_t)parse->parser->input->line,
                   "the document uses more than %d different names", MAX_NAMES);
}

/* Hands on the window's first bytes. */
static void hand_on(parse_t *parse, const char *end) {
    const char *from = parse->window;
    if (parse->scan.fragments && !parse->reader.graph->fragments) { /* they need a root */
        parse->reader.graph->fragments = true;
        push(parse, from, (size_t)(parse->scan.first - from));
        push(parse, "<fragments>", 11);
        from = parse->scan.first;
    }
    push(parse, from, (size_t)(end - from));
    parse->held -= (size_t)(end - parse->window);
    memmove(parse->window, end, parse->held);
}

/* The parser sees nothing that was not scanned, and nothing from a refused tag on: what stands
 * before that may be malformed, which then is the first problem. */
static void feed_all(parse_t *parse) {
    irr_reader_t *reader = &parse->reader;
    scan_t *scan = &parse->scan;
    uint64_t total = 0;
    for (size_t count = 1; count > 0 && !reader->stopped;) {
        count = fill(parse);
        if (total == 0) check_start(parse);
        total += count;
        if (total > MAX_XML_BYTES) irr_refuse(reader, 0, "the file is larger than 2 GiB");
        if (reader->stopped) return;
        scan->at = parse->window;
        scan->end = parse->window + parse->held;
        while (scan_next(scan)) continue;
        hand_on(parse, count || scan->refusal ? scan->at : scan->end);
        if (scan->refusal)
            irr_refuse(reader, line_of_end(parse->parser->input), "%s", scan->refusal);
    }
}

static void finish(parse_t *parse) {
    irr_reader_t *reader = &parse->reader;
    if (reader->graph->fragments && reader->depth == 1) push(parse, "</fragments>", 12);
    if (reader->stopped) return;
    parse->end_line = line_of_end(parse->parser->input);
    xmlParseChunk(parse->parser, "", 0, true);
    if (!parse->parser->wellFormed) irr_refuse(reader, 0, "malformed XML");
}

static void parse_all(parse_t *parse) {
    irr_xml_memory_begin(&parse->out_of_memory);
    if (create_parser(parse)) {
        feed_all(parse);
        finish(parse);
    } else {
        irr_no_memory(parse->reader.graph);
    }
    xmlFreeParserCtxt(parse->parser);
    irr_xml_memory_end(&parse->out_of_memory);
    if (parse->out_of_memory.out_of_memory) irr_no_memory(parse->reader.graph);
}

bool irr_read_xml(irr_ir_graph_t *graph) {
    parse_t *parse = irr_calloc(1, sizeof *parse);
    if (!parse) return irr_no_memory(graph);
    irr_start_reader(&parse->reader, graph);
    bool open = open_input(parse);
    if (open) parse_all(parse);
    if (parse->opened) close(parse->descriptor);
    bool done = open && !parse->reader.stopped;
    irr_release(parse);
    return done;
}
