/* Wide columns and those from beyond the caches are taken in another order than others, rows of
 * more bytes than the nearest cache by lines: every kernel of every tier that this CPU has makes
 * the same accumulators of them, and of several leaves in one call those of their tree.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_WIDTH = 4200, MOST_ROWS = 256, MOST_BYTES = 1 << 18, ROUNDS = 12 };
enum { MOST_ROW_BYTES = 26000 }; /* now and then: more than whole rows whose states stay near */
enum { VECTOR_BYTES = 32 };      /* of the least tier that has such kernels */
/* Accumulators are up to eight times as wide as elements, of wide ones up to 16 bytes. */
enum { PLANE_BYTES = MOST_ROW_BYTES * 8 + IRR_ACCUMULATOR_SLACK_BYTES };

static uint64_t stream = 1;
static size_t below(size_t limit) {
    stream = stream * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(stream >> 33) % limit;
}

/* [rows, width], the first of each `stride` elements; nothing can be read behind the last row. */
typedef struct {
    size_t rows, width, stride;
    char *data;
} matrix_t;

/* Floats whose highest byte is 0x3f or 0xbf: near one, of either sign; or now and then 0. */
static void draw(matrix_t *m, irr_element_type_e type, size_t most_rows, bool zeros) {
    const irr_element_type_info_t *info = irr_element_type_info(type);
    size_t element = info->bits / 8;
    m->width = 1 + below(below(3) ? 300 : below(4) ? MOST_WIDTH : MOST_ROW_BYTES / element);
    m->stride = m->width + (below(4) ? 0 : below(20));
    m->rows = 1 + below(below(2) ? 12 : most_rows);
    if (m->rows * m->stride * element > MOST_BYTES) m->rows = MOST_BYTES / (m->stride * element);
    size_t count = (m->rows - 1) * m->stride + m->width;
    m->data = malloc(count * element);
    assert_non_null(m->data);
    for (size_t i = 0; i < count * element; i++) m->data[i] = (char)below(256);
    for (size_t i = 0; i < count && info->kind == IRR_KIND_FLOAT; i++) {
        m->data[i * element + element - 1] = (char)(below(2) ? 0x3f : 0xbf);
        if (zeros && below(500) == 0) memset(m->data + i * element, 0, element);
    }
}

/* Wide ones, and as processors of each kind take those from beyond. */
static const unsigned ways[] = {
    IRR_STEPS_LINES,
    IRR_STEPS_LINES | IRR_STEPS_BANDS,
    IRR_STEPS_BANDS,
    IRR_STEPS_BANDS | IRR_STEPS_BEYOND,
    IRR_STEPS_AHEAD,
    IRR_STEPS_BANDS | IRR_STEPS_AHEAD,
    IRR_STEPS_BANDS | IRR_STEPS_BEYOND | IRR_STEPS_AHEAD,
    IRR_STEPS_BANDS | IRR_STEPS_FAR | IRR_STEPS_LIE,
    IRR_STEPS_BANDS | IRR_STEPS_BEYOND | IRR_STEPS_FAR | IRR_STEPS_LIE,
    IRR_STEPS_BANDS | IRR_STEPS_BEYOND | IRR_STEPS_FAR | IRR_STEPS_FURTHER,
    IRR_STEPS_BANDS | IRR_STEPS_BEYOND | IRR_STEPS_CALL,
    IRR_STEPS_BANDS | IRR_STEPS_BEYOND | IRR_STEPS_CALL | IRR_STEPS_LIE,
    IRR_STEPS_BANDS | IRR_STEPS_BEYOND | IRR_STEPS_CALL | IRR_STEPS_LIE | IRR_STEPS_OUT,
    IRR_STEPS_BANDS | IRR_STEPS_BEYOND | IRR_STEPS_CALL | IRR_STEPS_LIE | IRR_STEPS_OUT |
        IRR_STEPS_COLD,
    IRR_STEPS_BANDS | IRR_STEPS_BEYOND | IRR_STEPS_CALL | IRR_STEPS_BLOCK,
    IRR_STEPS_BANDS | IRR_STEPS_BEYOND | IRR_STEPS_CALL | IRR_STEPS_BESIDE};
