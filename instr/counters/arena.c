#define _DEFAULT_SOURCE // for MAP_ANONYMOUS

#include "instr/counters/arena.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// The first column has a page's calls, each other one something else, in the order of struct instr_counters.
#define COLUMNS 8
_Static_assert(ARENA_PAGE_BYTES % 64 == 0, "pages fill cache lines");
_Static_assert(sizeof(struct instr_counters) == COLUMNS * sizeof(int64_t *), "all columns");

enum { WAY_BYTES = ARENA_WAY_PAGES * ARENA_PAGE_BYTES, OWNED_BYTES = ARENA_WAYS * WAY_BYTES };

// Of pages of blocks there are two halves: when one is cleared the other one is used until the next time.
static struct {
    char *halves[2], *owned; // in the first column
    size_t size, owned_size; // of each half, and of the rest
    size_t distance;         // from each column to the next
    unsigned current;
    atomic_size_t used, owned_used;
} arena;

char *arena_reserve(size_t size) {
    char *place = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return NULL;
    madvise(place, size, MADV_NOHUGEPAGE); // only a small part of a huge page would be used
    return place;
}

// The same from a multiple of OWNED_BYTES on.
static char *reserve_aligned(size_t size) {
    char *place = arena_reserve(size + OWNED_BYTES);
    if (place == NULL) return NULL;
    size_t before = -(uintptr_t)place % OWNED_BYTES;
    if (before != 0) munmap(place, before);
    munmap(place + before + size, OWNED_BYTES - before);
    return place + before;
}

// Owners; behind them columns of the counters with owners, and of two halves of `size` bytes.
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
    const size_t owners = ARENA_WAY_PAGES * sizeof(int64_t);
    char *place = arena_reserve(owners + 2 * COLUMNS * size);
    if (place == NULL) return false;
    arena.owned = place + OWNED_BYTES;
    arena.halves[0] = place + owners;
    arena.halves[1] = arena.halves[0] + size;
    arena.distance = 2 * size;
    arena.size = size;
    return true;
}

bool arena_map(size_t limit) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), most = (size_t)1 << 34;
    if (arena.size != 0) return true;
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
    volatile int64_t *const columns[] = {page->calls, page->thrown, page->mark, page->next};
    for (size_t i = 0; i < ARENA_USUAL_COLUMNS * INSTR_ROWS_PER_PAGE; i++) {
        volatile int64_t *at = &columns[i / INSTR_ROWS_PER_PAGE][i % INSTR_ROWS_PER_PAGE];
        if (*at != 0) *at = 0; // memory that is only read is not used yet
    }
}

int64_t *arena_page(void) {
    size_t at = atomic_fetch_add(&arena.used, ARENA_PAGE_BYTES);
    if (at + ARENA_PAGE_BYTES > arena.size) {
        atomic_fetch_sub(&arena.used, ARENA_PAGE_BYTES);
        return NULL;
    }
    int64_t *page = (void *)(arena.halves[arena.current] + at);
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
    atomic_fetch_add(&arena.owned_used, ARENA_PAGE_BYTES);
    return (void *)(arena.owned + number * ARENA_PAGE_BYTES);
}

volatile int64_t *arena_owner(size_t number) {
    return (void *)(arena.owned - OWNED_BYTES + number / ARENA_WAY_PAGES * WAY_BYTES +
                    number % ARENA_WAY_PAGES * sizeof(int64_t));
}

static void clear(char *pages, size_t size) {
    for (size_t i = 0; i < COLUMNS; i++) madvise(pages + i * arena.distance, size, MADV_DONTNEED);
}

void arena_release(void) {
    unsigned old = arena.current;
    arena.current = old ^ 1;
    size_t used = atomic_exchange(&arena.used, 0);
    if (arena.owned_used != 0) clear(arena.owned, arena.owned_size);
    if (used != 0) clear(arena.halves[old], arena.size);
}

size_t arena_bytes(void) {
    return ARENA_USUAL_COLUMNS * (atomic_load(&arena.used) + atomic_load(&arena.owned_used));
}
