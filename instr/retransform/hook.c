// The class file hook.

#include "instr/retransform/hook.h"

#include "instr/base/array.h"
#include "instr/vm/introduced.h"
#include "instr/vm/jvmti.h"
#include "instr/vm/untouchable.h"
#include "instr/engine/refused.h"
#include "instr/passes/agent_passes.h"
#include "instr/vm/runtime.h"
#include "instr/vm/supertypes.h"
#include "instr/retransform/native_prefix.h"
#include "instr/retransform/prepared.h"
#include "instr/retransform/sweep.h"
#include "instr/base/clock.h"
#include "instr/base/log.h"

#include <stdlib.h>
#include <string.h>

// What a batch has changed in agent.class_states. Only the thread that changes the plan records it.
static _Thread_local struct {
    int recording;
    jclass pass_through;
    jclass only; // the class that the batch is about; NULL: any
    struct instr_class_state *before;
    size_t count, capacity;
    unsigned changed, restored;
} batch;

// Is `loader` the bootstrap loader (NULL) or the platform loader (JDK 8: the extension loader)?
static int is_platform(JNIEnv *jni, jobject loader) {
    if (!loader) return 1;
    return instr_agent.platform_loader &&
           (*jni)->IsSameObject(jni, loader, instr_agent.platform_loader);
}

static uint64_t all_passes(const struct instr_options *options) {
    return options->pass_count < 64 ? (UINT64_C(1) << options->pass_count) - 1 : ~UINT64_C(0);
}

// Does the pass, which selects its classes itself, select this one?
static bool is_selected(const struct instr_pass_options *pass, const char *name,
                        const struct rw_supertypes *supertypes) {
    if (instr_scope_is_ours(name, strlen(name))) return false;
    return instr_match(pass->only, name, strlen(name)) ||
           (pass->supertypes && supertypes &&
            instr_match_any(pass->supertypes, supertypes->names, supertypes->count));
}

// The passes that select their classes themselves, a bit for each: all such passes, or, with a
// name, those that select this class.
static uint64_t restricted_passes(const struct instr_options *options, const char *name,
                                  const struct rw_supertypes *supertypes) {
    uint64_t found = 0;
    for (size_t i = 0; i < options->pass_count; i++)
        if (options->passes[i].only &&
            (!name || is_selected(&options->passes[i], name, supertypes)))
            found |= UINT64_C(1) << i;
    return found;
}

// The passes that need the class even if it is out of scope, a bit for each.
static uint64_t forced_passes(const struct instr_options *options, const char *name) {
    uint64_t found = 0;
    for (size_t i = 0; i < options->pass_count && i < 64; i++) {
        const struct instr_pass_options *pass = &options->passes[i];
        if (pass->pass->forces && pass->pass->forces(name) &&
            !(pass->exclude && instr_match(pass->exclude, name, strlen(name))))
            found |= UINT64_C(1) << i;
    }
    return found;
}

// Of `more` those that do not run for another owner already, in `with` or earlier in `more`.
static uint64_t run_once(const struct instr_options *options, uint64_t with, uint64_t more) {
    for (size_t i = 0; i < options->pass_count && i < 64; i++)
        for (size_t k = 0; k < options->pass_count && k < 64 && options->passes[i].shared; k++)
            if (k != i && options->passes[k].pass == options->passes[i].pass &&
                ((with | (k < i ? more : 0)) >> k & 1))
                more &= ~(UINT64_C(1) << i);
    return more;
}

int instr_hook_matches(JNIEnv *jni, const struct instr_options *options, jobject loader,
                       const char *name, const struct rw_supertypes *supertypes, uint64_t *without,
                       uint64_t *beyond) {
    *beyond = 0;
    *without = ~UINT64_C(0);
    if (!loader && instr_agent.recording) return 0;
    int platform = is_platform(jni, loader);
    uint64_t alone = restricted_passes(options, NULL, NULL), with = 0;
    uint64_t all = all_passes(options);
    if (alone != all) {
        uint64_t taking = platform && loader ? instr_agent_passes_platform(options) : 0;
        with = instr_scope_passes(options, name, strlen(name), platform);
        if (taking & ~with) with |= taking & instr_scope_passes(options, name, strlen(name), 0);
        with &= ~alone;
    }
    if (alone) with |= restricted_passes(options, name, supertypes);
    uint64_t passive = instr_agent_passes_passive(options);
    with = run_once(options, 0, with & ~passive);
    *beyond = run_once(options, with, forced_passes(options, name) & ~with & ~passive);
    with |= *beyond;
    *without = ~with;
    return with != 0;
}

