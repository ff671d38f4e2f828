// The ring is Vyukov's bounded queue: the sequence of a slot says whose turn it is.
//
//      sequence == position            free, for the event at `position`
//      sequence == position + 1        written, for the reader
//      sequence == position + SLOTS    read: free for the next round

#include "instr/passes/plugin/events.h"

#include "instr/base/clock.h"
#include "instr/base/thread.h"
#include "instr/plugins/open.h"
#include "instr/vm/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLOTS = 1 << 15, BATCH = 256, LISTENERS = 64, EVERY_NS = 200000000, STACK = 256 << 10 };

// How long plug-ins may take at a time: commands and the JVM's end wait for them.
#define MOST_NS UINT64_C(5000000000)

struct slot {
    atomic_uint_fast64_t sequence;
    int64_t value;
    uint64_t time;
    uint32_t thread;
    int id;
};

struct listener {
    const struct rw_pass *pass; // NULL: none
    atomic_uint number;         // of the pass
    atomic_uint_fast64_t lost;
};

static struct {
    _Atomic(struct slot *)
        slots; // NULL: not needed yet; never freed, since threads may write to it
    atomic_uint_fast64_t tail;
    _Atomic(struct instr_methods *) methods;
    struct listener listeners[LISTENERS]; // `pass` with the lock
    pthread_mutex_t lock;                 // held while plug-ins get events
    pthread_cond_t change;                // ready with the slots
    uint64_t head;
    unsigned used; // listeners
    bool running;  // the thread
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER};

// --- threads of the program ---

static uint32_t this_thread(void) {
    static _Thread_local uint32_t number;
    if (!number) number = (uint32_t)syscall(SYS_gettid);
    return number;
}

static void lose(int id) {
    struct instr_methods *methods = atomic_load(&ring.methods);
    if (!instr_methods_has(methods, id)) return;
    unsigned pass = instr_methods_get(methods, id).pass;
    for (size_t i = 0; i < LISTENERS; i++)
        if (atomic_load(&ring.listeners[i].number) == pass)
            atomic_fetch_add(&ring.listeners[i].lost, 1);
}

static void JNICALL emit(JNIEnv *jni, jclass natives, jlong value, jint id) {
    struct slot *slots = atomic_load_explicit(&ring.slots, memory_order_acquire), *slot;
    uint_fast64_t position = atomic_load_explicit(&ring.tail, memory_order_relaxed);
    (void)jni;
    (void)natives;
    if (!slots) return;
    for (;;) {
        slot = &slots[position & (SLOTS - 1)];
        uint64_t sequence = atomic_load_explicit(&slot->sequence, memory_order_acquire);
        if (sequence == position) {
            if (atomic_compare_exchange_weak(&ring.tail, &position, position + 1)) break;
        } else if ((int64_t)(sequence - position) < 0) {
            lose(id);
            return;
        } else {
            position = atomic_load_explicit(&ring.tail, memory_order_relaxed);
        }
    }
    slot->value = value;
    slot->time = instr_clock_now();
    slot->thread = this_thread();
    slot->id = id;
    atomic_store_explicit(&slot->sequence, position + 1, memory_order_release);
}

// --- the agent's thread; with the lock ---

struct batch {
    struct instr_event events[BATCH];
    unsigned passes[BATCH]; // their numbers
    uint32_t count;
    struct cf_arena names;
};

static const char *dotted(struct cf_arena *arena, const char *name) {
    size_t length = strlen(name);
    char *text = cf_arena_alloc(arena, length + 1);
    if (!text) return "";
    memcpy(text, name, length + 1);
    for (char *c = text; *c; c++)
        if (*c == '/') *c = '.';
    return text;
}

static void add(struct batch *batch, const struct slot *slot) {
    struct instr_methods *methods = atomic_load(&ring.methods);
    if (!instr_methods_has(methods, slot->id)) return;
    struct instr_method m = instr_methods_get(methods, slot->id);
    if (!m.detail) return;
    batch->passes[batch->count] = m.pass;
    batch->events[batch->count++] = (struct instr_event){
        .size = sizeof(struct instr_event),
        .line = m.line,
        .name = m.detail + 1,
        .class_name = dotted(&batch->names, m.class_name),
        .method = m.name,
        .descriptor = m.descriptor,
        .value = slot->value,
        .time = slot->time,
        .thread = slot->thread,
    };
}

// Takes events out of the ring. False: there are no more.
static bool take(struct batch *batch) {
    struct slot *slots = atomic_load(&ring.slots);
    for (batch->count = 0; batch->count < BATCH; ring.head++) {
        struct slot *slot = &slots[ring.head & (SLOTS - 1)];
        if (atomic_load_explicit(&slot->sequence, memory_order_acquire) != ring.head + 1)
            return false;
        add(batch, slot);
        atomic_store_explicit(&slot->sequence, ring.head + SLOTS, memory_order_release);
    }
    return true;
}

