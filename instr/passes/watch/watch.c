// watch.c: the JVM TI half of the pass watch: the natives that take calls from the application's
// threads. A bounded queue holds the calls until the control thread fetches them. An application
// thread never waits.

#include "instr/passes/watch/watch.h"

#include "instr/base/clock.h"
#include "instr/passes/agent_pass.h"
#include "instr/vm/runtime.h"
#include "instr/vm/wake.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_CALLS = 1024,
    MOST_BYTES = 1024 * 1024,
    MOST_TEXT = 512,
    MOST_LIST = 255,                // the largest number of arguments of a method
    SPARE = 4 * (2 + 2 * MOST_LIST) // bytes: "..." for each string of a call
};

static struct {
    jclass gate;           // InstrWatch, a global reference
    jfieldID message;      // of Throwable
    jclass throwable;      // a global reference
    jmethodID trace;       // its getStackTrace
    pthread_mutex_t mutex; // for the fields below; held briefly, application threads only try it
    struct instr_watched *first, **last;
    size_t count, bytes;
    uint64_t left;   // calls still to take
    uint64_t number; // of the watch, starting at 1
    atomic_uint_fast64_t dropped;
    char failed[3 * MOST_TEXT + SPARE + 2];
} queue = {.mutex = PTHREAD_MUTEX_INITIALIZER};

// --- a call from Java ---

struct text {
    char *bytes; // strings one after the other, each with a NUL
    size_t used, size;
};

// Adds a string as modified UTF-8, at most MOST_TEXT characters. A string that does not fit becomes
// "...", for which there is always room.
static size_t add(JNIEnv *jni, struct text *to, jstring string) {
    size_t at = to->used, room = to->size - to->used - 1;
    jsize length = string ? (*jni)->GetStringLength(jni, string) : 0;
    if (length > MOST_TEXT) length = MOST_TEXT;
    if (3 * (size_t)length + SPARE > room) {
        strcpy(to->bytes + at, length ? "..." : "");
    } else {
        to->bytes[at] = '\0';
        if (length) (*jni)->GetStringUTFRegion(jni, string, 0, length, to->bytes + at);
        if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    }
    to->used += strlen(to->bytes + at) + 1;
    return at;
}

static unsigned add_list(JNIEnv *jni, struct text *to, jobjectArray list, size_t *at) {
    jsize n = list ? (*jni)->GetArrayLength(jni, list) : 0;
    *at = to->used;
    if (n > MOST_LIST) n = MOST_LIST;
    for (jsize i = 0; i < n; i++) {
        jstring item = (*jni)->GetObjectArrayElement(jni, list, i);
        add(jni, to, item);
        (*jni)->DeleteLocalRef(jni, item);
    }
    return (unsigned)n;
}

// Puts a call at the end of the queue. 0: the queue is full, or another thread holds it.
static int put(struct instr_watched *call, int *more) {
    size_t size = sizeof *call + call->size;
    int done = 0;
    if (pthread_mutex_trylock(&queue.mutex) != 0) return 0;
    *more = queue.left > 0;
    if (queue.left > 0 && queue.count < MOST_CALLS && queue.bytes + size <= MOST_BYTES) {
        if (!queue.first) queue.last = &queue.first;
        *queue.last = call;
        queue.last = &call->next;
        queue.count++;
        queue.bytes += size;
        *more = --queue.left > 0;
        done = 1;
    }
    pthread_mutex_unlock(&queue.mutex);
    return done;
}

static jboolean JNICALL native_call(JNIEnv *jni, jclass class, jint id, jint end, jlong duration,
                                    jstring thread, jobjectArray arguments, jstring result,
                                    jobjectArray stack) {
    (void)class;
    char bytes[20 * 1024];
    struct text text = {bytes, 0, sizeof bytes};
    struct instr_watched call = {.id = id, .thrown = end != 0, .duration = (uint64_t)duration};
    int more = 1;
    call.time = instr_clock_date();
    call.thread = add(jni, &text, thread);
    call.result = add(jni, &text, result);
    call.returned = result != NULL;
    call.argument_count = add_list(jni, &text, arguments, &call.arguments);
    call.stack_count = add_list(jni, &text, stack, &call.stack);
    call.size = text.used;
    struct instr_watched *copy = malloc(sizeof *copy + text.used);
    if (copy) {
        *copy = call;
        memcpy(copy->text, bytes, text.used);
    }
    if (!copy || !put(copy, &more)) {
        free(copy);
        if (more) atomic_fetch_add(&queue.dropped, 1);
    } else {
        instr_wake();
    }
    return more ? JNI_TRUE : JNI_FALSE;
}

static jstring JNICALL native_message(JNIEnv *jni, jclass class, jthrowable exception) {
    (void)class;
    return queue.message ? (*jni)->GetObjectField(jni, exception, queue.message) : NULL;
}

static jobjectArray JNICALL native_stack(JNIEnv *jni, jclass class, jthrowable exception) {
    (void)class;
    if (!queue.trace) return NULL;
    jobjectArray frames =
        (*jni)->CallNonvirtualObjectMethod(jni, exception, queue.throwable, queue.trace);
    if (!(*jni)->ExceptionCheck(jni)) return frames;
    (*jni)->ExceptionClear(jni);
    return NULL;
}

