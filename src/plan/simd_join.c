/* Problems on the same data, siblings: who can be executed beside whom, what folds for several in
 * one go, units and scratch that they share. Lives here: agreements. May not: choices for a problem
 * alone (simd_plan.c), data. SPDX-License-Identifier: Apache-2.0 */
#include "plan/simd.h"

/* Less is read again as fast as it is cut. */
#define LEAST_JOINED_BYTES 8192u

/* Longer rows are trees, where others are beside them. */
static bool has_rows(const irr_simd_plan_t *plan) {
    return plan->layout.inner == IRR_INNER_ROWS &&
           plan->layout.rows <= IRR_ROW_LEAVES * IRR_LEAF_STEPS * plan->ordinary->lanes;
}

bool irr_simd_joins(const void *first, const void *other) {
    const irr_simd_plan_t *a = first, *b = other;
    return irr_simd_bytes(&a->problem) > LEAST_JOINED_BYTES && has_rows(a) == has_rows(b) &&
           !a->one && a->layout.last_rows == b->layout.last_rows;
}

static size_t leaf_rows(const irr_layout_t *l) { return l->leaf_steps * l->group; }

/* A leaf has as many rows as a kernel takes at once, a power of two where several walk; chunks of
 * leaves must agree in rows. */
static void same_chunks(irr_simd_plan_t *const *plans, uint32_t count) {
    size_t rows = 0, longest = 0;
    for (uint32_t m = 0; m < count; m++) {
        const irr_layout_t *l = &plans[m]->layout;
        rows = irr_most(rows, l->chunk_leaves * leaf_rows(l));
        longest = irr_most(longest, leaf_rows(l));
    }
    rows = irr_round_up(rows, longest);
    for (uint32_t m = 0; m < count; m++)
        irr_layout_rechunk(&plans[m]->layout, rows / leaf_rows(&plans[m]->layout));
}

static uint32_t fold_bit(const irr_simd_plan_t *plan) {
    return plan->accurate ? 0 : 1u << plan->op->fold;
}

static uint32_t bits_of(uint32_t set) { return (uint32_t)__builtin_popcount(set); }

/* Shorter rows are folded several at once by each kernel, which is sooner than one load for all. */
#define LEAST_FUSED_ROW_BYTES 512u

/* The kernel that folds in one go for most of those that have none yet, at least two folds. */
static bool fuse_some(irr_simd_plan_t *const *plans, uint32_t count) {
    irr_element_type_e type = plans[0]->problem.type;
    const irr_fused_t *best = NULL;
    uint32_t most = 1;
    if (type == IRR_BOOLEAN) type = IRR_U8;
    for (size_t i = 0; i < IRR_MOST_FUSED; i++) {
        const irr_fused_t *fused = NULL;
        uint32_t folds = 0;
        for (uint32_t m = 0; m < count; m++) {
            if (plans[m]->accurate || plans[m]->fused) continue;
            fused = irr_fused_of(plans[m]->table, type, i);
            folds |= fold_bit(plans[m]) & fused->folds;
        }
        if (bits_of(folds) > most) best = fused, most = bits_of(folds);
    }
    for (uint32_t m = 0; m < count && best; m++)
        if (!plans[m]->fused && fold_bit(plans[m]) & best->folds) plans[m]->fused = best;
    return best;
}

/* Sums of integers beside what may be exact are exact as well: one load, or one fold, for both. */
static void choose_ops(irr_simd_plan_t *const *plans, uint32_t count, bool fuse) {
    bool exact = false;
    for (uint32_t m = 0; m < count && fuse; m++) {
        const irr_op_kernel_t *op = irr_simd_op_of(plans[m], IRR_PATH_ORDINARY);
        exact |=
            !plans[m]->accurate && irr_kernel_of(plans[m]->table, op->fold, op->fold_type)->exact;
    }
    for (uint32_t m = 0; m < count; m++) { /* all are of one tier: data is near after the first */
        irr_simd_plan_t *plan = plans[m];
        if (plan->careful) { /* others raise flags, too */
            irr_simd_take(plan, plan->careful->op);
            irr_simd_release(plan->careful);
            plan->careful = NULL;
        }
        if (plan->accurate) continue;
        const irr_op_kernel_t *op = irr_simd_op_of(plan, IRR_PATH_EXACT);
        if (!op) op = irr_simd_op_of(plan, IRR_PATH_ORDINARY);
        irr_simd_take(plan, exact ? op : plan->op);
        plan->ordinary = plan->kernel;
    }
}

