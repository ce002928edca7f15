/* What the fuzz targets share. An input is the text of a model, then, after the first zero byte,
 * the bytes of its weights. The same targets run with libFuzzer and, over kept inputs, with
 * replay.c. SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_FUZZ_FUZZ_H
#define IRR_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for every input; the fuzzer keeps those for which it does not. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

typedef struct {
    const uint8_t *xml, *weights;
    size_t xml_bytes, weights_bytes;
} fuzz_input_t;

fuzz_input_t fuzz_split(const uint8_t *data, size_t size);

/* A file of these bytes, and a path that opens it, until fuzz_drop. */
typedef struct {
    int descriptor;
    char path[64];
} fuzz_file_t;

fuzz_file_t fuzz_file(const uint8_t *bytes, size_t count);
void fuzz_drop(fuzz_file_t *file);

#endif