static bool reaches_jdk(const struct instr_match *match) {
    static const char *const of_jdk[] = {"java/",    "javax/",    "jdk/",     "sun/",
                                         "com/sun/", "org/ietf/", "org/jcp/", "org/omg/",
                                         "org/w3c/", "org/xml/"};
    for (size_t i = 0; match && i < sizeof of_jdk / sizeof *of_jdk; i++)
        if (instr_match_below(match, of_jdk[i])) return true;
    return false;
}

bool instr_hook_leaves_jdk(const struct instr_options *options) {
    if (instr_prepared_asks(options)) return false;
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_pass_options *pass = &options->passes[i];
        if (pass->pass->forces || reaches_jdk(pass->include) || reaches_jdk(pass->only))
            return false;
    }
    return true;
}

uint64_t instr_hook_key(jvmtiEnv *jvmti, const char *name, jobject loader) {
    jint hash = 0;
    if (loader && (*jvmti)->GetObjectHashCode(jvmti, loader, &hash) != JVMTI_ERROR_NONE) hash = 1;
    return instr_class_states_key(name, strlen(name), hash);
}

// The name of a class that was defined without one (Lookup.defineClass, for example), taken from
// its bytes.
static int name_from_bytes(const uint8_t *bytes, size_t length, char *name, size_t size) {
    struct cf_arena arena;
    struct cf_class cls;
    cf_arena_init(&arena);
    int found = 0;
    if (cf_class_open(&cls, bytes, length, &arena) == CF_OK) {
        struct cf_slice s = cf_this_name(&cls);
        if (s.bytes && s.length < size) {
            memcpy(name, s.bytes, s.length);
            name[s.length] = '\0';
            found = 1;
        }
    }
    cf_arena_free(&arena);
    return found;
}

void instr_hook_pass_through(jclass cls) {
    batch.pass_through = cls;
}

static bool passes_through(JNIEnv *jni, jclass redefined) {
    return batch.pass_through && redefined &&
           (*jni)->IsSameObject(jni, redefined, batch.pass_through);
}

void instr_hook_batch_begin(jclass only) {
    batch.only = only;
    batch.recording = 1;
    batch.count = 0;
    batch.changed = batch.restored = 0;
}

struct instr_hook_batch instr_hook_batch_end(int accepted) {
    while (!accepted && batch.count > 0)
        instr_class_states_put(instr_agent.class_states, &batch.before[--batch.count]);
    free(batch.before);
    batch.before = NULL;
    batch.count = batch.capacity = 0;
    batch.recording = 0;
    return (struct instr_hook_batch){accepted ? batch.changed : 0, accepted ? batch.restored : 0};
}

bool instr_hook_batch_is_on(void) {
    return batch.recording;
}

static int save_before(const struct instr_class_state *before) {
    if (!INSTR_ARRAY_RESERVE(batch.before, batch.capacity, batch.count + 1)) return 0;
    batch.before[batch.count++] = *before;
    return 1;
}

// One call of the hook.
struct load_event {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    jobject loader;
    const char *name;
    const uint8_t *bytes;
    size_t length;
    jclass redefined; // NULL: the class is being loaded
    int first;        // the class is being loaded
    jobject domain;
    const struct instr_plan *plan;
    struct instr_origin origin;
    int early;      // the JVM is not initialized: there may be no JNI
    int front;      // before other agents change the class
    uint8_t over;   // max-classes or max-methods keep it unchanged
    uint64_t there; // the passes whose code is in the class since then, a bit for each
    struct instr_supertypes supertypes; // if a pass asks for them
    struct instr_wrapped wrapped;
    uint64_t notes[INSTR_MOST_ON];
};

