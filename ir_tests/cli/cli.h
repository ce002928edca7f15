/* What the command's tests share: a call of the command, files in a directory of their own, and a
 * strict JSON checker. No code of src/ or tools/ is used here.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_CLI_H
#define IRR_TESTS_CLI_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct {
    int code;
    char *out, *err; /* with a closing zero byte */
    size_t out_bytes;
} result_t;

/* A directory for this process: its files are named DIR/NAME. */
int cli_setup(void **state);
int cli_teardown(void **state);
const char *cli_path(const char *name); /* of the last eight calls */

/* Runs `irreduce ARGUMENTS` through the shell, in the directory. What an earlier call gave out is
 * gone then. */
__attribute__((format(printf, 1, 2))) const result_t *cli(const char *format, ...);
void write_file(const char *name, const void *bytes, size_t size);
char *read_file(const char *name, size_t *size); /* the caller's */

/* A model of one reduction: input "x", output "y", axes as int64 in the .bin beside it. */
typedef struct {
    const char *op, *opset, *type; /* "ReduceSum", "opset1", "f32" */
    const char *shape, *axes;      /* "2,3", "" */
    bool keep_dims;
} one_layer_t;
void write_model(const char *name, one_layer_t model);
/* Two reductions of x [2,3]: "a/b" is the sum over axis 1, "a:b" the minimum over axis 0. */
void write_two_outputs(const char *name);

/* RFC 8259, nothing more: one value and no byte beside it. */
bool json_valid(const char *text);
/* The text of a value, "outputs.0.shape"; NULL if there is none. Of the last eight calls. */
const char *json_at(const char *text, const char *path);
#define assert_json(text, path, expected)                                                          \
    do {                                                                                           \
        assert_non_null(json_at(text, path));                                                      \
        assert_string_equal(json_at(text, path), expected);                                        \
    } while (0)
#define assert_has(text, part)                                                                     \
    do {                                                                                           \
        if (!strstr(text, part)) print_error("no \"%s\" in: %s\n", part, text);                    \
        assert_non_null(strstr(text, part));                                                       \
    } while (0)

#endif
