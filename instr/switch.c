// switch.c: see switch.h

#include "instr/switch.h"

#include "instr/control.h"
#include "instr/hook.h"
#include "instr/part.h"
#include "instr/redefine.h"
#include "instr/retransform.h"
#include "instr/runtime.h"
#include "instr/wrapping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
enum {
    BUSY_AFTER = 10, // seconds that an operation waits for another one
    SETTLE_TIME =
        1000 // milliseconds to wait for threads that still load a class under the old plan
};
// Calls that were under way when all was switched off may still end with a time, if they are
// shorter than what the runtime takes for usual (InstrThreads.UNUSUAL); longer ones it looks at
// closely.
static const uint64_t RELEASE_AFTER = 3 * SECOND;
static const uint64_t STRAGGLERS_FOR = 600 * SECOND, STRAGGLERS_PAUSE = 60 * SECOND;

// --- what is the same in two sets of options ---

static int same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int same_values(const struct instr_pass_options *a, const struct instr_pass_options *b) {
    for (size_t i = 0; a->pass->options && a->pass->options[i].key; i++)
        if (!same_text(a->values ? a->values[i] : NULL, b->values ? b->values[i] : NULL)) return 0;
    return 1;
}

static const struct instr_pass_options *find_pass(const struct instr_options *options,
                                                  const struct rw_pass *pass) {
    for (size_t i = 0; options && i < options->pass_count; i++)
        if (options->passes[i].pass == pass) return &options->passes[i];
    return NULL;
}

// Is the same said of all classes, whatever the passes?
static int same_rules(const struct instr_options *a, const struct instr_options *b) {
    return a->huge == b->huge && a->verify == b->verify && a->max_classes == b->max_classes &&
           a->max_methods == b->max_methods;
}

// The next of the passes that a class is not without.
static const struct instr_pass_options *next_pass(const struct instr_options *options,
                                                  uint64_t without, size_t *i) {
    while (*i<options->pass_count && * i<64 && without>> * i & 1) ++*i;
    return *i < options->pass_count ? &options->passes[(*i)++] : NULL;
}

// Do both make the same of a class that has to do without some passes?
static int same_effect(const struct instr_options *a, uint64_t without_a,
                       const struct instr_options *b, uint64_t without_b) {
    size_t i = 0, k = 0;
    for (;;) {
        const struct instr_pass_options *p = next_pass(a, without_a, &i),
                                        *q = next_pass(b, without_b, &k);
        if (!p || !q) return !p && !q;
        if (p->pass != q->pass || p->number != q->number || !same_values(p, q)) return 0;
    }
}

// --- passes that come and go ---

static int goes_on(const struct instr_options *before, const struct instr_pass_options *pass) {
    const struct instr_pass_options *other = find_pass(before, pass->pass);
    return other && same_values(other, pass);
}

static void stop_part(const struct instr_pass_options *pass, JNIEnv *jni) {
    const struct instr_part *part = instr_part_of(pass->pass);
    if (part && part->stop) part->stop(jni);
}

static int start_part(struct instr_agent *agent, JNIEnv *jni, const struct instr_pass_options *pass,
                      char *reason, size_t size) {
    const struct instr_part *part = instr_part_of(pass->pass);
    if (!part) return 1;
    if ((!part->load || part->load(agent->vm, pass, INSTR_PART_LIVE, reason, size)) &&
        (!part->start || part->start(agent->jvmti, jni, pass, reason, size)))
        return 1;
    stop_part(pass, jni);
    return 0;
}

// Starts the parts of the passes that were not on, or were with other options. When one fails those
// before it are put back.
static int start_parts(struct instr_agent *agent, JNIEnv *jni, const struct instr_options *before,
                       const struct instr_options *next, char *reason, size_t size) {
    char ignored[INSTR_ERROR_SIZE];
    for (size_t i = 0; i < next->pass_count; i++) {
        const struct instr_pass_options *pass = &next->passes[i];
        if (goes_on(before, pass)) continue;
        if (find_pass(before, pass->pass)) stop_part(pass, jni);
        if (start_part(agent, jni, pass, reason, size)) continue;
        for (size_t k = 0; k <= i; k++) {
            const struct instr_pass_options *other = find_pass(before, next->passes[k].pass);
            if (goes_on(before, &next->passes[k])) continue;
            if (k < i) stop_part(&next->passes[k], jni);
            if (other) start_part(agent, jni, other, ignored, sizeof ignored);
        }
        return 0;
    }
    return 1;
}

