// Opens a class file: indexes the constant pool and the methods.

#include "classfile/classfile.h"

#define MAGIC 0xCAFEBABEu

// The size of an entry, for a Utf8 without its text; 0: unknown.
static const uint8_t entry_size[256] = {
    [CF_TAG_UTF8] = 3,          [CF_TAG_INTEGER] = 5,       [CF_TAG_FLOAT] = 5,
    [CF_TAG_LONG] = 9,          [CF_TAG_DOUBLE] = 9,        [CF_TAG_CLASS] = 3,
    [CF_TAG_STRING] = 3,        [CF_TAG_FIELDREF] = 5,      [CF_TAG_METHODREF] = 5,
    [CF_TAG_NAME_AND_TYPE] = 5, [CF_TAG_METHOD_HANDLE] = 4, [CF_TAG_INTERFACE_METHODREF] = 5,
    [CF_TAG_METHOD_TYPE] = 3,   [CF_TAG_DYNAMIC] = 5,       [CF_TAG_INVOKE_DYNAMIC] = 5,
    [CF_TAG_MODULE] = 3,        [CF_TAG_PACKAGE] = 3,
};

// Behind the pool follow at least access_flags, this_class, super_class and four counts. So an
// entry of fixed size that begins before these is complete, and the end of a Utf8 is checked at the
// start of the next entry.
#define AFTER_POOL 14

// The pool is malformed at entry `i`, or the class ends too early behind it. Walks the complete
// entries again, so that they can be inspected, and reports the error of the next one.
CF_SELDOM static enum cf_status pool_broken(struct cf_class *cls, const struct cf_reader *r,
                                            uint32_t i, uint32_t pos) {
    const uint8_t *bytes = r->bytes;
    uint32_t count = cls->constant_pool_count, size = 0, text;
    if (pos > r->end) pos = cls->constant_pool[--i]; // a Utf8: all others are looked at before
    for (; i < count && pos < r->end; i++, pos += size + text) {
        uint32_t left = r->end - pos, tag = bytes[pos];
        cls->constant_pool_count = (uint16_t)i;
        size = entry_size[tag];
        if (size == 0)
            return cf_fail(&cls->error, CF_UNKNOWN, pos, "unknown constant pool tag %u", tag);
        if (left < size) return cf_fail(&cls->error, CF_TRUNCATED, pos, "truncated", 0);
        text = tag == CF_TAG_UTF8 ? cf_be2(bytes + pos + 1) : 0;
        if (left - size < text)
            return cf_fail(&cls->error, CF_TRUNCATED, pos, "truncated: CONSTANT_Utf8 of %u bytes",
                           text);
        if (size == 9 && i + 1 == count)
            return cf_fail(&cls->error, CF_MALFORMED, pos,
                           "long or double in the last constant pool entry", 0);
        cls->constant_pool[i] = pos;
        if (size == 9) cls->constant_pool[++i] = 0;
    }
    cls->constant_pool_count = (uint16_t)i;
    return cf_fail(&cls->error, CF_TRUNCATED, pos, "truncated", 0);
}

// JVMS 4.4: checks the tag and size of every entry; references are checked on access.
static enum cf_status index_constant_pool(struct cf_class *cls, struct cf_reader *r) {
    uint32_t count = cf_u2(r);
    if (cls->error.status) return cls->error.status;
    if (count == 0) return cf_fail(&cls->error, CF_MALFORMED, r->pos - 2, "empty constant pool", 0);
    uint32_t *offsets = cf_arena_alloc(cls->arena, count * sizeof *offsets);
    if (!offsets) return cf_fail(&cls->error, CF_NO_MEMORY, r->pos, "out of memory", 0);
    cls->constant_pool = offsets;
    cls->constant_pool_count = (uint16_t)count; // not before: without memory there are none
    offsets[0] = 0;
    const uint8_t *bytes = r->bytes;
    uint32_t pos = r->pos, last = r->end < AFTER_POOL ? 0 : r->end - AFTER_POOL;
    for (uint32_t i = 1; i < count; i++) {
        if (pos >= last) return pool_broken(cls, r, i, pos);
        offsets[i] = pos;
        // From an entry to the next two loads would wait for each other; where the branches are
        // predicted, which is mostly, none does.
        uint32_t tag = bytes[pos];
        if (tag == CF_TAG_UTF8) {
            // A text is seldom longer than 255 bytes, and a prediction does not have to wait.
            uint32_t text = bytes[pos + 2];
            if (CF_UNLIKELY(bytes[pos + 1])) text |= (uint32_t)bytes[pos + 1] << 8;
            if (text == 13 && last - pos > 13 && memcmp(bytes + pos + 3, "StackMapTable", 13) == 0)
                cls->utf8_stack_map_table = (uint16_t)i;
            pos += 3 + text;
            continue;
        }
        if (tag == CF_TAG_CLASS || tag == CF_TAG_STRING) {
            pos += 3;
            continue;
        }
        if (tag >= CF_TAG_FIELDREF && tag <= CF_TAG_NAME_AND_TYPE) {
            pos += 5;
            continue;
        }
        uint32_t size = entry_size[tag];
        if (size == 0) return pool_broken(cls, r, i, pos);
        if (size == 9) { // a long or double takes two indexes
            if (i + 1 >= count) return pool_broken(cls, r, i, pos);
            offsets[++i] = 0;
        }
        pos += size;
    }
    if (pos > last) return pool_broken(cls, r, count, pos);
    r->pos = pos;
    return CF_OK;
}

