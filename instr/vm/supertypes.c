// Names are stored once, for as long as the JVM runs. A table has the supertypes of loaded classes, by
// a hash of name and loader; callers get copies, so the table can be emptied when it is too large. The
// lock is not held while the JVM is asked.

#include "instr/vm/supertypes.h"

#include "classfile/classfile.h"
#include "instr/base/array.h"
#include "instr/base/hash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_CLASSES = 200000, // in the table
    DEEPEST = 500,         // supertypes above each other
    NAME_SIZE = 1024
};

struct name {
    uint64_t hash;
    const char *text; // NULL: free
};

// A class as a loader sees it.
struct node {
    uint64_t key; // 0: free
    uint32_t count;
    const char *
        *names; // the class and all its supertypes; none: the loader does not have the class
};

static struct {
    pthread_mutex_t lock;
    struct name *names;
    size_t name_count, name_size; // sizes are powers of 2
    struct node *nodes;
    size_t node_count, node_size;
    struct cf_arena texts, lists;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Of the JVM; set once.
static struct {
    jclass meta;           // java.lang.Class
    jmethodID for_name;    // Class.forName(String, boolean, ClassLoader)
    jmethodID interfaces;  // Class.getInterfaces0()
    jmethodID find_loaded; // ClassLoader.findLoadedClass0(String)
} jvm;

bool instr_supertypes_start(JNIEnv *jni) {
    if (jvm.meta) return true;
    cf_arena_init(&table.texts);
    cf_arena_init(&table.lists);
    jclass meta = (*jni)->FindClass(jni, "java/lang/Class");
    jclass loader = meta ? (*jni)->FindClass(jni, "java/lang/ClassLoader") : NULL;
    if (loader)
        jvm.for_name = (*jni)->GetStaticMethodID(
            jni, meta, "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
    if (jvm.for_name)
        jvm.interfaces = (*jni)->GetMethodID(jni, meta, "getInterfaces0", "()[Ljava/lang/Class;");
    if (jvm.interfaces)
        jvm.find_loaded = (*jni)->GetMethodID(jni, loader, "findLoadedClass0",
                                              "(Ljava/lang/String;)Ljava/lang/Class;");
    if (jvm.find_loaded) jvm.meta = (*jni)->NewGlobalRef(jni, meta);
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, loader);
    (*jni)->DeleteLocalRef(jni, meta);
    return jvm.meta != NULL;
}

// --- the table; with the lock ---

static bool grow_names(void) {
    size_t size = table.name_size ? 2 * table.name_size : 1024;
    struct name *names = calloc(size, sizeof *names);
    if (!names) return false;
    for (size_t i = 0; i < table.name_size; i++) {
        if (!table.names[i].text) continue;
        size_t k = table.names[i].hash & (size - 1);
        while (names[k].text) k = (k + 1) & (size - 1);
        names[k] = table.names[i];
    }
    free(table.names);
    table.names = names;
    table.name_size = size;
    return true;
}

// The name as it is stored. NULL: out of memory.
static const char *stored(struct cf_slice name) {
    uint64_t hash = instr_hash(name.bytes, name.length, 0);
    if (2 * table.name_count >= table.name_size && !grow_names()) return NULL;
    size_t i = hash & (table.name_size - 1);
    for (; table.names[i].text; i = (i + 1) & (table.name_size - 1))
        if (table.names[i].hash == hash &&
            cf_slice_is(name, table.names[i].text, strlen(table.names[i].text)))
            return table.names[i].text;
    char *text = cf_arena_alloc(&table.texts, (size_t)name.length + 1);
    if (!text) return NULL;
    memcpy(text, name.bytes, name.length);
    text[name.length] = '\0';
    table.names[i] = (struct name){hash, text};
    table.name_count++;
    return text;
}

static void forget_nodes(void) {
    free(table.nodes);
    table.nodes = NULL;
    table.node_count = table.node_size = 0;
    cf_arena_free(&table.lists);
}

static bool grow_nodes(void) {
    size_t size = table.node_size ? 2 * table.node_size : 1024;
    struct node *nodes = calloc(size, sizeof *nodes);
    if (!nodes) return false;
    for (size_t i = 0; i < table.node_size; i++) {
        if (!table.nodes[i].key) continue;
        size_t k = table.nodes[i].key & (size - 1);
        while (nodes[k].key) k = (k + 1) & (size - 1);
        nodes[k] = table.nodes[i];
    }
    free(table.nodes);
    table.nodes = nodes;
    table.node_size = size;
    return true;
}

// NULL: it is not there.
static const struct node *node_of(uint64_t key) {
    size_t i = key & (table.node_size - 1);
    if (!table.node_size) return NULL;
    while (table.nodes[i].key && table.nodes[i].key != key) i = (i + 1) & (table.node_size - 1);
    return table.nodes[i].key ? &table.nodes[i] : NULL;
}

static void add_node(uint64_t key, const char *const *names, size_t count) {
    if (table.node_count >= MOST_CLASSES) forget_nodes();
    if (node_of(key) || (2 * table.node_count >= table.node_size && !grow_nodes())) return;
    const char **list = cf_arena_alloc(&table.lists, (count + 1) * sizeof *list);
    if (!list) return;
    if (count) memcpy(list, names, count * sizeof *list);
    size_t i = key & (table.node_size - 1);
    while (table.nodes[i].key) i = (i + 1) & (table.node_size - 1);
    table.nodes[i] = (struct node){key, (uint32_t)count, list};
    table.node_count++;
}

// --- lists ---

// Adds a stored name that is not there yet.
static void add(struct instr_supertypes *to, const char *name) {
    for (size_t i = 0; i < to->found.count; i++)
        if (to->found.names[i] == name) return;
    if (!name || !INSTR_ARRAY_RESERVE(to->names, to->capacity, to->found.count + 1)) {
        to->complete = false;
        return;
    }
    to->names[to->found.count++] = name;
    to->found.names = to->names;
}

// The same for names of which none is twice.
static void add_list(struct instr_supertypes *to, const char *const *names, size_t count) {
    if (to->found.count > 0 || !INSTR_ARRAY_RESERVE(to->names, to->capacity, count)) {
        for (size_t i = 0; i < count; i++) add(to, names[i]);
        return;
    }
    if (count) memcpy(to->names, names, count * sizeof *names);
    to->found = (struct rw_supertypes){to->names, count};
}

// Puts the name of a class that is being loaded first. It is none of its supertypes' names.
static void put_own(struct instr_supertypes *to, struct cf_slice name) {
    to->own = malloc((size_t)name.length + 1);
    if (!to->own || !INSTR_ARRAY_RESERVE(to->names, to->capacity, to->found.count + 1)) {
        to->complete = false;
        return;
    }
    if (name.length) memcpy(to->own, name.bytes, name.length);
    to->own[name.length] = '\0';
    memmove(to->names + 1, to->names, to->found.count * sizeof *to->names);
    to->names[0] = to->own;
    to->found = (struct rw_supertypes){to->names, to->found.count + 1};
}

static void add_name(struct instr_supertypes *to, struct cf_slice name) {
    pthread_mutex_lock(&table.lock);
    const char *text = stored(name);
    pthread_mutex_unlock(&table.lock);
    add(to, text);
}

static void add_all(struct instr_supertypes *to, const struct instr_supertypes *more) {
    add_list(to, more->found.names, more->found.count);
    if (!more->complete) to->complete = false;
}

enum known { KNOWN, ABSENT, UNKNOWN };

static enum known add_known(struct instr_supertypes *to, uint64_t key) {
    pthread_mutex_lock(&table.lock);
    const struct node *node = node_of(key);
    enum known known = !node ? UNKNOWN : node->count ? KNOWN : ABSENT;
    if (known == KNOWN) add_list(to, node->names, node->count);
    pthread_mutex_unlock(&table.lock);
    return known;
}

static void remember(uint64_t key, const struct instr_supertypes *list) {
    if (!list->complete) return;
    pthread_mutex_lock(&table.lock);
    add_node(key, list->found.names, list->found.count);
    pthread_mutex_unlock(&table.lock);
}

void instr_supertypes_close(struct instr_supertypes *supertypes) {
    free(supertypes->names);
    free(supertypes->own);
    *supertypes = (struct instr_supertypes){.complete = false};
}

// --- the JVM ---

struct looking {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
};

static uint64_t key_of(const struct looking *l, jobject loader, struct cf_slice name) {
    jint hash = 0;
    if (loader && (*l->jvmti)->GetObjectHashCode(l->jvmti, loader, &hash) != JVMTI_ERROR_NONE)
        hash = 0;
    uint64_t key = instr_hash(name.bytes, name.length, loader ? (uint32_t)hash + UINT64_C(1) : 0);
    return key + (key == 0);
}

static void add_class(const struct looking *l, struct instr_supertypes *to, jclass cls,
                      unsigned depth);

static void add_interfaces(const struct looking *l, struct instr_supertypes *to, jclass cls,
                           unsigned depth) {
    JNIEnv *jni = l->jni;
    jobjectArray all = (*jni)->CallObjectMethod(jni, cls, jvm.interfaces);
    if ((*jni)->ExceptionCheck(jni)) {
        (*jni)->ExceptionClear(jni);
        to->complete = false;
        return;
    }
    jsize count = all ? (*jni)->GetArrayLength(jni, all) : 0;
    for (jsize i = 0; i < count; i++) {
        jclass one = (*jni)->GetObjectArrayElement(jni, all, i);
        add_class(l, to, one, depth + 1);
        (*jni)->DeleteLocalRef(jni, one);
    }
    (*jni)->DeleteLocalRef(jni, all);
}

static void look_up(const struct looking *l, struct instr_supertypes *to, jclass cls,
                    struct cf_slice name, uint64_t key, unsigned depth) {
    struct instr_supertypes own = {.complete = true};
    jclass above = (*l->jni)->GetSuperclass(l->jni, cls);
    add_name(&own, name);
    if (above) add_class(l, &own, above, depth + 1);
    (*l->jni)->DeleteLocalRef(l->jni, above);
    add_interfaces(l, &own, cls, depth);
    remember(key, &own);
    add_all(to, &own);
    instr_supertypes_close(&own);
}

// Adds a loaded class and its supertypes.
static void add_class(const struct looking *l, struct instr_supertypes *to, jclass cls,
                      unsigned depth) {
    char *signature = NULL;
    jobject loader = NULL;
    if (depth == DEEPEST ||
        (*l->jvmti)->GetClassSignature(l->jvmti, cls, &signature, NULL) != JVMTI_ERROR_NONE) {
        to->complete = false;
        return;
    }
    size_t length = strlen(signature);
    struct cf_slice name = {(const uint8_t *)signature + 1,
                            (uint32_t)(length > 2 ? length - 2 : 0)};
    if ((*l->jvmti)->GetClassLoader(l->jvmti, cls, &loader) != JVMTI_ERROR_NONE) loader = NULL;
    uint64_t key = key_of(l, loader, name);
    (*l->jni)->DeleteLocalRef(l->jni, loader);
    if (add_known(to, key) != KNOWN) look_up(l, to, cls, name, key, depth);
    (*l->jvmti)->Deallocate(l->jvmti, (unsigned char *)signature);
}

// The name with dots as a string of Java. NULL: it is too long, or there is no memory.
static jstring dotted(JNIEnv *jni, struct cf_slice name) {
    char text[NAME_SIZE];
    if (name.length >= sizeof text) return NULL;
    memcpy(text, name.bytes, name.length);
    text[name.length] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '/') *c = '.';
    jstring string = (*jni)->NewStringUTF(jni, text);
    (*jni)->ExceptionClear(jni);
    return string;
}

