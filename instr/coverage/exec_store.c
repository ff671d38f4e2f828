// Classes of .exec files by their ids: an open hash table, and a list in the order of arrival.

#include "instr/coverage/exec_store.h"

#include <stdlib.h>
#include <string.h>

void instr_exec_store_init(struct instr_exec_store *store) {
    memset(store, 0, sizeof *store);
    store->last = &store->first;
}

void instr_exec_store_free(struct instr_exec_store *store) {
    for (struct instr_exec_entry *e = store->first, *next; e; e = next) {
        next = e->next;
        free(e);
    }
    free(store->table);
    instr_exec_store_init(store);
}

// The author of a file can choose ids that collide, but not the address of the table. The rest is
// the final step of MurmurHash3.
static size_t mix(const struct instr_exec_store *store, uint64_t id) {
    uint64_t mixed = id ^ (uintptr_t)store->table;
    mixed = (mixed ^ mixed >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    mixed = (mixed ^ mixed >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    return (size_t)(mixed ^ mixed >> 33);
}

// The slot of an id, or the empty slot where it would be.
static size_t slot_of(const struct instr_exec_store *store, uint64_t id) {
    size_t mask = store->slots - 1, slot = mix(store, id) & mask;
    while (store->table[slot] && store->table[slot]->class.id != id) slot = (slot + 1) & mask;
    return slot;
}

struct instr_exec_entry *instr_exec_store_find(const struct instr_exec_store *store, uint64_t id) {
    return store->slots ? store->table[slot_of(store, id)] : NULL;
}

// Keeps the table at most half full.
static int make_room(struct instr_exec_store *store) {
    if (store->count * 2 < store->slots) return 0;
    size_t slots = store->slots ? store->slots * 2 : 1024;
    struct instr_exec_entry **table = calloc(slots, sizeof(struct instr_exec_entry *));
    if (!table) return -1;
    free(store->table);
    store->table = table;
    store->slots = slots;
    for (struct instr_exec_entry *e = store->first; e; e = e->next)
        table[slot_of(store, e->class.id)] = e;
    return 0;
}

static struct instr_exec_entry *copy(const struct instr_exec_class *class, size_t source) {
    size_t bytes = class->probes / 8 + (class->probes % 8 != 0);
    struct instr_exec_entry *e = malloc(sizeof *e + bytes + class->name_length + 1);
    if (!e) return NULL;
    char *name = (char *)(e + 1) + bytes;
    e->class = *class;
    e->class.bits = e->bits = (uint8_t *)(e + 1);
    e->class.name = name;
    e->source = source;
    e->next = NULL;
    if (bytes > 0) memcpy(e->bits, class->bits, bytes);
    memcpy(name, class->name, class->name_length);
    name[class->name_length] = '\0';
    return e;
}

enum instr_exec_added instr_exec_store_add(struct instr_exec_store *store,
                                           const struct instr_exec_class *class, size_t source) {
    struct instr_exec_entry *e = instr_exec_store_find(store, class->id);
    if (!e) {
        if (make_room(store) != 0 || !(e = copy(class, source))) return INSTR_EXEC_NO_MEMORY;
        store->table[slot_of(store, class->id)] = e;
        *store->last = e;
        store->last = &e->next;
        store->count++;
        return INSTR_EXEC_ADDED;
    }
    if (e->class.name_length != class->name_length ||
        memcmp(e->class.name, class->name, class->name_length) != 0)
        return INSTR_EXEC_OTHER_NAME;
    if (e->class.probes != class->probes) return INSTR_EXEC_OTHER_LENGTH;
    size_t bytes = class->probes / 8 + (class->probes % 8 != 0);
    for (size_t i = 0; i < bytes; i++) e->bits[i] |= class->bits[i];
    return INSTR_EXEC_ADDED;
}

size_t instr_exec_hits(const struct instr_exec_class *class) {
    size_t bytes = class->probes / 8 + (class->probes % 8 != 0), hits = 0;
    for (size_t i = 0; i < bytes; i++) hits += (size_t)__builtin_popcount(class->bits[i]);
    return hits;
}
