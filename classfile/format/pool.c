// Appended constants, with a small hash to find them again.

#include "classfile/pool.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

// An entry: its tag, its bytes as a number, and the text of a Utf8, whose length is that number.
// They are hashed and compared before they are written: reading bytes that were just written one by
// one would stall.
struct entry {
    unsigned tag;
    uint32_t size; // with the tag, without the text
    uint64_t value;
    const uint8_t *text;
    uint32_t length; // of the text
};

static inline uint32_t fixed_size(unsigned tag) {
    switch (tag) {
    case CF_TAG_LONG:
    case CF_TAG_DOUBLE: return 9;
    case CF_TAG_UTF8:
    case CF_TAG_CLASS:
    case CF_TAG_STRING: return 3;
    default: return 5;
    }
}

static inline uint64_t value_of(const uint8_t *bytes, uint32_t size) {
    if (size == 3) return cf_be2(bytes + 1);
    uint64_t high = cf_be4(bytes + 1);
    return size == 5 ? high : high << 32 | cf_be4(bytes + 5);
}

static inline struct entry entry_at(const uint8_t *bytes) {
    struct entry e = {bytes[0], fixed_size(bytes[0]), 0, bytes + 3, 0};
    e.value = value_of(bytes, e.size);
    if (e.tag == CF_TAG_UTF8) e.length = (uint32_t)e.value;
    return e;
}

static inline uint32_t hash_of(struct entry e) {
    uint64_t first = e.value, last = (uint64_t)e.tag << 56 | e.length;
    if (e.length > 16) return (uint32_t)XXH3_64bits(e.text, e.length);
    if (e.length >= 8) {
        uint64_t end;
        memcpy(&first, e.text, 8);
        memcpy(&end, e.text + e.length - 8, 8);
        last ^= end;
    } else {
        for (uint32_t i = 0; i < e.length; i++) first = first << 8 | e.text[i];
    }
    uint64_t h = (first ^ (last >> 29) ^ (last << 35)) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(h >> 32);
}

static inline int is_same(const uint8_t *bytes, struct entry e) {
    return bytes[0] == e.tag && value_of(bytes, e.size) == e.value &&
           (e.length == 0 || memcmp(bytes + 3, e.text, e.length) == 0);
}

static inline void put_entry(uint8_t *bytes, struct entry e) {
    bytes[0] = (uint8_t)e.tag;
    if (e.size == 3) {
        cf_put2(bytes + 1, (uint32_t)e.value);
        if (e.length) memcpy(bytes + 3, e.text, e.length);
    } else if (e.size == 5) {
        cf_put4(bytes + 1, (uint32_t)e.value);
    } else {
        cf_put8(bytes + 1, e.value);
    }
}

void cf_pool_init(struct cf_pool *pool, const struct cf_class *cls) {
    memset(pool, 0, sizeof *pool);
    pool->cls = cls;
    pool->first = pool->count = cls->constant_pool_count;
    pool->limit = 65535u - cls->constants_beyond;
}

static uint16_t give_up(struct cf_pool *pool, enum cf_status status, const char *reason) {
    cf_fail(&pool->error, status, 0, reason, 0);
    return 0;
}

static uint16_t is_full(struct cf_pool *pool) {
    return give_up(pool, CF_LIMIT,
                   pool->limit < 65535
                       ? "the constant pool that the JVM has of the class is full (65,535 entries)"
                       : "the constant pool is full (65,535 entries)");
}

static void put_slot(struct cf_pool *pool, uint32_t index) {
    const uint8_t *entry = pool->bytes + pool->offsets[index - pool->first];
    uint32_t mask = pool->slots_count - 1;
    uint32_t i = hash_of(entry_at(entry)) & mask;
    while (pool->slots[i]) i = (i + 1) & mask;
    pool->slots[i] = (uint16_t)index;
    pool->slots_used++;
}

// Puts all entries into the (cleared) slots.
static void rehash(struct cf_pool *pool) {
    memset(pool->slots, 0, pool->slots_count * sizeof *pool->slots);
    pool->slots_used = 0;
    for (uint32_t i = pool->first; i < pool->count; i++)
        if (pool->offsets[i - pool->first] != UINT32_MAX) put_slot(pool, i);
}

