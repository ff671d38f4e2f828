// Strings are interned and have 32-bit handles, rows take 20 bytes. Both are in chunks that never
// move, so reading a row takes no lock. Ten methods of a class take less than a kilobyte. The rest
// of a site is in chunks of its own, which exist only for rows with sites.
#define _POSIX_C_SOURCE 200809L

#include "instr/id_registry.h"

#include "instr/base/hash.h"

#include "classfile/reader.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_PER_CHUNK 1024
#define ROW_CHUNKS (INSTR_METHODS_MAX / ROWS_PER_CHUNK)
// A chunk holds the longest string a class file can have (65,535 bytes) with its header.
#define STRING_CHUNK_BITS 17
#define STRING_CHUNK (1u << STRING_CHUNK_BITS)
#define STRING_CHUNKS 4096
#define NONE UINT32_MAX

struct row {
    uint32_t class_name, name, descriptor; // string handles
    _Atomic uint32_t initialized_pc;
    atomic_bool untimed;
    uint32_t pass; // with SITE if it is one
};

#define SITE (UINT32_C(1) << 31)

// The rows of ids of an earlier registry, the same for all their chunks.
static struct row earlier[ROWS_PER_CHUNK];
static pthread_once_t earlier_once = PTHREAD_ONCE_INIT;
#define NO_PASS (SITE - 1)
#define FIRST_STRING 4 // its handle; of a registry with rows of an earlier one it is ""

struct place {                 // what a site has beside its row
    uint32_t pc, line, detail; // a string handle
};

// The key of an id. The place is all 0 unless the pass has SITE.
struct key {
    uint32_t pass, class_name, name, descriptor;
    struct place place;
};

struct string {
    uint32_t hash;
    _Atomic uint32_t first_row; // of a class: the id of its first method; NONE: it has none
    uint16_t length;
    char bytes[]; // NUL-terminated
};

// Open addressing; the number of slots is a power of two, at most half are used. Slots hold handles
// or ids.
struct table {
    uint32_t *slots;
    uint32_t mask;
    uint32_t used;
};

struct instr_methods {
    pthread_mutex_t mutex; // guards everything but reading rows and strings that have an id
    atomic_int count;
    int first;
    atomic_uint passes;
    struct row *rows[ROW_CHUNKS];
    struct place *places[ROW_CHUNKS]; // NULL: no site among those rows
    char *strings[STRING_CHUNKS];
    uint32_t string_chunks;
    uint32_t string_used; // bytes of the last chunk
    struct table by_string;
    struct table by_row;
};

static struct string *string_at(const struct instr_methods *methods, uint32_t handle) {
    return (void *)(methods->strings[handle >> STRING_CHUNK_BITS] + (handle & (STRING_CHUNK - 1)));
}

static struct row *row_at(const struct instr_methods *methods, uint32_t id) {
    return &methods->rows[id / ROWS_PER_CHUNK][id % ROWS_PER_CHUNK];
}

static const struct place *place_at(const struct instr_methods *methods, uint32_t id) {
    return &methods->places[id / ROWS_PER_CHUNK][id % ROWS_PER_CHUNK];
}

static struct key key_at(const struct instr_methods *methods, uint32_t id) {
    const struct row *row = row_at(methods, id);
    struct key key = {row->pass, row->class_name, row->name, row->descriptor, {0, 0, 0}};
    if (row->pass & SITE) key.place = *place_at(methods, id);
    return key;
}

static uint32_t key_hash(const struct key *key) {
    const struct place *place = &key->place;
    uint64_t hash = ((uint64_t)key->class_name << 32 | key->name) * UINT64_C(0x9E3779B97F4A7C15);
    hash = hash ^ hash >> 29 ^ key->descriptor ^ (uint64_t)key->pass << 40;
    hash = (hash ^ (uint64_t)place->pc << 17 ^ (uint64_t)place->line << 33 ^ place->detail) *
           UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(hash >> 32);
}

static uint32_t slot_hash(const struct instr_methods *methods, const struct table *table,
                          uint32_t value) {
    if (table == &methods->by_string) return string_at(methods, value)->hash;
    struct key key = key_at(methods, value);
    return key_hash(&key);
}

