// switch_classes.c: see switch_classes.h

#include "instr/retransform/apply.h"

#include "instr/retransform/hook.h"
#include "instr/vm/untouchable.h"
#include "instr/options/compare.h"
#include "instr/retransform/redefine.h"
#include "instr/retransform/parallel.h"
#include "instr/retransform/background.h"
#include "instr/base/log.h"
#include "instr/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)
static const uint64_t STRAGGLERS_FOR = INSTR_STRAGGLERS_FOR * SECOND,
                      STRAGGLERS_AMONG_MANY_FOR = 10 * SECOND, STRAGGLERS_PAUSE = 60 * SECOND;
enum {
    MANY_LOADING = 16384,
    FIRST = 100 // classes that are done before the answer, when others come later
};

struct retransforming {
    struct instr_agent *agent;
    const struct instr_plan *plan;
    const struct instr_plan *before; // with the same rules; NULL: there is none
    int late_loaded;                 // only those that were being loaded
    int left;                        // all, as they were wanted before
    struct instr_switched *done;
    // After each batch of `left`, with what it did. By two threads.
    void (*came)(unsigned count, const struct instr_switched *done);
    struct instr_retransform r;
};

// What another thread does meanwhile.
struct second {
    struct retransforming context;
    struct instr_switched done;
};

void instr_switched_add(struct instr_switched *to, const struct instr_switched *more) {
    to->classes += more->classes;
    to->changed += more->changed;
    to->refused += more->refused;
    to->skipped_interfaces += more->skipped_interfaces;
    if (more->longest > to->longest) to->longest = more->longest;
    for (unsigned i = 0; i < more->told && to->told < INSTR_REFUSALS; i++)
        memcpy(to->refusals[to->told++], more->refusals[i], sizeof *to->refusals);
}

static int wanted(void *context, jobject loader, const char *name) {
    struct retransforming *r = context;
    struct instr_agent *agent = r->agent;
    uint64_t key = instr_hook_key(agent->jvmti, name, loader);
    struct instr_class_state entry = instr_class_states_get(agent->changes, key);
    if (entry.key && (entry.methods || entry.refused))
        instr_class_states_sweep_seen(agent->changes, key);
    if (r->late_loaded) return entry.loading && entry.plan != r->plan->number;
    if (entry.refused && !entry.methods) return 0;
    if (r->left) return !entry.methods || entry.plan != r->plan->number; // or done meanwhile
    uint64_t without = 0, without_before = 0, beyond = 0, beyond_before = 0;
    int in = r->plan->engine &&
             instr_hook_matches(r->r.jni, &r->plan->options, loader, name, &without, &beyond);
    if (!in) return entry.methods != 0;
    return !r->before ||
           !instr_hook_matches(r->r.jni, &r->before->options, loader, name, &without_before,
                               &beyond_before) ||
           !beyond != !beyond_before ||
           !instr_same_effect(&r->before->options, without_before, &r->plan->options, without);
}

static void begin(void *context) {
    (void)context;
    instr_hook_batch_begin();
}

static void end(void *context, int done, unsigned count) {
    struct retransforming *r = context;
    unsigned changed = instr_hook_batch_end(done);
    r->done->changed += changed;
    r->done->classes += done ? count : 0;
}

static void failed(void *context, jobject loader, const char *name, const char *reason) {
    struct retransforming *r = context;
    struct instr_agent *agent = r->agent;
    struct instr_class_state entry =
        instr_class_states_get(agent->changes, instr_hook_key(agent->jvmti, name, loader));
    entry.refused = entry.seen = 1;
    instr_class_states_put(agent->changes, &entry);
    r->done->refused++;
    char line[INSTR_ERROR_SIZE];
    snprintf(line, sizeof line, "%s: kept as it was: %s", name, reason);
    if (r->plan->engine) instr_engine_keep(r->plan->engine, name, reason);
    if (r->done->told < INSTR_REFUSALS)
        snprintf(r->done->refusals[r->done->told++], sizeof *r->done->refusals, "%.255s", line);
    char said[INSTR_ERROR_SIZE + 16];
    snprintf(said, sizeof said, "instr: %s", line);
    instr_say(said);
}

// What has inserted code is changed, so that it can be taken out: it was loaded with it, and this
// is the only time.
static int skipped_interfaces(void *context, jobject loader, const char *name, int code) {
    struct retransforming *r = context;
    struct instr_agent *agent = r->agent;
    if (r->plan->options.interfaces ||
        instr_class_states_get(agent->changes, instr_hook_key(agent->jvmti, name, loader)).methods)
        return 0;
    if (!code) return 1;
    r->done->skipped_interfaces++;
    if (r->plan->engine) instr_engine_keep_interface(r->plan->engine, name, INSTR_INTERFACE_REASON);
    return 1;
}

