/* What the SIMD backend offers and prepares for a problem.
 * Lives here: choices of kernels, layouts, scratch. May not: siblings (simd_join.c), how data are
 * read (simd_memory.c), data.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/fp_env.h"
#include "base/memory.h"
#include "plan/simd.h"

/* A result of several elements takes as long as so many bytes that are read: 8 to 100. */
#define BYTES_AN_OUTPUT 32

/* A square that underflows loses at most half of the smallest denormal; n of them must stay far
 * below the rounding of their sum. The squares of f16 do not underflow in f32. */
static double least_trusted(const irr_problem_t *problem, bool accurate) {
    double n = (double)problem->geometry.set_size;
    irr_element_type_e type = problem->type;
    if (accurate) return type == IRR_F64 && irr_op_info(problem->op)->result ? n * 0x1p-900 : 0;
    if (type == IRR_F64) return n * 0x1p-1018;
    return type == IRR_F32 || type == IRR_BF16 ? n * 0x1p-123 : 0;
}

/* Rows of up to so many elements, for each byte of one, are sooner with one element in a lane, and
 * so many rows of columns; of columns that do not fill a vector, more: the narrower, but for pairs,
 * the more, and blocks of so many bytes by a grouped kernel. Many segments of few outputs are
 * sooner as columns of exact kernels, rows of bytes and words as rows but in blocks of segments. */
#define ELEMENTS_A_BYTE 4u
#define ROWS_A_BYTE 8u
#define NARROW_ROWS 64u
#define NARROW_BYTES 48u
#define NARROWER_ROWS 127u
#define NARROWER_COLUMNS 16u
#define GROUPED_BYTES 4096u
#define LEAST_OUTPUTS 64u

static bool is_small(const irr_small_op_t *small, const irr_problem_t *problem) {
    const irr_geometry_t *geometry = &problem->geometry;
    size_t bytes = irr_element_bytes(problem->type);
    if (geometry->set_size > small->most || geometry->set_size < 2) return false;
    const irr_run_t *last = geometry->runs + geometry->run_count - 1;
    size_t inner = last->reduced ? last->size : last[-1].size;
    if (inner < geometry->set_size && geometry->output_count < LEAST_OUTPUTS) return false;
    if (last->reduced)
        return (small->rows || geometry->run_count >= 4) && inner <= ELEMENTS_A_BYTE * bytes;
    bool narrow = last->size * bytes < NARROW_BYTES;
    bool narrower = narrow && last->size > 2 && last->size <= NARROWER_COLUMNS;
    size_t rows = narrower ? NARROWER_ROWS : narrow ? NARROW_ROWS : ROWS_A_BYTE * bytes;
    bool grouped = narrower || last->size == 2;
    grouped = grouped && !small->hopes && inner * last->size * bytes <= GROUPED_BYTES;
    return inner <= rows || grouped;
}

/* What folds and finishes a problem. */
static const irr_op_kernel_t *op_of(const irr_kernel_table_t *table, const irr_problem_t *problem) {
    const irr_small_op_t *small = &table->small_ops[problem->op][problem->type];
    const irr_op_kernel_t *op = &table->short_ops[problem->op][problem->type];
    if (!small->hopes && is_small(small, problem)) return &small->op;
    if (op->finish && op->fold != IRR_FOLD_PLAIN_PRODUCT) {
        const irr_element_type_info_t *type = irr_element_type_info(problem->type);
        size_t most = ((size_t)1 << type->bits) - 1;
        if (type->kind == IRR_KIND_SIGNED) most = (most + 1) / 2;
        if (problem->geometry.set_size <= (IRR_SHORT_SUMS - 1) / most) return op;
    }
    return &table->ops[problem->op][problem->type];
}

