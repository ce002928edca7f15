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

/* What has some kernels sooner on this CPU. */
static const irr_kernel_table_t *sooner_than(const irr_kernel_table_t *table) {
#if defined(__x86_64__)
    if (table == &irr_kernels_avx512 && irr_cpu_has_vnni()) return &irr_kernels_vnni;
#endif
    return table;
}

const irr_kernel_t *irr_kernel_of(const irr_kernel_table_t *table, irr_fold_e fold,
                                  irr_element_type_e type) {
    const irr_kernel_t *sooner = &sooner_than(table)->folds[fold][type];
    return sooner->name ? sooner : &table->folds[fold][type];
}

const irr_op_kernel_t *irr_op_kernel_of(const irr_kernel_table_t *table, irr_path_e path,
                                        irr_op_e op, irr_element_type_e type) {
    const irr_op_kernel_t *kernel = &table->ops[path][op][type];
    return kernel->finish ? kernel : NULL;
}

const irr_fused_t *irr_fused_of(const irr_kernel_table_t *table, irr_element_type_e type,
                                size_t i) {
    const irr_fused_t *sooner = &sooner_than(table)->fused[type][i];
    return sooner->folds ? sooner : &table->fused[type][i];
}

const irr_kernel_t *irr_kernel_of_merges(const irr_kernel_table_t *table,
                                         const irr_op_kernel_t *op) {
    irr_element_type_e type = op->fold_type;
    irr_fold_e fold = op->fold;
    bool extreme = fold == IRR_FOLD_MIN || fold == IRR_FOLD_MAX;
    bool half = type == IRR_F16 || type == IRR_BF16;
    if (half || type == IRR_F32 || type == IRR_F64) { /* keys, or sums of what elements become */
        if (extreme) type = half ? IRR_I16 : type == IRR_F32 ? IRR_I32 : IRR_I64;
        if (half && !extreme) type = IRR_F32;
        if (fold == IRR_FOLD_SQUARES) fold = IRR_FOLD_SUM;
    }
    bool sticks = type == IRR_I16 || type == IRR_U16;
    if (fold == IRR_FOLD_SMALL_SQUARES && !sticks) fold = IRR_FOLD_SMALL_SUM;
    if (fold == IRR_FOLD_SMALL_SUM || fold == IRR_FOLD_SHORT_SUM) {
        static const irr_element_type_e lanes[] = {
            [1] = IRR_I32, IRR_I32, [4] = IRR_F64, [8] = IRR_I64};
        type = lanes[irr_element_bytes(type)];
        fold = IRR_FOLD_SUM;
    }
    if (fold == IRR_FOLD_MAGNITUDES) fold = IRR_FOLD_SUM;
    const irr_kernel_t *merges = &table->folds[fold][type];
    bool plain = merges->name && merges->element_bytes == merges->accumulator_bytes;
    return plain ? merges : NULL;
}
