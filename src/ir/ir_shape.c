/* Shapes whose dimensions are ranges: reading them, comparing them, what a reduction makes of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

const char irr_no_text[1] = "";

static const irr_dimension_t any_dim = {0, -1}, one = {1, 1};

/* ---- numbers and shapes in attributes ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void trim(const char **text, size_t *length) {
    while (*length && is_blank(**text)) ++*text, --*length;
    while (*length && is_blank((*text)[*length - 1])) --*length;
}

bool irr_parse_number(const char *text, size_t length, int64_t *value) {
    trim(&text, &length);
    int64_t total = 0;
    if (!length) return false;
    for (size_t i = 0; i < length; i++)
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(total, 10, &total) ||
            __builtin_add_overflow(total, text[i] - '0', &total))
            return false;
    return *value = total, true;
}

bool irr_parse_dim(const char *text, size_t length, irr_dimension_t *dim) {
    trim(&text, &length);
    *dim = any_dim;
    if (length == 2 && memcmp(text, "-1", 2) == 0) return true;
    if (!irr_parse_number(text, length, &dim->max)) return false;
    dim->min = dim->max;
    return true;
}

/* One entry of a partial shape: 3, ?, -1, 1..10, 1.., ..10 */
static bool parse_range(const char *text, size_t length, irr_dimension_t *dim) {
    trim(&text, &length);
    *dim = any_dim;
    if (length == 1 && *text == '?') return true;
    const char *dots = memmem(text, length, "..", 2);
    if (!dots) return irr_parse_dim(text, length, dim);
    size_t before = (size_t)(dots - text), after = length - before - 2;
    return (before || after) && (!before || irr_parse_number(text, before, &dim->min)) &&
           (!after || (irr_parse_number(dots + 2, after, &dim->max) && dim->min <= dim->max));
}

irr_status_e irr_parse_shape(const char *text, bool only_static, irr_arena_t *memory,
                             irr_partial_t *shape, irr_sentence_t sentence) {
    irr_dimension_t dims[IRR_MAX_RANK];
    const char *whole = text;
    size_t length = strlen(text);
    trim(&text, &length);
    shape->rank = 0;
    if (!only_static && length == 3 && memcmp(text, "...", 3) == 0)
        return shape->rank = IRR_DYNAMIC_RANK, IRR_OK;
    for (const char *end = text + length; length && text <= end;) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        const char *stop = comma ? comma : end;
        if (shape->rank == IRR_MAX_RANK)
            return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                            "attribute shape has more than %u dimensions", IRR_MAX_RANK);
        irr_dimension_t *dim = &dims[shape->rank++];
        if (!parse_range(text, (size_t)(stop - text), dim) || (only_static && dim->min != dim->max))
            return irr_fail(
                sentence, IRR_NETWORK_NOT_READ,
                "attribute shape is \"%.60s\": dimension %" PRIu32 " is \"%.*s\", expected %s",
                whole, shape->rank - 1, (int)(stop - text < 40 ? stop - text : 40), text,
                only_static ? "a number of at least 0"
                            : "a number of at least 0, ?, -1 or a range such as 1..10");
        text = stop + 1;
    }
    irr_partial_set(shape, dims, shape->rank, memory);
    return IRR_OK;
}

/* ---- what is known of a tensor ---- */

void irr_partial_set(irr_partial_t *it, const irr_dimension_t *dims, uint32_t rank,
                     irr_arena_t *memory) {
    it->dims = rank == IRR_DYNAMIC_RANK ? NULL : irr_take_copy(memory, dims, rank, sizeof *dims);
    it->rank = it->dims ? rank : IRR_DYNAMIC_RANK;
}

bool irr_partial_static(const irr_partial_t *shape) {
    if (shape->rank == IRR_DYNAMIC_RANK) return false;
    for (uint32_t d = 0; d < shape->rank; d++)
        if (shape->dims[d].min != shape->dims[d].max) return false;
    return true;
}

