/* Shapes whose dimensions are ranges: reading them, comparing them, what a reduction makes of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

const char irr_no_text[1] = "";

static const irr_dimension_t any_dim = {0, -1}, one = {1, 1};

/* ---- numbers and shapes in attributes ---- */

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t\n\r"); }

/* Behind this word, if it stands at *at. */
static bool take_word(const char **at, const char *word) {
    const char *from = skip_blanks(*at);
    size_t length = strlen(word);
    if (strncmp(from, word, length) != 0) return false;
    return *at = skip_blanks(from + length), true;
}

static bool take_number(const char **at, int64_t *value) {
    const char *c = skip_blanks(*at);
    int64_t total = 0;
    if (*c < '0' || *c > '9') return false;
    for (; *c >= '0' && *c <= '9'; c++)
        if (__builtin_mul_overflow(total, 10, &total) ||
            __builtin_add_overflow(total, *c - '0', &total))
            return false;
    *at = skip_blanks(c);
    return *value = total, true;
}

bool irr_parse_number(const char *text, int64_t *value) {
    int64_t number;
    if (!take_number(&text, &number) || *text) return false;
    return *value = number, true;
}

bool irr_parse_dim(const char *text, irr_dimension_t *dim) {
    *dim = any_dim;
    if (take_word(&text, "-1")) return !*text;
    return irr_parse_number(text, &dim->max) && (dim->min = dim->max, true);
}

/* One entry of a partial shape: 3, ?, -1, 1..10, 1.., ..10 */
static bool take_range(const char **at, irr_dimension_t *dim) {
    *dim = any_dim;
    if (take_word(at, "?") || take_word(at, "-1")) return true;
    bool from = take_number(at, &dim->min);
    if (!take_word(at, "..")) return dim->max = dim->min, from;
    bool to = take_number(at, &dim->max);
    return to ? dim->min <= dim->max : from;
}

irr_status_e irr_parse_shape(const char *text, bool only_static, irr_arena_t *memory,
                             irr_partial_t *shape, irr_sentence_t sentence) {
    irr_dimension_t dims[IRR_MAX_RANK];
    const char *at = text;
    shape->rank = IRR_DYNAMIC_RANK;
    if (!only_static && take_word(&at, "...") && !*at) return IRR_OK;
    at = skip_blanks(text);
    shape->rank = 0;
    for (bool more = *at; more; more = *at++ == ',') {
        const char *from = at;
        int length = (int)strcspn(from, ",");
        if (shape->rank == IRR_MAX_RANK)
            return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                            "attribute shape has more than %u dimensions", IRR_MAX_RANK);
        irr_dimension_t *dim = &dims[shape->rank++];
        if (!take_range(&at, dim) || (*at && *at != ',') || (only_static && dim->min != dim->max))
            return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                            "attribute shape is \"%.60s\": dimension %" PRIu32
                            " is \"%.*s\", expected %s",
                            text, shape->rank - 1, length < 40 ? length : 40, from,
                            only_static ? "a number of at least 0"
                                        : "a number of at least 0, ?, -1 or a range such as 1..10");
    }
    irr_partial_set(shape, dims, shape->rank, memory);
    return IRR_OK;
}

/* ---- what is known of a tensor ---- */

void irr_partial_set(irr_partial_t *it, const irr_dimension_t *dims, uint32_t rank,
                     irr_arena_t *memory) {
    irr_dimension_t *copy =
        rank == IRR_DYNAMIC_RANK ? NULL : irr_take_copy(memory, dims, rank, sizeof *dims);
    int64_t *numbers = copy ? irr_take(memory, rank, sizeof *numbers) : NULL;
    for (uint32_t d = 0; numbers && d < rank; d++) {
        if (copy[d].min < 0) copy[d].min = 0;
        numbers[d] = copy[d].min == copy[d].max ? copy[d].min : IRR_DYNAMIC_DIM;
    }
    it->dims = copy;
    it->numbers = numbers;
    it->rank = numbers ? rank : IRR_DYNAMIC_RANK;
}

bool irr_partial_static(const irr_partial_t *shape) {
    return shape->rank != IRR_DYNAMIC_RANK && !irr_shape_is_dynamic(shape->numbers, shape->rank);
}

/* A dimension that is either itself or, if its axis turns out to be reduced, 1. */
static irr_dimension_t or_one(irr_dimension_t dim) {
    if (dim.min > 1) dim.min = 1;
    if (dim.max == 0) dim.max = 1;
    return dim;
}

int64_t irr_axes_count(const irr_partial_t *axes) {
    if (axes->rank > 1) return -1;
    return axes->rank ? axes->numbers[0] : 1;
}

irr_status_e irr_partial_reduce(const irr_partial_t *data, const irr_partial_t *axes,
                                const void *values, bool keep_dims, irr_arena_t *memory,
                                irr_partial_t *out, irr_sentence_t sentence) {
    int64_t count = irr_axes_count(axes);
    uint64_t mask = UINT64_MAX;
    irr_dimension_t ranges[IRR_MAX_RANK];
    char text[IRR_SENTENCE_BYTES / 2];
    *out = *data;
    if (count == 0 || data->rank == IRR_DYNAMIC_RANK) return IRR_OK;
    if (values && count > 0) {
        IRR_TRY(irr_axes_mask(values, axes->type, (size_t)count, data->numbers, data->rank,
                              IRR_DUPLICATE_AXES_ERROR, IRR_EMPTY_AXES_IDENTITY, &mask, sentence));
    } else if (count > (int64_t)data->rank) {
        return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                        "axes hold %" PRId64 " values, but data %s has rank %" PRIu32, count,
                        irr_partial_text(data, text, sizeof text), data->rank);
    } else if (count < 0 && !keep_dims && data->rank) {
        out->rank = IRR_DYNAMIC_RANK;
        return IRR_OK;
    }
    /* Without the values of the axes, only their number can say something. */
    bool known = (values && count > 0) || count == (int64_t)data->rank;
    uint32_t rank = 0, left = data->rank - (uint32_t)count;
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

char *irr_partial_text(const irr_partial_t *shape, char *text, size_t capacity_bytes) {
    if (shape->rank != IRR_DYNAMIC_RANK)
        return irr_ranges_text(shape->dims, shape->rank, text, capacity_bytes);
    snprintf(text, capacity_bytes, "of unknown rank");
    return text;
}

uint64_t irr_partial_bytes(const irr_partial_t *shape) {
    const irr_element_type_info_t *info = irr_element_type_info(shape->type);
    size_t count, bytes;
    if (!irr_partial_static(shape)) return 0;
    if (!irr_shape_elements(shape->numbers, shape->rank, &count)) return UINT64_MAX;
    if (!info || !info->bits) return count;
    return irr_elements_bytes(shape->type, count, &bytes) ? bytes : UINT64_MAX;
}
