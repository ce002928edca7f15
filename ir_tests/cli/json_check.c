/* A strict JSON checker with a way to look inside.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *value(const char *at, int depth);

static const char *blanks(const char *at) { return at + strspn(at, " \t\r\n"); }

/* Each returns what follows, NULL if it is not there. */
static const char *string(const char *at) {
    if (*at++ != '"') return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20) return NULL; /* the closing zero too */
        if (*at != '\\') continue;
        at++;
        if (!*at || !strchr("\"\\/bfnrtu", *at)) return NULL;
        if (*at != 'u') continue;
        for (int i = 0; i < 4; i++)
            if (!isxdigit((unsigned char)*++at)) return NULL;
    }
    return at + 1;
}

static const char *digits(const char *at) {
    size_t count = strspn(at, "0123456789");
    return count ? at + count : NULL;
}

static const char *number(const char *at) {
    at += *at == '-';
    if (*at == '0' && isdigit((unsigned char)at[1])) return NULL;
    at = digits(at);
    if (at && *at == '.') at = digits(at + 1);
    if (at && (*at == 'e' || *at == 'E')) at = digits(at + 1 + (at[1] == '+' || at[1] == '-'));
    return at;
}

static const char *members(const char *at, char close, int depth) {
    at = blanks(at + 1);
    if (*at == close) return at + 1;
    for (;; at = blanks(at + 1)) {
        if (close == '}') {
            at = string(at);
            at = at ? blanks(at) : "";
            if (*at++ != ':') return NULL;
        }
        at = value(at, depth + 1);
        if (!at) return NULL;
        at = blanks(at);
        if (*at == close) return at + 1;
        if (*at != ',') return NULL;
    }
}

static const char *value(const char *at, int depth) {
    static const char *const words[] = {"true", "false", "null"};
    at = blanks(at);
    if (depth > 64) return NULL;
    if (*at == '{') return members(at, '}', depth);
    if (*at == '[') return members(at, ']', depth);
    if (*at == '"') return string(at);
    for (size_t i = 0; i < 3; i++)
        if (!strncmp(at, words[i], strlen(words[i]))) return at + strlen(words[i]);
    return number(at);
}

bool json_valid(const char *text) {
    const char *end = value(text, 0);
    return end && !*blanks(end);
}

/* One step of a path: a key of an object or an index of an array. */
static const char *step(const char *at, const char *name, size_t length) {
    char close = *at == '{' ? '}' : ']';
    long wanted = *at == '[' ? atol(name) : -1;
    if (*at != '{' && *at != '[') return NULL;
    at = blanks(at + 1);
    for (long i = 0; *at != close; i++) {
        bool found = i == wanted;
        if (close == '}') {
            found = !strncmp(at + 1, name, length) && at[1 + length] == '"';
            at = blanks(blanks(string(at)) + 1);
        }
        if (found) return at;
        at = blanks(value(at, 0));
        if (*at == ',') at = blanks(at + 1);
    }
    return NULL;
}

const char *json_at(const char *text, const char *path) {
    static char *kept[8];
    static unsigned next;
    const char *at = json_valid(text) ? blanks(text) : NULL;
    while (at && *path) {
        size_t length = strcspn(path, ".");
        at = step(at, path, length);
        path += length + (path[length] == '.');
    }
    if (!at) return NULL;
    char **slot = &kept[next++ % 8];
    free(*slot);
    return *slot = strndup(at, (size_t)(value(at, 0) - at));
}
