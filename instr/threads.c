// threads.c: see threads.h
//
// The natives here are the runtime's slow paths. They run no Java code, so nothing can recurse from
// them into instrumented code. No lock is held across a JNI call but a thread's own: a JNI call is
// where a debugger's suspension takes hold, and whoever needed that lock would hang with it.

#define _POSIX_C_SOURCE 200809L

#include "instr/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "instr/records.h"

#define SLOTS 4096
// InstrBlock.HEAD and PAGES_HEAD
#define HEAD 8
#define PAGES_HEAD 16
#define PAGE_WORDS (2 * INSTR_ROWS_PER_PAGE)
#define PAGE_BYTES (16 + 8 * (HEAD + PAGE_WORDS))
// A buffer begins small, as many threads never time much.
#define BUFFER_FIRST 64
#define BUFFER_WORDS 512
#define NO_SLOT (-1)
// Java code may still run in destructors of thread-specific data: other libraries detach their
// threads there. POSIX promises four rounds of destructors, so a block is given up in the third.
#define LAST_ROUND 3

// A thread of the operating system, or what one left behind.
struct thread {
    struct thread *next;      // of all; never changes once set
    struct thread *next_free; // guarded by state.mutex
    jobject _Atomic block;    // global reference; NULL: there was no memory
    jlong tid;                // under which its owner published the block
    int slot;                 // where; guarded by state.mutex
    bool free;                // no owner; guarded by state.mutex
    int rounds;               // of destructors
    unsigned shard;           // see instr_records_add
    unsigned attempts;        // to get memory
    unsigned misses;          // finds without a slot
    pthread_mutex_t mutex;    // who holds it may take records out of the buffer
    jsize taken; // words at the start of the buffer that have been taken; guarded by mutex
};

