// Which classes are retransformed first.

#include "instr/retransform/order.h"

#include "instr/retransform/compiled.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    THREADS = 256,
    DEPTH = 128,
    METHODS = 2048, // on the stacks
    LOOKS = 8,      // at stacks, if thorough: they find what is in use all the time
    PAUSE_US = 3000,
    CLASSES = 1 << 14, // in a set
    CHUNK = 1024       // references that are kept until repeated ones are dropped
};
enum rank { ON_STACK, APPLICATION, OTHER, APPLICATION_UNUSED, OTHER_UNUSED, RANKS };

struct member {
    jint hash;
    jclass class;
};

// A set of classes: sorted by hash, except for those that were added last.
struct class_set {
    struct member *members; // CLASSES of them
    size_t count, sorted;
};

// What is known of the use of classes.
struct use {
    struct class_set on_stacks, compiled;
    bool knows_compiled;
};

static int by_hash(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

// Is it among the members from `from` on that have the hash of members[from]?
static bool is_among(JNIEnv *jni, const struct member *members, size_t from, size_t to,
                     jclass class) {
    jint hash = members[from].hash;
    for (size_t i = from; i < to && members[i].hash == hash; i++)
        if ((*jni)->IsSameObject(jni, members[i].class, class)) return true;
    return false;
}

// Sorts the set and drops what is in it twice.
static void sort_set(JNIEnv *jni, struct class_set *set) {
    struct member *members = set->members;
    size_t different = 0, first = 0; // `first`: of those with the same hash
    qsort(members, set->count, sizeof *members, by_hash);
    for (size_t i = 0; i < set->count; i++) {
        if (different && members[first].hash != members[i].hash) first = different;
        if (different > first && members[first].hash == members[i].hash &&
            is_among(jni, members, first, different, members[i].class))
            (*jni)->DeleteLocalRef(jni, members[i].class);
        else
            members[different++] = members[i];
    }
    set->count = set->sorted = different;
}

// Adds the class of the method.
static void add_class(jvmtiEnv *jvmti, JNIEnv *jni, struct class_set *set, jmethodID method) {
    struct member *m = &set->members[set->count];
    if (set->count == CLASSES ||
        (*jvmti)->GetMethodDeclaringClass(jvmti, method, &m->class) != JVMTI_ERROR_NONE)
        return;
    if ((*jvmti)->GetObjectHashCode(jvmti, m->class, &m->hash) != JVMTI_ERROR_NONE) {
        (*jni)->DeleteLocalRef(jni, m->class);
        return;
    }
    if (++set->count >= set->sorted + CHUNK || set->count == CLASSES) sort_set(jni, set);
}

static bool is_member(jvmtiEnv *jvmti, JNIEnv *jni, const struct class_set *set, jclass class) {
    struct member key = {0, class};
    if (!set->count || (*jvmti)->GetObjectHashCode(jvmti, class, &key.hash) != JVMTI_ERROR_NONE)
        return false;
    const struct member *found =
        bsearch(&key, set->members, set->count, sizeof *set->members, by_hash);
    while (found && found > set->members && found[-1].hash == key.hash) found--;
    return found && is_among(jni, set->members, (size_t)(found - set->members), set->count, class);
}

// Finds the methods on the stacks of threads, each once.
static size_t find_methods(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID *methods) {
    jint threads = 0;
    jthread *list = NULL;
    jvmtiStackInfo *stacks = NULL;
    size_t n = 0;
    if ((*jvmti)->GetAllThreads(jvmti, &threads, &list) != JVMTI_ERROR_NONE) return 0;
    jint looked_at = threads < THREADS ? threads : THREADS;
    if ((*jvmti)->GetThreadListStackTraces(jvmti, looked_at, list, DEPTH, &stacks) !=
        JVMTI_ERROR_NONE)
        looked_at = 0;
    for (jint i = 0; i < looked_at; i++)
        for (jint k = 0; k < stacks[i].frame_count && n < METHODS; k++)
            methods[n++] = stacks[i].frame_buffer[k].method;
    for (jint i = 0; i < threads; i++) (*jni)->DeleteLocalRef(jni, list[i]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)stacks);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)list);
    return instr_methods_sort(methods, n);
}

static void find_on_stacks(jvmtiEnv *jvmti, JNIEnv *jni, struct class_set *set, int looks) {
    jmethodID *methods = malloc(METHODS * sizeof *methods);
    for (int look = 0; look < looks && methods; look++) {
        if (look) usleep(PAUSE_US);
        size_t n = find_methods(jvmti, jni, methods);
        for (size_t i = 0; i < n; i++) add_class(jvmti, jni, set, methods[i]);
    }
    free(methods);
    sort_set(jni, set);
}

