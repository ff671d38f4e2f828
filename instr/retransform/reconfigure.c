// Switching passes on and off: a new plan, the classes that it concerns, the results of old passes.

#include "instr/retransform/reconfigure.h"

#include "instr/options/compare.h"
#include "instr/passes/agent_passes.h"
#include "instr/retransform/redefine.h"
#include "instr/passes/results.h"
#include "instr/passes/watch/watch.h"
#include "instr/vm/runtime.h"
#include "instr/retransform/apply.h"
#include "instr/retransform/pass_lifecycle.h"
#include "instr/retransform/background.h"
#include "instr/retransform/first_class.h"
#include "instr/retransform/native_prefix.h"
#include "instr/retransform/ends.h"
#include "instr/retransform/overhead.h"
#include "instr/retransform/prepared.h"
#include "instr/retransform/sweep.h"
#include "instr/retransform/switching.h"
#include "instr/base/log.h"
#include "instr/base/clock.h"
#include "instr/vm/wake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
enum {
    SETTLE_TIME = 1000
}; // milliseconds to wait for threads that load a class under the old plan
// Calls that were running when the last pass was switched off may still record a time, if they take
// less than InstrThreads.UNUSUAL. The runtime examines longer calls before it records them.
static const uint64_t RELEASE_AFTER = 3 * SECOND;

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

static int set_hooks(struct instr_agent *agent, JNIEnv *jni, const struct instr_options *options,
                     char *reason, size_t size) {
    return set_hook(agent, JVMTI_ENABLE, reason, size) &&
           instr_prepared_begin(agent, jni, options, reason, size);
}

static enum instr_delivery delivery(const struct instr_options *options) {
    return options->runtime == INSTR_RUNTIME_PATH ? INSTR_DELIVERY_PATH : INSTR_DELIVERY_DIRECT;
}

// --- installing a plan ---

// The JVM may end meanwhile: what on_vm_death has set stays.
static void set_state(struct instr_agent *agent, enum instr_agent_state state) {
    int now = atomic_load(&agent->state);
    while (now != INSTR_FINISHED && !atomic_compare_exchange_weak(&agent->state, &now, state))
        continue;
}

static struct instr_plan *new_plan(struct instr_agent *agent, struct instr_options *next,
                                   const struct instr_plan *before) {
    struct instr_methods *methods = before ? before->methods : agent->methods;
    int first = !methods && next->pass_count;
    if (first && !(methods = instr_methods_behind(agent->earlier_ids))) return NULL;
    struct instr_plan *plan =
        instr_plan_new(next, methods, instr_runtime_package(delivery(next)), before);
    if (!plan && first) instr_methods_free(methods);
    if (plan && plan->engine) instr_agent_passes_engine(plan->engine, &plan->options);
    return plan;
}

// Does everything that may fail, before anything changes.
static struct instr_plan *prepare(struct instr_agent *agent, JNIEnv *jni,
                                  struct instr_options *next, char *reason, size_t size) {
    const struct instr_plan *before = instr_plans_current(&agent->plans);
    const struct instr_options *old = before ? &before->options : NULL;
    instr_first_class_end(agent);
    if (next->pass_count) {
        instr_agent_find_loader(agent, jni);
        struct instr_runtime_config config = {delivery(next), agent->library, (size_t)next->memory};
        if (!arm(agent, reason, size) ||
            !instr_native_prefix_prepare(agent->jvmti, next, false, reason, size) ||
            !instr_runtime_start(agent->jvmti, jni, &config, reason, size) ||
            !instr_native_prefix_start(agent->vm, next, reason, size))
            return NULL;
    }
    instr_reconfigure_assign_ids(agent, jni, before, next);
    struct instr_plan *plan = new_plan(agent, next, before);
    if (!plan) {
        instr_reconfigure_release_ids(agent, old, next, 0);
        snprintf(reason, size, "out of memory");
        return NULL;
    }
    const struct instr_options *options = &plan->options;
    if (instr_reconfigure_start_passes(agent, jni, old, options, reason, size)) {
        if (!options->pass_count || set_hooks(agent, jni, options, reason, size)) {
            if (instr_plans_swap(&agent->plans, plan)) return plan;
            snprintf(reason, size, "too many threads are still using earlier plans");
        }
        for (size_t i = 0; i < options->pass_count; i++)
            if (instr_find_pass(options, options->passes[i].pass) == &options->passes[i] &&
                !instr_goes_on(old, &options->passes[i]))
                instr_reconfigure_stop_pass(&options->passes[i], jni);
    }
    instr_reconfigure_release_ids(agent, old, options, 0);
    if (!before || before->methods != plan->methods) instr_methods_free(plan->methods);
    instr_plan_free(plan);
    return NULL;
}