static void JNICALL native_failed(JNIEnv *jni, jclass class, jstring what) {
    (void)class;
    pthread_mutex_lock(&queue.mutex);
    struct text text = {queue.failed, 0, sizeof queue.failed};
    add(jni, &text, what);
    queue.left = 0;
    pthread_mutex_unlock(&queue.mutex);
    instr_wake();
}

// --- for the control thread ---

struct instr_watched *instr_watch_fetch(void) {
    pthread_mutex_lock(&queue.mutex);
    struct instr_watched *calls = queue.first;
    queue.first = NULL;
    queue.count = queue.bytes = 0;
    pthread_mutex_unlock(&queue.mutex);
    return calls;
}

void instr_watch_free(struct instr_watched *calls) {
    while (calls) {
        struct instr_watched *next = calls->next;
        free(calls);
        calls = next;
    }
}

uint64_t instr_watch_dropped(void) {
    return atomic_load(&queue.dropped);
}

int instr_watch_failed(char *what, size_t size) {
    pthread_mutex_lock(&queue.mutex);
    snprintf(what, size, "%s", queue.failed);
    pthread_mutex_unlock(&queue.mutex);
    return *what != '\0';
}

static void set(JNIEnv *jni, const char *field, const char *type, int64_t value) {
    jfieldID id = (*jni)->GetStaticFieldID(jni, queue.gate, field, type);
    if (id && *type == 'Z')
        (*jni)->SetStaticBooleanField(jni, queue.gate, id, value ? JNI_TRUE : JNI_FALSE);
    else if (id)
        (*jni)->SetStaticLongField(jni, queue.gate, id, (jlong)value);
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
}

void instr_watch_begin(JNIEnv *jni, const struct instr_watch_filter *filter) {
    instr_watch_free(instr_watch_fetch());
    pthread_mutex_lock(&queue.mutex);
    queue.left = filter->limit;
    queue.number++;
    queue.failed[0] = '\0';
    pthread_mutex_unlock(&queue.mutex);
    atomic_store(&queue.dropped, 0);
    set(jni, "number", "J", (int64_t)queue.number);
    set(jni, "slower", "J", (int64_t)filter->slower);
    set(jni, "onlyThrown", "Z", filter->only_thrown);
    set(jni, "stacks", "Z", filter->stack);
    set(jni, "on", "Z", 1);
}

void instr_watch_end(JNIEnv *jni) {
    if (queue.gate && jni) set(jni, "on", "Z", 0);
    pthread_mutex_lock(&queue.mutex);
    queue.left = 0;
    pthread_mutex_unlock(&queue.mutex);
}

// --- start and stop ---

// Without them messages or stacks are missing.
static void find_members(JNIEnv *jni) {
    jclass throwable = (*jni)->FindClass(jni, "java/lang/Throwable");
    if (throwable && !queue.throwable) queue.throwable = (*jni)->NewGlobalRef(jni, throwable);
    if (queue.throwable) {
        queue.message =
            (*jni)->GetFieldID(jni, queue.throwable, "detailMessage", "Ljava/lang/String;");
        if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
        queue.trace = (*jni)->GetMethodID(jni, queue.throwable, "getStackTrace",
                                          "()[Ljava/lang/StackTraceElement;");
    }
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, throwable);
}

static bool start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *options,
                  char *reason, size_t size) {
    static char call[] = "call", failed[] = "failed", of_text[] = "(Ljava/lang/String;)V";
    static char message[] = "message", of_exception[] = "(Ljava/lang/Throwable;)Ljava/lang/String;";
    static char stack[] = "stack",
                of_stack[] = "(Ljava/lang/Throwable;)[Ljava/lang/StackTraceElement;";
    static char of_call[] = "(IIJLjava/lang/String;[Ljava/lang/String;Ljava/lang/String;"
                            "[Ljava/lang/String;)Z";
    const JNINativeMethod methods[] = {{call, of_call, (void *)native_call},
                                       {failed, of_text, (void *)native_failed},
                                       {message, of_exception, (void *)native_message},
                                       {stack, of_stack, (void *)native_stack}};
    (void)jvmti;
    (void)options;
    jclass natives = instr_runtime_class("InstrWatchNative");
    queue.gate = instr_runtime_class("InstrWatch");
    find_members(jni);
    if (natives && queue.gate && (*jni)->RegisterNatives(jni, natives, methods, 4) == 0)
        return true;
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    snprintf(reason, size, "watch: a class of the runtime is missing");
    return false;
}

static uint64_t count_events(JNIEnv *jni, const struct rw_pass *pass) {
    (void)pass;
    jfieldID id = queue.gate ? (*jni)->GetStaticFieldID(jni, queue.gate, "calls", "J") : NULL;
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    return id ? (uint64_t)(*jni)->GetStaticLongField(jni, queue.gate, id) : 0;
}

static void stop(JNIEnv *jni, const struct rw_pass *pass) {
    (void)pass;
    instr_watch_end(jni);
}

// Calls are reported as they happen, never afterwards.
static void report_results(const struct instr_results *results, unsigned pass) {
    (void)results;
    (void)pass;
}

const struct instr_agent_pass instr_agent_pass_watch = {.one_owner = true,
                                                        .start = start,
                                                        .events = count_events,
                                                        .stop = stop,
                                                        .report = report_results,
                                                        .releases_ids = true};
