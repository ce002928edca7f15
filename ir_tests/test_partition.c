/* How work is cut for 1 to 256 threads, simulated: no machine of the tests has so many. Every
 * element is in one task, what threads do is even within a tenth, outputs of two tasks seldom share
 * a line, and the answer's bits stay (on as many threads as tasks can be drawn by, in any order).
 * SPDX-License-Identifier: Apache-2.0 */
#include "device_graph.h"
#include "kernel/kernels.h"
#include "plan/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_THREADS = 256 };
#define MIB ((size_t)1 << 20)

static uint64_t stream;
static size_t below(size_t limit) {
    stream = stream * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(stream >> 33) % limit;
}

/* Elements of the task. */
static size_t work_of(const irr_layout_t *l, size_t task) {
    size_t chunks = l->segment_chunks * l->leaf_chunks, first, end, work = 0;
    if (chunks == 1)
        irr_layout_share(l, task, &first, &end);
    else
        first = task / chunks, end = first + 1;
    for (; first < end; first++) {
        size_t column = first % l->tiles_width * l->tile_width;
        size_t tile = first / l->tiles_width % l->tiles_kept;
        size_t row = irr_cut_at(&l->kept_of_tiles, tile);
        size_t kept = irr_least(irr_cut_at(&l->kept_of_tiles, tile + 1), l->kept) - row;
        size_t width = l->width - column < l->tile_width ? l->width - column : l->tile_width;
        size_t segments = l->segments.total, rows = l->rows;
        size_t block = first / l->tiles_width / l->tiles_kept * l->tile_blocks;
        size_t blocks =
            l->blocks.total - block < l->tile_blocks ? l->blocks.total - block : l->tile_blocks;
        if (chunks > 1) {
            size_t from = task / l->leaf_chunks % l->segment_chunks * l->chunk_segments;
            segments = segments - from < l->chunk_segments ? segments - from : l->chunk_segments;
            size_t leaf_rows = l->leaf_steps * l->group * l->chunk_leaves;
            size_t done = task % l->leaf_chunks * leaf_rows;
            if (l->leaf_chunks > 1) rows = rows - done < leaf_rows ? rows - done : leaf_rows;
        }
        work += blocks * kept * width * segments * rows;
    }
    return work;
}

/* Threads draw the tasks of their own shares, then what others leave; the time when the last one
 * ends. */
static size_t makespan(const irr_layout_t *l, size_t *total) {
    size_t busy[MOST_THREADS] = {0}, next[MOST_THREADS], end[MOST_THREADS], longest = 0;
    size_t seats = irr_least(l->threads, l->tasks);
    for (size_t s = 0, task = 0; s < seats; s++) {
        next[s] = task;
        end[s] = task += l->tasks / seats + (s < l->tasks % seats);
    }
    *total = 0;
    for (size_t t = 0; t < l->tasks; t++) {
        size_t thread = 0;
        for (size_t s = 1; s < seats; s++)
            if (busy[s] < busy[thread]) thread = s;
        size_t seat = thread;
        while (next[seat] == end[seat]) seat = (seat + 1) % seats;
        size_t work = work_of(l, next[seat]++);
        *total += work;
        busy[thread] += work;
        if (busy[thread] > longest) longest = busy[thread];
    }
    return longest;
}

/* Of a unit as wide as its block. */
static size_t first_output(const irr_layout_t *l, size_t unit) {
    size_t row = irr_cut_at(&l->kept_of_tiles, unit % l->tiles_kept);
    return (unit / l->tiles_kept * l->kept + row) * l->width;
}

/* Lines of the output in which two tasks with whole units write. */
static size_t shared_lines(const irr_layout_t *l, size_t element_bytes) {
    size_t shared = 0, last_line = SIZE_MAX;
    for (size_t t = 0; t < l->tasks && l->tiles_width == 1; t++) {
        size_t first, end;
        irr_layout_share(l, t, &first, &end);
        size_t from = first_output(l, first) * element_bytes;
        shared += from / 64 == last_line && from % 64;
        last_line = (first_output(l, end) * element_bytes - 1) / 64;
    }
    return shared;
}

static void seed(void) {
    stream = getenv("IRR_TEST_SEED") ? strtoull(getenv("IRR_TEST_SEED"), NULL, 0) : 1;
    print_message("IRR_TEST_SEED=%llu\n", (unsigned long long)stream);
}