// The class of that name that the loader has. The bootstrap loader is asked to load it, which it does for a class
// of its own in the next moment. NULL: it has none.
static jclass find(JNIEnv *jni, jobject loader, struct cf_slice name) {
    jstring text = dotted(jni, name);
    if (!text) return NULL;
    jclass found =
        loader ? (*jni)->CallObjectMethod(jni, loader, jvm.find_loaded, text)
               : (*jni)->CallStaticObjectMethod(jni, jvm.meta, jvm.for_name, text, JNI_FALSE, NULL);
    if ((*jni)->ExceptionCheck(jni)) found = NULL;
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, text);
    return found;
}

// Adds what the loader sees under the name. False: it does not have it.
static bool add_found(const struct looking *l, struct instr_supertypes *to, jobject loader,
                      struct cf_slice name) {
    uint64_t key = key_of(l, loader, name);
    enum known known = add_known(to, key);
    if (known != UNKNOWN) return known == KNOWN;
    jclass cls = find(l->jni, loader, name);
    struct instr_supertypes seen = {.complete = true};
    if (cls) add_class(l, &seen, cls, 0);
    if (cls || !loader) remember(key, &seen); // the bootstrap loader lacks it: that stays
    add_all(to, &seen);
    instr_supertypes_close(&seen);
    (*l->jni)->DeleteLocalRef(l->jni, cls);
    return cls != NULL;
}