// The class may not be in the processor's caches: prefetches all of it, so that it arrives while
// the constant pool is walked.
static inline void fetch(const uint8_t *bytes, uint32_t length) {
    enum { LINE = 64, MOST = 64 * 1024 };
    for (uint32_t i = LINE; i < length && i < MOST; i += LINE) CF_PREFETCH(bytes + i);
}

static int is_code(struct cf_class *cls, uint32_t name_index) {
    if (name_index == cls->utf8_code) return name_index != 0;
    if (!CF_IS(cf_utf8(cls, name_index), "Code")) return 0;
    cls->utf8_code = (uint16_t)name_index;
    return 1;
}

// Reads one field_info (`cls` is NULL then) or method_info; `code` of a method is the first
// attribute named Code.
static int read_member(struct cf_class *cls, struct cf_reader *r, struct cf_member *m) {
    m->offset = r->pos;
    m->code = 0;
    if (!cf_need(r, 8)) return 0;
    const uint8_t *p = r->bytes + r->pos;
    m->access_flags = cf_be2(p);
    m->name_index = cf_be2(p + 2);
    m->descriptor_index = cf_be2(p + 4);
    m->attributes_count = cf_be2(p + 6);
    r->pos += 8;
    for (uint32_t i = 0; i < m->attributes_count; i++) {
        if (!cf_need(r, 6)) return 0;
        p = r->bytes + r->pos;
        uint32_t offset = r->pos, length = cf_be4(p + 2);
        r->pos += 6;
        if (!cf_need(r, length)) return 0;
        if (cls && !m->code && is_code(cls, cf_be2(p))) m->code = offset;
        r->pos += length;
    }
    m->end = r->pos;
    return 1;
}

static enum cf_status index_members(struct cf_class *cls, struct cf_reader *r) {
    cls->fields_count = cf_u2(r);
    cls->fields = r->pos;
    struct cf_member field;
    for (uint32_t i = 0; i < cls->fields_count; i++)
        if (!read_member(NULL, r, &field)) return cls->error.status;
    cls->methods_count = cf_u2(r);
    cls->methods = cf_arena_alloc(cls->arena, cls->methods_count * sizeof *cls->methods);
    if (!cls->methods) return cf_fail(&cls->error, CF_NO_MEMORY, r->pos, "out of memory", 0);
    for (uint32_t i = 0; i < cls->methods_count; i++)
        if (!read_member(cls, r, &cls->methods[i])) return cls->error.status;
    return CF_OK;
}

// As far as the interfaces; `r` reads on behind them.
static enum cf_status open_head(struct cf_class *cls, struct cf_reader *r, const uint8_t *bytes,
                                size_t length, struct cf_arena *arena) {
    memset(cls, 0, sizeof *cls);
    cls->bytes = bytes;
    cls->arena = arena;
    if (length > INT32_MAX)
        return cf_fail(&cls->error, CF_LIMIT, 0, "class file of more than 2 GB", 0);
    cls->length = (uint32_t)length;
    fetch(bytes, cls->length);
    *r = (struct cf_reader){bytes, 0, cls->length, &cls->error};
    uint32_t magic = cf_u4(r);
    if (cls->error.status) return cls->error.status;
    if (magic != MAGIC)
        return cf_fail(&cls->error, CF_MALFORMED, 0, "not a class file: wrong magic", 0);
    cls->minor_version = cf_u2(r);
    cls->major_version = cf_u2(r);
    CF_TRY(index_constant_pool(cls, r));
    cls->constant_pool_end = r->pos;
    cls->access_flags = cf_u2(r);
    cls->this_class = cf_u2(r);
    cls->super_class = cf_u2(r);
    cls->interfaces_count = cf_u2(r);
    cls->interfaces = r->pos;
    cf_skip(r, 2u * cls->interfaces_count);
    return cls->error.status;
}

