#include "instr/kit/class_path.h"
#include "instr/base/array.h"
#include "instr/base/hash.h"
#include "instr/kit/jdk.h"

#include <stdio.h>
#include <stdlib.h>

struct opened {
    struct opened *next;
    char *name;
    uint8_t *bytes;
    struct cf_class cls;
};

enum { BUCKETS = 1 << 12 };

struct instr_class_path {
    struct instr_jar *jars;
    size_t jar_count, jar_capacity;
    struct instr_jdk jdk;
    bool has_jdk;
    struct opened *buckets[BUCKETS]; // also what was not found: bytes is NULL
    struct cf_arena arena;
};

struct instr_class_path *instr_class_path_new(void) {
    struct instr_class_path *path = calloc(1, sizeof *path);
    if (path) cf_arena_init(&path->arena);
    return path;
}

static void free_opened(struct opened *o) {
    free(o->name);
    free(o->bytes);
    free(o);
}

void instr_class_path_free(struct instr_class_path *path) {
    if (!path) return;
    for (size_t i = 0; i < path->jar_count; i++) instr_jar_close(&path->jars[i]);
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct opened *o = path->buckets[i], *next; o; o = next) {
            next = o->next;
            free_opened(o);
        }
    instr_jdk_close(&path->jdk);
    cf_arena_free(&path->arena);
    free(path->jars);
    free(path);
}

bool instr_class_path_add(struct instr_class_path *path, const char *jar,
                          char reason[INSTR_JAR_REASON_SIZE]) {
    if (!INSTR_ARRAY_RESERVE(path->jars, path->jar_capacity, path->jar_count + 1)) {
        strcpy(reason, "out of memory");
        return false;
    }
    if (!instr_jar_open_file(&path->jars[path->jar_count], jar, reason)) return false;
    path->jar_count++;
    return true;
}

bool instr_class_path_jdk(struct instr_class_path *path, const char *home) {
    if (path->has_jdk) instr_jdk_close(&path->jdk);
    path->has_jdk = instr_jdk_open(&path->jdk, home);
    return path->has_jdk;
}

// Where loaders find the class NAME in an archive: a jar, a .war, an executable jar of Spring Boot, a module.
static const char *const folders[] = {"", "WEB-INF/classes/", "BOOT-INF/classes/", "classes/"};

static uint8_t *read_below(const struct instr_jar *jar, const char *folder, const char *name,
                           size_t *length) {
    char *path = NULL;
    if (asprintf(&path, "%s%s", folder, name) < 0) return NULL;
    uint8_t *bytes = instr_jar_read_class(jar, path, strlen(path), length);
    free(path);
    return bytes;
}

static uint8_t *read_class(const struct instr_class_path *path, const char *name, size_t *length) {
    uint8_t *bytes = NULL;
    for (size_t i = 0; i < path->jar_count; i++)
        for (size_t k = 0; k < sizeof folders / sizeof *folders && !bytes; k++)
            bytes = read_below(&path->jars[i], folders[k], name, length);
    if (!bytes && path->has_jdk) bytes = instr_jdk_read(&path->jdk, name, strlen(name), length);
    return bytes;
}

static struct opened **bucket_of(struct instr_class_path *path, struct cf_slice name) {
    return &path->buckets[instr_hash(name.bytes, name.length, 0) % BUCKETS];
}

// What was looked for before; NULL: it was not.
static struct opened *look_up(struct instr_class_path *path, struct cf_slice name) {
    struct opened *o = *bucket_of(path, name);
    while (o && !cf_slice_is(name, o->name, strlen(o->name))) o = o->next;
    return o;
}

// The class; `bytes` is NULL if it is not found. NULL: out of memory.
static struct opened *read_opened(struct instr_class_path *path, struct cf_slice name,
                                  struct cf_arena *arena) {
    struct opened *o = calloc(1, sizeof *o);
    size_t length = 0;
    if (o) o->name = strndup((const char *)name.bytes, name.length);
    if (!o || !o->name) {
        free(o);
        return NULL;
    }
    o->bytes = read_class(path, o->name, &length);
    if (o->bytes && cf_class_open(&o->cls, o->bytes, length, arena) != CF_OK) {
        free(o->bytes);
        o->bytes = NULL;
    }
    return o;
}

