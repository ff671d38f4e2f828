// hook.c: see hook.h

#include "instr/retransform/hook.h"

#include "instr/vm/untouchable.h"
#include "instr/passes/agent_pass.h"
#include "instr/vm/runtime.h"
#include "instr/retransform/native_prefix.h"
#include "instr/base/clock.h"

#include <stdlib.h>
#include <string.h>

// What a batch has done to agent.changes: of the thread that switches plans alone.
static _Thread_local struct {
    int noting, alone;
    struct instr_class_state *before;
    size_t count, capacity;
    unsigned changed;
} batch;

// Is `loader` the boot loader (NULL) or the platform loader, which JDK 8 calls the extension
// loader?
static int is_platform(JNIEnv *jni, jobject loader) {
    if (!loader) return 1;
    return instr_agent.platform_loader &&
           (*jni)->IsSameObject(jni, loader, instr_agent.platform_loader);
}

// The passes that say themselves which classes are theirs, a bit for each: all of them, or, with a
// name, those that have the class.
static uint64_t passes_alone(const struct instr_options *options, const char *name) {
    uint64_t found = 0;
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_match *only = options->passes[i].only;
        if (only && (!name || (!instr_scope_is_ours(name, strlen(name)) &&
                               instr_match(only, name, strlen(name)))))
            found |= UINT64_C(1) << i;
    }
    return found;
}

// The passes that need the class whatever the scope, a bit for each.
static uint64_t passes_beyond(const struct instr_options *options, const char *name) {
    uint64_t found = 0;
    for (size_t i = 0; i < options->pass_count && i < 64; i++)
        if (options->passes[i].pass->beyond && options->passes[i].pass->beyond(name))
            found |= UINT64_C(1) << i;
    if (found && options->exclude && instr_match(options->exclude, name, strlen(name))) return 0;
    return found;
}

int instr_hook_matches(JNIEnv *jni, const struct instr_options *options, jobject loader,
                       const char *name, uint64_t *without, uint64_t *beyond) {
    *beyond = 0;
    *without = ~UINT64_C(0);
    if (!loader && instr_agent.recording) return 0;
    int platform = is_platform(jni, loader);
    uint64_t alone = passes_alone(options, NULL), with = 0;
    uint64_t all =
        options->pass_count < 64 ? (UINT64_C(1) << options->pass_count) - 1 : ~UINT64_C(0);
    if (alone != all) {
        if (instr_scope_matches(options, name, strlen(name), platform))
            with = all & ~alone;
        else if (platform && loader && (with = instr_agent_passes_platform(options)) &&
                 !instr_scope_matches(options, name, strlen(name), 0))
            with = 0;
    }
    if (alone) with |= passes_alone(options, name);
    *beyond = passes_beyond(options, name) & ~with;
    with |= *beyond;
    *without = ~with;
    return with != 0;
}

uint64_t instr_hook_key(jvmtiEnv *jvmti, const char *name, jobject loader) {
    jint hash = 0;
    if (loader && (*jvmti)->GetObjectHashCode(jvmti, loader, &hash) != JVMTI_ERROR_NONE) hash = 1;
    return instr_class_states_key(name, strlen(name), hash);
}

static void *allocate(void *context, size_t n) {
    jvmtiEnv *jvmti = context;
    unsigned char *memory;
    return (*jvmti)->Allocate(jvmti, (jlong)n, &memory) == JVMTI_ERROR_NONE ? memory : NULL;
}

// The name of a class whose definer gave none (Lookup.defineClass and its like): it is in the
// bytes.
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

void instr_hook_leave_alone(int alone) {
    batch.alone = alone;
}

void instr_hook_batch_begin(void) {
    batch.noting = 1;
    batch.count = 0;
    batch.changed = 0;
}

unsigned instr_hook_batch_end(int kept) {
    while (!kept && batch.count > 0)
        instr_class_states_put(instr_agent.changes, &batch.before[--batch.count]);
    free(batch.before);
    batch.before = NULL;
    batch.count = batch.capacity = 0;
    batch.noting = 0;
    return kept ? batch.changed : 0;
}

static int note_before(const struct instr_class_state *before) {
    if (batch.count == batch.capacity) {
        size_t capacity = batch.capacity ? batch.capacity * 2 : 256;
        struct instr_class_state *larger = realloc(batch.before, capacity * sizeof *larger);
        if (!larger) return 0;
        batch.before = larger;
        batch.capacity = capacity;
    }
    batch.before[batch.count++] = *before;
    return 1;
}