enum { WAYS = sizeof ways / sizeof *ways };

/* What both make, at first and onto that; planes of a fused kernel stand `apart`. */
static _Alignas(64) char near_sums[IRR_FOLD_COUNT * PLANE_BYTES],
    far_sums[IRR_FOLD_COUNT * PLANE_BYTES];

/* Which NaN an accumulator of Min and Max is, is left open: what is made of it is not. */
static void finish_order(const irr_kernel_table_t *table, irr_fold_e fold, irr_element_type_e type,
                         char *sums, size_t n) {
    static char results[PLANE_BYTES];
    irr_op_e op = fold == IRR_FOLD_MIN ? IRR_OP_MIN : IRR_OP_MAX;
    table->ops[IRR_PATH_ORDINARY][op][type].finish(results, sums, n, &(irr_set_t){.count = 1});
    memcpy(sums, results, n * irr_element_bytes(type));
}

/* Infinities and zeros of both signs; in most matrices one NaN, which no other hides. */
static void draw_order(matrix_t *m, irr_element_type_e type) {
    draw(m, type, MOST_ROWS, false);
    size_t element = irr_element_bytes(type), count = (m->rows - 1) * m->stride + m->width;
    size_t nans = below(4) ? 1 : below(40), others = below(2) * below(1 + count / 20);
    const unsigned bits = type == IRR_F64 ? 52 : type == IRR_F32 ? 23 : type == IRR_F16 ? 10 : 7;
    const uint64_t top = ((uint64_t)1 << (8 * element - 1)) - ((uint64_t)1 << bits);
    for (size_t k = 0; k < others + nans; k++) {
        uint64_t x = k < others ? below(2) * top : top + 1 + below((size_t)1 << (bits / 2));
        if (below(2)) x |= (uint64_t)1 << (bits - 1) & -(uint64_t)(k >= others); /* a quiet one */
        x |= (uint64_t)below(2) << (8 * element - 1);
        memcpy(m->data + below(count) * element, &x, element);
    }
}

static void check_order(const irr_kernel_table_t *table, irr_fold_e fold, irr_element_type_e type) {
    const irr_kernel_t *kernel = &table->folds[fold][type];
    matrix_t m;
    draw_order(&m, type);
    const char *last = m.data + (m.rows - 1) * m.stride * irr_element_bytes(type);
    for (unsigned i = 0; i < 2 * WAYS; i++) {
        const unsigned first = i % 2 ? 0 : IRR_STEPS_FIRST, how = first | ways[i / 2];
        kernel->steps(near_sums, last, m.stride, 1, m.width, IRR_STEPS_FIRST);
        kernel->steps(far_sums, last, m.stride, 1, m.width, IRR_STEPS_FIRST);
        kernel->steps(near_sums, m.data, m.stride, m.rows, m.width, first);
        kernel->steps(far_sums, m.data, m.stride, m.rows, m.width, how);
        finish_order(table, fold, type, near_sums, m.width);
        finish_order(table, fold, type, far_sums, m.width);
        if (memcmp(near_sums, far_sums, m.width * kernel->element_bytes) != 0)
            fail_msg("%s, NaNs: [%zu, %zu of %zu], %u", kernel->name, m.rows, m.width, m.stride,
                     how);
    }
    free(m.data);
}

/* Where a kernel makes the tree of several leaves, it does so before it is asked how. */
static size_t most_rows(uint32_t strip) { return strip ? IRR_LEAF_STEPS : MOST_ROWS; }

static void check_kernel(const irr_kernel_t *kernel, irr_element_type_e type) {
    matrix_t m;
    draw(&m, type, most_rows(kernel->strip), below(2));
    for (unsigned i = 0; i < 2 * WAYS; i++) {
        unsigned first = i % 2 ? 0 : IRR_STEPS_FIRST, how = first | ways[i / 2];
        kernel->steps(near_sums, m.data, m.stride, m.rows, m.width, first);
        kernel->steps(far_sums, m.data, m.stride, m.rows, m.width, how);
        if (memcmp(near_sums, far_sums, m.width * kernel->accumulator_bytes) != 0)
            fail_msg("%s: [%zu, %zu of %zu], %u", kernel->name, m.rows, m.width, m.stride, how);
    }
    free(m.data);
}

