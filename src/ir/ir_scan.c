/* One tag after the other; see the header. What is malformed is left for the parser to say.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_scan.h"

#include <string.h>

#define LONGEST_START 9 /* of what is told apart by its first bytes: <![CDATA[ */

#define SHORT_TAG_BYTES (4 * IRR_MAX_ATTRIBUTES) /* an attribute takes more: a="" */

/* What stands between < and its end is not looked at in these. */
static const struct {
    const char *start, *end;
} opaque[] = {{"<?", "?>"}, {"<!--", "-->"}, {"<![CDATA[", "]]>"}};

static bool begins(const char *at, const char *word) {
    return strncmp(at, word, strlen(word)) == 0;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static bool refuse(irr_scan_t *scan, const char *why) {
    scan->refusal = why;
    return false;
}

/* <? and <! */
static bool open_special(irr_scan_t *scan) {
    if (begins(scan->at, "<!D"))
        return refuse(scan, "the document has a DTD (<!DOCTYPE); such documents are not read");
    for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++) {
        if (!begins(scan->at, opaque[i].start)) continue;
        scan->until = opaque[i].end;
        scan->at += strlen(opaque[i].start);
        return true;
    }
    scan->at += 2;
    return true;
}

static bool pass_special(irr_scan_t *scan) {
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

static bool pass_tag(irr_scan_t *scan) {
    char *c = scan->at + 1, *stop = scan->end;
    int attributes = 0;
    /* A well-formed tag ends before the next one begins: a short way says that all is well. */
    char *next = scan->fragments ? NULL : memchr(c, '<', (size_t)(stop - c));
    if (next && next - c < SHORT_TAG_BYTES) return scan->at = next, true;
    if (stop - scan->at > IRR_MAX_TAG_BYTES) stop = scan->at + IRR_MAX_TAG_BYTES;
    for (; c < stop && *c != '>'; c++) {
        if (*c == '"' || *c == '\'') {
            char *close = memchr(c + 1, *c, (size_t)(stop - c) - 1);
            c = close ? close : stop - 1;
        } else if (*c == '=' && ++attributes > IRR_MAX_ATTRIBUTES) {
            return refuse(scan, "a tag has more than 256 attributes");
        } else if (*c == '.' && scan->fragments && is_blank(c[-1])) {
            *c = ' '; /* the second dot then follows a blank, too */
        }
    }
    if (c == stop && stop - scan->at == IRR_MAX_TAG_BYTES)
        return refuse(scan, "a tag is longer than 64 KiB");
    if (c < stop) scan->at = c + 1;
    return c < stop;
}

bool irr_scan_next(irr_scan_t *scan) {
    if (scan->until) return pass_special(scan);
    while (scan->at < scan->end && *scan->at != '<') scan->at++;
    if (scan->end - scan->at < LONGEST_START) return false;
    char kind = scan->at[1];
    if (kind == '!' || kind == '?') return open_special(scan);
    if (kind != '/' && !scan->first) {
        scan->first = scan->at;
        scan->fragments = begins(scan->at, "<layer") && strchr(" \t\r\n/>", scan->at[6]);
    }
    return pass_tag(scan);
}
