/* The op table: what the IR calls a reduction and what it takes.
 * An op is a fold (done by kernels) and a finish (done after them). To add an op, add its row.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_BASE_OP_H
#define IRR_BASE_OP_H

#include <irreduce/irreduce.h>
#include <stdbool.h>

typedef enum {
    IRR_OP_MIN = 0,
    IRR_OP_SUM,
    IRR_OP_L2,
    IRR_OP_MAX,
    IRR_OP_MEAN,
    IRR_OP_PROD,
    IRR_OP_L1,
    IRR_OP_AND,
    IRR_OP_OR,
    IRR_OP_COUNT
} irr_op_e;

/* The result for an empty set. Integers take their type's extremes for the infinities. */
typedef enum {
    IRR_EMPTY_ZERO = 0,
    IRR_EMPTY_ONE,
    IRR_EMPTY_GREATEST, /* +inf */
    IRR_EMPTY_LEAST,    /* -inf */
    IRR_EMPTY_NONE      /* NaN; an error for integers */
} irr_empty_e;

/* What a correctly rounded op of floats is: a result of the exact sum of its terms. */
typedef enum {
    IRR_TERM_NONE = 0, /* the op does not round, or not once */
    IRR_TERM_VALUE,
    IRR_TERM_MAGNITUDE,
    IRR_TERM_SQUARE
} irr_term_e;
typedef enum {
    IRR_RESULT_TOTAL = 0,
    IRR_RESULT_QUOTIENT, /* by the number of elements */
    IRR_RESULT_ROOT
} irr_result_e;

typedef struct irr_op_info {
    const char *type;   /* the IR's word: "ReduceMin" */
    const char *word;   /* in problem strings and kernel names: "min" */
    int first_opset;    /* the oldest opset that holds it */
    bool takes_numeric; /* the twelve; else boolean */
    irr_empty_e empty;
    irr_term_e term; /* of floats: EXECUTION_MODE_HINT has a say where there is one */
    irr_result_e result;
} irr_op_info_t;

#define IRR_NEWEST_OPSET 17 /* for reduce layers; semantics, section 1 */

const irr_op_info_t *irr_op_info(irr_op_e op);
/* By the IR's word; false if it is no reduction that we know. */
bool irr_op_by_type(const char *type, irr_op_e *op);
bool irr_op_takes(irr_op_e op, irr_element_type_e type);

#endif