/* Who walks for whom; returns how many do. */
static uint32_t share_walks(irr_simd_plan_t *const *plans, uint32_t count) {
    const irr_layout_t *l = &plans[0]->layout;
    bool fuse = l->inner != IRR_INNER_ROWS ||
                l->rows * plans[0]->kernel->element_bytes >= LEAST_FUSED_ROW_BYTES;
    uint32_t walks = 0;
    choose_ops(plans, count, fuse);
    while (fuse && fuse_some(plans, count)) continue;
    for (uint32_t m = 0; m < count; m++) {
        uint32_t w = 0;
        while (plans[m]->fused ? plans[w]->fused != plans[m]->fused
                               : plans[w]->kernel != plans[m]->kernel)
            w++;
        plans[m]->walked_by = w;
        walks += w == m;
    }
    return walks;
}

/* Where accumulators lie in the slots of those that walk, and those in the scratch. */
static void share_scratch(irr_simd_plan_t *const *plans, uint32_t count, size_t *scratch_bytes) {
    for (uint32_t m = 0; m < count; m++) {
        irr_simd_plan_t *plan = plans[m], *walker = plans[plan->walked_by];
        uint32_t before = 0, p = 0;
        if (walker == plan) {
            plan->plane_count = 0;
            plan->apart = plan->layout.slot_bytes;
            plan->again_offset = plan->apart * (plan->fused ? bits_of(plan->fused->folds) : 1);
            plan->slot_bytes = plan->again_offset;
        }
        if (plan->fused) before = bits_of(plan->fused->folds & (fold_bit(plan) - 1));
        plan->plane_offset = before * walker->apart;
        while (p < walker->plane_count && walker->planes[p].offset != plan->plane_offset) p++;
        walker->planes[p] = irr_plane_of(plan, plan->plane_offset);
        if (p == walker->plane_count) walker->plane_count++;
        walker->slot_bytes =
            irr_most(walker->slot_bytes, walker->again_offset + irr_simd_unchunk_rungs(plan));
    }
    *scratch_bytes = 0;
    for (uint32_t m = 0; m < count; m++) {
        if (plans[m]->walked_by != m) continue;
        plans[m]->scratch_bytes = *scratch_bytes;
        *scratch_bytes += plans[m]->layout.tasks * plans[m]->slot_bytes;
    }
}

/* Units must be the same, and what they follow from but the kernels: whoever takes longest is the
 * first to be beyond the caches. */
static void aim_alike(irr_simd_plan_t *plan, const irr_simd_plan_t *slowest) {
    plan->cost = slowest->cost;
    plan->beyond = slowest->beyond;
    plan->asks = slowest->asks;
    plan->ahead = slowest->ahead;
    plan->whole_rows = slowest->whole_rows;
    plan->few_rows = false; /* which tiles those are is a matter of the op */
    plan->how = slowest->how;
}

void irr_simd_join(void *const *states, uint32_t count, size_t *scratch_bytes) {
    irr_simd_plan_t *const *plans = (irr_simd_plan_t *const *)states;
    bool together = share_walks(plans, count) > 1;
    size_t tile = 0;
    irr_simd_plan_t *slowest = plans[0];
    for (uint32_t m = 0; m < count; m++) {
        tile = irr_most(tile, plans[m]->ordinary->accumulator_bytes);
        if (slowest->cost.bytes < plans[m]->cost.bytes) slowest = plans[m];
    }
    slowest->cost.trial = false;
    for (uint32_t m = 0; m < count; m++)
        for (irr_simd_plan_t *plan = plans[m]; plan; plan = plan->again) {
            aim_alike(plan, slowest);
            plan->of_fused = plans[m]->fused;
            irr_simd_lay_out(plan, tile, together);
        }
    same_chunks(plans, count);
    share_scratch(plans, count, scratch_bytes);
}
