// Class files for tests, put together byte by byte. Constants and the rest grow apart, so that a
// constant can be asked for in the middle of a method:
//
//      struct build b;
//      build_class_file(&b, 52, CF_ACC_PUBLIC, "A");
//      build_counted(&b, 0);                       // fields
//      size_t methods = build_counted(&b, 1);      // methods: one
//      build_member(&b, CF_ACC_STATIC, "f", "()V", 1);
//      size_t code = build_code(&b, 0, 0, (uint8_t[]){CF_OP_return}, 1);
//      build_u2(&b, 0);                            // exception table
//      build_u2(&b, 0);                            // attributes of the code
//      build_end(&b, code);
//      build_u2(&b, 0);                            // attributes of the class
//      uint8_t *bytes = build_finish(&b, &length); // free() it
//
// Nothing is checked: broken classes are what it is for. Out of memory ends the test.

#ifndef TESTS_BUILD_H
#define TESTS_BUILD_H

#include "classfile/classfile.h"
#include "classfile/opcodes.h"

#include <stdlib.h>
#include <string.h>

struct build_bytes {
    uint8_t *bytes;
    size_t length, capacity;
};

struct build {
    struct build_bytes pool, body;
    unsigned constants; // constant_pool_count
    unsigned minor_version, major_version;
};

static inline void build_append(struct build_bytes *to, const void *bytes, size_t length) {
    if (to->length + length > to->capacity) {
        to->capacity = (to->length + length) * 2 + 64;
        to->bytes = realloc(to->bytes, to->capacity);
        if (!to->bytes) abort();
    }
    if (length) memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
}

static inline void build_append_number(struct build_bytes *to, uint64_t value, unsigned size) {
    while (size--) {
        uint8_t byte = (uint8_t)(value >> 8 * size);
        build_append(to, &byte, 1);
    }
}

// --- the body: everything behind the constant pool ---

static inline void build_u1(struct build *b, unsigned v) {
    build_append_number(&b->body, v, 1);
}
static inline void build_u2(struct build *b, unsigned v) {
    build_append_number(&b->body, v, 2);
}
static inline void build_u4(struct build *b, uint32_t v) {
    build_append_number(&b->body, v, 4);
}
static inline void build_some(struct build *b, const void *bytes, size_t length) {
    build_append(&b->body, bytes, length);
}

// A count; returns its place, for build_more.
static inline size_t build_counted(struct build *b, unsigned count) {
    build_u2(b, count);
    return b->body.length - 2;
}
// One more of what is counted at `place`.
static inline void build_more(struct build *b, size_t place) {
    cf_put2(b->body.bytes + place, cf_be2(b->body.bytes + place) + 1u);
}

// --- constants; each returns its index ---

static inline unsigned build_constant(struct build *b, unsigned tag, uint64_t value,
                                      unsigned size) {
    build_append_number(&b->pool, tag, 1);
    build_append_number(&b->pool, value, size);
    unsigned index = b->constants++;
    if (tag == CF_TAG_LONG || tag == CF_TAG_DOUBLE) b->constants++;
    return index;
}
static inline unsigned build_utf8_bytes(struct build *b, const void *bytes, size_t length) {
    build_append_number(&b->pool, CF_TAG_UTF8, 1);
    build_append_number(&b->pool, length, 2);
    build_append(&b->pool, bytes, length);
    return b->constants++;
}
static inline unsigned build_utf8(struct build *b, const char *text) {
    return build_utf8_bytes(b, text, strlen(text));
}
// Class, String, MethodType, Module, Package.
static inline unsigned build_named(struct build *b, unsigned tag, const char *name) {
    unsigned utf8 = build_utf8(b, name);
    return build_constant(b, tag, utf8, 2);
}
static inline unsigned build_class(struct build *b, const char *name) {
    return build_named(b, CF_TAG_CLASS, name);
}
// NameAndType, Fieldref, ..., Dynamic, InvokeDynamic: two indexes.
static inline unsigned build_pair(struct build *b, unsigned tag, unsigned first, unsigned second) {
    return build_constant(b, tag, (uint64_t)first << 16 | second, 4);
}
static inline unsigned build_name_and_type(struct build *b, const char *name,
                                           const char *descriptor) {
    unsigned first = build_utf8(b, name), second = build_utf8(b, descriptor);
    return build_pair(b, CF_TAG_NAME_AND_TYPE, first, second);
}
static inline unsigned build_reference(struct build *b, unsigned tag, const char *class_name,
                                       const char *name, const char *descriptor) {
    unsigned owner = build_class(b, class_name);
    return build_pair(b, tag, owner, build_name_and_type(b, name, descriptor));
}
static inline unsigned build_method_handle(struct build *b, unsigned kind, unsigned reference) {
    return build_constant(b, CF_TAG_METHOD_HANDLE, (uint64_t)kind << 16 | reference, 3);
}
// Dynamic and InvokeDynamic.
static inline unsigned build_dynamic(struct build *b, unsigned tag, unsigned bootstrap_method,
                                     const char *name, const char *descriptor) {
    return build_pair(b, tag, bootstrap_method, build_name_and_type(b, name, descriptor));
}

// --- the parts of a class ---

// Everything up to the interfaces, of which there are none; super is java/lang/Object.
static inline void build_subclass_file(struct build *b, unsigned major_version,
                                       unsigned access_flags, const char *name, const char *super) {
    memset(b, 0, sizeof *b);
    b->constants = 1;
    b->major_version = major_version;
    build_u2(b, access_flags);
    build_u2(b, build_class(b, name));
    build_u2(b, build_class(b, super));
    build_u2(b, 0);
}

static inline void build_class_file(struct build *b, unsigned major_version, unsigned access_flags,
                                    const char *name) {
    build_subclass_file(b, major_version, access_flags, name, "java/lang/Object");
}

// The head of a field or method; `attributes` of them have to follow.
static inline void build_member(struct build *b, unsigned access_flags, const char *name,
                                const char *descriptor, unsigned attributes) {
    build_u2(b, access_flags);
    build_u2(b, build_utf8(b, name));
    build_u2(b, build_utf8(b, descriptor));
    build_u2(b, attributes);
}

// Begins an attribute; returns its place, for build_end.
static inline size_t build_attribute(struct build *b, const char *name) {
    build_u2(b, build_utf8(b, name));
    build_u4(b, 0);
    return b->body.length;
}
static inline void build_end(struct build *b, size_t place) {
    cf_put4(b->body.bytes + place - 4, (uint32_t)(b->body.length - place));
}

// Begins a Code attribute; the exception table and the attributes have to follow.
static inline size_t build_code(struct build *b, unsigned max_stack, unsigned max_locals,
                                const uint8_t *code, size_t length) {
    size_t place = build_attribute(b, "Code");
    build_u2(b, max_stack);
    build_u2(b, max_locals);
    build_u4(b, (uint32_t)length);
    build_some(b, code, length);
    return place;
}

// The class file, to be freed by the caller; `b` is spent.
static inline uint8_t *build_finish(struct build *b, size_t *length) {
    struct build_bytes out = {NULL, 0, 0};
    build_append_number(&out, 0xCAFEBABEu, 4);
    build_append_number(&out, b->minor_version, 2);
    build_append_number(&out, b->major_version, 2);
    build_append_number(&out, b->constants, 2);
    build_append(&out, b->pool.bytes, b->pool.length);
    build_append(&out, b->body.bytes, b->body.length);
    free(b->pool.bytes);
    free(b->body.bytes);
    memset(b, 0, sizeof *b);
    *length = out.length;
    return out.bytes;
}

#endif
