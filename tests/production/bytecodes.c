// An agent for tests: Many.tell writes a digest of the bytecodes of every method that the JVM has
// (JVM TI GetBytecodes), so that digests before and after can be compared. Given the name of a
// class, it replaces its bytes by bytes that every JVM refuses, whenever it is retransformed.
// Independent of the product.

#include <jvmti.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static jvmtiEnv *jvmti;

static uint64_t digest(const unsigned char *bytes, jint length) {
    uint64_t hash = 14695981039346656037u;
    for (jint i = 0; i < length; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

static int print_method(FILE *out, const char *class_name, jmethodID method) {
    char *name = NULL, *descriptor = NULL;
    unsigned char *bytes = NULL;
    jint length = 0;
    if ((*jvmti)->GetBytecodes(jvmti, method, &length, &bytes) != JVMTI_ERROR_NONE) return 0;
    if ((*jvmti)->GetMethodName(jvmti, method, &name, &descriptor, NULL) == JVMTI_ERROR_NONE) {
        fprintf(out, "%s %s%s %d %016llx\n", class_name, name, descriptor, (int)length,
                (unsigned long long)digest(bytes, length));
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
    }
    (*jvmti)->Deallocate(jvmti, bytes);
    return 1;
}

static int print_class(FILE *out, jclass class) {
    char *name = NULL;
    jmethodID *methods = NULL;
    jint count = 0, printed = 0;
    if ((*jvmti)->GetClassSignature(jvmti, class, &name, NULL) != JVMTI_ERROR_NONE) return 0;
    // Hidden classes come and go, and cannot be changed.
    if (!strchr(name, '.') &&
        (*jvmti)->GetClassMethods(jvmti, class, &count, &methods) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count; i++) printed += print_method(out, name, methods[i]);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    return printed;
}

JNIEXPORT jint JNICALL Java_Many_tell(JNIEnv *jni, jclass unused, jstring file) {
    (void)unused;
    jclass *classes = NULL;
    jint count = 0, printed = 0;
    const char *path = (*jni)->GetStringUTFChars(jni, file, NULL);
    FILE *out = path ? fopen(path, "w") : NULL;
    if (out && (*jvmti)->GetLoadedClasses(jvmti, &count, &classes) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count; i++) {
            printed += print_class(out, classes[i]);
            (*jni)->DeleteLocalRef(jni, classes[i]);
        }
        (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    }
    if (out) fclose(out);
    if (path) (*jni)->ReleaseStringUTFChars(jni, file, path);
    return printed;
}

static char broken[256];

static void JNICALL break_it(jvmtiEnv *env, JNIEnv *jni, jclass class, jobject loader,
                             const char *name, jobject domain, jint length,
                             const unsigned char *bytes, jint *new_length,
                             unsigned char **new_bytes) {
    (void)jni, (void)loader, (void)domain;
    if (!class || !name || strcmp(name, broken) != 0) return;
    *new_length = length - 1;
    if ((*env)->Allocate(env, length, new_bytes) == JVMTI_ERROR_NONE)
        memcpy(*new_bytes, bytes, (size_t)length);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    jvmtiCapabilities wanted;
    jvmtiEventCallbacks callbacks;
    memset(&wanted, 0, sizeof wanted);
    memset(&callbacks, 0, sizeof callbacks);
    snprintf(broken, sizeof broken, "%s", options ? options : "");
    wanted.can_get_bytecodes = 1;
    wanted.can_retransform_classes = *broken != 0;
    callbacks.ClassFileLoadHook = break_it;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    if (*broken &&
        ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
         (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                            NULL) != JVMTI_ERROR_NONE))
        return JNI_ERR;
    return JNI_OK;
}