static irr_one_call_t one_call_of(const irr_layout_t *l, const irr_kernel_t *kernel, bool alone,
                                  size_t ahead) {
    irr_one_call_t call = {.count = l->kept, .length = l->rows, .width = l->width};
    bool leaf = l->inner == IRR_INNER_BAND || (l->width == 1 && l->leaves == 1);
    if (l->inner == IRR_INNER_ROWS) call.run = kernel->rows;
    if (l->inner == IRR_INNER_COLS) call.run = kernel->cols;
    bool grouped = l->width > 1 && l->group > 1 && l->leaves == 1 && !l->tree;
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
 * are FAR, eight are a band, and fewer go straight that are so long: shorter ones whose order is
 * free are sooner by bands (1.0x to 1.3x), of others the ends of rows, where lines are written both
 * ways, cost more than the rest brings (down to 0.2x). Those whose lines are called to the second
 * cache are sooner by what does that. */
#define MOST_STRAIGHT_BAND_ROWS 8u
#define MOST_STRAIGHT_FAR_ROWS 7u
#define FAR_FREE_BYTES 10000000u
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
        size_t least = is_free(&plan->problem) ? FAR_FREE_BYTES : FAR_STRAIGHT_BYTES;
        bool longer = l->width * plan->kernel->element_bytes >= least;
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

void irr_simd_lay_out(irr_simd_plan_t *plan, size_t tile_bytes, bool together) {
    const irr_problem_t *problem = &plan->problem;
    const irr_fused_t *fused = plan->fused;
    irr_lane_info_t info = {
        .lanes = plan->ordinary->lanes, .alone = !together, .waits = !plan->of_fused};
    info.accumulator_bytes = fused ? fused->accumulator_bytes : plan->kernel->accumulator_bytes;
    info.tile_accumulator_bytes = tile_bytes;
    info.element_bytes = plan->kernel->element_bytes;
    info.last_rows = plan->layout.last_rows;
    info.whole_rows = plan->whole_rows;
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
    /* What a grouped kernel reads behind rows must raise none of the flags that products go by, and
     * careful plans have none. */
    bool alone = !together && !fused && !plan->hopes;
    plan->one_call = one_call_of(&plan->layout, plan->kernel, alone, plan->ahead);
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
                                     (problem->type == IRR_F64 ? 600.0 : 300.0)};
}

/* By how much a kernel is slower than the fastest. */
static double slowness(const irr_problem_t *problem, const irr_kernel_t *kernel, irr_tier_e tier) {
    if (tier == IRR_TIER_SCALAR) return 16;
    if (kernel->exact) return 2;
    if (kernel->accumulator_bytes > sizeof(uint64_t)) return 6; /* states */
    return problem->type == IRR_F16 || problem->type == IRR_BF16 ? 2 : 1;
}

/* Lanes, tiles and tasks are those of the problem's ordinary kernel. */
static void aim(irr_simd_plan_t *plan, const irr_kernel_t *ordinary, const irr_config_t *config) {
    double slow = slowness(&plan->problem, ordinary, config->tier);
    double bytes = irr_simd_bytes(&plan->problem) * slow;
    irr_simd_read(plan, config, slow > 1);
    plan->ordinary = ordinary;
    if (plan->problem.geometry.set_size > 1)
        bytes += (double)plan->problem.geometry.output_count * BYTES_AN_OUTPUT;
    plan->cost = (irr_cost_t){bytes, config->threads, true};
    irr_simd_lay_out(plan, ordinary->accumulator_bytes, false);
}

static bool flags_tell(void) {
    irr_fp_env_t found = irr_fp_enter();
    bool tell = irr_fp_tells_rounding();
    irr_fp_leave(found);
    return tell;
}

static void take_op(irr_simd_plan_t *plan, const irr_op_kernel_t *op) {
    plan->op = op;
    plan->finish = op->finish;
    plan->kernel = irr_kernel_of(plan->table, op->fold, op->fold_type);
}

/* The correctly rounded plan, which float Sum, Mean, L1 and L2 have; false for others. */
static bool plan_accurately(irr_simd_plan_t *plan, const irr_problem_t *problem,
                            const irr_config_t *config) {
    const irr_kernel_table_t *table = irr_kernels(config->tier);
    const irr_op_kernel_t *ordinary = &table->ops[problem->op][problem->type];
    const irr_op_kernel_t *op = &table->accurate_ops[problem->op][problem->type];
    if (!op->finish) return false;
    *plan = (irr_simd_plan_t){.problem = *problem, .table = table, .accurate = true};
    take_op(plan, op);
    aim(plan, irr_kernel_of(table, ordinary->fold, ordinary->fold_type), config);
    return true;
}

/* Whether a root is that of nothing but zeros, whose squares might as well have underflowed: their
 * magnitudes tell. */
static bool plan_zeros(irr_simd_plan_t *plan, const irr_problem_t *problem,
                       const irr_config_t *config) {
    const irr_kernel_table_t *table = irr_kernels(config->tier);
    irr_finish_f finish = table->zero_finishes[problem->type];
    if (!finish || irr_op_info(problem->op)->result != IRR_RESULT_ROOT) return false;
    *plan = (irr_simd_plan_t){.problem = *problem, .table = table, .finish = finish};
    plan->kernel = &table->folds[IRR_FOLD_MAGNITUDES][problem->type];
    aim(plan, plan->kernel, config);
    return true;
}