// A pass that is switched on for a second time counts anew: its methods get other ids.
static void number_passes(struct instr_agent *agent, const struct instr_options *before,
                          struct instr_options *next) {
    for (size_t i = 0; i < next->pass_count; i++) {
        struct instr_pass_options *pass = &next->passes[i];
        const struct instr_pass_options *other = find_pass(before, pass->pass);
        agent->ids_stay |= instr_part_of(pass->pass) != NULL;
        if (other) {
            pass->number = other->number;
        } else if (agent->used_numbers & 1u << pass->number) {
            pass->number = agent->next_number++;
        } else {
            agent->used_numbers |= 1u << pass->number;
        }
    }
}

// Writes the files of the passes that `next` does not have (NULL: of all). Tables are for the end
// of the JVM.
static void tell_gone(struct instr_agent *agent, JNIEnv *jni, const struct instr_plan *plan,
                      const struct instr_options *next) {
    struct instr_options gone = plan->options;
    struct instr_pass_options *passes = calloc(gone.pass_count + 1, sizeof *passes);
    if (!passes) {
        instr_say("instr: out of memory: results are not written");
        return;
    }
    gone.passes = passes;
    gone.pass_count = 0;
    gone.quiet = 1;
    gone.stats = NULL;
    for (size_t i = 0; i < plan->options.pass_count; i++) {
        const struct instr_pass_options *pass = &plan->options.passes[i];
        const struct instr_part *part = instr_part_of(pass->pass);
        if ((pass->file || (part && part->tell)) && !find_pass(next, pass->pass))
            passes[gone.pass_count++] = *pass;
    }
    struct instr_results results = {&gone, plan->methods, plan->engine, agent->jvmti, jni};
    if (gone.pass_count) instr_results_tell(&results);
    free(passes);
}

// --- the loaded classes ---

struct retransforming {
    struct instr_agent *agent;
    JNIEnv *jni;
    const struct instr_plan *plan;
    const struct instr_plan *before; // with the same rules; NULL: there is none
    int stragglers;                  // only those that were being loaded
    struct instr_switched *done;
};

