/* JSON: a writer to standard output that puts commas, escapes and the closing brackets, and a
 * reader for texts that the library made. SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <stdarg.h>

/* Length of the UTF-8 sequence at text; 0 if there is none (paths may hold any bytes). Where the
 * first byte leaves too much room, the second tells overlong forms, surrogates and too large ones.
 */
static size_t utf8_length(const unsigned char *text) {
    static const unsigned char seconds[][3] = {
        {0xe0, 0xa0, 0xbf}, {0xed, 0x80, 0x9f}, {0xf0, 0x90, 0xbf}, {0xf4, 0x80, 0x8f}};
    unsigned char first = text[0];
    size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first > 0xf4) return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        if (first == seconds[i][0] && (text[1] < seconds[i][1] || text[1] > seconds[i][2]))
            return 0;
    return length;
}

static void write_text(const char *text) {
    putchar('"');
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t length = utf8_length(at);
        if (!length)
            fputs("\\ufffd", stdout);
        else if (*at < 0x20 || *at == 0x7f)
            printf("\\u%04x", *at);
        else if (*at == '"' || *at == '\\')
            printf("\\%c", *at);
        else
            fwrite(at, 1, length, stdout);
        at += length ? length : 1;
    }
    putchar('"');
}

static struct {
    char closing[8]; /* of the brackets that are open */
    size_t depth;
    bool comma;
} state;

static void begin(const char *key) {
    if (state.comma) putchar(',');
    state.comma = true;
    if (!key) return;
    write_text(key);
    putchar(':');
}

void json_open(const char *key, char bracket) {
    begin(key);
    putchar(bracket);
    state.closing[state.depth++] = bracket == '{' ? '}' : ']';
    state.comma = false;
}

void json_close(void) {
    putchar(state.closing[--state.depth]);
    state.comma = true;
}

void json_end(void) {
    while (state.depth) json_close();
    state.comma = false;
    putchar('\n');
}

void json_raw(const char *key, const char *text) {
    begin(key);
    fputs(text, stdout);
}

void json_text(const char *key, const char *text) {
    begin(key);
    if (text)
        write_text(text);
    else
        fputs("null", stdout);
}

void json_fields(const char *fields, ...) {
    va_list values;
    va_start(values, fields);
    for (const char *at = fields; *at; at += *at == ' ') {
        char key[32], text[VALUE_TEXT_BYTES];
        int length = snprintf(key, sizeof key, "%.*s", (int)strcspn(at, ":"), at);
        at += length + 2;
        switch (at[-1]) {
        case 's':
            json_text(key, va_arg(values, const char *));
            break;
        case 'b':
            json_raw(key, va_arg(values, int) ? "true" : "false");
            break;
        case 'd':
            snprintf(text, sizeof text, "%lld", (long long)va_arg(values, int64_t));
            json_raw(key, text);
            break;
        default: {
            double value = va_arg(values, double);
            value_text(type_of(IRR_F64), &value, 0, true, text);
            json_raw(key, text);
        }
        }
    }
    va_end(values);
}

/* ---- reading; the text is well-formed ---- */

/* A string without its quotes and backslashes, or any other scalar. */
static char *take_token(const char **at) {
    bool quoted = **at == '"';
    const char *from = *at + quoted, *end = from;
    if (!quoted) end += strcspn(end, ",:]} \t\r\n");
    while (quoted && *end && *end != '"') end += *end == '\\' && end[1] ? 2 : 1;
    char *text = take((size_t)(end - from) + 1), *to = text;
    *at = end + (quoted && *end);
    for (; from < end; from++) *to++ = quoted && *from == '\\' ? *++from : *from;
    return text;
}

bool json_next(const char **at, const char **key, const char **value) {
    while (*(*at += strspn(*at, "{}[],: \t\r\n"))) {
        const char *token = take_token(at);
        *at += strspn(*at, " \t\r\n");
        if (**at != ':') return *value = token, true;
        *key = token;
    }
    return false;
}