void cf_pool_rollback(struct cf_pool *pool, struct cf_pool_mark mark) {
    memset(&pool->error, 0, sizeof pool->error);
    if (pool->count == mark.count) return;
    pool->length = mark.length;
    pool->count = mark.count;
    if (!pool->slots_count) return;
    // Remaining entries go into the other slots, except those that were never in (cf_add_methods).
    uint16_t *old = pool->slots;
    pool->slots = pool->other_slots;
    pool->other_slots = old;
    memset(pool->slots, 0, pool->slots_count * sizeof *pool->slots);
    pool->slots_used = 0;
    for (uint32_t i = 0; i < pool->slots_count; i++)
        if (old[i] && old[i] < mark.count) put_slot(pool, old[i]);
}

// The first slots start empty: entries of cf_add_methods stay out of them.
CF_SELDOM static int grow_slots(struct cf_pool *pool) {
    uint32_t wanted = pool->slots_count ? pool->slots_count * 2 : 64;
    while (pool->slots_count && wanted < 4 * (pool->count - pool->first)) wanted *= 2;
    uint16_t *slots = cf_arena_alloc(pool->cls->arena, 2 * wanted * sizeof *slots);
    if (!slots) return 0;
    int first = pool->slots_count == 0;
    pool->slots = slots;
    pool->other_slots = slots + wanted;
    pool->slots_count = wanted;
    if (first)
        memset(slots, 0, wanted * sizeof *slots);
    else
        rehash(pool);
    return 1;
}

CF_SELDOM static int grow_bytes(struct cf_pool *pool, uint32_t size) {
    uint32_t wanted = pool->capacity ? pool->capacity * 2 : 1024;
    while (wanted - pool->length < size) wanted *= 2;
    uint8_t *bytes = cf_arena_alloc(pool->cls->arena, wanted);
    if (!bytes) return 0;
    if (pool->length) memcpy(bytes, pool->bytes, pool->length);
    pool->bytes = bytes;
    pool->capacity = wanted;
    return 1;
}

CF_SELDOM static int grow_offsets(struct cf_pool *pool, uint32_t more) {
    uint32_t taken = pool->count - pool->first;
    uint32_t wanted = pool->offsets_capacity ? pool->offsets_capacity * 2 : 48;
    while (wanted - taken < more) wanted *= 2;
    uint32_t *offsets = cf_arena_alloc(pool->cls->arena, wanted * sizeof *offsets);
    if (!offsets) return 0;
    if (taken) memcpy(offsets, pool->offsets, taken * sizeof *offsets);
    pool->offsets = offsets;
    pool->offsets_capacity = wanted;
    return 1;
}

// The maximum number of original entries compared for one class, which may be hostile. Beyond it
// duplicates are added.
enum { MOST_LOOKED_AT = 1 << 20 };

// Does it refer to a new entry? Then no original entry is the same.
static int refers_to_new(const struct cf_pool *pool, const uint8_t *entry) {
    switch (entry[0]) {
    case CF_TAG_CLASS:
    case CF_TAG_STRING: return cf_be2(entry + 1) >= pool->first;
    case CF_TAG_NAME_AND_TYPE:
    case CF_TAG_FIELDREF:
    case CF_TAG_METHODREF:
    case CF_TAG_INTERFACE_METHODREF:
        return cf_be2(entry + 1) >= pool->first || cf_be2(entry + 3) >= pool->first;
    default: return 0;
    }
}

// The original entry that is the same; 0: none.
CF_SELDOM static uint16_t find_original(struct cf_pool *pool, const uint8_t *entry, uint32_t size) {
    if (refers_to_new(pool, entry)) return 0;
    const uint32_t *offsets = pool->cls->constant_pool;
    const uint8_t *bytes = pool->cls->bytes;
    uint32_t count = pool->first;
    if (count > MOST_LOOKED_AT - pool->looked_at) return 0;
    pool->looked_at += count;
    for (uint32_t i = 1; i < count; i++) {
        const uint8_t *other = bytes + offsets[i];
        // All entries of a tag have the same size, except Utf8, whose length follows the tag.
        if (offsets[i] && memcmp(other, entry, 3) == 0 &&
            memcmp(other + 3, entry + 3, size - 3) == 0)
            return (uint16_t)i;
    }
    return 0;
}

