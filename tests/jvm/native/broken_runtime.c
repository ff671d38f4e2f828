// An agent for tests that breaks a class of the product's runtime as it is defined:
// broken_runtime=CLASS:OLD:NEW puts NEW in the place of the constant OLD of the same length, so
// that a call in there leads nowhere and throws.

#include <jvmti.h>

#include <stdlib.h>
#include <string.h>

static char class_name[256], old_text[128], new_text[128];

static int ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static void JNICALL on_class(jvmtiEnv *jvmti, JNIEnv *jni, jclass class, jobject loader,
                             const char *name, jobject domain, jint length,
                             const unsigned char *bytes, jint *new_length,
                             unsigned char **new_bytes) {
    (void)jni, (void)class, (void)loader, (void)domain;
    size_t n = strlen(old_text);
    unsigned char *copy;
    if (!name || !ends_with(name, class_name) ||
        (*jvmti)->Allocate(jvmti, length, &copy) != JVMTI_ERROR_NONE)
        return;
    memcpy(copy, bytes, (size_t)length);
    for (size_t i = 0; i + n + 3 <= (size_t)length; i++) // CONSTANT_Utf8: tag 1, u2 length, bytes
        if (copy[i] == 1 && copy[i + 1] == n >> 8 && copy[i + 2] == (n & 255) &&
            memcmp(copy + i + 3, old_text, n) == 0)
            memcpy(copy + i + 3, new_text, n);
    *new_bytes = copy;
    *new_length = length;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    jvmtiEnv *jvmti;
    jvmtiCapabilities wanted;
    jvmtiEventCallbacks callbacks;
    char *first = options ? strchr(options, ':') : NULL,
         *second = first ? strchr(first + 1, ':') : NULL;
    if (!second || second - first - 1 != (int)strlen(second + 1) || strlen(second) > 100 ||
        first - options > 200)
        return JNI_ERR;
    memcpy(class_name, options, (size_t)(first - options));
    memcpy(old_text, first + 1, (size_t)(second - first - 1));
    strcpy(new_text, second + 1);
    memset(&wanted, 0, sizeof wanted);
    memset(&callbacks, 0, sizeof callbacks);
    wanted.can_generate_all_class_hook_events = 1;
    callbacks.ClassFileLoadHook = on_class;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    return (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                              NULL) == JVMTI_ERROR_NONE
               ? JNI_OK
               : JNI_ERR;
}
