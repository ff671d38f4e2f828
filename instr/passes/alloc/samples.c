// samples.c: alloc.mode=sampled: some of the allocations, with their stacks, as SampledObjectAlloc
// (JVM TI 11.2.36) reports them; and which of these objects are still alive
//
// An object of s bytes is sampled with the probability p = 1 - exp(-s / interval). So a sampled
// object stands for 1 / p objects.

#define _POSIX_C_SOURCE 200809L

#include "instr/passes/alloc/internal.h"
#include "instr/base/hash.h"
#include "instr/vm/jvmti.h"

#include "classfile/arena.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_DEPTH 256
#define MEMORY ((size_t)64 << 20) // for stacks and names; later samples have no stack
#define FIRST_WATCHED 4096
#define MOST_WATCHED (1 << 20)

struct frame { // a method
    jmethodID method;
    const char *class_name, *name; // internal form
    struct frame *next;            // in its bucket
};

struct stack {
    uint64_t hash;
    struct stack *next; // in its bucket
    const char *class_name;
    uint32_t line; // of the innermost frame
    jlocation location;
    uint32_t depth;
    double count, bytes, live_count, live_bytes; // estimates
    const struct frame *frames[];                // the innermost first
};

struct watched { // a sampled object
    jweak object;
    struct stack *stack;
    double count, bytes; // estimates
};

#define BUCKETS 16384
#define DEFAULT_INTERVAL (512 * 1024) // of SetHeapSamplingInterval

static struct {
    pthread_mutex_t mutex; // for all fields below
    bool prepared;
    struct cf_arena arena;
    struct frame *frames[BUCKETS];
    struct stack *stacks[BUCKETS];
    size_t stacks_count;
    struct watched *watched;
    size_t watched_count, watched_capacity;
    uint64_t unwatched; // there was no room
    bool full;          // new stacks have no frames
    atomic_bool active;
} samples = {.mutex = PTHREAD_MUTEX_INITIALIZER};

// 1 - exp(-x) for x >= 0, without libm: the series for x / 2^k, then k doublings:
// 1 - exp(-2y) = t (2 - t) where t = 1 - exp(-y).
static double probability(double x) {
    int doublings = 0;
    if (x > 50) return 1;
    for (; x > 1.0 / 1024; x /= 2) doublings++;
    double t = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4)));
    while (doublings-- > 0) t *= 2 - t;
    return t;
}

// --- names ---

static const char *copy_of(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = cf_arena_alloc(&samples.arena, size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}

static void release(void *memory) {
    if (memory != NULL) (*instr_alloc.jvmti)->Deallocate(instr_alloc.jvmti, memory);
}

// Names are looked up when a method is first seen: later its class may be unloaded.
static struct frame *new_frame(JNIEnv *jni, jmethodID method) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    char *name = NULL, *memory = NULL;
    const char *class_name = instr_alloc_declaring_class(jni, method, &memory);
    struct frame *frame = cf_arena_alloc(&samples.arena, sizeof *frame);
    if ((*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) != JVMTI_ERROR_NONE) name = NULL;
    if (frame != NULL) {
        frame->method = method;
        frame->class_name = copy_of(class_name != NULL ? class_name : "?");
        frame->name = copy_of(name != NULL ? name : "?");
        if (frame->class_name == NULL || frame->name == NULL) frame = NULL;
    }
    release(name);
    release(memory);
    return frame;
}

static const struct frame *frame_of(JNIEnv *jni, jmethodID method) {
    uint64_t hash = (uint64_t)(uintptr_t)method * UINT64_C(0x9E3779B97F4A7C15);
    struct frame **bucket = &samples.frames[(hash >> 32) % BUCKETS];
    for (struct frame *f = *bucket; f != NULL; f = f->next)
        if (f->method == method) return f;
    struct frame *frame = new_frame(jni, method);
    if (frame == NULL) return NULL;
    frame->next = *bucket;
    return *bucket = frame;
}

// --- stacks ---

static uint64_t hash_of(const jvmtiFrameInfo *frames, jint depth, const char *class_name) {
    uint64_t hash = instr_hash(class_name, strlen(class_name), 0);
    if (depth > 0) hash ^= (uint64_t)frames[0].location;
    for (jint i = 0; i < depth; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)frames[i].method) * UINT64_C(0x9E3779B97F4A7C15) ^
               hash >> 31;
    return hash;
}

