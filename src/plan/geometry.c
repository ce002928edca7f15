/* From dims and an axes mask to alternating runs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "plan/problem.h"

void irr_geometry_of(const int64_t *dims, uint32_t rank, uint64_t mask, irr_geometry_t *geometry) {
    geometry->run_count = 0; /* runs behind the last one stay as they are: nobody reads them */
    geometry->output_count = geometry->set_size = 1;
    for (uint32_t d = 0; d < rank; d++) {
        size_t size = (size_t)dims[d];
        bool reduced = mask >> d & 1;
        *(reduced ? &geometry->set_size : &geometry->output_count) *= size;
        if (size == 1) continue;
        irr_run_t *last = geometry->run_count ? &geometry->runs[geometry->run_count - 1] : NULL;
        if (last && last->reduced == reduced)
            last->size *= size;
        else
            geometry->runs[geometry->run_count++] = (irr_run_t){size, reduced};
    }
}

/* A set of one element has no need of wide sums, squares and partial products. The magnitude of a
 * signed integer may be one too many for its type, where L1 wraps and L2 does not. */
static irr_op_e op_on_one(irr_op_e op, irr_element_type_e type) {
    bool wraps = irr_element_type_info(type)->kind == IRR_KIND_SIGNED;
    switch (op) {
    case IRR_OP_MEAN:
        return IRR_OP_SUM;
    case IRR_OP_PROD:
        return IRR_OP_MIN;
    case IRR_OP_L2:
        return wraps ? op : IRR_OP_L1;
    default:
        return op;
    }
}

void irr_problem_of(irr_op_e op, irr_element_type_e type, const int64_t *dims, uint32_t rank,
                    uint64_t mask, irr_problem_t *problem) {
    problem->op = op;
    problem->type = type;
    problem->mask = mask;
    irr_geometry_of(dims, rank, mask, &problem->geometry);
    if (problem->geometry.set_size == 1) problem->op = op_on_one(op, type);
}

irr_status_e irr_problem_copy(const irr_problem_t *problem, void **copy, irr_sentence_t sentence) {
    irr_problem_t *made = irr_malloc(sizeof *made);
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    *made = *problem;
    *copy = made;
    return IRR_OK;
}

void irr_split_runs(const irr_run_t *runs, uint32_t count, size_t apart, irr_outer_t *kept,
                    irr_outer_t *reduced) {
    size_t strides[IRR_MAX_RANK];
    for (uint32_t i = count; i-- > 0; apart *= runs[i].size) strides[i] = apart;
    kept->count = reduced->count = 0;
    kept->total = reduced->total = 1;
    for (uint32_t i = 0; i < count; i++) {
        irr_outer_t *outer = runs[i].reduced ? reduced : kept;
        outer->size[outer->count] = runs[i].size;
        outer->stride[outer->count++] = strides[i];
        outer->total *= runs[i].size;
    }
}

void irr_visit_set(const irr_geometry_t *geometry, size_t index, irr_visit_f visit,
                   void *argument) {
    irr_outer_t kept, reduced;
    irr_split_runs(geometry->runs, geometry->run_count, 1, &kept, &reduced);
    size_t inner = reduced.count ? reduced.size[reduced.count - 1] : 1;
    size_t stride = reduced.count ? reduced.stride[reduced.count - 1] : 1;
    size_t first = irr_offset_of(&kept, index);
    for (size_t done = 0; done < geometry->set_size; done += inner)
        visit(argument, first + irr_offset_of(&reduced, done), stride, inner);
}

char *irr_geometry_text(const irr_geometry_t *geometry, char *text, size_t capacity_bytes) {
    irr_writer_t writer = {text, capacity_bytes, 0};
    if (geometry->run_count == 0) irr_write(&writer, "one element");
    for (uint32_t i = 0; i < geometry->run_count; i++)
        irr_write(&writer, "%s%s %zu", i ? ", " : "", geometry->runs[i].reduced ? "reduce" : "keep",
                  geometry->runs[i].size);
    return text;
}
