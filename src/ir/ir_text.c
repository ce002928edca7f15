/* The pool of texts, and the numbers and shapes that attributes hold.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_graph.h"

#include <sys/random.h>

static uint64_t mix(uint64_t a, uint64_t b) {
    __uint128_t product =
        (__uint128_t)(a ^ UINT64_C(0x9e3779b97f4a7c15)) * (b ^ UINT64_C(0xe7037ed1a0b428db));
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* ---- the table ---- */

/* The key's entry, or the free one that is to be its. */
static irr_entry_t *entry_of(const irr_table_t *table, uint64_t key) {
    size_t slot = mix(table->seed, key);
    do slot = (slot + 1) & (table->slots - 1);
    while (table->entries[slot].key && table->entries[slot].key != key);
    return &table->entries[slot];
}

static bool grow_table(irr_table_t *table) {
    irr_table_t grown = *table;
    grown.slots = table->slots ? 2 * table->slots : 1024;
    grown.entries = irr_calloc(grown.slots, sizeof *grown.entries);
    if (!grown.entries) return false;
    if (!grown.seed && getrandom(&grown.seed, sizeof grown.seed, GRND_NONBLOCK) < 0)
        grown.seed = (uintptr_t)&grown;
    for (size_t i = 0; i < table->slots; i++)
        if (table->entries[i].key) *entry_of(&grown, table->entries[i].key) = table->entries[i];
    irr_release(table->entries);
    *table = grown;
    return true;
}

uint32_t *irr_table_find(irr_table_t *table, uint64_t key) {
    if (4 * table->count >= 3 * table->slots && !grow_table(table)) return NULL;
    irr_entry_t *entry = entry_of(table, key);
    if (!entry->key) {
        *entry = (irr_entry_t){key, IRR_NONE};
        table->count++;
    }
    return &entry->number;
}

/* ---- the pool of texts ---- */

static irr_symbol_t append(irr_ir_graph_t *graph, const char *text, size_t length) {
    size_t at = graph->texts.count ? graph->texts.count : 1; /* 0 is no symbol */
    if (at + length >= UINT32_MAX || !IRR_ROOM(graph, texts, length + 2))
        return irr_no_memory(graph);
    memcpy(graph->texts.at + at, text, length);
    graph->texts.at[at + length] = '\0';
    graph->texts.count = at + length + 1;
    return (irr_symbol_t)at;
}

/* Ids, precisions and versions are short: up to 7 bytes and their number are a key. Of a longer
 * text the key is a hash, with the highest bit set. */
static uint64_t key_of(const irr_table_t *table, const char *text, size_t length) {
    uint64_t key = 0, word;
    if (length < 8) {
        memcpy(&key, text, length);
        return key | (uint64_t)(length + 1) << 56;
    }
    for (size_t i = 0; i < length; i += 8) {
        size_t at = i + 8 <= length ? i : length - 8; /* the last word may overlap */
        memcpy(&word, text + at, 8);
        key = mix(key ^ table->seed, word ^ length);
    }
    return key | 1ull << 63;
}

irr_symbol_t irr_symbol(irr_ir_graph_t *graph, const char *text, size_t length, bool compared) {
    if (!compared) return append(graph, text, length);
    if (!graph->symbols.slots && !grow_table(&graph->symbols)) /* the keys need its seed */
        return irr_no_memory(graph);
    for (uint64_t key = key_of(&graph->symbols, text, length);;
         key = mix(key, length) | 1ull << 63) {
        uint32_t *known = irr_table_find(&graph->symbols, key);
        if (!known) return irr_no_memory(graph);
        if (*known == IRR_NONE) return *known = append(graph, text, length);
        const char *there = graph->texts.at + *known;
        if (length < 8 || (strncmp(there, text, length) == 0 && !there[length])) return *known;
    }
}

const char *irr_text(const irr_ir_graph_t *graph, irr_symbol_t symbol) {
    return symbol ? graph->texts.at + symbol : "";
}

/* ---- numbers ---- */

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

bool irr_parse_dim(const char *text, size_t length, int64_t *value) {
    trim(&text, &length);
    if (length == 2 && memcmp(text, "-1", 2) == 0) return *value = -1, true;
    return irr_parse_number(text, length, value);
}

/* One entry of a partial shape: 3, ?, -1, 1..10, 1.., ..10 */
static bool parse_range(const char *text, size_t length, irr_dimension_t *dim) {
    trim(&text, &length);
    *dim = (irr_dimension_t){0, -1};
    if (length == 1 && *text == '?') return true;
    const char *dots = memmem(text, length, "..", 2);
    if (!dots) {
        if (!irr_parse_dim(text, length, &dim->max)) return false;
        if (dim->max >= 0) dim->min = dim->max;
        return true;
    }
    size_t before = (size_t)(dots - text), after = length - before - 2;
    return (before || after) && (!before || irr_parse_number(text, before, &dim->min)) &&
           (!after || (irr_parse_number(dots + 2, after, &dim->max) && dim->min <= dim->max));
}

irr_status_e irr_parse_shape(const char *text, bool only_static, irr_partial_t *shape,
                             irr_sentence_t sentence) {
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
        irr_dimension_t *dim = &shape->dims[shape->rank++];
        if (!parse_range(text, (size_t)(stop - text), dim) || (only_static && dim->min != dim->max))
            return irr_fail(
                sentence, IRR_NETWORK_NOT_READ,
                "attribute shape is \"%.60s\": dimension %" PRIu32 " is \"%.*s\", expected %s",
                whole, shape->rank - 1, (int)(stop - text < 40 ? stop - text : 40), text,
                only_static ? "a number of at least 0"
                            : "a number of at least 0, ?, -1 or a range such as 1..10");
        text = stop + 1;
    }
    return IRR_OK;
}
