// A class around one method, for the tests of the verifier: t/T extends t/S implements t/I, with
// constants of all kinds by name.

#ifndef TESTS_VERIFY_CLASS_H
#define TESTS_VERIFY_CLASS_H

#include "tests/unit/assembler.h"

struct verify_case {
    const char *name;   // of the method, and its descriptor: "f()V"; static unless it is <init> or
                        // begins with a capital letter
    const char *limits; // "max_stack max_locals"
    const char *code;
    const char *frames;   // "L1: int Object | Throwable; L2: |"; NULL: none
    const char *handlers; // "L1 L2 L3 Throwable; L1 L2 L4 any"; NULL: none
    const char *reason;   // part of why it fails; NULL: it does not
    unsigned version;     // 0: 52
};

static inline unsigned verify_constant(struct build *b, const char *name) {
    static const struct {
        const char *name, *class_name, *member, *descriptor;
        unsigned tag;
    } members[] = {
        {"super_init", "t/S", "<init>", "()V", CF_TAG_METHODREF},
        {"this_init", "t/T", "<init>", "(I)V", CF_TAG_METHODREF},
        {"object_init", "java/lang/Object", "<init>", "()V", CF_TAG_METHODREF},
        {"string_init", "java/lang/String", "<init>", "()V", CF_TAG_METHODREF},
        {"error_init", "java/lang/Error", "<init>", "()V", CF_TAG_METHODREF},
        {"clone", "java/lang/Object", "clone", "()Ljava/lang/Object;", CF_TAG_METHODREF},
        {"array_clone", "[I", "clone", "()Ljava/lang/Object;", CF_TAG_METHODREF},
        {"hashCode", "java/lang/Object", "hashCode", "()I", CF_TAG_METHODREF},
        {"length", "java/lang/String", "length", "()I", CF_TAG_METHODREF},
        {"mixed", "t/T", "mixed", "(IJLjava/lang/String;[ID)J", CF_TAG_METHODREF},
        {"own", "t/T", "own", "()V", CF_TAG_METHODREF},
        {"nanoTime", "java/lang/System", "nanoTime", "()J", CF_TAG_METHODREF},
        {"run", "java/lang/Runnable", "run", "()V", CF_TAG_INTERFACE_METHODREF},
        {"direct", "t/I", "m", "()V", CF_TAG_INTERFACE_METHODREF},
        {"I", "t/T", "i", "I", CF_TAG_FIELDREF},
        {"J", "t/T", "j", "J", CF_TAG_FIELDREF},
        {"A", "t/T", "a", "Ljava/lang/String;", CF_TAG_FIELDREF},
        {"T_field", "t/T", "t", "Lt/T;", CF_TAG_FIELDREF},
        {"super_I", "t/S", "x", "I", CF_TAG_FIELDREF},
        {"array_field", "[I", "x", "I", CF_TAG_FIELDREF},
    };
    for (unsigned i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(members[i].name, name) == 0)
            return build_reference(b, members[i].tag, members[i].class_name, members[i].member,
                                   members[i].descriptor);
    return 0;
}

static const char *const verify_members[] = {
    "super_init", "this_init",   "object_init", "string_init", "error_init",
    "clone",      "array_clone", "hashCode",    "length",      "mixed",
    "own",        "nanoTime",    "run",         "direct",      "I",
    "J",          "A",           "super_I",     "array_field", "T_field",
};
static const struct {
    const char *name, *class_name;
} verify_classes[] = {
    {"T", "t/T"},
    {"S", "t/S"},
    {"Object", "java/lang/Object"},
    {"String", "java/lang/String"},
    {"Throwable", "java/lang/Throwable"},
    {"Error", "java/lang/Error"},
    {"Integer", "java/lang/Integer"},
    {"Runnable", "java/lang/Runnable"},
    {"Cloneable", "java/lang/Cloneable"},
    {"ints", "[I"},
    {"bytes", "[B"},
    {"objects", "[Ljava/lang/Object;"},
    {"strings", "[Ljava/lang/String;"},
    {"longs2", "[[J"},
};

