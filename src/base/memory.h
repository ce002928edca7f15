/* Allocation and sizes that cannot wrap around.
 * Every allocation of the project goes through here, so that a test can make each one fail in turn.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_BASE_MEMORY_H
#define IRR_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IRR_ALIGNMENT 64 /* bytes: a cache line and the widest vector */

void *irr_malloc(size_t bytes); /* 0 bytes: a pointer that may be freed, not NULL */
void *irr_calloc(size_t count, size_t bytes);
void *irr_realloc(void *old, size_t bytes);
char *irr_strdup(const char *text);
/* Aligned to IRR_ALIGNMENT. All of these are freed with irr_release. */
void *irr_malloc_aligned(size_t bytes);
void irr_release(void *memory); /* NULL does nothing */
/* Asks for large pages under a block that nobody has written to yet; a small one is left alone. */
void irr_prefer_large_pages(void *memory, size_t bytes);

/* Pieces of memory that live as long as what they are parts of. A zeroed arena has none. */
typedef struct irr_arena {
    struct irr_piece *pieces;
    size_t used_bytes, room_bytes; /* of the newest piece */
    bool failed;                   /* some piece could not be had: one look at the end may do */
} irr_arena_t;
void *irr_take(irr_arena_t *arena, size_t count, size_t element_bytes); /* zeroed, or NULL */
void *irr_take_copy(irr_arena_t *arena, const void *from, size_t count, size_t element_bytes);
char *irr_take_text(irr_arena_t *arena, const char *text); /* NULL: "" */
void irr_arena_release(irr_arena_t *arena);

/* Grows *array of elements to hold at least `needed`, doubling; false when memory is out and
 * the old array stays valid. */
bool irr_grow(void **array, size_t *capacity, size_t needed, size_t element_bytes);

/* False when the result does not fit a size_t. */
static inline bool irr_mul_size(size_t a, size_t b, size_t *result) {
    return !__builtin_mul_overflow(a, b, result);
}
static inline bool irr_add_size(size_t a, size_t b, size_t *result) {
    return !__builtin_add_overflow(a, b, result);
}

/* The smaller of the machine's physical memory and the control groups' limit, in bytes; from the
 * files of these: control_groups.h. */
uint64_t irr_memory_limit_bytes(void);
uint64_t irr_memory_limit_bytes_in(const char *membership, const char *root);

/* Asked before each allocation; the tests have one of their own, which may say no. */
bool irr_may_allocate(void);

#endif
