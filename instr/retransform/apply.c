// Applying the current plan to the loaded classes.

#include "instr/retransform/apply.h"

#include "instr/retransform/effect.h"
#include "instr/retransform/pace.h"
#include "instr/retransform/hook.h"
#include "instr/vm/pauses.h"
#include "instr/vm/untouchable.h"
#include "instr/options/compare.h"
#include "instr/retransform/redefine.h"
#include "instr/retransform/sweep.h"
#include "instr/retransform/parallel.h"
#include "instr/retransform/background.h"
#include "instr/base/log.h"
#include "instr/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)
static const uint64_t LATE_LOADED_PAUSE = 60 * SECOND;
enum {
    FIRST = 100, // unpaced: classes that are changed before the reply, when the others are queued
    TYPICAL = 8, // methods of a class, until it is known
    MISFITS = 16 // in a row with more methods than may still be changed: the others are left out
};

// One pass over the loaded classes.
struct application {
    struct instr_agent *agent;
    const struct instr_plan *plan;
    const struct instr_plan *before;         // previous plan, if it has the same rules; else NULL
    int late_loaded;                         // only late-loaded classes
    struct instr_class_states_totals excess; // changed ones that the limits no longer allow
    uint64_t paused;                         // ns, before the current batch (pauses.h)
    uint64_t left_out;                       // classes over the limits, before the current batch
    uint64_t key;                            // of the class that was last asked for
    int queued_only; // only classes of the queue: an earlier pass selected them
    struct instr_reconfigured *done;
    // Called after each batch of the queue with what it did. Two threads may call it.
    void (*after_batch)(unsigned count, const struct instr_reconfigured *done);
    struct instr_retransform r;
};

// The work of a second thread.
struct second {
    struct application context;
    struct instr_reconfigured done;
};

void instr_reconfigured_add(struct instr_reconfigured *to, const struct instr_reconfigured *more) {
    if (more->first_change && (!to->first_change || more->first_change < to->first_change))
        to->first_change = more->first_change;
    to->classes += more->classes;
    to->changed += more->changed;
    to->restored += more->restored;
    to->refused += more->refused;
    to->skipped_interfaces += more->skipped_interfaces;
    to->over_limit += more->over_limit;
    if (more->longest_batch > to->longest_batch) to->longest_batch = more->longest_batch;
    if (more->longest_pause > to->longest_pause) to->longest_pause = more->longest_pause;
    for (unsigned i = 0; i < more->refusal_count && to->refusal_count < INSTR_REFUSALS; i++)
        memcpy(to->refusals[to->refusal_count++], more->refusals[i], sizeof *to->refusals);
}

// --- limits ---

// Classes in a row that did not fit; under agent->switching.
static struct {
    uint32_t plan;
    unsigned count;
} misfits;

static bool is_limited(const struct instr_plan *plan) {
    return plan->engine && (plan->options.max_classes || plan->options.max_methods);
}

// The number of unchanged classes that the limits allow to change.
static unsigned room(void *context) {
    const struct application *r = context;
    const struct instr_options *options = &r->plan->options;
    struct instr_class_states_totals now = instr_class_states_totals(r->agent->class_states);
    uint64_t left = UINT32_MAX, methods = options->max_methods;
    if (options->max_classes)
        left = now.classes < options->max_classes ? options->max_classes - now.classes : 0;
    if (!methods) return (unsigned)left;
    if (now.methods >= methods || misfits.count >= MISFITS) return 0;
    uint64_t each = now.classes ? (now.methods + now.classes - 1) / now.classes : TYPICAL;
    uint64_t likely = (methods - now.methods) / each;
    if (likely < left) left = likely ? likely : 1;
    return (unsigned)left;
}

static uint64_t over(uint64_t now, unsigned most) {
    return most && now > most ? now - most : 0;
}

static void find_excess(struct application *r) {
    const struct instr_options *options = &r->plan->options;
    struct instr_class_states_totals now = instr_class_states_totals(r->agent->class_states);
    r->excess.classes = over(now.classes, options->max_classes);
    r->excess.methods = over(now.methods, options->max_methods);
}

