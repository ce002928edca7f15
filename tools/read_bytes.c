/* The loop of the plain read, compiled once for each tier with the tier's flags: every word of the
 * bytes is summed, and nothing else is done. READ_BYTES is its name, BLOCK_BYTES the vector's
 * width. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t block_t __attribute__((vector_size(BLOCK_BYTES)));

uint64_t READ_BYTES(const char *data, size_t bytes);

uint64_t READ_BYTES(const char *data, size_t bytes) {
    block_t a = {0}, b = {0}, c = {0}, d = {0}, load[4];
    size_t at = 0;
    for (; at + sizeof load <= bytes; at += sizeof load) {
        memcpy(load, data + at, sizeof load);
        a += load[0], b += load[1], c += load[2], d += load[3];
    }
    a += b + c + d;
    uint64_t sum = 0;
    for (size_t k = 0; k < sizeof a / sizeof a[0]; k++) sum += a[k];
    for (; at < bytes; at++) sum += (unsigned char)data[at];
    return sum;
}
