// One arena per class: all memory for rewriting a class comes from here and is freed at once. An
// arena that is reset keeps its memory, so that the next class costs no malloc.

#ifndef CF_ARENA_H
#define CF_ARENA_H

#include "classfile/decls.h"

#include <stddef.h>
#include <stdint.h>

CF_BEGIN_DECLS

struct cf_arena_chunk;

struct cf_arena {
    struct cf_arena_chunk *first, *current;
    uint8_t *next, *end;
    size_t limit; // bytes that may be allocated between two resets; 0: no limit
    size_t taken;
    int limited;     // an allocation failed because of `limit` since the last reset
    size_t smallest; // minimum bytes of every chunk; 0: 32 KB, doubled for each further chunk
    void *(*allocate)(size_t size); // malloc, unless a test sets its own
    void (*release)(void *memory);
};

// Allocates nothing yet.
void cf_arena_init(struct cf_arena *arena);
// Frees all memory; the arena can be used again.
void cf_arena_free(struct cf_arena *arena);
// Releases all allocations; keeps at most `keep` bytes for the next class and frees the rest.
void cf_arena_reset(struct cf_arena *arena, size_t keep);

void *cf_arena_slow(struct cf_arena *arena, size_t size);

// `size` bytes, aligned to 8, uninitialised; NULL when out of memory.
static inline void *cf_arena_alloc(struct cf_arena *arena, size_t size) {
    size_t rounded = (size + 7u) & ~(size_t)7u;
    if (rounded >= size && rounded <= (size_t)(arena->end - arena->next)) {
        void *memory = arena->next;
        arena->next += rounded;
        return memory;
    }
    return cf_arena_slow(arena, size);
}

// `count` zeroed elements of `size` bytes; NULL when out of memory or if the product overflows.
void *cf_arena_zeroed(struct cf_arena *arena, size_t count, size_t size);

// An array of at least `count` elements of `size` bytes in place of one of *capacity elements, of
// which the `used` ones are copied. It doubles at least. NULL: out of memory.
void *cf_arena_grow(struct cf_arena *arena, const void *array, uint32_t *capacity, uint32_t used,
                    uint64_t count, size_t size);

CF_END_DECLS

#endif