static void settle(struct instr_agent *agent) {
    for (int i = 0; i < SETTLE_TIME && !instr_plans_settle(&agent->plans); i++) usleep(1000);
}

// Has a class wrappers of native methods, or may a thread that loads it under an earlier plan be
// making them?
static bool has_wrappers(struct instr_agent *agent) {
    return instr_native_prefix_used() ||
           (instr_native_prefix_any() && !instr_plans_settle(&agent->plans));
}

// Ends passes whose code no class has any more.
static void finish(struct instr_agent *agent, JNIEnv *jni) {
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    uint64_t free_at = instr_clock_now() + RELEASE_AFTER;
    char ignored[INSTR_ERROR_SIZE];
    agent->finishing = 0;
    instr_pass_ids_free_left(&agent->pass_ids, free_at);
    instr_agent_passes_ended(jni, &plan->options);
    if (plan->engine) return;
    // Classes with wrappers need the hook each time that they are retransformed.
    if (!has_wrappers(agent)) set_hook(agent, JVMTI_DISABLE, ignored, sizeof ignored);
    agent->release_at = free_at;
}

static int same_patterns(const struct instr_match *a, const struct instr_match *b) {
    return a == b || (a && b && strcmp(instr_match_text(a), instr_match_text(b)) == 0);
}

// Says on standard error who has switched on what, and whose pass is for other classes now.
static void announce(const struct instr_options *before, const struct instr_options *now) {
    char who[INSTR_WHO_SIZE];
    for (size_t i = 0; i < now->pass_count; i++) {
        const struct instr_pass_options *pass = &now->passes[i],
                                        *then = instr_find_same(before, pass);
        if (pass->terms.quiet || (then && same_patterns(then->include, pass->include) &&
                                  same_patterns(then->exclude, pass->exclude)))
            continue;
        const char *include = pass->include ? instr_match_text(pass->include) : NULL,
                   *exclude = pass->exclude ? instr_match_text(pass->exclude) : NULL;
        bool anew = before && pass->pass->made && instr_find_pass_named(before, pass->pass->name);
        instr_say("%s%s%s%s%s%.300s%s%.300s", pass->pass->name,
                  then   ? " of "
                  : anew ? " reloaded; switched on by "
                         : " switched on by ",
                  instr_owner_who(&pass->owner, who), then ? ": now for other classes" : "",
                  include ? ", include=" : "", include ? include : "", exclude ? ", exclude=" : "",
                  exclude ? exclude : "");
    }
}

// Leases, and the times of owners, that have not begun count from `since` on. Other threads read the
// plan meanwhile.
static void begin_leases(struct instr_options *options, uint64_t since) {
    for (size_t i = 0; i < options->pass_count; i++) {
        struct instr_pass_options *pass = &options->passes[i];
        struct instr_terms *terms = &pass->terms;
        if (pass->lease && !pass->ends)
            __atomic_store_n(&pass->ends, since + pass->lease, __ATOMIC_RELAXED);
        if (!terms->expiry)
            __atomic_store_n(&terms->expires, 0, __ATOMIC_RELAXED);
        else if (!terms->expires)
            __atomic_store_n(&terms->expires, since + terms->expiry, __ATOMIC_RELAXED);
    }
}