// Must the class be reverted, since fewer may be changed now?
static bool is_excess(struct application *r, const struct instr_class_state *entry) {
    if (!r->excess.classes && !r->excess.methods) return false;
    r->excess.classes -= r->excess.classes != 0;
    r->excess.methods -=
        r->excess.methods < entry->methods ? r->excess.methods : (uint64_t)entry->methods;
    return true;
}

static void count_misfits(const struct application *r, unsigned changed) {
    unsigned over =
        (unsigned)(instr_engine_totals(r->plan->engine).classes_over_limit - r->left_out);
    if (misfits.plan != r->plan->number || changed) misfits.count = 0;
    misfits.plan = r->plan->number;
    if (!changed) misfits.count += over;
    r->done->over_limit += over;
}

// --- which classes ---

// Must the class be retransformed? `changed`: it has inserted code now. *in: a pass changes it.
static bool has_new_effect(const struct application *r, jclass cls, jobject loader,
                           const char *name, bool changed, bool *in) {
    const struct instr_options *then = r->before ? &r->before->options : NULL;
    struct instr_effect now = {0}, before = {0};
    JNIEnv *jni = r->r.jni;
    *in = r->plan->engine &&
          instr_effect_of(r->agent, jni, &r->plan->options, cls, loader, name, &now);
    bool was = then && instr_effect_of(r->agent, jni, then, cls, loader, name, &before);
    if (*in && !changed && then && instr_allows_more(&r->plan->options, then)) was = false;
    if (*in)
        changed = !was || !now.beyond != !before.beyond ||
                  !instr_same_effect(then, before.without, &r->plan->options, now.without);
    if (changed || !now.unwrapped || before.unwrapped) return changed;
    return !instr_effect_list_unwrapped(r->agent, jni, r->plan, cls, loader, name, now.unwrapped);
}

static void set_over(const struct instr_agent *agent, uint64_t key, uint8_t over) {
    struct instr_class_state entry = instr_class_states_get(agent->class_states, key);
    entry.over = over;
    entry.seen = 1;
    instr_class_states_put(agent->class_states, &entry);
}

static int wanted(void *context, jclass cls, jobject loader, const char *name) {
    struct application *r = context;
    struct instr_agent *agent = r->agent;
    uint64_t key = instr_hook_key(agent->jvmti, name, loader);
    struct instr_class_state entry = instr_class_states_get(agent->class_states, key);
    r->key = key;
    if (entry.key && (entry.methods || entry.refused || entry.over))
        instr_class_states_sweep_seen(agent->class_states, key);
    if (r->late_loaded) return entry.loading && entry.plan != r->plan->number;
    if (entry.refused && !entry.methods) return 0;
    if (r->queued_only) {
        // It was changed while it was queued, for another operation that concerned it, too.
        bool is_done = entry.methods && entry.plan == r->plan->number;
        r->done->classes += is_done;
        r->done->changed += is_done;
        return !is_done;
    }
    bool changed = entry.methods != 0, in;
    bool is =
        has_new_effect(r, cls, loader, name, changed, &in) || (changed && is_excess(r, &entry));
    if (entry.over && !in) set_over(agent, key, 0);
    if (is && r->done->patterns) instr_patterns_see(r->done->patterns, name, strlen(name));
    if (is && !changed && r->done->packages && !r->r.listed)
        instr_packages_add(r->done->packages, name);
    return is;
}

// The same under limits, where changed classes come first: reverting them makes room.
static int wanted_within_limits(void *context, jclass cls, jobject loader, const char *name) {
    struct application *r = context;
    struct instr_agent *agent = r->agent;
    if (!wanted(context, cls, loader, name)) return 0;
    uint64_t key = instr_hook_key(agent->jvmti, name, loader);
    return instr_class_states_get(agent->class_states, key).methods ? INSTR_RETRANSFORM_FIRST : 1;
}

static void left_out(void *context) {
    const struct application *r = context;
    set_over(r->agent, r->key, 1);
    instr_engine_left_out(r->plan->engine, 0);
    r->done->over_limit++;
}

// --- batches ---

static void begin(void *context) {
    struct application *r = context;
    if (r->r.room) r->left_out = instr_engine_totals(r->plan->engine).classes_over_limit;
    instr_hook_batch_begin(NULL);
    r->paused = instr_pauses(r->agent->vm);
}