// A class on its way through the hook.
struct passing {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    jobject loader;
    const char *name;
    const uint8_t *bytes;
    size_t length;
    jclass redefined; // NULL: it is being loaded
    int first;        // so it is
    jobject domain;
    const struct instr_plan *plan;
    struct instr_origin origin;
    int early; // the JVM is not up: there may be no JNI
};

// Remembers that the class is changed in so many methods now; 0: as it was. False: no memory for
// that, and so it must not be changed.
static int remember(const struct passing *p, const struct instr_class_state *before,
                    uint32_t methods) {
    struct instr_class_state now = *before;
    now.methods = methods;
    now.plan = p->plan->number;
    now.seen = 1;
    now.since = (uint32_t)(instr_clock_now() / 1000000000);
    now.loading = methods && (p->first || (before->loading && !batch.noting));
    // A class that is loaded on the way, as it is by loaders that are asked for a class file, is
    // not one of the batch.
    int of_batch = batch.noting && !p->first;
    if (!methods && !before->methods) return 1;
    if (of_batch && !note_before(before)) return 0;
    if (!instr_class_states_put(instr_agent.changes, &now)) return 0;
    batch.changed += of_batch && methods;
    return 1;
}

// Is there room for the class, and for so many methods of it, beside the others?
static int has_room(const struct passing *p, const struct instr_class_state *before,
                    uint32_t methods) {
    const struct instr_options *options = &p->plan->options;
    if (!options->max_classes && !options->max_methods) return 1;
    struct instr_class_states_totals totals = instr_class_states_totals(instr_agent.changes);
    if (options->max_classes && totals.classes >= options->max_classes + (before->methods != 0))
        return 0;
    return !options->max_methods ||
           totals.methods - before->methods + methods <= options->max_methods;
}

// The constants that the JVM has of the class besides those of the bytes that it gives: what was
// put in before stays in its pool. Asked for where there are so many that the pool might get full.
static uint16_t constants_beyond(const struct passing *p) {
    enum { MANY = 32768 };
    jint count = 0, length = 0;
    unsigned char *pool = NULL;
    if (!p->redefined || p->length < 10) return 0;
    int given = p->bytes[8] << 8 | p->bytes[9];
    if (given < MANY || (*p->jvmti)->GetConstantPool(p->jvmti, p->redefined, &count, &length,
                                                     &pool) != JVMTI_ERROR_NONE)
        return 0;
    (*p->jvmti)->Deallocate(p->jvmti, pool);
    return count > given ? (uint16_t)(count - given) : 0;
}

// What the class becomes. False: it stays as it is.
static int rewrite(const struct passing *p, const struct instr_class_state *before,
                   struct instr_rewritten *result) {
    jvmtiEnv *jvmti = p->jvmti;
    if (before->refused || !has_room(p, before, 1)) {
        instr_engine_left_out(p->plan->engine, before->refused);
        return 0;
    }
    struct instr_origin origin = p->origin;
    origin.constants_beyond = constants_beyond(p);
    if (!p->early)
        origin.without |=
            instr_agent_passes_without(p->jni, &p->plan->options, p->loader, p->name, p->domain);
    if (!p->first)
        instr_agent_passes_find_file(p->jni, &p->plan->options, p->loader, p->name, p->bytes,
                                     p->length, &origin);
    instr_engine_rewrite_known(p->plan->engine, &origin, p->bytes, p->length, allocate, jvmti,
                               result);
    free((void *)(uintptr_t)origin.file);
    if (result->refused) (*jvmti)->Deallocate(jvmti, result->refused);
    if (!result->bytes) return 0;
    int fits = result->length <= INT32_MAX && has_room(p, before, result->methods_changed);
    if (fits && (p->early || instr_runtime_open_module(jvmti, p->jni, p->loader, p->name)) &&
        remember(p, before, result->methods_changed)) {
        if (result->wrapped) instr_native_prefix_note();
        return 1;
    }
    instr_engine_taken_back(p->plan->engine, result, p->length, !fits);
    (*jvmti)->Deallocate(jvmti, result->bytes);
    return 0;
}

