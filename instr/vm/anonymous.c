// anonymous.c: see anonymous.h

#include "instr/vm/anonymous.h"

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
