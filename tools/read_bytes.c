/* The loop of the plain read, compiled once for each tier with the tier's flags: every word of the
 * bytes is summed, and nothing else is done. READ_BYTES is its name, BLOCK_BYTES the vector's
 * width. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>

typedef uint64_t block_t __attribute__((vector_size(BLOCK_BYTES)));
/* Where it lies in memory. Copied into an array, compilers stored what they had loaded. */
typedef block_t any_block_t __attribute__((aligned(1), may_alias));

uint64_t READ_BYTES(const char *data, size_t bytes);

uint64_t READ_BYTES(const char *data, size_t bytes) {
    block_t a = {0}, b = {0}, c = {0}, d = {0};
    size_t at = 0;
    for (; at + 4 * sizeof a <= bytes; at += 4 * sizeof a) {
        const any_block_t *p = (const any_block_t *)(data + at);
        block_t w = p[0], x = p[1], y = p[2], z = p[3];
        __asm__("" : "+v"(w), "+v"(x), "+v"(y), "+v"(z));
        a += w, b += x, c += y, d += z;
    }
    a += b + c + d;
    uint64_t sum = 0;
    for (size_t k = 0; k < sizeof a / sizeof a[0]; k++) sum += a[k];
    for (; at < bytes; at++) sum += (unsigned char)data[at];
    return sum;
}
