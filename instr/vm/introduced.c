// Loaders that have found the classes of the runtime.

#include "instr/vm/introduced.h"

#include "classfile/classfile.h"
#include "instr/vm/runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { KNOWN = 64, NAME_SIZE = 256 };

// Answers, for speed: most classes of a batch have the same loader and refer to the same classes.
static struct {
    pthread_mutex_t lock; // not held while Java code runs
    struct {
        jweak loader; // NULL: free
        jint hash;    // of the loader
        char name[48];
    } known[KNOWN];
    unsigned next; // to be replaced
} introduced = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_known(JNIEnv *jni, jobject loader, jint hash, const char *name) {
    bool found = false;
    pthread_mutex_lock(&introduced.lock);
    for (unsigned i = 0; i < KNOWN && !found && introduced.known[i].loader; i++)
        found = introduced.known[i].hash == hash && !strcmp(introduced.known[i].name, name) &&
                (*jni)->IsSameObject(jni, introduced.known[i].loader, loader);
    pthread_mutex_unlock(&introduced.lock);
    return found;
}

static void remember(JNIEnv *jni, jobject loader, jint hash, const char *name) {
    if (strlen(name) >= sizeof introduced.known[0].name) return;
    jweak weak = (*jni)->NewWeakGlobalRef(jni, loader);
    if (!weak) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    pthread_mutex_lock(&introduced.lock);
    unsigned at = introduced.next++ % KNOWN;
    jweak replaced = introduced.known[at].loader;
    introduced.known[at].loader = weak;
    introduced.known[at].hash = hash;
    snprintf(introduced.known[at].name, sizeof introduced.known[at].name, "%s", name);
    pthread_mutex_unlock(&introduced.lock);
    if (replaced) (*jni)->DeleteWeakGlobalRef(jni, replaced);
}

static bool introduce(jvmtiEnv *jvmti, JNIEnv *jni, jobject loader, const char *name) {
    jint hash = 0;
    if ((*jvmti)->GetObjectHashCode(jvmti, loader, &hash) != JVMTI_ERROR_NONE) return true;
    if (is_known(jni, loader, hash, name)) return true;
    if (!instr_runtime_found_by(jni, loader, name)) return false;
    remember(jni, loader, hash, name);
    return true;
}

// Is it the name of a class of the runtime? Copies it, terminated.
static bool is_of_runtime(struct cf_slice name, char copy[NAME_SIZE]) {
    const char *package = instr_runtime_current_package();
    size_t length = strlen(package);
    if (!length || name.length >= NAME_SIZE || name.length < length + 5 ||
        memcmp(name.bytes, package, length) != 0 || memcmp(name.bytes + length, "Instr", 5) != 0)
        return false;
    memcpy(copy, name.bytes, name.length);
    copy[name.length] = '\0';
    return true;
}

bool instr_introduced(jvmtiEnv *jvmti, JNIEnv *jni, jobject loader, const uint8_t *bytes,
                      size_t length, uint16_t first) {
    struct cf_arena arena;
    struct cf_class cls;
    char name[NAME_SIZE];
    bool found = true;
    if (!loader) return true; // the bootstrap loader has defined them
    cf_arena_init(&arena);
    if (cf_class_open(&cls, bytes, length, &arena) == CF_OK)
        for (uint32_t i = first; i < cls.constant_pool_count && found; i++)
            if (is_of_runtime(cf_class_name(&cls, i), name))
                found = introduce(jvmti, jni, loader, name);
    cf_arena_free(&arena);
    return found;
}
