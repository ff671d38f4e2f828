#include "instr/retransform/prepared.h"

#include "instr/passes/agent_passes.h"
#include "instr/retransform/effect.h"
#include "instr/retransform/first_class.h"
#include "instr/retransform/hook.h"
#include "instr/retransform/retransform.h"
#include "instr/vm/supertypes.h"
#include "instr/vm/untouchable.h"
#include "instr/base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Classes that are loaded and never linked stay here, so there is a limit. When it is reached, and at
// least half of them still wait, all are forgotten.
enum { MOST = 1 << 16 };

static struct {
    pthread_mutex_t lock;
    uint64_t *keys; // a hash table of 2 * MOST; 0: free, GONE: was there
    size_t used;    // keys, and those that are gone
    atomic_size_t count;
} waiting = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define GONE UINT64_MAX

static _Thread_local bool busy; // this thread retransforms a class that was prepared

// Classes that were prepared meanwhile: a transformer of another agent, or a loader that the verifier asks,
// may load them. HotSpot's note of what this thread verifies does not nest, so their turn comes afterwards.
struct deferred {
    jclass cls; // global reference
    struct deferred *next;
};
static _Thread_local struct deferred *deferred;

bool instr_prepared_asks(const struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++)
        if (options->passes[i].supertypes) return true;
    return false;
}

static bool may_wait(const struct instr_options *options) {
    return instr_prepared_asks(options) || instr_agent_passes_may_wait(options);
}

static jvmtiError set_event(struct instr_agent *agent, jvmtiEventMode mode) {
    return (*agent->jvmti)
        ->SetEventNotificationMode(agent->jvmti, mode, JVMTI_EVENT_CLASS_PREPARE, NULL);
}

static void forget_all(void) {
    pthread_mutex_lock(&waiting.lock);
    free(waiting.keys);
    waiting.keys = NULL;
    waiting.used = 0;
    atomic_store(&waiting.count, 0);
    pthread_mutex_unlock(&waiting.lock);
}

bool instr_prepared_begin(struct instr_agent *agent, JNIEnv *jni,
                          const struct instr_options *options, char *reason, size_t size) {
    if (!may_wait(options)) return true;
    bool works = instr_supertypes_start(jni) && set_event(agent, JVMTI_ENABLE) == JVMTI_ERROR_NONE;
    if (works || !instr_prepared_asks(options)) return true;
    snprintf(reason, size, "this JVM does not say what extends or implements a class");
    return false;
}

void instr_prepared_end(struct instr_agent *agent, const struct instr_options *options) {
    if (may_wait(options)) return;
    set_event(agent, JVMTI_DISABLE);
    forget_all();
}

// Where the key is, or the place for it.
static size_t place_of(uint64_t key) {
    size_t i = key & (2 * MOST - 1);
    while (waiting.keys[i] && waiting.keys[i] != key) i = (i + 1) & (2 * MOST - 1);
    return i;
}

// The key of a class that is retransformed in any case.
static uint64_t certain_key(uint64_t key) {
    return key ^ (UINT64_C(1) << 63);
}

// Drops what is gone from the table; all keys, if too many classes wait.
static void make_room(void) {
    uint64_t *keys = waiting.keys;
    bool few = waiting.count < MOST / 2;
    waiting.keys = few ? calloc(2 * MOST, sizeof *keys) : NULL;
    waiting.used = 0;
    for (size_t i = 0; waiting.keys && i < 2 * MOST; i++) {
        if (!keys[i] || keys[i] == GONE) continue;
        waiting.keys[place_of(keys[i])] = keys[i];
        waiting.used++;
    }
    atomic_store(&waiting.count, waiting.used);
    free(keys);
}

void instr_prepared_await(uint64_t key, bool certain) {
    if (certain) key = certain_key(key);
    pthread_mutex_lock(&waiting.lock);
    if (waiting.used == MOST) make_room();
    if (!waiting.keys) waiting.keys = calloc(2 * MOST, sizeof *waiting.keys);
    size_t i = waiting.keys ? place_of(key) : 0;
    if (waiting.keys && !waiting.keys[i]) {
        waiting.keys[i] = key;
        waiting.used++;
        atomic_fetch_add(&waiting.count, 1);
    }
    pthread_mutex_unlock(&waiting.lock);
}

