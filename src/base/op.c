/* The op table.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/op.h"

#include "base/element_type.h"

#include <string.h>

static const irr_op_info_t rows[] = {
    [IRR_OP_MIN] = {"ReduceMin", "min", 1, true, IRR_EMPTY_GREATEST, IRR_TERM_NONE, 0},
    [IRR_OP_SUM] = {"ReduceSum", "sum", 1, true, IRR_EMPTY_ZERO, IRR_TERM_VALUE, IRR_RESULT_TOTAL},
    [IRR_OP_L2] = {"ReduceL2", "l2", 4, true, IRR_EMPTY_ZERO, IRR_TERM_SQUARE, IRR_RESULT_ROOT},
    [IRR_OP_MAX] = {"ReduceMax", "max", 1, true, IRR_EMPTY_LEAST, IRR_TERM_NONE, 0},
    [IRR_OP_MEAN] = {"ReduceMean", "mean", 1, true, IRR_EMPTY_NONE, IRR_TERM_VALUE,
                     IRR_RESULT_QUOTIENT},
    [IRR_OP_PROD] = {"ReduceProd", "prod", 1, true, IRR_EMPTY_ONE, IRR_TERM_NONE, 0},
    [IRR_OP_L1] = {"ReduceL1", "l1", 4, true, IRR_EMPTY_ZERO, IRR_TERM_MAGNITUDE, IRR_RESULT_TOTAL},
    [IRR_OP_AND] = {"ReduceLogicalAnd", "and", 1, false, IRR_EMPTY_ONE, IRR_TERM_NONE, 0},
    [IRR_OP_OR] = {"ReduceLogicalOr", "or", 1, false, IRR_EMPTY_ZERO, IRR_TERM_NONE, 0},
};
_Static_assert(sizeof rows / sizeof *rows == IRR_OP_COUNT, "a row for each op");

const irr_op_info_t *irr_op_info(irr_op_e op) {
    return (unsigned)op < IRR_OP_COUNT ? &rows[op] : NULL;
}

bool irr_op_by_type(const char *type, irr_op_e *op) {
    for (unsigned i = 0; i < IRR_OP_COUNT; i++)
        if (strcmp(rows[i].type, type) == 0) return *op = (irr_op_e)i, true;
    return false;
}

bool irr_op_takes(irr_op_e op, irr_element_type_e type) {
    return rows[op].takes_numeric ? irr_is_numeric(type) : type == IRR_BOOLEAN;
}
