/* Outputs that a finish did not vouch for (kernels.h): each becomes the one correctly rounded
 * answer. Lives here: marks, the ladder of plans for them. May not: kernels' arithmetic (redo.c has
 * a set's). SPDX-License-Identifier: Apache-2.0 */
#include "plan/redo.h"
#include "plan/simd.h"

/* A rung of the ladder walks all of a unit; fewer outputs in doubt than this share of its outputs
 * are redone one by one. Either way an output becomes the one correctly rounded answer. */
#define WORTH_AGAIN 32

/* Finishes mark what they cannot vouch for (kernels.h): the next mark of n outputs, from i on. */
static size_t next_mark(irr_element_type_e type, const void *output, size_t i, size_t n) {
    const uint64_t *f64 = output;
    const uint32_t *f32 = output;
    const uint16_t *half = output, mark = type == IRR_F16 ? 0xfe00 : 0xffc0;
    if (type == IRR_F64)
        while (i < n && f64[i] != UINT64_C(0xfff8) << 48) i++;
    else if (type == IRR_F32)
        while (i < n && f32[i] != UINT32_C(0xffc0) << 16) i++;
    else
        while (i < n && half[i] != mark) i++;
    return i;
}

void irr_walk_again(const irr_simd_plan_t *plan, const irr_unit_t *unit, char *results) {
    irr_unit_t same = *unit;
    irr_walk_t walk;
    same.plan = plan;
    same.lanes = plan->layout.group * same.width;
    irr_walk_unit(&same, results, &walk);
    irr_walk_to(&walk, SIZE_MAX, 0);
    irr_fold_last(&same, results);
}

static size_t count_marks(irr_element_type_e type, const void *output, size_t n) {
    size_t count = 0;
    for (size_t i = 0; (i = next_mark(type, output, i, n)) < n; i++) count++;
    return count;
}

uint64_t irr_settle(const irr_simd_plan_t *plan, const irr_simd_plan_t *walker,
                    const irr_unit_t *unit, const void *data, char *slot, char *output, size_t n,
                    size_t first) {
    irr_element_type_e type = plan->problem.type;
    size_t bytes = plan->output_bytes;
    size_t marks = plan->again ? count_marks(type, output, n) : 0, redone = marks;
    for (const irr_simd_plan_t *rung = plan->again; rung && marks * WORTH_AGAIN > n;
         rung = rung->again) {
        char *results = slot + walker->again_offset;
        irr_walk_again(rung, unit, results);
        for (size_t i = 0, end; (i = next_mark(type, output, i, n)) < n; i = end) {
            for (end = i + 1; end < n && next_mark(type, output, end, end + 1) == end;) end++;
            rung->finish(output + i * bytes, results + i * rung->kernel->accumulator_bytes, end - i,
                         &rung->set);
        }
        marks = count_marks(type, output, n);
    }
    for (size_t i = 0; (i = next_mark(type, output, i, n)) < n; i++, redone += !plan->again)
        irr_redo(&plan->problem, data, first + i, output + i * bytes);
    return redone;
}