// Makes room for one more entry.
static bool table_reserve(const struct instr_methods *methods, struct table *table) {
    if (table->slots != NULL && table->used < table->mask / 2) return true;
    uint32_t size = table->slots == NULL ? 1024 : (table->mask + 1) * 2;
    uint32_t *slots = malloc(size * sizeof *slots);
    if (slots == NULL) return false;
    memset(slots, 0xff, size * sizeof *slots);
    for (uint32_t i = 0; table->slots != NULL && i <= table->mask; i++) {
        if (table->slots[i] == NONE) continue;
        uint32_t to = slot_hash(methods, table, table->slots[i]) & (size - 1);
        while (slots[to] != NONE) to = (to + 1) & (size - 1);
        slots[to] = table->slots[i];
    }
    free(table->slots);
    table->slots = slots;
    table->mask = size - 1;
    return true;
}

// Allocates a string and sets its handle. NULL: out of memory.
static struct string *string_allocate(struct instr_methods *methods, size_t length,
                                      uint32_t *handle) {
    size_t size = (sizeof(struct string) + length + 1 + 3) & ~(size_t)3;
    if (methods->string_chunks == 0 || methods->string_used + size > STRING_CHUNK) {
        if (methods->string_chunks == STRING_CHUNKS) return NULL;
        char *chunk = malloc(STRING_CHUNK);
        if (chunk == NULL) return NULL;
        methods->strings[methods->string_chunks++] = chunk;
        // Handle 0 is not used.
        methods->string_used = methods->string_chunks == 1 ? FIRST_STRING : 0;
    }
    uint32_t chunk = methods->string_chunks - 1;
    *handle = chunk << STRING_CHUNK_BITS | methods->string_used;
    methods->string_used += (uint32_t)size;
    return (void *)(methods->strings[chunk] + (*handle & (STRING_CHUNK - 1)));
}

// The handle of a string, under the mutex. 0: it has none and `add` is false, or out of memory.
static uint32_t intern(struct instr_methods *methods, uint32_t hash, const char *bytes,
                       size_t length, bool add) {
    struct table *table = &methods->by_string;
    if (add ? !table_reserve(methods, table) : table->slots == NULL) return 0;
    uint32_t at = hash & table->mask;
    for (; table->slots[at] != NONE; at = (at + 1) & table->mask) {
        const struct string *known = string_at(methods, table->slots[at]);
        if (known->hash == hash && known->length == length &&
            memcmp(known->bytes, bytes, length) == 0)
            return table->slots[at];
    }
    uint32_t handle;
    struct string *string = add ? string_allocate(methods, length, &handle) : NULL;
    if (string == NULL) return 0;
    string->hash = hash;
    atomic_init(&string->first_row, NONE);
    string->length = (uint16_t)length;
    memcpy(string->bytes, bytes, length);
    string->bytes[length] = '\0';
    table->slots[at] = handle;
    table->used++;
    return handle;
}

static uint32_t hash_bytes(const char *bytes, size_t length) {
    return (uint32_t)instr_hash(bytes, length, 0);
}

static bool key_is(const struct instr_methods *methods, uint32_t id, const struct key *key) {
    const struct row *row = row_at(methods, id);
    if (row->class_name != key->class_name || row->name != key->name ||
        row->descriptor != key->descriptor || row->pass != key->pass)
        return false;
    if (!(key->pass & SITE)) return true;
    const struct place *place = place_at(methods, id);
    return place->pc == key->place.pc && place->line == key->place.line &&
           place->detail == key->place.detail;
}

// The slot of a row: it holds the id, or is free. The table must have slots.
static uint32_t *find_row(struct instr_methods *methods, const struct key *key) {
    struct table *table = &methods->by_row;
    uint32_t at = key_hash(key) & table->mask;
    while (table->slots[at] != NONE && !key_is(methods, table->slots[at], key))
        at = (at + 1) & table->mask;
    return &table->slots[at];
}