// The natives have no place to keep a pointer to their state, hence this one.
static struct {
    pthread_key_t key;
    pthread_mutex_t mutex;
    struct thread *_Atomic all;
    struct thread *free;
    struct thread *slots[SLOTS]; // whose block TABLE holds, or will in a moment
    jobjectArray table;          // global references from here
    jclass block_class, page_class;
    jobjectArray no_pages;
    jlongArray no_buffer;
    jfieldID tid, position, full, pages, buffer, running;
    atomic_size_t budget; // bytes left
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static const jlong zeros[BUFFER_WORDS];

static void on_thread_end(void *pointer) {
    struct thread *thread = pointer;
    if (++thread->rounds < LAST_ROUND) {
        pthread_setspecific(state.key, thread);
        return;
    }
    // No JNI here: TABLE keeps the block until somebody needs one of both.
    pthread_mutex_lock(&state.mutex);
    thread->free = true;
    thread->next_free = state.free;
    state.free = thread;
    pthread_mutex_unlock(&state.mutex);
}

// For the calling thread: what another left behind, or a new one without a block. NULL: out of
// memory.
static struct thread *adopt(void) {
    pthread_mutex_lock(&state.mutex);
    struct thread *thread = state.free;
    if (thread != NULL) {
        state.free = thread->next_free;
        thread->free = false;
        thread->rounds = 0;
    }
    pthread_mutex_unlock(&state.mutex);
    if (thread == NULL) {
        thread = calloc(1, sizeof *thread);
        if (thread == NULL) return NULL;
        thread->slot = NO_SLOT;
        pthread_mutex_init(&thread->mutex, NULL);
        thread->next = atomic_load(&state.all);
        while (!atomic_compare_exchange_weak(&state.all, &thread->next, thread)) {
        }
    }
    if (pthread_setspecific(state.key, thread) == 0) return thread;
    thread->rounds = LAST_ROUND;
    on_thread_end(thread);
    return NULL;
}

// Out of memory again each time would be a garbage collection each time.
static bool worth_trying(struct thread *thread) {
    return thread->attempts++ % 1024 == 0;
}

static void make_block(JNIEnv *jni, struct thread *thread) {
    if (!worth_trying(thread)) return;
    jobject block = (*jni)->AllocObject(jni, state.block_class);
    if (block != NULL) {
        (*jni)->SetObjectField(jni, block, state.pages, state.no_pages);
        (*jni)->SetObjectField(jni, block, state.buffer, state.no_buffer);
        (*jni)->SetIntField(jni, block, state.position, HEAD);
        // From here on others read it.
        thread->block = (*jni)->NewGlobalRef(jni, block);
        (*jni)->DeleteLocalRef(jni, block);
    }
    (*jni)->ExceptionClear(jni);
    if (thread->block != NULL) thread->attempts = 0;
}

// A slot for the thread's id that no living thread has, or NO_SLOT. Under state.mutex.
static int claim_slot(struct thread *thread) {
    int slot = (int)(thread->tid & (SLOTS - 1));
    for (int i = 0; i < 2; i++, slot ^= 1) {
        struct thread *owner = state.slots[slot];
        if (owner != NULL && !owner->free) continue;
        if (owner != NULL) owner->slot = NO_SLOT;
        state.slots[slot] = thread;
        return slot;
    }
    return NO_SLOT;
}

// Puts the block of the calling thread where Java code finds it under tid. Only the owner of a slot
// writes to it, so that each step may be seen by others at any time.
static void publish(JNIEnv *jni, struct thread *thread, jlong tid) {
    if (thread->tid != tid) {
        pthread_mutex_lock(&state.mutex);
        int old = thread->slot;
        pthread_mutex_unlock(&state.mutex);
        if (old != NO_SLOT) (*jni)->SetObjectArrayElement(jni, state.table, old, NULL);
        // Methods that another thread was in, and was not seen to leave.
        (*jni)->SetObjectField(jni, thread->block, state.running, NULL);
        (*jni)->SetLongField(jni, thread->block, state.tid, tid);
        pthread_mutex_lock(&state.mutex);
        if (old != NO_SLOT) state.slots[old] = NULL;
        thread->slot = NO_SLOT;
        thread->tid = tid;
        pthread_mutex_unlock(&state.mutex);
    }
    pthread_mutex_lock(&state.mutex);
    int slot = thread->slot == NO_SLOT ? claim_slot(thread) : NO_SLOT;
    if (slot != NO_SLOT) thread->slot = slot;
    pthread_mutex_unlock(&state.mutex);
    if (slot != NO_SLOT) (*jni)->SetObjectArrayElement(jni, state.table, slot, thread->block);
    (*jni)->ExceptionClear(jni);
}

static struct thread *current(void) {
    return pthread_getspecific(state.key);
}

static jobject JNICALL native_find(JNIEnv *jni, jclass class, jlong tid) {
    (void)class;
    struct thread *thread = current();
    if (thread == NULL && (thread = adopt()) == NULL) return NULL;
    if (thread->block == NULL) make_block(jni, thread);
    if (thread->block == NULL) return NULL;
    // A thread that found both its slots taken comes here each time; it need not try again each
    // time.
    if (tid != 0 && (thread->tid != tid || thread->misses++ % 64 == 0)) publish(jni, thread, tid);
    return thread->block;
}

static bool charge(size_t bytes) {
    size_t left = atomic_load(&state.budget);
    do {
        if (left < bytes) return false;
    } while (!atomic_compare_exchange_weak(&state.budget, &left, left - bytes));
    return true;
}

static void refund(size_t bytes) {
    atomic_fetch_add(&state.budget, bytes);
}

// The block's list of pages, with room for `index`; NULL: over budget, or out of memory.
static jobjectArray pages_for(JNIEnv *jni, jobject block, jsize index) {
    jobjectArray pages = (*jni)->GetObjectField(jni, block, state.pages);
    jsize length = (*jni)->GetArrayLength(jni, pages);
    if (index < length) return pages;
    jsize more = length == 0 ? 2 * PAGES_HEAD : length;
    while (more <= index) more *= 2;
    if (!charge((size_t)more * sizeof(jint))) return NULL;
    jobjectArray copy = (*jni)->NewObjectArray(jni, more, state.page_class, NULL);
    if (copy == NULL) {
        refund((size_t)more * sizeof(jint));
        return NULL;
    }
    for (jsize i = PAGES_HEAD; i < length; i++) {
        jobject page = (*jni)->GetObjectArrayElement(jni, pages, i);
        if (page == NULL) continue;
        (*jni)->SetObjectArrayElement(jni, copy, i, page);
        (*jni)->DeleteLocalRef(jni, page);
    }
    refund((size_t)length * sizeof(jint));
    (*jni)->SetObjectField(jni, block, state.pages, copy);
    return copy;
}

static jlongArray add_page(JNIEnv *jni, jobject block, jsize index) {
    jobjectArray pages = pages_for(jni, block, index);
    if (pages == NULL || !charge(PAGE_BYTES)) return NULL;
    jlongArray page = (*jni)->NewLongArray(jni, HEAD + PAGE_WORDS);
    if (page == NULL)
        refund(PAGE_BYTES);
    else
        (*jni)->SetObjectArrayElement(jni, pages, index, page);
    return page;
}

static jlongArray JNICALL native_page(JNIEnv *jni, jclass class, jint id) {
    (void)class;
    struct thread *thread = current();
    if (thread == NULL || thread->block == NULL || id < 0) return NULL;
    jlongArray page = add_page(jni, thread->block, PAGES_HEAD + id / INSTR_ROWS_PER_PAGE);
    (*jni)->ExceptionClear(jni);
    if (page == NULL) (*jni)->SetBooleanField(jni, thread->block, state.full, JNI_TRUE);
    return page;
}

// How many of the records are complete, when their writer may be at work: it does not order its
// stores, but a word not written yet is 0.
static jsize complete(const jlong *words, jsize n) {
    jsize i = 0;
    while (i < n && words[2 * i] < 0 && words[2 * i + 1] < 0) i++;
    return i;
}

// Takes the records that are in the buffer and have not been taken, under the thread's mutex.
// Returns how many words of the buffer are in use, after its head.
static jsize take(JNIEnv *jni, struct thread *thread, jlongArray buffer) {
    jlong words[BUFFER_WORDS];
    jsize used = (*jni)->GetIntField(jni, thread->block, state.position) - HEAD;
    jsize n = (used - thread->taken) / 2;
    if (n <= 0) return used;
    (*jni)->GetLongArrayRegion(jni, buffer, HEAD + thread->taken, 2 * n, words);
    if (thread != current()) n = complete(words, n);
    if (n != 0) instr_records_add(words, (size_t)n, &thread->shard);
    thread->taken += 2 * n;
    return used;
}

// A larger buffer for the thread, or NULL: it needs none, or there is no memory.
static jlongArray larger_buffer(JNIEnv *jni, struct thread *thread, jsize length) {
    if (length == HEAD + BUFFER_WORDS || (length == 0 && !worth_trying(thread))) return NULL;
    jlongArray larger =
        (*jni)->NewLongArray(jni, HEAD + (length == 0 ? BUFFER_FIRST : BUFFER_WORDS));
    (*jni)->ExceptionClear(jni);
    return larger;
}

static void JNICALL native_flush(JNIEnv *jni, jclass class) {
    (void)class;
    struct thread *thread = current();
    if (thread == NULL || thread->block == NULL) return;
    pthread_mutex_lock(&thread->mutex);
    jlongArray buffer = (*jni)->GetObjectField(jni, thread->block, state.buffer);
    jsize used = take(jni, thread, buffer);
    jlongArray larger = larger_buffer(jni, thread, (*jni)->GetArrayLength(jni, buffer));
    if (larger != NULL)
        (*jni)->SetObjectField(jni, thread->block, state.buffer, larger);
    else if (used != 0)
        (*jni)->SetLongArrayRegion(jni, buffer, HEAD, used, zeros);
    (*jni)->SetIntField(jni, thread->block, state.position, HEAD);
    thread->taken = 0;
    pthread_mutex_unlock(&thread->mutex);
}

static void JNICALL native_record(JNIEnv *jni, jclass class, jint id, jint event, jlong duration,
                                  jlong self) {
    (void)jni, (void)class;
    if (id < 0) return;
    unsigned none = 0;
    struct thread *thread = current();
    instr_records_add_one((uint32_t)id, (enum instr_event)event, (uint64_t)duration, (uint64_t)self,
                          thread == NULL ? &none : &thread->shard);
}

static void drain_thread(JNIEnv *jni, struct thread *thread) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (pthread_mutex_timedlock(&thread->mutex, &until) != 0) return;
    jlongArray buffer = (*jni)->GetObjectField(jni, thread->block, state.buffer);
    take(jni, thread, buffer);
    pthread_mutex_unlock(&thread->mutex);
    (*jni)->DeleteLocalRef(jni, buffer);
}

