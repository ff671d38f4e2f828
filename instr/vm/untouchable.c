#include "instr/vm/untouchable.h"

#include "instr/vm/hotspot_structs.h"

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
    snprintf(line, size,
             "%" PRIu64
             " interface%s with default or static methods skipped; see 'instr help interfaces'",
             count, count == 1 ? "" : "s");
}

// --- the JVM's flags ---

// The layout of the JVM's flags; all fields are needed.
struct flags {
    const char *first;
    uint64_t count, size, name, value;
    int found;
};

static const char *text_at(const char *at) {
    const char *text;
    memcpy(&text, at, sizeof text);
    return text;
}

static void take_field(void *context, const struct instr_hotspot_field *field) {
    struct flags *flags = context;
    if (strcmp(field->type, "JVMFlag") != 0) return;
    flags->found++;
    if (strcmp(field->name, "_name") == 0)
        flags->name = field->offset;
    else if (strcmp(field->name, "_addr") == 0)
        flags->value = field->offset;
    else if (strcmp(field->name, "flags") == 0)
        flags->first = text_at(field->address);
    else if (strcmp(field->name, "numFlags") == 0)
        memcpy(&flags->count, field->address, sizeof flags->count);
    else
        flags->found--;
}

// The text value of a flag; NULL: not set, or there is no such flag.
static const char *flag(const struct flags *flags, const char *wanted) {
    for (uint64_t i = 0; i < flags->count; i++) {
        const char *at = flags->first + i * flags->size, *name = text_at(at + flags->name);
        if (name && strcmp(name, wanted) == 0) return text_at(text_at(at + flags->value));
    }
    return NULL;
}

int instr_records_cache(JavaVM *vm) {
    struct flags flags = {0};
    instr_hotspot_each_field(vm, take_field, &flags);
    flags.size = instr_hotspot_size(vm, "JVMFlag");
    if (flags.found != 4 || !flags.first || flags.size == 0 || flags.count > 10000) return 0;
    const char *mode = flag(&flags, "AOTMode"), *output = flag(&flags, "AOTCacheOutput");
    if (mode && strcmp(mode, "create") == 0) return 0; // no program runs
    return (mode && strcmp(mode, "record") == 0) || (output && *output);
}
