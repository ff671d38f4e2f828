#include "instr/passes/kit/reads.h"
#include "classfile/classfile.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LOADERS = 16, NAME_SIZE = 1024 };

// The loaders that are asked for a class, the loader itself first; the last is the bootstrap loader.
struct reading {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    jobject module;
    jobject loaders[MOST_LOADERS];
    int count;
};

static void list_loaders(struct reading *r, jobject loader) {
    JNIEnv *jni = r->jni;
    jclass class = (*jni)->FindClass(jni, "java/lang/ClassLoader");
    jfieldID parent =
        class ? (*jni)->GetFieldID(jni, class, "parent", "Ljava/lang/ClassLoader;") : NULL;
    while (parent && loader && r->count < MOST_LOADERS - 1) {
        r->loaders[r->count++] = loader;
        loader = (*jni)->GetObjectField(jni, loader, parent);
    }
    (*jni)->ExceptionClear(jni);
    r->loaders[r->count++] = NULL;
}

// Of classes on the class path.
static void read_unnamed(const struct reading *r) {
    JNIEnv *jni = r->jni;
    jclass class = (*jni)->FindClass(jni, "java/lang/ClassLoader");
    jmethodID get =
        class ? (*jni)->GetMethodID(jni, class, "getUnnamedModule", "()Ljava/lang/Module;") : NULL;
    for (int i = 0; get && r->loaders[i]; i++) {
        jobject unnamed = (*jni)->CallObjectMethod(jni, r->loaders[i], get);
        if ((*jni)->ExceptionCheck(jni)) break;
        if (unnamed) (*r->jvmti)->AddModuleReads(r->jvmti, r->module, unnamed);
        (*jni)->DeleteLocalRef(jni, unnamed);
    }
    (*jni)->ExceptionClear(jni);
}

// The module that has the package for these loaders; the bootstrap loader's first, as loaders delegate. NULL: none with a name.
static jobject find_module(const struct reading *r, const char *package) {
    jobject module = NULL;
    for (int i = r->count - 1; i >= 0 && !module; i--)
        if ((*r->jvmti)->GetNamedModule(r->jvmti, r->loaders[i], package, &module) !=
            JVMTI_ERROR_NONE)
            module = NULL;
    return module;
}

// True: the class may be in a module without a name.
static bool read_module_of(const struct reading *r, struct cf_slice name) {
    char package[NAME_SIZE];
    if (!name.length || name.length >= sizeof package || *name.bytes == '[') return false;
    memcpy(package, name.bytes, name.length);
    package[name.length] = '\0';
    char *slash = strrchr(package, '/');
    if (!slash) return true;
    *slash = '\0';
    jobject module = find_module(r, package);
    if (!module) return true;
    if (!(*r->jni)->IsSameObject(r->jni, module, r->module))
        (*r->jvmti)->AddModuleReads(r->jvmti, r->module, module);
    (*r->jni)->DeleteLocalRef(r->jni, module);
    return false;
}

static void read_named(const struct reading *r, const struct cf_class *cls) {
    bool unnamed = false;
    for (unsigned i = 1; i < cls->constant_pool_count; i++)
        if (cf_tag_at(cls, i) == CF_TAG_CLASS)
            unnamed |= read_module_of(r, cf_class_name(cls, (uint16_t)i));
    if (unnamed) read_unnamed(r);
}

void instr_kit_read_modules(jvmtiEnv *jvmti, JNIEnv *jni, jobject loader, const char *package,
                            const uint8_t *bytes, size_t length) {
    struct reading r = {.jvmti = jvmti, .jni = jni};
    struct cf_arena arena;
    struct cf_class cls;
    char own[NAME_SIZE];
    size_t n = strlen(package);
    if ((*jni)->GetVersion(jni) < JNI_VERSION_9 || n < 2 || n > sizeof own) return;
    snprintf(own, n, "%s", package); // without the slash
    if ((*jvmti)->GetNamedModule(jvmti, loader, own, &r.module) != JVMTI_ERROR_NONE || !r.module)
        return;
    if ((*jni)->PushLocalFrame(jni, 64) != 0) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    cf_arena_init(&arena);
    list_loaders(&r, loader);
    if (cf_class_open(&cls, bytes, length, &arena) == CF_OK) read_named(&r, &cls);
    cf_arena_free(&arena);
    (*jni)->PopLocalFrame(jni, NULL);
    (*jni)->DeleteLocalRef(jni, r.module);
}