static int go_on(void *context) {
    struct retransforming *r = context;
    if (atomic_load(&r->agent->state) == INSTR_FINISHED) return 0;
    return !r->left || !atomic_load(&r->agent->waiting);
}

static void taken(void *context, unsigned count) {
    struct retransforming *r = context;
    if (!r->came) return;
    r->done->longest = r->r.longest;
    r->came(count, r->done);
    memset(r->done, 0, sizeof *r->done);
}

static void prepare(struct retransforming *r, JNIEnv *jni, int running) {
    r->r = (struct instr_retransform){.jvmti = r->agent->jvmti,
                                      .jni = jni,
                                      .batch = r->plan->options.batch,
                                      .running = running,
                                      .context = r,
                                      .wanted = wanted,
                                      .begin = begin,
                                      .end = end,
                                      .failed = failed,
                                      .skipped_interfaces = skipped_interfaces,
                                      .go_on = go_on,
                                      .taken = taken};
}

// What was redefined has to be looked after between the batches, and what is limited counted class
// by class: then it is one thread.
static struct second *prepare_second(struct retransforming *first) {
    const struct instr_options *options = &first->plan->options;
    unsigned processors;
    if (instr_redefine_any() || options->max_classes || options->max_methods ||
        !instr_retransform_two(first->agent->jvmti, options->batch_threads, &processors))
        return NULL;
    struct second *second = calloc(1, sizeof *second);
    if (!second) return NULL;
    second->context = *first;
    second->context.done = &second->done;
    prepare(&second->context, NULL, 1); // it attaches itself
    first->r.other = &second->context.r;
    first->r.processors = processors;
    return second;
}

static int retransform(struct retransforming *context) {
    struct instr_agent *agent = context->agent;
    struct instr_switched *done = context->done;
    uint64_t now = instr_clock_now();
    struct second *second = context->r.running && !context->r.rest ? prepare_second(context) : NULL;
    instr_class_states_sweep_begin(agent->changes);
    int told = instr_retransform_loaded(&context->r);
    if (second) instr_switched_add(done, &second->done);
    free(second);
    if (!told) return 0;
    // What was unloaded between two sweeps looks as if it were loading still. Where classes come
    // and go by the thousand it is that.
    uint64_t patience = instr_class_states_totals(agent->changes).loading > MANY_LOADING
                            ? STRAGGLERS_AMONG_MANY_FOR
                            : STRAGGLERS_FOR;
    uint32_t oldest = now > patience ? (uint32_t)((now - patience) / SECOND) : 0;
    instr_class_states_sweep_end(agent->changes, oldest);
    if (context->r.longest > done->longest) done->longest = context->r.longest;
    return 1;
}

int instr_reconfigure_retransform(struct instr_agent *agent, JNIEnv *jni,
                                  const struct instr_plan *before, int late_loaded, int running,
                                  struct instr_switched *done) {
    struct retransforming context = {.agent = agent,
                                     .plan = instr_plans_current(&agent->plans),
                                     .before = before,
                                     .late_loaded = late_loaded,
                                     .done = done};
    prepare(&context, jni, running);
    return retransform(&context);
}

int instr_reconfigure_retransform_first(struct instr_agent *agent, JNIEnv *jni,
                                        const struct instr_plan *before, uint64_t start,
                                        struct instr_switched *done) {
    struct retransforming context = {
        .agent = agent, .plan = instr_plans_current(&agent->plans), .before = before, .done = done};
    prepare(&context, jni, 1);
    context.r.rest = instr_background();
    context.r.first = FIRST;
    if (!retransform(&context)) return 0;
    done->left = context.r.left;
    if (context.r.left) instr_background_start(done, start, context.r.chosen);
    return 1;
}

void instr_reconfigure_retransform_rest(struct instr_agent *agent, JNIEnv *jni,
                                        struct instr_rest *rest,
                                        void (*came)(unsigned count,
                                                     const struct instr_switched *done)) {
    struct instr_switched done = {0};
    struct retransforming context = {.agent = agent,
                                     .plan = instr_plans_current(&agent->plans),
                                     .left = 1,
                                     .done = &done,
                                     .came = came};
    prepare(&context, jni, 1);
    struct second *second = prepare_second(&context);
    if (second)
        instr_retransform_parallel(&context.r, rest);
    else
        instr_retransform_next(&context.r, rest);
    free(second);
}

// Classes whose bytes a thread had got from the old plan may come into being only now.
void instr_reconfigure_look_for_late_loaded(struct instr_agent *agent, uint64_t now,
                                            uint64_t pause) {
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    int any = instr_class_states_late_loaded(agent->changes, plan->number) != 0;
    agent->late_loaded_pause = pause < STRAGGLERS_PAUSE ? pause : STRAGGLERS_PAUSE;
    agent->late_loaded_at =
        any && now < agent->late_loaded_until ? now + agent->late_loaded_pause : 0;
}
