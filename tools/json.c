/* JSON: a writer that puts commas and escapes, and a reader for texts that the library made.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <string.h>

/* Length of the UTF-8 sequence at text; 0 if there is none (paths may hold any bytes). */
static size_t utf8_length(const unsigned char *text) {
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t length = 1; length <= 4; length++) {
        if ((text[0] & forms[length - 1].mask) != forms[length - 1].lead) continue;
        uint32_t code = text[0] & (uint32_t)(unsigned char)~forms[length - 1].mask;
        for (size_t i = 1; i < length; i++) {
            if ((text[i] & 0xc0) != 0x80) return 0;
            code = code << 6 | (text[i] & 0x3f);
        }
        bool surrogate = code >= 0xd800 && code <= 0xdfff;
        return code < forms[length - 1].least || code > 0x10ffff || surrogate ? 0 : length;
    }
    return 0;
}

static void write_text(FILE *to, const char *text) {
    putc('"', to);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t length = utf8_length(at);
        if (!length)
            fputs("\\ufffd", to);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(to, "\\u%04x", *at);
        else if (*at == '"' || *at == '\\')
            fprintf(to, "\\%c", *at);
        else
            fwrite(at, 1, length, to);
        at += length ? length : 1;
    }
    putc('"', to);
}

static void begin(json_t *json, const char *key) {
    if (json->comma) putc(',', json->to);
    json->comma = true;
    if (!key) return;
    write_text(json->to, key);
    putc(':', json->to);
}

void json_open(json_t *json, const char *key, char bracket) {
    begin(json, key);
    putc(bracket, json->to);
    json->comma = false;
}

void json_close(json_t *json, char bracket) {
    putc(bracket, json->to);
    json->comma = true;
}

void json_raw(json_t *json, const char *key, const char *text) {
    begin(json, key);
    fputs(text, json->to);
}

void json_text(json_t *json, const char *key, const char *text) {
    begin(json, key);
    if (text)
        write_text(json->to, text);
    else
        fputs("null", json->to);
}

void json_int(json_t *json, const char *key, int64_t value) {
    begin(json, key);
    fprintf(json->to, "%lld", (long long)value);
}

void json_float(json_t *json, const char *key, double value) {
    char text[VALUE_TEXT_BYTES];
    value_text(type_of(IRR_F64), &value, 0, true, text);
    json_raw(json, key, text);
}

void json_bool(json_t *json, const char *key, bool value) {
    json_raw(json, key, value ? "true" : "false");
}

/* ---- reading; the text is well-formed ---- */

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t\r\n"); }

/* Past one value of any kind. */
static const char *skip_value(const char *at) {
    int depth = 0;
    do {
        at = skip_blanks(at);
        if (*at == '"') {
            for (at++; *at && *at != '"'; at++)
                if (*at == '\\' && at[1]) at++;
            at += *at != 0;
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            depth--;
            at++;
        } else if (depth && (*at == ',' || *at == ':')) {
            at++;
        } else {
            at += strcspn(at, ",:]} \t\r\n");
        }
    } while (depth > 0 && *at);
    return at;
}

const char *json_first(const char *array) {
    if (!array || (*array != '[' && *array != '{')) return NULL;
    const char *at = skip_blanks(array + 1);
    return *at == ']' || *at == '}' || !*at ? NULL : at;
}

const char *json_next(const char *element) {
    const char *at = skip_blanks(skip_value(element));
    return *at == ',' ? skip_blanks(at + 1) : NULL;
}

const char *json_find(const char *object, const char *key) {
    for (const char *at = json_first(object); at;) {
        bool found = !strncmp(at + 1, key, strlen(key)) && at[1 + strlen(key)] == '"';
        const char *value = skip_blanks(skip_value(at));
        value = *value == ':' ? skip_blanks(value + 1) : value;
        if (found) return value;
        at = json_next(value);
    }
    return NULL;
}

char *json_take_text(const char *value) {
    if (!value) return take_text("?");
    size_t length = (size_t)(skip_value(value) - value);
    if (*value != '"') return take_text("%.*s", (int)length, value);
    char *text = take(length), *to = text;
    for (const char *from = value + 1; from < value + length - 1; from++) {
        if (*from == '\\') from++; /* \uXXXX stays as it is, without its backslash */
        *to++ = *from;
    }
    return text;
}
