// Retransforming loaded classes in batches.

#include "instr/retransform.h"

#include <stdio.h>
#include <string.h>

#define BATCH                                                                                      \
    500 // classes in one call: large ones cost no more in all, but each stops the VM for longer

struct batcher {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    void (*failed)(void *context, const char *name, const char *reason);
    void *context;
    jmethodID linking; // NULL: classes are not linked first
};

// Lcom/acme/Foo; -> com/acme/Foo, in place. NULL: an array or a primitive.
static char *internal_name(char *signature) {
    size_t n = strlen(signature);
    if (signature[0] != 'L' || n < 3) return NULL;
    signature[n - 1] = '\0';
    return signature + 1;
}

// The error codes of RetransformClasses (JVM TI 11.2.7), in words.
static const char *reason_of(jvmtiError error) {
    switch (error) {
    case JVMTI_ERROR_UNMODIFIABLE_CLASS: return "the JVM does not let it be changed";
    case JVMTI_ERROR_INVALID_CLASS: return "it is no class any more";
    case JVMTI_ERROR_UNSUPPORTED_VERSION: return "its version is not supported by the JVM";
    case JVMTI_ERROR_INVALID_CLASS_FORMAT: return "the JVM finds its format invalid";
    case JVMTI_ERROR_CIRCULAR_CLASS_DEFINITION: return "its definition is circular";
    case JVMTI_ERROR_FAILS_VERIFICATION: return "it fails the JVM's verification";
    case JVMTI_ERROR_NAMES_DONT_MATCH: return "another agent gave it another name";
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_ADDED:
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_DELETED:
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_SCHEMA_CHANGED:
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_HIERARCHY_CHANGED:
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_CLASS_MODIFIERS_CHANGED:
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_MODIFIERS_CHANGED:
        return "another agent changed its members when it was loaded, and not again now";
    case JVMTI_ERROR_OUT_OF_MEMORY: return "out of memory";
    case JVMTI_ERROR_WRONG_PHASE: return "the JVM is ending";
    default: return "the JVM refuses to retransform it";
    }
}

static void tell_failed(struct batcher *b, jclass cls, jvmtiError error) {
    char *signature = NULL;
    if ((*b->jvmti)->GetClassSignature(b->jvmti, cls, &signature, NULL) != JVMTI_ERROR_NONE) return;
    char *name = internal_name(signature);
    b->failed(b->context, name ? name : signature, reason_of(error));
    (*b->jvmti)->Deallocate(b->jvmti, (unsigned char *)signature);
}

static void retransform(struct batcher *b, jclass *classes, jint count) {
    if (count == 0) return;
    jvmtiError error = (*b->jvmti)->RetransformClasses(b->jvmti, count, classes);
    if ((*b->jni)->ExceptionCheck(b->jni)) (*b->jni)->ExceptionClear(b->jni);
    if (error == JVMTI_ERROR_NONE || error == JVMTI_ERROR_WRONG_PHASE) return;
    if (count == 1) {
        tell_failed(b, classes[0], error);
        return;
    }
    retransform(b, classes, count / 2);
    retransform(b, classes + count / 2, count - count / 2);
}

static int is_wanted(struct batcher *b, jclass cls,
                     int (*wanted)(void *context, JNIEnv *jni, jobject loader, const char *name)) {
    jvmtiEnv *jvmti = b->jvmti;
    jobject loader = NULL;
    char *signature = NULL;
    jboolean modifiable = JNI_FALSE;
    int yes = 0;
    if ((*jvmti)->GetClassSignature(jvmti, cls, &signature, NULL) != JVMTI_ERROR_NONE) return 0;
    char *name = internal_name(signature);
    if (name && (*jvmti)->GetClassLoader(jvmti, cls, &loader) == JVMTI_ERROR_NONE &&
        wanted(b->context, b->jni, loader, name) &&
        (*jvmti)->IsModifiableClass(jvmti, cls, &modifiable) == JVMTI_ERROR_NONE)
        yes = modifiable;
    if (loader) (*b->jni)->DeleteLocalRef(b->jni, loader);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return yes;
}

// A class that one thread retransforms while another links it can end up with broken code, or take
// the VM down (JDK-8277444). Nothing in JNI links a class and no more; of what does in passing,
// this has the fewest effects: it makes the list of the public fields.
static jmethodID find_linking(JNIEnv *jni) {
    jclass cls = (*jni)->FindClass(jni, "java/lang/Class");
    jmethodID method = NULL;
    if (cls)
        method =
            (*jni)->GetMethodID(jni, cls, "getDeclaredFields0", "(Z)[Ljava/lang/reflect/Field;");
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, cls);
    return method;
}

static void link_class(struct batcher *b, jclass cls) {
    jint status = 0;
    if (!b->linking || (*b->jvmti)->GetClassStatus(b->jvmti, cls, &status) != JVMTI_ERROR_NONE ||
        (status & JVMTI_CLASS_STATUS_PREPARED))
        return;
    jobject fields = (*b->jni)->CallObjectMethod(b->jni, cls, b->linking, JNI_TRUE);
    if ((*b->jni)->ExceptionCheck(b->jni)) (*b->jni)->ExceptionClear(b->jni); // it cannot be linked
    (*b->jni)->DeleteLocalRef(b->jni, fields);
}

void instr_retransform_loaded(jvmtiEnv *jvmti, JNIEnv *jni,
                              int (*wanted)(void *context, JNIEnv *jni, jobject loader,
                                            const char *name),
                              void (*failed)(void *context, const char *name, const char *reason),
                              void *context, int running) {
    struct batcher b = {jvmti, jni, failed, context, running ? find_linking(jni) : NULL};
    jint count = 0, chosen = 0;
    jclass *classes = NULL;
    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) != JVMTI_ERROR_NONE) return;
    // There is a local reference for each now; -Xcheck:jni wants to be told.
    if ((*jni)->EnsureLocalCapacity(jni, count + 64) != JNI_OK) (*jni)->ExceptionClear(jni);
    for (jint i = 0; i < count; i++) {
        if (is_wanted(&b, classes[i], wanted))
            classes[chosen++] = classes[i];
        else
            (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    for (jint i = 0; i < chosen; i++) link_class(&b, classes[i]);
    for (jint i = 0; i < chosen; i += BATCH)
        retransform(&b, classes + i, chosen - i < BATCH ? chosen - i : BATCH);
    for (jint i = 0; i < chosen; i++) (*jni)->DeleteLocalRef(jni, classes[i]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
}
