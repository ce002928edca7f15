/* Sentences of errors: whatever is cut, by a limit or by their room, is cut between characters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/shape.h"
#include "base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Whole characters alone: each byte that begins one is followed by as many as it says. */
static bool is_utf8(const char *text) {
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        int more = *at < 0x80 ? 0 : *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc0 ? 1 : -1;
        if (more < 0) return false;
        for (; more; more--)
            if ((*++at & 0xc0) != 0x80) return false;
    }
    return true;
}

static void long_names(void **state) {
    (void)state;
    static const char *const characters[] = {"x", "\xc3\xa9", "\xe5\x92\x8c", "\xf0\x9f\x98\x80"};
    for (size_t c = 0; c < 4; c++)
        for (size_t before = 0; before < 4; before++)
            for (size_t count = 0; count < 400; count++) {
                char name[1700], text[IRR_SENTENCE_BYTES];
                size_t length = before, bytes = strlen(characters[c]);
                memset(name, 'a', before);
                for (size_t i = 0; i < count; i++, length += bytes)
                    memcpy(name + length, characters[c], bytes);
                name[length] = '\0';
                irr_graph_layer_t layer = {.id = name, .name = name, .type = "ReduceMean"};
                irr_sentence_t sentence = {text, sizeof text - count};
                irr_fail(sentence, IRR_GENERAL_ERROR, "%s", name);
                assert_true(is_utf8(text));
                assert_true(length >= sizeof text - count || strcmp(text, name) == 0);
                sentence.capacity_bytes = sizeof text;
                irr_fail(sentence, IRR_GENERAL_ERROR, "the reason");
                irr_fail_layer(sentence, IRR_GENERAL_ERROR, &layer);
                assert_true(is_utf8(text));
                assert_non_null(strstr(text, "\" (ReduceMean): the reason"));
                assert_true(strlen(text) < 60 + 200 + 64);
                if (length <= 60) assert_non_null(strstr(text, name));
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(long_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
