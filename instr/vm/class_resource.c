#include "instr/vm/class_resource.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 16384, LARGEST = 64 << 20 };

// The stream as a local reference. NULL: there is none, or an exception is pending.
static jobject open_stream(JNIEnv *jni, jobject loader, const char *name) {
    char path[1024];
    int n = snprintf(path, sizeof path, "%s.class", name);
    if (n < 0 || (size_t)n >= sizeof path) return NULL;
    jstring text = (*jni)->NewStringUTF(jni, path);
    jclass class = text ? (*jni)->FindClass(jni, "java/lang/ClassLoader") : NULL;
    if (!class) return NULL;
    static const char descriptor[] = "(Ljava/lang/String;)Ljava/io/InputStream;";
    jmethodID get =
        loader ? (*jni)->GetMethodID(jni, class, "getResourceAsStream", descriptor)
               : (*jni)->GetStaticMethodID(jni, class, "getSystemResourceAsStream", descriptor);
    if (!get) return NULL;
    return loader ? (*jni)->CallObjectMethod(jni, loader, get, text)
                  : (*jni)->CallStaticObjectMethod(jni, class, get, text);
}

static bool append(JNIEnv *jni, jbyteArray piece, jint n, uint8_t **bytes, size_t *length) {
    uint8_t *larger = *length + (size_t)n > LARGEST ? NULL : realloc(*bytes, *length + (size_t)n);
    if (!larger) return false;
    (*jni)->GetByteArrayRegion(jni, piece, 0, n, (jbyte *)larger + *length);
    *bytes = larger;
    *length += (size_t)n;
    return true;
}

static bool read_stream(JNIEnv *jni, jobject stream, uint8_t **bytes, size_t *length) {
    jclass class = (*jni)->FindClass(jni, "java/io/InputStream");
    jmethodID read = class ? (*jni)->GetMethodID(jni, class, "read", "([B)I") : NULL;
    jmethodID close = read ? (*jni)->GetMethodID(jni, class, "close", "()V") : NULL;
    jbyteArray piece = close ? (*jni)->NewByteArray(jni, PIECE) : NULL;
    if (!piece) return false;
    bool good = true;
    for (;;) {
        jint n = (*jni)->CallIntMethod(jni, stream, read, piece);
        good = !(*jni)->ExceptionCheck(jni) && n <= PIECE;
        if (!good || n <= 0) break;
        good = append(jni, piece, n, bytes, length);
        if (!good) break;
    }
    (*jni)->ExceptionClear(jni);
    (*jni)->CallVoidMethod(jni, stream, close);
    return good;
}

bool instr_class_resource(JNIEnv *jni, jobject loader, const char *name, uint8_t **bytes,
                          size_t *length) {
    *bytes = NULL;
    *length = 0;
    if ((*jni)->PushLocalFrame(jni, 16) != 0) {
        (*jni)->ExceptionClear(jni);
        return false;
    }
    jobject stream = open_stream(jni, loader, name);
    bool found = stream && !(*jni)->ExceptionCheck(jni) && read_stream(jni, stream, bytes, length);
    (*jni)->ExceptionClear(jni);
    (*jni)->PopLocalFrame(jni, NULL);
    if (found && *length > 0) return true;
    free(*bytes);
    *bytes = NULL;
    return false;
}