// Installs a plan made from `next` and takes `next` over. `defer`: when many classes are concerned,
// the background thread may change most of them.
static int reconfigure(struct instr_agent *agent, JNIEnv *jni, struct instr_options *next,
                       int defer, struct instr_reconfigured *done, char *reason, size_t size) {
    uint64_t start = instr_clock_now();
    unsigned ticket;
    // Held until its results are written.
    const struct instr_plan *before = instr_plans_take(&agent->plans, &ticket);
    int was_on = before && before->engine;
    int changes = was_on || next->pass_count || instr_background_is_busy();
    int same_rules = was_on && instr_same_rules(&before->options, next);
    struct instr_plan *plan = prepare(agent, jni, next, reason, size);
    if (!plan) {
        instr_plans_give_back(&agent->plans, ticket);
        return 0;
    }
    // Streams that follow a pass which is off now have to end.
    instr_wake();
    if (plan->engine) set_state(agent, INSTR_ACTIVE);
    agent->release_at = 0;
    if (changes) {
        // Threads that load a class under the old plan are done in a moment. After that the class
        // is either loaded, or a late-loaded class.
        for (int i = 0; i < SETTLE_TIME && instr_plans_others(&agent->plans, ticket); i++)
            usleep(1000);
        agent->late_loaded_until = start + INSTR_LATE_LOADED_FOR * SECOND;
        const struct instr_plan *but = same_rules ? before : NULL;
        // Classes that an earlier change left in the queue: this change looks at all classes again,
        // or they have no inserted code yet. Otherwise they stay queued, and get the current plan.
        if (!but || !plan->engine) instr_background_drop(jni);
        // The report of native methods that cannot be wrapped needs all classes to be done.
        if (!(defer && !instr_wrapping_passes(&plan->options)
                  ? instr_reconfigure_retransform_first(agent, jni, but, start, done)
                  : instr_reconfigure_retransform(agent, jni, but, 0, 1, done)))
            instr_say("the JVM does not list its loaded classes: only classes that are loaded from "
                      "now on change");
        instr_reconfigure_look_for_late_loaded(agent, start, SECOND);
        instr_redefine_reapply(agent, jni);
        if (plan->engine) instr_native_prefix_report(plan->engine, &plan->options);
    }
    begin_leases(&plan->options, done->first_change ? done->first_change : instr_clock_now());
    instr_wake(); // who watches them
    if (was_on) {
        instr_reconfigure_write_results(agent, jni, before, &plan->options, done->taker);
        instr_reconfigure_stop_passes(&plan->options, &before->options, jni);
        instr_reconfigure_release_ids(agent, &plan->options, &before->options, INSTR_NEVER);
    }
    if (!done->announced) announce(before ? &before->options : NULL, &plan->options);
    instr_plans_give_back(&agent->plans, ticket);
    settle(agent);
    instr_prepared_end(agent, &plan->options);
    if (!plan->engine) set_state(agent, INSTR_DORMANT);
    agent->finishing |= changes;
    if (changes && !instr_background_is_busy()) finish(agent, jni);
    done->elapsed = instr_clock_now() - start;
    return 1;
}

// --- operations ---

// The option, if any, that differs although the agent or its runtime reads it at the start only.
// Accepting it without any effect would mislead.
static const char *start_only_option(const struct instr_options *now,
                                     const struct instr_options *next) {
    const char *was = now->facts ? now->facts : "", *facts = next->facts ? next->facts : "";
    if (strcmp(now->control ? now->control : "", next->control ? next->control : "") != 0)
        return "control";
    if (strcmp(was, facts) != 0) return "facts";
    if (next->memory != now->memory && instr_runtime_started()) return "memory";
    return NULL;
}

static int has_passes(const struct instr_options *options, const struct instr_owner *owner) {
    for (size_t i = 0; i < options->pass_count; i++)
        if (instr_owner_same(&options->passes[i].owner, owner)) return 1;
    return 0;
}

// Passes that a command has made end with it, and not by themselves.
static void give_to_command(struct instr_options *next, const struct instr_options *before) {
    for (size_t i = 0; i < next->pass_count; i++) {
        struct instr_pass_options *pass = &next->passes[i];
        if (!pass->pass->made || instr_find_pass(before, pass->pass)) continue;
        pass->pass->made->of_command = 1;
        pass->lease = 0;
    }
}

