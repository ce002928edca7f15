/* Things in parts: even ones, of whole lines, of powers of two.
 * Lives here: arithmetic. May not: what the things are, what a part is for.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_CUT_H
#define IRR_PLAN_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Things in up to 2^32 - 1 parts, groups of them: no part has more than one more than another, nor
 * have neighbouring parts together. */
typedef struct irr_cut {
    size_t group, share;
    uint64_t rest; /* of a part, in 2^-32 groups, rounded up */
} irr_cut_t;

/* In groups where a part has so many that one more is a small part of it. */
irr_cut_t irr_cut(size_t things, size_t parts, size_t group);

/* Where a part begins; the end of the last one may lie beyond all things. */
static inline size_t irr_cut_at(const irr_cut_t *cut, size_t part) {
    return (part * cut->share + (size_t)(part * cut->rest >> 32)) * cut->group;
}

/* What a part has at most. */
static inline size_t irr_cut_share(const irr_cut_t *cut) {
    return (cut->share + (cut->rest > 0)) * cut->group;
}

/* Are others so many that each thread's parts of them, large and small, are even? */
static inline bool irr_take_turns(size_t others, size_t threads) { return others >= 2 * threads; }
/* Each of so many others is cut into at least so many parts of n things, up to three times as many,
 * so that threads have even shares: into how many? */
size_t irr_even_parts(size_t threads, size_t others, size_t n, size_t parts);
/* The largest power of two that cuts n into `parts` or more, where n has as many. */
size_t irr_chunk_of(size_t n, size_t parts);
/* Things of `bytes` each, as few as possible, that fill whole lines. */
size_t irr_things_of_lines(size_t bytes);

static inline size_t irr_least(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t irr_most(size_t a, size_t b) { return a > b ? a : b; }
static inline size_t irr_ceil_div(size_t n, size_t by) { return (n + by - 1) / by; }
static inline size_t irr_round_up(size_t n, size_t to) { return irr_ceil_div(n, to) * to; }
static inline uint32_t irr_ceil_log2(size_t n) {
    return n < 2 ? 0 : 64 - (uint32_t)__builtin_clzll((unsigned long long)n - 1);
}

#endif
