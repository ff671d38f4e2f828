// watch.c: the JVM TI half of the pass watch: the natives that take calls from the application's
// threads. Each client has a watch with a queue of calls, which the control thread fetches. All queues
// together are bounded. An application thread never waits.

#include "instr/passes/watch/watch.h"

#include "instr/base/clock.h"
#include "instr/passes/agent_pass.h"
#include "instr/vm/runtime.h"
#include "instr/vm/wake.h"
#include "rewriters/watch_methods.h"

#include <pthread.h>
#include <sched.h>
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

// The watch of a client.
struct watch {
    bool used;
    struct instr_watch_filter filter;
    const struct instr_methods *names;
    struct instr_watched *first, **last;
    uint64_t left;  // calls still to take
    uint64_t since; // ns: calls that began before are not reported
    uint64_t dropped;
    uint64_t missed; // queue.missed when it began
};

static struct {
    jclass gate;           // InstrWatch, a global reference
    jfieldID message;      // of Throwable
    jclass throwable;      // a global reference
    jmethodID trace;       // its getStackTrace
    pthread_mutex_t mutex; // for the fields below; held briefly, application threads only try it
    struct watch watches[INSTR_WATCHES];
    size_t count, bytes;         // of all waiting calls
    uint64_t number;             // of times that watching has begun, starting at 1
    bool alone;                  // there is one watch: all calls of the pass are its own
    atomic_uint_fast64_t missed; // calls that nothing took, since the mutex was held
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

static void set(JNIEnv *jni, const char *field, const char *type, int64_t value) {
    jfieldID id = (*jni)->GetStaticFieldID(jni, queue.gate, field, type);
    if (id && *type == 'Z')
        (*jni)->SetStaticBooleanField(jni, queue.gate, id, value ? JNI_TRUE : JNI_FALSE);
    else if (id)
        (*jni)->SetStaticLongField(jni, queue.gate, id, (jlong)value);
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
}

static struct cf_slice slice_of(const char *text) {
    return (struct cf_slice){(const uint8_t *)text, (uint32_t)strlen(text)};
}

// Does the watch take this call? RW_WATCH_UNSURE: if its class has a certain supertype.
static int takes(const struct watch *w, const struct instr_watched *call, uint64_t began) {
    if (!w->used || !w->left || began < w->since || call->duration < w->filter.slower ||
        (w->filter.only_thrown && !call->thrown) || !instr_methods_has(w->names, call->id))
        return false;
    // It ended before the runtime knew that stacks are wanted.
    if (w->filter.stack && !call->has_stack) return false;
    struct instr_method m = instr_methods_get(w->names, call->id);
    if (w->filter.rule || m.detail)
        return w->filter.rule && m.detail && strcmp(w->filter.rule, m.detail) == 0;
    if (queue.alone) return true;
    return rw_watch_matches(w->filter.methods, slice_of(m.class_name), NULL, slice_of(m.name),
                            slice_of(m.descriptor));
}

// Puts a copy of the call at the end of the watch's queue. False: there is no room.
static bool put(struct watch *w, const struct instr_watched *call, const char *text, bool unsure) {
    size_t size = sizeof *call + call->size;
    if (queue.count >= MOST_CALLS || queue.bytes + size > MOST_BYTES) return false;
    struct instr_watched *copy = malloc(size);
    if (!copy) return false;
    *copy = *call;
    memcpy(copy->text, text, call->size);
    if (!w->filter.stack) copy->stack_count = 0;
    copy->unsure = unsure;
    copy->next = NULL;
    if (!w->first) w->last = &w->first;
    *w->last = copy;
    w->last = &copy->next;
    w->left -= !unsure;
    queue.count++;
    queue.bytes += size;
    return true;
}

// A thread of the application never waits for one that has been preempted; who holds the mutex does so for less than a
// microsecond.
static bool lock_soon(void) {
    for (int tries = 0; tries < 16; tries++) {
        if (pthread_mutex_trylock(&queue.mutex) == 0) return true;
        sched_yield();
    }
    return false;
}

// Hands the call to all watches that take it. Returns whether any did.
static bool hand_out(JNIEnv *jni, const struct instr_watched *call, const char *text) {
    bool some = false, more = false;
    uint64_t began = instr_clock_now() - call->duration;
    if (!lock_soon()) {
        atomic_fetch_add(&queue.missed, 1);
        return false;
    }
    for (int i = 0; i < INSTR_WATCHES; i++) {
        struct watch *w = &queue.watches[i];
        int taken = takes(w, call, began);
        if (taken) {
            bool done = put(w, call, text, taken == RW_WATCH_UNSURE);
            w->dropped += !done;
            some |= done;
        }
        more |= w->used && w->left;
    }
    // Under the mutex, since a watch that begins sets it, too.
    if (!more) set(jni, "on", "Z", 0);
    pthread_mutex_unlock(&queue.mutex);
    return some;
}

static void JNICALL native_call(JNIEnv *jni, jclass class, jint id, jint end, jlong duration,
                                jstring thread, jobjectArray arguments, jstring result,
                                jobjectArray stack) {
    (void)class;
    char bytes[20 * 1024];
    struct text text = {bytes, 0, sizeof bytes};
    struct instr_watched call = {.id = id, .thrown = end != 0, .duration = (uint64_t)duration};
    call.time = instr_clock_date();
    call.thread = add(jni, &text, thread);
    call.result = add(jni, &text, result);
    call.returned = result != NULL;
    call.argument_count = add_list(jni, &text, arguments, &call.arguments);
    call.stack_count = add_list(jni, &text, stack, &call.stack);
    call.has_stack = stack != NULL;
    call.size = text.used;
    if (hand_out(jni, &call, bytes)) instr_wake();
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
    for (int i = 0; i < INSTR_WATCHES; i++) queue.watches[i].left = 0;
    pthread_mutex_unlock(&queue.mutex);
    instr_wake();
}

// --- for the control thread ---

static struct instr_watched *take_all(struct watch *w) {
    struct instr_watched *calls = w->first;
    for (const struct instr_watched *c = calls; c; c = c->next) {
        queue.count--;
        queue.bytes -= sizeof *c + c->size;
    }
    w->first = NULL;
    return calls;
}

struct instr_watched *instr_watch_fetch(int watch) {
    pthread_mutex_lock(&queue.mutex);
    struct instr_watched *calls = take_all(&queue.watches[watch]);
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

uint64_t instr_watch_dropped(int watch) {
    pthread_mutex_lock(&queue.mutex);
    const struct watch *w = &queue.watches[watch];
    uint64_t missed = atomic_load(&queue.missed) - w->missed;
    uint64_t dropped = w->dropped + (w->left ? missed : 0);
    pthread_mutex_unlock(&queue.mutex);
    return dropped;
}

int instr_watch_failed(char *what, size_t size) {
    pthread_mutex_lock(&queue.mutex);
    snprintf(what, size, "%s", queue.failed);
    pthread_mutex_unlock(&queue.mutex);
    return *what != '\0';
}

// Lets the runtime through what any watch takes. With the mutex.
static void set_gate(JNIEnv *jni) {
    uint64_t slower = UINT64_MAX >> 1;
    bool on = false, only_thrown = true, stacks = false;
    unsigned used = 0;
    for (int i = 0; i < INSTR_WATCHES; i++) {
        const struct watch *w = &queue.watches[i];
        if (!w->used) continue;
        used++;
        if (w->filter.slower < slower) slower = w->filter.slower;
        on |= w->left != 0;
        only_thrown &= w->filter.only_thrown != 0;
        stacks |= w->filter.stack != 0;
    }
    queue.alone = used == 1;
    if (!queue.gate || !jni) return;
    set(jni, "number", "J", (int64_t)queue.number);
    set(jni, "slower", "J", (int64_t)slower);
    set(jni, "onlyThrown", "Z", only_thrown);
    set(jni, "stacks", "Z", stacks);
    set(jni, "on", "Z", on);
}

int instr_watch_begin(JNIEnv *jni, const struct instr_watch_filter *filter,
                      const struct instr_methods *names) {
    int free_one = -1, used = 0;
    pthread_mutex_lock(&queue.mutex);
    for (int i = INSTR_WATCHES - 1; i >= 0; i--)
        if (queue.watches[i].used)
            used++;
        else
            free_one = i;
    if (free_one >= 0) {
        if (!used) queue.number++;
        if (!used) queue.failed[0] = '\0';
        queue.watches[free_one] = (struct watch){.used = true,
                                                 .filter = *filter,
                                                 .names = names,
                                                 .left = filter->limit,
                                                 .since = instr_clock_now(),
                                                 .missed = atomic_load(&queue.missed)};
        set_gate(jni);
    }
    pthread_mutex_unlock(&queue.mutex);
    return free_one;
}

void instr_watch_end(JNIEnv *jni, int watch) {
    pthread_mutex_lock(&queue.mutex);
    struct instr_watched *calls = take_all(&queue.watches[watch]);
    queue.watches[watch] = (struct watch){.used = false};
    set_gate(jni);
    pthread_mutex_unlock(&queue.mutex);
    instr_watch_free(calls);
}

void instr_watch_end_all(JNIEnv *jni) {
    for (int i = 0; i < INSTR_WATCHES; i++) instr_watch_end(jni, i);
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

bool instr_watch_prepare(JNIEnv *jni, char *reason, size_t size) {
    static char call[] = "call", failed[] = "failed", of_text[] = "(Ljava/lang/String;)V";
    static char message[] = "message", of_exception[] = "(Ljava/lang/Throwable;)Ljava/lang/String;";
    static char stack[] = "stack",
                of_stack[] = "(Ljava/lang/Throwable;)[Ljava/lang/StackTraceElement;";
    static char of_call[] = "(IIJLjava/lang/String;[Ljava/lang/String;Ljava/lang/String;"
                            "[Ljava/lang/String;)V";
    const JNINativeMethod methods[] = {{call, of_call, (void *)native_call},
                                       {failed, of_text, (void *)native_failed},
                                       {message, of_exception, (void *)native_message},
                                       {stack, of_stack, (void *)native_stack}};
    if (!instr_runtime_add(jni, "InstrWatch", reason, size)) return false;
    jclass natives = instr_runtime_class("InstrWatchNative");
    queue.gate = instr_runtime_class("InstrWatch");
    find_members(jni);
    if (natives && queue.gate && (*jni)->RegisterNatives(jni, natives, methods, 4) == 0)
        return true;
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    snprintf(reason, size, "watch: a class of the runtime is missing");
    return false;
}

static bool start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *options,
                  char *reason, size_t size) {
    (void)jvmti;
    (void)options;
    return instr_watch_prepare(jni, reason, size);
}

static uint64_t count_events(JNIEnv *jni, const struct rw_pass *pass) {
    (void)pass;
    jfieldID id = queue.gate ? (*jni)->GetStaticFieldID(jni, queue.gate, "calls", "J") : NULL;
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    return id ? (uint64_t)(*jni)->GetStaticLongField(jni, queue.gate, id) : 0;
}

// Calls are reported as they happen, never afterwards.
static void report_results(const struct instr_results *results, unsigned pass) {
    (void)results;
    (void)pass;
}

// The methods of the pass change with each watch that begins or ends: it is stopped and started then,
// and the watches go on. Those of a pass that is off are ended by their clients.
const struct instr_agent_pass instr_agent_pass_watch = {.one_owner = true,
                                                        .start = start,
                                                        .events = count_events,
                                                        .report = report_results,
                                                        .releases_ids = true};
