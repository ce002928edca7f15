/* Allocation with a test hook, checked sizes, the memory limit.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include "base/control_groups.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((weak)) bool irr_may_allocate(void) { return true; }

void *irr_malloc(size_t bytes) { return irr_may_allocate() ? malloc(bytes ? bytes : 1) : NULL; }

void *irr_calloc(size_t count, size_t bytes) {
    return irr_may_allocate() ? calloc(count ? count : 1, bytes ? bytes : 1) : NULL;
}

void *irr_realloc(void *old, size_t bytes) {
    return irr_may_allocate() ? realloc(old, bytes ? bytes : 1) : NULL;
}

char *irr_strdup(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = irr_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void *irr_malloc_aligned(size_t bytes) {
    size_t rounded;
    if (!irr_add_size(bytes, IRR_ALIGNMENT, &rounded)) return NULL;
    rounded -= rounded % IRR_ALIGNMENT; /* never 0, and a multiple as C11 asks */
    return irr_may_allocate() ? aligned_alloc(IRR_ALIGNMENT, rounded) : NULL;
}

void irr_release(void *memory) { free(memory); }

/* Tensors of 12 to 64 MB are read 1.03x to 1.05x as fast, of 6 MB 1.0x: too little of those lies in
 * whole pages of 2 MB. A wish, which a system may not grant. */
#define LARGE_PAGES_BYTES ((size_t)8 << 20)

void irr_prefer_large_pages(void *memory, size_t bytes) {
    if (bytes < LARGE_PAGES_BYTES) return;
#ifdef MADV_HUGEPAGE
    size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (0 - (uintptr_t)memory) % page;
    madvise((char *)memory + before, (bytes - before) / page * page, MADV_HUGEPAGE);
#endif
}

/* Small things stand side by side in pieces that grow, a large one has its own. */
struct irr_piece {
    _Alignas(max_align_t) struct irr_piece *next;
};
enum { FIRST_PIECE_BYTES = 1 << 9, MOST_PIECE_BYTES = 1 << 16 };

static bool add_piece(irr_arena_t *arena, size_t bytes) {
    size_t room = arena->pieces ? 2 * arena->room_bytes : FIRST_PIECE_BYTES, whole;
    if (room > MOST_PIECE_BYTES) room = MOST_PIECE_BYTES;
    if (room < bytes) room = bytes;
    struct irr_piece *piece =
        irr_add_size(room, sizeof *piece, &whole) ? irr_calloc(1, whole) : NULL;
    if (!piece) return false;
    piece->next = arena->pieces;
    arena->pieces = piece;
    arena->used_bytes = 0;
    arena->room_bytes = room;
    return true;
}

void *irr_take(irr_arena_t *arena, size_t count, size_t element_bytes) {
    size_t bytes, aligned = _Alignof(max_align_t) - 1;
    if (element_bytes > 1) arena->used_bytes = (arena->used_bytes + aligned) & ~aligned;
    bool there = irr_mul_size(count, element_bytes, &bytes) && irr_may_allocate();
    bool fits = arena->pieces && arena->used_bytes <= arena->room_bytes &&
                bytes <= arena->room_bytes - arena->used_bytes;
    if (!there || (!fits && !add_piece(arena, bytes))) return arena->failed = true, NULL;
    char *taken = (char *)(arena->pieces + 1) + arena->used_bytes;
    arena->used_bytes += bytes;
    return taken;
}

void *irr_take_copy(irr_arena_t *arena, const void *from, size_t count, size_t element_bytes) {
    void *copy = irr_take(arena, count, element_bytes);
    return copy && count ? memcpy(copy, from, count * element_bytes) : copy;
}

char *irr_take_text(irr_arena_t *arena, const char *text) {
    if (!text) text = "";
    return irr_take_copy(arena, text, strlen(text) + 1, 1);
}

void irr_arena_release(irr_arena_t *arena) {
    while (arena->pieces) {
        struct irr_piece *next = arena->pieces->next;
        irr_release(arena->pieces);
        arena->pieces = next;
    }
}

bool irr_grow(void **array, size_t *capacity, size_t needed, size_t element_bytes) {
    if (needed <= *capacity) return true;
    size_t wanted = *capacity < 8 ? 8 : *capacity, bytes;
    while (wanted < needed)
        if (!irr_mul_size(wanted, 2, &wanted)) return false;
    if (!irr_mul_size(wanted, element_bytes, &bytes)) return false;
    void *grown = irr_realloc(*array, bytes);
    if (!grown) return false;
    *array = grown;
    *capacity = wanted;
    return true;
}

static uint64_t limit_of(irr_group_t *group) {
    long long bytes[2];
    int count = irr_group_numbers(group, "memory.max", bytes); /* version 2; "max" is none */
    if (count < 0) count = irr_group_numbers(group, "memory.limit_in_bytes", bytes);
    return count > 0 && bytes[0] >= 0 ? (uint64_t)bytes[0] : UINT64_MAX;
}

uint64_t irr_memory_limit_bytes_in(const char *membership, const char *root) {
    uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t limit = irr_group_limit("memory", limit_of, membership, root);
    return limit < all ? limit : all;
}

uint64_t irr_memory_limit_bytes(void) { return irr_memory_limit_bytes_in(NULL, NULL); }