/* A unit that several threads share would have several threads' flags. */
static bool is_shared(const irr_simd_plan_t *plan) {
    return plan->layout.segment_chunks * plan->layout.leaf_chunks > 1;
}

/* ACCURACY of small sets, whose sums are not rounded, or seldom. */
static bool plan_small_accurately(irr_simd_plan_t *plan, const irr_problem_t *problem,
                                  const irr_config_t *config) {
    const irr_kernel_table_t *table = irr_kernels(config->tier);
    const irr_small_op_t *small = &table->small_accurate_ops[problem->op][problem->type];
    bool hopes = small->hopes;
    if (problem->geometry.set_size > small->most || (hopes && !flags_tell())) return false;
    *plan = (irr_simd_plan_t){.problem = *problem, .table = table, .accurate = true};
    plan->hopes = hopes;
    plan->flags = hopes ? IRR_FP_INEXACT : 0;
    take_op(plan, &small->op);
    aim(plan, plan->kernel, config);
    return !hopes || !is_shared(plan);
}

/* What is sooner as long as what it counts on holds, or NULL: products stay in the range, integers
 * are small. */
static const irr_op_kernel_t *hopeful_op_of(const irr_kernel_table_t *table,
                                            const irr_problem_t *problem) {
    const irr_op_kernel_t *op = &table->short_ops[problem->op][problem->type];
    const irr_small_op_t *small = &table->small_ops[problem->op][problem->type];
    if (op->fold == IRR_FOLD_PLAIN_PRODUCT && flags_tell()) return op;
    return small->hopes && is_small(small, problem) ? &small->op : NULL;
}

static bool plan_hopefully(irr_simd_plan_t *plan, const irr_problem_t *problem,
                           const irr_config_t *config) {
    const irr_kernel_table_t *table = irr_kernels(config->tier);
    const irr_op_kernel_t *op = hopeful_op_of(table, problem);
    if (!op) return false;
    *plan = (irr_simd_plan_t){.problem = *problem, .table = table, .hopes = true};
    plan->flags = op->fold == IRR_FOLD_PLAIN_PRODUCT ? IRR_FP_OUT_OF_RANGE : 0;
    take_op(plan, op);
    aim(plan, plan->kernel, config);
    return !is_shared(plan);
}

static void plan_problem(irr_simd_plan_t *plan, const irr_problem_t *problem,
                         const irr_config_t *config) {
    const irr_kernel_table_t *table = irr_kernels(irr_simd_tier(problem, config));
    const irr_op_kernel_t *op = op_of(table, problem);
    bool one = problem->geometry.set_size == 1; /* is exact */
    bool accurate = config->accuracy && !one;
    if (accurate && plan_small_accurately(plan, problem, config)) return;
    if (accurate && plan_accurately(plan, problem, config)) return;
    if (!one && plan_hopefully(plan, problem, config)) return;
    *plan = (irr_simd_plan_t){.problem = *problem, .finish = op->finish};
    plan->kernel = irr_kernel_of(table, op->fold, op->fold_type);
    plan->table = irr_kernels(config->tier);
    plan->op = op_of(plan->table, problem);
    if (one) plan->one = plan->table->ones[problem->op][problem->type];
    aim(plan, plan->kernel, config);
}

void irr_simd_offer(const irr_problem_t *problem, const irr_config_t *config, irr_offer_t *offer) {
    /* Bytes a microsecond out of the second-level cache (16-bit floats: half), and what a result
     * costs; measured with irreduce_bench, rows of f32 sums. */
    static const double rate[IRR_TIER_COUNT] = {
        [IRR_TIER_SCALAR] = 4e3, [IRR_TIER_AVX2] = 8e4, [IRR_TIER_AVX512] = 9e4};
    static const char *const inner[] = {[IRR_INNER_ROWS] = "rows",
                                        [IRR_INNER_COLS] = "cols",
                                        [IRR_INNER_BAND] = "band",
                                        [IRR_INNER_TREE] = "tree"};
    const irr_element_type_info_t *type = irr_element_type_info(problem->type);
    if (!irr_kernels(config->tier)->ops[problem->op][problem->type].finish) {
        IRR_OFFER_SAY(offer, reason, "no kernel for %s of %s", irr_op_info(problem->op)->type,
                      type->name);
        return;
    }
    double outputs = (double)problem->geometry.output_count;
    double bytes = irr_simd_bytes(problem);
    offer->serves = true;
    if (problem->type == IRR_F16 || problem->type == IRR_BF16) bytes *= 2;
    offer->estimate_us = 0.01 + outputs * 0.002 + bytes / rate[config->tier];
    if (offer->wordless) return;
    irr_simd_plan_t plan;
    plan_problem(&plan, problem, config);
    offer->tier = plan.accurate ? config->tier : irr_simd_tier(problem, config);
    const irr_layout_t *l = &plan.layout;
    IRR_OFFER_SAY(offer, kernel, "%s%s_%s_%s", plan.accurate ? "accurate_" : "",
                  irr_op_info(problem->op)->word, type->name, plan.one ? "one" : inner[l->inner]);
    IRR_OFFER_SAY(offer, reason, "%s%s kernels, %zu x %zu of [%zu, %zu, %zu]",
                  irr_tier_name(offer->tier), plan.kernel->needs, l->blocks.total,
                  l->segments.total, l->kept, l->rows, l->width);
}

