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
    scan->attributes = scan->dots = scan->matched = 0;
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
    scan->dots = c == '.' ? scan->dots + 1 : 0;
    if (c == '>') {
        scan->state = IRR_SCAN_TEXT;
    } else if (c == '"' || c == '\'') {
        scan->quote = c;
        scan->state = IRR_SCAN_QUOTED;
    } else if (c == '=' && ++scan->attributes > IRR_MAX_ATTRIBUTES) {
        return refuse(scan, "a tag has more than 256 attributes");
    } else if (scan->dots == 3 && scan->fragments && at >= 2) {
        memset(bytes + at - 2, ' ', 3);
        scan->dots = 0;
    }
    return true;
}

bool irr_scan_bytes(irr_scan_t *scan, char *bytes, size_t count) {
    bool going = true;
    scan->first = SIZE_MAX;
    for (size_t i = 0; i < count && going; i++) {
        char c = bytes[i];
        switch (scan->state) {
        case IRR_SCAN_TEXT:
            if (c == '<') scan->state = IRR_SCAN_OPEN, scan->tag_line = scan->line;
            break;
        case IRR_SCAN_OPEN:
            going = open_tag(scan, bytes, i, count);
            break;
        case IRR_SCAN_TAG:
            going = in_tag(scan, bytes, i);
            break;
        case IRR_SCAN_QUOTED:
            if (c == scan->quote) scan->state = IRR_SCAN_TAG;
            break;
        case IRR_SCAN_BANG:
            going = bang(scan, c);
            break;
        case IRR_SCAN_SPECIAL:
            special(scan, c);
            break;
        }
        if (scan->state == IRR_SCAN_TAG || scan->state == IRR_SCAN_QUOTED)
            if (++scan->tag_bytes > IRR_MAX_TAG_BYTES)
                going = refuse(scan, "a tag is longer than 64 KiB");
        scan->line += c == '\n';
    }
    return going;
}

uint32_t irr_scan_next_line(irr_scan_t *scan) {
    if (scan->lines_head == scan->lines_count) return scan->line;
    uint32_t line = scan->lines[scan->lines_head++];
    if (scan->lines_head == scan->lines_count) scan->lines_head = scan->lines_count = 0;
    return line;
}