// Allocates the chunks for the row.
static bool add_chunks(struct instr_methods *methods, uint32_t id, bool site) {
    struct row **rows = &methods->rows[id / ROWS_PER_CHUNK];
    struct place **places = &methods->places[id / ROWS_PER_CHUNK];
    if (*rows == NULL) *rows = calloc(ROWS_PER_CHUNK, sizeof **rows);
    if (site && *places == NULL) *places = calloc(ROWS_PER_CHUNK, sizeof **places);
    return *rows != NULL && (!site || *places != NULL);
}

static int add_row(struct instr_methods *methods, uint32_t *slot, const struct key *key) {
    uint32_t id = (uint32_t)atomic_load_explicit(&methods->count, memory_order_relaxed);
    bool site = key->pass & SITE;
    if (id == INSTR_METHODS_MAX || !add_chunks(methods, id, site)) return -1;
    struct row *row = row_at(methods, id);
    row->class_name = key->class_name;
    row->name = key->name;
    row->descriptor = key->descriptor;
    row->pass = key->pass;
    if (site) methods->places[id / ROWS_PER_CHUNK][id % ROWS_PER_CHUNK] = key->place;
    *slot = id;
    methods->by_row.used++;
    struct string *class_string = string_at(methods, key->class_name);
    if (atomic_load_explicit(&class_string->first_row, memory_order_relaxed) == NONE)
        atomic_store_explicit(&class_string->first_row, id, memory_order_relaxed);
    unsigned pass = key->pass & ~SITE;
    if (pass >= atomic_load(&methods->passes)) atomic_store(&methods->passes, pass + 1);
    // Readers that saw this count see the row and its strings.
    atomic_store_explicit(&methods->count, (int)id + 1, memory_order_release);
    return (int)id;
}

struct instr_methods *instr_methods_new(void) {
    struct instr_methods *methods = calloc(1, sizeof *methods);
    if (methods != NULL) pthread_mutex_init(&methods->mutex, NULL);
    return methods;
}

static void make_earlier(void) {
    for (size_t i = 0; i < ROWS_PER_CHUNK; i++) {
        earlier[i].class_name = earlier[i].name = earlier[i].descriptor = FIRST_STRING;
        earlier[i].pass = NO_PASS;
    }
}

struct instr_methods *instr_methods_behind(int ids) {
    struct instr_methods *methods = instr_methods_new();
    if (methods == NULL || ids <= 0 || ids > INSTR_METHODS_EARLIER) return methods;
    if (instr_methods_class(methods, "", 0) != FIRST_STRING) {
        instr_methods_free(methods);
        return NULL;
    }
    pthread_once(&earlier_once, make_earlier);
    int chunks = (ids - 1) / ROWS_PER_CHUNK + 1;
    for (int i = 0; i < chunks; i++) methods->rows[i] = earlier;
    methods->first = chunks * ROWS_PER_CHUNK;
    atomic_store(&methods->count, methods->first);
    return methods;
}

void instr_methods_free(struct instr_methods *methods) {
    if (methods == NULL) return;
    for (size_t i = 0; i < ROW_CHUNKS; i++) {
        if (methods->rows[i] != earlier) free(methods->rows[i]);
        free(methods->places[i]);
    }
    for (size_t i = 0; i < methods->string_chunks; i++) free(methods->strings[i]);
    free(methods->by_string.slots);
    free(methods->by_row.slots);
    pthread_mutex_destroy(&methods->mutex);
    free(methods);
}

instr_methods_class_t instr_methods_class(struct instr_methods *methods, const char *name,
                                          size_t length) {
    if (length > UINT16_MAX) return 0;
    uint32_t hash = hash_bytes(name, length);
    pthread_mutex_lock(&methods->mutex);
    uint32_t handle = intern(methods, hash, name, length, true);
    pthread_mutex_unlock(&methods->mutex);
    return handle;
}

