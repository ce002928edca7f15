/* The kernels of tier avx512. Compiled with that tier's flags alone; exports its table and nothing
 * else. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/vec_avx512.h"

#define IRR_KERNEL_TABLE irr_kernels_avx512
#include "kernel/kernel_table.inc"