static int change(struct instr_agent *agent, JNIEnv *jni, enum instr_change kind, const char *text,
                  struct instr_reconfigured *done, char *reason, size_t size) {
    struct instr_options next;
    int ok = 0;
    if (!instr_switching_begin(agent, done, reason, size)) return 0;
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    struct instr_owner owner = {.name = ""};
    if (done->owner) owner = *done->owner;
    owner.since = instr_clock_date() / 1000;
    static const struct instr_owner command_line;
    // Values for the passes of the command line, from those who have none of their own.
    if (kind == INSTR_SET && !has_passes(&plan->options, &owner) &&
        has_passes(&plan->options, &command_line))
        owner.name[0] = '\0';
    if (instr_options_change_as(&next, &plan->options, kind, &owner, text, reason, size) == 0) {
        if (done->of_command) give_to_command(&next, &plan->options);
        if (done->patterns) instr_patterns_add(done->patterns, &plan->options, &next, &owner);
        const char *start_only = start_only_option(&plan->options, &next);
        if (kind == INSTR_ENABLE && !next.pass_count)
            snprintf(reason, size, "no pass is given, and none is active");
        else if (start_only)
            snprintf(reason, size, "option '%s' can only be set when the agent starts", start_only);
        else if (instr_reconfigure_check_owners(&next, reason, size) &&
                 instr_reconfigure_check_files(&plan->options, &next, reason, size))
            ok = reconfigure(agent, jni, &next, done->defer && (kind == INSTR_ENABLE || !next.pace),
                             done, reason, size);
        instr_options_free(&next); // what the plan did not take over
    }
    if (ok && kind == INSTR_ENABLE) instr_ends_follow(&instr_plans_current(&agent->plans)->options);
    instr_switching_end(agent);
    return ok;
}

int instr_reconfigure_enable(struct instr_agent *agent, JNIEnv *jni, const char *text,
                             struct instr_reconfigured *done, char *reason, size_t size) {
    return change(agent, jni, INSTR_ENABLE, text, done, reason, size);
}

int instr_reconfigure_set(struct instr_agent *agent, JNIEnv *jni, const char *text,
                          struct instr_reconfigured *done, char *reason, size_t size) {
    return change(agent, jni, INSTR_SET, text, done, reason, size);
}

// The options that remain without passes: those that say how the agent works.
static int without_passes(struct instr_options *next, const struct instr_options *base) {
    struct instr_options remaining = {.runtime = base->runtime,
                                      .quiet = base->quiet,
                                      .verbose = base->verbose,
                                      .memory = base->memory,
                                      .control = base->control,
                                      .batch = base->batch,
                                      .batch_threads = base->batch_threads,
                                      .pace = base->pace,
                                      .stats = base->stats,
                                      .verify_dump = base->verify_dump};
    return instr_options_copy(next, &remaining);
}

static int revert_all(struct instr_agent *agent, JNIEnv *jni, struct instr_reconfigured *done,
                      char *reason, size_t size) {
    struct instr_options next;
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    if (without_passes(&next, &plan->options) != 0) {
        snprintf(reason, size, "out of memory");
        return 0;
    }
    int ok = reconfigure(agent, jni, &next, done->defer && !next.pace, done, reason, size);
    instr_options_free(&next);
    return ok;
}

// The passes that `next` still has stay on.
static int leave_on(struct instr_agent *agent, JNIEnv *jni, struct instr_options *next,
                    struct instr_reconfigured *done, char *reason, size_t size) {
    if (!next->pass_count) return revert_all(agent, jni, done, reason, size);
    return reconfigure(agent, jni, next, done->defer && !next->pace, done, reason, size);
}

int instr_reconfigure_disable(struct instr_agent *agent, JNIEnv *jni, const char *name,
                              struct instr_reconfigured *done, char *reason, size_t size) {
    struct instr_options next;
    int ok = 0;
    if (!instr_switching_begin(agent, done, reason, size)) return 0;
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    const struct instr_pass_options *pass =
        instr_switching_pass(&plan->options, name, done->owner, done->all, reason, size);
    if (pass && instr_options_without_owner(&next, &plan->options, pass->pass,
                                            done->all ? NULL : &pass->owner) != 0) {
        snprintf(reason, size, "out of memory");
    } else if (pass) {
        ok = leave_on(agent, jni, &next, done, reason, size);
        instr_options_free(&next);
    }
    instr_switching_end(agent);
    return ok;
}

