/* From bytes to callbacks: libxml2's push parser, fed in chunks that were scanned before. No tree,
 * no DTD, no entity but the five predefined, no network, no other file. The only file of the reader
 * that knows libxml2.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "ir/ir_elements.h"
#include "ir/ir_weights.h"
#include "ir/ir_xml_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_BYTES 262144u
#define MAX_NAMES 50000 /* the parser's table of names stops growing: it would be quadratic */

/* Where the bytes come from: a descriptor, or memory. */
typedef struct {
    int descriptor;
    bool close;
    const char *memory;
    size_t memory_bytes;
} input_t;

typedef struct {
    irr_reader_t reader; /* first: the callbacks' context */
    xmlParserCtxtPtr parser;
    irr_xml_memory_t memory;
    uint32_t line;
    char message[512]; /* the parser's first error */
} parse_t;

static void on_error(void *context, xmlErrorPtr error) {
    parse_t *parse = context;
    irr_xml_memory_note(&parse->memory, error);
    if (error->level < XML_ERR_FATAL || parse->message[0]) return;
    snprintf(parse->message, sizeof parse->message, "%s",
             error->message ? error->message : "malformed XML");
    parse->message[strcspn(parse->message, "\n")] = '\0';
    parse->line = error->line > 0 ? (uint32_t)error->line : 0;
}

static bool create_parser(parse_t *parse) {
    xmlSAXHandler handler;
    memset(&handler, 0, sizeof handler);
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = irr_on_start;
    handler.endElementNs = irr_on_end;
    handler.characters = handler.ignorableWhitespace = handler.cdataBlock = irr_on_text;
    handler.serror = on_error;
    xmlInitParser();
    parse->parser = xmlCreatePushParserCtxt(&handler, parse, NULL, 0, NULL);
    if (!parse->parser) return false;
    /* NOENT decodes &amp; in attributes; there are no other entities without a DTD. */
    return xmlCtxtUseOptions(parse->parser,
                             XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_IGNORE_ENC) == 0;
}

/* ---- what is no XML in UTF-8 ----------------------------------------------------------------- */

typedef struct {
    const char *magic;
    size_t length;
    const char *sentence;
} magic_t;

static const magic_t magics[] = {
    {"\x1f\x8b", 2, "the file is compressed (gzip); compressed files are not read"},
    {"\xfd\x37zXZ", 5, "the file is compressed (xz); compressed files are not read"},
    {"BZh", 3, "the file is compressed (bzip2); compressed files are not read"},
    {"\x28\xb5\x2f\xfd", 4, "the file is compressed (zstd); compressed files are not read"},
    {"PK\x03\x04", 4, "the file is compressed (zip); compressed files are not read"},
    {"\xff\xfe", 2, "the file is UTF-16; UTF-8 is expected"},
    {"\xfe\xff", 2, "the file is UTF-16; UTF-8 is expected"},
};

static bool starts_as_xml(parse_t *parse, const char *bytes, size_t count) {
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (count >= magics[i].length && memcmp(bytes, magics[i].magic, magics[i].length) == 0)
            return irr_refuse(&parse->reader, 1, "%s", magics[i].sentence), false;
    size_t at = count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    uint32_t line = 1;
    for (; at < count && strchr(" \t\r\n", bytes[at]) && bytes[at]; at++) line += bytes[at] == '\n';
    if (at + 1 < count && bytes[at] == '<' && bytes[at + 1]) return true;
    if (at == count)
        irr_refuse(&parse->reader, 1, "the file is blank; an IR document is expected");
    else
        irr_refuse(&parse->reader, line, "the file is no XML text: it begins with byte 0x%02x",
                   (unsigned char)bytes[at == count - 1 || bytes[at] != '<' ? at : at + 1]);
    return false;
}

/* ---- feeding --------------------------------------------------------------------------------- */

static void push(parse_t *parse, const char *bytes, size_t count, bool last) {
    if (parse->reader.stopped || parse->message[0]) return;
    xmlParseChunk(parse->parser, bytes, (int)count, last);
    if (xmlDictSize(parse->parser->dict) > MAX_NAMES && !parse->reader.stopped)
        irr_refuse(&parse->reader, parse->reader.scan.line,
                   "the document uses more than %d different names", MAX_NAMES);
}

/* Scans one chunk and hands it to the parser; lone fragments get a root of their own. */
static bool feed(parse_t *parse, char *chunk, size_t count) {
    irr_reader_t *reader = &parse->reader;
    irr_scan_t *scan = &reader->scan;
    bool scanned = irr_scan_bytes(scan, chunk, count);
    if (!scanned && !scan->refusal) reader->graph->out_of_memory = true;
    if (reader->graph->out_of_memory) return false;
    size_t start = 0;
    if (scan->first != SIZE_MAX && scan->fragments) {
        reader->graph->file.fragments = true;
        push(parse, chunk, start = scan->first, false);
        push(parse, "<fragments>", 11, false);
    }
    /* What stands before a refused tag may be malformed, which then is the first problem. */
    if (scanned) push(parse, chunk + start, count - start, false);
    if (!scanned && !reader->stopped) irr_refuse(reader, scan->tag_line, "%s", scan->refusal);
    return !reader->stopped && !parse->message[0];
}

