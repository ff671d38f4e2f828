// Native methods of tests/jvm/programs/NativeExit.java.

#include <jni.h>
#include <pthread.h>
#include <stdlib.h>

static void *end(void *status) {
    exit(*(int *)status);
}

// On the calling thread, or on one that the JVM does not know.
JNIEXPORT void JNICALL Java_NativeExit_exit(JNIEnv *jni, jclass cls, jint status,
                                            jboolean own_thread) {
    int given = status;
    pthread_t thread;
    (void)jni, (void)cls;
    if (!own_thread) exit(given);
    if (pthread_create(&thread, NULL, end, &given) == 0) pthread_join(thread, NULL);
}