static void end(void *context, int done, unsigned count) {
    struct application *r = context;
    uint64_t pause = instr_pauses(r->agent->vm) - r->paused;
    struct instr_hook_batch batch = instr_hook_batch_end(done);
    if (pause > r->done->longest_pause) r->done->longest_pause = pause;
    if (r->r.room) count_misfits(r, batch.changed);
    if (batch.changed && !r->done->first_change) r->done->first_change = instr_clock_now();
    r->done->changed += batch.changed;
    r->done->restored += batch.restored;
    r->done->classes += done ? count : 0;
}

static void failed(void *context, jobject loader, const char *name, const char *reason) {
    struct application *r = context;
    struct instr_agent *agent = r->agent;
    struct instr_class_state entry =
        instr_class_states_get(agent->class_states, instr_hook_key(agent->jvmti, name, loader));
    entry.refused = entry.seen = 1;
    instr_class_states_put(agent->class_states, &entry);
    r->done->refused++;
    char line[INSTR_ERROR_SIZE];
    snprintf(line, sizeof line, "%s: skipped: %s", name, reason);
    if (r->plan->engine) instr_engine_skip(r->plan->engine, name, reason);
    if (r->done->refusal_count < INSTR_REFUSALS)
        snprintf(r->done->refusals[r->done->refusal_count++], sizeof *r->done->refusals, "%.255s",
                 line);
    instr_say("%s", line);
}

// An interface with inserted code is not skipped: it was loaded with that code, and retransforming
// it is the only way to remove it.
static int skip_interface(void *context, jobject loader, const char *name, int code) {
    struct application *r = context;
    struct instr_agent *agent = r->agent;
    if (r->plan->options.interfaces ||
        instr_class_states_get(agent->class_states, instr_hook_key(agent->jvmti, name, loader))
            .methods)
        return 0;
    if (!code) return 1;
    r->done->skipped_interfaces++;
    if (r->plan->engine) instr_engine_skip_interface(r->plan->engine, name, INSTR_INTERFACE_REASON);
    return 1;
}

static int go_on(void *context) {
    struct application *r = context;
    if (atomic_load(&r->agent->state) == INSTR_FINISHED) return 0;
    return !r->queued_only || !atomic_load(&r->agent->waiting);
}

static void taken(void *context, unsigned count) {
    struct application *r = context;
    if (!r->after_batch) return;
    r->done->longest_batch = r->r.longest;
    r->after_batch(count, r->done);
    memset(r->done, 0, sizeof *r->done);
}

static void prepare(struct application *r, JNIEnv *jni, int running) {
    r->r = (struct instr_retransform){.jvmti = r->agent->jvmti,
                                      .jni = jni,
                                      .batch = r->plan->options.batch,
                                      .running = running,
                                      .context = r,
                                      .wanted = wanted,
                                      .begin = begin,
                                      .end = end,
                                      .failed = failed,
                                      .skip_interface = skip_interface,
                                      .go_on = go_on,
                                      .taken = taken};
    if (!is_limited(r->plan)) return;
    r->r.wanted = wanted_within_limits;
    r->r.room = room;
    r->r.left_out = left_out;
}

// One thread does everything when classes were redefined, which need work between the batches, or
// when the number of classes or methods is limited, which are counted class by class.
static struct second *prepare_parallel(struct application *first) {
    const struct instr_options *options = &first->plan->options;
    unsigned processors;
    if (instr_redefine_any() || first->r.room ||
        !instr_retransform_parallel_allowed(first->agent->jvmti, options->batch_threads,
                                            &processors))
        return NULL;
    struct second *second = calloc(1, sizeof *second);
    if (!second) return NULL;
    second->context = *first;
    second->context.done = &second->done;
    prepare(&second->context, NULL, 1); // the thread attaches itself
    first->r.other = &second->context.r;
    first->r.processors = processors;
    return second;
}