int instr_reconfigure_expire(struct instr_agent *agent, JNIEnv *jni, uint64_t now,
                             struct instr_reconfigured *done, char *reason, size_t size) {
    struct instr_options next;
    int ok = 0;
    if (!instr_switching_begin(agent, done, reason, size)) return 0;
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    if (instr_options_without_ended(&next, &plan->options, now) != 0) {
        snprintf(reason, size, "out of memory");
    } else {
        ok = next.pass_count == plan->options.pass_count ||
             leave_on(agent, jni, &next, done, reason, size);
        instr_options_free(&next);
    }
    instr_switching_end(agent);
    return ok;
}

static bool can_reload(const struct instr_pass_options *pass) {
    const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
    return pass->pass->made && agent_pass && agent_pass->reload;
}

// Is the pass to be reloaded? `named`: only this one.
static bool reloads(const struct instr_pass_options *pass, const struct instr_pass_options *named,
                    const struct instr_reconfigured *done) {
    if (named) return pass->pass == named->pass;
    bool is_own =
        !*pass->owner.name || (done->owner && instr_owner_same(&pass->owner, done->owner));
    return can_reload(pass) && (done->all || is_own);
}

// Makes passes anew. Returns how many have changed; -1: see `reason`.
static int remake(struct instr_agent *agent, JNIEnv *jni, struct instr_options *next,
                  const struct instr_pass_options *named, const struct instr_reconfigured *done,
                  char *reason, size_t size) {
    const struct instr_options *options = &instr_plans_current(&agent->plans)->options;
    char error[INSTR_ERROR_SIZE];
    int changed = 0;
    for (size_t i = 0; i < next->pass_count; i++) {
        const struct rw_pass *old = options->passes[i].pass;
        if (!reloads(&next->passes[i], named, done)) continue;
        int made = instr_options_remake(next, i, error, sizeof error);
        const struct rw_pass *pass = next->passes[i].pass;
        if (made < 0 || (made && !instr_agent_pass_of(pass)->reload(agent->jvmti, jni, old, pass,
                                                                    error, sizeof error))) {
            snprintf(reason, size, "%s stays as it was: %.400s", old->name, error);
            return -1;
        }
        changed += made;
    }
    return changed;
}

int instr_reconfigure_reload(struct instr_agent *agent, JNIEnv *jni, const char *name,
                             struct instr_reconfigured *done, char *reason, size_t size) {
    struct instr_options next;
    int ok = 0;
    if (!instr_switching_begin(agent, done, reason, size)) return 0;
    const struct instr_options *options = &instr_plans_current(&agent->plans)->options;
    const struct instr_pass_options *named =
        name ? instr_switching_pass(options, name, done->owner, done->all, reason, size) : NULL;
    if (named && !can_reload(named)) {
        snprintf(reason, size, "pass '%.64s' is not made from files", name);
    } else if ((named || !name) && instr_options_copy(&next, options) != 0) {
        snprintf(reason, size, "out of memory");
    } else if (named || !name) {
        int changed = remake(agent, jni, &next, named, done, reason, size);
        ok = changed == 0 ||
             (changed > 0 &&
              reconfigure(agent, jni, &next, done->defer && !next.pace, done, reason, size));
        instr_options_free(&next);
    }
    instr_switching_end(agent);
    return ok;
}

// The options with some more classes excluded.
static int exclude(struct instr_options *next, const struct instr_options *base,
                   const char *patterns, char *reason, size_t size) {
    if (instr_options_copy(next, base) != 0) {
        snprintf(reason, size, "out of memory");
        return 0;
    }
    if (instr_options_exclude(next, patterns, reason, size) == 0) return 1;
    instr_options_free(next);
    return 0;
}

int instr_reconfigure_revert(struct instr_agent *agent, JNIEnv *jni, const char *patterns,
                             struct instr_reconfigured *done, char *reason, size_t size) {
    struct instr_options next;
    int ok = 0;
    if (!instr_switching_begin(agent, done, reason, size)) return 0;
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    int follows = instr_background_is_busy();
    if (!plan->engine && (patterns || !follows)) {
        ok = !patterns;
        if (patterns) snprintf(reason, size, "no pass is active");
    } else if (!plan->engine && done->defer && !plan->options.pace) {
        done->remaining = instr_class_queue_remaining(instr_background_queue());
        ok = 1;
    } else if (!patterns) {
        ok = revert_all(agent, jni, done, reason, size);
    } else if (exclude(&next, &plan->options, patterns, reason, size)) {
        ok = reconfigure(agent, jni, &next, done->defer && !next.pace, done, reason, size);
        instr_options_free(&next);
    }
    instr_switching_end(agent);
    return ok;
}

