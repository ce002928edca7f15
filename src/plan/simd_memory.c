/* How the data of a problem are read: what is near and what is far, and what processors want then.
 * Lives here: the borders of memory. May not: layouts, kernels' calls (simd_walk.c).
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/simd.h"

/* More than a last cache of 32 MB holds, which others use as well. Asked for by pieces, where the
 * processor lags, it comes 1.05x to 1.5x as fast, the more the busier the memory is; out of a
 * cache, 0.95x. Columns as they lie: from here on 1.1x to 2.3x, at half of it 0.5x to 1.05x. */
#define BEYOND_BYTES 20e6
/* More than the nearer caches hold, and a last one has left to us: wide columns by strips are up to
 * 1.35x as fast below it, up to 1.7x as slow above; FAR, 1.2x as slow at 4 MB, too. There lines of
 * bands that are much to do are called for from here on; of less than 8 MB that takes 1.1x. */
#define BYTES_BEYOND_NEAR_CACHES 10e6
/* Lines that are called to the second cache, on Zen 4: long rows of columns come up to 1.6x sooner
 * from here on, those that are much work up to 2.7x from where bands begin, shorter ones 0.5x. */
#define BEYOND_BYTES_OF_COLUMNS 15e6
#define LONG_COLUMNS_BYTES 700

/* Squares of columns, on Zen 4: one thread has rows lie from here on (IRR_STEPS_OUT), 1.0x to 2.0x
 * as fast as by bands; two, which have more of the nearer caches, 0.5x to 1.2x. */
#define OUT_BYTES_OF_ONE 17e6

/* Twice what a last cache holds, on Zen 4, so that nothing of it is left there: rows of columns
 * that are 1 or 2 KB come up to 1.4x sooner where lines are called for but a little ahead (of 24 MB
 * 0.5x; of two threads, which wait for the memory, 1.0x). */
#define COLD_BYTES 75e6

/* More than the nearest cache holds, and no more than the second ones: vectors of columns across
 * lines are made of two lines, or these are called for (FAR, of exact sums alone, but up
 * to 10 MB: 1.0x to 1.2x); where the processor is FAR, rows are taken as they lie, 1.05x to 1.6x as
 * fast as by strips or bands, out of the nearest cache 0.55x (no thread's share is that small). One
 * thread takes rows that are no longer than this so out of the last cache, too: 1.05x to 1.2x up to
 * 10 MB, 0.8x to 1.0x of 20 MB; two 0.9x to 1.1x, longer rows 0.8x to 1.1x. */
#define BYTES_MADE_OF_LINES 40e3
#define BYTES_AS_THEY_LIE 50e3
#define BYTES_OF_A_ROW 16384

/* Of more for each thread, lines are called for, of rows so far ahead, where the processor's
 * prefetching is not helped otherwise: with more to do for each line than a load and a sum, it does
 * not look as far ahead by itself as memory is away. From memory 1.1x to 1.35x, what has least to
 * do 1.0x; out of the last cache 1.0x to 1.1x. Where it is FAR, of rows alone: from memory 1.0x to
 * 1.35x, out of the last cache 1.0x to 1.15x, of 1.2 MB 0.9x. */
#define BYTES_CALLED_FOR 2e6
#define AHEAD_BYTES 8192u

double irr_simd_bytes(const irr_problem_t *problem) {
    double elements = (double)problem->geometry.output_count * (double)problem->geometry.set_size;
    return elements * (irr_element_type_info(problem->type)->bits / 8);
}

/* How many bytes of each row lie side by side: of rows that are reduced, or of columns; else 0. */
static size_t row_bytes(const irr_problem_t *problem, bool reduced) {
    const irr_run_t *runs = problem->geometry.runs;
    size_t count = problem->geometry.run_count;
    if (count == 0 || runs[count - 1].reduced != reduced) return 0;
    return runs[count - 1].size * irr_element_bytes(problem->type);
}

