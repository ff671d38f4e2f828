// An agent for the soak that does what every agent must do to report where a JVM allocates objects
// itself (reflection, clone, native methods): it asks for the stack each time, and does nothing
// else. Up to JDK 25 this costs the JVM some 180 bytes for each class loader with a method on such
// a stack, which it never frees (JDK-8268406). Independent of the product.

#include <jvmti.h>

#include <string.h>

enum { FRAMES = 8 };

static void JNICALL on_allocation(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                                  jclass class, jlong size) {
    (void)jni, (void)thread, (void)object, (void)class, (void)size;
    jvmtiFrameInfo frames[FRAMES];
    jint count = 0;
    (*jvmti)->GetStackTrace(jvmti, NULL, 0, FRAMES, frames, &count);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)options, (void)reserved;
    jvmtiEnv *jvmti;
    jvmtiCapabilities wanted;
    jvmtiEventCallbacks callbacks;
    memset(&wanted, 0, sizeof wanted);
    memset(&callbacks, 0, sizeof callbacks);
    wanted.can_generate_vm_object_alloc_events = 1;
    callbacks.VMObjectAlloc = on_allocation;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_OBJECT_ALLOC,
                                           NULL) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    return JNI_OK;
}