/* Many rows in one call, which begin anywhere in a line, and one by one. */
static void check_rows(const irr_kernel_t *kernel, irr_element_type_e type) {
    matrix_t m;
    /* The exponent of a product that is 0 is any. */
    draw(&m, type, MOST_ROWS, below(2) && strncmp(kernel->name, "PRODUCT", 7) != 0);
    size_t bytes = kernel->element_bytes, all = (m.rows - 1) * m.stride + m.width;
    size_t length = 1 + below(all < 2000 ? all : 2000), count = all / length;
    if (count > MOST_WIDTH) count = MOST_WIDTH;
    kernel->rows(near_sums, m.data, count, length, below(2) * 8192); /* ahead: changes no bit */
    for (size_t i = 0; i < count; i++) {
        kernel->rows(far_sums, m.data + i * length * bytes, 1, length, 0);
        if (memcmp(near_sums + i * kernel->accumulator_bytes, far_sums, kernel->accumulator_bytes))
            fail_msg("%s: row %zu of [%zu, %zu]", kernel->name, i, count, length);
    }
    free(m.data);
}

static uint32_t makes_trees(const irr_fused_t *fused, irr_element_type_e type) {
    return irr_element_type_info(type)->kind == IRR_KIND_FLOAT ? fused->strip : 0;
}

/* Some leaves and their tree, call by call: T(n) of kernels.h, into the first of `nodes`. */
static void make_tree(const irr_kernel_t *kernel, const matrix_t *m, size_t leaf, size_t leaves,
                      char (*nodes)[PLANE_BYTES]) {
    const size_t row = leaf * IRR_LEAF_STEPS, rest = m->rows - row;
    if (leaves == 1) {
        kernel->steps(*nodes, m->data + row * m->stride * kernel->element_bytes, m->stride,
                      rest < IRR_LEAF_STEPS ? rest : IRR_LEAF_STEPS, m->width, IRR_STEPS_FIRST);
        return;
    }
    size_t left = 1;
    while (2 * left < leaves) left *= 2;
    make_tree(kernel, m, leaf, left, nodes);
    make_tree(kernel, m, leaf + left, leaves - left, nodes + 1);
    kernel->merge(nodes[0], nodes[1], m->width);
}

static void compare_tree(const irr_kernel_t *kernel, const matrix_t *m, const char *sums) {
    static _Alignas(64) char nodes[5][PLANE_BYTES];
    make_tree(kernel, m, 0, (m->rows + IRR_LEAF_STEPS - 1) / IRR_LEAF_STEPS, nodes);
    if (memcmp(sums, nodes[0], m->width * kernel->accumulator_bytes) != 0)
        fail_msg("%s: [%zu, %zu of %zu], the tree", kernel->name, m->rows, m->width, m->stride);
}

/* Leaves in one call, however it is asked for, of any width; alone, and each of those fused. Merges
 * read whole vectors, so there is something of the kernel's behind the last accumulator, too. */
static void check_tree(const irr_kernel_t *kernel, irr_element_type_e type) {
    matrix_t m;
    draw(&m, type, IRR_ROW_LEAVES * IRR_LEAF_STEPS, below(2));
    const unsigned how = IRR_STEPS_FIRST | ways[below(WAYS)];
    const size_t bytes = m.width * kernel->accumulator_bytes;
    memset(near_sums + bytes, 1, VECTOR_BYTES);
    memset(far_sums, 1, VECTOR_BYTES);
    kernel->steps(near_sums, m.data, m.stride, m.rows, m.width, how);
    compare_tree(kernel, &m, near_sums);
    if (bytes % VECTOR_BYTES && memcmp(near_sums + bytes, far_sums, kernel->accumulator_bytes) == 0)
        fail_msg("%s: [%zu, %zu of %zu], %u: nothing behind", kernel->name, m.rows, m.width,
                 m.stride, how);
    free(m.data);
}

