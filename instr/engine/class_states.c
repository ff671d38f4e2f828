// A hash table with open addressing. Entries that have become empty stay until it is rebuilt.

#include "instr/engine/class_states.h"

#include "instr/base/hash.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 256, MOST = 1 << 24 }; // slots, powers of two
#define SWEEP_FROM 4096               // entries; a smaller table is not worth a sweep

struct instr_class_states {
    pthread_mutex_t mutex;
    struct instr_class_state *slots; // key 0: free
    uint32_t size, used, swept;      // slots; used ones; used ones after the last sweep
    struct instr_class_states_totals totals;
};

struct instr_class_states *instr_class_states_new(void) {
    struct instr_class_states *states = calloc(1, sizeof *states);
    if (states) pthread_mutex_init(&states->mutex, NULL);
    return states;
}

void instr_class_states_free(struct instr_class_states *states) {
    if (!states) return;
    free(states->slots);
    pthread_mutex_destroy(&states->mutex);
    free(states);
}

uint64_t instr_class_states_key(const char *name, size_t length, int32_t loader) {
    uint64_t key = instr_hash(name, length, (uint64_t)(uint32_t)loader);
    return key ? key : 1;
}

static int says_nothing(const struct instr_class_state *e) {
    return !e->methods && !e->refused && !e->over;
}

// Adds an entry to the totals, or subtracts it.
static void count(struct instr_class_states *c, const struct instr_class_state *e, int sign) {
    struct instr_class_states_totals *t = &c->totals;
    uint32_t methods = e->absent ? 0 : e->methods;
    int64_t n[] = {methods != 0, methods, e->loading, e->refused, e->over};
    t->classes += (uint64_t)(sign * n[0]);
    t->methods += (uint64_t)(sign * n[1]);
    t->loading += (uint64_t)(sign * n[2]);
    t->refused += (uint64_t)(sign * n[3]);
    t->over += (uint64_t)(sign * n[4]);
}

static struct instr_class_state *find(struct instr_class_state *slots, uint32_t size,
                                      uint64_t key) {
    uint32_t at = (uint32_t)key & (size - 1);
    while (slots[at].key && slots[at].key != key) at = (at + 1) & (size - 1);
    return &slots[at];
}

// Rebuilds the table with room for one more entry. Returns 0 when out of memory.
static int rebuild(struct instr_class_states *c) {
    uint32_t alive = 1, size = FIRST;
    for (uint32_t i = 0; i < c->size; i++) alive += c->slots[i].key && !says_nothing(&c->slots[i]);
    while (size < alive * 2) size *= 2;
    if (size > MOST) return 0;
    struct instr_class_state *slots = calloc(size, sizeof *slots);
    if (!slots) return 0;
    for (uint32_t i = 0; i < c->size; i++)
        if (c->slots[i].key && !says_nothing(&c->slots[i]))
            *find(slots, size, c->slots[i].key) = c->slots[i];
    free(c->slots);
    c->slots = slots;
    c->size = size;
    c->used = alive - 1;
    return 1;
}

struct instr_class_state instr_class_states_get(struct instr_class_states *states, uint64_t key) {
    struct instr_class_state entry = {.key = key};
    pthread_mutex_lock(&states->mutex);
    if (states->size) {
        const struct instr_class_state *found = find(states->slots, states->size, key);
        if (found->key) entry = *found;
    }
    pthread_mutex_unlock(&states->mutex);
    return entry;
}

// `found`: the present entry of the class; NULL: it has none.
static bool fits(const struct instr_class_states *c, const struct instr_class_state *found,
                 const struct instr_class_state *entry, uint64_t max_classes,
                 uint64_t max_methods) {
    uint64_t classes = c->totals.classes, methods = c->totals.methods;
    if (!entry->methods) return true;
    if (found && !found->absent) {
        classes -= found->methods != 0;
        methods -= found->methods;
    }
    return (!max_classes || classes < max_classes) &&
           (!max_methods || methods + entry->methods <= max_methods);
}

static int add(struct instr_class_states *c, const struct instr_class_state *entry) {
    if (c->used >= c->size / 4 * 3 && !rebuild(c) && c->used + 1 >= c->size) return 0;
    *find(c->slots, c->size, entry->key) = *entry;
    c->used++;
    count(c, entry, 1);
    return 1;
}

static struct instr_class_state *entry_of(const struct instr_class_states *c, uint64_t key) {
    struct instr_class_state *found = c->size ? find(c->slots, c->size, key) : NULL;
    return found && found->key ? found : NULL;
}

