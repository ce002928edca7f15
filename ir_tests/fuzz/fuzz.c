/* Inputs cut in two, files that live in memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

/* In place of the C library's: the reader seeds its tables with it, and with luck in them the same
 * seed of a fuzzer would not take the same way twice. */
ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
    (void)flags;
    memset(bytes, 0x5a, count);
    return (ssize_t)count;
}

fuzz_input_t fuzz_split(const uint8_t *data, size_t size) {
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t text = zero ? (size_t)(zero - data) : size;
    return (fuzz_input_t){data, data + text + !!zero, text, size - text - !!zero};
}

fuzz_file_t fuzz_file(const uint8_t *bytes, size_t count) {
    fuzz_file_t file = {memfd_create("fuzz", MFD_CLOEXEC), ""};
    MUST(file.descriptor >= 0);
    for (size_t done = 0; done < count;) {
        ssize_t n = write(file.descriptor, bytes + done, count - done);
        MUST(n > 0);
        done += (size_t)n;
    }
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

void fuzz_drop(fuzz_file_t *file) { close(file->descriptor); }
