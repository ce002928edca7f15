/* Files that mean harm, or that change while they are used: each is an error with its sentence,
 * soon and in little memory. read and pread are wrapped, so that a file shrinks at the very moment.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir_source.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/ir_hostile_XXXXXX";
static char model[64], weights[64]; /* folder/m.xml, folder/m.bin */

/* ---- a file that shrinks ---- */

typedef struct {
    const char *path; /* cut at the next call; NULL: nothing */
    off_t bytes;
} shrink_t;
static shrink_t after_read, before_pread;

static void shrink(shrink_t *file) {
    if (file->path) assert_int_equal(truncate(file->path, file->bytes), 0);
    file->path = NULL;
}

ssize_t __real_read(int file, void *to, size_t bytes);
ssize_t __wrap_read(int file, void *to, size_t bytes);
ssize_t __wrap_read(int file, void *to, size_t bytes) {
    ssize_t got = __real_read(file, to, bytes < 512 ? bytes : 512);
    shrink(&after_read);
    return got;
}

ssize_t __real_pread(int file, void *to, size_t bytes, off_t offset);
ssize_t __wrap_pread(int file, void *to, size_t bytes, off_t offset);
ssize_t __wrap_pread(int file, void *to, size_t bytes, off_t offset) {
    shrink(&before_pread);
    return __real_pread(file, to, bytes, offset);
}

/* ---- helpers ---- */

static void put(const char *path, const void *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static void put_good(const char *name) {
    char path[512];
    size_t bytes;
    char *text = read_whole(good_path(name, ".xml", path, sizeof path), &bytes);
    put(model, text, bytes);
    free(text);
    text = read_whole(good_path(name, ".bin", path, sizeof path), &bytes);
    put(weights, text, bytes);
    free(text);
}

static long peak_kib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* The first problem of the file holds the words; checking took below a second and 64 MiB. */
static void expect_problem(const char *path, const char *words) {
    irr_check_report_t report;
    char sentence[IRR_SENTENCE_BYTES];
    irr_ir_source_t source = {.path = path};
    struct timespec from, to;
    long before = peak_kib();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    assert_int_equal(irr_ir_check(&source, &report, SENTENCE(sentence)), IRR_OK);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    if (!report.size || !strstr(report.problems[0].message, words))
        fail_msg("%s: \"%s\" does not hold \"%s\"", path,
                 report.size ? report.problems[0].message : "", words);
    irr_ir_release(report.owner);
    assert_true(to.tv_sec - from.tv_sec < 2);
    assert_true(peak_kib() - before < 64 * 1024);
}

/* Reading the model fails with these words, and gives nothing out. */
static void expect_failure(const char *words) {
    irr_ir_model_t *read = (irr_ir_model_t *)&words;
    char sentence[IRR_SENTENCE_BYTES];
    irr_ir_source_t source = {.path = model};
    assert_int_not_equal(irr_ir_read_model(&source, &read, SENTENCE(sentence)), IRR_OK);
    assert_null(read);
    if (!strstr(sentence, words)) fail_msg("\"%s\" does not hold \"%s\"", sentence, words);
}

/* A model that returns a constant of so many bytes. */
static void put_constant(long long bytes) {
    char text[2048];
    snprintf(text, sizeof text,
             "<net name='n' version='11'><layers>\n<layer id='0' name='c' type='Const' "
             "version='opset1'>\n<data element_type='u8' shape='%lld' offset='0' size='%lld'/>"
             "<output><port id='0'><dim>%lld</dim></port></output></layer><layer id='1' name='r' "
             "type='Result' version='opset1'><input><port "
             "id='0'><dim>%lld</dim></port></input></layer></layers><edges>"
             "<edge from-layer='0' from-port='0' to-layer='1' to-port='0'/></edges></net>",
             bytes, bytes, bytes, bytes);
    put(model, text, strlen(text));
}

static void sparse(const char *path, off_t bytes) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, bytes), 0);
    close(file);
}

/* ---- tests ---- */

static void model_that_shrinks(void **state) {
    (void)state;
    put_good("types");
    after_read = (shrink_t){model, 1000};
    expect_problem(model, "malformed XML: the document ends inside the element of line");
    put_good("types");
    after_read = (shrink_t){model, 0};
    expect_problem(model, "malformed XML: the document ends inside the element of line");
    expect_problem(model, "the file is empty");
}