// False: the JVM does not say what it has compiled.
static bool find_compiled(jvmtiEnv *jvmti, JNIEnv *jni, struct class_set *set) {
    jmethodID *methods;
    size_t n = instr_compiled_methods(jni, &methods);
    for (size_t i = 0; i < n; i++) add_class(jvmti, jni, set, methods[i]);
    free(methods);
    sort_set(jni, set);
    return n > 0 && set->count < CLASSES;
}

static int has_modules(jvmtiEnv *jvmti) {
    jint version = 0;
    return (*jvmti)->GetVersionNumber(jvmti, &version) == JVMTI_ERROR_NONE &&
           (version & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR >= 9;
}

// Is the class in a named module? Classes of the JDK are, even those of the application loader.
static int is_in_module(jvmtiEnv *jvmti, JNIEnv *jni, jobject loader, jclass class) {
    char *signature = NULL;
    jobject module = NULL;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE) return 0;
    char *slash = strrchr(signature, '/');
    if (signature[0] == 'L' && slash) {
        *slash = '\0'; // Lcom/acme/Foo; -> com/acme
        if ((*jvmti)->GetNamedModule(jvmti, loader, signature + 1, &module) != JVMTI_ERROR_NONE)
            module = NULL;
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    if (module) (*jni)->DeleteLocalRef(jni, module);
    return module != NULL;
}

bool instr_retransform_is_unused(jvmtiEnv *jvmti, jclass class) {
    jint status = 0;
    return (*jvmti)->GetClassStatus(jvmti, class, &status) == JVMTI_ERROR_NONE &&
           !(status & JVMTI_CLASS_STATUS_INITIALIZED);
}

static enum rank by_loader(jvmtiEnv *jvmti, JNIEnv *jni, int modules, jclass class) {
    jobject loader = NULL;
    if ((*jvmti)->GetClassLoader(jvmti, class, &loader) != JVMTI_ERROR_NONE || !loader)
        return OTHER;
    enum rank rank = modules && is_in_module(jvmti, jni, loader, class) ? OTHER : APPLICATION;
    (*jni)->DeleteLocalRef(jni, loader);
    return rank;
}

static enum rank rank_of(jvmtiEnv *jvmti, JNIEnv *jni, const struct use *use, int modules,
                         jclass class) {
    if (is_member(jvmti, jni, &use->on_stacks, class)) return ON_STACK;
    enum rank rank = by_loader(jvmti, jni, modules, class);
    bool unused = use->knows_compiled ? !is_member(jvmti, jni, &use->compiled, class)
                                      : instr_retransform_is_unused(jvmti, class);
    if (!unused) return rank;
    return rank == APPLICATION ? APPLICATION_UNUSED : OTHER_UNUSED;
}

// Sorts the classes by rank. `ranks` has room for as many, and so has `sorted`.
static struct instr_order sort(jclass *classes, jint count, const uint8_t *ranks, jclass *sorted) {
    struct instr_order order = {0, 0};
    jint n = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        for (jint i = 0; i < count; i++)
            if (ranks[i] == rank) sorted[n++] = classes[i];
        if (rank == ON_STACK) order.on_stacks = n;
        if (rank == OTHER) order.used = n;
    }
    memcpy(classes, sorted, (size_t)count * sizeof *classes);
    return order;
}

struct instr_order instr_retransform_order(jvmtiEnv *jvmti, JNIEnv *jni, jclass *classes,
                                           jint count, bool thorough) {
    struct instr_order order = {0, count};
    struct use use = {0};
    jclass *sorted = malloc((size_t)count * sizeof *sorted);
    uint8_t *ranks = malloc((size_t)count);
    use.on_stacks.members = malloc(CLASSES * sizeof *use.on_stacks.members);
    use.compiled.members = thorough ? malloc(CLASSES * sizeof *use.compiled.members) : NULL;
    if (sorted && ranks && use.on_stacks.members && (use.compiled.members || !thorough) &&
        (*jni)->PushLocalFrame(jni, (thorough ? 2 * CLASSES : METHODS) + 64) == 0) {
        find_on_stacks(jvmti, jni, &use.on_stacks, thorough ? LOOKS : 1);
        use.knows_compiled = thorough && find_compiled(jvmti, jni, &use.compiled);
        int modules = has_modules(jvmti);
        for (jint i = 0; i < count; i++)
            ranks[i] = (uint8_t)rank_of(jvmti, jni, &use, modules, classes[i]);
        order = sort(classes, count, ranks, sorted);
        (*jni)->PopLocalFrame(jni, NULL);
    }
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    free(sorted);
    free(ranks);
    free(use.on_stacks.members);
    free(use.compiled.members);
    return order;
}