// Finds or appends an entry.
static uint16_t add(struct cf_pool *pool, struct entry e) {
    uint32_t size = e.size + e.length, taken = pool->count - pool->first;
    if (pool->error.status) return 0;
    if (size > pool->capacity - pool->length && !grow_bytes(pool, size))
        return give_up(pool, CF_NO_MEMORY, "out of memory");
    if (taken + 2 > pool->offsets_capacity && !grow_offsets(pool, 2))
        return give_up(pool, CF_NO_MEMORY, "out of memory");
    if ((pool->slots_used + 1) * 2 > pool->slots_count && !grow_slots(pool))
        return give_up(pool, CF_NO_MEMORY, "out of memory");
    uint32_t mask = pool->slots_count - 1, i = hash_of(e) & mask;
    for (; pool->slots[i]; i = (i + 1) & mask)
        if (is_same(pool->bytes + pool->offsets[pool->slots[i] - pool->first], e))
            return pool->slots[i];
    uint8_t *bytes = pool->bytes + pool->length;
    put_entry(bytes, e);
    uint16_t original = pool->cls->merges_constant_pool ? find_original(pool, bytes, size) : 0;
    if (original) return original;
    uint32_t index = pool->count, entries = e.tag == CF_TAG_LONG || e.tag == CF_TAG_DOUBLE ? 2 : 1;
    if (index + entries > pool->limit) return is_full(pool);
    pool->offsets[taken] = pool->length;
    if (entries == 2) pool->offsets[taken + 1] = UINT32_MAX;
    pool->length += size;
    pool->count += entries;
    pool->slots[i] = (uint16_t)index;
    pool->slots_used++;
    return (uint16_t)index;
}

static uint16_t add_fixed(struct cf_pool *pool, enum cf_tag tag, uint64_t value) {
    struct entry e = {tag, fixed_size(tag), value, NULL, 0};
    return add(pool, e);
}

uint16_t cf_add_utf8(struct cf_pool *pool, const void *bytes, size_t length) {
    if (length > 65535) return give_up(pool, CF_LIMIT, "a name of more than 65,535 bytes");
    struct entry e = {CF_TAG_UTF8, 3, length, bytes, (uint32_t)length};
    return add(pool, e);
}

static uint16_t add_named(struct cf_pool *pool, enum cf_tag tag, const void *bytes, size_t length) {
    uint16_t name = cf_add_utf8(pool, bytes, length);
    return name ? add_fixed(pool, tag, name) : 0;
}

uint16_t cf_add_class(struct cf_pool *pool, const void *name, size_t length) {
    return add_named(pool, CF_TAG_CLASS, name, length);
}

uint16_t cf_add_string(struct cf_pool *pool, const void *bytes, size_t length) {
    return add_named(pool, CF_TAG_STRING, bytes, length);
}

uint16_t cf_add_long(struct cf_pool *pool, int64_t value) {
    return add_fixed(pool, CF_TAG_LONG, (uint64_t)value);
}

uint16_t cf_add_float(struct cf_pool *pool, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return add_fixed(pool, CF_TAG_FLOAT, bits);
}

uint16_t cf_add_double(struct cf_pool *pool, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return add_fixed(pool, CF_TAG_DOUBLE, bits);
}

uint16_t cf_add_pair(struct cf_pool *pool, enum cf_tag tag, uint16_t a, uint16_t b) {
    if (!a || !b) return 0; // an argument that could not be added
    return add_fixed(pool, tag, (uint32_t)a << 16 | b);
}

uint16_t cf_add_name_and_type(struct cf_pool *pool, const char *name, const char *descriptor) {
    uint16_t n = cf_add_utf8(pool, name, strlen(name));
    uint16_t d = cf_add_utf8(pool, descriptor, strlen(descriptor));
    return cf_add_pair(pool, CF_TAG_NAME_AND_TYPE, n, d);
}

uint16_t cf_add_reference(struct cf_pool *pool, enum cf_tag tag, const char *class_name,
                          const char *name, const char *descriptor) {
    if (tag < CF_TAG_FIELDREF || tag > CF_TAG_INTERFACE_METHODREF)
        return give_up(pool, CF_MISUSE,
                       "a reference is a Fieldref, Methodref or InterfaceMethodref");
    uint16_t c = cf_add_class(pool, class_name, strlen(class_name));
    uint16_t nt = cf_add_name_and_type(pool, name, descriptor);
    return cf_add_pair(pool, tag, c, nt);
}

// Makes room for bytes and entries at once.
static inline int reserve(struct cf_pool *pool, uint32_t size, uint32_t entries) {
    uint32_t taken = pool->count - pool->first;
    if (pool->error.status) return 0;
    if (pool->count + entries > pool->limit) return is_full(pool);
    if ((size > pool->capacity - pool->length && !grow_bytes(pool, size)) ||
        (entries > pool->offsets_capacity - taken && !grow_offsets(pool, entries)))
        return give_up(pool, CF_NO_MEMORY, "out of memory");
    return 1;
}