// The plan without the passes that were left out; it takes the place of `plan`, which the caller frees.
// NULL: see `reason`.
static struct instr_plan *without_left_out(struct instr_agent *agent, struct instr_plan *plan,
                                           uint64_t left_out, char *reason, size_t size) {
    struct instr_options rest;
    struct instr_plan *next = NULL;
    if (instr_options_without_places(&rest, &plan->options, left_out) == 0) {
        next = new_plan(agent, &rest, plan);
        if (next)
            instr_reconfigure_release_ids(agent, &next->options, &plan->options, 0);
        else
            instr_options_free(&rest);
    }
    if (!next) snprintf(reason, size, "out of memory");
    return next;
}

struct instr_plan *instr_reconfigure_first(struct instr_agent *agent, struct instr_options *options,
                                           enum instr_agent_pass_phase phase, char *reason,
                                           size_t size) {
    for (size_t i = 0; i < options->pass_count; i++) {
        options->passes[i].owner.uid = (uint32_t)getuid();
        options->passes[i].owner.since = instr_clock_date() / 1000;
    }
    instr_reconfigure_assign_ids(agent, NULL, NULL, options);
    struct instr_plan *plan = new_plan(agent, options, NULL);
    if (!plan) {
        snprintf(reason, size, "out of memory");
        return NULL;
    }
    // Nobody could try again at the JVM's start: what a pass lacks costs that pass alone.
    uint64_t left_out = 0;
    bool at_start = phase == INSTR_PHASE_AT_START;
    struct instr_plan *rest = plan;
    if (!instr_agent_passes_load(agent->vm, &plan->options, phase, at_start ? &left_out : NULL,
                                 reason, size))
        rest = NULL;
    else if (left_out)
        rest = without_left_out(agent, plan, left_out, reason, size);
    if (rest == plan) return plan;
    if (!rest && plan->methods != agent->methods) instr_methods_free(plan->methods);
    instr_plan_free(plan);
    return rest;
}

// At the JVM's start (not `running`) the passes that fail are left out, and the plan without them
// takes the place of `*plan`.
static int start_passes(struct instr_agent *agent, JNIEnv *jni, struct instr_plan **plan,
                        int running, char *reason, size_t size) {
    const struct instr_options *options = &(*plan)->options;
    struct instr_runtime_config config = {delivery(options), agent->library,
                                          (size_t)options->memory};
    uint64_t left_out = 0;
    instr_agent_find_loader(agent, jni);
    if (!instr_runtime_start(agent->jvmti, jni, &config, reason, size) ||
        !instr_native_prefix_start(agent->vm, options, reason, size) ||
        !instr_agent_passes_start(agent->jvmti, jni, options, running ? NULL : &left_out, reason,
                                  size))
        return 0;
    struct instr_plan *rest =
        left_out ? without_left_out(agent, *plan, left_out, reason, size) : *plan;
    if (rest && (!rest->engine || set_hooks(agent, jni, &rest->options, reason, size))) {
        // With early hooks another thread may still be using the one before.
        if (rest != *plan && !agent->early) instr_plan_free(*plan);
        *plan = rest;
        return 1;
    }
    instr_agent_passes_stop(jni, options);
    if (rest != *plan) instr_plan_free(rest);
    return 0;
}