enum { VERIFY_NAMES = 64 };

struct verify_class {
    struct build b;
    struct assembler_name names[VERIFY_NAMES];
    unsigned names_count;
    struct assembler a;
};

static inline void verify_add_name(struct verify_class *c, const char *name, unsigned index) {
    struct assembler_name n = {name, index};
    c->names[c->names_count++] = n;
}

static inline void verify_constants(struct verify_class *c, unsigned version) {
    struct build *b = &c->b;
    verify_add_name(c, "#int", build_constant(b, CF_TAG_INTEGER, 7, 4));
    verify_add_name(c, "#float", build_constant(b, CF_TAG_FLOAT, 7, 4));
    verify_add_name(c, "#long", build_constant(b, CF_TAG_LONG, 7, 8));
    verify_add_name(c, "#double", build_constant(b, CF_TAG_DOUBLE, 7, 8));
    verify_add_name(c, "#string", build_named(b, CF_TAG_STRING, "s"));
    for (unsigned i = 0; i < sizeof verify_classes / sizeof *verify_classes; i++)
        verify_add_name(c, verify_classes[i].name, build_class(b, verify_classes[i].class_name));
    for (unsigned i = 0; i < sizeof verify_members / sizeof *verify_members; i++)
        verify_add_name(c, verify_members[i], verify_constant(b, verify_members[i]));
    // A method, and its descriptor alone, which is no method.
    unsigned descriptor = build_utf8(b, "()V"), name = build_utf8(b, "described");
    unsigned pair = build_constant(b, CF_TAG_NAME_AND_TYPE, name << 16 | descriptor, 4);
    unsigned method = build_constant(b, CF_TAG_METHODREF, build_class(b, "t/T") << 16 | pair, 4);
    verify_add_name(c, "#descriptor", descriptor);
    verify_add_name(c, "#described", method);
    if (version < 51) return;
    verify_add_name(c, "#type", build_named(b, CF_TAG_METHOD_TYPE, "()V"));
    verify_add_name(c, "#handle",
                    build_method_handle(b, 6, (unsigned)assembler_value(&c->a, "nanoTime")));
    verify_add_name(c, "#indy", build_dynamic(b, CF_TAG_INVOKE_DYNAMIC, 0, "call", "(I)J"));
    if (version < 55) return;
    verify_add_name(c, "#condy",
                    build_dynamic(b, CF_TAG_DYNAMIC, 0, "value", "Ljava/lang/String;"));
    verify_add_name(c, "#condyJ", build_dynamic(b, CF_TAG_DYNAMIC, 0, "value", "J"));
}

// --- frames ---

static inline void verify_type(struct verify_class *c, const char *word) {
    static const char *const simple[] = {"top", "int", "float", "double", "long", "null", "this"};
    for (unsigned i = 0; i < sizeof simple / sizeof *simple; i++)
        if (strcmp(word, simple[i]) == 0) {
            build_u1(&c->b, i);
            return;
        }
    int is_new = strncmp(word, "new@", 4) == 0;
    build_u1(&c->b, is_new ? 8 : 7);
    build_u2(&c->b, (unsigned)assembler_value(&c->a, is_new ? word + 4 : word));
}