void instr_threads_drain(JNIEnv *jni) {
    for (struct thread *t = atomic_load(&state.all); t != NULL; t = t->next)
        if (t->block != NULL) drain_thread(jni, t);
    (*jni)->ExceptionClear(jni);
}

void instr_threads_pages(JNIEnv *jni,
                         void (*each)(void *context, uint32_t page, const jlong *pairs),
                         void *context) {
    for (struct thread *t = atomic_load(&state.all); t != NULL; t = t->next) {
        if (t->block == NULL) continue;
        jobjectArray pages = (*jni)->GetObjectField(jni, t->block, state.pages);
        jsize length = (*jni)->GetArrayLength(jni, pages);
        for (jsize i = PAGES_HEAD; i < length; i++) {
            jlongArray page = (*jni)->GetObjectArrayElement(jni, pages, i);
            if (page == NULL) continue;
            jlong pairs[PAGE_WORDS];
            (*jni)->GetLongArrayRegion(jni, page, HEAD, PAGE_WORDS, pairs);
            (*jni)->DeleteLocalRef(jni, page);
            each(context, (uint32_t)(i - PAGES_HEAD), pairs);
        }
        (*jni)->DeleteLocalRef(jni, pages);
    }
    (*jni)->ExceptionClear(jni);
}

static void *global(JNIEnv *jni, jobject object) {
    return object == NULL ? NULL : (*jni)->NewGlobalRef(jni, object);
}