static bool is_stack(const struct stack *stack, const jvmtiFrameInfo *frames, jint depth,
                     const char *class_name) {
    if (stack->depth != (uint32_t)depth || strcmp(stack->class_name, class_name) != 0) return false;
    if (depth > 0 && stack->location != frames[0].location) return false;
    for (jint i = 0; i < depth; i++)
        if (stack->frames[i]->method != frames[i].method) return false;
    return true;
}

static struct stack *new_stack(JNIEnv *jni, const jvmtiFrameInfo *frames, jint depth,
                               const char *class_name) {
    struct stack *stack =
        cf_arena_zeroed(&samples.arena, 1, sizeof *stack + (size_t)depth * sizeof *stack->frames);
    if (stack == NULL || (stack->class_name = copy_of(class_name)) == NULL) return NULL;
    for (jint i = 0; i < depth; i++)
        if ((stack->frames[i] = frame_of(jni, frames[i].method)) == NULL) return NULL;
    stack->depth = (uint32_t)depth;
    stack->location = depth > 0 ? frames[0].location : -1;
    stack->line =
        depth > 0 ? instr_jvmti_line(instr_alloc.jvmti, frames[0].method, frames[0].location) : 0;
    return stack;
}

// Finds or adds the stack; without memory, a stack without frames: those are few and small.
static struct stack *stack_of(JNIEnv *jni, const jvmtiFrameInfo *frames, jint depth,
                              const char *class_name) {
    uint64_t hash = hash_of(frames, depth, class_name);
    struct stack **bucket = &samples.stacks[(hash >> 20) % BUCKETS];
    for (struct stack *s = *bucket; s != NULL; s = s->next)
        if (s->hash == hash && is_stack(s, frames, depth, class_name)) return s;
    bool allowed = depth == 0 || !samples.full;
    struct stack *stack = allowed ? new_stack(jni, frames, depth, class_name) : NULL;
    if (stack == NULL) {
        samples.full = true;
        samples.arena.limit = 0;
        return depth > 0 ? stack_of(jni, frames, 0, class_name) : NULL;
    }
    stack->hash = hash;
    stack->next = *bucket;
    samples.stacks_count++;
    return *bucket = stack;
}

// --- live objects ---

// Removes the objects that have been collected.
static void sweep(JNIEnv *jni) {
    size_t left = 0;
    for (size_t i = 0; i < samples.watched_count; i++) {
        struct watched *w = &samples.watched[i];
        if (instr_alloc.jni->IsSameObject(jni, w->object, NULL))
            instr_alloc.jni->DeleteWeakGlobalRef(jni, w->object);
        else
            samples.watched[left++] = *w;
    }
    samples.watched_count = left;
}

// Makes room for one more. If more than half are alive, the capacity doubles.
static bool reserve(JNIEnv *jni) {
    if (samples.watched_count < samples.watched_capacity) return true;
    if (samples.watched_capacity > 0) sweep(jni);
    size_t capacity = samples.watched_capacity > 0 ? samples.watched_capacity : FIRST_WATCHED;
    if (samples.watched_count > capacity / 2 && capacity < MOST_WATCHED) capacity *= 2;
    if (capacity > samples.watched_capacity) {
        struct watched *larger = realloc(samples.watched, capacity * sizeof *larger);
        if (larger != NULL) {
            samples.watched = larger;
            samples.watched_capacity = capacity;
        }
    }
    return samples.watched_count < samples.watched_capacity;
}

static void watch(JNIEnv *jni, jobject object, struct stack *stack, double count, double bytes) {
    jweak weak = reserve(jni) ? instr_alloc.jni->NewWeakGlobalRef(jni, object) : NULL;
    if (weak == NULL) {
        if (instr_alloc.jni->ExceptionCheck(jni)) instr_alloc.jni->ExceptionClear(jni);
        samples.unwatched++;
        return;
    }
    samples.watched[samples.watched_count++] = (struct watched){weak, stack, count, bytes};
}

