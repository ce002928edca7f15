/* How a plan of the SIMD backend is laid out: what its kernels take in one call, in which order
 * what is free goes, which results come straight from elements, and what a finish must know. Lives
 * here: layouts. May not: choices of kernels (simd_plan.c), how data are read (simd_memory.c),
 * data.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/simd.h"

/* A square that underflows loses at most half of the smallest denormal; n of them must stay far
 * below the rounding of their sum. The squares of f16 do not underflow in f32. */
static double least_trusted(const irr_problem_t *problem, bool accurate) {
    double n = (double)problem->geometry.set_size;
    irr_element_type_e type = problem->type;
    if (accurate) return type == IRR_F64 && irr_op_info(problem->op)->result ? n * 0x1p-900 : 0;
    if (type == IRR_F64) return n * 0x1p-1018;
    return type == IRR_F32 || type == IRR_BF16 ? n * 0x1p-123 : 0;
}

irr_one_call_t irr_one_call_of(const irr_layout_t *l, const irr_kernel_t *kernel, bool alone,
                               size_t ahead) {
    irr_one_call_t call = {.count = l->kept, .length = l->rows, .width = l->width};
    bool leaf = l->inner == IRR_INNER_BAND || (l->width == 1 && l->leaves == 1);
    if (l->inner == IRR_INNER_ROWS) call.run = kernel->rows;
    if (l->inner == IRR_INNER_COLS) call.run = kernel->cols;
    bool grouped = l->width > 1 && l->group > 1 && l->leaves == 1 && !l->tree;
    /* The layout may be made for a kernel of more lanes. */
    if (alone && grouped && 2 * l->width <= kernel->lanes) call.run = kernel->grouped;
    call.last = l->inner == IRR_INNER_ROWS ? ahead : l->width;
    call.each = (call.run || (leaf && l->tile_kept == 1)) && l->tile_blocks == 1 &&
                l->segments.total == 1 && l->last_rows == 1;
    call.all = call.each && l->units == 1;
    return call;
}

/* Whether results have the same bits in whatever order. */
static bool is_free(const irr_problem_t *problem) {
    bool floats = irr_element_type_info(problem->type)->kind == IRR_KIND_FLOAT;
    return !floats || problem->op == IRR_OP_MIN || problem->op == IRR_OP_MAX;
}

/* Of more rows that go by bands, accumulators are a small part of the work. Where those from memory
 * are FAR, eight are a band, and fewer go straight that are so long: of shorter ones the ends of
 * rows, where lines are written both ways, cost more than the rest brings (down to 0.2x). Those
 * whose lines are called to the second cache are sooner by what does that. */
#define MOST_STRAIGHT_BAND_ROWS 8u
#define MOST_STRAIGHT_FAR_ROWS 7u
#define FAR_STRAIGHT_BYTES 4096u

static irr_straight_f straight_of(const irr_simd_plan_t *plan) {
    const irr_layout_t *l = &plan->layout;
    bool columns = l->inner == IRR_INNER_COLS || l->inner == IRR_INNER_BAND;
    bool called = plan->beyond && plan->how & IRR_STEPS_CALL;
    if (!plan->op || plan->accurate || !plan->one_call.each || !columns || called) return NULL;
    const irr_straight_t *straight = &plan->table->straight[plan->problem.op][plan->problem.type];
    size_t most = IRR_LEAF_STEPS;
    if (plan->how & IRR_STEPS_BANDS)
        most = plan->how & IRR_STEPS_AHEAD ? IRR_STREAMS : MOST_STRAIGHT_BAND_ROWS;
    if (plan->beyond && plan->how & IRR_STEPS_FAR) {
        bool longer = l->width * plan->kernel->element_bytes >= FAR_STRAIGHT_BYTES;
        most = longer ? MOST_STRAIGHT_FAR_ROWS : 0;
    }
    return l->rows <= most && l->width >= straight->least_width ? straight->run : NULL;
}

/* Of columns that stay whole where they might be cut, beside others. */
#define MOST_BLOCK_BYTES 16384u
/* A leaf of columns whose order is free: its rows take less time than a tree would, one by one. */
#define MOST_BLOCK_ROWS 192

/* By steps of several rows it is sooner where these are as many: fewer of wide elements, of which a
 * load has less. */
static size_t grouped_rows_of(irr_element_type_e type) {
    const irr_element_type_info_t *info = irr_element_type_info(type);
    if (info->bits >= 32) return 24;
    return info->kind == IRR_KIND_FLOAT ? 32 : 40;
}

/* Columns of floats whose tree a kernel makes: near ones of up to one strip and a half, 1.1x
 * to 2.1x as fast as leaf by leaf. Where those must be seen (lines are asked for behind each; a
 * careful plan may do them again; others walk beside) it is 0, and where vectors may be made of
 * lines, fewer columns than those take. */