// The class, looked for once. NULL: out of memory.
static struct opened *open_class(struct instr_class_path *path, struct cf_slice name) {
    struct opened *o = look_up(path, name), **bucket = bucket_of(path, name);
    if (o || !(o = read_opened(path, name, &path->arena))) return o;
    o->next = *bucket;
    *bucket = o;
    return o;
}

static bool may_be_of_jdk(struct cf_slice name) {
    static const char *const starts[] = {"java/",    "javax/",       "jdk/",        "sun/",
                                         "com/sun/", "org/w3c/dom/", "org/xml/sax/"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (name.length > strlen(starts[i]) &&
            memcmp(name.bytes, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static enum instr_kit_found find(void *context, struct cf_slice name, const struct cf_class **cls) {
    struct instr_class_path *path = context;
    struct opened *o = open_class(path, name);
    bool is_java = name.length > 5 && memcmp(name.bytes, "java/", 5) == 0;
    if (!o) return INSTR_KIT_UNKNOWN;
    if (o->bytes) {
        *cls = &o->cls;
        return INSTR_KIT_PRESENT;
    }
    if (is_java || (may_be_of_jdk(name) && !path->has_jdk))
        return path->has_jdk ? INSTR_KIT_ABSENT : INSTR_KIT_UNKNOWN;
    return path->jar_count && !instr_class_path_leads_further(path) ? INSTR_KIT_ABSENT
                                                                    : INSTR_KIT_UNKNOWN;
}

static bool is_below(const struct instr_jar_entry *e, const char *folder, const char *start) {
    size_t before = strlen(folder), length = strlen(start);
    return e->name_length > before + length && memcmp(e->name, folder, before) == 0 &&
           memcmp(e->name + before, start, length) == 0;
}

static bool has_below(void *context, const char *start) {
    const struct instr_class_path *path = context;
    for (size_t i = 0; i < path->jar_count; i++)
        for (size_t k = 0; k < path->jars[i].count; k++)
            for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
                if (is_below(&path->jars[i].entries[k], folders[f], start)) return true;
    return false;
}

struct instr_kit_world instr_class_path_world(struct instr_class_path *path) {
    return (struct instr_kit_world){find, has_below, path};
}

bool instr_class_path_leads_further(const struct instr_class_path *path) {
    for (size_t i = 0; i < path->jar_count; i++)
        if (path->jars[i].leads_further) return true;
    return false;
}

// Visits a class and frees it.
static bool visit_once(struct instr_class_path *path, struct cf_slice name,
                       bool (*visit)(void *context, const struct cf_class *cls), void *context) {
    struct cf_arena arena;
    cf_arena_init(&arena);
    struct opened *o = read_opened(path, name, &arena);
    bool more = !o || !o->bytes || visit(context, &o->cls);
    if (o) free_opened(o);
    cf_arena_free(&arena);
    return more;
}

void instr_class_path_each(struct instr_class_path *path, bool keeps,
                           bool (*wanted)(void *context, struct cf_slice name),
                           bool (*visit)(void *context, const struct cf_class *cls),
                           void *context) {
    bool more = true;
    for (size_t i = 0; i < path->jar_count && more; i++)
        for (size_t k = 0; k < path->jars[i].count && more; k++) {
            const struct instr_jar_entry *e = &path->jars[i].entries[k];
            struct cf_slice name = {(const uint8_t *)e->name, e->name_length - 6u};
            if (wanted && !wanted(context, name)) continue;
            const struct opened *o = keeps ? open_class(path, name) : look_up(path, name);
            if (o)
                more = !o->bytes || visit(context, &o->cls);
            else if (!keeps)
                more = visit_once(path, name, visit, context);
        }
}
