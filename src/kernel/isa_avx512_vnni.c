/* The exact sums of tier avx512 for CPUs that add products in one instruction. Compiled with that
 * tier's flags and its own; exports their table and nothing else.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/vec_avx512.h"

#include "kernel/kernels.h"

#include <string.h>

#include "kernel/kernel_states.inc"

#include "kernel/kernel_body.inc"

#include "kernel/kernel_short.inc"

#include "kernel/kernel_state.inc"

#include "kernel/kernel_exact.inc"

#include "kernel/kernel_exact_rows.inc"

#include "kernel/kernel_moments.inc"

#include "kernel/kernel_rows.inc"

IRR_EXACT_FOLD_ROWS(DEFINE_EXACT_ROW)
EACH_INTEGER(DEFINE_MOMENTS, )
const irr_kernel_table_t irr_kernels_vnni = {.folds = {IRR_EXACT_FOLD_ROWS(TABLE_EXACT_ROW)},
                                             .fused = {EACH_INTEGER(TABLE_MOMENTS, )}};
