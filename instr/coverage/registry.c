#define _POSIX_C_SOURCE 200809L

#include "instr/base/array.h"
#include "instr/registry.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct instr_coverage {
    pthread_mutex_t lock;
    const struct instr_coverage_store *store;
    struct instr_covered_class *classes;
    uint32_t count, probes;
    size_t capacity;
    uint32_t *slots; // open addressing: index of a class plus 1; a power of two, at most half used
    uint32_t slots_count;
    int *counters; // by probe, plus 1
    size_t counters_count;
    struct rw_implications derived; // the list comes from malloc
    size_t derived_capacity;
};

struct instr_coverage *instr_coverage_new(const struct instr_coverage_store *store) {
    struct instr_coverage *coverage = calloc(1, sizeof *coverage);
    if (!coverage) return NULL;
    pthread_mutex_init(&coverage->lock, NULL);
    coverage->store = store;
    return coverage;
}

void instr_coverage_free(struct instr_coverage *coverage) {
    if (!coverage) return;
    for (uint32_t i = 0; i < coverage->count; i++)
        free((void *)(uintptr_t)coverage->classes[i].name);
    free(coverage->classes);
    free(coverage->slots);
    free(coverage->counters);
    free(coverage->derived.list);
    pthread_mutex_destroy(&coverage->lock);
    free(coverage);
}

// The slot of the class, or the free slot where it would be. Ids need no hashing.
static uint32_t *slot_of(const struct instr_coverage *coverage, uint64_t id, const char *name,
                         size_t length, uint32_t count) {
    for (uint32_t at = (uint32_t)id;; at++) {
        uint32_t *slot = &coverage->slots[at & (coverage->slots_count - 1)];
        if (!*slot) return slot;
        const struct instr_covered_class *known = &coverage->classes[*slot - 1];
        if (known->id == id && known->count == count && strlen(known->name) == length &&
            memcmp(known->name, name, length) == 0)
            return slot;
    }
}

static int more_slots(struct instr_coverage *coverage) {
    uint32_t count = coverage->slots_count ? coverage->slots_count * 2 : 256;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots) return 0;
    free(coverage->slots);
    coverage->slots = slots;
    coverage->slots_count = count;
    for (uint32_t i = 0; i < coverage->count; i++) {
        const struct instr_covered_class *known = &coverage->classes[i];
        *slot_of(coverage, known->id, known->name, strlen(known->name), known->count) = i + 1;
    }
    return 1;
}

// Makes room in the tables for one more class.
static int grow(struct instr_coverage *coverage) {
    if (coverage->count >= coverage->slots_count / 2 && !more_slots(coverage)) return 0;
    return INSTR_ARRAY_RESERVE(coverage->classes, coverage->capacity, (size_t)coverage->count + 1);
}

// A new class whose probes begin at `first`. Returns 0 when out of memory.
static int add(struct instr_coverage *coverage, uint32_t *slot,
               const struct instr_covered_class *covered, const char *name, size_t length,
               uint32_t first) {
    struct instr_covered_class *added = &coverage->classes[coverage->count];
    *added = *covered;
    added->name = strndup(name, length);
    added->first = first;
    added->derived = UINT32_MAX;
    if (!added->name) return 0;
    *slot = ++coverage->count;
    coverage->probes = first + covered->count;
    if (coverage->store && coverage->store->added) coverage->store->added(added);
    return 1;
}

// Each class starts at a cache line, so that threads in different small classes do not slow each
// other down.
enum { LINE = 64 };

static int64_t room(const struct instr_coverage *coverage, uint32_t count) {
    int64_t first = ((int64_t)coverage->probes + LINE - 1) / LINE * LINE;
    if (first + count <= INT32_MAX && coverage->store)
        first = coverage->store->room((uint32_t)first, count);
    return first + count <= INT32_MAX ? first : -1;
}

// Under the lock. Returns the first probe; -1: no memory; -2: no room.
static int64_t reserve(struct instr_coverage *coverage, const struct instr_covered_class *covered,
                       const char *name, size_t length) {
    if (!grow(coverage)) return -1;
    uint32_t *slot = slot_of(coverage, covered->id, name, length, covered->count);
    if (*slot) return coverage->classes[*slot - 1].first;
    int64_t first = room(coverage, covered->count);
    if (first < 0) return -2;
    return add(coverage, slot, covered, name, length, (uint32_t)first) ? first : -1;
}

int64_t instr_coverage_reserve(struct instr_coverage *coverage,
                               const struct instr_covered_class *covered, const char *name,
                               size_t name_length) {
    const struct instr_coverage_store *store = coverage->store;
    for (;;) {
        pthread_mutex_lock(&coverage->lock);
        int64_t first = reserve(coverage, covered, name, name_length);
        int is_low = store && first >= 0 && room(coverage, store->ahead) < 0;
        pthread_mutex_unlock(&coverage->lock);
        if (is_low) store->more(0);
        if (first != -2) return first;
        if (!store || !store->more(1)) return -1;
    }
}

