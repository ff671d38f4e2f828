#include "instr/passes/plugin/looks.h"

#include "instr/vm/supertypes.h"

#include <string.h>

enum { UNDECIDED = 1 }; // references are even numbers

static struct {
    JavaVM *vm;
    jvmtiEnv *jvmti;
    jfieldID name; // ClassLoader.name, from JDK 9 on
} state;

uint64_t instr_plugin_note(jobject loader) {
    return (uintptr_t)loader;
}

bool instr_plugin_is_undecided(uint64_t note) {
    return note & UNDECIDED;
}

static jobject loader_of(uint64_t note) {
    return (jobject)(uintptr_t)(note & ~(uint64_t)UNDECIDED);
}

static JNIEnv *jni_of_thread(void) {
    void *jni = NULL;
    return (*state.vm)->GetEnv(state.vm, &jni, JNI_VERSION_1_6) == JNI_OK ? jni : NULL;
}

static struct cf_slice slice_of(const char *text) {
    return (struct cf_slice){(const uint8_t *)text, (uint32_t)strlen(text)};
}

// Of other classes than its supertypes a class of the bootstrap loader learns nothing: two threads could
// wait for each other's classes to be loaded.
static int is_a(uint64_t note, bool above, const char *name, const char *super) {
    struct instr_supertypes found;
    JNIEnv *jni = jni_of_thread();
    jobject loader = loader_of(note);
    if (!jni || (!loader && !above)) return INSTR_UNKNOWN;
    instr_supertypes_of_name(state.jvmti, jni, loader, slice_of(name), &found);
    int result = found.complete ? INSTR_NO : INSTR_UNKNOWN;
    for (size_t i = 0; i < found.found.count; i++)
        if (strcmp(found.found.names[i], super) == 0) result = INSTR_YES;
    instr_supertypes_close(&found);
    return result;
}

static void ask_again(uint64_t *note) {
    *note |= UNDECIDED;
}

static const char *class_of(JNIEnv *jni, jobject loader, struct cf_arena *arena) {
    char *signature = NULL;
    jclass cls = (*jni)->GetObjectClass(jni, loader);
    jvmtiError error = (*state.jvmti)->GetClassSignature(state.jvmti, cls, &signature, NULL);
    (*jni)->DeleteLocalRef(jni, cls);
    if (error != JVMTI_ERROR_NONE) return NULL;
    size_t length = strlen(signature);
    char *text = length > 2 ? cf_arena_alloc(arena, length - 1) : NULL;
    if (text) {
        memcpy(text, signature + 1, length - 2);
        text[length - 2] = '\0';
        for (char *c = text; *c; c++)
            if (*c == '/') *c = '.';
    }
    (*state.jvmti)->Deallocate(state.jvmti, (unsigned char *)signature);
    return text;
}

// ClassLoader.getName() may be overridden.
static const char *name_of(JNIEnv *jni, jobject loader, struct cf_arena *arena) {
    jstring string = state.name ? (*jni)->GetObjectField(jni, loader, state.name) : NULL;
    const char *chars = string ? (*jni)->GetStringUTFChars(jni, string, NULL) : NULL;
    char *text = chars ? cf_arena_alloc(arena, strlen(chars) + 1) : NULL;
    if (text) strcpy(text, chars);
    if (chars) (*jni)->ReleaseStringUTFChars(jni, string, chars);
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, string);
    return text;
}

static bool get_loader(uint64_t note, struct cf_arena *arena, struct instr_loader_info *info) {
    JNIEnv *jni = jni_of_thread();
    jobject loader = loader_of(note);
    if (!jni) return false;
    info->is_bootstrap = !loader;
    info->class_name = loader ? class_of(jni, loader, arena) : NULL;
    info->name = loader ? name_of(jni, loader, arena) : NULL;
    return !loader || info->class_name;
}

const struct instr_plugin_jvm *instr_plugin_looks(jvmtiEnv *jvmti, JNIEnv *jni) {
    static const struct instr_plugin_jvm looks = {is_a, ask_again, get_loader};
    if (!instr_supertypes_start(jni) || (*jni)->GetJavaVM(jni, &state.vm) != 0) return NULL;
    state.jvmti = jvmti;
    jclass loader = (*jni)->FindClass(jni, "java/lang/ClassLoader");
    state.name = loader ? (*jni)->GetFieldID(jni, loader, "name", "Ljava/lang/String;") : NULL;
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, loader);
    return &looks;
}
