/* Files that are no models: what is refused before, while and after the parser sees it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/ir_files_XXXXXX";

static char *in_folder(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const void *bytes, size_t count) {
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static void expect_at(const char *path, const char *weights, const char *sentence) {
    irr_ir_source_t source = {.path = path, .weights_path = weights};
    char expected[1024], *got = problems_of(&source);
    snprintf(expected, sizeof expected, "%s%s", path, sentence);
    assert_string_equal(got, expected);
    free(got);
}

static void expect_xml(const char *xml, size_t bytes, const char *sentence) {
    irr_ir_source_t source = {.xml = xml, .xml_bytes = bytes};
    char expected[1024], *got = problems_of(&source);
    snprintf(expected, sizeof expected, "%s%s", *sentence ? "<memory>" : "", sentence);
    assert_string_equal(got, expected);
    free(got);
}

static void no_regular_file(void **state) {
    (void)state;
    expect_at(in_folder("none.xml"), NULL,
              ": the file cannot be opened: No such file or directory");
    expect_at(folder, NULL, ": this is a directory; a regular file is expected");
    expect_at("/dev/zero", NULL, ": this is a device; a regular file is expected");
    assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
    expect_at(in_folder("fifo"), NULL, ": this is a FIFO; a regular file is expected");
    put("empty.xml", "", 0);
    expect_at(in_folder("empty.xml"), NULL, ": the file is empty; an IR document is expected");
}

static void no_text(void **state) {
    (void)state;
#define EXPECT_BYTES(bytes, sentence) expect_xml(bytes, sizeof(bytes) - 1, sentence)
    EXPECT_BYTES("", ": the file is empty; an IR document is expected");
    EXPECT_BYTES(" \n \n", ":1: the file is blank; an IR document is expected");
    EXPECT_BYTES("\x1f\x8b\x08",
                 ":1: the file is compressed (gzip); compressed files are not read");
    EXPECT_BYTES("\xfd"
                 "7zXZ",
                 ":1: the file is compressed (xz); compressed files are not read");
    EXPECT_BYTES("BZh9", ":1: the file is compressed (bzip2); compressed files are not read");
    EXPECT_BYTES("PK\x03\x04", ":1: the file is compressed (zip); compressed files are not read");
    EXPECT_BYTES("\xff\xfe<\0n\0", ":1: the file is UTF-16; UTF-8 is expected");
    EXPECT_BYTES("<\0n\0", ":1: the file is no XML text: it begins with byte 0x00");
    EXPECT_BYTES("\n\nhello", ":3: the file is no XML text: it begins with byte 0x68");
    EXPECT_BYTES("{\"net\": 1}", ":1: the file is no XML text: it begins with byte 0x7b");
    EXPECT_BYTES("\xef\xbb\xbf<net version=\"11\"><layers/></net>", "");
    EXPECT_BYTES("<net version='11'><layers/></net><net/>",
                 ":1: malformed XML: Extra content at the end of the document");
    EXPECT_BYTES("<net version=\"11\">\n<layers>\n",
                 ":3: malformed XML: the document ends inside the element of line 2");
    EXPECT_BYTES("<net version=\"11\"/>", ":1: <net> has no <layers>");
}

static void what_the_scan_refuses(void **state) {
    (void)state;
    static const char dtd[] = ":2: the document has a DTD (<!DOCTYPE); such documents are not read";
    EXPECT_BYTES("<?xml version=\"1.0\"?>\n<!DOCTYPE net SYSTEM \"file:///etc/passwd\">\n<net/>",
                 dtd);
    EXPECT_BYTES("<!-- <!DOCTYPE -->\n<!DOCTYPE a [<!ENTITY b \"&b;&b;\">]>\n<net>&b;</net>", dtd);
    char *text = malloc(3000000), *to = text;
    assert_non_null(text);
    to = stpcpy(to, "<net version=\"11\">\n<layers ");
    for (int i = 0; i < 257; i++) to += sprintf(to, "a%d=\"\" ", i);
    strcpy(to, "/></net>");
    expect_xml(text, strlen(text), ":2: a tag has more than 256 attributes");
    to = stpcpy(text, "<net version=\"11\" name=\"");
    memset(to, 'x', 2000000);
    strcpy(to + 2000000, "\"><layers/></net>");
    expect_xml(text, strlen(text), ":1: a tag is longer than 64 KiB");
    strcpy(to + 65000, "\"><layers/></net>");
    expect_xml(text, strlen(text), "");
    to = stpcpy(text, "<net version=\"11\"><layers/>");
    for (int i = 0; i < 1000; i++) to = stpcpy(to, "\n<a>");
    expect_xml(text, strlen(text), ":65: elements are nested deeper than 64");
    to = stpcpy(text, "<net version=\"11\"><layers/>");
    for (int i = 0; i < 120000; i++) to += sprintf(to, "<a%d/>", i);
    strcpy(to, "</net>");
    expect_xml(text, strlen(text), ":1: the document uses more than 50000 different names");
    free(text);
}

/* The `...` of the specification, wherever a chunk of bytes happens to end. */
static void dots_in_many_fragments(void **state) {
    (void)state;
    enum { FRAGMENTS = 100000 };
    char *text = malloc(FRAGMENTS * 40u + 1), *to = text;
    assert_non_null(text);
    for (int i = 0; i < FRAGMENTS; i++)
        to = stpcpy(to, "<layer id=\"1\" type=\"ReLU\" ...>\n</layer>\n");
    expect_xml(text, (size_t)(to - text), "");
    free(text);
}