// Records the number of changed methods of the class; 0: the class is unchanged. If that fails, the
// class must not be changed.
static enum instr_class_put record_state(const struct load_event *event,
                                         const struct instr_class_state *before, uint32_t methods) {
    const struct instr_options *options = &event->plan->options;
    struct instr_class_state now = *before;
    now.methods = methods;
    now.over = event->over;
    now.plan = event->plan->number;
    now.seen = 1;
    now.absent = 0;
    now.since = (uint32_t)(instr_clock_now() / 1000000000);
    now.loading = methods && (event->first || (before->loading && !batch.recording));
    // A class that is loaded meanwhile, by a loader that is asked for a class file, does not belong
    // to the batch, nor does one that a transformer of a Java agent retransforms while a class is read.
    int of_batch =
        batch.recording && !event->first &&
        (!batch.only || (*event->jni)->IsSameObject(event->jni, event->redefined, batch.only));
    if (!methods && !before->methods && now.over == before->over) return INSTR_CLASS_PUT;
    if (of_batch && !save_before(before)) return INSTR_CLASS_NO_MEMORY;
    enum instr_class_put put = instr_class_states_put_within(
        instr_agent.class_states, &now, options->max_classes, options->max_methods);
    if (put != INSTR_CLASS_PUT) return put;
    batch.changed += of_batch && methods;
    batch.restored += of_batch && !methods && before->methods;
    return INSTR_CLASS_PUT;
}

// May another class, or one more method of this one, be changed? A rough answer that saves the work
// of rewriting: record_state decides.
static int has_room(const struct load_event *event, const struct instr_class_state *before) {
    const struct instr_options *options = &event->plan->options;
    if (instr_class_states_fits(instr_agent.class_states, before->key, 1, options->max_classes,
                                options->max_methods))
        return 1;
    instr_sweep_want();
    return 0;
}

// The number of constants that the JVM has for the class in addition to those in the bytes it
// gives: constants added by earlier retransformations stay in its pool. Determined only for large
// pools, which might become full.
static uint16_t extra_constants(const struct load_event *event) {
    enum { MANY = 32768 };
    jint count = 0, length = 0;
    unsigned char *pool = NULL;
    if (!event->redefined || event->length < 10) return 0;
    int given = event->bytes[8] << 8 | event->bytes[9];
    if (given < MANY ||
        (*event->jvmti)->GetConstantPool(event->jvmti, event->redefined, &count, &length, &pool) !=
            JVMTI_ERROR_NONE)
        return 0;
    (*event->jvmti)->Deallocate(event->jvmti, pool);
    return count > given ? (uint16_t)(count - given) : 0;
}

// Does the loader of a loaded class know the classes that the inserted code refers to?
static int is_introduced(const struct load_event *event, const struct instr_rewritten *result) {
    uint16_t given = (uint16_t)(event->bytes[8] << 8 | event->bytes[9]);
    if (!event->redefined || instr_introduced(event->jvmti, event->jni, event->loader,
                                              result->bytes, result->length, given))
        return 1;
    instr_engine_skip(event->plan->engine, event->name,
                      "its class loader does not find the classes of the agent");
    return 0;
}

// Records the class as changed. False: it must stay unchanged.
static int accept(struct load_event *event, const struct instr_class_state *before,
                  const struct instr_rewritten *result) {
    event->over = result->length > INT32_MAX;
    if (event->over) return 0;
    if (!event->early &&
        !instr_runtime_open_module(event->jvmti, event->jni, event->loader, event->name))
        return 0;
    if (!is_introduced(event, result)) return 0;
    enum instr_class_put put = record_state(event, before, result->methods_changed);
    event->over = put == INSTR_CLASS_NO_ROOM;
    if (event->over) instr_sweep_want();
    if (put == INSTR_CLASS_NO_MEMORY)
        instr_engine_skip(event->plan->engine, event->name, "out of memory");
    if (put != INSTR_CLASS_PUT) return 0;
    if (result->wrapped) instr_native_prefix_mark_used();
    return 1;
}

// Rewrites the class. False: it stays unchanged.
static int rewrite(struct load_event *event, const struct instr_class_state *before,
                   struct instr_rewritten *result) {
    jvmtiEnv *jvmti = event->jvmti;
    event->over = !before->refused && !has_room(event, before);
    if (before->refused || event->over) {
        if (!event->front) instr_engine_left_out(event->plan->engine, before->refused);
        return 0;
    }
    struct instr_origin origin = event->origin;
    origin.name = event->name;
    origin.again = event->there != 0;
    origin.constants_beyond = extra_constants(event);
    const struct instr_candidate candidate = {event->loader,     event->domain, event->name,
                                              origin.supertypes, event->bytes,  event->length};
    if (!event->early)
        origin.excluded_passes |= instr_agent_passes_without(
            event->jni, &event->plan->options, &candidate, origin.excluded_passes, event->notes);
    origin.notes = event->notes;
    if ((event->front || event->there) &&
        !(all_passes(&event->plan->options) & ~origin.excluded_passes))
        return 0;
    if (!event->first)
        instr_agent_passes_find_file(event->jni, &event->plan->options, event->loader, event->name,
                                     event->bytes, event->length, &origin);
    instr_engine_rewrite_known(event->plan->engine, &origin, event->bytes, event->length,
                               instr_jvmti_allocate, jvmti, result);
    free((void *)(uintptr_t)origin.file);
    char line[INSTR_ERROR_SIZE];
    if (instr_refused_write(&event->plan->options, event->name, result, line, sizeof line))
        instr_say("%s", line);
    if (result->refused) (*jvmti)->Deallocate(jvmti, result->refused);
    if (!result->bytes) return 0;
    if (accept(event, before, result)) return 1;
    instr_engine_taken_back(event->plan->engine, result, event->length, event->over);
    (*jvmti)->Deallocate(jvmti, result->bytes);
    return 0;
}

