// An agent that puts a function of its own into the JNI table, and reports whether it is called.
// Independent of the product.

#include <jvmti.h>

static jvmtiEnv *jvmti;
static jint calls;
static jint(JNICALL *version)(JNIEnv *jni);

static jint JNICALL count_version(JNIEnv *jni) {
    calls++;
    return version(jni);
}

static void put(void) {
    jniNativeInterface *table = NULL;
    if ((*jvmti)->GetJNIFunctionTable(jvmti, &table) != JVMTI_ERROR_NONE) return;
    version = table->GetVersion;
    table->GetVersion = count_version;
    (*jvmti)->SetJNIFunctionTable(jvmti, table);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)table);
}

// 1: the function is installed.
JNIEXPORT jint JNICALL Java_Folder_version(JNIEnv *jni, jclass unused, jboolean first) {
    (void)unused;
    if (first) put();
    calls = 0;
    (*jni)->GetVersion(jni);
    return calls;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)options, (void)reserved;
    return (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) == JNI_OK ? JNI_OK : JNI_ERR;
}
