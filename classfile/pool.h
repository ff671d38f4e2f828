// Constants added to a class. The original constant pool comes first and is not changed; new
// entries are appended, so that no index ever moves. New entries are not duplicated. Original
// entries are searched for duplicates only if the JVM merges pools (cf_class.merges_constant_pool):
// otherwise the search costs more than the bytes that it saves.

#ifndef CF_POOL_H
#define CF_POOL_H

#include "classfile/classfile.h"
#include "classfile/decls.h"

CF_BEGIN_DECLS

struct cf_pool {
    const struct cf_class *cls;
    uint8_t *bytes; // the new entries as in the file
    uint32_t length, capacity;
    uint32_t first, count; // index of the first new entry; of the next one
    uint32_t limit;        // of count: 65,535, less cf_class.constants_beyond
    uint32_t *offsets;     // per new entry, into bytes
    uint32_t offsets_capacity;
    uint16_t *slots;       // hash of entry -> index; 0: free
    uint16_t *other_slots; // as many, for rollback
    uint32_t slots_count, slots_used;
    uint32_t looked_at;    // original entries searched so far
    int finds_numbers;     // see cf_add_integer
    struct cf_error error; // sticky, until cf_pool_rollback
};

// A state to roll back to.
struct cf_pool_mark {
    uint32_t length, count;
};

void cf_pool_init(struct cf_pool *pool, const struct cf_class *cls);
static inline struct cf_pool_mark cf_pool_mark(const struct cf_pool *pool) {
    struct cf_pool_mark mark = {pool->length, pool->count};
    return mark;
}
// Removes what was added since the mark, and clears the error.
void cf_pool_rollback(struct cf_pool *pool, struct cf_pool_mark mark);

// Each returns the index of the constant, and adds it if it is new. 0: the pool is full
// (cf_pool.limit) or memory ran out; the reason is in pool->error. An argument index of 0 gives 0.
// What is added for an edit of a method goes with the edit if that fails (edit.h): ask again in the
// next one instead of keeping an index.
uint16_t cf_add_utf8(struct cf_pool *pool, const void *bytes, size_t length);
uint16_t cf_add_class(struct cf_pool *pool, const void *name, size_t length);
uint16_t cf_add_string(struct cf_pool *pool, const void *bytes, size_t length);
// An Integer is added each time, unless the JVM merges constants or the pool is large: snippets
// push the id of one method or site, and a search for a duplicate would take longer.
uint16_t cf_add_integer(struct cf_pool *pool, int32_t value);
uint16_t cf_add_long(struct cf_pool *pool, int64_t value);
uint16_t cf_add_float(struct cf_pool *pool, float value);
uint16_t cf_add_double(struct cf_pool *pool, double value);
uint16_t cf_add_name_and_type(struct cf_pool *pool, const char *name, const char *descriptor);
// `tag`: Fieldref, Methodref or InterfaceMethodref.
uint16_t cf_add_reference(struct cf_pool *pool, enum cf_tag tag, const char *class_name,
                          const char *name, const char *descriptor);

// An entry of two indexes of existing constants: NameAndType, Fieldref, Methodref and so on.
uint16_t cf_add_pair(struct cf_pool *pool, enum cf_tag tag, uint16_t a, uint16_t b);

// Adds several methods at once, which is cheaper than one by one: no duplicates are searched for or
// registered, but class and descriptor are shared with the previous method. Sets an index for each
// in `methodrefs`. Returns 1, or 0 as above.
struct cf_method_name {
    const char *class_name; // NULL: that of the previous method
    const char *name, *descriptor;
    uint16_t name_length, descriptor_length;
};
#define CF_METHOD_OF(class_name, name, descriptor)                                                 \
    { class_name, name, descriptor, sizeof(name) - 1, sizeof(descriptor) - 1 }
#define CF_METHOD_NAME(name, descriptor) CF_METHOD_OF(NULL, name, descriptor)
int cf_add_methods(struct cf_pool *pool, const struct cf_method_name *names, unsigned count,
                   uint16_t *methodrefs);

// Entries that were added to one class and can be added to others as a block. They refer only to
// each other; their indexes count from 0.
#define CF_BLOCK_BYTES 768
#define CF_BLOCK_ENTRIES 64
struct cf_block {
    uint32_t length, count, fixups_count; // count 0: there is none
    uint8_t bytes[CF_BLOCK_BYTES];
    uint16_t offsets[CF_BLOCK_ENTRIES], fixups[2 * CF_BLOCK_ENTRIES];
};
// Takes what was added since the mark. Too much for a block: count is 0.
void cf_block_take(struct cf_block *block, const struct cf_pool *pool, struct cf_pool_mark since);
// Appends the block. Returns the index of its first entry, or 0 as above.
uint32_t cf_block_add(struct cf_pool *pool, const struct cf_block *block);

// Like the accessors of classfile.h, for original and new entries.
const uint8_t *cf_pool_entry(const struct cf_pool *pool, unsigned index); // at the tag; NULL: none
struct cf_slice cf_pool_utf8(const struct cf_pool *pool, unsigned index);
struct cf_slice cf_pool_class_name(const struct cf_pool *pool, unsigned index);
// The name and descriptor of any reference, also Dynamic and InvokeDynamic. Returns 1, or 0.
int cf_pool_reference(const struct cf_pool *pool, unsigned index, struct cf_slice *name,
                      struct cf_slice *descriptor);

CF_END_DECLS

#endif
