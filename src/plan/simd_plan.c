/* What the SIMD backend offers and prepares for a problem.
 * Lives here: choices of kernels, scratch. May not: layouts (simd_layout.c), siblings
 * (simd_join.c), how data are read (simd_memory.c), data. SPDX-License-Identifier: Apache-2.0 */
#include "base/fp_env.h"
#include "base/memory.h"
#include "plan/simd.h"

/* A result of several elements takes as long as so many bytes that are read: 8 to 100. */
#define BYTES_AN_OUTPUT 32

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

static bool is_small(const irr_op_kernel_t *small, const irr_problem_t *problem) {
    const irr_geometry_t *geometry = &problem->geometry;
    size_t bytes = irr_element_bytes(problem->type);
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

/* ACCURACY of small sets, but where words are sooner. */
static bool goes_by_words(const irr_problem_t *problem) {
    const irr_run_t *last = problem->geometry.runs + problem->geometry.run_count - 1;
    return irr_element_bytes(problem->type) == 2 && !last->reduced &&
           last->size >= IRR_BLOCK_COLUMNS && last[-1].size >= IRR_BLOCK_ROWS;
}

/* By how much a kernel is slower than the fastest: most of those that compilers make vectors of. */
static double slowness(const irr_problem_t *problem, const irr_kernel_t *kernel, irr_tier_e tier) {
    const bool half = problem->type == IRR_F16 || problem->type == IRR_BF16;
    if (tier == IRR_TIER_SCALAR) return half ? 16 : 4;
    if (kernel->exact) return 2;
    if (kernel->accumulator_bytes > sizeof(uint64_t)) return 6; /* states */
    return half ? 2 : 1;
}

/* Rows that are folded last: each of a leaf is a rounding more for an element of the first, and so
 * is each leaf. Accurate sums are merged row by row, as are those products of floats that a hopeful
 * plan and its careful one must agree on: no more than a leaf. The same for all plans of a problem.
 */
#define MOST_LAST_ROWS 256u

static size_t most_last_rows(const irr_simd_plan_t *plan, const irr_config_t *config) {
    bool floats = irr_element_type_info(plan->problem.type)->kind == IRR_KIND_FLOAT;
    bool accurate = config->accuracy && irr_simd_op_of(plan, IRR_PATH_ACCURATE);
    bool product = floats && plan->problem.op == IRR_OP_PROD;
    return accurate || product ? IRR_LEAF_STEPS : MOST_LAST_ROWS;
}

/* Lanes, tiles and tasks are those of an `ordinary` kernel: of the problem's, where it may have to
 * be looked at again, or looks itself. */
static void aim(irr_simd_plan_t *plan, const irr_kernel_t *ordinary, const irr_config_t *config) {
    double slow = slowness(&plan->problem, ordinary, config->tier);
    double bytes = irr_simd_bytes(&plan->problem) * slow;
    irr_simd_read(plan, config, slow > 1);
    plan->ordinary = ordinary;
    plan->most_last_rows = most_last_rows(plan, config);
    if (plan->problem.geometry.set_size > 1)
        bytes += (double)plan->problem.geometry.output_count * BYTES_AN_OUTPUT;
    plan->cost = (irr_cost_t){bytes, config->threads, true};
    irr_simd_lay_out(plan, ordinary->accumulator_bytes, false);
}

void irr_simd_take(irr_simd_plan_t *plan, const irr_op_kernel_t *op) {
    plan->op = op;
    plan->finish = op->finish;
    plan->kernel = irr_kernel_of(plan->table, op->fold, op->fold_type);
}

static bool flags_tell(void) {
    irr_fp_env_t found = irr_fp_enter();
    bool tell = irr_fp_tells_rounding();
    irr_fp_leave(found);
    return tell;
}

/* What folds and finishes a problem by that path; NULL: nothing, or it is not sooner. */
static const irr_op_kernel_t *op_by(irr_path_e path, const irr_kernel_table_t *table,
                                    const irr_problem_t *problem) {
    const irr_op_kernel_t *op = irr_op_kernel_of(table, path, problem->op, problem->type);
    if (!op || (op->most && problem->geometry.set_size > op->most)) return NULL;
    if (path == IRR_PATH_SMALL && !is_small(op, problem)) return NULL;
    if (path == IRR_PATH_SMALL_ACCURATE && goes_by_words(problem)) return NULL;
    return op->flags && !flags_tell() ? NULL : op;
}

/* A unit that several threads share would have several threads' flags. */
static bool is_shared(const irr_simd_plan_t *plan) {
    return plan->layout.segment_chunks * plan->layout.leaf_chunks > 1;
}

static bool plan_by(irr_path_e path, irr_simd_plan_t *plan, const irr_problem_t *problem,
                    const irr_config_t *config) {
    const irr_kernel_table_t *table = irr_kernels(config->tier);
    const irr_op_kernel_t *op = op_by(path, table, problem);
    if (!op) return false;
    *plan = (irr_simd_plan_t){.problem = *problem, .table = table};
    plan->accurate = path <= IRR_PATH_ACCURATE;
    plan->hopes = op->hopes;
    plan->flags = op->flags;
    irr_simd_take(plan, op);
    const irr_kernel_t *ordinary = plan->kernel;
    if (path == IRR_PATH_ORDINARY) {
        table = irr_kernels(irr_simd_tier(problem, config));
        plan->kernel = ordinary = irr_kernel_of(table, op->fold, op->fold_type);
    } else if (path == IRR_PATH_ACCURATE) {
        op = irr_simd_op_of(plan, IRR_PATH_ORDINARY);
        ordinary = irr_kernel_of(table, op->fold, op->fold_type);
    }
    aim(plan, ordinary, config);
    return !plan->hopes || !is_shared(plan);
}

/* Whether a root is that of nothing but zeros, whose squares might as well have underflowed: their
 * magnitudes tell. */
static bool plan_zeros(irr_simd_plan_t *plan, const irr_problem_t *problem,
                       const irr_config_t *config) {
    const irr_kernel_table_t *table = irr_kernels(config->tier);
    irr_finish_f finish = table->zero_finishes[problem->type];
    if (!finish || irr_op_info(problem->op)->result != IRR_RESULT_ROOT) return false;
    if (config->accuracy && problem->type != IRR_F64) return false; /* f64 holds all squares */
    *plan = (irr_simd_plan_t){.problem = *problem, .table = table, .finish = finish};
    plan->kernel = &table->folds[IRR_FOLD_MAGNITUDES][problem->type];
    aim(plan, plan->kernel, config);
    return true;
}

/* The first path that there is; of one element, all are exact. */
static void plan_problem(irr_simd_plan_t *plan, const irr_problem_t *problem,
                         const irr_config_t *config) {
    bool one = problem->geometry.set_size == 1;
    irr_path_e path = one                ? IRR_PATH_ORDINARY
                      : config->accuracy ? IRR_PATH_SMALL_ACCURATE
                                         : IRR_PATH_SMALL;
    while (!plan_by(path, plan, problem, config)) path++;
    if (one) plan->one = plan->table->ones[problem->op][problem->type];
}

void irr_simd_offer(const irr_problem_t *problem, const irr_config_t *config, irr_offer_t *offer) {
    /* Bytes a microsecond out of the second-level cache (16-bit floats: half), and what a result
     * costs; measured with irreduce_bench, rows of f32 sums. */
    static const double rate[IRR_TIER_COUNT] = {
        [IRR_TIER_SCALAR] = 4e4, [IRR_TIER_AVX2] = 8e4, [IRR_TIER_AVX512] = 9e4};
    static const char *const inner[] = {[IRR_INNER_ROWS] = "rows",
                                        [IRR_INNER_COLS] = "cols",
                                        [IRR_INNER_BAND] = "band",
                                        [IRR_INNER_TREE] = "tree"};
    const irr_element_type_info_t *type = irr_element_type_info(problem->type);
    const irr_kernel_table_t *table = irr_kernels(config->tier);
    if (!irr_op_kernel_of(table, IRR_PATH_ORDINARY, problem->op, problem->type)) {
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
    irr_simd_take(careful,
                  irr_simd_op_of(plan, plan->accurate ? IRR_PATH_ACCURATE : IRR_PATH_ORDINARY));
    irr_layout_widen(&plan->layout, plan->kernel->accumulator_bytes,
                     careful->kernel->accumulator_bytes, &careful->layout);
    careful->one_call = irr_one_call_of(&careful->layout, careful->kernel, false, plan->ahead);
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
    irr_simd_plan_t again, **end = &plan->again;
    for (int i = 0; i < (plan->accurate ? 1 : 2); i++) {
        if (!(i == 0 ? plan_zeros(&again, problem, config)
                     : plan_by(IRR_PATH_ACCURATE, &again, problem, config)))
            continue;
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