bool irr_partial_compatible(const irr_partial_t *a, const irr_partial_t *b) {
    if (a->rank == IRR_DYNAMIC_RANK || b->rank == IRR_DYNAMIC_RANK) return true;
    if (a->rank != b->rank) return false;
    for (uint32_t d = 0; d < a->rank; d++) {
        const irr_dimension_t *x = &a->dims[d], *y = &b->dims[d];
        if ((x->max >= 0 && x->max < y->min) || (y->max >= 0 && y->max < x->min)) return false;
    }
    return true;
}

/* A dimension that is either itself or, if its axis turns out to be reduced, 1. */
static irr_dimension_t or_one(irr_dimension_t dim) {
    if (dim.min > 1) dim.min = 1;
    if (dim.max == 0) dim.max = 1;
    return dim;
}

irr_axes_known_t irr_axes_of(const irr_partial_t *axes) {
    irr_axes_known_t known = {.type = axes->type, .count = -1};
    if (axes->rank == 0) known.count = 1;
    if (axes->rank == 1 && irr_partial_static(axes)) known.count = axes->dims[0].min;
    return known;
}

irr_status_e irr_partial_reduce(const irr_partial_t *data, const irr_axes_known_t *axes,
                                bool keep_dims, irr_arena_t *memory, irr_partial_t *out,
                                irr_sentence_t sentence) {
    uint64_t mask = UINT64_MAX;
    int64_t dims[IRR_MAX_RANK];
    irr_dimension_t ranges[IRR_MAX_RANK];
    char text[IRR_SENTENCE_BYTES / 2];
    *out = *data;
    if (axes->count == 0 || data->rank == IRR_DYNAMIC_RANK) return IRR_OK;
    if (axes->values) {
        irr_partial_dims(data, dims);
        IRR_TRY(irr_axes_mask(axes->values, axes->type, (size_t)axes->count, dims, data->rank,
                              IRR_DUPLICATE_AXES_ERROR, IRR_EMPTY_AXES_IDENTITY, &mask, sentence));
    } else if (axes->count > (int64_t)data->rank) {
        return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                        "axes hold %" PRId64 " values, but data %s has rank %" PRIu32, axes->count,
                        irr_partial_text(data, text, sizeof text), data->rank);
    } else if (axes->count < 0 && !keep_dims && data->rank) {
        out->rank = IRR_DYNAMIC_RANK;
        return IRR_OK;
    }
    /* Without the values of the axes, only their number can say something. */
    bool known = axes->values || axes->count == (int64_t)data->rank;
    uint32_t rank = 0, left = data->rank - (uint32_t)axes->count;
    for (uint32_t d = 0; d < data->rank; d++) {
        bool reduced = mask >> d & 1;
        if (!known && (keep_dims || rank < left))
            ranges[rank++] = keep_dims ? or_one(data->dims[d]) : any_dim;
        else if (known && (!reduced || keep_dims))
            ranges[rank++] = reduced ? one : data->dims[d];
    }
    irr_partial_set(out, ranges, rank, memory);
    return IRR_OK;
}

void irr_partial_dims(const irr_partial_t *shape, int64_t *dims) {
    for (uint32_t d = 0; shape->rank != IRR_DYNAMIC_RANK && d < shape->rank; d++)
        dims[d] = shape->dims[d].min == shape->dims[d].max ? shape->dims[d].min : IRR_DYNAMIC_DIM;
}

char *irr_partial_text(const irr_partial_t *shape, char *text, size_t capacity_bytes) {
    if (shape->rank != IRR_DYNAMIC_RANK)
        return irr_ranges_text(shape->dims, shape->rank, text, capacity_bytes);
    snprintf(text, capacity_bytes, "of unknown rank");
    return text;
}

bool irr_partial_fits(const irr_partial_t *shape, uint64_t limit_bytes) {
    int64_t dims[IRR_MAX_RANK];
    size_t count, bytes;
    if (!irr_partial_static(shape)) return true;
    irr_partial_dims(shape, dims);
    if (!irr_shape_elements(dims, shape->rank, &count)) return false;
    const irr_element_type_info_t *info = irr_element_type_info(shape->type);
    if (!info || !info->bits) return count <= limit_bytes;
    return irr_elements_bytes(shape->type, count, &bytes) && bytes <= limit_bytes;
}