/* One layer a line, the last of them wrong: its line is far above 65535. */
static void lines_beyond_65535(void **state) {
    (void)state;
    enum { LAYERS = 100000 };
    char *text = malloc(LAYERS * 80u), *to = text;
    assert_non_null(text);
    to = stpcpy(to, "<net version=\"11\"><layers>\n");
    for (int i = 0; i < LAYERS; i++)
        to += sprintf(to, "<layer id=\"%d\" name=\"n\" type=\"Foo\"\nversion=\"opset1\"/>\n", i);
    strcpy(to, "<layer id=\"7\"\nname=\"again\"\ntype=\"ReduceMin\"/></layers></net>");
    irr_ir_source_t source = {.xml = text, .xml_bytes = strlen(text)};
    clock_t before = clock();
    char *got = problems_of(&source);
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 5.0);
    assert_string_equal(
        got,
        "<memory>:200002: layer 7 \"again\" (ReduceMin): id 7 is taken by the layer \"n\" at line "
        "16\n"
        "<memory>:200002: layer 7 \"again\" (ReduceMin): attribute version is missing, expected "
        "opset1 to opset17\n"
        "<memory>:200002: layer 7 \"again\" (ReduceMin): it has 0 input ports, expected 2 (data "
        "and "
        "axes)\n"
        "<memory>:200002: layer 7 \"again\" (ReduceMin): it has 0 output ports, expected 1");
    free(got);
    free(text);
}

static void odd_names_stay_on_one_line(void **state) {
    (void)state;
    EXPECT_BYTES("<net version=\"11\"><layers><layer id=\"1\" name=\"a&#10;b&amp;&lt;\" "
                 "type=\"Result\"/></layers></net>",
                 ":1: layer 1 \"a?b&<\" (Result): it has 0 input ports, expected 1");
}

static void weights(void **state) {
    (void)state;
    char path[512], text[700], bin[256];
    size_t bytes;
    char *xml = read_whole(good_path("l2_keep", ".xml", path, sizeof path), &bytes);
    put("m.xml", xml, bytes);
    free(xml);
    char *model = strdup(in_folder("m.xml"));
    snprintf(bin, sizeof bin, "%s", in_folder("m.bin"));
    snprintf(
        text, sizeof text,
        ":16: layer 1 \"axes\" (Const): its bytes 0 to 16 are needed: weights file \"%s\": the "
        "file cannot be opened: No such file or directory",
        bin);
    expect_at(model, NULL, text);
    put("m.bin", "0123456", 7);
    snprintf(
        text, sizeof text,
        ":16: layer 1 \"axes\" (Const): offset 0 and size 16 lie outside weights file \"%s\" of 7 "
        "bytes",
        bin);
    expect_at(model, NULL, text);
    snprintf(
        text, sizeof text,
        ":16: layer 1 \"axes\" (Const): its bytes 0 to 16 are needed: weights file \"%s\": this is "
        "a directory; a regular file is expected",
        folder);
    expect_at(model, folder, text);
    put("m.bin", (const int64_t[]){1, 9}, 16);
    expect_at(model, NULL,
              ":23: layer 2 \"norm\" (ReduceL2): axis 9 is outside [-4, 3] of data [6,12,10,24]");
    irr_ir_source_t source = {.path = model};
    good_path("l2_keep", ".bin", path, sizeof path);
    source.weights_path = path;
    char *got = problems_of(&source);
    assert_string_equal(got, "");
    free(got);
    free(model);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state) {
    (void)state;
    static const char *const names[] = {"fifo", "empty.xml", "m.xml", "m.bin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(in_folder(names[i]));
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_regular_file),
        cmocka_unit_test(no_text),
        cmocka_unit_test(what_the_scan_refuses),
        cmocka_unit_test(lines_beyond_65535),
        cmocka_unit_test(dots_in_many_fragments),
        cmocka_unit_test(odd_names_stay_on_one_line),
        cmocka_unit_test(weights),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