static void random_geometry(irr_geometry_t *geometry, size_t element_bytes, size_t most_bytes) {
    int64_t dims[5];
    size_t count;
    uint64_t mask = below(2) ? 0x0a : 0x15;
    bool alike = below(3) == 0; /* several of all, no run by far the longest */
    do {
        count = element_bytes;
        for (int d = 0; d < 5; d++) {
            static const size_t limits[] = {1, 2, 8, 100, 3000, 100000, 10000000};
            dims[d] = (int64_t)(1 + below(alike ? 60 : limits[below(7)]));
            count *= (size_t)dims[d];
            if (count > most_bytes) break;
        }
    } while (count > most_bytes || count < 64 * 1024);
    irr_geometry_of(dims, 5, mask, geometry);
}

/* Threads that leave each other's shares alone, as they do where data is in their caches. */
static size_t longest_seat(const irr_layout_t *l) {
    size_t seats = l->threads < l->tasks ? l->threads : l->tasks, longest = 0, task = 0;
    for (size_t seat = 0; seat < seats; seat++) {
        size_t work = 0, end = task + l->tasks / seats + (seat < l->tasks % seats);
        for (; task < end; task++) work += work_of(l, task);
        if (work > longest) longest = work;
    }
    return longest;
}

static void check_units(const irr_layout_t *l, const irr_layout_t *other) {
    assert_int_equal(l->units, other->units);
    assert_int_equal(l->tile_width, other->tile_width);
    assert_int_equal(l->tile_kept, other->tile_kept);
    assert_int_equal(l->tile_blocks, other->tile_blocks);
}

/* Siblings that walk side by side, of which one is exact and another is not, share their units. */
static void check_sibling(const irr_geometry_t *geometry, const irr_lane_info_t *kernel,
                          const irr_cost_t *cost, const irr_layout_t *l) {
    irr_lane_info_t other = *kernel;
    irr_layout_t o;
    other.exact = !kernel->exact;
    other.column_leaves = kernel->column_leaves > 1 ? 1 : IRR_FREE_LEAVES;
    irr_layout_of(geometry, &other, cost, &o);
    if (o.last_rows == l->last_rows) check_units(&o, l); /* else they are not joined */
}

/* Who makes the tree of columns has no say in units, which are looked at again by one that does
 * not. */
static void check_trees(const irr_geometry_t *geometry, const irr_lane_info_t *kernel,
                        const irr_cost_t *cost, const irr_layout_t *l) {
    irr_lane_info_t other = *kernel;
    irr_layout_t o;
    other.tree_columns = 0;
    irr_layout_of(geometry, &other, cost, &o);
    check_units(&o, l);
    if (l->tree) assert_in_range(l->leaf_steps, IRR_LEAF_STEPS, IRR_LEAF_STEPS * IRR_ROW_LEAVES);
    assert_true(irr_layout_depth(l) >= irr_layout_depth(&o));
}

