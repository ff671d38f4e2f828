// Native methods of tests/jvm/programs/NativeCalls.java.

#include <jni.h>
#include <stdio.h>

JNIEXPORT jint JNICALL Java_NativeCalls_add__I(JNIEnv *jni, jclass cls, jint a) {
    (void)jni, (void)cls;
    return a + 1;
}

JNIEXPORT jlong JNICALL Java_NativeCalls_add__J(JNIEnv *jni, jclass cls, jlong a) {
    (void)jni, (void)cls;
    return a + 2;
}

JNIEXPORT jdouble JNICALL Java_NativeCalls_mixed(JNIEnv *jni, jobject self, jint i, jlong j,
                                                 jfloat f, jdouble d, jstring s, jbyteArray b,
                                                 jboolean z, jchar c, jshort h) {
    (void)self;
    return i + (jdouble)j + (jdouble)f + d + (*jni)->GetStringLength(jni, s) +
           (*jni)->GetArrayLength(jni, b) + z + c + h;
}

// Is the monitor of `self` held?
JNIEXPORT jboolean JNICALL Java_NativeCalls_locked(JNIEnv *jni, jobject self) {
    jclass thread = (*jni)->FindClass(jni, "java/lang/Thread");
    jmethodID holds = (*jni)->GetStaticMethodID(jni, thread, "holdsLock", "(Ljava/lang/Object;)Z");
    return (*jni)->CallStaticBooleanMethod(jni, thread, holds, self);
}

JNIEXPORT void JNICALL Java_NativeCalls_boom(JNIEnv *jni, jclass cls, jstring text) {
    (void)cls;
    const char *message = (*jni)->GetStringUTFChars(jni, text, NULL);
    (*jni)->ThrowNew(jni, (*jni)->FindClass(jni, "java/lang/IllegalStateException"), message);
    (*jni)->ReleaseStringUTFChars(jni, text, message);
}

JNIEXPORT jint JNICALL Java_NativeCalls_critical(JNIEnv *jni, jclass cls, jintArray array) {
    (void)cls;
    jint n = (*jni)->GetArrayLength(jni, array), sum = 0;
    jint *elements = (*jni)->GetPrimitiveArrayCritical(jni, array, NULL);
    for (jint i = 0; i < n; i++) sum += elements[i];
    (*jni)->ReleasePrimitiveArrayCritical(jni, array, elements, JNI_ABORT);
    return sum;
}

// Calls a native method by the name that it has in the source.
JNIEXPORT jint JNICALL Java_NativeCalls_byName(JNIEnv *jni, jclass cls, jint a) {
    jmethodID add = (*jni)->GetStaticMethodID(jni, cls, "add", "(I)I");
    return add == NULL ? -1 : (*jni)->CallStaticIntMethod(jni, cls, add, a);
}

// Down to 0, native and Java in turn.
JNIEXPORT jint JNICALL Java_NativeCalls_down(JNIEnv *jni, jclass cls, jint n) {
    jmethodID step = (*jni)->GetStaticMethodID(jni, cls, "step", "(I)I");
    return n == 0 ? 0 : (*jni)->CallStaticIntMethod(jni, cls, step, n - 1);
}

JNIEXPORT jstring JNICALL Java_NativeCalls_who(JNIEnv *jni, jobject self) {
    (void)self;
    return (*jni)->NewStringUTF(jni, "native");
}

static jint doubled(JNIEnv *jni, jclass cls, jint a) {
    (void)jni, (void)cls;
    return 2 * a;
}

static jint tripled(JNIEnv *jni, jclass cls, jint a) {
    (void)jni, (void)cls;
    return 3 * a;
}

// Binds `registered`, again to something else when asked.
JNIEXPORT jint JNICALL Java_NativeCalls_register(JNIEnv *jni, jclass cls, jboolean again) {
    JNINativeMethod method = {"registered", "(I)I", again ? (void *)tripled : (void *)doubled};
    return (*jni)->RegisterNatives(jni, cls, &method, 1);
}

JNIEXPORT jint JNICALL Java_NativeCalls_unregister(JNIEnv *jni, jclass cls) {
    return (*jni)->UnregisterNatives(jni, cls);
}

JNIEXPORT jint JNICALL Java_NativeCalls_00024Version_value(JNIEnv *jni, jobject self) {
    (void)jni, (void)self;
    return 42;
}

// Of tests/bench/natives.
JNIEXPORT jint JNICALL Java_NativeBench_step(JNIEnv *jni, jclass cls, jint a) {
    (void)jni, (void)cls;
    return a + 1;
}
