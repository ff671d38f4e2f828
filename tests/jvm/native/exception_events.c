// An agent that counts what JVM TI's own Exception events tell, to hold the pass exceptions
// against:
//
//      -agentpath:libexception_events.so=FILE
//
// At exit FILE has a line "CLASS LEAST MOST" for each class of exceptions: MOST events there were
// of it, and LEAST without those of objects that are thrown again by the method that caught them
// last, as finally blocks do, but others too. Counted is only what is thrown in, passes through, or
// is caught by code of the application: a class that is not the boot or platform loader's.

#include <jvmti.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CLASSES 1024
#define MOST_FRAMES 4096

static struct {
    char name[256];
    long least, most;
} classes[MOST_CLASSES];
static size_t class_count;
// By the tags of exceptions: the methods that caught them last.
static jmethodID *catchers;
static size_t catchers_count, catchers_capacity;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char path[4096];
static jobject platform; // the platform loader

static int is_of_application(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method) {
    jclass class = NULL;
    jobject loader = NULL;
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE) return 0;
    int yes = (*jvmti)->GetClassLoader(jvmti, class, &loader) == JVMTI_ERROR_NONE && loader &&
              !(platform && (*jni)->IsSameObject(jni, loader, platform));
    if (loader) (*jni)->DeleteLocalRef(jni, loader);
    (*jni)->DeleteLocalRef(jni, class);
    return yes;
}

// The frames from the top to the one that catches.
static int concerns_application(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID catcher) {
    jvmtiFrameInfo *frames = malloc(MOST_FRAMES * sizeof *frames);
    jint count = 0;
    int yes = 0;
    if (frames &&
        (*jvmti)->GetStackTrace(jvmti, NULL, 0, MOST_FRAMES, frames, &count) == JVMTI_ERROR_NONE)
        for (jint i = 0; i < count && !yes; i++) {
            yes = is_of_application(jvmti, jni, frames[i].method);
            if (frames[i].method == catcher) break;
        }
    free(frames);
    return yes;
}

static void count_class(const char *name, int again) {
    size_t i = 0;
    pthread_mutex_lock(&mutex);
    while (i < class_count && strcmp(classes[i].name, name) != 0) i++;
    if (i == class_count && i < MOST_CLASSES)
        snprintf(classes[class_count++].name, sizeof classes[i].name, "%s", name);
    if (i < MOST_CLASSES) classes[i].most++;
    if (i < MOST_CLASSES && !again) classes[i].least++;
    pthread_mutex_unlock(&mutex);
}

static int is_thrown_again(jvmtiEnv *jvmti, jobject exception, jmethodID method,
                           jmethodID catcher) {
    jlong tag = 0;
    pthread_mutex_lock(&mutex);
    int again = (*jvmti)->GetTag(jvmti, exception, &tag) == JVMTI_ERROR_NONE && tag &&
                catchers[tag] == method;
    if (!tag) {
        if (catchers_count + 1 >= catchers_capacity) {
            catchers_capacity = catchers_capacity * 2 + 1024;
            catchers = realloc(catchers, catchers_capacity * sizeof *catchers);
            if (!catchers) abort();
        }
        tag = (jlong)++catchers_count;
        (*jvmti)->SetTag(jvmti, exception, tag);
    }
    catchers[tag] = catcher;
    pthread_mutex_unlock(&mutex);
    return again;
}

static void JNICALL on_exception(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method,
                                 jlocation location, jobject exception, jmethodID catcher,
                                 jlocation catch_location) {
    (void)thread;
    (void)location;
    (void)catch_location;
    char *signature = NULL;
    if (!concerns_application(jvmti, jni, catcher)) return;
    int again = is_thrown_again(jvmti, exception, method, catcher);
    jclass class = (*jni)->GetObjectClass(jni, exception);
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE) {
        size_t length = strlen(signature);
        signature[length - 1] = '\0';
        for (char *c = signature; *c; c++)
            if (*c == '/') *c = '.';
        count_class(signature + 1, again);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    (*jni)->DeleteLocalRef(jni, class);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread) {
    (void)thread;
    jclass class = (*jni)->FindClass(jni, "java/lang/ClassLoader");
    jmethodID get = (*jni)->GetStaticMethodID(jni, class, "getPlatformClassLoader",
                                              "()Ljava/lang/ClassLoader;");
    if (get) platform = (*jni)->CallStaticObjectMethod(jni, class, get);
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni); // JDK 8 has none
    if (platform) platform = (*jni)->NewGlobalRef(jni, platform);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_EXCEPTION, NULL);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni) {
    (void)jvmti;
    (void)jni;
    FILE *file = fopen(path, "we");
    if (!file) return;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < class_count; i++)
        fprintf(file, "%s %ld %ld\n", classes[i].name, classes[i].least, classes[i].most);
    pthread_mutex_unlock(&mutex);
    fclose(file);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    jvmtiEnv *jvmti;
    jvmtiCapabilities wanted;
    jvmtiEventCallbacks callbacks;
    memset(&wanted, 0, sizeof wanted);
    memset(&callbacks, 0, sizeof callbacks);
    snprintf(path, sizeof path, "%s", options ? options : "");
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK) return JNI_ERR;
    wanted.can_generate_exception_events = 1;
    wanted.can_tag_objects = 1;
    callbacks.Exception = on_exception;
    callbacks.VMInit = on_vm_init;
    callbacks.VMDeath = on_vm_death;
    if ((*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE) return JNI_ERR;
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    return JNI_OK;
}