void irr_simd_read(irr_simd_plan_t *plan, const irr_config_t *config, bool slow) {
    const bool vectors = config->tier != IRR_TIER_SCALAR;
    const bool far = config->prefetch == IRR_PREFETCH_FAR;
    double bytes = irr_simd_bytes(&plan->problem), border = BEYOND_BYTES;
    if (!far && row_bytes(&plan->problem, false) >= LONG_COLUMNS_BYTES)
        border = slow ? BYTES_BEYOND_NEAR_CACHES : BEYOND_BYTES_OF_COLUMNS;
    bool large = bytes > BYTES_BEYOND_NEAR_CACHES, bands = far || large;
    bool calls = vectors && config->prefetch == IRR_PREFETCH_SOUND;
    plan->beyond = vectors && bytes > border;
    plan->asks = config->prefetch == IRR_PREFETCH_LAGS && plan->beyond;
    bool out = plan->asks && bytes > (config->threads == 1 ? OUT_BYTES_OF_ONE : BEYOND_BYTES);
    bool cold = out && config->threads == 1 && bytes > COLD_BYTES;
    bool called = bytes > BYTES_CALLED_FOR * config->threads;
    bool second = vectors && !called;
    bool alone =
        config->threads == 1 && !large && row_bytes(&plan->problem, false) <= BYTES_OF_A_ROW;
    bool across = far ? vectors && plan->kernel->exact && !large : calls && second;
    bool near = far && vectors && (second || alone) && bytes > BYTES_AS_THEY_LIE;
    bool lie = plan->beyond ? far || plan->asks : near;
    plan->ahead = vectors && config->prefetch != IRR_PREFETCH_LAGS && called ? AHEAD_BYTES : 0;
    plan->how =
        IRR_STEPS_FIRST | (bands ? IRR_STEPS_BANDS : 0) | (plan->beyond ? IRR_STEPS_BEYOND : 0) |
        (far && vectors ? IRR_STEPS_FAR : 0) | (far && vectors && large ? IRR_STEPS_FURTHER : 0) |
        (plan->asks ? IRR_STEPS_CALL : 0) | (out ? IRR_STEPS_OUT : 0) |
        (cold ? IRR_STEPS_COLD : 0) | (calls && called ? IRR_STEPS_AHEAD : 0) |
        (across && bytes > BYTES_MADE_OF_LINES ? IRR_STEPS_LINES : 0) | (lie ? IRR_STEPS_LIE : 0);
    /* Accumulators that are correctly rounded are too wide for whole rows of them. */
    plan->whole_rows = plan->beyond && !far && !config->accuracy;
    plan->few_rows = plan->beyond && far && !config->accuracy;
}

/* Where the processor lags, rows of more than the nearer caches hold are read sooner by vectors of
 * 32 bytes than of 64, which ask for lines faster than they can be fetched ahead (by up to a
 * fifth), unless those need more instructions. No bit depends on it. */
#define LONG_ROW_BYTES 512

irr_tier_e irr_simd_tier(const irr_problem_t *problem, const irr_config_t *config) {
    irr_fold_e fold =
        irr_op_kernel_of(irr_kernels(config->tier), IRR_PATH_ORDINARY, problem->op, problem->type)
            ->fold;
    const irr_element_type_info_t *type = irr_element_type_info(problem->type);
    if (config->tier != IRR_TIER_AVX512) return config->tier;
    bool order = fold == IRR_FOLD_MIN || fold == IRR_FOLD_MAX;
    bool wide = fold == IRR_FOLD_SQUARES || fold == IRR_FOLD_WIDE_SUM;
    bool more = fold == IRR_FOLD_PRODUCT || (order && problem->type == IRR_F64) ||
                (wide && type->kind != IRR_KIND_FLOAT);
    bool sooner = config->prefetch == IRR_PREFETCH_LAGS &&
                  irr_simd_bytes(problem) > BYTES_BEYOND_NEAR_CACHES && !config->beside && !more &&
                  row_bytes(problem, true) >= LONG_ROW_BYTES;
    return sooner ? IRR_TIER_AVX2 : IRR_TIER_AVX512;
}