static void add_above(const struct looking *l, struct instr_supertypes *to, jobject loader,
                      struct cf_slice name) {
    static const char jdk[] = "java/";
    bool of_jdk = name.length > sizeof jdk && memcmp(name.bytes, jdk, sizeof jdk - 1) == 0;
    if (add_found(l, to, loader, name) || (loader && of_jdk && add_found(l, to, NULL, name)))
        return;
    add_name(to, name);
    to->complete = false;
}

void instr_supertypes_of_bytes(jvmtiEnv *jvmti, JNIEnv *jni, jobject loader, const uint8_t *bytes,
                               size_t length, struct instr_supertypes *result) {
    const struct looking l = {jvmti, jni};
    struct cf_arena arena;
    struct cf_class cls;
    *result = (struct instr_supertypes){.complete = true};
    cf_arena_init(&arena);
    if (cf_class_open_head(&cls, bytes, length, &arena) == CF_OK) {
        for (unsigned i = 0; i <= cls.interfaces_count; i++) {
            unsigned at = i ? cf_be2(bytes + cls.interfaces + 2 * (i - 1)) : cls.super_class;
            struct cf_slice name = cf_class_name(&cls, at);
            if (name.bytes) add_above(&l, result, loader, name);
        }
        put_own(result, cf_this_name(&cls));
    }
    cf_arena_free(&arena);
}

void instr_supertypes_of_class(jvmtiEnv *jvmti, JNIEnv *jni, jclass cls,
                               struct instr_supertypes *result) {
    const struct looking l = {jvmti, jni};
    *result = (struct instr_supertypes){.complete = true};
    add_class(&l, result, cls, 0);
}

void instr_supertypes_of_name(jvmtiEnv *jvmti, JNIEnv *jni, jobject loader, struct cf_slice name,
                              struct instr_supertypes *result) {
    const struct looking l = {jvmti, jni};
    *result = (struct instr_supertypes){.complete = true};
    add_above(&l, result, loader, name);
}