static void weights_that_shrink(void **state) {
    (void)state;
    static const off_t sizes[] = {0, 1, 15};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        put_good("l2_keep");
        before_pread = (shrink_t){weights, sizes[i]};
        expect_failure("did it shrink?");
    }
    put_constant(1000000); /* larger than a block: read at once, into its place */
    sparse(weights, 1000000);
    before_pread = (shrink_t){weights, 999999};
    expect_failure("did it shrink?");
}

static void links(void **state) {
    (void)state;
    char other[64];
    snprintf(other, sizeof other, "%s/loop", folder);
    unlink(model);
    assert_int_equal(symlink(other, model), 0);
    assert_int_equal(symlink(model, other), 0);
    expect_problem(model, "the file cannot be opened: Too many levels of symbolic links");
    unlink(model);
    assert_int_equal(symlink("/dev/zero", model), 0);
    expect_problem(model, "this is a device; a regular file is expected");
    unlink(model);
    assert_int_equal(symlink(folder, model), 0);
    expect_problem(model, "this is a directory; a regular file is expected");
    unlink(model);
    unlink(other);
}

/* What a model needs of weights that are no good. */
static void weights_that_are_none(void **state) {
    (void)state;
    put_good("l2_keep");
    put(weights, "", 0);
    expect_problem(model, "lie outside weights file");
    unlink(weights);
    assert_int_equal(mkfifo(weights, 0600), 0);
    expect_problem(model, "this is a FIFO; a regular file is expected");
    unlink(weights);
    assert_int_equal(symlink("/dev/zero", weights), 0);
    expect_problem(model, "this is a device; a regular file is expected");
    unlink(weights);
    assert_int_equal(symlink(weights, weights), 0);
    expect_problem(model, "Too many levels of symbolic links");
    unlink(weights);
    assert_int_equal(mkdir(weights, 0700), 0);
    expect_problem(model, "this is a directory; a regular file is expected");
    assert_int_equal(rmdir(weights), 0);
}

/* A terabyte that is nowhere on the disk. */
static void huge_files(void **state) {
    (void)state;
    put_good("l2_keep");
    off_t huge = (off_t)1 << 40;
    sparse(weights, huge);
    expect_problem(model, "axis 0 names dimension 0 of data [6,12,10,24] a second time");
    put_constant(huge);
    expect_problem(model, "is larger than this machine's memory of");
    sparse(model, (off_t)3 << 30); /* a model of zero bytes */
    expect_problem(model, "the file is no XML text: it begins with byte 0x00");
    unlink(model);
    unlink(weights);
}

/* Numbers of any length, and ranges that leave 64 bits. */
static void numbers(void **state) {
    (void)state;
    static const char *const places[][3] = {
        {"offset=\"0\"", "offset", "attribute offset is"},
        {"size=\"16\"", "size", "attribute size is"},
        {"shape=\"6,12,10,24\"", "shape", "attribute shape is"},
        {"shape=\"2\"", "shape", "attribute shape is"},
    };
    char path[512], with[60100];
    size_t bytes;
    char *good = read_whole(good_path("l2_keep", ".xml", path, sizeof path), &bytes);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int begin = snprintf(with, sizeof with, "%s=\"", places[i][1]);
        memset(with + begin, '9', 60000);
        strcpy(with + begin + 60000, "\"");
        char *text = edited(good, 0, places[i][0], with);
        put(model, text, strlen(text));
        expect_problem(model, places[i][2]);
        free(text);
    }
    char *digits = malloc(1000100); /* a million in a <dim>, which is text and no tag */
    strcpy(digits, "<dim>");
    memset(digits + 5, '7', 1000000);
    strcpy(digits + 1000005, "</dim>");
    char *text = edited(good, 8, "<dim>6</dim>", digits);
    put(model, text, strlen(text));
    expect_problem(model, "expected a number of at least 0, or -1");
    free(text);
    text = edited(good, 16, "offset=\"0\" size=\"16\"",
                  "offset=\"9223372036854775807\" size=\"9223372036854775807\"");
    put(model, text, strlen(text));
    put(weights, "0123456789abcdef", 16);
    expect_problem(model, "attribute size is 9223372036854775807");
    free(text);
    text = edited(good, 5, "6,12,10,24", "9223372036854775807,9223372036854775807");
    put(model, text, strlen(text));
    expect_problem(model, "is larger than this machine's memory of");
    free(text);
    free(digits);
    free(good);
}

static void expect_text(const char *text, const char *words) {
    put(model, text, strlen(text));
    expect_problem(model, words);
}

