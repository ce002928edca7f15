/* Helpers of the reader's tests.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *read_whole(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    *bytes = 0;
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    assert_non_null(text);
    *bytes = fread(text, 1, size, file);
    text[*bytes] = '\0';
    fclose(file);
    return text;
}

char *good_path(const char *name, const char *extension, char *path, size_t capacity_bytes) {
    snprintf(path, capacity_bytes, "%s/good/%s%s", IR_TEST_MODELS, name, extension);
    return path;
}

char *edited(const char *text, int line, const char *find, const char *replace) {
    size_t hits = 0, found = strlen(find);
    for (const char *at = text; found && (at = strstr(at, find)); at += found) hits++;
    char *out = malloc(strlen(text) + (hits + 1) * strlen(replace) + 1), *to = out;
    assert_non_null(out);
    const char *from = text;
    for (int i = 1; i < line; i++) from = strchr(from, '\n') + 1;
    const char *hit = found ? strstr(from, find) : NULL, *end = strchr(from, '\n');
    if (found && (!hit || (line && end && hit > end)))
        fail_msg("\"%s\" is not in line %d", find, line);
    memcpy(to, text, (size_t)(from - text));
    to += from - text;
    while (hit) {
        memcpy(to, from, (size_t)(hit - from));
        to = stpcpy(to + (hit - from), replace);
        from = hit + found;
        hit = line ? NULL : strstr(from, find);
    }
    strcpy(to, from);
    return out;
}

char *problems_of(const irr_ir_source_t *source) {
    irr_check_report_t report;
    char sentence[IRR_SENTENCE_BYTES];
    if (irr_ir_check(source, &report, SENTENCE(sentence))) fail_msg("%s", sentence);
    char *all = calloc(report.size + 1, 2 * IRR_SENTENCE_BYTES);
    assert_non_null(all);
    for (size_t i = 0; i < report.size; i++) {
        if (i) strcat(all, "\n");
        strcat(all, report.problems[i].text);
    }
    irr_ir_release(report.owner);
    return all;
}