static void test_partition(void **state) {
    (void)state;
    size_t judged = 0, lined = 0, trees = 0;
    seed();
    for (int k = 0; k < 1200; k++) {
        static const size_t bytes[] = {1, 2, 4, 8};
        size_t element = bytes[below(4)], accumulator = element < 4 && below(2) ? 4 : element;
        if (below(6) == 0) accumulator = 16;
        const size_t row_leaves[] = {2, IRR_ROW_LEAVES, IRR_LONG_ROW_LEAVES, IRR_FREE_LEAVES};
        const size_t column_leaves[] = {1, 1, IRR_ROW_LEAVES, IRR_FREE_LEAVES};
        irr_lane_info_t kernel = {.lanes = accumulator < 16 ? 256 / accumulator : 32,
                                  .accumulator_bytes = accumulator,
                                  .element_bytes = element,
                                  .tile_accumulator_bytes = accumulator,
                                  .alone = k % 8 < 6,
                                  .most_block_elements = below(3) ? SIZE_MAX : 16384 / element,
                                  .row_leaves = row_leaves[below(4)],
                                  .column_leaves = column_leaves[below(4)],
                                  .most_block_rows = k % 3 ? 0 : 96,
                                  .most_last_rows = k % 2 ? 256 : 32,
                                  .whole_rows = below(4) == 0};
        kernel.calls = kernel.whole_rows && below(2);
        kernel.bands = kernel.alone && below(3) == 0;
        kernel.exact = kernel.column_leaves > 1 && accumulator > element;
        if (kernel.alone && kernel.column_leaves == 1)
            kernel.tree_columns = kernel.lanes * below(4); /* floats */
        irr_geometry_t geometry;
        random_geometry(&geometry, element, (size_t)(k % 2 ? 4096 : 32) * MIB);
        size_t elements = geometry.output_count * geometry.set_size;
        for (uint32_t threads = 1; threads <= MOST_THREADS; threads += 1 + threads / 5) {
            irr_layout_t l;
            size_t total;
            irr_cost_t cost = {(double)(elements * element), threads, below(2)};
            irr_layout_of(&geometry, &kernel, &cost, &l);
            if (!kernel.alone) check_sibling(&geometry, &kernel, &cost, &l);
            if (kernel.tree_columns) check_trees(&geometry, &kernel, &cost, &l);
            trees += l.tree;
            assert_true(l.threads >= 1 && l.threads <= threads && l.tasks >= 1);
            assert_true(l.tasks <= 8 * l.pieces + 4 * l.units); /* each costs 80 ns */
            if (l.inner == IRR_INNER_TREE && l.width > 1 &&
                !l.tree) /* what no state overflows in */
                assert_in_range(l.leaf_steps, 1, IRR_LEAF_STEPS * kernel.column_leaves);
            if (l.leaf_chunks > 1) /* leaves of one tree */
                assert_true(l.tile_kept == 1 && l.tile_blocks == 1 && l.chunk_segments == 1);
            if (cost.bytes < 128 * 1024) assert_int_equal(l.tasks, 1);
            size_t longest = makespan(&l, &total);
            assert_int_equal(total, elements);
            if (cost.bytes / threads >= 2 * MIB) { /* less is not worth so much care */
                judged++;
                if (threads <= 4 && longest_seat(&l) > total / l.threads * 13 / 10)
                    fail_msg("%zu x %zu of [%zu, %zu, %zu] of %zu bytes on %u threads: shares are "
                             "uneven",
                             l.blocks.total, l.segments.total, l.kept, l.rows, l.width, element,
                             l.threads);
                if (longest > total / l.threads * 11 / 10)
                    fail_msg(
                        "%zu x %zu of [%zu, %zu, %zu] of %zu bytes on %u threads: %zu units, %zu "
                        "tasks, %.2f times a fair share",
                        l.blocks.total, l.segments.total, l.kept, l.rows, l.width, element, threads,
                        l.units, l.tasks, (double)longest * l.threads / (double)total);
            }
            size_t kept =
                l.kept_of_tiles.rest ? l.kept_of_tiles.group : l.units_of_tasks.group * l.tile_kept;
            if (kept * l.tile_width * element % 64 == 0 && l.blocks.total == 1 &&
                l.segment_chunks * l.leaf_chunks == 1) {
                lined++;
                assert_int_equal(shared_lines(&l, element), 0);
            }
        }
    }
    assert_true(judged > 1000 && lined > 100 && trees > 100);
}

/* ---- the bits ---- */

/* A host's pool of any width, on one thread. */
static void one_by_one(void *context, size_t count, void (*task)(void *argument, size_t index),
                       void *argument) {
    (void)context;
    while (count--) task(argument, count);
}

enum { MOST_ELEMENTS = 4000000, MOST_OUTPUTS = 400000 };

static float expected[MOST_OUTPUTS], result[MOST_OUTPUTS]; /* or what else is no larger */

/* The reduction over the axes of a mask, bit for bit that of one thread; false: too many outputs.
 */
static bool same_bits(irr_plugin_engine_t *engine, const char *op, irr_element_type_e type,
                      const int64_t dims[4], uint32_t mask, const void *data) {
    int64_t axes[4], out[4], axis_count = 0, outputs = 1;
    for (int d = 0; d < 4; d++) {
        if (mask >> d & 1) axes[axis_count++] = d;
        out[d] = mask >> d & 1 ? 1 : dims[d];
        outputs *= out[d];
    }
    if (outputs > MOST_OUTPUTS) return false;
    device_graph_t graph;
    graph_begin(&graph);
    uint32_t in = graph_input(&graph, type, 4, dims);
    uint32_t over = graph_constant(&graph, IRR_I64, 1, SHAPE(axis_count), axes);
    graph_output(&graph, graph_layer(&graph, op, in, over, 4, out));
    for (uint32_t threads = 1; threads <= MOST_THREADS; threads += 1 + threads / 2) {
        char text[8];
        snprintf(text, sizeof text, "%u", threads);
        irr_host_services_t services = {
            .size_bytes = sizeof services, .parallel_for = one_by_one, .thread_count = threads};
        irr_property_t property = {"INFERENCE_NUM_THREADS", text};
        irr_plugin_request_t *request = request_on(&graph, &property, 1);
        irr_tensor_view_t from = tensor(type, 4, dims, data);
        irr_tensor_view_t to = tensor(type, 4, out, threads > 1 ? result : expected);
        assert_int_equal(engine->infer(request, &from, &to, &services, (irr_sentence_t){NULL, 0}),
                         0);
        engine->release_request(request);
        if (threads > 1 && memcmp(result, expected, (size_t)outputs * irr_element_bytes(type)) != 0)
            fail_msg("%s %s [%d,%d,%d,%d], axes of mask %#x: other bits on %u threads", op,
                     irr_element_type_info(type)->name, (int)dims[0], (int)dims[1], (int)dims[2],
                     (int)dims[3], mask, threads);
    }
    return true;
}