// Begins an entry of `size` bytes with its tag; there is room.
static inline uint8_t *next_entry(struct cf_pool *pool, enum cf_tag tag, uint32_t size) {
    uint8_t *entry = pool->bytes + pool->length;
    pool->offsets[pool->count++ - pool->first] = pool->length;
    pool->length += size;
    entry[0] = (uint8_t)tag;
    return entry;
}

// A quarter of a pool: beyond it duplicates could use up the space. For example, a method that is
// edited again with fewer snippets has already added all of its numbers.
enum { CROWDED = 1 << 14 };

// From now on numbers are searched for: enters those that are not in the slots yet.
CF_SELDOM static int find_numbers(struct cf_pool *pool) {
    if ((!pool->slots_count && !grow_slots(pool)) || !grow_slots(pool))
        return give_up(pool, CF_NO_MEMORY, "out of memory");
    pool->finds_numbers = 1;
    return 1;
}

uint16_t cf_add_integer(struct cf_pool *pool, int32_t value) {
    if (pool->cls->merges_constant_pool) return add_fixed(pool, CF_TAG_INTEGER, (uint32_t)value);
    if (pool->count > CROWDED && !pool->finds_numbers && !find_numbers(pool)) return 0;
    if (pool->finds_numbers) return add_fixed(pool, CF_TAG_INTEGER, (uint32_t)value);
    if (!reserve(pool, 5, 1)) return 0;
    cf_put4(next_entry(pool, CF_TAG_INTEGER, 5) + 1, (uint32_t)value);
    return (uint16_t)(pool->count - 1);
}

static uint32_t append_utf8(struct cf_pool *pool, const char *text, uint32_t length) {
    uint8_t *entry = next_entry(pool, CF_TAG_UTF8, 3 + length);
    cf_put2(entry + 1, length);
    memcpy(entry + 3, text, length);
    return pool->count - 1;
}

static uint32_t append_pair(struct cf_pool *pool, enum cf_tag tag, uint32_t a, uint32_t b) {
    uint8_t *entry = next_entry(pool, tag, 5);
    cf_put2(entry + 1, a);
    cf_put2(entry + 3, b);
    return pool->count - 1;
}

// Adds the methods one by one and reuses existing constants.
static int find_or_add_methods(struct cf_pool *pool, const struct cf_method_name *names,
                               unsigned count, uint16_t *methodrefs) {
    uint16_t class_index = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct cf_method_name *m = &names[i];
        if (m->class_name) class_index = cf_add_class(pool, m->class_name, strlen(m->class_name));
        uint16_t name = cf_add_utf8(pool, m->name, m->name_length);
        uint16_t descriptor = cf_add_utf8(pool, m->descriptor, m->descriptor_length);
        uint16_t pair = cf_add_pair(pool, CF_TAG_NAME_AND_TYPE, name, descriptor);
        methodrefs[i] = cf_add_pair(pool, CF_TAG_METHODREF, class_index, pair);
    }
    return pool->error.status == CF_OK;
}

int cf_add_methods(struct cf_pool *pool, const struct cf_method_name *names, unsigned count,
                   uint16_t *methodrefs) {
    size_t size = 0;
    if (pool->cls->merges_constant_pool) return find_or_add_methods(pool, names, count, methodrefs);
    if (count > 1000) return give_up(pool, CF_LIMIT, "too much at once");
    for (unsigned i = 0; i < count; i++) {
        size_t class_length = names[i].class_name ? strlen(names[i].class_name) : 0;
        if (class_length > 65535) return give_up(pool, CF_LIMIT, "too much at once");
        size += 22u + class_length + names[i].name_length + names[i].descriptor_length;
    }
    if (!reserve(pool, (uint32_t)size, 6 * count)) return 0;
    uint32_t class_index = 0, descriptor = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct cf_method_name *m = &names[i];
        if (m->class_name) {
            uint32_t name = append_utf8(pool, m->class_name, (uint32_t)strlen(m->class_name));
            cf_put2(next_entry(pool, CF_TAG_CLASS, 3) + 1, name);
            class_index = name + 1;
        }
        if (i == 0 || m->descriptor_length != m[-1].descriptor_length ||
            memcmp(m->descriptor, m[-1].descriptor, m->descriptor_length) != 0)
            descriptor = append_utf8(pool, m->descriptor, m->descriptor_length);
        uint32_t own = append_utf8(pool, m->name, m->name_length);
        uint32_t pair = append_pair(pool, CF_TAG_NAME_AND_TYPE, own, descriptor);
        methodrefs[i] = (uint16_t)append_pair(pool, CF_TAG_METHODREF, class_index, pair);
    }
    return 1;
}