// The id of a method, or of a site in it if `site` is not NULL.
static int id_of(struct instr_methods *methods, unsigned pass, uint32_t class_name,
                 const char *name, size_t name_length, const char *descriptor,
                 size_t descriptor_length, const struct instr_site *site) {
    if (class_name == 0 || name_length > UINT16_MAX || descriptor_length > UINT16_MAX ||
        (site && site->detail_length > UINT16_MAX))
        return -1;
    uint32_t name_hash = hash_bytes(name, name_length),
             descriptor_hash = hash_bytes(descriptor, descriptor_length),
             detail_hash = site ? hash_bytes(site->detail, site->detail_length) : 0;
    struct key key = {site ? pass | SITE : pass, class_name, 0, 0, {0, 0, 0}};
    int id = -1;
    pthread_mutex_lock(&methods->mutex);
    key.name = intern(methods, name_hash, name, name_length, true);
    key.descriptor = intern(methods, descriptor_hash, descriptor, descriptor_length, true);
    if (site)
        key.place =
            (struct place){site->pc, site->line,
                           intern(methods, detail_hash, site->detail, site->detail_length, true)};
    if (key.name != 0 && key.descriptor != 0 && (!site || key.place.detail != 0) &&
        table_reserve(methods, &methods->by_row)) {
        uint32_t *slot = find_row(methods, &key);
        id = *slot != NONE ? (int)*slot : add_row(methods, slot, &key);
    }
    pthread_mutex_unlock(&methods->mutex);
    return id;
}

int instr_methods_id_in(struct instr_methods *methods, unsigned pass,
                        instr_methods_class_t class_name, const char *name, size_t name_length,
                        const char *descriptor, size_t descriptor_length) {
    return id_of(methods, pass, class_name, name, name_length, descriptor, descriptor_length, NULL);
}

struct instr_methods_cursor instr_methods_begin(struct instr_methods *methods, const char *name,
                                                size_t length) {
    struct instr_methods_cursor cursor = {instr_methods_class(methods, name, length), NONE};
    if (cursor.class_name != 0)
        cursor.next = atomic_load_explicit(&string_at(methods, cursor.class_name)->first_row,
                                           memory_order_relaxed);
    return cursor;
}

static bool string_is(const struct instr_methods *methods, uint32_t handle, const char *bytes,
                      size_t length) {
    const struct string *string = string_at(methods, handle);
    return string->length == length && memcmp(string->bytes, bytes, length) == 0;
}

// Does the row at the cursor have this key?
static bool is_next(const struct instr_methods *methods, uint32_t pass,
                    const struct instr_methods_cursor *cursor, const char *name, size_t name_length,
                    const char *descriptor, size_t descriptor_length) {
    uint32_t id = cursor->next;
    if (id >= (uint32_t)instr_methods_count(methods)) return false;
    const struct row *row = row_at(methods, id);
    return row->class_name == cursor->class_name && row->pass == pass &&
           string_is(methods, row->name, name, name_length) &&
           string_is(methods, row->descriptor, descriptor, descriptor_length);
}

// Prefetches the strings that will be compared for the next method.
static void fetch_strings(const struct instr_methods *methods, uint32_t id) {
    if (id >= (uint32_t)instr_methods_count(methods)) return;
    const struct row *row = row_at(methods, id);
    CF_PREFETCH(string_at(methods, row->name));
    CF_PREFETCH(string_at(methods, row->descriptor));
}

int instr_methods_id_next(struct instr_methods *methods, unsigned pass,
                          struct instr_methods_cursor *cursor, const char *name, size_t name_length,
                          const char *descriptor, size_t descriptor_length) {
    int id = (int)cursor->next;
    if (!is_next(methods, pass, cursor, name, name_length, descriptor, descriptor_length))
        id = id_of(methods, pass, cursor->class_name, name, name_length, descriptor,
                   descriptor_length, NULL);
    if (id >= 0) cursor->next = (uint32_t)id + 1;
    fetch_strings(methods, cursor->next);
    return id;
}

static bool place_is(const struct instr_methods *methods, uint32_t id,
                     const struct instr_site *site) {
    const struct place *place = place_at(methods, id);
    return place->pc == site->pc && place->line == site->line &&
           string_is(methods, place->detail, site->detail, site->detail_length);
}

int instr_methods_site_next(struct instr_methods *methods, unsigned pass,
                            struct instr_methods_cursor *cursor, const char *name,
                            size_t name_length, const char *descriptor, size_t descriptor_length,
                            const struct instr_site *site) {
    int id = (int)cursor->next;
    if (!is_next(methods, pass | SITE, cursor, name, name_length, descriptor, descriptor_length) ||
        !place_is(methods, cursor->next, site))
        id = id_of(methods, pass, cursor->class_name, name, name_length, descriptor,
                   descriptor_length, site);
    if (id >= 0) cursor->next = (uint32_t)id + 1;
    return id;
}

