#define _DEFAULT_SOURCE // for MAP_ANONYMOUS

#include "instr/counters/arena.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// The first column has a page's calls, each other one something else, in the order of struct instr_counters.
#define COLUMNS 8
_Static_assert(ARENA_PAGE_BYTES % 64 == 0, "pages fill cache lines");
_Static_assert(sizeof(struct instr_counters) == COLUMNS * sizeof(int64_t *), "all columns");
_Static_assert(ARENA_FACTS * sizeof(int64_t) <= ARENA_PAGE_BYTES,
               "facts of a way take no more than its pages");

enum {
    WAY_BYTES = ARENA_WAY_PAGES * ARENA_PAGE_BYTES,
    OWNED_BYTES = ARENA_WAYS * WAY_BYTES,
    FACT_BYTES = ARENA_WAY_PAGES * sizeof(int64_t), // of a way
    LEARNED_BYTES = sizeof(int64_t) << INSTR_RECORD_ID_BITS,
    CHUNK = 1 << 16, // of a column, which becomes writable at once
    MOST_CHUNKS = 1 << 18
};

// Of pages of blocks there are two halves: when one is cleared the other one is used until the next time.
static const uint64_t SECOND_HALF = UINT64_C(1) << 63;

static struct {
    char *halves[2], *owned;   // in the first column
    size_t size, owned_size;   // of each half, and of the rest
    size_t distance;           // from each column to the next
    atomic_uint_fast64_t used; // bytes of a half, which the highest bit tells
    atomic_size_t owned_used;
    char *learned; // an element for each method; NULL: there is no place
    atomic_uchar learned_writable[LEARNED_BYTES / CHUNK]; // of each of its chunks
    atomic_uchar writable
        [MOST_CHUNKS]; // of each chunk of the first column, from `owned` or the first half on
} arena;

static char *reserve(size_t size, int protection) {
    char *place = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return NULL;
    madvise(place, size, MADV_NOHUGEPAGE); // only a small part of a huge page would be used
    return place;
}

char *arena_reserve(size_t size) {
    return reserve(size, PROT_READ | PROT_WRITE);
}

static char *column_start(void) {
    return arena.owned_size != 0 ? arena.owned : arena.halves[0];
}

// Makes the chunks of a page writable, in each column. Most of a column is never written to, and is reserved
// for reading only: a program that locks its memory (mlockall) would get all that is writable, and with
// vm.overcommit_memory=2 it would count as used.
static bool make_writable(const char *page) {
    char *start = column_start();
    size_t all = arena.owned_size + 2 * arena.size, at = (size_t)(page - start) / CHUNK;
    for (size_t last = (size_t)(page - start + ARENA_PAGE_BYTES - 1) / CHUNK; at <= last; at++) {
        size_t from = at * CHUNK, bytes = all - from < CHUNK ? all - from : CHUNK;
        if (at >= MOST_CHUNKS) return false;
        if (atomic_load(&arena.writable[at])) continue;
        for (size_t i = 0; i < COLUMNS; i++)
            if (mprotect(start + i * arena.distance + from, bytes, PROT_READ | PROT_WRITE) != 0)
                return false;
        atomic_store(&arena.writable[at], 1);
    }
    return true;
}

// Reserves for reading, from a multiple of OWNED_BYTES on.
static char *reserve_aligned(size_t size) {
    char *place = reserve(size + OWNED_BYTES, PROT_READ);
    if (place == NULL) return NULL;
    size_t before = -(uintptr_t)place % OWNED_BYTES;
    if (before != 0) munmap(place, before);
    munmap(place + before + size, OWNED_BYTES - before);
    return place + before;
}

// Facts; behind them columns of the counters with owners, and of two halves of `size` bytes.
static bool map_columns(size_t size) {
    size_t column = OWNED_BYTES + 2 * size;
    char *place = reserve_aligned(OWNED_BYTES + COLUMNS * column);
    if (place == NULL) return false;
    arena.owned = place + OWNED_BYTES;
    arena.owned_size = OWNED_BYTES;
    arena.halves[0] = arena.owned + OWNED_BYTES;
    arena.halves[1] = arena.halves[0] + size;
    arena.distance = column;
    arena.size = size;
    return true;
}

// The same where address space is limited, so that the application keeps what it needs: no page has an owner,
// which Java code looks for in the first way.
static bool map_halves(size_t size) {
    char *place = reserve(FACT_BYTES + 2 * COLUMNS * size, PROT_READ);
    if (place == NULL) return false;
    arena.owned = place + OWNED_BYTES;
    arena.halves[0] = place + FACT_BYTES;
    arena.halves[1] = arena.halves[0] + size;
    arena.distance = 2 * size;
    arena.size = size;
    return true;
}

volatile int64_t *arena_learned(void) {
    return (void *)arena.learned;
}

bool arena_learn(size_t page) {
    size_t chunk = page * ARENA_PAGE_BYTES / CHUNK;
    if (arena.learned == NULL || chunk >= LEARNED_BYTES / CHUNK) return arena.learned == NULL;
    if (atomic_load(&arena.learned_writable[chunk])) return true;
    if (mprotect(arena.learned + chunk * CHUNK, CHUNK, PROT_READ | PROT_WRITE) != 0) return false;
    atomic_store(&arena.learned_writable[chunk], 1);
    return true;
}