static void test_bits(void **state) {
    (void)state;
    static const int64_t shapes[][4] = {{1, 1, 3000017, 1}, {3, 1000, 1001, 1}, {1, 50000, 67, 1},
                                        {700, 61, 70, 1},   {20, 33, 5000, 1},  {4001, 1, 731, 1},
                                        {10, 99, 100, 40},  {12, 40, 100, 70}};
    enum { SHAPES = sizeof shapes / sizeof *shapes, RANDOM = 100 };
    static const char *const ops[] = {"ReduceSum", "ReduceL2", "ReduceProd", "ReduceMax"};
    irr_plugin_engine_t *engine = engine_or_fail();
    float *data = malloc(MOST_ELEMENTS * sizeof *data);
    size_t compared = 0;
    stream = 7;
    for (size_t i = 0; i < MOST_ELEMENTS; i++) data[i] = 0.5f + (float)below(1000001) * 1e-6f;
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t k = 0; k < 8; k++)
            same_bits(engine, ops[k / 2], IRR_F32, shapes[s], k % 2 ? 5 : 2, data);
    seed();
    for (size_t s = 0; s < RANDOM; s++) {
        int64_t dims[4];
        double elements;
        do {
            elements = 1;
            for (int d = 0; d < 4; d++)
                elements *= (double)(dims[d] = 1 + (int64_t)below(s % 2 || below(2) ? 60 : 100000));
        } while (elements > MOST_ELEMENTS || elements < MOST_ELEMENTS / 8);
        compared += same_bits(engine, ops[s / 2 % 4], IRR_F32, dims,
                              s % 4 ? 5 : 1 + (uint32_t)below(14), data);
    }
    assert_true(compared > RANDOM / 4);
    free(data);
    engine->release(engine);
}

/* The largest integers and the least, in shares of many sizes: a leaf must not be longer than its
 * states are wide. Means of nothing but one number are that number. */
static void test_extremes(void **state) {
    (void)state;
    static const int64_t shapes[][4] = {{1, 1025, 1100, 1}, {1, 2300, 700, 1},  {1, 9000, 140, 1},
                                        {1, 30000, 40, 1},  {1, 20001, 130, 1}, {2, 5003, 97, 2}};
    static const struct {
        irr_element_type_e type;
        unsigned char low, high; /* bytes */
    } kinds[] = {{IRR_I8, 0x80, 0x80},  {IRR_I8, 0x7f, 0x7f},  {IRR_U8, 0xff, 0xff},
                 {IRR_I16, 0x00, 0x80}, {IRR_U16, 0xff, 0xff}, {IRR_I32, 0xff, 0x7f},
                 {IRR_I32, 0x00, 0x80}, {IRR_U32, 0xff, 0xff}};
    irr_plugin_engine_t *engine = engine_or_fail();
    unsigned char *data = malloc(MOST_ELEMENTS * 4);
    assert_non_null(data);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t bytes = irr_element_bytes(kinds[k].type);
        for (size_t i = 0; i < MOST_ELEMENTS * bytes; i++)
            data[i] = i % bytes + 1 < bytes ? kinds[k].low : kinds[k].high;
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            assert_true(same_bits(engine, "ReduceMean", kinds[k].type, shapes[s], 2, data));
            assert_memory_equal(expected, data, bytes);
            assert_true(same_bits(engine, "ReduceL2", kinds[k].type, shapes[s], 2, data));
            assert_true(same_bits(engine, "ReduceProd", kinds[k].type, shapes[s], 2, data));
        }
    }
    free(data);
    engine->release(engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_partition),
                                       cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_extremes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