static int wanted(void *context, jobject loader, const char *name) {
    struct retransforming *r = context;
    struct instr_agent *agent = r->agent;
    uint64_t key = instr_hook_key(agent->jvmti, name, loader);
    struct instr_change_entry entry = instr_changes_get(agent->changes, key);
    if (entry.key && (entry.methods || entry.refused))
        instr_changes_sweep_seen(agent->changes, key);
    if (r->stragglers) return entry.loading && entry.plan != r->plan->number;
    if (entry.refused && !entry.methods) return 0;
    uint64_t without = 0, without_before = 0;
    int in =
        r->plan->engine && instr_hook_matches(r->jni, &r->plan->options, loader, name, &without);
    if (!in) return entry.methods != 0;
    return !r->before ||
           !instr_hook_matches(r->jni, &r->before->options, loader, name, &without_before) ||
           !same_effect(&r->before->options, without_before, &r->plan->options, without);
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
    struct instr_change_entry entry =
        instr_changes_get(agent->changes, instr_hook_key(agent->jvmti, name, loader));
    entry.refused = 1;
    instr_changes_put(agent->changes, &entry);
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

static int go_on(void *context) {
    (void)context;
    return atomic_load(&instr_agent.state) != INSTR_FINISHED;
}

static int retransform(struct instr_agent *agent, JNIEnv *jni, const struct instr_plan *before,
                       int stragglers, int running, struct instr_switched *done) {
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    struct retransforming context = {agent, jni, plan, before, stragglers, done};
    struct instr_retransform r = {.jvmti = agent->jvmti,
                                  .jni = jni,
                                  .batch = plan->options.batch,
                                  .running = running,
                                  .context = &context,
                                  .wanted = wanted,
                                  .begin = begin,
                                  .end = end,
                                  .failed = failed,
                                  .go_on = go_on};
    uint64_t now = instr_control_now();
    instr_changes_sweep_begin(agent->changes);
    if (!instr_retransform_loaded(&r)) return 0;
    uint32_t oldest = now > STRAGGLERS_FOR ? (uint32_t)((now - STRAGGLERS_FOR) / SECOND) : 0;
    instr_changes_sweep_end(agent->changes, oldest);
    if (r.longest > done->longest) done->longest = r.longest;
    return 1;
}

// Classes whose bytes a thread had got from the old plan may come into being only now.
static void look_for_stragglers(struct instr_agent *agent, uint64_t now, uint64_t pause) {
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    int any = instr_changes_stragglers(agent->changes, plan->number) != 0;
    agent->stragglers_pause = pause < STRAGGLERS_PAUSE ? pause : STRAGGLERS_PAUSE;
    agent->stragglers_at = any && now < agent->stragglers_until ? now + agent->stragglers_pause : 0;
}

// --- events ---

static int arm(struct instr_agent *agent, char *reason, size_t size) {
    if (agent->armed) return 1;
    agent->armed = instr_agent_arm(agent, reason, size);
    return agent->armed;
}

static int set_hook(struct instr_agent *agent, jvmtiEventMode mode, char *reason, size_t size) {
    jvmtiError error =
        (*agent->jvmti)
            ->SetEventNotificationMode(agent->jvmti, mode, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
    if (error == JVMTI_ERROR_NONE) return 1;
    snprintf(reason, size, "the JVM refuses the class file hook (JVM TI error %d)", (int)error);
    return 0;
}

static enum instr_delivery delivery(const struct instr_options *options) {
    return options->runtime == INSTR_RUNTIME_PATH ? INSTR_DELIVERY_PATH : INSTR_DELIVERY_DIRECT;
}

// --- the switch ---

static struct instr_plan *new_plan(struct instr_agent *agent, struct instr_options *next,
                                   const struct instr_plan *before) {
    struct instr_methods *methods = before ? before->methods : agent->methods;
    int first = !methods && next->pass_count;
    if (first && !(methods = instr_methods_new())) return NULL;
    struct instr_plan *plan =
        instr_plan_new(next, methods, instr_runtime_package(delivery(next)), before);
    if (!plan && first) instr_methods_free(methods);
    if (plan && plan->engine) instr_parts_engine(plan->engine, &plan->options);
    return plan;
}

// All that may fail, before anything has changed.
static struct instr_plan *prepare(struct instr_agent *agent, JNIEnv *jni,
                                  struct instr_options *next, char *reason, size_t size) {
    const struct instr_plan *before = instr_plans_current(&agent->plans);
    const struct instr_options *old = before ? &before->options : NULL;
    if (next->pass_count) {
        struct instr_runtime_config config = {delivery(next), agent->library, (size_t)next->memory};
        if (!arm(agent, reason, size) ||
            !instr_wrapping_prepare(agent->jvmti, next, false, reason, size) ||
            !instr_runtime_start(agent->jvmti, jni, &config, reason, size) ||
            !instr_wrapping_start(agent->vm, next, reason, size))
            return NULL;
    }
    if (!before || !before->methods) agent->used_numbers = 0;
    number_passes(agent, old, next);
    struct instr_plan *plan = new_plan(agent, next, before);
    if (!plan) {
        snprintf(reason, size, "out of memory");
        return NULL;
    }
    const struct instr_options *options = &plan->options;
    if (start_parts(agent, jni, old, options, reason, size)) {
        if (!options->pass_count || set_hook(agent, JVMTI_ENABLE, reason, size)) {
            if (instr_plans_swap(&agent->plans, plan)) return plan;
            snprintf(reason, size, "too many threads are still busy with plans of before");
        }
        for (size_t i = 0; i < options->pass_count; i++)
            if (!goes_on(old, &options->passes[i])) stop_part(&options->passes[i], jni);
    }
    if (!before || before->methods != plan->methods) instr_methods_free(plan->methods);
    instr_plan_free(plan);
    return NULL;
}

static void settle(struct instr_agent *agent) {
    for (int i = 0; i < SETTLE_TIME && !instr_plans_settle(&agent->plans); i++) usleep(1000);
}

// Makes the plan of `next`, which is taken over, the current one.
static int switch_to(struct instr_agent *agent, JNIEnv *jni, struct instr_options *next,
                     struct instr_switched *done, char *reason, size_t size) {
    uint64_t start = instr_control_now();
    unsigned ticket;
    // Held until its results are told.
    const struct instr_plan *before = instr_plans_take(&agent->plans, &ticket);
    int was_on = before && before->engine;
    int same = was_on && same_rules(&before->options, next);
    uint64_t expiry = next->expiry;
    int same_expiry = was_on && before->options.expiry == expiry;
    struct instr_plan *plan = prepare(agent, jni, next, reason, size);
    if (!plan) {
        instr_plans_give_back(&agent->plans, ticket);
        return 0;
    }
    if (plan->engine) agent->state = INSTR_ACTIVE;
    agent->release_at = 0;
    if (was_on || plan->engine) {
        // Whoever loads a class under the old plan still is done in a moment: then it is loaded, or
        // a straggler.
        for (int i = 0; i < SETTLE_TIME && instr_plans_others(&agent->plans, ticket); i++)
            usleep(1000);
        agent->stragglers_until = start + STRAGGLERS_FOR;
        if (!retransform(agent, jni, same ? before : NULL, 0, 1, done))
            instr_say(
                "instr: the JVM does not tell which classes are loaded: only new ones follow");
        look_for_stragglers(agent, start, SECOND);
        instr_redefine_again(agent, jni);
        if (plan->engine) instr_wrapping_tell(plan->engine, &plan->options);
    }
    if (was_on) {
        tell_gone(agent, jni, before, &plan->options);
        for (size_t i = 0; i < before->options.pass_count; i++)
            if (!find_pass(&plan->options, before->options.passes[i].pass))
                stop_part(&before->options.passes[i], jni);
    }
    instr_plans_give_back(&agent->plans, ticket);
    settle(agent);
    if (!plan->engine) {
        agent->state = INSTR_DORMANT;
        // Classes with wrappers get them again each time that they come.
        if (was_on && !instr_wrapping_any()) set_hook(agent, JVMTI_DISABLE, reason, size);
        if (was_on) agent->release_at = instr_control_now() + RELEASE_AFTER;
    }
    if (!plan->engine || !expiry)
        agent->expires = 0;
    else if (!same_expiry)
        agent->expires = instr_control_now() + expiry;
    done->nanoseconds = instr_control_now() - start;
    return 1;
}

// --- operations ---

static int begin_operation(struct instr_agent *agent, struct instr_switched *done, char *reason,
                           size_t size) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += BUSY_AFTER;
    memset(done, 0, sizeof *done);
    if (pthread_mutex_timedlock(&agent->switching, &until) != 0) {
        snprintf(reason, size, "busy: another operation is under way");
        return 0;
    }
    int state = atomic_load(&agent->state);
    if (state == INSTR_DORMANT || state == INSTR_ACTIVE) return 1;
    snprintf(reason, size, state == INSTR_FINISHED ? "the JVM is ending" : "the agent is not up");
    pthread_mutex_unlock(&agent->switching);
    return 0;
}

// An error of the options' parser without its "instr: ".
static void strip(char *reason, size_t size) {
    static const char prefix[] = "instr: ";
    char text[INSTR_ERROR_SIZE];
    snprintf(text, sizeof text, "%s", reason);
    if (strncmp(text, prefix, sizeof prefix - 1) == 0)
        snprintf(reason, size, "%s", text + sizeof prefix - 1);
}

static int change(struct instr_agent *agent, JNIEnv *jni, enum instr_change kind, const char *text,
                  struct instr_switched *done, char *reason, size_t size) {
    struct instr_options next;
    int ok = 0;
    if (!begin_operation(agent, done, reason, size)) return 0;
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    if (instr_options_change(&next, &plan->options, kind, text, reason, size) != 0) {
        strip(reason, size);
    } else if (kind == INSTR_ENABLE && !next.pass_count) {
        snprintf(reason, size, "no pass is named, and none is on");
        instr_options_free(&next);
    } else {
        ok = switch_to(agent, jni, &next, done, reason, size);
        instr_options_free(&next); // what was not taken over
    }
    pthread_mutex_unlock(&agent->switching);
    return ok;
}

int instr_switch_enable(struct instr_agent *agent, JNIEnv *jni, const char *text,
                        struct instr_switched *done, char *reason, size_t size) {
    return change(agent, jni, INSTR_ENABLE, text, done, reason, size);
}

int instr_switch_set(struct instr_agent *agent, JNIEnv *jni, const char *text,
                     struct instr_switched *done, char *reason, size_t size) {
    return change(agent, jni, INSTR_SET, text, done, reason, size);
}

// What stays when no pass is on: how the agent works, not what was asked of it.
static int without_passes(struct instr_options *next, const struct instr_options *base) {
    struct instr_options kept = {.runtime = base->runtime,
                                 .quiet = base->quiet,
                                 .verbose = base->verbose,
                                 .memory = base->memory,
                                 .control = base->control,
                                 .batch = base->batch,
                                 .stats = base->stats};
    return instr_options_copy(next, &kept);
}

static int revert_all(struct instr_agent *agent, JNIEnv *jni, struct instr_switched *done,
                      char *reason, size_t size) {
    struct instr_options next;
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    if (without_passes(&next, &plan->options) != 0) {
        snprintf(reason, size, "out of memory");
        return 0;
    }
    int ok = switch_to(agent, jni, &next, done, reason, size);
    instr_options_free(&next);
    return ok;
}

int instr_switch_disable(struct instr_agent *agent, JNIEnv *jni, const char *name,
                         struct instr_switched *done, char *reason, size_t size) {
    struct instr_options next;
    int ok = 0;
    if (!begin_operation(agent, done, reason, size)) return 0;
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    const struct rw_pass *pass = rw_pass_named(name, strlen(name));
    if (!pass) {
        snprintf(reason, size, "'%.64s' is no pass", name);
    } else if (!find_pass(&plan->options, pass)) {
        snprintf(reason, size, "'%s' is not on", pass->name);
    } else if (plan->options.pass_count == 1) {
        ok = revert_all(agent, jni, done, reason, size);
    } else if (instr_options_without(&next, &plan->options, pass) != 0) {
        snprintf(reason, size, "out of memory");
    } else {
        ok = switch_to(agent, jni, &next, done, reason, size);
        instr_options_free(&next);
    }
    pthread_mutex_unlock(&agent->switching);
    return ok;
}

// The options with some more classes excluded.
static int exclude(struct instr_options *next, const struct instr_options *base,
                   const char *patterns, char *reason, size_t size) {
    if (instr_options_copy(next, base) != 0) {
        snprintf(reason, size, "out of memory");
        return 0;
    }
    if (!next->exclude) next->exclude = instr_match_new();
    if (next->exclude && instr_match_add(next->exclude, patterns, reason, size) == 0) return 1;
    if (!next->exclude) snprintf(reason, size, "out of memory");
    instr_options_free(next);
    return 0;
}

int instr_switch_revert(struct instr_agent *agent, JNIEnv *jni, const char *patterns,
                        struct instr_switched *done, char *reason, size_t size) {
    struct instr_options next;
    int ok = 0;
    if (!begin_operation(agent, done, reason, size)) return 0;
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    if (!plan->engine) {
        ok = !patterns;
        if (patterns) snprintf(reason, size, "no pass is on");
    } else if (!patterns) {
        ok = revert_all(agent, jni, done, reason, size);
    } else if (exclude(&next, &plan->options, patterns, reason, size)) {
        ok = switch_to(agent, jni, &next, done, reason, size);
        instr_options_free(&next);
    }
    pthread_mutex_unlock(&agent->switching);
    return ok;
}

int instr_switch_write(struct instr_agent *agent, JNIEnv *jni, char *reason, size_t size) {
    struct instr_switched ignored;
    if (!begin_operation(agent, &ignored, reason, size)) return 0;
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    if (plan->engine) tell_gone(agent, jni, plan, NULL);
    if (!plan->engine) snprintf(reason, size, "no pass is on");
    pthread_mutex_unlock(&agent->switching);
    return plan->engine != NULL;
}

struct instr_plan *instr_switch_first(struct instr_agent *agent, struct instr_options *options,
                                      enum instr_part_phase phase, char *reason, size_t size) {
    struct instr_options none = {0};
    if (!agent->methods) agent->used_numbers = 0;
    number_passes(agent, &none, options);
    struct instr_plan *plan = new_plan(agent, options, NULL);
    if (!plan) {
        snprintf(reason, size, "out of memory");
        return NULL;
    }
    if (instr_parts_load(agent->vm, &plan->options, phase, reason, size)) return plan;
    if (plan->methods != agent->methods) instr_methods_free(plan->methods);
    instr_plan_free(plan);
    return NULL;
}

static int start_passes(struct instr_agent *agent, JNIEnv *jni, const struct instr_options *options,
                        char *reason, size_t size) {
    struct instr_runtime_config config = {delivery(options), agent->library,
                                          (size_t)options->memory};
    if (!instr_runtime_start(agent->jvmti, jni, &config, reason, size) ||
        !instr_wrapping_start(agent->vm, options, reason, size) ||
        !instr_parts_start(agent->jvmti, jni, options, reason, size))
        return 0;
    if (set_hook(agent, JVMTI_ENABLE, reason, size)) return 1;
    instr_parts_stop(jni, options);
    return 0;
}

int instr_switch_start(struct instr_agent *agent, JNIEnv *jni, struct instr_plan *plan, int running,
                       char *reason, size_t size) {
    struct instr_switched done = {0};
    pthread_mutex_lock(&agent->switching);
    int ok = !plan->engine || start_passes(agent, jni, &plan->options, reason, size);
    if (ok) {
        instr_plans_swap(&agent->plans, plan); // the first one finds room
        agent->state = plan->engine ? INSTR_ACTIVE : INSTR_DORMANT;
        // What was loaded under early hooks is done, if nothing but wrappers is wanted.
        if (plan->engine && !(agent->early && instr_wraps_only(&plan->options)))
            retransform(agent, jni, NULL, 0, running, &done);
        if (plan->engine) instr_wrapping_tell(plan->engine, &plan->options);
        if (plan->options.expiry) agent->expires = instr_control_now() + plan->options.expiry;
    }
    pthread_mutex_unlock(&agent->switching);
    return ok;
}

static void release(struct instr_agent *agent, JNIEnv *jni) {
    const struct instr_plan *before = instr_plans_current(&agent->plans);
    struct instr_options next;
    agent->release_at = 0;
    if (before->engine || without_passes(&next, &before->options) != 0) return;
    struct instr_methods *methods = agent->ids_stay ? before->methods : NULL;
    struct instr_plan *plan = instr_plan_new(&next, methods, "", NULL);
    if (!plan || !instr_plans_swap(&agent->plans, plan)) {
        instr_options_free(&next);
        instr_plan_free(plan);
        return;
    }
    settle(agent);
    instr_runtime_release(jni);
    struct instr_changes_totals totals = instr_changes_totals(agent->changes);
    if (!totals.classes && !totals.refused) instr_changes_clear(agent->changes);
    instr_give_back_memory();
}

int instr_switch_detach(struct instr_agent *agent, JNIEnv *jni, struct instr_switched *done,
                        char *reason, size_t size) {
    if (!begin_operation(agent, done, reason, size)) return 0;
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    if (instr_wrapping_any()) {
        snprintf(reason, size,
                 "native methods were wrapped, which stays so, and needs the agent; "
                 "'revert' makes it do nothing more");
        pthread_mutex_unlock(&agent->switching);
        return 0;
    }
    int ok = !plan->engine || revert_all(agent, jni, done, reason, size);
    if (ok) {
        release(agent, jni);
        agent->methods = agent->plans.kept = instr_plans_current(&agent->plans)->methods;
        instr_agent_undo(agent, jni);
    }
    pthread_mutex_unlock(&agent->switching);
    return ok;
}

int instr_switch_is_due(const struct instr_agent *agent, uint64_t now) {
    return (agent->release_at && now >= agent->release_at) ||
           (agent->stragglers_at && now >= agent->stragglers_at) ||
           instr_changes_grown(agent->changes);
}

uint64_t instr_switch_later(struct instr_agent *agent, JNIEnv *jni, uint64_t now) {
    struct instr_switched done = {0};
    if (pthread_mutex_trylock(&agent->switching) != 0) return now + SECOND;
    if (agent->release_at && now >= agent->release_at) release(agent, jni);
    if ((agent->stragglers_at && now >= agent->stragglers_at) ||
        instr_changes_grown(agent->changes)) {
        const struct instr_plan *plan = instr_plans_current(&agent->plans);
        int off = !plan->engine; // then the hook is, and notes nothing
        char ignored[INSTR_ERROR_SIZE];
        if (off) set_hook(agent, JVMTI_ENABLE, ignored, sizeof ignored);
        retransform(agent, jni, NULL, 1, 1, &done);
        if (off && !instr_wrapping_any()) set_hook(agent, JVMTI_DISABLE, ignored, sizeof ignored);
        look_for_stragglers(agent, now, 2 * agent->stragglers_pause);
    }
    uint64_t next = UINT64_MAX;
    if (agent->release_at) next = agent->release_at;
    if (agent->stragglers_at && agent->stragglers_at < next) next = agent->stragglers_at;
    pthread_mutex_unlock(&agent->switching);
    return next;
}