static int retransform(struct application *context) {
    struct instr_agent *agent = context->agent;
    struct instr_reconfigured *done = context->done;
    uint64_t now = instr_clock_now();
    struct second *second =
        context->r.running && !context->r.queue ? prepare_parallel(context) : NULL;
    if (is_limited(context->plan)) instr_sweep(agent, context->r.jni);
    instr_class_states_sweep_begin(agent->class_states);
    find_excess(context);
    int listed = instr_retransform_loaded(&context->r);
    if (second) instr_reconfigured_add(done, &second->done);
    free(second);
    if (!listed) return 0;
    instr_sweep_end(agent, now);
    if (context->r.longest > done->longest_batch) done->longest_batch = context->r.longest;
    return 1;
}

static bool is_set(jvmtiEnv *jvmti, const char *property) {
    char *value = NULL;
    if ((*jvmti)->GetSystemProperty(jvmti, property, &value) != JVMTI_ERROR_NONE) return false;
    bool set = value && *value;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)value);
    return set;
}

// Has the bootstrap loader classes of the JDK only? JDK 8 does not tell.
static bool boot_is_jdk(jvmtiEnv *jvmti) {
    jint version = 0;
    return (*jvmti)->GetVersionNumber(jvmti, &version) == JVMTI_ERROR_NONE &&
           (version & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR >= 9 &&
           !is_set(jvmti, "jdk.boot.class.path.append") && !is_set(jvmti, "jdk.module.patch.0");
}

int instr_reconfigure_retransform(struct instr_agent *agent, JNIEnv *jni,
                                  const struct instr_plan *before, int late_loaded, int running,
                                  struct instr_reconfigured *done) {
    struct application context = {.agent = agent,
                                  .plan = instr_plans_current(&agent->plans),
                                  .before = before,
                                  .late_loaded = late_loaded,
                                  .done = done};
    prepare(&context, jni, running);
    // Most classes that are loaded at the start; nothing was changed before.
    context.r.skips_boot = !running && !before && !late_loaded &&
                           instr_hook_leaves_jdk(&context.plan->options) &&
                           boot_is_jdk(agent->jvmti);
    return retransform(&context);
}

int instr_reconfigure_retransform_first(struct instr_agent *agent, JNIEnv *jni,
                                        const struct instr_plan *before, uint64_t start,
                                        struct instr_reconfigured *done) {
    struct application context = {
        .agent = agent, .plan = instr_plans_current(&agent->plans), .before = before, .done = done};
    prepare(&context, jni, 1);
    context.r.queue = instr_background_queue();
    context.r.first = context.plan->options.pace ? FIRST : INSTR_PACE_FIRST;
    context.r.thorough = !context.plan->options.pace;
    // A few classes do not wait for the many of an earlier command.
    if (instr_class_queue_remaining(context.r.queue)) {
        context.r.few = INSTR_FEW;
        if (!context.r.batch || context.r.batch > INSTR_PACE_MOST_USED)
            context.r.batch = INSTR_PACE_MOST_USED;
    }
    if (!retransform(&context)) return 0;
    done->remaining = context.r.deferred;
    if (context.r.deferred) instr_background_start(done, start, context.r.chosen);
    return 1;
}

void instr_reconfigure_retransform_queued(
    struct instr_agent *agent, JNIEnv *jni, struct instr_class_queue *queue, unsigned batch,
    void (*after_batch)(unsigned count, const struct instr_reconfigured *done)) {
    struct instr_reconfigured done = {0};
    struct application context = {.agent = agent,
                                  .plan = instr_plans_current(&agent->plans),
                                  .queued_only = 1,
                                  .done = &done,
                                  .after_batch = after_batch};
    prepare(&context, jni, 1);
    if (batch) context.r.batch = batch;
    struct second *second = batch ? NULL : prepare_parallel(&context);
    if (second)
        instr_retransform_parallel(&context.r, queue);
    else
        instr_retransform_next(&context.r, queue);
    free(second);
}

void instr_reconfigure_look_for_late_loaded(struct instr_agent *agent, uint64_t now,
                                            uint64_t pause) {
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    int any = instr_class_states_late_loaded(agent->class_states, plan->number) != 0;
    agent->late_loaded_pause = pause < LATE_LOADED_PAUSE ? pause : LATE_LOADED_PAUSE;
    agent->late_loaded_at =
        any && now < agent->late_loaded_until ? now + agent->late_loaded_pause : 0;
}
