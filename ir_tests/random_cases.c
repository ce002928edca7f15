/* Random shapes and axes. Data is random_data.c's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "random_cases.h"

#include "oracle.h"
#include "random_data.h"

#include <stdio.h>
#include <string.h>

uint64_t random_next(uint64_t *stream) {
    uint64_t z = *stream += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t random_below(uint64_t *stream, uint64_t limit) {
    return limit ? random_next(stream) % limit : 0;
}

/* Block sizes of the kernels and of vectors; a case walks one below, on and one above them. */
static const int64_t blocks[] = {1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096};

static int64_t edge(uint64_t *s) {
    int64_t block = blocks[random_below(s, sizeof blocks / sizeof *blocks)];
    int64_t near = block * (1 + (int64_t)random_below(s, 3)) + (int64_t)random_below(s, 3) - 1;
    return near < 1 ? 1 : near;
}

static int64_t small(uint64_t *s) { return 1 + (int64_t)random_below(s, 9); }

/* Shapes: each row fills rank, dims and the mask of reduced dimensions. */

static void any_shape(random_case_t *c, uint64_t *s) {
    c->rank = (uint32_t)random_below(s, 9);
    for (uint32_t d = 0; d < c->rank; d++) c->dims[d] = random_below(s, 4) ? small(s) : edge(s);
    c->mask = random_next(s);
}

static void rows(random_case_t *c, uint64_t *s) {
    c->rank = 2;
    c->dims[0] = random_below(s, 2) ? small(s) : edge(s);
    c->dims[1] = edge(s);
    c->mask = 2;
}

static void columns(random_case_t *c, uint64_t *s) {
    c->rank = 2;
    c->dims[0] = edge(s);
    c->dims[1] = random_below(s, 2) ? small(s) : edge(s);
    c->mask = 1;
}

static void whole(random_case_t *c, uint64_t *s) {
    c->rank = 1 + (uint32_t)random_below(s, 3);
    for (uint32_t d = 0; d < c->rank; d++) c->dims[d] = edge(s);
    c->mask = ~UINT64_C(0);
}

static void middle(random_case_t *c, uint64_t *s) {
    c->rank = 3;
    c->dims[0] = small(s), c->dims[1] = edge(s), c->dims[2] = edge(s);
    c->mask = random_below(s, 2) ? 2 : 5;
}

static void alternating(random_case_t *c, uint64_t *s) {
    c->rank = 3 + (uint32_t)random_below(s, 6);
    for (uint32_t d = 0; d < c->rank; d++) c->dims[d] = 1 + (int64_t)random_below(s, 5);
    c->dims[c->rank - 1] = edge(s);
    c->mask = random_below(s, 2) ? 0x55 : 0xaa;
}

static void many_ones(random_case_t *c, uint64_t *s) {
    c->rank = 9 + (uint32_t)random_below(s, 56);
    for (uint32_t d = 0; d < c->rank; d++) c->dims[d] = random_below(s, 8) ? 1 : small(s);
    c->mask = random_next(s);
}

static void with_zeros(random_case_t *c, uint64_t *s) {
    any_shape(c, s);
    if (!c->rank) c->rank = 1;
    c->dims[random_below(s, c->rank)] = 0;
    if (random_below(s, 2)) c->dims[random_below(s, c->rank)] = 0;
}

static const struct {
    void (*make)(random_case_t *c, uint64_t *stream);
    unsigned weight;
} shapes[] = {{any_shape, 5}, {rows, 5},        {columns, 5},   {whole, 3},
              {middle, 5},    {alternating, 4}, {many_ones, 1}, {with_zeros, 1}};

/* Halves the largest dimension until the tensor is small enough; zeros are skipped, since the
 * output may be large where the data is empty. */
static void shrink(random_case_t *c, size_t max_elements) {
    for (;;) {
        uint32_t largest = 0;
        double count = 1;
        for (uint32_t d = 0; d < c->rank; d++) {
            if (c->dims[d]) count *= (double)c->dims[d];
            if (c->dims[d] > c->dims[largest]) largest = d;
        }
        if (count <= (double)max_elements) return;
        c->dims[largest] = (c->dims[largest] + 1) / 2;
    }
}

static void list_axes(random_case_t *c, uint64_t *s) {
    if (c->rank < 64) c->mask &= (UINT64_C(1) << c->rank) - 1;
    for (uint32_t d = 0; d < c->rank; d++) {
        if (!(c->mask >> d & 1)) continue;
        uint32_t at = (uint32_t)random_below(s, c->axis_count + 1);
        c->axes[c->axis_count++] = c->axes[at];
        c->axes[at] = random_below(s, 2) ? (int64_t)d : (int64_t)d - c->rank;
    }
}

void random_case_complete(random_case_t *c) {
    c->mask = 0, c->out_rank = 0;
    for (uint32_t k = 0; k < c->axis_count; k++)
        c->mask |= UINT64_C(1) << (c->axes[k] < 0 ? c->axes[k] + c->rank : c->axes[k]);
    c->elements = c->outputs = 1;
    for (uint32_t d = 0; d < c->rank; d++) {
        bool reduced = c->mask >> d & 1;
        c->elements *= (size_t)c->dims[d];
        if (!reduced) c->outputs *= (size_t)c->dims[d];
        if (!reduced || c->keep_dims) c->out_dims[c->out_rank++] = reduced ? 1 : c->dims[d];
    }
}

void random_case_make(random_case_t *c, uint64_t seed, const char *op, irr_element_type_e type,
                      size_t max_elements) {
    uint64_t s = seed * 1000003 + (uint64_t)type;
    for (const char *p = op; *p; p++) s = s * 31 + (uint64_t)*p;
    *c = (random_case_t){.seed = seed, .op = op, .type = type};
    unsigned total = 0, row = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) total += shapes[i].weight;
    for (unsigned at = (unsigned)random_below(&s, total); at >= shapes[row].weight; row++)
        at -= shapes[row].weight;
    shapes[row].make(c, &s);
    if (random_below(&s, 8) == 0) c->mask ^= random_next(&s) & random_next(&s);
    if (random_below(&s, 40) == 0) c->mask = 0; /* identity */
    unsigned bits = 1;
    while (max_elements >> bits) bits++;
    size_t limit = (size_t)1 << (4 + random_below(&s, bits > 4 ? bits - 4 : 1));
    shrink(c, random_below(&s, 3) && limit < max_elements ? limit : max_elements);
    list_axes(c, &s);
    c->keep_dims = random_below(&s, 2);
    c->kind = random_data_kind(type, random_next(&s));
    random_case_complete(c);
}

void random_case_fill(const random_case_t *c, void *data) {
    random_data_fill(c->kind, c->type, c->seed, c->elements, data);
}

char *random_case_text(const random_case_t *c, char *text) {
    char *at = text, *end = text + RANDOM_CASE_TEXT_BYTES;
    at += snprintf(at, (size_t)(end - at), "seed %llu: %s %s [", (unsigned long long)c->seed, c->op,
                   random_type_name(c->type));
    for (uint32_t d = 0; d < c->rank; d++)
        at += snprintf(at, (size_t)(end - at), "%s%lld", d ? "," : "", (long long)c->dims[d]);
    at += snprintf(at, (size_t)(end - at), "] axes [");
    for (uint32_t k = 0; k < c->axis_count; k++)
        at += snprintf(at, (size_t)(end - at), "%s%lld", k ? "," : "", (long long)c->axes[k]);
    snprintf(at, (size_t)(end - at), "]%s, %s", c->keep_dims ? " keep_dims" : "",
             random_data_name(c->kind, c->type));
    return text;
}
