/* JSON: a writer to standard output that puts commas and escapes, and a reader for texts that the
 * library made. SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <stdarg.h>

/* Length of the UTF-8 sequence at text; 0 if there is none (paths may hold any bytes). */
static size_t utf8_length(const unsigned char *text) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* of a length; else overlong */
    unsigned char first = *text;
    if (first < 0x80) return 1;
    size_t length = first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
    uint32_t code = first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < least[length] || code > 0x10ffff || surrogate ? 0 : length;
}

static void write_text(const char *text) {
    if (!text) {
        fputs("null", stdout);
        return;
    }
    putchar('"');
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t bytes = utf8_length(at);
        if (!bytes)
            fputs("\\ufffd", stdout);
        else if (*at < 0x20 || *at == 0x7f)
            printf("\\u%04x", *at);
        else if (*at == '"' || *at == '\\')
            printf("\\%c", *at);
        else
            fwrite(at, 1, bytes, stdout);
        at += bytes ? bytes : 1;
    }
    putchar('"');
}

static void write_value(char form, va_list *values) {
    char digits[VALUE_TEXT_BYTES];
    double number;
    switch (form) {
    case 's':
        write_text(va_arg(*values, const char *));
        break;
    case 'r':
        fputs(va_arg(*values, const char *), stdout);
        break;
    case 'b':
        fputs(va_arg(*values, int) ? "true" : "false", stdout);
        break;
    case 'd':
        printf("%lld", (long long)va_arg(*values, int64_t));
        break;
    case 'f':
        number = va_arg(*values, double);
        value_text(type_of(IRR_F64), &number, 0, true, digits);
        fputs(digits, stdout);
        break;
    default: /* a bracket, the end of the line */
        putchar(form);
    }
}

void json(const char *items, ...) {
    static bool comma;
    va_list values;
    va_start(values, items);
    for (const char *at = items; *at; at++) {
        const char *key = at;
        size_t length = 0;
        if (*at == ' ') continue;
        if (!strchr("{[]}\n", *at)) {
            length = strcspn(at, ":");
            at += length + 1;
        }
        if (comma && !strchr("]}\n", *at)) putchar(',');
        if (length && *key == '*')
            write_text(va_arg(values, const char *));
        else if (length)
            printf("\"%.*s\"", (int)length, key);
        if (length) putchar(':');
        write_value(*at, &values);
        comma = !strchr("{[\n", *at);
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
