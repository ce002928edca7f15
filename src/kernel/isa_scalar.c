/* The kernels of tier scalar. Compiled with that tier's flags alone; exports its table and nothing
 * else. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/vec_scalar.h"

#define IRR_KERNEL_TABLE irr_kernels_scalar
#include "kernel/kernel_table.inc"
