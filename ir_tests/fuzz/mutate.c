/* Changes that a blind fuzzer rarely finds: another value between quotes or tags, a line gone, a
 * line twice. Every second change is libFuzzer's own. The text stays well-formed more often than
 * not. SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static const char *const values[] = {
    "",
    "0",
    "1",
    "2",
    "3",
    "4",
    "-1",
    "64",
    "65",
    "255",
    "8",
    "16",
    "24",
    "?",
    "...",
    "1..10",
    "2,3",
    "?,3",
    "0,5",
    "1,1,1",
    "f32",
    "f64",
    "f16",
    "bf16",
    "i64",
    "i32",
    "i16",
    "i8",
    "u64",
    "u8",
    "u4",
    "u1",
    "u3",
    "i4",
    "nf4",
    "string",
    "boolean",
    "FP32",
    "FP16",
    "I64",
    "BOOL",
    "U8",
    "true",
    "false",
    "TRUE",
    "opset1",
    "opset4",
    "opset17",
    "opset18",
    "10",
    "11",
    "x,y",
    "If",
    "Const",
    "Result",
    "Parameter",
    "ReduceMin",
    "ReduceMax",
    "ReduceSum",
    "ReduceMean",
    "ReduceProd",
    "ReduceL1",
    "ReduceL2",
    "ReduceLogicalAnd",
    "ReduceLogicalOr",
    "9223372036854775807",
    "4294967296",
    "2147483648",
    "1,2,3,4,5,6,7,8",
    "99999999999999999999",
};

/* Replaces length bytes at `at` by others; returns the new size, or the old where there is no room.
 */
static size_t splice(uint8_t *data, size_t size, size_t max_size, size_t at, size_t length,
                     const void *by, size_t by_length) {
    if (size - length + by_length > max_size) return size;
    memmove(data + at + by_length, data + at + length, size - at - length);
    memcpy(data + at, by, by_length);
    return size - length + by_length;
}

/* The value after a quote or ">" that is found from a random place on. */
static size_t other_value(uint8_t *data, size_t size, size_t max_size, size_t text) {
    size_t at = (size_t)rand() % text;
    while (at < text && data[at] != '"' && data[at] != '>') at++;
    if (at + 1 >= text) return size;
    uint8_t stop = data[at] == '"' ? '"' : '<';
    size_t end = ++at;
    while (end < text && data[end] != stop && end - at < 64) end++;
    if (end == text || data[end] != stop) return size;
    const char *value = values[(size_t)rand() % (sizeof values / sizeof *values)];
    return splice(data, size, max_size, at, end - at, value, strlen(value));
}

/* A random line goes, or comes twice. */
static size_t other_line(uint8_t *data, size_t size, size_t max_size, size_t text) {
    size_t from = (size_t)rand() % text, end = from;
    while (from > 0 && data[from - 1] != '\n') from--;
    while (end < text && data[end] != '\n') end++;
    if (end < text) end++;
    if (rand() % 2) return splice(data, size, max_size, from, end - from, "", 0);
    uint8_t line[512];
    if (end - from > sizeof line) return size;
    memcpy(line, data + from, end - from);
    return splice(data, size, max_size, from, 0, line, end - from);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    srand(seed);
    size_t text = fuzz_split(data, size).xml_bytes;
    if (!text || rand() % 2) return LLVMFuzzerMutate(data, size, max_size);
    for (int changes = 1 + rand() % 3; changes && text; changes--) {
        size = rand() % 4 ? other_value(data, size, max_size, text)
                          : other_line(data, size, max_size, text);
        text = fuzz_split(data, size).xml_bytes;
    }
    return size;
}