// Full frames only: the other forms are in real classes.
static inline void verify_frames(struct verify_class *c, const char *text) {
    char copy[500], *rest, *frame_rest = copy;
    size_t place = build_attribute(&c->b, "StackMapTable"), count = c->b.body.length;
    unsigned frames = 0;
    long last = -1;
    build_u2(&c->b, 0);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *f = strtok_r(copy, ";", &frame_rest); f; f = strtok_r(NULL, ";", &frame_rest)) {
        char *label = strtok_r(f, ": ", &rest);
        long pc = assembler_value(&c->a, label);
        build_u1(&c->b, 255);
        build_u2(&c->b, (unsigned)(pc - last - 1));
        size_t counted = c->b.body.length;
        unsigned types = 0;
        build_u2(&c->b, 0);
        for (char *word = strtok_r(NULL, " :", &rest); word; word = strtok_r(NULL, " ", &rest)) {
            if (*word == '|') {
                cf_put2(c->b.body.bytes + counted, types);
                counted = c->b.body.length;
                types = 0;
                build_u2(&c->b, 0);
                continue;
            }
            verify_type(c, word);
            types++;
        }
        cf_put2(c->b.body.bytes + counted, types);
        last = pc;
        frames++;
    }
    cf_put2(c->b.body.bytes + count, frames);
    build_end(&c->b, place);
}

static inline void verify_handlers(struct verify_class *c, const char *text) {
    char copy[500], *rest, *next = copy;
    size_t count = c->b.body.length;
    unsigned handlers = 0;
    build_u2(&c->b, 0);
    snprintf(copy, sizeof copy, "%s", text ? text : "");
    for (char *h = strtok_r(copy, ";", &next); h; h = strtok_r(NULL, ";", &next)) {
        char *word = strtok_r(h, " ", &rest);
        for (int i = 0; i < 4; i++, word = strtok_r(NULL, " ", &rest))
            build_u2(&c->b, i == 3 && strcmp(word, "any") == 0
                                ? 0u
                                : (unsigned)assembler_value(&c->a, word));
        handlers++;
    }
    cf_put2(c->b.body.bytes + count, handlers);
}

// --- the class ---

static inline void verify_bootstrap(struct verify_class *c) {
    struct build *b = &c->b;
    size_t place = build_attribute(b, "BootstrapMethods");
    unsigned handle = build_method_handle(
        b, 6, build_reference(b, CF_TAG_METHODREF, "t/T", "boot", "()Ljava/lang/Object;"));
    build_u2(b, 1), build_u2(b, handle), build_u2(b, 0);
    build_end(b, place);
}

static inline void verify_fields(struct build *b) {
    build_u2(b, 4);
    build_member(b, 0, "t", "Lt/T;", 0);
    build_member(b, 0, "i", "I", 0);
    build_member(b, 0, "j", "J", 0);
    build_member(b, 0, "a", "Ljava/lang/String;", 0);
}

// The class file, to be freed by the caller.
static inline uint8_t *verify_build(const struct verify_case *t, size_t *length) {
    static struct verify_class storage;
    struct verify_class *c = &storage;
    struct build *b = &c->b;
    unsigned version = t->version ? t->version : 52, max_stack = 0, max_locals = 0;
    char name[40];
    const char *descriptor = strchr(t->name, '(');
    memset(c, 0, sizeof *c);
    c->a.names = c->names;
    b->constants = 1;
    b->major_version = version;
    build_u2(b, CF_ACC_PUBLIC | 0x20);
    build_u2(b, build_class(b, "t/T"));
    build_u2(b, build_class(b, "t/S"));
    build_u2(b, 1), build_u2(b, build_class(b, "t/I"));
    verify_constants(c, version);
    verify_fields(b);
    build_u2(b, 1);
    snprintf(name, sizeof name, "%.*s", (int)(descriptor - t->name), t->name);
    int is_static = *name != '<' && (*name < 'A' || *name > 'Z');
    build_member(b, is_static ? CF_ACC_STATIC : 0, name, descriptor, 1);
    sscanf(t->limits, "%u %u", &max_stack, &max_locals);
    struct build_bytes code = assemble(&c->a, t->code);
    size_t place = build_code(b, max_stack, max_locals, code.bytes, code.length);
    free(code.bytes);
    verify_handlers(c, t->handlers);
    build_u2(b, t->frames != NULL);
    if (t->frames) verify_frames(c, t->frames);
    build_end(b, place);
    build_u2(b, version >= 51);
    if (version >= 51) verify_bootstrap(c);
    return build_finish(b, length);
}

#endif