// Takes the array over from `samples`, under the lock.
static struct watched *take_watched(size_t *count) {
    struct watched *watched = samples.watched;
    *count = samples.watched_count;
    samples.watched = NULL;
    samples.watched_count = samples.watched_capacity = 0;
    return watched;
}

// Without the lock: there may be a million of them.
static void free_watched(JNIEnv *jni, struct watched *watched, size_t count) {
    for (size_t i = 0; i < count; i++) instr_alloc.jni->DeleteWeakGlobalRef(jni, watched[i].object);
    free(watched);
}

static void stop_watching(JNIEnv *jni) {
    size_t count;
    pthread_mutex_lock(&samples.mutex);
    struct watched *watched = take_watched(&count);
    pthread_mutex_unlock(&samples.mutex);
    free_watched(jni, watched, count);
}

// --- the event ---

// The holder of the lock calls the JVM, where a debugger may suspend it. The application must not
// wait for that: it drops the sample instead.
static bool lock_briefly(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20 * 1000 * 1000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return pthread_mutex_timedlock(&samples.mutex, &until) == 0;
}

static void add_sample(JNIEnv *jni, const jvmtiFrameInfo *frames, jint depth, jobject object,
                       char *signature, jlong size) {
    const char *class_name = instr_alloc_name_of(signature);
    double p = probability((double)size / (instr_alloc.options.interval + 1.0));
    double count = p > 0 ? 1 / p : 1;
    if (!lock_briefly()) return;
    // What a sample adds after the end would stay until the pass is on again.
    bool active = atomic_load_explicit(&samples.active, memory_order_relaxed);
    struct stack *stack = active ? stack_of(jni, frames, depth, class_name) : NULL;
    if (stack != NULL) {
        stack->count += count;
        stack->bytes += count * (double)size;
        // A value object has no identity, so it cannot be watched.
        if (instr_alloc.options.live && object != NULL)
            watch(jni, object, stack, count, count * (double)size);
    }
    pthread_mutex_unlock(&samples.mutex);
}

static void JNICALL on_sample(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                              jclass class, jlong size) {
    jvmtiFrameInfo frames[MAX_DEPTH];
    jint depth = 0;
    char *signature = NULL;
    if (!atomic_load_explicit(&samples.active, memory_order_relaxed)) return;
    if ((*jvmti)->GetStackTrace(jvmti, thread, 0, MAX_DEPTH, frames, &depth) != JVMTI_ERROR_NONE)
        depth = 0;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE) return;
    add_sample(jni, frames, depth, object, signature, size);
    release(signature);
}

// --- start, stop, results ---

const char *instr_alloc_samples_set_interval(void) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    return (*jvmti)->SetHeapSamplingInterval(jvmti, instr_alloc.options.interval) ==
                   JVMTI_ERROR_NONE
               ? NULL
               : "alloc: the JVM refuses the sampling interval";
}

const char *instr_alloc_samples_start(JNIEnv *jni) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    jvmtiEventCallbacks callbacks = {.SampledObjectAlloc = on_sample};
    if (instr_alloc.jni == NULL) instr_alloc.jni = *jni;
    if (!samples.prepared) {
        cf_arena_init(&samples.arena);
        samples.arena.limit = MEMORY;
        samples.prepared = true;
    }
    if (!instr_alloc.options.live) stop_watching(jni);
    if ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE)
        return "alloc: the JVM does not sample allocations";
    atomic_store(&samples.active, true);
    if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
                                           NULL) != JVMTI_ERROR_NONE)
        return "alloc: the JVM does not sample allocations";
    return NULL;
}

void instr_alloc_samples_stop(void) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    const jvmtiCapabilities solo = {.can_generate_sampled_object_alloc_events = 1};
    jvmtiCapabilities held;
    atomic_store(&samples.active, false);
    if (jvmti == NULL) return;
    // The function table of JDK 8 lacks SetHeapSamplingInterval.
    if ((*jvmti)->GetCapabilities(jvmti, &held) != JVMTI_ERROR_NONE ||
        !held.can_generate_sampled_object_alloc_events)
        return;
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
                                       NULL);
    // Only one environment of a JVM can hold it. The interval is one for all.
    (*jvmti)->SetHeapSamplingInterval(jvmti, DEFAULT_INTERVAL);
    (*jvmti)->RelinquishCapabilities(jvmti, &solo);
}