/* Each is refused before the parser could do anything about it. */
static void entities(void **state) {
    (void)state;
    static const char dtd[] = "the document has a DTD (<!DOCTYPE); such documents are not read";
    char laughs[8192], *to = stpcpy(laughs, "<?xml version=\"1.0\"?>\n<!DOCTYPE net [\n"
                                            "<!ENTITY a0 \"ha\">\n");
    for (int i = 1; i < 40; i++) {
        to += sprintf(to, "<!ENTITY a%d \"", i);
        for (int k = 0; k < 10; k++) to += sprintf(to, "&a%d;", i - 1);
        to = stpcpy(to, "\">\n");
    }
    strcpy(to, "]>\n<net name=\"&a39;\" version=\"11\"><layers/></net>");
    expect_text(laughs, dtd);
    expect_text("<!DOCTYPE n [<!ENTITY e SYSTEM \"/etc/passwd\">]><net name=\"&e;\"/>", dtd);
    expect_text("<!DOCTYPE n SYSTEM \"http://localhost:1/x.dtd\"><net/>", dtd);
    expect_text("<!DOCTYPE n [<!ENTITY % p SYSTEM \"/dev/zero\"> %p;]><net/>", dtd);
    expect_text("<net version=\"11\"><layers>&e;</layers></net>", "malformed XML: Entity 'e'");
    expect_text("<x:include href=\"/etc/passwd\"/>", "the root element is <include>");
    expect_text("<net version=\"11\" name=\"&#0;\"/>", "malformed XML");
    expect_text("<net version=\"11\" name=\"\xff\xfe\"/>", "malformed XML");
}

static void compressed(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t count;
        const char *words;
    } files[] = {
        {"\x1f\x8b\x08\0\0\0\0\0\0\x03", 10, "the file is compressed (gzip)"},
        {"\xfd\x37zXZ\0\0\x04", 8, "the file is compressed (xz)"},
    };
    for (size_t i = 0; i < 2; i++) {
        put(model, files[i].bytes, files[i].count);
        expect_problem(model, files[i].words);
    }
}

/* Wide, deep, many: the limits of the contract, each reached in linear time. */
static void limits(void **state) {
    (void)state;
    size_t room = 2000000;
    char *text = malloc(room), *to = stpcpy(text, "<net version=\"11\" ");
    for (int i = 0; i < 50000; i++) to += sprintf(to, "a%d=\"\" ", i);
    strcpy(to, "><layers/></net>");
    expect_text(text, "a tag has more than 256 attributes");
    to = text;
    for (int i = 0; i < 100000; i++) to = stpcpy(to, "<a>");
    expect_text(text, "the root element is <a>, expected <net>");
    to = stpcpy(text, "<net version=\"11\"><layers>");
    for (int i = 0; i < 20000; i++)
        to = stpcpy(to, "<layer id=\"0\" name=\"\" type=\"X\"><body>"
                        "<layers>");
    expect_text(text, "elements are nested deeper than 64");
    to = stpcpy(text, "<net version=\"11\"><layers><layer id=\"0\" name=\"p\" type=\"Parameter\" "
                      "version=\"opset1\"><data element_type=\"f32\" shape=\"");
    for (int i = 0; i < 10000; i++) to = stpcpy(to, "1,");
    strcpy(to, "1\"/><output><port id=\"0\"/></output></layer></layers></net>");
    expect_text(text, "attribute shape has more than 64 dimensions");
    to = stpcpy(text, "<net version=\"11\"><layers><layer id=\"0\" name=\"p\" type=\"X\" "
                      "version=\"opset1\"><output><port id=\"0\">");
    for (int i = 0; i < 100000; i++) to = stpcpy(to, "<dim>1</dim>");
    strcpy(to, "</port></output></layer></layers></net>");
    expect_text(text, "port 0 has more than 64 dimensions");
    free(text);
}

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(model, sizeof model, "%s/m.xml", folder);
    snprintf(weights, sizeof weights, "%s/m.bin", folder);
    return 0;
}

static int drop_folder(void **state) {
    (void)state;
    unlink(model);
    unlink(weights);
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_that_shrinks),
        cmocka_unit_test(weights_that_shrink),
        cmocka_unit_test(links),
        cmocka_unit_test(weights_that_are_none),
        cmocka_unit_test(huge_files),
        cmocka_unit_test(numbers),
        cmocka_unit_test(entities),
        cmocka_unit_test(compressed),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
