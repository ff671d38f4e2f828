// Chunked arena; chunks double in size, so that a large class takes few of them.

#include "classfile/arena.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CHUNK ((size_t)32 * 1024)
#define LARGEST_STEP ((size_t)4 * 1024 * 1024)

struct cf_arena_chunk {
    struct cf_arena_chunk *next;
    size_t size; // of the memory behind this header
};

static uint8_t *chunk_memory(struct cf_arena_chunk *chunk) {
    return (uint8_t *)(chunk + 1);
}

void cf_arena_init(struct cf_arena *arena) {
    memset(arena, 0, sizeof *arena);
    arena->allocate = malloc;
    arena->release = free;
#ifdef CF_ARENA_SMALLEST // of builds for fuzzing: no two allocations share a chunk
    arena->smallest = CF_ARENA_SMALLEST;
#endif
}

void cf_arena_free(struct cf_arena *arena) {
    struct cf_arena_chunk *chunk = arena->first;
    while (chunk) {
        struct cf_arena_chunk *next = chunk->next;
        arena->release(chunk);
        chunk = next;
    }
    arena->first = arena->current = NULL;
    arena->next = arena->end = NULL;
    arena->taken = 0;
}

static void enter_chunk(struct cf_arena *arena, struct cf_arena_chunk *chunk) {
    arena->current = chunk;
    arena->next = chunk_memory(chunk);
    arena->end = arena->next + chunk->size;
}

void cf_arena_reset(struct cf_arena *arena, size_t keep) {
    arena->taken = 0;
    arena->limited = 0;
    if (!arena->first) return;
    size_t kept = 0;
    struct cf_arena_chunk **link = &arena->first;
    while (*link) {
        struct cf_arena_chunk *chunk = *link;
        if (kept + chunk->size <= keep || chunk == arena->first) {
            kept += chunk->size;
            link = &chunk->next;
        } else {
            *link = chunk->next;
            arena->release(chunk);
        }
    }
    enter_chunk(arena, arena->first);
}

void *cf_arena_slow(struct cf_arena *arena, size_t size) {
    if (size > SIZE_MAX / 4) return NULL;
    size_t rounded = (size + 7u) & ~(size_t)7u;
    if (arena->limit &&
        rounded > arena->limit - (arena->taken < arena->limit ? arena->taken : arena->limit)) {
        arena->limited = 1;
        return NULL;
    }
    // A chunk kept from an earlier class serves again if it is large enough.
    while (arena->current && arena->current->next) {
        enter_chunk(arena, arena->current->next);
        if (rounded <= arena->current->size) {
            void *memory = arena->next;
            arena->next += rounded;
            return memory;
        }
    }
    size_t step = arena->current ? arena->current->size * 2 : FIRST_CHUNK;
    if (arena->smallest) step = arena->smallest;
    if (step > LARGEST_STEP) step = LARGEST_STEP;
    if (step < rounded) step = rounded;
    struct cf_arena_chunk *chunk = arena->allocate(sizeof *chunk + step);
    if (!chunk) return NULL;
    chunk->next = NULL;
    chunk->size = step;
    if (arena->current)
        arena->current->next = chunk;
    else
        arena->first = chunk;
    arena->taken += step;
    enter_chunk(arena, chunk);
    void *memory = arena->next;
    arena->next += rounded;
    return memory;
}

void *cf_arena_zeroed(struct cf_arena *arena, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) return NULL;
    void *memory = cf_arena_alloc(arena, count * size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

void *cf_arena_grow(struct cf_arena *arena, const void *array, uint32_t *capacity, uint32_t used,
                    uint64_t count, size_t size) {
    uint64_t wanted = *capacity ? 2 * (uint64_t)*capacity : 64;
    if (wanted < count) wanted = count;
    void *larger = wanted < UINT32_MAX ? cf_arena_alloc(arena, wanted * size) : NULL;
    if (!larger) return NULL;
    if (used) memcpy(larger, array, used * size);
    *capacity = (uint32_t)wanted;
    return larger;
}
