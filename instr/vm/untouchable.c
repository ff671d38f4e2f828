#include "instr/vm/untouchable.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool instr_is_anonymous(jvmtiEnv *jvmti, jclass class, const char *name) {
    jint hash = 0;
    const char *digits = strrchr(name, '/');
    if (!digits++ || !*digits || digits[strspn(digits, "0123456789")]) return false;
    return (*jvmti)->GetObjectHashCode(jvmti, class, &hash) == JVMTI_ERROR_NONE &&
           strtoll(digits, NULL, 10) == hash;
}

static bool is_unsafe(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method) {
    char *signature = NULL;
    jclass class = NULL;
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE) return false;
    bool is = (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE &&
              strcmp(signature, "Lsun/misc/Unsafe;") == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (*jni)->DeleteLocalRef(jni, class);
    return is;
}

bool instr_makes_anonymous(jvmtiEnv *jvmti, JNIEnv *jni) {
    jvmtiFrameInfo frame;
    jint n = 0;
    char *name = NULL;
    if ((*jvmti)->GetStackTrace(jvmti, NULL, 0, 1, &frame, &n) != JVMTI_ERROR_NONE || n == 0 ||
        (*jvmti)->GetMethodName(jvmti, frame.method, &name, NULL, NULL) != JVMTI_ERROR_NONE)
        return false;
    bool is = strcmp(name, "defineAnonymousClass") == 0 && is_unsafe(jvmti, jni, frame.method);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    return is;
}

// --- interfaces ---

enum { PRIVATE = 0x0002, STATIC = 0x0008, ABSTRACT = 0x0400 }; // JVMS 4.6

enum instr_interface instr_interface_of(jvmtiEnv *jvmti, jclass class) {
    jboolean is_interface = JNI_FALSE;
    jint count = 0;
    jmethodID *methods = NULL;
    int holdable = 0, code = 0;
    if ((*jvmti)->IsInterface(jvmti, class, &is_interface) != JVMTI_ERROR_NONE || !is_interface)
        return INSTR_INTERFACE_NONE;
    if ((*jvmti)->GetClassMethods(jvmti, class, &count, &methods) != JVMTI_ERROR_NONE)
        return INSTR_INTERFACE_CODE;
    for (jint i = 0; i < count; i++) {
        jint modifiers = 0; // if this fails, the method counts as both
        (*jvmti)->GetMethodModifiers(jvmti, methods[i], &modifiers);
        holdable |= !(modifiers & (PRIVATE | STATIC));
        code |= !(modifiers & ABSTRACT);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
    if (!holdable) return INSTR_INTERFACE_NONE;
    return code ? INSTR_INTERFACE_CODE : INSTR_INTERFACE_BARE;
}

void instr_interfaces_skipped(uint64_t count, char *line, size_t size) {
    snprintf(line, size, "%" PRIu64 " interface%s skipped: " INSTR_INTERFACE_REASON, count,
             count == 1 ? "" : "s");
}

// --- the JVM's flags ---

// Opens libjvm.so, which is found by a function of the JVM's function table.
static void *open_jvm(JavaVM *vm) {
    Dl_info info;
    void *function;
    memcpy(&function, &(*vm)->DestroyJavaVM, sizeof function);
    if (!dladdr(function, &info) || !info.dli_fname) return NULL;
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

// The word that the JVM exports under this name; 0: there is none.
static uint64_t exported(void *jvm, const char *name) {
    uint64_t value = 0;
    const void *at = dlsym(jvm, name);
    if (at) memcpy(&value, at, sizeof value);
    return value;
}

// A table that the JVM exports: entries of `stride` bytes each; the last has no type.
struct table {
    const char *entries;
    uint64_t stride, type;
};

static struct table open_table(void *jvm, const char *name, const char *stride, const char *type) {
    struct table t = {.stride = exported(jvm, stride), .type = exported(jvm, type)};
    uint64_t entries = exported(jvm, name);
    if (t.stride) memcpy(&t.entries, &entries, sizeof t.entries);
    return t;
}

static const char *text_at(const char *entry, uint64_t offset) {
    const char *text;
    memcpy(&text, entry + offset, sizeof text);
    return text;
}

static uint64_t word_at(const char *entry, uint64_t offset) {
    uint64_t word;
    memcpy(&word, entry + offset, sizeof word);
    return word;
}

// The layout of the JVM's flags; all fields are needed.
struct flags {
    const char *first;
    uint64_t count, size, name, value;
    int found;
};

static void find_fields(void *jvm, struct flags *flags) {
    struct table t = open_table(jvm, "gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride",
                                "gHotSpotVMStructEntryTypeNameOffset");
    uint64_t field = exported(jvm, "gHotSpotVMStructEntryFieldNameOffset");
    uint64_t offset = exported(jvm, "gHotSpotVMStructEntryOffsetOffset");
    uint64_t address = exported(jvm, "gHotSpotVMStructEntryAddressOffset");
    for (const char *e = t.entries; e && field && offset && address; e += t.stride) {
        const char *type = text_at(e, t.type), *name = text_at(e, field);
        if (!type || !name) break;
        if (strcmp(type, "JVMFlag") != 0) continue;
        flags->found++;
        if (strcmp(name, "_name") == 0)
            flags->name = word_at(e, offset);
        else if (strcmp(name, "_addr") == 0)
            flags->value = word_at(e, offset);
        else if (strcmp(name, "flags") == 0)
            flags->first = text_at(text_at(e, address), 0);
        else if (strcmp(name, "numFlags") == 0)
            flags->count = word_at(text_at(e, address), 0);
        else
            flags->found--;
    }
}

static void find_size(void *jvm, struct flags *flags) {
    struct table t = open_table(jvm, "gHotSpotVMTypes", "gHotSpotVMTypeEntryArrayStride",
                                "gHotSpotVMTypeEntryTypeNameOffset");
    uint64_t size = exported(jvm, "gHotSpotVMTypeEntrySizeOffset");
    for (const char *e = t.entries; e && size; e += t.stride) {
        const char *type = text_at(e, t.type);
        if (!type) break;
        if (strcmp(type, "JVMFlag") == 0) flags->size = word_at(e, size);
    }
}

// The text value of a flag; NULL: not set, or there is no such flag.
static const char *flag(const struct flags *flags, const char *wanted) {
    for (uint64_t i = 0; i < flags->count; i++) {
        const char *at = flags->first + i * flags->size, *name = text_at(at, flags->name);
        if (name && strcmp(name, wanted) == 0) return text_at(text_at(at, flags->value), 0);
    }
    return NULL;
}

int instr_records_cache(JavaVM *vm) {
    struct flags flags = {0};
    void *jvm = open_jvm(vm);
    if (!jvm) return 0;
    find_fields(jvm, &flags);
    find_size(jvm, &flags);
    dlclose(jvm); // the JVM keeps its library loaded
    if (flags.found != 4 || !flags.first || flags.size == 0 || flags.count > 10000) return 0;
    const char *mode = flag(&flags, "AOTMode"), *output = flag(&flags, "AOTCacheOutput");
    if (mode && strcmp(mode, "create") == 0) return 0; // no program runs
    return (mode && strcmp(mode, "record") == 0) || (output && *output);
}
