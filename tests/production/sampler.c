// A profiler that samples allocations, as far as its capability goes; with any option from the start.
// Independent of the product.

#include <jvmti.h>

static jvmtiEnv *jvmti;

// 1: the JVM gives or takes back the capability to sample.
JNIEXPORT jint JNICALL Java_Sampling_sample(JNIEnv *jni, jclass unused, jboolean take) {
    jvmtiCapabilities wanted = {.can_generate_sampled_object_alloc_events = 1};
    (void)jni, (void)unused;
    return (take ? (*jvmti)->AddCapabilities(jvmti, &wanted)
                 : (*jvmti)->RelinquishCapabilities(jvmti, &wanted)) == JVMTI_ERROR_NONE;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK) return JNI_ERR;
    return !options || !*options || Java_Sampling_sample(NULL, NULL, JNI_TRUE) ? JNI_OK : JNI_ERR;
}
