// An agent for tests that changes nothing. The time and memory that the JVM itself needs to
// retransform classes are the base of comparisons. It can also add constants and nothing else,
// the minimum for any agent that inserts a call. Independent of the product.

#include <jvmti.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static jvmtiEnv *jvmti;
static jint constants; // to be added to each class

static unsigned be2(const unsigned char *p) {
    return (unsigned)p[0] << 8 | p[1];
}

static void put2(unsigned char *p, unsigned value) {
    p[0] = (unsigned char)(value >> 8);
    p[1] = (unsigned char)value;
}

// The offset behind the constant pool (JVMS 4.4). 0: there is an unknown entry.
static jint end_of_pool(const unsigned char *bytes, jint length) {
    static const unsigned char sizes[] = {
        [3] = 5,  [4] = 5,  [5] = 9,  [6] = 9,  [7] = 3,  [8] = 3,  [9] = 5,  [10] = 5,
        [11] = 5, [12] = 5, [15] = 4, [16] = 3, [17] = 5, [18] = 5, [19] = 3, [20] = 3};
    jint at = 10;
    for (unsigned i = 1; i < be2(bytes + 8); i++) {
        unsigned tag = at + 9 < length ? bytes[at] : 0;
        jint size = tag < sizeof sizes ? sizes[tag] : 0;
        if (tag == 1) size = 3 + (jint)be2(bytes + at + 1);
        if (!size) return 0;
        i += tag == 5 || tag == 6; // a long or double takes two indexes
        at += size;
    }
    return at < length ? at : 0;
}

// Integers that do not occur in any class.
static void add_constants(const unsigned char *bytes, jint length, jint *new_length,
                          unsigned char **new_bytes) {
    jint end = end_of_pool(bytes, length), more = 5 * constants;
    if (!end || be2(bytes + 8) + (unsigned)constants > 65535 ||
        (*jvmti)->Allocate(jvmti, length + more, new_bytes) != JVMTI_ERROR_NONE)
        return;
    unsigned char *to = *new_bytes;
    *new_length = length + more;
    memcpy(to, bytes, (size_t)end);
    put2(to + 8, be2(bytes + 8) + (unsigned)constants);
    for (jint i = 0; i < constants; i++) {
        unsigned char *entry = to + end + 5 * i;
        entry[0] = 3;
        put2(entry + 1, 0x7ac5);
        put2(entry + 3, (unsigned)i);
    }
    memcpy(to + end + more, bytes + end, (size_t)(length - end));
}

static void JNICALL on_class(jvmtiEnv *env, JNIEnv *jni, jclass class, jobject loader,
                             const char *name, jobject domain, jint length,
                             const unsigned char *bytes, jint *new_length,
                             unsigned char **new_bytes) {
    (void)env, (void)jni, (void)loader, (void)name, (void)domain;
    if (class && constants) add_constants(bytes, length, new_length, new_bytes);
}

// Is the class in the list of internal names, separated by commas? A name that ends in
// * is a prefix.
static int is_named(const char *signature, const char *names) {
    for (const char *name = names; *name;) {
        size_t n = strcspn(name, ",");
        int open = n > 0 && name[n - 1] == '*';
        if (open ? strncmp(signature + 1, name, n - 1) == 0
                 : strncmp(signature + 1, name, n) == 0 && strcmp(signature + 1 + n, ";") == 0)
            return 1;
        name += n + (name[n] == ',');
    }
    return 0;
}

static int is_wanted(jclass class, const char *names) {
    char *signature = NULL;
    jboolean modifiable = JNI_FALSE;
    int yes = 0;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE) return 0;
    if (signature[0] == 'L' &&
        (*jvmti)->IsModifiableClass(jvmti, class, &modifiable) == JVMTI_ERROR_NONE && modifiable)
        yes = is_named(signature, names);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return yes;
}

// Is the class linked, or can it be linked by asking for its fields, and has its initialization not
// failed? Because of one bad class the JVM refuses the whole batch.
static int is_usable(JNIEnv *jni, jclass class) {
    jint status = 0;
    (*jvmti)->GetClassStatus(jvmti, class, &status);
    if (!(status & JVMTI_CLASS_STATUS_PREPARED)) {
        jclass type = (*jni)->GetObjectClass(jni, class);
        jmethodID fields =
            (*jni)->GetMethodID(jni, type, "getDeclaredFields", "()[Ljava/lang/reflect/Field;");
        if (fields) (*jni)->DeleteLocalRef(jni, (*jni)->CallObjectMethod(jni, class, fields));
        (*jni)->ExceptionClear(jni);
        (*jni)->DeleteLocalRef(jni, type);
        (*jvmti)->GetClassStatus(jvmti, class, &status);
    }
    return (status & JVMTI_CLASS_STATUS_PREPARED) && !(status & JVMTI_CLASS_STATUS_ERROR);
}

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// Retransforms the classes in batches, and adds constants to each. Returns their number, the
// nanoseconds of all calls, and those of the longest call.
JNIEXPORT jlongArray JNICALL Java_Floor_retransform(JNIEnv *jni, jclass unused, jstring names,
                                                    jint batch, jint more) {
    (void)unused;
    constants = more;
    jclass *classes = NULL;
    jint count = 0, chosen = 0;
    jlong figures[3] = {0, 0, 0};
    int64_t start = now();
    const char *wanted = (*jni)->GetStringUTFChars(jni, names, NULL);
    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) != JVMTI_ERROR_NONE) return NULL;
    for (jint i = 0; i < count; i++) {
        if (is_wanted(classes[i], wanted) && is_usable(jni, classes[i]))
            classes[chosen++] = classes[i];
        else
            (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
    for (jint i = 0; i < chosen; i += batch) {
        int64_t before = now();
        jint n = chosen - i < batch ? chosen - i : batch;
        if ((*jvmti)->RetransformClasses(jvmti, n, classes + i) == JVMTI_ERROR_NONE)
            figures[0] += n;
        int64_t took = now() - before;
        if (took > figures[2]) figures[2] = took;
    }
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                       NULL);
    figures[1] = now() - start;
    for (jint i = 0; i < chosen; i++) (*jni)->DeleteLocalRef(jni, classes[i]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    (*jni)->ReleaseStringUTFChars(jni, names, wanted);
    jlongArray result = (*jni)->NewLongArray(jni, 3);
    if (result) (*jni)->SetLongArrayRegion(jni, result, 0, 3, figures);
    return result;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)options;
    (void)reserved;
    jvmtiCapabilities wanted;
    jvmtiEventCallbacks callbacks;
    memset(&wanted, 0, sizeof wanted);
    memset(&callbacks, 0, sizeof callbacks);
    wanted.can_retransform_classes = wanted.can_retransform_any_class = 1;
    callbacks.ClassFileLoadHook = on_class;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK) return JNI_ERR;
    if ((*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE) return JNI_ERR;
    return (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE
               ? JNI_OK
               : JNI_ERR;
}