bool arena_map(size_t limit) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), most = (size_t)MOST_CHUNKS / 4 * CHUNK;
    if (arena.size != 0) return true;
    if (arena.learned == NULL) arena.learned = reserve(LEARNED_BYTES, PROT_READ);
    size_t size = limit / ARENA_USUAL_COLUMNS < most ? limit / ARENA_USUAL_COLUMNS : most;
    if (size < page) size = page;
    size = (size + page - 1) / page * page;
    struct rlimit space;
    bool limited = getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
    if (!limited && map_columns(size)) return true;
    for (; size >= page; size = size / 2 / page * page)
        if (map_halves(size)) return true;
    return false;
}

size_t arena_distance(void) {
    return arena.distance;
}

static volatile int64_t *column(int64_t *page, size_t n) {
    return (void *)((char *)page + n * arena.distance);
}

struct instr_counters arena_columns(int64_t *page) {
    return (struct instr_counters){page,
                                   column(page, 1),
                                   column(page, 2),
                                   column(page, 3),
                                   column(page, 4),
                                   column(page, 5),
                                   column(page, 6),
                                   column(page, 7)};
}

// Threads may have written to it before it was cleared, and after.
static void clear_page(const struct instr_counters *page) {
    volatile int64_t *const columns[] = {page->calls, page->next, page->thrown, page->mark};
    for (size_t i = 0; i < ARENA_USUAL_COLUMNS * INSTR_ROWS_PER_PAGE; i++) {
        volatile int64_t *at = &columns[i / INSTR_ROWS_PER_PAGE][i % INSTR_ROWS_PER_PAGE];
        if (*at != 0) *at = 0; // memory that is only read is not used yet
    }
}

int64_t *arena_page(void) {
    uint64_t used = atomic_fetch_add(&arena.used, ARENA_PAGE_BYTES), at = used & ~SECOND_HALF;
    char *place = arena.halves[(used & SECOND_HALF) != 0] + at;
    if (at + ARENA_PAGE_BYTES > arena.size) {
        // A release may have begun anew meanwhile.
        uint64_t now = used + ARENA_PAGE_BYTES;
        atomic_compare_exchange_strong(&arena.used, &now, used);
        return NULL;
    }
    if (!make_writable(place)) return NULL;
    int64_t *page = (void *)place;
    struct instr_counters columns = arena_columns(page);
    clear_page(&columns);
    return page;
}

bool arena_has_owners(void) {
    return arena.owned_size != 0;
}

int64_t *arena_owned(void) {
    return (void *)arena.owned;
}

int64_t *arena_owned_page(size_t number) {
    const size_t unit = (size_t)sysconf(_SC_PAGESIZE);
    char *page = arena.owned + number * ARENA_PAGE_BYTES;
    if (!make_writable(page)) return NULL;
    for (size_t fact = 0; fact < ARENA_FACTS; fact++) {
        char *place = (char *)arena_fact(number, (enum arena_fact)fact);
        if (mprotect(place - (uintptr_t)place % unit, unit, PROT_READ | PROT_WRITE) != 0)
            return NULL;
    }
    atomic_fetch_add(&arena.owned_used, ARENA_PAGE_BYTES);
    return (void *)page;
}

volatile int64_t *arena_fact(size_t number, enum arena_fact fact) {
    return (void *)(arena.owned - OWNED_BYTES + number / ARENA_WAY_PAGES * WAY_BYTES +
                    fact * FACT_BYTES + number % ARENA_WAY_PAGES * sizeof(int64_t));
}

// Pages that the program has locked stay: they are cleared as far as they may have been written to.
static void clear_locked(char *pages, size_t size, size_t column) {
    char *start = column_start();
    for (size_t at = (size_t)(pages - start), end = at + size; at < end;) {
        size_t next = (at / CHUNK + 1) * CHUNK;
        if (next > end) next = end;
        if (atomic_load(&arena.writable[at / CHUNK]))
            memset(start + column * arena.distance + at, 0, next - at);
        at = next;
    }
}

static void clear(char *pages, size_t size) {
    for (size_t i = 0; i < COLUMNS; i++)
        if (madvise(pages + i * arena.distance, size, MADV_DONTNEED) != 0)
            clear_locked(pages, size, i);
}

void arena_release(void) {
    uint64_t used = atomic_load(&arena.used);
    while (!atomic_compare_exchange_weak(&arena.used, &used, ~used & SECOND_HALF)) {
    }
    for (size_t chunk = 0; chunk < LEARNED_BYTES / CHUNK; chunk++)
        if (atomic_load(&arena.learned_writable[chunk]))
            memset(arena.learned + chunk * CHUNK, 0, CHUNK);
    if (arena.owned_used != 0) clear(arena.owned, arena.owned_size);
    if ((used & ~SECOND_HALF) != 0) clear(arena.halves[(used & SECOND_HALF) != 0], arena.size);
}

size_t arena_bytes(void) {
    uint64_t used = atomic_load(&arena.used) & ~SECOND_HALF;
    return ARENA_USUAL_COLUMNS * (used + atomic_load(&arena.owned_used));
}
