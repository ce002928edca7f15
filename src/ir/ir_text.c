/* The pool of texts, and the numbers and shapes that attributes hold.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "ir/ir_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
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

bool irr_texts_append(irr_texts_t *texts, const char *text, size_t length, irr_symbol_t *symbol) {
    size_t at = texts->used ? texts->used : 1; /* 0 is no symbol */
    if (at + length >= UINT32_MAX) return false;
    if (!irr_grow((void **)&texts->bytes, &texts->capacity, at + length + 1, 1)) return false;
    if (at == 1) texts->bytes[0] = '\0';
    memcpy(texts->bytes + at, text, length);
    texts->bytes[at + length] = '\0';
    texts->used = at + length + 1;
    return *symbol = (uint32_t)at, true;
}

/* Ids, precisions and versions are short: up to 7 bytes and their number are a key. Of a longer
 * text the key is a hash, with the highest bit set. */
static uint64_t key_of(const irr_texts_t *texts, const char *text, size_t length) {
    uint64_t key = 0, word;
    if (length < 8) {
        memcpy(&key, text, length);
        return key | (uint64_t)(length + 1) << 56;
    }
    for (size_t i = 0; i < length; i += 8) {
        size_t at = i + 8 <= length ? i : length - 8; /* the last word may overlap */
        memcpy(&word, text + at, 8);
        key = mix(key ^ texts->table.seed, word ^ length);
    }
    return key | 1ull << 63;
}

bool irr_texts_add(irr_texts_t *texts, const char *text, size_t length, irr_symbol_t *symbol) {
    if (!texts->table.slots && !grow_table(&texts->table)) return false; /* the seed is needed */
    for (uint64_t key = key_of(texts, text, length);; key = mix(key, length) | 1ull << 63) {
        uint32_t *known = irr_table_find(&texts->table, key);
        if (!known) return false;
        if (*known == IRR_NONE) {
            if (!irr_texts_append(texts, text, length, symbol)) return false;
            return *known = *symbol, true;
        }
        const char *there = texts->bytes + *known;
        *symbol = *known;
        if (length < 8 || (strncmp(there, text, length) == 0 && !there[length])) return true;
    }
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
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        if (__builtin_mul_overflow(total, 10, &total) ||
            __builtin_add_overflow(total, text[i] - '0', &total))
            return false;
    }
    return *value = total, true;
}

bool irr_parse_dim(const char *text, size_t length, int64_t *value) {
    trim(&text, &length);
    if (length == 2 && memcmp(text, "-1", 2) == 0) return *value = -1, true;
    return irr_parse_number(text, length, value);
}

/* One entry of a partial shape: 3, ?, -1, 1..10, 1.., ..10 */
static bool parse_partial_dim(const char *text, size_t length, irr_ir_dim_t *dim) {
    trim(&text, &length);
    *dim = (irr_ir_dim_t){0, -1};
    if (length == 1 && *text == '?') return true;
    const char *dots = memmem(text, length, "..", 2);
    if (!dots) {
        if (!irr_parse_dim(text, length, &dim->min)) return false;
        dim->max = dim->min;
        if (dim->min == -1) dim->min = 0;
        return true;
    }
    size_t before = (size_t)(dots - text), after = length - before - 2;
    if (!before && !after) return false;
    return (!before || irr_parse_number(text, before, &dim->min)) &&
           (!after || (irr_parse_number(dots + 2, after, &dim->max) && dim->min <= dim->max));
}

irr_status_e irr_parse_shape(const char *text, bool only_static, irr_ir_dim_t *dims, uint32_t *rank,
                             irr_sentence_t sentence) {
    const char *whole = text;
    size_t length = strlen(text);
    trim(&text, &length);
    *rank = 0;
    if (!only_static && length == 3 && memcmp(text, "...", 3) == 0)
        return *rank = IRR_DYNAMIC_RANK, IRR_OK;
    for (const char *end = text + length; length && text <= end;) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        const char *stop = comma ? comma : end;
        if (*rank == IRR_MAX_RANK)
            return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                            "attribute shape has more than %u dimensions", IRR_MAX_RANK);
        irr_ir_dim_t *dim = &dims[(*rank)++];
        if (!parse_partial_dim(text, (size_t)(stop - text), dim) ||
            (only_static && dim->min != dim->max))
            return irr_fail(sentence, IRR_NETWORK_NOT_READ,
                            "attribute shape is \"%.60s\": dimension %" PRIu32
                            " is \"%.*s\", expected %s",
                            whole, *rank - 1, (int)(stop - text < 40 ? stop - text : 40), text,
                            only_static ? "a number of at least 0"
                                        : "a number of at least 0, ?, -1 or a range such as 1..10");
        text = stop + 1;
    }
    return IRR_OK;
}