uint32_t instr_coverage_classes(struct instr_coverage *coverage) {
    pthread_mutex_lock(&coverage->lock);
    uint32_t count = coverage->count;
    pthread_mutex_unlock(&coverage->lock);
    return count;
}

uint32_t instr_coverage_probes(struct instr_coverage *coverage) {
    pthread_mutex_lock(&coverage->lock);
    uint32_t probes = coverage->probes;
    pthread_mutex_unlock(&coverage->lock);
    return probes;
}

struct instr_covered_class instr_coverage_class(struct instr_coverage *coverage, uint32_t i) {
    pthread_mutex_lock(&coverage->lock);
    struct instr_covered_class known = coverage->classes[i];
    pthread_mutex_unlock(&coverage->lock);
    return known;
}

int instr_coverage_knows(struct instr_coverage *coverage, uint64_t id, const char *name) {
    int found = 0;
    pthread_mutex_lock(&coverage->lock);
    for (uint32_t at = (uint32_t)id; coverage->slots && !found; at++) {
        uint32_t slot = coverage->slots[at & (coverage->slots_count - 1)];
        if (!slot) break;
        const struct instr_covered_class *known = &coverage->classes[slot - 1];
        found = known->id == id && strcmp(known->name, name) == 0;
    }
    pthread_mutex_unlock(&coverage->lock);
    return found;
}

void instr_coverage_set_file_id(struct instr_coverage *coverage, uint32_t i, uint64_t file_id) {
    pthread_mutex_lock(&coverage->lock);
    coverage->classes[i].file_id = file_id;
    pthread_mutex_unlock(&coverage->lock);
}

void instr_coverage_set_counter(struct instr_coverage *coverage, uint32_t probe, int counter) {
    pthread_mutex_lock(&coverage->lock);
    size_t before = coverage->counters_count;
    if (INSTR_ARRAY_RESERVE(coverage->counters, coverage->counters_count, (size_t)probe + 1)) {
        memset(coverage->counters + before, 0,
               (coverage->counters_count - before) * sizeof *coverage->counters);
        coverage->counters[probe] = counter + 1;
    }
    pthread_mutex_unlock(&coverage->lock);
}

int instr_coverage_counter(struct instr_coverage *coverage, uint32_t probe) {
    pthread_mutex_lock(&coverage->lock);
    int counter = probe < coverage->counters_count ? coverage->counters[probe] - 1 : -1;
    pthread_mutex_unlock(&coverage->lock);
    return counter;
}

// --- implied probes ---

// The class whose first probe is this one; classes are in ascending order.
static struct instr_covered_class *class_of(struct instr_coverage *coverage, uint32_t first) {
    uint32_t low = 0, high = coverage->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (coverage->classes[middle].first <= first)
            low = middle;
        else
            high = middle;
    }
    return low < high && coverage->classes[low].first == first ? &coverage->classes[low] : NULL;
}

static int append_derived(struct instr_coverage *coverage, const struct rw_implication *list,
                          uint32_t count) {
    struct rw_implications *to = &coverage->derived;
    if (!INSTR_ARRAY_RESERVE(to->list, coverage->derived_capacity, (size_t)to->count + count))
        return 0;
    if (count) memcpy(to->list + to->count, list, count * sizeof *list);
    to->count += count;
    return 1;
}

int instr_coverage_derive(struct instr_coverage *coverage, uint32_t first,
                          const struct rw_implication *list, uint32_t count) {
    pthread_mutex_lock(&coverage->lock);
    struct instr_covered_class *class = class_of(coverage, first);
    struct rw_implications *all = &coverage->derived;
    int good = class != NULL;
    if (class && class->derived == UINT32_MAX) {
        class->derived = all->count;
        class->derived_count = count;
        good = append_derived(coverage, list, count);
        if (!good) class->derived = UINT32_MAX;
    } else if (class) {
        good = class->derived_count == count &&
               (count == 0 || memcmp(all->list + class->derived, list, count * sizeof *list) == 0);
    }
    pthread_mutex_unlock(&coverage->lock);
    return good;
}

void instr_coverage_follow(struct instr_coverage *coverage, uint8_t *hits, uint32_t count) {
    int more = 1;
    pthread_mutex_lock(&coverage->lock);
    while (more) { // once or twice: they are mostly in the order of the code
        more = 0;
        for (uint32_t i = 0; i < coverage->derived.count; i++) {
            const struct rw_implication *m = &coverage->derived.list[i];
            if (m->probe >= count || m->by >= count || !hits[m->by] || hits[m->probe]) continue;
            hits[m->probe] = 1;
            more = 1;
        }
    }
    pthread_mutex_unlock(&coverage->lock);
}

size_t instr_coverage_bytes(struct instr_coverage *coverage) {
    pthread_mutex_lock(&coverage->lock);
    size_t bytes = sizeof *coverage + coverage->capacity * sizeof *coverage->classes +
                   coverage->slots_count * sizeof *coverage->slots;
    for (uint32_t i = 0; i < coverage->count; i++) bytes += strlen(coverage->classes[i].name) + 1;
    pthread_mutex_unlock(&coverage->lock);
    return bytes;
}