static size_t tree_columns(const irr_simd_plan_t *plan, bool together) {
    bool is_float = irr_element_type_info(plan->problem.type)->kind == IRR_KIND_FLOAT;
    size_t strip = !plan->fused ? plan->kernel->strip : is_float ? plan->fused->strip : 0;
    bool far = plan->beyond || plan->how & IRR_STEPS_AHEAD;
    if (together || plan->hopes || plan->asks || strip == 0) return 0;
    if (plan->how & IRR_STEPS_LINES) return strip / 2 - 1;
    return far ? strip : strip + strip / 2;
}

/* Accumulators of few rows from memory that are one tile, where the processor is FAR: 1.1x to 3x as
 * fast as tiles, of which each reads a part of every row; but those that leave the nearest cache
 * 0.6x to 0.9x, unless results come straight from elements. */
#define MOST_WHOLE_BYTES 16384u
#define STRAIGHT_WHOLE_BYTES 65536u

void irr_simd_lay_out(irr_simd_plan_t *plan, size_t tile_bytes, bool together) {
    const irr_problem_t *problem = &plan->problem;
    const irr_fused_t *fused = plan->fused;
    irr_lane_info_t info = {
        .lanes = plan->ordinary->lanes, .alone = !together, .waits = !plan->of_fused};
    info.accumulator_bytes = fused ? fused->accumulator_bytes : plan->kernel->accumulator_bytes;
    info.tile_accumulator_bytes = tile_bytes;
    info.element_bytes = plan->kernel->element_bytes;
    info.last_rows = plan->layout.last_rows;
    info.most_last_rows = plan->most_last_rows;
    info.whole_rows = plan->whole_rows;
    bool straight = plan->table->straight[problem->op][problem->type].run;
    if (plan->few_rows) info.most_whole_bytes = straight ? STRAIGHT_WHOLE_BYTES : MOST_WHOLE_BYTES;
    info.calls = plan->whole_rows && plan->asks;
    info.most_block_elements = together ? MOST_BLOCK_BYTES / info.element_bytes : SIZE_MAX;
    bool floats = irr_element_type_info(problem->type)->kind == IRR_KIND_FLOAT;
    size_t piece = IRR_PIECE_BYTES / (IRR_LEAF_STEPS * info.lanes * info.element_bytes);
    info.row_leaves = plan->accurate            ? IRR_ROW_LEAVES
                      : plan->asks              ? (piece ? piece : 1)
                      : together || plan->fused ? IRR_ROW_LEAVES
                      : is_free(problem)        ? IRR_FREE_LEAVES
                                                : IRR_LONG_ROW_LEAVES;
    bool brief = is_free(problem) && !together && !fused && !plan->kernel->exact;
    info.most_block_rows = brief ? MOST_BLOCK_ROWS : 0;
    if (brief && !plan->hopes && plan->kernel->grouped)
        info.least_grouped_rows = grouped_rows_of(problem->type);
    bool one = fused && floats;
    info.column_leaves = one ? 1 : plan->kernel->leaves;
    info.tree_columns = tree_columns(plan, together);
    /* What is asked for is what lies behind a leaf. */
    if (plan->asks) info.column_leaves = irr_least(info.column_leaves, IRR_ROW_LEAVES);
    /* What may have to be done again has the same units then; few rows of floats go straight to
     * results, more have their tree. */
    bool sure = !floats && !plan->kernel->exact && !plan->hopes;
    info.bands = sure && !together && plan->how & IRR_STEPS_LINES;
    info.exact = !one && plan->kernel->exact;
    irr_layout_of(&problem->geometry, &info, &plan->cost, &plan->layout);
    plan->how &= ~(unsigned)IRR_STEPS_BESIDE;
    if (plan->layout.beside) plan->how |= IRR_STEPS_BESIDE;
    /* What a grouped kernel reads behind rows must raise none of the flags that are asked, and
     * careful plans have none. */
    bool alone = !together && !fused && !plan->hopes;
    plan->one_call = irr_one_call_of(&plan->layout, plan->kernel, alone, plan->ahead);
    plan->straight = straight_of(plan);
    plan->output_bytes = irr_element_bytes(problem->type);
    plan->rounds = floats || irr_op_info(problem->op)->result != IRR_RESULT_TOTAL;
    plan->planes[0] = irr_plane_of(plan, 0);
    plan->plane_count = 1;
    plan->again_offset = plan->slot_bytes = plan->layout.slot_bytes;
    /* More, since an accurate leaf of a row passes a tier's lanes, which may be 4 instead of those
     * of the layout: 2048 elements of f64; of narrow types 256 steps, or 64 and as many leaves. Of
     * columns it has 256 rows, one after the other. */
    plan->set = (irr_set_t){.count = (double)problem->geometry.set_size,
                            .trust = least_trusted(problem, plan->accurate),
                            .depth = irr_layout_depth(&plan->layout) +
                                     (plan->accurate ? (double)plan->layout.last_rows : 0) +
                                     (problem->type == IRR_F64 ? 600.0 : 300.0)};
}
