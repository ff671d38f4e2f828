// The rules of RedefineClasses.

#include "instr/retransform/redefine_rules.h"

#include "classfile/structure.h"
#include "classfile/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    struct cf_class old, next;
    char *reason;
    size_t size;
};

static int same(struct cf_slice a, struct cf_slice b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

// Sets the reason, "WHAT NAMEDESCRIPTOR". Returns 0.
static int refuse(struct pair *p, const char *what, struct cf_slice name,
                  struct cf_slice descriptor) {
    snprintf(p->reason, p->size, "%s%s%.*s%.*s", what, name.length ? " " : "",
             (int)(name.length < 120 ? name.length : 120), (const char *)name.bytes,
             (int)(descriptor.length < 120 ? descriptor.length : 120),
             (const char *)descriptor.bytes);
    return 0;
}

static const struct cf_slice none = {(const uint8_t *)"", 0};

char *instr_redefine_name(const uint8_t *bytes, size_t length, char *reason, size_t size) {
    struct cf_arena arena;
    struct cf_class cls;
    char text[256], *name = NULL;
    cf_arena_init(&arena);
    if (cf_class_open(&cls, bytes, length, &arena) != CF_OK) {
        snprintf(reason, size, "not a class file: %s",
                 cf_error_text(&cls.error, text, sizeof text));
    } else {
        struct cf_slice s = cf_this_name(&cls);
        name = s.bytes && s.length ? strndup((const char *)s.bytes, s.length) : NULL;
        if (!name) snprintf(reason, size, "not a class file: it has no name");
    }
    cf_arena_free(&arena);
    return name;
}

// The class file version of the JVM, 52 for JDK 8.
static int newest_version(jvmtiEnv *jvmti) {
    char *text = NULL;
    int version = 0;
    if ((*jvmti)->GetSystemProperty(jvmti, "java.class.version", &text) == JVMTI_ERROR_NONE) {
        version = atoi(text);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)text);
    }
    return version;
}

static int check_hierarchy(struct pair *p) {
    const struct cf_class *a = &p->old, *b = &p->next;
    if (!same(cf_class_name(a, a->super_class), cf_class_name(b, b->super_class)))
        return refuse(p, "its superclass has changed to", cf_class_name(b, b->super_class), none);
    if (a->interfaces_count != b->interfaces_count)
        return refuse(p, "its interfaces have changed", none, none);
    for (uint32_t i = 0; i < a->interfaces_count; i++) {
        struct cf_slice was = cf_class_name(a, cf_be2(a->bytes + a->interfaces + 2 * i)),
                        is = cf_class_name(b, cf_be2(b->bytes + b->interfaces + 2 * i));
        if (!same(was, is))
            return refuse(p, "its interfaces or their order have changed:", is, none);
    }
    // ACC_SUPER is not a modifier (JVM TI: "class modifiers").
    if ((a->access_flags ^ b->access_flags) & ~0x0020u)
        return refuse(p, "its modifiers have changed", none, none);
    return 1;
}

struct field {
    uint16_t flags;
    struct cf_slice name, descriptor;
};

// Reads one field; returns the offset of the next.
static uint32_t read_field(const struct cf_class *cls, uint32_t at, struct field *f) {
    f->flags = (uint16_t)cf_be2(cls->bytes + at);
    f->name = cf_utf8(cls, cf_be2(cls->bytes + at + 2));
    f->descriptor = cf_utf8(cls, cf_be2(cls->bytes + at + 4));
    uint32_t attributes = cf_be2(cls->bytes + at + 6);
    at += 8;
    for (; attributes > 0; attributes--) at += 6 + cf_be4(cls->bytes + at + 2);
    return at;
}

static int check_fields(struct pair *p) {
    uint32_t at = p->old.fields, to = p->next.fields;
    if (p->old.fields_count != p->next.fields_count)
        return refuse(p, "the number of its fields has changed", none, none);
    for (uint32_t i = 0; i < p->old.fields_count; i++) {
        struct field was, is;
        at = read_field(&p->old, at, &was);
        to = read_field(&p->next, to, &is);
        if (!same(was.name, is.name) || !same(was.descriptor, is.descriptor))
            return refuse(p, "its fields or their order have changed:", is.name, none);
        if (was.flags != is.flags)
            return refuse(p, "the modifiers of a field have changed:", is.name, none);
    }
    return 1;
}

