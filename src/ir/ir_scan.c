/* A state machine over the bytes; see the header.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_scan.h"

#include "base/memory.h"

#include <string.h>

static bool refuse(irr_scan_t *scan, const char *why) {
    scan->refusal = why;
    return false;
}

/* The byte after "<": what sort of tag is this? */
static bool open_tag(irr_scan_t *scan, const char *bytes, size_t at, size_t count) {
    char c = bytes[at];
    scan->tag_bytes = 2;
    scan->attributes = scan->matched = 0;
    scan->is_start = false;
    if (c == '!') return scan->state = IRR_SCAN_BANG, true;
    if (c == '?') return scan->end = "?>", scan->state = IRR_SCAN_SPECIAL, true;
    scan->state = IRR_SCAN_TAG;
    if (c == '/') return true;
    scan->is_start = true;
    if (!scan->seen_element) {
        scan->seen_element = true;
        scan->first = at - 1;
        scan->fragments = count - at > 5 && memcmp(bytes + at, "layer", 5) == 0 &&
                          strchr(" \t\r\n/>", bytes[at + 5]);
    }
    if (!irr_grow((void **)&scan->lines, &scan->lines_room, scan->lines_count + 1,
                  sizeof *scan->lines))
        return false;
    scan->lines[scan->lines_count++] = scan->tag_line;
    return true;
}

/* The bytes after "<!", until they say what this is. */
static bool bang(irr_scan_t *scan, char c) {
    scan->bang[scan->matched++] = c;
    if (scan->matched == 2 && memcmp(scan->bang, "--", 2) == 0) {
        scan->end = "-->";
    } else if (scan->matched == 7 && memcmp(scan->bang, "[CDATA[", 7) == 0) {
        scan->end = "]]>";
    } else if (scan->matched == 1 && c == 'D') {
        return refuse(scan, "the document has a DTD (<!DOCTYPE); such documents are not read");
    } else {
        if (c != '-' && memcmp(scan->bang, "[CDATA[", scan->matched) != 0)
            scan->state = IRR_SCAN_TAG; /* malformed: the parser says so */
        return true;
    }
    scan->matched = 0;
    scan->state = IRR_SCAN_SPECIAL;
    return true;
}

/* One byte of a comment, CDATA section or processing instruction. */
static void special(irr_scan_t *scan, char c) {
    const char *end = scan->end;
    if (c == end[scan->matched]) {
        if (!end[++scan->matched]) scan->state = IRR_SCAN_TEXT;
    } else if (c == end[0]) { /* "--->" and "]]]>" also end there */
        scan->matched = scan->matched == 2 && end[1] == c ? 2 : 1;
    } else {
        scan->matched = 0;
    }
}

/* One byte of a tag outside quotes. */
static bool in_tag(irr_scan_t *scan, char *bytes, size_t at) {
    char c = bytes[at];
    if (c == '>') {
        scan->state = IRR_SCAN_TEXT;
    } else if (c == '"' || c == '\'') {
        scan->quote = c;
        scan->state = IRR_SCAN_QUOTED;
    } else if (c == '=' && ++scan->attributes > IRR_MAX_ATTRIBUTES) {
        return refuse(scan, "a tag has more than 256 attributes");
    } else if (c == '.' && scan->fragments && strchr(" \t\r\n", at ? bytes[at - 1] : scan->last)) {
        bytes[at] = ' '; /* the second dot then follows a blank, too */
    }
    return true;
}

/* Most bytes change nothing: these loops pass over them. They return where they stopped. */
static size_t pass_text(irr_scan_t *scan, const char *bytes, size_t at, size_t count) {
    uint32_t lines = 0;
    for (; at < count && bytes[at] != '<'; at++) lines += bytes[at] == '\n';
    scan->line += lines;
    return at;
}

static size_t pass_quoted(irr_scan_t *scan, const char *bytes, size_t at, size_t count) {
    uint32_t lines = 0;
    for (; at < count && bytes[at] != scan->quote; at++) lines += bytes[at] == '\n';
    scan->line += lines;
    return at;
}

static size_t pass_tag(const char *bytes, size_t at, size_t count) {
    static const bool stops[256] = {
        ['>'] = true, ['"'] = true, ['\''] = true, ['='] = true, ['.'] = true, ['\n'] = true};
    while (at < count && !stops[(unsigned char)bytes[at]]) at++;
    return at;
}

bool irr_scan_bytes(irr_scan_t *scan, char *bytes, size_t count) {
    bool going = true;
    size_t start = 0; /* of what this chunk holds of the tag */
    scan->first = SIZE_MAX;
    for (size_t i = 0; i < count && going; i++) {
        irr_scan_state_e state = scan->state;
        if (state == IRR_SCAN_TEXT) i = pass_text(scan, bytes, i, count);
        if (state == IRR_SCAN_TAG) i = pass_tag(bytes, i, count);
        if (state == IRR_SCAN_QUOTED) i = pass_quoted(scan, bytes, i, count);
        bool in_a_tag = state == IRR_SCAN_TAG || state == IRR_SCAN_QUOTED;
        if (in_a_tag && scan->tag_bytes + (i - start) > IRR_MAX_TAG_BYTES)
            return refuse(scan, "a tag is longer than 64 KiB");
        if (i == count) break;
        scan->line += bytes[i] == '\n';
        switch (state) {
        case IRR_SCAN_TEXT:
            scan->state = IRR_SCAN_OPEN;
            scan->tag_line = scan->line;
            break;
        case IRR_SCAN_OPEN:
            start = i;
            going = open_tag(scan, bytes, i, count);
            break;
        case IRR_SCAN_TAG:
            going = in_tag(scan, bytes, i);
            break;
        case IRR_SCAN_QUOTED:
            scan->state = IRR_SCAN_TAG;
            break;
        case IRR_SCAN_BANG:
            going = bang(scan, bytes[i]);
            break;
        case IRR_SCAN_SPECIAL:
            special(scan, bytes[i]);
            break;
        }
    }
    scan->tag_bytes += (uint32_t)(count - start);
    if (count) scan->last = bytes[count - 1];
    return going;
}

uint32_t irr_scan_next_line(irr_scan_t *scan) {
    if (scan->lines_head == scan->lines_count) return scan->line;
    uint32_t line = scan->lines[scan->lines_head++];
    if (scan->lines_head == scan->lines_count) scan->lines_head = scan->lines_count = 0;
    return line;
}
