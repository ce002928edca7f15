/* The exact oracle: what semantics.md, section 1, permits as the answer of a reduction, computed
 * with whole numbers only. It shares no code with src/: not the half floats, not the geometry.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_ORACLE_H
#define IRR_TESTS_ORACLE_H

#include <irreduce/irreduce.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct oracle_problem {
    const char *op; /* the IR's word: "ReduceMin" */
    irr_element_type_e type;
    uint32_t rank;
    const int64_t *dims;
    uint64_t reduced; /* bit d: dimension d is reduced */
    bool identity;    /* the axes list is empty */
    bool accuracy;    /* EXECUTION_MODE_HINT=ACCURACY: bounds of zero */
} oracle_problem_t;

/* Bits of the least and the greatest right answer; -0 lies below +0. Of a NaN, an integer or a
 * boolean both are the one right answer. */
typedef struct oracle_interval {
    uint64_t low, high;
    bool no_minus_zero; /* -0 is wrong even inside the interval: the exact result is zero */
} oracle_interval_t;

typedef struct oracle_answer {
    irr_element_type_e type;
    bool is_error; /* the contract asks for an error: integer mean of nothing */
    size_t count;
    oracle_interval_t *outputs;
} oracle_answer_t;

/* False for an operation or a combination with a type that the contract does not know. */
bool oracle_solve(const oracle_problem_t *problem, const void *data, oracle_answer_t *answer);
void oracle_release(oracle_answer_t *answer);

/* Index of the first wrong element; answer->count when all are right. */
size_t oracle_first_wrong(const oracle_answer_t *answer, const void *output);
bool oracle_is_right(const oracle_interval_t *interval, irr_element_type_e type, uint64_t bits);

/* Bytes of an element of the twelve and boolean, 0 for others; bits of element k. */
size_t oracle_element_bytes(irr_element_type_e type);
bool oracle_is_float(irr_element_type_e type);
uint64_t oracle_bits_at(const void *data, irr_element_type_e type, size_t k);

#endif
