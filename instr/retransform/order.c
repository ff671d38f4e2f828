// Which classes are retransformed first.

#include "instr/retransform/order.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 256, DEPTH = 128, METHODS = 2048, PAUSE_US = 3000 };
enum rank { ON_STACK, APPLICATION, OTHER, APPLICATION_UNUSED, OTHER_UNUSED, RANKS };

struct active { // a class with methods on a stack
    jint hash;
    jclass class;
};

static int by_address(const void *a, const void *b) {
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    return (x > y) - (x < y);
}

static int by_hash(const void *a, const void *b) {
    const struct active *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

// Finds the methods on the stacks of threads, each once.
static size_t find_methods(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID *methods) {
    jint threads = 0;
    jthread *list = NULL;
    jvmtiStackInfo *stacks = NULL;
    size_t n = 0, different = 0;
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
    qsort(methods, n, sizeof *methods, by_address);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || methods[i] != methods[different - 1]) methods[different++] = methods[i];
    return different;
}

// Sorts the classes and drops references to the same one as far as they are neighbors.
static size_t sort_active(JNIEnv *jni, struct active *active, size_t found) {
    size_t different = 0;
    qsort(active, found, sizeof *active, by_hash);
    for (size_t i = 0; i < found; i++) {
        const struct active *last = &active[different - (different > 0)];
        if (different && last->hash == active[i].hash &&
            (*jni)->IsSameObject(jni, last->class, active[i].class))
            (*jni)->DeleteLocalRef(jni, active[i].class);
        else
            active[different++] = active[i];
    }
    return different;
}

// Finds the classes with methods on stacks, sorted.
static size_t find_active(jvmtiEnv *jvmti, JNIEnv *jni, struct active *active, int looks) {
    jmethodID *methods = malloc(METHODS * sizeof *methods);
    size_t found = 0;
    for (int look = 0; look < looks && methods; look++) {
        if (look) usleep(PAUSE_US);
        size_t n = find_methods(jvmti, jni, methods);
        for (size_t i = 0; i < n && found < METHODS; i++) {
            struct active *a = &active[found];
            if ((*jvmti)->GetMethodDeclaringClass(jvmti, methods[i], &a->class) == JVMTI_ERROR_NONE)
                found += (*jvmti)->GetObjectHashCode(jvmti, a->class, &a->hash) == JVMTI_ERROR_NONE;
        }
        found = sort_active(jni, active, found);
    }
    free(methods);
    return found;
}

static int is_active(jvmtiEnv *jvmti, JNIEnv *jni, const struct active *active, size_t count,
                     jclass class) {
    struct active key = {0, class};
    if (!count || (*jvmti)->GetObjectHashCode(jvmti, class, &key.hash) != JVMTI_ERROR_NONE)
        return 0;
    const struct active *found = bsearch(&key, active, count, sizeof *active, by_hash);
    while (found && found > active && found[-1].hash == key.hash) found--;
    for (; found && found < active + count && found->hash == key.hash; found++)
        if ((*jni)->IsSameObject(jni, found->class, class)) return 1;
    return 0;
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

static enum rank by_use(jvmtiEnv *jvmti, JNIEnv *jni, int modules, jclass class) {
    enum rank rank = by_loader(jvmti, jni, modules, class);
    if (!instr_retransform_is_unused(jvmti, class)) return rank;
    return rank == APPLICATION ? APPLICATION_UNUSED : OTHER_UNUSED;
}

static void sort(jclass *classes, jint count, const uint8_t *ranks, jclass *sorted) {
    jint n = 0;
    for (int rank = 0; rank < RANKS; rank++)
        for (jint i = 0; i < count; i++)
            if (ranks[i] == rank) sorted[n++] = classes[i];
    memcpy(classes, sorted, (size_t)count * sizeof *classes);
}

jint instr_retransform_order(jvmtiEnv *jvmti, JNIEnv *jni, jclass *classes, jint count, int looks) {
    jint on_stacks = 0;
    jclass *sorted = malloc((size_t)count * sizeof *sorted);
    uint8_t *ranks = malloc((size_t)count);
    struct active *active = malloc(METHODS * sizeof *active);
    if (sorted && ranks && active && (*jni)->PushLocalFrame(jni, METHODS + 64) == 0) {
        size_t found = find_active(jvmti, jni, active, looks);
        int modules = has_modules(jvmti);
        for (jint i = 0; i < count; i++)
            ranks[i] = is_active(jvmti, jni, active, found, classes[i])
                           ? ON_STACK
                           : (uint8_t)by_use(jvmti, jni, modules, classes[i]);
        for (jint i = 0; i < count; i++) on_stacks += ranks[i] == ON_STACK;
        sort(classes, count, ranks, sorted);
        (*jni)->PopLocalFrame(jni, NULL);
    }
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    free(sorted);
    free(ranks);
    free(active);
    return on_stacks;
}