// Adds the wrappers of native methods again, on top of what the passes made of the class, whatever
// the plan says: the JVM refuses the class with other members. Such wrappers only call the native
// method.
static void rewrap(const struct load_event *event, struct instr_rewritten *result) {
    struct instr_rewritten wrapped;
    const uint8_t *bytes = result->bytes ? result->bytes : event->bytes;
    size_t length = result->bytes ? result->length : event->length;
    if (!instr_native_prefix_rewrap(&event->wrapped, bytes, length, instr_jvmti_allocate,
                                    event->jvmti, &wrapped))
        return;
    if (result->bytes) (*event->jvmti)->Deallocate(event->jvmti, result->bytes);
    *result = wrapped;
}

// Returns the class with its own bytes. HotSpot drops the stack map frames of boot classes, which
// it does not verify, so a class that is retransformed at VMInit would lack them. It keeps the
// bytes of classes that an agent has changed.
static void return_original(const struct load_event *event, struct instr_rewritten *result) {
    if (instr_wraps_only(&event->plan->options)) return;
    result->bytes = instr_jvmti_allocate(event->jvmti, event->length);
    result->length = event->length;
    if (result->bytes) memcpy(result->bytes, event->bytes, event->length);
}

// What may be done to the members of a class that is retransformed or redefined.
static void find_wrapped(struct load_event *event) {
    bool found = instr_native_prefix_find(event->jvmti, event->redefined, &event->wrapped);
    event->origin.occasion = found ? INSTR_CLASS_WRAPPED : INSTR_CLASS_LOADED;
    event->origin.wrapped = event->wrapped.methods;
    event->origin.wrapped_count = event->wrapped.count;
}

static void find_supertypes(struct load_event *event) {
    if (!instr_prepared_asks(&event->plan->options) ||
        instr_scope_is_ours(event->name, strlen(event->name)))
        return;
    if (event->redefined)
        instr_supertypes_of_class(event->jvmti, event->jni, event->redefined, &event->supertypes);
    else
        instr_supertypes_of_bytes(event->jvmti, event->jni, event->loader, event->bytes,
                                  event->length, &event->supertypes);
    event->origin.supertypes = &event->supertypes.found;
    if (event->first && !event->supertypes.complete)
        instr_prepared_await(instr_hook_key(event->jvmti, event->name, event->loader), false);
}

static void handle_event(struct load_event *event, jint *new_length, unsigned char **new_bytes) {
    struct instr_rewritten result = {0};
    if (event->plan->engine && !event->early) find_supertypes(event);
    int matches = event->plan->engine &&
                  instr_hook_matches(event->jni, &event->plan->options, event->loader, event->name,
                                     event->origin.supertypes, &event->origin.excluded_passes,
                                     &event->origin.forced_passes);
    int wrapped = event->origin.occasion == INSTR_CLASS_WRAPPED;
    if (!matches && event->plan->engine) instr_engine_seen(event->plan->engine);
    if (!matches && event->first) return;
    struct instr_class_state before = instr_class_states_get(
        instr_agent.class_states, instr_hook_key(event->jvmti, event->name, event->loader));
    if (event->first && !before.refused) before.methods = 0; // another class of that name
    if (matches && instr_agent.front_used)
        event->there =
            instr_agent_passes_there(&event->plan->options, event->bytes, event->length) &
            ~event->origin.excluded_passes;
    event->origin.excluded_passes |= event->there;
    int done = matches && rewrite(event, &before, &result);
    if (!done) result.bytes = NULL; // already freed
    if (matches && event->first &&
        instr_agent_passes_undecided(&event->plan->options, event->notes))
        instr_prepared_await(instr_hook_key(event->jvmti, event->name, event->loader), true);
    if (!done && (!event->first || event->over))
        record_state(event, &before, event->there ? before.methods : 0);
    if (wrapped && !done) rewrap(event, &result);
    if (event->early && matches && !done) return_original(event, &result);
    if (!result.bytes) return;
    *new_bytes = result.bytes;
    *new_length = (jint)result.length;
}