void instr_alloc_samples_forget(JNIEnv *jni) {
    size_t count;
    pthread_mutex_lock(&samples.mutex);
    struct watched *watched = take_watched(&count);
    cf_arena_free(&samples.arena);
    samples.arena.limit = MEMORY;
    samples.full = false;
    memset(samples.frames, 0, sizeof samples.frames);
    memset(samples.stacks, 0, sizeof samples.stacks);
    samples.stacks_count = 0;
    pthread_mutex_unlock(&samples.mutex);
    free_watched(jni, watched, count);
}

static uint64_t rounded(double x) {
    return x < 0 ? 0 : (uint64_t)(x + 0.5);
}

// Reports are written when the samples may be gone.
static const char *text_of(struct instr_alloc_report *report, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = instr_alloc_room(report, size);
    return copy == NULL ? "?" : memcpy(copy, text, size);
}

static const char *frame_text(struct instr_alloc_report *report, const struct frame *frame) {
    const char *class_name = instr_alloc_class_name(report, frame->class_name);
    size_t length = strlen(class_name), name = strlen(frame->name);
    char *text = instr_alloc_room(report, length + name + 2);
    if (text == NULL) return "?";
    memcpy(text, class_name, length);
    text[length] = '.';
    memcpy(text + length + 1, frame->name, name + 1);
    return text;
}

static void report_stack(struct instr_alloc_report *report, const struct stack *stack,
                         struct instr_alloc_stack *to) {
    const char **frames = instr_alloc_room(report, (stack->depth + 1) * sizeof *frames);
    const struct frame *top = stack->depth > 0 ? stack->frames[0] : NULL;
    struct instr_alloc_site site = {
        .class_name = instr_alloc_class_name(report, stack->class_name),
        .site_class = top == NULL ? "" : instr_alloc_class_name(report, top->class_name),
        .site_method = top == NULL ? "" : text_of(report, top->name),
        .site_line = stack->line,
        .count = rounded(stack->count),
        .bytes = rounded(stack->bytes),
        .live_count = rounded(stack->live_count),
        .live_bytes = rounded(stack->live_bytes),
    };
    if (frames == NULL) return;
    for (uint32_t i = 0; i < stack->depth; i++)
        frames[i] = frame_text(report, stack->frames[stack->depth - 1 - i]);
    frames[stack->depth] = site.class_name;
    *to = (struct instr_alloc_stack){frames, stack->depth + 1, site.count, site.bytes};
    instr_alloc_report_add(report, &site);
}

static void find_live(JNIEnv *jni) {
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct stack *s = samples.stacks[i]; s != NULL; s = s->next)
            s->live_count = s->live_bytes = 0;
    sweep(jni);
    for (size_t i = 0; i < samples.watched_count; i++) {
        const struct watched *w = &samples.watched[i];
        w->stack->live_count += w->count;
        w->stack->live_bytes += w->bytes;
    }
}

void instr_alloc_samples_report(JNIEnv *jni, struct instr_alloc_report *report) {
    report->sampled = 1;
    report->live = instr_alloc.options.live;
    // Unreachable objects must not count as alive.
    if (report->live) (*instr_alloc.jvmti)->ForceGarbageCollection(instr_alloc.jvmti);
    pthread_mutex_lock(&samples.mutex);
    struct instr_alloc_stack *stacks =
        instr_alloc_room(report, (samples.stacks_count + 1) * sizeof *stacks);
    if (stacks != NULL) memset(stacks, 0, (samples.stacks_count + 1) * sizeof *stacks);
    if (report->live) find_live(jni);
    for (size_t i = 0; i < BUCKETS && stacks != NULL; i++)
        for (const struct stack *s = samples.stacks[i]; s != NULL && !report->failed; s = s->next)
            if (s->count > 0) report_stack(report, s, &stacks[report->stack_count++]);
    report->stacks = stacks;
    pthread_mutex_unlock(&samples.mutex);
}

size_t instr_alloc_samples_bytes(void) {
    pthread_mutex_lock(&samples.mutex);
    size_t bytes = (samples.prepared ? samples.arena.taken : 0) +
                   samples.watched_capacity * sizeof *samples.watched;
    pthread_mutex_unlock(&samples.mutex);
    return bytes;
}