static void check_fused_trees(const irr_kernel_table_t *table, const irr_fused_t *fused,
                              irr_element_type_e type) {
    matrix_t m;
    size_t at = 0;
    draw(&m, type, IRR_ROW_LEAVES * IRR_LEAF_STEPS, below(2));
    fused->steps(near_sums, 0, PLANE_BYTES, m.data, m.stride, m.rows, m.width,
                 IRR_STEPS_FIRST | ways[below(WAYS)]);
    for (unsigned fold = 0; fold < IRR_FOLD_COUNT; fold++) {
        if (!(fused->folds >> fold & 1)) continue;
        compare_tree(irr_kernel_of(table, (irr_fold_e)fold, type), &m, near_sums + at);
        at += PLANE_BYTES;
    }
    free(m.data);
}

static void check_fused(const irr_kernel_table_t *table, const irr_fused_t *fused,
                        irr_element_type_e type) {
    matrix_t m;
    draw(&m, type, most_rows(makes_trees(fused, type)), below(2));
    memset(near_sums, 0, sizeof near_sums);
    memset(far_sums, 0, sizeof far_sums);
    fused->steps(near_sums, 0, PLANE_BYTES, m.data, m.stride, m.rows, m.width, IRR_STEPS_FIRST);
    for (unsigned i = 0; i < WAYS; i++) {
        fused->steps(far_sums, 0, PLANE_BYTES, m.data, m.stride, m.rows, m.width,
                     IRR_STEPS_FIRST | ways[i]);
        size_t at = 0;
        for (unsigned fold = 0; fold < IRR_FOLD_COUNT; fold++) {
            if (!(fused->folds >> fold & 1)) continue;
            size_t bytes = irr_kernel_of(table, (irr_fold_e)fold, type)->accumulator_bytes;
            if (memcmp(near_sums + at, far_sums + at, m.width * bytes) != 0)
                fail_msg("fold %u of type %d, fused: [%zu, %zu of %zu], %u", fold, (int)type,
                         m.rows, m.width, m.stride, ways[i]);
            at += PLANE_BYTES;
        }
    }
    free(m.data);
}

static void test_tier(irr_tier_e tier) {
    const irr_kernel_table_t *table = irr_kernels(tier);
    for (unsigned t = 0; t < IRR_ELEMENT_TYPE_COUNT; t++) {
        irr_element_type_e type = (irr_element_type_e)t;
        for (unsigned fold = 0; fold < IRR_FOLD_COUNT; fold++) {
            const irr_kernel_t *own = &table->folds[fold][t];
            /* ACCURACY's states have any accumulators with the right answer: test_accuracy.c. */
            if (fold >= IRR_FOLD_ACCURATE_VALUE && own->accumulator_bytes > sizeof(double))
                continue;
            const irr_kernel_t *best = irr_kernel_of(table, (irr_fold_e)fold, type);
            for (unsigned i = 0; i < ROUNDS && own->name; i++) {
                check_kernel(own, type);
                if (own->rows) check_rows(own, type);
                if (own->strip) check_tree(own, type);
            }
            for (unsigned i = 0; i < ROUNDS && best != own; i++) check_kernel(best, type);
            bool order = fold == IRR_FOLD_MIN || fold == IRR_FOLD_MAX;
            for (unsigned i = 0; i < ROUNDS && order && own->name; i++)
                check_order(table, (irr_fold_e)fold, type);
        }
        for (unsigned k = 0; k < IRR_MOST_FUSED; k++)
            for (unsigned i = 0; i < ROUNDS && irr_fused_of(table, type, k)->folds; i++) {
                const irr_fused_t *fused = irr_fused_of(table, type, k);
                check_fused(table, fused, type);
                if (makes_trees(fused, type)) check_fused_trees(table, fused, type);
            }
    }
}

static void test_tiers(void **state) {
    (void)state;
    if (getenv("IRR_TEST_SEED")) stream = strtoull(getenv("IRR_TEST_SEED"), NULL, 0);
    print_message("IRR_TEST_SEED=%llu\n", (unsigned long long)stream);
    for (int tier = 0; tier <= (int)irr_cpu_best_tier(); tier++) test_tier((irr_tier_e)tier);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