static bool stop_waiting(uint64_t key) {
    pthread_mutex_lock(&waiting.lock);
    size_t i = waiting.keys ? place_of(key) : 0;
    bool waited = waiting.keys && waiting.keys[i] == key;
    if (waited) {
        waiting.keys[i] = GONE;
        atomic_fetch_sub(&waiting.count, 1);
    }
    pthread_mutex_unlock(&waiting.lock);
    return waited;
}

// Does a pass select the class for one of its supertypes?
static bool is_selected(const struct instr_options *options, const struct rw_supertypes *above) {
    for (size_t i = 0; i < options->pass_count; i++)
        if (options->passes[i].supertypes &&
            instr_match_any(options->passes[i].supertypes, above->names, above->count))
            return true;
    return false;
}

// HotSpot can crash if an interface is retransformed (untouchable.h).
static bool can_change(jvmtiEnv *jvmti, const struct instr_plan *plan, jclass cls,
                       const char *name) {
    jboolean modifiable = JNI_FALSE;
    if ((*jvmti)->IsModifiableClass(jvmti, cls, &modifiable) != JVMTI_ERROR_NONE || !modifiable)
        return false;
    enum instr_interface kind =
        plan->options.interfaces ? INSTR_INTERFACE_NONE : instr_interface_of(jvmti, cls);
    if (kind == INSTR_INTERFACE_CODE)
        instr_engine_skip_interface(plan->engine, name, INSTR_INTERFACE_REASON);
    return kind == INSTR_INTERFACE_NONE;
}

static void change(jvmtiEnv *jvmti, const struct instr_plan *plan, jclass cls, const char *name) {
    if (!can_change(jvmti, plan, cls, name)) return;
    busy = true;
    jvmtiError error = (*jvmti)->RetransformClasses(jvmti, 1, &cls);
    busy = false;
    if (error == JVMTI_ERROR_NONE || error == JVMTI_ERROR_WRONG_PHASE) return;
    instr_engine_skip(plan->engine, name, instr_retransform_reason(error));
    instr_say("%s: skipped: %s", name, instr_retransform_reason(error));
}

static void look(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_plan *plan, jclass cls,
                 jobject loader, const char *name) {
    struct instr_supertypes above;
    if (instr_first_class_is(&instr_agent, jni, plan, loader, name)) {
        change(jvmti, plan, cls, name);
        return;
    }
    if (atomic_load(&waiting.count) == 0) return;
    uint64_t key = instr_hook_key(jvmti, name, loader);
    bool waited = stop_waiting(key);
    if (stop_waiting(certain_key(key))) {
        change(jvmti, plan, cls, name);
        return;
    }
    if (!waited) return;
    instr_supertypes_of_class(jvmti, jni, cls, &above);
    if (is_selected(&plan->options, &above.found)) change(jvmti, plan, cls, name);
    instr_supertypes_close(&above);
}

static void defer(JNIEnv *jni, jclass cls) {
    struct deferred *d = malloc(sizeof *d);
    if (!d) return;
    *d = (struct deferred){(*jni)->NewGlobalRef(jni, cls), deferred};
    if (d->cls)
        deferred = d;
    else
        free(d);
}

static void look_at(jvmtiEnv *jvmti, JNIEnv *jni, jclass cls) {
    char *signature = NULL;
    jobject loader = NULL;
    unsigned ticket;
    if ((*jvmti)->GetClassSignature(jvmti, cls, &signature, NULL) != JVMTI_ERROR_NONE) return;
    size_t length = strlen(signature);
    if (length > 2) signature[length - 1] = '\0';
    const struct instr_plan *plan = instr_plans_take(&instr_agent.plans, &ticket);
    if (plan && plan->engine && (*jvmti)->GetClassLoader(jvmti, cls, &loader) == JVMTI_ERROR_NONE)
        look(jvmti, jni, plan, cls, loader, signature + 1);
    instr_plans_give_back(&instr_agent.plans, ticket);
    (*jni)->DeleteLocalRef(jni, loader);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

void JNICALL instr_prepared(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass cls) {
    (void)thread;
    if (atomic_load(&waiting.count) == 0 && !instr_first_class_waits()) return;
    if (busy) {
        defer(jni, cls);
        return;
    }
    look_at(jvmti, jni, cls);
    for (struct deferred *d; (d = deferred) != NULL; free(d)) {
        deferred = d->next;
        look_at(jvmti, jni, d->cls);
        (*jni)->DeleteGlobalRef(jni, d->cls);
    }
}
