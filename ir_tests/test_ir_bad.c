/* Bad models: each is a good one with one edit, and the exact problems that must be listed.
 * With `--write FOLDER` it tests nothing and writes them there, for other programs to read.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bad_model.h"
#include "failing_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The table leaves "<memory>:" out. */
static char *with_file(const char *problems) {
    size_t lines = 1;
    for (const char *c = problems; *c; c++) lines += *c == '\n';
    char *all = malloc(strlen(problems) + lines * 16), *to = all;
    to = stpcpy(to, "<memory>:");
    for (const char *c = problems; *c; c++) {
        *to++ = *c;
        if (*c == '\n') to = stpcpy(to, "<memory>:");
    }
    *to = '\0';
    return all;
}

static void every_bad_model(void **state) {
    (void)state;
    for (size_t i = 0; i < bad_model_count; i++) {
        bad_case_t made;
        make_bad(&made, &bad_models[i]);
        char *got = problems_of(&made.source), *expected = with_file(bad_models[i].problems);
        if (strcmp(got, expected) != 0)
            fail_msg("row %zu: %s:%d \"%s\" -> \"%s\"\n got: %s\nwant: %s", i, bad_models[i].model,
                     bad_models[i].line, bad_models[i].find, bad_models[i].replace, got, expected);
        free(got);
        free(expected);
        release_bad(&made);
    }
    print_message("%zu bad models\n", bad_model_count);
}

/* read_model fails with the first of them, and gives nothing out. */
static void read_model_says_the_first(void **state) {
    (void)state;
    for (size_t i = 0; i < bad_model_count; i++) {
        bad_case_t made;
        char sentence[2 * IRR_SENTENCE_BYTES];
        irr_ir_model_t *model = (irr_ir_model_t *)&made;
        make_bad(&made, &bad_models[i]);
        assert_int_not_equal(irr_ir_read_model(&made.source, &model, SENTENCE(sentence)), IRR_OK);
        assert_null(model);
        char *expected = with_file(bad_models[i].problems);
        expected[strcspn(expected, "\n")] = '\0';
        assert_string_equal(sentence, expected);
        free(expected);
        release_bad(&made);
    }
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (size_t i = 0; i < bad_model_count; i += 7) {
        bad_case_t made;
        irr_check_report_t report = {.owner = NULL};
        char sentence[IRR_SENTENCE_BYTES];
        irr_status_e status = IRR_NOT_ALLOCATED;
        make_bad(&made, &bad_models[i]);
        for (uint64_t n = 1; status; n++) {
            irr_fail_allocation_after(n);
            status = irr_ir_check(&made.source, &report, SENTENCE(sentence));
            irr_fail_allocation_after(0);
            assert_true(status == IRR_OK || status == IRR_NOT_ALLOCATED);
            assert_true(!status == !!report.owner);
        }
        assert_int_not_equal(report.size, 0);
        irr_ir_release(report.owner);
        release_bad(&made);
    }
}

/* Cutting the document anywhere, and flipping any byte, must give an answer and no crash. */
static void cut_and_flipped(void **state) {
    (void)state;
    bad_case_t made;
    make_bad(&made, &(bad_model_t){.model = "if_bodies", .line = 1, .find = "", .replace = ""});
    size_t length = strlen(made.xml);
    for (size_t n = 0; n < length; n += 3) {
        made.source.xml_bytes = n;
        char *got = problems_of(&made.source);
        if (n + 2 < length) assert_true(*got);
        free(got);
    }
    made.source.xml_bytes = length;
    for (size_t n = 0; n < length; n++) {
        made.xml[n] ^= (char)(1 << n % 7);
        free(problems_of(&made.source));
        made.xml[n] ^= (char)(1 << n % 7);
    }
    release_bad(&made);
}

static void data_of_a_type_that_is_not_taken(void **state) {
    (void)state;
    static const char *const words[][3] = {{"boolean", "BOOL", "boolean"}, {"u4", "U4", "u4"}};
    for (size_t i = 0; i < 2; i++) {
        bad_case_t made;
        char type[32], precision[32], expected[256];
        make_bad(&made, &(bad_model_t){.model = "l2_keep", .line = 1, .find = "", .replace = ""});
        snprintf(type, sizeof type, "\"%s\"", words[i][0]);
        snprintf(precision, sizeof precision, "\"%s\"", words[i][1]);
        char *first = edited(made.xml, 0, "\"f32\"", type);
        char *second = edited(first, 0, "\"FP32\"", precision);
        made.source.xml = second;
        made.source.xml_bytes = strlen(second);
        snprintf(
            expected, sizeof expected,
            "<memory>:23: layer 2 \"norm\" (ReduceL2): data has element type %s; ReduceL2 takes "
            "f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8",
            words[i][2]);
        char *got = problems_of(&made.source);
        assert_string_equal(got, expected);
        free(got);
        free(first);
        free(second);
        release_bad(&made);
    }
}

static void put(const char *folder, size_t row, const char *extension, const char *text,
                size_t bytes) {
    char path[4096];
    snprintf(path, sizeof path, "%s/bad_%03zu.%s", folder, row, extension);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, 1, bytes, file) != bytes || fclose(file)) perror(path), exit(1);
}

/* bad_NNN.xml and .bin; bad_NNN.txt: good model, line, what is replaced by what, weights; behind
 * an empty line the problems, without the file's name. */
static int write_all(const char *folder) {
    for (size_t i = 0; i < bad_model_count; i++) {
        const bad_model_t *bad = &bad_models[i];
        bad_case_t made;
        char text[8192];
        make_bad(&made, bad);
        put(folder, i, "xml", made.source.xml, made.source.xml_bytes);
        if (made.source.weights)
            put(folder, i, "bin", made.source.weights, made.source.weights_bytes);
        int length = snprintf(text, sizeof text, "%s\n%d\n%s\n%s\n%" PRId64 " %" PRId64 "\n\n%s\n",
                              bad->model, bad->line, bad->find, bad->replace, bad->axes[0],
                              bad->axes[1], bad->problems);
        assert_in_range(length, 1, sizeof text - 1);
        put(folder, i, "txt", text, (size_t)length);
        release_bad(&made);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--write")) return write_all(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_model),
        cmocka_unit_test(read_model_says_the_first),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(cut_and_flipped),
        cmocka_unit_test(data_of_a_type_that_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