int instr_methods_id(struct instr_methods *methods, unsigned pass, const char *class_name,
                     size_t class_length, const char *name, size_t name_length,
                     const char *descriptor, size_t descriptor_length) {
    return instr_methods_id_in(methods, pass,
                               instr_methods_class(methods, class_name, class_length), name,
                               name_length, descriptor, descriptor_length);
}

int instr_methods_find(struct instr_methods *methods, unsigned pass, const char *class_name,
                       const char *name, const char *descriptor) {
    const char *strings[] = {class_name, name, descriptor};
    uint32_t handles[3];
    int id = -1;
    pthread_mutex_lock(&methods->mutex);
    bool known = methods->by_row.slots != NULL;
    for (int i = 0; known && i < 3; i++) {
        size_t length = strlen(strings[i]);
        handles[i] = intern(methods, hash_bytes(strings[i], length), strings[i], length, false);
        known = handles[i] != 0;
    }
    if (known) {
        struct key key = {pass, handles[0], handles[1], handles[2], {0, 0, 0}};
        uint32_t slot = *find_row(methods, &key);
        if (slot != NONE) id = (int)slot;
    }
    pthread_mutex_unlock(&methods->mutex);
    return id;
}

int instr_methods_count(const struct instr_methods *methods) {
    return atomic_load_explicit(&methods->count, memory_order_acquire);
}

bool instr_methods_has(const struct instr_methods *methods, int id) {
    return id >= methods->first && id < instr_methods_count(methods);
}

unsigned instr_methods_passes(const struct instr_methods *methods) {
    return atomic_load(&methods->passes);
}

struct instr_method instr_methods_get(const struct instr_methods *methods, int id) {
    const struct row *row = row_at(methods, (uint32_t)id);
    struct instr_method method = {
        .class_name = string_at(methods, row->class_name)->bytes,
        .name = string_at(methods, row->name)->bytes,
        .descriptor = string_at(methods, row->descriptor)->bytes,
        .pass = row->pass & ~SITE,
    };
    if (row->pass & SITE) {
        const struct place *place = place_at(methods, (uint32_t)id);
        method.detail = string_at(methods, place->detail)->bytes;
        method.pc = place->pc;
        method.line = place->line;
    }
    return method;
}

void instr_methods_set_initialized_pc(struct instr_methods *methods, int id, uint32_t pc) {
    atomic_store_explicit(&row_at(methods, (uint32_t)id)->initialized_pc, pc, memory_order_relaxed);
}

uint32_t instr_methods_initialized_pc(const struct instr_methods *methods, int id) {
    return atomic_load_explicit(&row_at(methods, (uint32_t)id)->initialized_pc,
                                memory_order_relaxed);
}

void instr_methods_set_untimed(struct instr_methods *methods, int id, bool untimed) {
    atomic_store_explicit(&row_at(methods, (uint32_t)id)->untimed, untimed, memory_order_relaxed);
}

bool instr_methods_untimed(const struct instr_methods *methods, int id) {
    return atomic_load_explicit(&row_at(methods, (uint32_t)id)->untimed, memory_order_relaxed);
}

size_t instr_methods_bytes(struct instr_methods *methods) {
    size_t bytes = sizeof *methods;
    pthread_mutex_lock(&methods->mutex);
    for (int i = 0; i < ROW_CHUNKS; i++) {
        if (methods->rows[i] && methods->rows[i] != earlier)
            bytes += ROWS_PER_CHUNK * sizeof(struct row);
        if (methods->places[i]) bytes += ROWS_PER_CHUNK * sizeof(struct place);
    }
    bytes += (size_t)methods->string_chunks * STRING_CHUNK;
    if (methods->by_string.slots) bytes += ((size_t)methods->by_string.mask + 1) * sizeof(uint32_t);
    if (methods->by_row.slots) bytes += ((size_t)methods->by_row.mask + 1) * sizeof(uint32_t);
    pthread_mutex_unlock(&methods->mutex);
    return bytes;
}
