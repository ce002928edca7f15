/* Random reductions by printed seed: shapes around the edges of blocks, axes, and data that breaks
 * careless arithmetic. The same seed, operation and type make the same case on every machine.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_RANDOM_CASES_H
#define IRR_TESTS_RANDOM_CASES_H

#include <irreduce/irreduce.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANDOM_MAX_RANK 64

typedef struct random_case {
    uint64_t seed;
    const char *op; /* the IR's word */
    irr_element_type_e type;
    uint32_t rank;
    int64_t dims[RANDOM_MAX_RANK];
    int64_t axes[RANDOM_MAX_RANK]; /* as a model would give them: unsorted, some negative */
    uint32_t axis_count;           /* 0: identity */
    uint64_t mask;                 /* the same axes as bits */
    bool keep_dims;
    uint32_t out_rank;
    int64_t out_dims[RANDOM_MAX_RANK];
    size_t elements, outputs; /* counts */
    unsigned kind;            /* of data */
} random_case_t;

/* Next number of a stream (splitmix64); one below a limit, 0 for a limit of 0. */
uint64_t random_next(uint64_t *stream);
uint64_t random_below(uint64_t *stream, uint64_t limit);

/* At most max_elements elements and outputs. */
void random_case_make(random_case_t *c, uint64_t seed, const char *op, irr_element_type_e type,
                      size_t max_elements);
/* Fills the case's data: elements of its type, any alignment. */
void random_case_fill(const random_case_t *c, void *data);
/* Output shape, mask and counts out of rank, dims, axes and keep_dims: for cases made by hand. */
void random_case_complete(random_case_t *c);
/* "seed 7: ReduceSum f32 [3,4] axes [-1] keep_dims, denormals". Returns text. */
#define RANDOM_CASE_TEXT_BYTES 2048
char *random_case_text(const random_case_t *c, char *text);

#endif
