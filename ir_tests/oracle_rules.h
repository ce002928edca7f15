/* What the oracle's two files share: a type's row, one output in the making, an operation's rules.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_ORACLE_RULES_H
#define IRR_TESTS_ORACLE_RULES_H

#include "oracle.h"
#include "oracle_big.h"

__extension__ typedef unsigned __int128 oracle_u128;
__extension__ typedef __int128 oracle_i128;

typedef struct type_row {
    size_t bytes;
    bool is_float, is_signed, is_boolean;
    float_format_t format;
    int unit_bits; /* u = 2^-unit_bits of the accumulator */
} type_row_t;

/* Sums stand at exponent 2 * LOWEST (squares) or LOWEST: the last place of f64's subnormals. */
enum { LOWEST = -1074 };

typedef struct oracle_fold {
    const type_row_t *row;
    bool accuracy;
    size_t count;
    /* floats */
    bool nan, infinity[2], zero, negative; /* infinity: [0] +, [1] -; negative: of the product */
    big_t sum[2];                          /* of magnitudes: [0] of positives, [1] of negatives */
    big_t product;
    int64_t exponent; /* of the product */
    /* integers; best: Min and Max of both, as an ordered key */
    uint64_t best, modulo;
    oracle_i128 wide;
    oracle_u128 squares;
} fold_t;

typedef struct rules {
    void (*fold)(fold_t *fold, uint64_t bits);
    bool (*finish)(fold_t *fold,
                   oracle_interval_t *out); /* false: the contract asks for an error */
} rules_t;

/* Bits as an unsigned key in the order of values, -0 below +0; and back. */
uint64_t oracle_key_of(const type_row_t *row, uint64_t bits);
uint64_t oracle_bits_of_key(const type_row_t *row, uint64_t key);
/* NULL for a pair that the contract does not know. */
const rules_t *oracle_find_rules(const char *op, const type_row_t *row);

#endif