static void rewrap_only(const struct load_event *event, jint *new_length,
                        unsigned char **new_bytes) {
    struct instr_rewritten result = {0};
    rewrap(event, &result);
    if (!result.bytes) return;
    *new_bytes = result.bytes;
    *new_length = (jint)result.length;
}

static void handle_front(struct load_event *event, jint *new_length, unsigned char **new_bytes) {
    const struct instr_options *options = &event->plan->options;
    struct instr_rewritten result;
    uint64_t getting = instr_agent_passes_original(options, event->name);
    if (!getting ||
        !instr_hook_matches(event->jni, options, event->loader, event->name, NULL,
                            &event->origin.excluded_passes, &event->origin.forced_passes))
        return;
    event->origin.excluded_passes |= ~getting;
    struct instr_class_state before = instr_class_states_get(
        instr_agent.class_states, instr_hook_key(event->jvmti, event->name, event->loader));
    if (!before.refused) before.methods = 0;
    if (!rewrite(event, &before, &result)) return;
    *new_bytes = result.bytes;
    *new_length = (jint)result.length;
}

// A class that another agent redefines comes to the other hook.
void JNICALL instr_hook_front(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
                              const char *name, jobject domain, jint length,
                              const unsigned char *bytes, jint *new_length,
                              unsigned char **new_bytes) {
    char found[1024];
    unsigned ticket;
    if (length <= 0 || redefined) return;
    struct load_event event = {.jvmti = jvmti,
                               .jni = jni,
                               .loader = loader,
                               .name = name,
                               .bytes = bytes,
                               .length = (size_t)length,
                               .first = 1,
                               .front = 1,
                               .origin.already_verified = loader == NULL,
                               .origin.bootstrap = loader == NULL,
                               .origin.running = 1,
                               .domain = domain};
    event.plan = instr_plans_take(&instr_agent.plans, &ticket);
    int on = event.plan && event.plan->engine;
    if (on && !name && !instr_makes_anonymous(jvmti, jni) &&
        name_from_bytes(bytes, (size_t)length, found, sizeof found))
        event.name = found;
    if (on && event.name) handle_front(&event, new_length, new_bytes);
    instr_plans_give_back(&instr_agent.plans, ticket);
}

void JNICALL instr_hook(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
                        const char *name, jobject domain, jint length, const unsigned char *bytes,
                        jint *new_length, unsigned char **new_bytes) {
    char found[1024];
    unsigned ticket;
    if (length <= 0 || passes_through(jni, redefined)) return;
    struct load_event event = {
        .jvmti = jvmti,
        .jni = jni,
        .loader = loader,
        .name = name,
        .bytes = bytes,
        .length = (size_t)length,
        .redefined = redefined,
        .first = redefined == NULL,
        .origin.redefined = redefined != NULL,
        // If other code redefined or changed the class, the JVM has not verified the result yet.
        // It will, and reports a VerifyError to the caller that asked for the change.
        .origin.already_verified = redefined != NULL || loader == NULL,
        .origin.bootstrap = loader == NULL,
        .origin.running = 1,
        .domain = domain};
    event.plan = instr_plans_take(&instr_agent.plans, &ticket);
    event.early =
        !event.plan && event.first && instr_agent.early && instr_agent.state == INSTR_LOADED;
    if (event.early) event.plan = instr_agent.first; // it becomes the current one
    if (event.plan && !name && !instr_makes_anonymous(jvmti, jni) &&
        name_from_bytes(bytes, (size_t)length, found, sizeof found))
        event.name = found;
    if (event.early && event.name)
        event.origin.occasion = instr_native_prefix_early_occasion(event.name);
    else if (redefined)
        find_wrapped(&event);
    if (event.plan && event.name)
        handle_event(&event, new_length, new_bytes);
    else if (event.origin.occasion == INSTR_CLASS_WRAPPED) // passes are being let on
        rewrap_only(&event, new_length, new_bytes);
    instr_supertypes_close(&event.supertypes);
    instr_native_prefix_close(jvmti, &event.wrapped);
    instr_plans_give_back(&instr_agent.plans, ticket);
}