static void hand_over(const struct batch *batch) {
    const struct instr_event *events[BATCH];
    for (struct listener *l = ring.listeners; l < ring.listeners + LISTENERS; l++) {
        uint32_t count = 0;
        if (!l->pass) continue;
        for (uint32_t i = 0; i < batch->count; i++)
            if (batch->passes[i] == atomic_load(&l->number)) events[count++] = &batch->events[i];
        uint64_t lost = atomic_exchange(&l->lost, 0);
        if (count || lost) instr_plugin_drain(l->pass, events, count, lost);
    }
}

static void lose_batch(struct batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++)
        for (struct listener *l = ring.listeners; l < ring.listeners + LISTENERS; l++)
            if (batch->passes[i] == atomic_load(&l->number)) atomic_fetch_add(&l->lost, 1);
    batch->count = 0;
}

// At most what the ring holds, so that it ends in a busy program. What plug-ins do not take in time is lost.
static void drain(void) {
    struct batch *batch = atomic_load(&ring.slots) ? malloc(sizeof *batch) : NULL;
    if (!batch) return;
    cf_arena_init(&batch->names);
    uint64_t until = instr_clock_now() + MOST_NS;
    bool more = true, late = false;
    for (int i = 0; i < SLOTS / BATCH && more; i++) {
        more = take(batch);
        late = instr_clock_now() > until;
        if (late)
            lose_batch(batch);
        else
            hand_over(batch);
        cf_arena_reset(&batch->names, 1 << 16);
    }
    if (late) hand_over(batch); // how many that are
    cf_arena_free(&batch->names);
    free(batch);
}

static void *run(void *unused) {
    prctl(PR_SET_NAME, "instr plug-ins");
    pthread_mutex_lock(&ring.lock);
    while (ring.used) {
        drain();
        instr_condition_wait(&ring.change, &ring.lock, instr_clock_now() + EVERY_NS);
    }
    ring.running = false;
    pthread_mutex_unlock(&ring.lock);
    return unused;
}

// --- start and stop ---

static bool make_ring(void) {
    if (atomic_load(&ring.slots)) return true;
    struct slot *slots = calloc(SLOTS, sizeof *slots);
    if (slots) instr_condition_init(&ring.change);
    for (uint64_t i = 0; slots && i < SLOTS; i++) atomic_init(&slots[i].sequence, i);
    atomic_store(&ring.slots, slots);
    for (size_t i = 0; i < LISTENERS; i++) atomic_store(&ring.listeners[i].number, UINT32_MAX);
    return slots;
}

static bool register_emit(JNIEnv *jni) {
    static char name[] = "emit", descriptor[] = "(JI)V";
    const JNINativeMethod method = {name, descriptor, (void *)emit};
    jclass natives = instr_runtime_class("InstrPluginNative");
    bool ok = natives && (*jni)->RegisterNatives(jni, natives, &method, 1) == 0;
    (*jni)->ExceptionClear(jni);
    return ok;
}

// Drops what code of an earlier time has left in the ring.
static const char *listen(const struct rw_pass *pass, unsigned number) {
    struct listener *room = NULL;
    for (struct listener *l = ring.listeners; l < ring.listeners + LISTENERS; l++)
        if (!l->pass && !room) room = l;
    if (!room || !make_ring()) return "out of memory";
    drain();
    room->pass = pass;
    atomic_store(&room->lost, 0);
    atomic_store(&room->number, number);
    ring.used++;
    if (!ring.running) ring.running = instr_thread_start(run, STACK) == 0;
    return ring.running ? NULL : "cannot create a thread";
}

void instr_plugin_events_use(struct instr_methods *methods) {
    atomic_store(&ring.methods, methods);
}

bool instr_plugin_events_start(JNIEnv *jni, const struct rw_pass *pass, unsigned number,
                               char *reason, size_t size) {
    const char *failed = "a class of the runtime is missing";
    if (register_emit(jni)) {
        pthread_mutex_lock(&ring.lock);
        failed = listen(pass, number);
        pthread_mutex_unlock(&ring.lock);
    }
    if (failed) instr_plugin_events_stop(pass);
    if (failed) snprintf(reason, size, "%s: %s", pass->name, failed);
    return !failed;
}

void instr_plugin_events_drain(void) {
    pthread_mutex_lock(&ring.lock);
    drain();
    pthread_mutex_unlock(&ring.lock);
}

void instr_plugin_events_stop(const struct rw_pass *pass) {
    pthread_mutex_lock(&ring.lock);
    for (struct listener *l = ring.listeners; l < ring.listeners + LISTENERS; l++) {
        if (l->pass != pass) continue;
        drain();
        atomic_store(&l->number, UINT32_MAX);
        l->pass = NULL;
        ring.used--;
    }
    if (atomic_load(&ring.slots)) pthread_cond_broadcast(&ring.change);
    pthread_mutex_unlock(&ring.lock);
}
