/* From units to tasks: how threads share them out, or parts of one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernels.h"
#include "plan/layout.h"

/* The top of a tree is one thread's work; of wide nodes it is worth being small, where the threads'
 * shares stay even: of two chunks a thread, of one leaf; of eight where leaves are long. */
static size_t wide_chunk_of(const irr_layout_t *layout, size_t parts) {
    const size_t each = (layout->leaf_steps > IRR_LEAF_STEPS ? 8 : 2) * layout->threads;
    const size_t leaves = layout->leaves;
    size_t chunk = irr_chunk_of(leaves, parts);
    while (chunk < 4 && (leaves % (chunk * each) == 0 || leaves > 10 * chunk * each)) chunk *= 2;
    return chunk;
}

/* Leaves in no particular order: any number of them. */
static size_t any_chunk_of(const irr_layout_t *layout, size_t parts) {
    const size_t leaves = layout->leaves, others = layout->units * layout->segments.total;
    if (parts == 1) return leaves;
    parts = irr_even_parts(layout->threads, others, leaves, irr_least(parts, leaves));
    return irr_ceil_div(leaves, parts);
}

/* Whole units: so many in each that few tasks have one more, for those follow each other, and a
 * thread that has them all would be the last. */
static void choose_task_count(irr_layout_t *layout) {
    size_t chunks = layout->segment_chunks * layout->leaf_chunks;
    size_t each = irr_most(layout->units / layout->wanted, 1);
    size_t tasks = irr_round_up(irr_ceil_div(layout->units, each), layout->threads);
    layout->tasks = chunks > 1           ? layout->units * chunks
                    : layout->wanted > 1 ? irr_least(layout->units, tasks)
                                         : 1;
    layout->units_of_tasks = irr_cut(layout->units, layout->tasks, layout->units_of_lines);
}

/* Does each thread have its share in whole units, more or less? */
static bool are_even(const irr_layout_t *layout) {
    size_t outputs = layout->blocks.total * layout->kept * layout->width;
    size_t unit = layout->tile_blocks * layout->tile_kept * layout->tile_width;
    return layout->units >= layout->wanted &&
           20 * irr_round_up(layout->units, layout->threads) * unit <= 21 * outputs;
}

static void measure_slot(irr_layout_t *layout) {
    uint32_t levels = 1 + irr_ceil_log2(layout->chunk_segments);
    if (layout->last_rows > 1 && levels == 1)
        levels = 2; /* for the copy from which they are folded */
    layout->result_levels_bytes = layout->result_bytes * levels;
    levels = 1 + irr_ceil_log2(layout->onto ? 1 : layout->chunk_leaves);
    if (layout->tree) levels += IRR_COLUMN_LEVELS; /* where it goes leaf by leaf */
    layout->slot_bytes =
        layout->result_levels_bytes + layout->leaf_bytes * levels + IRR_ACCUMULATOR_SLACK_BYTES;
}

void irr_layout_deal(irr_layout_t *layout) {
    size_t segments = layout->segments.total;
    size_t parts = are_even(layout) ? 1 : irr_ceil_div(layout->pieces, layout->units);
    layout->chunk_segments = irr_chunk_of(segments, parts);
    bool one = layout->tile_kept == 1 && layout->tile_blocks == 1; /* one tree in each segment */
    parts = layout->chunk_segments == 1 && one ? irr_ceil_div(parts, segments) : 1;
    layout->chunk_leaves = layout->width == 1   ? irr_chunk_of(layout->leaves, parts)
                           : layout->any_chunks ? any_chunk_of(layout, parts)
                                                : wide_chunk_of(layout, parts);
    layout->segment_chunks = irr_ceil_div(segments, layout->chunk_segments);
    layout->leaf_chunks = irr_ceil_div(layout->leaves, layout->chunk_leaves);
    choose_task_count(layout);
    measure_slot(layout);
}

void irr_layout_share(const irr_layout_t *layout, size_t task, size_t *first, size_t *end) {
    *first = irr_cut_at(&layout->units_of_tasks, task);
    *end = irr_least(irr_cut_at(&layout->units_of_tasks, task + 1), layout->units);
}

void irr_layout_rechunk(irr_layout_t *layout, size_t chunk_leaves) {
    bool cut = chunk_leaves < layout->leaves;
    layout->chunk_leaves = cut ? chunk_leaves : layout->leaves;
    layout->leaf_chunks = irr_ceil_div(layout->leaves, layout->chunk_leaves);
    choose_task_count(layout);
    measure_slot(layout);
}

void irr_layout_widen(const irr_layout_t *layout, size_t bytes, size_t wider_bytes,
                      irr_layout_t *wider) {
    *wider = *layout;
    wider->result_bytes = layout->result_bytes / bytes * wider_bytes;
    wider->leaf_bytes = layout->leaf_bytes / bytes * wider_bytes;
    measure_slot(wider);
}

void irr_layout_unchunk(irr_layout_t *layout) {
    layout->chunk_segments = layout->segments.total;
    layout->chunk_leaves = layout->leaves;
    layout->segment_chunks = layout->leaf_chunks = 1;
    measure_slot(layout);
}