int instr_reconfigure_start(struct instr_agent *agent, JNIEnv *jni, struct instr_plan *plan,
                            int running, char *reason, size_t size) {
    struct instr_reconfigured done = {0};
    pthread_mutex_lock(&agent->switching);
    int ok = !plan->engine || start_passes(agent, jni, &plan, running, reason, size);
    if (ok) {
        instr_plans_swap(&agent->plans, plan); // there is always room for the first plan
        set_state(agent, plan->engine ? INSTR_ACTIVE : INSTR_DORMANT);
        // With early hooks and passes that only wrap, the loaded classes are changed already.
        if (plan->engine && !(agent->early && instr_wraps_only(&plan->options)))
            instr_reconfigure_retransform(agent, jni, NULL, 0, running, &done);
        // If other agents retransform classes that are changed already, the hook must be on.
        if (plan->engine && !running && !done.changed)
            instr_first_class_wait(agent, &plan->options);
        else
            instr_first_class_end(agent);
        begin_leases(&plan->options, done.first_change ? done.first_change : instr_clock_now());
        if (plan->engine) instr_native_prefix_report(plan->engine, &plan->options);
        instr_say_skipped_interfaces(done.skipped_interfaces);
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
    int ids = before->methods ? instr_methods_count(before->methods) : agent->earlier_ids;
    struct instr_plan *plan = instr_plan_new(&next, methods, "", NULL);
    if (!plan || !instr_plans_swap(&agent->plans, plan)) {
        instr_options_free(&next);
        instr_plan_free(plan);
        return;
    }
    agent->earlier_ids = ids;
    settle(agent);
    instr_runtime_release(jni);
    struct instr_class_states_totals totals = instr_class_states_totals(agent->class_states);
    if (!totals.classes && !totals.loading && !totals.refused)
        instr_class_states_clear(agent->class_states);
    instr_give_back_memory();
}

int instr_reconfigure_detach(struct instr_agent *agent, JNIEnv *jni,
                             struct instr_reconfigured *done, char *reason, size_t size) {
    if (!instr_switching_begin(agent, done, reason, size)) return 0;
    const struct instr_plan *plan = instr_plans_current(&agent->plans);
    int ok = (!plan->engine && !instr_background_is_busy()) ||
             revert_all(agent, jni, done, reason, size);
    if (ok) {
        if (agent->finishing && !instr_background_is_busy()) finish(agent, jni);
        instr_watch_end_all(jni); // calls that are running look for names, which release() frees
        release(agent, jni);
        if (!has_wrappers(agent)) {
            instr_native_prefix_end();
            agent->methods = agent->plans.kept = instr_plans_current(&agent->plans)->methods;
            instr_overhead_forget();
            instr_ends_forget();
            instr_agent_undo(agent);
        }
    }
    instr_switching_end(agent);
    return ok;
}

int instr_reconfigure_is_due(const struct instr_agent *agent, uint64_t now) {
    return (agent->release_at && now >= agent->release_at) ||
           (agent->finishing && !instr_background_is_busy()) ||
           (agent->late_loaded_at && now >= agent->late_loaded_at) ||
           instr_class_states_grown(agent->class_states) || instr_sweep_is_due(now) ||
           instr_background_is_stalled(now);
}

uint64_t instr_reconfigure_later(struct instr_agent *agent, JNIEnv *jni, uint64_t now) {
    struct instr_reconfigured done = {0};
    if (pthread_mutex_trylock(&agent->switching) != 0) return now + SECOND;
    if (agent->release_at && now >= agent->release_at) release(agent, jni);
    instr_background_resume();
    if (agent->finishing && !instr_background_is_busy()) finish(agent, jni);
    if ((agent->late_loaded_at && now >= agent->late_loaded_at) ||
        instr_class_states_grown(agent->class_states)) {
        const struct instr_plan *plan = instr_plans_current(&agent->plans);
        int off = !plan->engine; // then the hook is off, too, and records nothing
        char ignored[INSTR_ERROR_SIZE];
        if (off) set_hook(agent, JVMTI_ENABLE, ignored, sizeof ignored);
        instr_reconfigure_retransform(agent, jni, NULL, 1, 1, &done);
        if (off && !agent->finishing && !has_wrappers(agent))
            set_hook(agent, JVMTI_DISABLE, ignored, sizeof ignored);
        instr_reconfigure_look_for_late_loaded(agent, now, 2 * agent->late_loaded_pause);
    }
    if (instr_sweep_is_due(now)) instr_sweep(agent, jni);
    uint64_t next = UINT64_MAX;
    if (agent->release_at) next = agent->release_at;
    if (agent->late_loaded_at && agent->late_loaded_at < next) next = agent->late_loaded_at;
    pthread_mutex_unlock(&agent->switching);
    return next;
}