enum cf_status cf_class_open_head(struct cf_class *cls, const uint8_t *bytes, size_t length,
                                  struct cf_arena *arena) {
    struct cf_reader r;
    return open_head(cls, &r, bytes, length, arena);
}

enum cf_status cf_class_open(struct cf_class *cls, const uint8_t *bytes, size_t length,
                             struct cf_arena *arena) {
    struct cf_reader r;
    CF_TRY(open_head(cls, &r, bytes, length, arena));
    CF_TRY(index_members(cls, &r));
    cls->attributes_count = cf_u2(&r);
    cls->attributes = r.pos;
    for (uint32_t i = 0; i < cls->attributes_count; i++) {
        cf_skip(&r, 2);
        cf_skip(&r, cf_u4(&r));
        if (cls->error.status) break;
    }
    CF_TRY(cls->error.status);
    if (r.pos != r.end)
        return cf_fail(&cls->error, CF_MALFORMED, r.pos, "%u bytes after the end of the class",
                       r.end - r.pos);
    return CF_OK;
}

struct cf_slice cf_named(const struct cf_class *cls, unsigned index, unsigned tag) {
    struct cf_slice none = {NULL, 0};
    const uint8_t *p = cf_entry(cls, index, tag);
    return p ? cf_utf8(cls, cf_be2(p)) : none;
}

int cf_name_and_type(const struct cf_class *cls, unsigned index, struct cf_slice *name,
                     struct cf_slice *descriptor) {
    const uint8_t *p = cf_entry(cls, index, CF_TAG_NAME_AND_TYPE);
    if (!p) return 0;
    *name = cf_utf8(cls, cf_be2(p));
    *descriptor = cf_utf8(cls, cf_be2(p + 2));
    return name->bytes && descriptor->bytes;
}

int cf_reference(const struct cf_class *cls, unsigned index, struct cf_slice *class_name,
                 struct cf_slice *name, struct cf_slice *descriptor) {
    unsigned tag = cf_tag_at(cls, index);
    const uint8_t *p;
    *class_name = (struct cf_slice){NULL, 0};
    switch (tag) {
    case CF_TAG_FIELDREF:
    case CF_TAG_METHODREF:
    case CF_TAG_INTERFACE_METHODREF:
        p = cf_entry(cls, index, tag);
        *class_name = cf_class_name(cls, cf_be2(p));
        return class_name->bytes && cf_name_and_type(cls, cf_be2(p + 2), name, descriptor);
    case CF_TAG_DYNAMIC:
    case CF_TAG_INVOKE_DYNAMIC:
        p = cf_entry(cls, index, tag);
        return cf_name_and_type(cls, cf_be2(p + 2), name, descriptor);
    default: return 0;
    }
}

struct cf_slice cf_this_name(const struct cf_class *cls) {
    return cf_class_name(cls, cls->this_class);
}

struct cf_walk cf_walk_attributes(const struct cf_class *cls, uint32_t start, uint32_t count,
                                  uint32_t end, struct cf_error *error) {
    struct cf_walk walk = {cls, {cls->bytes, start, end, error}, count};
    return walk;
}

int cf_next_attribute(struct cf_walk *walk, struct cf_attribute *a) {
    if (walk->left == 0) return 0;
    walk->left--;
    struct cf_reader *r = &walk->r;
    a->offset = r->pos;
    if (!cf_need(r, 6)) return 0;
    a->name_index = cf_be2(r->bytes + r->pos);
    a->length = cf_be4(r->bytes + r->pos + 2);
    r->pos += 6;
    a->info = r->pos;
    if (!cf_need(r, a->length)) return 0;
    r->pos += a->length;
    a->name = cf_utf8(walk->cls, a->name_index);
    return 1;
}

struct cf_walk cf_member_attributes(const struct cf_class *cls, const struct cf_member *m,
                                    struct cf_error *error) {
    return cf_walk_attributes(cls, m->offset + 8, m->attributes_count, m->end, error);
}

struct cf_walk cf_class_attributes(const struct cf_class *cls, struct cf_error *error) {
    return cf_walk_attributes(cls, cls->attributes, cls->attributes_count, cls->length, error);
}

struct cf_walk cf_walk_fields(const struct cf_class *cls, struct cf_error *error) {
    return cf_walk_attributes(cls, cls->fields, cls->fields_count, cls->length, error);
}

int cf_next_field(struct cf_walk *walk, struct cf_member *field) {
    if (walk->left == 0) return 0;
    walk->left--;
    return read_member(NULL, &walk->r, field);
}
