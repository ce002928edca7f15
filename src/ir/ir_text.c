/* The pool of texts, and the numbers and shapes that attributes hold.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "ir/ir_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

uint64_t irr_mix(uint64_t a, uint64_t b) {
    __uint128_t product =
        (__uint128_t)(a ^ UINT64_C(0x9e3779b97f4a7c15)) * (b ^ UINT64_C(0xe7037ed1a0b428db));
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Random, so that nobody can write a file whose ids all fall into one slot. */
uint64_t irr_seed(void) {
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed) seed = (uintptr_t)&seed;
    return seed;
}

static uint32_t hash_of(const irr_texts_t *texts, const char *text, size_t length) {
    uint64_t hash = texts->seed ^ length, word;
    for (; length >= 8; text += 8, length -= 8) {
        memcpy(&word, text, 8);
        hash = irr_mix(hash, word ^ texts->seed);
    }
    word = 0;
    memcpy(&word, text, length);
    return (uint32_t)irr_mix(hash, word ^ texts->seed);
}

static bool grow_table(irr_texts_t *texts) {
    size_t slots = texts->slots ? 2 * texts->slots : 1024;
    uint64_t *table = irr_calloc(slots, sizeof *table);
    if (!table) return false;
    for (size_t i = 0; i < texts->slots; i++) {
        if (!texts->table[i]) continue;
        size_t slot = texts->table[i] >> 32 & (slots - 1);
        while (table[slot]) slot = (slot + 1) & (slots - 1);
        table[slot] = texts->table[i];
    }
    irr_release(texts->table);
    texts->table = table;
    texts->slots = slots;
    return true;
}

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

/* Port ids, precisions and versions come again and again: short texts are looked up as one number.
 * The symbol is 0 when this place has yet to learn the text. */
static irr_recent_t *recent_of(irr_texts_t *texts, const char *text, size_t length) {
    uint64_t word = length;
    for (size_t i = 0; i < length; i++) word = word << 8 | (unsigned char)text[i];
    irr_recent_t *recent = &texts->recent[(word * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
    if (recent->word != word) *recent = (irr_recent_t){word, 0};
    return recent;
}

static bool remember(irr_recent_t *recent, irr_symbol_t symbol) {
    if (recent) recent->symbol = symbol;
    return true;
}

bool irr_texts_add(irr_texts_t *texts, const char *text, size_t length, irr_symbol_t *symbol) {
    if (!texts->seed) texts->seed = irr_seed() | 1;
    irr_recent_t *recent = length < 8 ? recent_of(texts, text, length) : NULL;
    if (recent && recent->symbol) return *symbol = recent->symbol, true;
    if (2 * texts->count >= texts->slots && !grow_table(texts)) return false;
    uint32_t hash = hash_of(texts, text, length);
    size_t slot = hash & (texts->slots - 1);
    for (; texts->table[slot]; slot = (slot + 1) & (texts->slots - 1)) {
        if (texts->table[slot] >> 32 != hash) continue;
        const char *there = texts->bytes + (uint32_t)texts->table[slot];
        if (strncmp(there, text, length) == 0 && !there[length])
            return remember(recent, *symbol = (uint32_t)texts->table[slot]);
    }
    if (!irr_texts_append(texts, text, length, symbol)) return false;
    texts->table[slot] = (uint64_t)hash << 32 | *symbol;
    texts->count++;
    return remember(recent, *symbol);
}

void irr_texts_release(irr_texts_t *texts) {
    irr_release(texts->bytes);
    irr_release(texts->table);
}

/* ---- numbers --------------------------------------------------------------------------------- */

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