/* The next bytes of the input; 0 at its end, -1 on an error. */
static ssize_t next_chunk(input_t *input, char *chunk) {
    if (input->memory) {
        size_t count = input->memory_bytes < CHUNK_BYTES ? input->memory_bytes : CHUNK_BYTES;
        memcpy(chunk, input->memory, count);
        input->memory += count;
        input->memory_bytes -= count;
        return (ssize_t)count;
    }
    size_t got = 0;
    while (got < CHUNK_BYTES) {
        ssize_t n = read(input->descriptor, chunk + got, CHUNK_BYTES - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) break;
        got += (size_t)n;
    }
    return (ssize_t)got;
}

static void feed_all(parse_t *parse, input_t *input, char *chunk) {
    irr_reader_t *reader = &parse->reader;
    uint64_t total = 0;
    ssize_t count;
    while ((count = next_chunk(input, chunk)) > 0) {
        if (total == 0 && !starts_as_xml(parse, chunk, (size_t)count)) return;
        if ((total += (uint64_t)count) > IRR_MAX_XML_BYTES) {
            irr_refuse(reader, 0, "the file is larger than 2 GiB");
            return;
        }
        if (!feed(parse, chunk, (size_t)count)) return;
    }
    if (count < 0)
        irr_refuse(reader, 0, "the file cannot be read: %s", strerror(errno));
    else if (total == 0)
        irr_refuse(reader, 0, "the file is empty; an IR document is expected");
    if (reader->stopped) return;
    if (reader->graph->file.fragments && reader->depth == 1) push(parse, "</fragments>", 12, false);
    uint32_t open_line = reader->depth ? reader->levels[reader->depth].line : 0;
    bool well = !parse->message[0];
    push(parse, chunk, 0, true);
    if (well && parse->message[0] && open_line) { /* the parser speaks of extra content here */
        parse->line = reader->scan.line;
        snprintf(parse->message, sizeof parse->message,
                 "the document ends inside the element of line %" PRIu32, open_line);
    }
}

static bool open_input(irr_ir_graph_t *graph, input_t *input) {
    const irr_ir_source_t *source = graph->source;
    uint64_t size_bytes = 0;
    char reason[IRR_SENTENCE_BYTES];
    *input = (input_t){.descriptor = STDIN_FILENO};
    if (!source->path) {
        input->memory = source->xml ? source->xml : "";
        input->memory_bytes = source->xml ? source->xml_bytes : 0;
        return true;
    }
    if (strcmp(source->path, "-") == 0) return true;
    irr_status_e status = irr_open_regular(source->path, &input->descriptor, &size_bytes,
                                           (irr_sentence_t){reason, sizeof reason});
    if (status) return irr_problem(graph, 0, IRR_NONE, status, "%s", reason), false;
    input->close = true;
    return true;
}

/* Malformed: the parser's word is the one problem, for what was read is not to be trusted. */
static void only_parser_problem(irr_ir_graph_t *graph, const parse_t *parse) {
    for (size_t i = 0; i < graph->problem_count; i++) irr_release(graph->problems[i].message);
    graph->problem_count = graph->layer_count = 0;
    irr_problem(graph, parse->line, IRR_NONE, IRR_NETWORK_NOT_READ, "malformed XML: %s",
                parse->message);
}

bool irr_read_xml(irr_ir_graph_t *graph) {
    input_t input;
    if (!open_input(graph, &input)) return false;
    parse_t *parse = irr_calloc(1, sizeof *parse);
    char *chunk = irr_malloc(CHUNK_BYTES);
    if (parse) irr_xml_memory_begin(&parse->memory);
    bool ready = parse && chunk && create_parser(parse);
    if (ready) {
        parse->reader.graph = graph;
        parse->reader.scan.line = 1;
        feed_all(parse, &input, chunk);
        if (!parse->message[0] && !parse->reader.stopped && !parse->parser->wellFormed)
            snprintf(parse->message, sizeof parse->message, "the document is not well-formed");
        if (parse->message[0] && !parse->reader.stopped) only_parser_problem(graph, parse);
        if (parse->memory.out_of_memory) graph->out_of_memory = true;
        ready = !parse->message[0] && !parse->reader.stopped;
    } else {
        graph->out_of_memory = true;
    }
    if (parse && parse->parser) xmlFreeParserCtxt(parse->parser);
    if (parse) irr_xml_memory_end(&parse->memory);
    if (parse) irr_release(parse->reader.scan.lines);
    irr_release(parse);
    irr_release(chunk);
    if (input.close) close(input.descriptor);
    return ready;
}