void irr_simd_release(void *state) {
    for (irr_simd_plan_t *plan = state, *again; plan; plan = again) {
        again = plan->again;
        irr_simd_release(plan->alone);
        irr_release(plan->careful);
        irr_release(plan);
    }
}

size_t irr_simd_unchunk_rungs(irr_simd_plan_t *plan) {
    size_t most = 0;
    for (irr_simd_plan_t *again = plan->again; again; again = again->again) {
        irr_layout_unchunk(&again->layout);
        most = irr_most(most, again->layout.slot_bytes);
    }
    return most;
}

/* For a hopeful plan, the careful one, of the same units. */
static bool add_careful(irr_simd_plan_t *plan) {
    irr_simd_plan_t *careful = irr_malloc(sizeof *careful);
    if (!careful) return false;
    *careful = *plan;
    const irr_problem_t *problem = &plan->problem;
    take_op(careful, plan->accurate ? &plan->table->accurate_ops[problem->op][problem->type]
                                    : &plan->table->ops[problem->op][problem->type]);
    irr_layout_widen(&plan->layout, plan->kernel->accumulator_bytes,
                     careful->kernel->accumulator_bytes, &careful->layout);
    careful->one_call = one_call_of(&careful->layout, careful->kernel, false, plan->ahead);
    careful->planes[0] = irr_plane_of(careful, 0);
    careful->slot_bytes = careful->layout.slot_bytes;
    plan->slot_bytes = irr_most(plan->slot_bytes, careful->slot_bytes);
    plan->careful = careful;
    return true;
}

/* Tiles of a unit looked at again must be those of the plan, which the number of threads has a say
 * in. */
static bool add_rungs(irr_simd_plan_t *plan, const irr_problem_t *problem,
                      const irr_config_t *config) {
    static bool (*const rungs[])(irr_simd_plan_t *, const irr_problem_t *,
                                 const irr_config_t *) = {plan_zeros, plan_accurately};
    irr_simd_plan_t again, **end = &plan->again;
    for (size_t i = 0; i < (plan->accurate ? 1 : 2); i++) {
        if (!rungs[i](&again, problem, config)) continue;
        *end = irr_malloc(sizeof again);
        if (!*end) return false;
        **end = again;
        end = &(*end)->again;
    }
    return true;
}

irr_status_e irr_simd_prepare(const irr_problem_t *problem, const irr_config_t *config,
                              void **state, size_t *scratch_bytes, irr_sentence_t sentence) {
    irr_simd_plan_t *plan = irr_malloc(sizeof *plan);
    irr_status_e status = IRR_OK;
    *state = NULL;
    if (!plan) return irr_out_of_memory(sentence, sizeof *plan);
    plan_problem(plan, problem, config);
    if ((plan->hopes && !add_careful(plan)) || !add_rungs(plan, problem, config))
        status = irr_out_of_memory(sentence, sizeof *plan);
    plan->slot_bytes += irr_simd_unchunk_rungs(plan);
    *scratch_bytes = plan->layout.tasks * plan->slot_bytes;
    if (status == IRR_OK && plan->layout.tasks > 1) {
        /* Tasks that one thread does one after another take longer than the whole, by up to a
         * quarter. */
        irr_config_t one = *config;
        void *alone;
        size_t bytes = 0;
        one.threads = 1;
        status = irr_simd_prepare(problem, &one, &alone, &bytes, sentence);
        plan->alone = alone;
        *scratch_bytes = irr_most(*scratch_bytes, bytes);
    }
    return IRR_GIVE(status, state, plan, irr_simd_release);
}