bool instr_class_states_fits(struct instr_class_states *states, uint64_t key, uint32_t methods,
                             uint64_t max_classes, uint64_t max_methods) {
    const struct instr_class_state entry = {.key = key, .methods = methods};
    if (!max_classes && !max_methods) return true;
    pthread_mutex_lock(&states->mutex);
    bool has_room = fits(states, entry_of(states, key), &entry, max_classes, max_methods);
    pthread_mutex_unlock(&states->mutex);
    return has_room;
}

enum instr_class_put instr_class_states_put_within(struct instr_class_states *states,
                                                   const struct instr_class_state *entry,
                                                   uint64_t max_classes, uint64_t max_methods) {
    enum instr_class_put done = INSTR_CLASS_PUT;
    pthread_mutex_lock(&states->mutex);
    struct instr_class_state *found = entry_of(states, entry->key);
    if (!fits(states, found, entry, max_classes, max_methods)) {
        done = INSTR_CLASS_NO_ROOM;
    } else if (found) {
        count(states, found, -1);
        *found = *entry;
        count(states, entry, 1);
    } else if (!says_nothing(entry) && !add(states, entry)) {
        done = INSTR_CLASS_NO_MEMORY;
    }
    pthread_mutex_unlock(&states->mutex);
    return done;
}

int instr_class_states_put(struct instr_class_states *states,
                           const struct instr_class_state *entry) {
    return instr_class_states_put_within(states, entry, 0, 0) == INSTR_CLASS_PUT;
}

struct instr_class_states_totals instr_class_states_totals(struct instr_class_states *states) {
    pthread_mutex_lock(&states->mutex);
    struct instr_class_states_totals totals = states->totals;
    pthread_mutex_unlock(&states->mutex);
    return totals;
}

size_t instr_class_states_late_loaded(struct instr_class_states *states, uint32_t plan) {
    size_t n = 0;
    pthread_mutex_lock(&states->mutex);
    for (uint32_t i = 0; i < states->size; i++)
        n += states->slots[i].loading && states->slots[i].plan != plan;
    pthread_mutex_unlock(&states->mutex);
    return n;
}

void instr_class_states_sweep_begin(struct instr_class_states *states) {
    pthread_mutex_lock(&states->mutex);
    for (uint32_t i = 0; i < states->size; i++) states->slots[i].seen = 0;
    pthread_mutex_unlock(&states->mutex);
}

static void see(struct instr_class_states *states, uint64_t key, int is_loading) {
    pthread_mutex_lock(&states->mutex);
    struct instr_class_state *found = states->size ? find(states->slots, states->size, key) : NULL;
    if (found && found->key) {
        count(states, found, -1);
        found->seen = 1;
        found->absent = 0;
        if (!is_loading) found->loading = 0;
        count(states, found, 1);
    }
    pthread_mutex_unlock(&states->mutex);
}

void instr_class_states_sweep_seen(struct instr_class_states *states, uint64_t key) {
    see(states, key, 0);
}

void instr_class_states_sweep_loaded(struct instr_class_states *states, uint64_t key) {
    see(states, key, 1);
}

void instr_class_states_sweep_end(struct instr_class_states *states, uint32_t before,
                                  uint32_t absent) {
    pthread_mutex_lock(&states->mutex);
    for (uint32_t i = 0; i < states->size; i++) {
        struct instr_class_state *e = &states->slots[i];
        if (!e->key || e->seen) continue;
        count(states, e, -1);
        if (e->loading && e->since >= before) {
            e->absent = e->since < absent;
        } else {
            e->methods = 0;
            e->refused = e->loading = e->over = e->absent = 0;
        }
        count(states, e, 1);
    }
    if (states->size) rebuild(states);
    states->swept = states->used;
    pthread_mutex_unlock(&states->mutex);
}

int instr_class_states_grown(struct instr_class_states *states) {
    pthread_mutex_lock(&states->mutex);
    int grown = states->used > SWEEP_FROM && states->used > 2 * states->swept;
    pthread_mutex_unlock(&states->mutex);
    return grown;
}

void instr_class_states_clear(struct instr_class_states *states) {
    pthread_mutex_lock(&states->mutex);
    free(states->slots);
    states->slots = NULL;
    states->size = states->used = states->swept = 0;
    memset(&states->totals, 0, sizeof states->totals);
    pthread_mutex_unlock(&states->mutex);
}

size_t instr_class_states_bytes(struct instr_class_states *states) {
    pthread_mutex_lock(&states->mutex);
    size_t bytes = sizeof *states + states->size * sizeof *states->slots;
    pthread_mutex_unlock(&states->mutex);
    return bytes;
}
