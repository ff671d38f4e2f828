// A hash table, probed in a line; loaders are weak references, so that they can end.

#include "instr/passes/kit/defined.h"
#include "instr/base/hash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    uint64_t key; // 0: free
    uint64_t kit; // its hash
    jweak loader; // NULL: the bootstrap loader
};

static struct {
    pthread_mutex_t lock;
    struct entry *entries;
    size_t count, size; // a power of 2
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct instr_kit_place instr_kit_place_of(jvmtiEnv *jvmti, const struct instr_kit *kit,
                                          const struct instr_kit_advice *advice, jobject loader,
                                          const char *package) {
    bool boot = advice->classes[advice->class_count - 1]->boot;
    uint64_t number = (uint64_t)(advice - kit->advices);
    jint hash = 0;
    if (boot) loader = NULL;
    if (loader && (*jvmti)->GetObjectHashCode(jvmti, loader, &hash) != JVMTI_ERROR_NONE) hash = 0;
    uint64_t key = instr_hash(&number, sizeof number, kit->hash_value + (uint32_t)hash);
    if (!boot) key = instr_hash(package, strlen(package), key);
    return (struct instr_kit_place){key + (key == 0), kit->hash_value, loader};
}

static bool is_same(JNIEnv *jni, const struct entry *e, const struct instr_kit_place *place) {
    return e->key == place->key && (*jni)->IsSameObject(jni, e->loader, place->loader) &&
           !e->loader == !place->loader; // the reference to a loader that has ended equals NULL
}

// Where the place is, or the free entry where it belongs.
static struct entry *entry_of(JNIEnv *jni, const struct instr_kit_place *place) {
    size_t i = place->key & (table.size - 1);
    while (table.entries[i].key && !is_same(jni, &table.entries[i], place))
        i = (i + 1) & (table.size - 1);
    return &table.entries[i];
}

static bool is_needed(JNIEnv *jni, const struct entry *e, const struct instr_kit *without) {
    if (without && e->kit == without->hash_value) return false;
    return !e->loader || !(*jni)->IsSameObject(jni, e->loader, NULL);
}

enum { LEAST_SIZE = 64 };

// The size at which a quarter of the table is in use.
static size_t fitting_size(JNIEnv *jni, const struct instr_kit *without) {
    size_t needed = 0, size = LEAST_SIZE;
    for (size_t i = 0; i < table.size; i++)
        needed += table.entries[i].key && is_needed(jni, &table.entries[i], without);
    while (size < 4 * needed) size *= 2;
    return size;
}

// Makes a new table, without the loaders that have ended and the places of a kit (NULL: of none).
static bool rebuild(JNIEnv *jni, const struct instr_kit *without) {
    struct entry *old = table.entries;
    size_t old_size = table.size, size = fitting_size(jni, without);
    struct entry *entries = calloc(size, sizeof *entries);
    if (!entries) return false;
    table.entries = entries;
    table.size = size;
    table.count = 0;
    for (size_t i = 0; i < old_size; i++) {
        if (!old[i].key) continue;
        if (!is_needed(jni, &old[i], without)) {
            if (old[i].loader) (*jni)->DeleteWeakGlobalRef(jni, old[i].loader);
            continue;
        }
        size_t k = old[i].key & (size - 1);
        while (entries[k].key) k = (k + 1) & (size - 1);
        entries[k] = old[i];
        table.count++;
    }
    free(old);
    return true;
}

bool instr_kit_place_is_known(JNIEnv *jni, const struct instr_kit_place *place) {
    pthread_mutex_lock(&table.lock);
    bool known = table.size && entry_of(jni, place)->key;
    pthread_mutex_unlock(&table.lock);
    return known;
}

void instr_kit_place_add(JNIEnv *jni, const struct instr_kit_place *place) {
    jweak loader = place->loader ? (*jni)->NewWeakGlobalRef(jni, place->loader) : NULL;
    if (place->loader && !loader) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    pthread_mutex_lock(&table.lock);
    bool room = 2 * table.count < table.size || rebuild(jni, NULL);
    struct entry *e = room ? entry_of(jni, place) : NULL;
    bool added = e && !e->key;
    if (added) {
        *e = (struct entry){place->key, place->kit, loader};
        table.count++;
    }
    pthread_mutex_unlock(&table.lock);
    if (loader && !added) (*jni)->DeleteWeakGlobalRef(jni, loader);
}

void instr_kit_places_forget(JNIEnv *jni, const struct instr_kit *kit) {
    pthread_mutex_lock(&table.lock);
    if (table.size) rebuild(jni, kit);
    pthread_mutex_unlock(&table.lock);
}