static bool find_fields(JNIEnv *jni, jclass block) {
    return (state.tid = (*jni)->GetFieldID(jni, block, "tid", "J")) != NULL &&
           (state.position = (*jni)->GetFieldID(jni, block, "position", "I")) != NULL &&
           (state.full = (*jni)->GetFieldID(jni, block, "full", "Z")) != NULL &&
           (state.pages = (*jni)->GetFieldID(jni, block, "pages", "[[J")) != NULL &&
           (state.buffer = (*jni)->GetFieldID(jni, block, "buffer", "[J")) != NULL &&
           (state.running = (*jni)->GetFieldID(jni, block, "running", "[J")) != NULL;
}

static bool register_natives(JNIEnv *jni, jclass class) {
    const JNINativeMethod natives[] = {
        {"find", "(J)Ljava/lang/Object;", (void *)native_find},
        {"page", "(I)[J", (void *)native_page},
        {"flush", "()V", (void *)native_flush},
        {"record", "(IIJJ)V", (void *)native_record},
    };
    return (*jni)->RegisterNatives(jni, class, natives, sizeof natives / sizeof *natives) == 0;
}

static bool hold_globals(JNIEnv *jni, jclass block) {
    jclass page = (*jni)->FindClass(jni, "[J");
    if (page == NULL) return false;
    state.block_class = global(jni, block);
    state.page_class = global(jni, page);
    state.no_pages = global(jni, (*jni)->NewObjectArray(jni, 0, page, NULL));
    state.no_buffer = global(jni, (*jni)->NewLongArray(jni, 0));
    return state.block_class != NULL && state.page_class != NULL && state.no_pages != NULL &&
           state.no_buffer != NULL;
}

// Initializes InstrThreads.
static bool hold_table(JNIEnv *jni, jclass threads, const char *descriptor) {
    jfieldID field = (*jni)->GetStaticFieldID(jni, threads, "TABLE", descriptor);
    if (field == NULL) return false;
    state.table = global(jni, (*jni)->GetStaticObjectField(jni, threads, field));
    return state.table != NULL && (*jni)->GetArrayLength(jni, state.table) == SLOTS;
}

const char *instr_threads_start(JNIEnv *jni, const char *package,
                                const struct instr_threads_classes *classes, size_t page_budget) {
    char table[64];
    snprintf(table, sizeof table, "[L%sInstrBlock;", package);
    if (pthread_key_create(&state.key, on_thread_end) != 0) return "no thread-specific data left";
    atomic_store(&state.budget, page_budget);
    if (!find_fields(jni, classes->block)) return "InstrBlock: a field is missing";
    if (!hold_globals(jni, classes->block)) return "out of memory";
    if (!register_natives(jni, classes->natives)) return "InstrNative: a method is missing";
    if (!hold_table(jni, classes->threads, table)) return "InstrThreads: cannot be initialized";
    return NULL;
}