static const struct cf_member *find(const struct cf_class *in, const struct cf_class *of,
                                    const struct cf_member *m) {
    for (uint32_t i = 0; i < in->methods_count; i++)
        if (same(cf_member_name(in, &in->methods[i]), cf_member_name(of, m)) &&
            same(cf_member_descriptor(in, &in->methods[i]), cf_member_descriptor(of, m)))
            return &in->methods[i];
    return NULL;
}

static int check_methods(struct pair *p) {
    for (uint32_t i = 0; i < p->old.methods_count; i++) {
        const struct cf_member *m = &p->old.methods[i], *n = find(&p->next, &p->old, m);
        struct cf_slice name = cf_member_name(&p->old, m), d = cf_member_descriptor(&p->old, m);
        if (!n) return refuse(p, "a method was removed:", name, d);
        if (m->access_flags != n->access_flags)
            return refuse(p, "the modifiers of a method have changed:", name, d);
    }
    for (uint32_t i = 0; i < p->next.methods_count; i++) {
        const struct cf_member *m = &p->next.methods[i];
        if (!find(&p->old, &p->next, m))
            return refuse(p, "a method was added:", cf_member_name(&p->next, m),
                          cf_member_descriptor(&p->next, m));
    }
    return 1;
}

// Class attributes that may not change (JVM TI: CLASS_ATTRIBUTE_CHANGED).
static int check_attribute(struct pair *p, const char *name) {
    struct cf_slice content[2] = {none, none};
    const struct cf_class *of[] = {&p->old, &p->next};
    for (int k = 0; k < 2; k++) {
        uint32_t at = of[k]->attributes;
        for (uint32_t i = 0; i < of[k]->attributes_count; i++) {
            uint32_t length = cf_be4(of[k]->bytes + at + 2);
            if (cf_slice_is(cf_utf8(of[k], cf_be2(of[k]->bytes + at)), name, strlen(name)))
                content[k] = (struct cf_slice){of[k]->bytes + at + 6, length};
            at += 6 + length;
        }
    }
    // They refer to the constant pool: only their presence and length are compared here.
    if (content[0].length == content[1].length) return 1;
    snprintf(p->reason, p->size, "its attribute %s has changed", name);
    return 0;
}

static int check_attributes(struct pair *p) {
    static const char *const names[] = {"NestHost", "NestMembers", "Record", "PermittedSubclasses"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!check_attribute(p, names[i])) return 0;
    return 1;
}

static int check_code(struct pair *p) {
    struct cf_verify_failure failure;
    struct cf_error error;
    char text[256];
    memset(&error, 0, sizeof error);
    if (cf_check_structure(&p->next, &error) != CF_OK) {
        snprintf(p->reason, p->size, "its format is invalid: %s",
                 cf_error_text(&error, text, sizeof text));
        return 0;
    }
    if (cf_verify_class(&p->next, NULL, NULL, &failure) == CF_OK) return 1;
    snprintf(p->reason, p->size, "it does not verify: %s",
             cf_verify_text(&p->next, &failure, text, sizeof text));
    return 0;
}

int instr_redefine_check(jvmtiEnv *jvmti, const uint8_t *old, size_t old_length,
                         const uint8_t *next, size_t next_length, char *reason, size_t size) {
    struct cf_arena arena;
    struct pair p = {.reason = reason, .size = size};
    int newest = newest_version(jvmti), ok = 0;
    cf_arena_init(&arena);
    snprintf(reason, size, "cannot be read");
    if (cf_class_open(&p.old, old, old_length, &arena) == CF_OK &&
        cf_class_open(&p.next, next, next_length, &arena) == CF_OK) {
        if (newest && p.next.major_version > newest)
            snprintf(reason, size, "its class file version %u is newer than this JVM's, %d",
                     p.next.major_version, newest);
        else
            ok = check_hierarchy(&p) && check_fields(&p) && check_methods(&p) &&
                 check_attributes(&p) && check_code(&p);
    }
    cf_arena_free(&arena);
    return ok;
}
