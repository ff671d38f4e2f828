// How libFuzzer changes a class file: mostly inside one part of it (a constant, the code of a
// method, an attribute), with all lengths around it set right, so that what is broken lies deep and
// not in the first count.

#include "tests/fuzz/fuzz.h"

#include "classfile/code.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

enum { MOST_PARTS = 8192 };

// A part of the file, and the length fields that count it.
struct part {
    uint32_t start, length;
    struct {
        uint32_t offset, width; // width 0: none
    } counted[4];
    int fixed; // its length must stay
};

struct parts {
    struct part part[MOST_PARTS];
    uint32_t count;
};

static struct part *add(struct parts *parts, uint32_t start, uint32_t length) {
    static struct part dropped;
    struct part *p = parts->count < MOST_PARTS ? &parts->part[parts->count++] : &dropped;
    memset(p, 0, sizeof *p);
    p->start = start;
    p->length = length;
    p->fixed = 1;
    return p;
}

static void count_in(struct part *p, uint32_t offset, uint32_t width) {
    for (int i = 0; i < 4; i++)
        if (!p->counted[i].width) {
            p->counted[i].offset = offset;
            p->counted[i].width = width;
            p->fixed = 0;
            return;
        }
}

static void add_pool(struct parts *parts, const struct cf_class *cls) {
    for (unsigned i = 1; i < cls->constant_pool_count; i++) {
        uint32_t at = cls->constant_pool[i];
        struct cf_slice s = cf_utf8(cls, i);
        if (s.bytes)
            count_in(add(parts, at + 3, s.length), at + 1, 2);
        else if (at)
            add(parts, at + 1, 2);
    }
}

static void add_attributes(struct parts *parts, struct cf_walk walk, uint32_t outer) {
    struct cf_attribute a;
    while (cf_next_attribute(&walk, &a)) {
        add(parts, a.offset, 2);
        struct part *p = add(parts, a.info, a.length);
        count_in(p, a.offset + 2, 4);
        if (outer) count_in(p, outer, 4);
    }
}

static void add_code(struct parts *parts, const struct cf_class *cls, const struct cf_member *m) {
    struct cf_error error = {0};
    struct cf_code code;
    if (cf_code_open(&code, cls, m, &error) != CF_OK) return;
    uint32_t outer = m->code + 2;
    for (int again = 0; again < 3; again++) { // where most can go wrong
        struct part *p = add(parts, code.offset, code.length);
        count_in(p, outer, 4);
        count_in(p, code.offset - 4, 4);
        add(parts, code.offset, code.length);
    }
    add(parts, code.offset - 8, 4); // max_stack, max_locals
    add(parts, code.exception_table, 8u * code.exception_table_length);
    add_attributes(
        parts, cf_walk_attributes(cls, code.attributes, code.attributes_count, code.end, &error),
        outer);
}

static void add_members(struct parts *parts, const struct cf_class *cls) {
    struct cf_error error = {0};
    struct cf_member field;
    struct cf_walk fields = cf_walk_fields(cls, &error);
    while (cf_next_field(&fields, &field)) {
        add(parts, field.offset, 6);
        add_attributes(parts, cf_member_attributes(cls, &field, &error), 0);
    }
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        const struct cf_member *m = &cls->methods[i];
        add(parts, m->offset, 6);
        add_attributes(parts, cf_member_attributes(cls, m, &error), 0);
        if (m->code) add_code(parts, cls, m);
    }
    add(parts, cls->constant_pool_end, 6);
    add(parts, 4, 4);
    add_attributes(parts, cf_class_attributes(cls, &error), 0);
}

static void grow_field(uint8_t *bytes, uint32_t offset, uint32_t width, uint32_t by) {
    if (width == 2)
        cf_put2(bytes + offset, cf_be2(bytes + offset) + by);
    else if (width == 4)
        cf_put4(bytes + offset, cf_be4(bytes + offset) + by);
}

static size_t mutate_part(const struct part *p, uint8_t *data, size_t size, size_t max_size) {
    size_t room = p->fixed ? p->length : p->length + (max_size - size);
    if (room > p->length + 64u) room = p->length + 64u;
    if (!room) return 0;
    uint8_t *bytes = malloc(room);
    if (!bytes) return 0;
    memcpy(bytes, data + p->start, p->length);
    size_t n = LLVMFuzzerMutate(bytes, p->length, room);
    if (p->fixed) n = p->length; // what it made shorter is followed by what was there
    memmove(data + p->start + n, data + p->start + p->length, size - p->start - p->length);
    memcpy(data + p->start, bytes, n);
    free(bytes);
    for (int i = 0; i < 4; i++)
        grow_field(data, p->counted[i].offset, p->counted[i].width, (uint32_t)n - p->length);
    return size + n - p->length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    static struct parts parts;
    struct cf_arena arena;
    struct cf_class cls;
    size_t result = 0;
    cf_arena_init(&arena);
    if (seed % 8 && size <= max_size && cf_class_open(&cls, data, size, &arena) == CF_OK) {
        parts.count = 0;
        add_members(&parts, &cls);
        uint32_t without_pool = parts.count;
        add_pool(&parts, &cls);
        uint32_t below = seed % 8 < 3 ? parts.count : without_pool;
        result = mutate_part(&parts.part[seed / 8 % below], data, size, max_size);
    }
    cf_arena_free(&arena);
    return result ? result : LLVMFuzzerMutate(data, size, max_size);
}
