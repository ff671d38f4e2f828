// Protection domains whose classes come from somewhere. The location of a domain is final, and most classes have that of
// one of few archives: a call of a method by its name takes longer than rewriting a small class.

#include "instr/passes/coverage/locations.h"

#include <pthread.h>

enum { KNOWN = 8 };

static struct {
    pthread_mutex_t lock; // not held while Java code runs
    jweak known[KNOWN];   // they have one; NULL: free
    unsigned next;        // to be replaced
} locations = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_known(JNIEnv *jni, jobject domain) {
    bool found = false;
    pthread_mutex_lock(&locations.lock);
    for (unsigned i = 0; i < KNOWN && !found && locations.known[i]; i++)
        found = (*jni)->IsSameObject(jni, locations.known[i], domain);
    pthread_mutex_unlock(&locations.lock);
    return found;
}

static void remember(JNIEnv *jni, jobject domain) {
    jweak weak = (*jni)->NewWeakGlobalRef(jni, domain);
    if (!weak) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    pthread_mutex_lock(&locations.lock);
    unsigned at = locations.next++ % KNOWN;
    jweak replaced = locations.known[at];
    locations.known[at] = weak;
    pthread_mutex_unlock(&locations.lock);
    if (replaced) (*jni)->DeleteWeakGlobalRef(jni, replaced);
}

// `object`.method() as a local reference. NULL: null, or an exception, which is cleared.
static jobject call(JNIEnv *jni, jobject object, const char *method, const char *descriptor) {
    jclass class = (*jni)->GetObjectClass(jni, object);
    jmethodID id = (*jni)->GetMethodID(jni, class, method, descriptor);
    jobject result = id ? (*jni)->CallObjectMethod(jni, object, id) : NULL;
    (*jni)->DeleteLocalRef(jni, class);
    if (!(*jni)->ExceptionCheck(jni)) return result;
    (*jni)->ExceptionClear(jni);
    return NULL;
}

bool instr_has_location(JNIEnv *jni, jobject domain) {
    if (!domain) return false;
    if (is_known(jni, domain)) return true;
    jobject source = call(jni, domain, "getCodeSource", "()Ljava/security/CodeSource;");
    jobject location = source ? call(jni, source, "getLocation", "()Ljava/net/URL;") : NULL;
    if (location) remember(jni, domain);
    (*jni)->DeleteLocalRef(jni, location);
    (*jni)->DeleteLocalRef(jni, source);
    return location != NULL;
}
