#include "instr/vm/waits.h"

#include "instr/engine/display_name.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_THREADS = 200, // that are visited at a time
    MOST_FRAMES = 100,
    METHODS = 4096 // a power of two
};

// Which id a method has; the table forgets when methods share a place.
struct known {
    jmethodID method;
    int id; // -1: none
};

struct wait {
    uint64_t time;  // ns
    uint64_t calls; // that waited at the first look
};

struct instr_waits {
    struct known known[METHODS];
    struct wait *waited; // by id
    size_t capacity;
    uint64_t last; // ns; 0: never
    unsigned pass;
    int methods; // how many there were: more may have become known
    jint next;   // the thread to begin with, if there are too many
};

struct instr_waits *instr_waits_new(void) {
    return calloc(1, sizeof(struct instr_waits));
}

void instr_waits_free(struct instr_waits *waits) {
    if (waits) free(waits->waited);
    free(waits);
}

// --- methods ---

// The internal name of a method's class, to be freed; NULL: unknown.
static char *class_of(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method) {
    jclass class = NULL;
    char *signature = NULL, *name = NULL;
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE) return NULL;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE) {
        size_t length = strlen(signature);
        if (length > 2 && (name = strndup(signature + 1, length - 2)))
            instr_normalize_generated_name(name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    (*jni)->DeleteLocalRef(jni, class);
    return name;
}

static int look_up(const struct instr_methods *methods, unsigned pass, jvmtiEnv *jvmti, JNIEnv *jni,
                   jmethodID method) {
    char *name = NULL, *descriptor = NULL, *class_name = class_of(jvmti, jni, method);
    int id = -1;
    if (class_name &&
        (*jvmti)->GetMethodName(jvmti, method, &name, &descriptor, NULL) == JVMTI_ERROR_NONE) {
        id =
            instr_methods_find((struct instr_methods *)methods, pass, class_name, name, descriptor);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
    }
    free(class_name);
    return id;
}

static int id_of(struct instr_waits *waits, const struct instr_methods *methods, jvmtiEnv *jvmti,
                 JNIEnv *jni, jmethodID method) {
    uintptr_t bits = (uintptr_t)method >> 3;
    struct known *known = &waits->known[(bits ^ bits >> 12) & (METHODS - 1)];
    if (known->method != method) {
        known->id = look_up(methods, waits->pass, jvmti, jni, method);
        known->method = method;
    }
    return known->id;
}

// --- threads ---

// Does a native method of this name wait for somebody else? One that writes, wakes up or closes works.
static int waits_by_name(jvmtiEnv *jvmti, jmethodID method) {
    static const char *const words[] = {"accept", "connect", "peek",   "poll", "read",
                                        "rece",   "recv",    "select", "wait"};
    char *name = NULL;
    int waits = 0;
    if ((*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) != JVMTI_ERROR_NONE) return 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        waits |= strcasestr(name, words[i]) != NULL;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    return waits;
}

// Is it a native method that waits for the network?
static int is_network(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method) {
    jboolean native = JNI_FALSE;
    if ((*jvmti)->IsMethodNative(jvmti, method, &native) != JVMTI_ERROR_NONE || !native ||
        !waits_by_name(jvmti, method))
        return 0;
    char *name = class_of(jvmti, jni, method);
    int found =
        name && (strncmp(name, "java/net/", 9) == 0 || strncmp(name, "sun/nio/ch/", 11) == 0);
    free(name);
    return found;
}

static void look_at(struct instr_waits *waits, jvmtiEnv *jvmti, JNIEnv *jni,
                    const struct instr_methods *methods, jthread thread, uint64_t time) {
    jvmtiFrameInfo frames[MOST_FRAMES];
    jint state = 0, count = 0;
    if ((*jvmti)->GetThreadState(jvmti, thread, &state) != JVMTI_ERROR_NONE ||
        !(state & (JVMTI_THREAD_STATE_WAITING | JVMTI_THREAD_STATE_SLEEPING |
                   JVMTI_THREAD_STATE_IN_NATIVE)))
        return;
    if ((*jvmti)->GetStackTrace(jvmti, thread, 0, MOST_FRAMES, frames, &count) !=
            JVMTI_ERROR_NONE ||
        count == 0)
        return;
    if (!(state & (JVMTI_THREAD_STATE_WAITING | JVMTI_THREAD_STATE_SLEEPING)) &&
        !is_network(jvmti, jni, frames[0].method))
        return;
    for (jint i = 0; i < count; i++) {
        int id = id_of(waits, methods, jvmti, jni, frames[i].method);
        if (id < 0) continue;
        if ((size_t)id >= waits->capacity) return;
        if (time)
            waits->waited[id].time += time;
        else
            waits->waited[id].calls++;
        return;
    }
}

static int make_room(struct instr_waits *waits, size_t count) {
    if (count <= waits->capacity) return 1;
    size_t more = count + count / 2;
    struct wait *waited = realloc(waits->waited, more * sizeof *waited);
    if (!waited) return 0;
    memset(waited + waits->capacity, 0, (more - waits->capacity) * sizeof *waited);
    waits->waited = waited;
    waits->capacity = more;
    return 1;
}

void instr_waits_look(struct instr_waits *waits, jvmtiEnv *jvmti, JNIEnv *jni,
                      const struct instr_methods *methods, unsigned pass, uint64_t now) {
    uint64_t time = waits->last ? now - waits->last : 0;
    jthread *threads = NULL;
    jint count = 0;
    int known = instr_methods_count(methods);
    waits->last = now;
    if (pass != waits->pass || known != waits->methods) // a method without an id may have one now
        memset(waits->known, 0, sizeof waits->known);
    if (pass != waits->pass && waits->waited)
        memset(waits->waited, 0, waits->capacity * sizeof *waits->waited);
    waits->pass = pass;
    waits->methods = known;
    if (!make_room(waits, (size_t)known)) return;
    if ((*jni)->PushLocalFrame(jni, 64) != 0) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) == JVMTI_ERROR_NONE) {
        if ((*jni)->EnsureLocalCapacity(jni, count + 64) != JNI_OK) (*jni)->ExceptionClear(jni);
        jint visited = count < MOST_THREADS ? count : MOST_THREADS;
        if (waits->next >= count) waits->next = 0;
        for (jint i = 0; i < visited; i++) // those that are left out wait as these do
            look_at(waits, jvmti, jni, methods, threads[(waits->next + i) % count],
                    time * (uint64_t)count / (uint64_t)visited);
        waits->next += visited;
        (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
    }
    (*jni)->PopLocalFrame(jni, NULL);
}

uint64_t instr_waits_take(struct instr_waits *waits, int id, uint64_t self, uint64_t ended) {
    if (id < 0 || (size_t)id >= waits->capacity) return 0;
    struct wait *wait = &waits->waited[id];
    uint64_t early = wait->calls < ended ? wait->calls : ended;
    uint64_t before = early ? (uint64_t)((double)self / (double)ended * (double)early) : 0;
    uint64_t taken = wait->time < self - before ? wait->time : self - before;
    wait->calls -= early;
    wait->time -= taken;
    return before + taken;
}
