/* Reading the sample models for the tests of the reader.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_IR_SOURCE_H
#define IRR_TESTS_IR_SOURCE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/ir.h"

#define SENTENCE(text)                                                                             \
    (irr_sentence_t) { text, sizeof text }

/* The whole file with a closing NUL, or NULL where there is none. The caller frees it. */
char *read_whole(const char *path, size_t *bytes);
/* "<models>/good/NAME EXTENSION" */
char *good_path(const char *name, const char *extension, char *path, size_t capacity_bytes);
/* A copy of text with the first `find` in its line (from 1; 0: every one in the text) replaced. */
char *edited(const char *text, int line, const char *find, const char *replace);
/* All problems of a source, one a line, joined. The caller frees it. */
char *problems_of(const irr_ir_source_t *source);

#endif
