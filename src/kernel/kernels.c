/* The tables of the tiers that this build has.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernels.h"

static const irr_kernel_table_t *const tables[] = {
    [IRR_TIER_SCALAR] = &irr_kernels_scalar,
#if defined(__x86_64__)
    [IRR_TIER_AVX2] = &irr_kernels_avx2,
    [IRR_TIER_AVX512] = &irr_kernels_avx512,
#endif
};

const irr_kernel_table_t *irr_kernels(irr_tier_e tier) { return tables[tier]; }

const irr_kernel_t *irr_kernel_of(const irr_kernel_table_t *table, irr_fold_e fold,
                                  irr_element_type_e type) {
#if defined(__x86_64__)
    const irr_kernel_t *vnni = &irr_kernels_vnni[fold][type];
    if (table == &irr_kernels_avx512 && vnni->name && irr_cpu_has_vnni()) return vnni;
#endif
    return &table->folds[fold][type];
}
