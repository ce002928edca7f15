/* The exact oracle: the types, the walk over a tensor, the comparison.
 * Lives here: which elements make an output. May not: anything out of src/.
 * SPDX-License-Identifier: Apache-2.0 */
#include "oracle_rules.h"

#include <stdlib.h>
#include <string.h>

static const type_row_t types[] = {
    [IRR_F64] = {8, true, true, false, {11, 52}, 53},
    [IRR_F32] = {4, true, true, false, {8, 23}, 24},
    [IRR_F16] = {2, true, true, false, {5, 10}, 24},
    [IRR_BF16] = {2, true, true, false, {8, 7}, 24},
    [IRR_I64] = {.bytes = 8, .is_signed = true},
    [IRR_I32] = {.bytes = 4, .is_signed = true},
    [IRR_I16] = {.bytes = 2, .is_signed = true},
    [IRR_I8] = {.bytes = 1, .is_signed = true},
    [IRR_U64] = {.bytes = 8},
    [IRR_U32] = {.bytes = 4},
    [IRR_U16] = {.bytes = 2},
    [IRR_U8] = {.bytes = 1},
    [IRR_BOOLEAN] = {.bytes = 1, .is_boolean = true},
};

static const type_row_t *row_of(irr_element_type_e type) {
    return (size_t)type < sizeof types / sizeof *types ? &types[type] : &types[0];
}

size_t oracle_element_bytes(irr_element_type_e type) { return row_of(type)->bytes; }
bool oracle_is_float(irr_element_type_e type) { return row_of(type)->is_float; }

uint64_t oracle_bits_at(const void *data, irr_element_type_e type, size_t k) {
    size_t bytes = row_of(type)->bytes;
    uint64_t bits = 0;
    memcpy(&bits, (const char *)data + k * bytes, bytes);
    return bits;
}

/* An odometer over the dimensions of `mask`; advance gives the change of the element's index. */
typedef struct walk {
    uint32_t rank;
    const int64_t *dims;
    uint64_t mask;
    size_t strides[64], index[64], at, count;
} walk_t;

static void walk_begin(walk_t *w, const oracle_problem_t *p, uint64_t mask) {
    *w = (walk_t){.rank = p->rank, .dims = p->dims, .mask = mask, .count = 1};
    size_t stride = 1;
    for (uint32_t d = p->rank; d-- > 0;) {
        w->strides[d] = stride;
        stride *= (size_t)p->dims[d];
        if (mask >> d & 1) w->count *= (size_t)p->dims[d];
    }
}

static void walk_next(walk_t *w) {
    for (uint32_t d = w->rank; d-- > 0;) {
        if (!(w->mask >> d & 1)) continue;
        w->at += w->strides[d];
        if (++w->index[d] < (size_t)w->dims[d]) return;
        w->at -= w->strides[d] * w->index[d];
        w->index[d] = 0;
    }
}

static void fold_reset(fold_t *f) {
    fold_t kept = *f;
    *f = (fold_t){.row = kept.row, .accuracy = kept.accuracy};
    f->sum[0] = kept.sum[0], f->sum[1] = kept.sum[1], f->product = kept.product;
    big_clear(&f->sum[0]), big_clear(&f->sum[1]), big_clear(&f->product);
}

static void solve_all(const oracle_problem_t *p, const rules_t *rules, const void *data,
                      oracle_answer_t *answer) {
    fold_t f = {.row = row_of(p->type), .accuracy = p->accuracy};
    walk_t kept, set;
    walk_begin(&kept, p, ~p->reduced);
    for (size_t i = 0; i < answer->count; i++, walk_next(&kept)) {
        fold_reset(&f);
        walk_begin(&set, p, p->reduced);
        for (size_t k = 0; k < set.count; k++, walk_next(&set), f.count++)
            rules->fold(&f, oracle_bits_at(data, p->type, kept.at + set.at));
        if (!rules->finish(&f, &answer->outputs[i])) answer->is_error = true;
    }
    big_release(&f.sum[0]), big_release(&f.sum[1]), big_release(&f.product);
}

bool oracle_solve(const oracle_problem_t *p, const void *data, oracle_answer_t *answer) {
    *answer = (oracle_answer_t){.type = p->type};
    const rules_t *rules = oracle_find_rules(p->op, row_of(p->type));
    if (!rules) return false;
    walk_t kept;
    walk_begin(&kept, p, p->identity ? ~UINT64_C(0) : ~p->reduced);
    answer->count = kept.count;
    answer->outputs = calloc(kept.count + 1, sizeof *answer->outputs);
    if (!answer->outputs) return false;
    if (p->identity)
        for (size_t i = 0; i < answer->count; i++) {
            uint64_t bits = oracle_bits_at(data, p->type, i);
            answer->outputs[i] = (oracle_interval_t){bits, bits, false};
        }
    else
        solve_all(p, rules, data, answer);
    return true;
}

void oracle_release(oracle_answer_t *answer) {
    free(answer->outputs);
    *answer = (oracle_answer_t){0};
}

bool oracle_is_right(const oracle_interval_t *interval, irr_element_type_e type, uint64_t bits) {
    const type_row_t *row = row_of(type);
    if (!row->is_float || interval->low == interval->high) return bits == interval->low;
    if (interval->no_minus_zero && bits == UINT64_C(1) << (8 * row->bytes - 1)) return false;
    uint64_t key = oracle_key_of(row, bits);
    return oracle_key_of(row, interval->low) <= key && key <= oracle_key_of(row, interval->high);
}

size_t oracle_first_wrong(const oracle_answer_t *answer, const void *output) {
    for (size_t i = 0; i < answer->count; i++)
        if (!oracle_is_right(&answer->outputs[i], answer->type,
                             oracle_bits_at(output, answer->type, i)))
            return i;
    return answer->count;
}