// A class with wrappers must have the same ones again, whatever the plan says of it: the JVM takes
// it with no other members. Here they are bare, on top of what became of the rest of the class.
static void wrap_again(const struct passing *p, struct instr_rewritten *result) {
    struct instr_rewritten wrapped;
    const uint8_t *bytes = result->bytes ? result->bytes : p->bytes;
    size_t length = result->bytes ? result->length : p->length;
    if (!instr_native_prefix_again(bytes, length, allocate, p->jvmti, &wrapped)) return;
    if (result->bytes) (*p->jvmti)->Deallocate(p->jvmti, result->bytes);
    *result = wrapped;
}

// A class that comes back when passes are let on at VMInit has lost its stack map frames: HotSpot
// does not keep those of boot classes, which it does not verify. Of a class that an agent has
// changed, though, it keeps the bytes; so the class gets changed to what it is.
static void keep_original(const struct passing *p, struct instr_rewritten *result) {
    if (instr_wraps_only(&p->plan->options)) return;
    result->bytes = allocate(p->jvmti, p->length);
    result->length = p->length;
    if (result->bytes) memcpy(result->bytes, p->bytes, p->length);
}

static void pass_by(struct passing *p, jint *new_length, unsigned char **new_bytes) {
    struct instr_rewritten result = {0};
    int matches =
        p->plan->engine && instr_hook_matches(p->jni, &p->plan->options, p->loader, p->name,
                                              &p->origin.without, &p->origin.beyond);
    int wrapped = p->origin.occasion == INSTR_CLASS_WRAPPED;
    if (!matches && p->plan->engine) instr_engine_seen(p->plan->engine);
    if (!matches && p->first) return;
    struct instr_class_state before =
        instr_class_states_get(instr_agent.changes, instr_hook_key(p->jvmti, p->name, p->loader));
    if (p->first && !before.refused) before.methods = 0; // another one of that name
    int done = matches && rewrite(p, &before, &result);
    if (!done) result.bytes = NULL; // it was freed
    if (!done && !p->first) remember(p, &before, 0);
    if (wrapped && !(done && instr_wraps(&p->plan->options))) wrap_again(p, &result);
    if (p->early && matches && !done) keep_original(p, &result);
    if (!result.bytes) return;
    *new_bytes = result.bytes;
    *new_length = (jint)result.length;
}

static void wrapped_as_before(const struct passing *p, jint *new_length,
                              unsigned char **new_bytes) {
    struct instr_rewritten result = {0};
    wrap_again(p, &result);
    if (!result.bytes) return;
    *new_bytes = result.bytes;
    *new_length = (jint)result.length;
}

void JNICALL instr_hook(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
                        const char *name, jobject domain, jint length, const unsigned char *bytes,
                        jint *new_length, unsigned char **new_bytes) {
    char found[1024];
    unsigned ticket;
    if (length <= 0 || batch.alone) return;
    struct passing p = {.jvmti = jvmti,
                        .jni = jni,
                        .loader = loader,
                        .name = name,
                        .bytes = bytes,
                        .length = (size_t)length,
                        .redefined = redefined,
                        .first = redefined == NULL,
                        .origin.redefined = redefined != NULL,
                        // If it was redefined or changed by others, what came of that has not been
                        // verified yet: the JVM is going to, and refuses it to who asked for it.
                        .origin.already_verified = redefined != NULL || loader == NULL,
                        .origin.bootstrap = loader == NULL,
                        .origin.running = 1,
                        .domain = domain};
    p.plan = instr_plans_take(&instr_agent.plans, &ticket);
    p.early = !p.plan && p.first && instr_agent.early && instr_agent.state == INSTR_LOADED;
    if (p.early) p.plan = instr_agent.first; // it becomes the current one
    if (p.plan && !name && !instr_makes_anonymous(jvmti, jni) &&
        name_from_bytes(bytes, (size_t)length, found, sizeof found))
        p.name = found;
    if (p.early && p.name)
        p.origin.occasion = instr_native_prefix_early_occasion(p.name);
    else if (redefined)
        p.origin.occasion = instr_native_prefix_occasion(jvmti, redefined);
    if (p.plan && p.name)
        pass_by(&p, new_length, new_bytes);
    else if (p.origin.occasion == INSTR_CLASS_WRAPPED) // passes are being let on
        wrapped_as_before(&p, new_length, new_bytes);
    instr_plans_give_back(&instr_agent.plans, ticket);
}