// The number of references in an entry, at offset 1 and perhaps 3. Blocks have no other kinds.
static unsigned references_of(const uint8_t *entry) {
    switch (entry[0]) {
    case CF_TAG_CLASS:
    case CF_TAG_STRING: return 1;
    case CF_TAG_NAME_AND_TYPE:
    case CF_TAG_FIELDREF:
    case CF_TAG_METHODREF:
    case CF_TAG_INTERFACE_METHODREF: return 2;
    default: return 0;
    }
}

void cf_block_take(struct cf_block *block, const struct cf_pool *pool, struct cf_pool_mark since) {
    uint32_t length = pool->length - since.length, count = pool->count - since.count;
    block->count = block->fixups_count = 0;
    if (pool->error.status || length > CF_BLOCK_BYTES || count > CF_BLOCK_ENTRIES) return;
    memcpy(block->bytes, pool->bytes + since.length, length);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t offset = pool->offsets[since.count - pool->first + i];
        if (offset == UINT32_MAX) return; // a long
        block->offsets[i] = (uint16_t)(offset - since.length);
        uint8_t *entry = block->bytes + block->offsets[i];
        for (unsigned k = 0; k < references_of(entry); k++) {
            uint32_t index = cf_be2(entry + 1 + 2 * k);
            if (index < since.count) return;
            cf_put2(entry + 1 + 2 * k, index - since.count);
            block->fixups[block->fixups_count++] = (uint16_t)(block->offsets[i] + 1 + 2 * k);
        }
    }
    block->length = length;
    block->count = count;
}

uint32_t cf_block_add(struct cf_pool *pool, const struct cf_block *block) {
    if (!reserve(pool, CF_BLOCK_BYTES, block->count)) return 0;
    uint32_t first = pool->count, *offsets = pool->offsets + (first - pool->first);
    uint8_t *bytes = pool->bytes + pool->length;
    memcpy(bytes, block->bytes, CF_BLOCK_BYTES); // all of it, at a fixed length
    for (uint32_t i = 0; i < block->count; i++) offsets[i] = pool->length + block->offsets[i];
    for (uint32_t i = 0; i < block->fixups_count; i++) {
        uint8_t *reference = bytes + block->fixups[i];
        cf_put2(reference, cf_be2(reference) + first);
    }
    pool->length += block->length;
    pool->count += block->count;
    return first;
}

const uint8_t *cf_pool_entry(const struct cf_pool *pool, unsigned index) {
    if (index < pool->first) {
        uint32_t offset = pool->cls->constant_pool[index];
        return offset ? pool->cls->bytes + offset : NULL;
    }
    if (index >= pool->count || pool->offsets[index - pool->first] == UINT32_MAX) return NULL;
    return pool->bytes + pool->offsets[index - pool->first];
}

struct cf_slice cf_pool_utf8(const struct cf_pool *pool, unsigned index) {
    struct cf_slice s = {NULL, 0};
    const uint8_t *entry = cf_pool_entry(pool, index);
    if (entry && entry[0] == CF_TAG_UTF8) {
        s.bytes = entry + 3;
        s.length = cf_be2(entry + 1);
    }
    return s;
}

struct cf_slice cf_pool_class_name(const struct cf_pool *pool, unsigned index) {
    struct cf_slice none = {NULL, 0};
    const uint8_t *entry = cf_pool_entry(pool, index);
    return entry && entry[0] == CF_TAG_CLASS ? cf_pool_utf8(pool, cf_be2(entry + 1)) : none;
}

int cf_pool_reference(const struct cf_pool *pool, unsigned index, struct cf_slice *name,
                      struct cf_slice *descriptor) {
    const uint8_t *entry = cf_pool_entry(pool, index);
    if (!entry) return 0;
    switch (entry[0]) {
    case CF_TAG_FIELDREF:
    case CF_TAG_METHODREF:
    case CF_TAG_INTERFACE_METHODREF:
    case CF_TAG_DYNAMIC:
    case CF_TAG_INVOKE_DYNAMIC: break;
    default: return 0;
    }
    const uint8_t *pair = cf_pool_entry(pool, cf_be2(entry + 3));
    if (!pair || pair[0] != CF_TAG_NAME_AND_TYPE) return 0;
    *name = cf_pool_utf8(pool, cf_be2(pair + 1));
    *descriptor = cf_pool_utf8(pool, cf_be2(pair + 3));
    return name->bytes && descriptor->bytes;
}
