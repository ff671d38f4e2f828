// Strict instance fields, and sets of them.

#include "classfile/format/strict_fields.h"

#include <stdlib.h>

static int compare_slices(struct cf_slice a, struct cf_slice b) {
    uint32_t n = a.length < b.length ? a.length : b.length;
    int order = n ? memcmp(a.bytes, b.bytes, n) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_fields(const void *a, const void *b) {
    const struct cf_strict_field *x = a, *y = b;
    int order = compare_slices(x->name, y->name);
    return order ? order : compare_slices(x->descriptor, y->descriptor);
}

// The flag has a meaning in classes with preview features since value classes are in preview, and
// in all versions after JDK 28. Otherwise it is ignored (JVMS 4.5).
static int may_be_strict(const struct cf_class *cls) {
    return cls->major_version > 72 || (cls->major_version >= 70 && cls->minor_version == 65535);
}

static int is_strict(const struct cf_member *field) {
    return (field->access_flags & (CF_ACC_STRICT | CF_ACC_STATIC)) == CF_ACC_STRICT;
}

static uint32_t count_strict(const struct cf_class *cls, struct cf_error *error) {
    uint32_t n = 0;
    if (!may_be_strict(cls)) return 0;
    struct cf_walk fields = cf_walk_fields(cls, error);
    struct cf_member field;
    while (cf_next_field(&fields, &field)) n += (uint32_t)is_strict(&field);
    return n;
}

static void take_fields(struct cf_strict *s, const struct cf_class *cls, struct cf_error *error) {
    struct cf_walk fields = cf_walk_fields(cls, error);
    struct cf_member field;
    while (s->count && cf_next_field(&fields, &field)) {
        if (!is_strict(&field)) continue;
        struct cf_strict_field *f = s->fields++;
        f->name = cf_member_name(cls, &field);
        f->descriptor = cf_member_descriptor(cls, &field);
        f->name_and_type = 0;
    }
    s->fields -= s->count;
}

static void find_constants(struct cf_strict *s, const struct cf_class *cls) {
    for (uint32_t i = 1; i < cls->constant_pool_count; i++) {
        struct cf_slice name, descriptor;
        if (cf_tag_at(cls, i) != CF_TAG_NAME_AND_TYPE) continue;
        if (!cf_name_and_type(cls, i, &name, &descriptor)) continue;
        int field = cf_strict_find(s, name, descriptor);
        if (field >= 0 && !s->fields[field].name_and_type)
            s->fields[field].name_and_type = (uint16_t)i;
    }
}

static const struct cf_strict *make(const struct cf_class *cls, uint32_t count,
                                    struct cf_error *error) {
    struct cf_strict *s = cf_arena_zeroed(cls->arena, 1, sizeof *s);
    struct cf_strict_field *fields = cf_arena_zeroed(cls->arena, count + 1, sizeof *fields);
    uint32_t size = (count + 7) / 8;
    uint8_t *all = cf_arena_zeroed(cls->arena, size + 1, 1);
    if (!s || !fields || !all) {
        cf_fail(error, CF_NO_MEMORY, cls->fields, "out of memory", 0);
        return NULL;
    }
    struct cf_strict filled = {fields, count, size, all};
    *s = filled;
    take_fields(s, cls, error);
    qsort(fields, count, sizeof *fields, compare_fields);
    find_constants(s, cls);
    for (uint32_t i = 0; i < count; i++) all[i / 8] |= (uint8_t)(1u << i % 8);
    return s;
}

const struct cf_strict *cf_strict_of(const struct cf_class *cls, struct cf_error *error) {
    static const struct cf_strict none = {NULL, 0, 0, NULL};
    if (cls->strict) return cls->strict;
    uint32_t count = count_strict(cls, error);
    if (error->status) return NULL;
    if (count > CF_STRICT_LIMIT) {
        cf_fail(error, CF_UNSUPPORTED, cls->fields, "%u strict fields (limit 1,024)", count);
        return NULL;
    }
    const struct cf_strict *found = count ? make(cls, count, error) : &none;
    ((struct cf_class *)(uintptr_t)cls)->strict = found; // a cache; the class does not change
    return found;
}

int cf_strict_find(const struct cf_strict *strict, struct cf_slice name,
                   struct cf_slice descriptor) {
    const struct cf_strict_field key = {name, descriptor, 0}, *found;
    if (!name.bytes || !descriptor.bytes || !strict->count) return -1;
    found = bsearch(&key, strict->fields, strict->count, sizeof key, compare_fields);
    return found ? (int)(found - strict->fields) : -1;
}

const uint8_t *cf_strict_without(const struct cf_strict *strict, struct cf_arena *arena,
                                 const uint8_t *set, uint32_t i) {
    uint8_t *result = cf_arena_alloc(arena, strict->size);
    if (!result) return NULL;
    memcpy(result, set, strict->size);
    result[i / 8] &= (uint8_t) ~(1u << i % 8);
    return result;
}

const uint8_t *cf_strict_union(const struct cf_strict *strict, struct cf_arena *arena,
                               const uint8_t *a, const uint8_t *b) {
    if (memcmp(a, b, strict->size) == 0) return a;
    uint8_t *result = cf_arena_alloc(arena, strict->size);
    for (uint32_t i = 0; result && i < strict->size; i++) result[i] = a[i] | b[i];
    return result;
}

uint32_t cf_strict_members(const struct cf_strict *strict, const uint8_t *set) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < strict->count; i++) n += (uint32_t)cf_strict_has(set, i);
    return n;
}

// Names in a class file contain no zero byte (JVMS 4.4.7).
static char *terminated(struct cf_arena *arena, struct cf_slice s) {
    char *text = cf_arena_alloc(arena, s.length + 1);
    if (!text) return NULL;
    memcpy(text, s.bytes, s.length);
    text[s.length] = 0;
    return text;
}

uint16_t cf_strict_name_and_type(const struct cf_strict *strict, struct cf_pool *pool, uint32_t i) {
    const struct cf_strict_field *f = &strict->fields[i];
    if (f->name_and_type) return f->name_and_type;
    const char *name = terminated(pool->cls->arena, f->name);
    const char *descriptor = terminated(pool->cls->arena, f->descriptor);
    if (!name || !descriptor) {
        cf_fail(&pool->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return 0;
    }
    return cf_add_name_and_type(pool, name, descriptor);
}
