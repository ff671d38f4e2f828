// Limits that protect the JVM.

#include "instr/retransform/limits.h"

#include "instr/vm/runtime_failures.h"
#include "instr/retransform/background.h"
#include "instr/retransform/ends.h"
#include "instr/retransform/overhead.h"
#include "instr/retransform/reconfigure.h"
#include "instr/base/log.h"
#include "instr/base/clock.h"
#include "instr/vm/wake.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define SECOND UINT64_C(1000000000)

// Obeys the kill switch. False: that is not possible now, and is tried again in a second.
static bool switch_off(struct instr_agent *agent) {
    static bool said_why_not;
    char reason[INSTR_ERROR_SIZE] = "no thread can enter the JVM, as with a full heap";
    struct instr_reconfigured done = {0};
    JNIEnv *jni = instr_wake_jni();
    bool ok = jni && instr_reconfigure_revert(agent, jni, NULL, &done, reason, sizeof reason);
    if (ok)
        instr_say("the kill switch was thrown: all passes are off");
    else if (!said_why_not)
        instr_say(
            "the kill switch was thrown, but cannot be obeyed yet: %s; the agent keeps trying",
            reason);
    said_why_not = !ok;
    return ok;
}

// --- a runtime that throws ---

static void watch_failures(struct instr_agent *agent, JNIEnv *jni) {
    struct instr_reconfigured *done = calloc(1, sizeof *done);
    int more = done != NULL;
    if (done) done->all = 1;
    while (more) {
        char what[INSTR_FAILURE_SIZE], reason[INSTR_ERROR_SIZE] = "switched off";
        unsigned ticket;
        const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
        int i = instr_failures_take(plan, what, &more);
        struct instr_end end = {0};
        if (i >= 0) {
            snprintf(end.pass, sizeof end.pass, "%s", plan->options.passes[i].pass->name);
            snprintf(end.why, sizeof end.why, "its runtime threw %.128s", what);
            end.owner = plan->options.passes[i].owner;
        }
        instr_plans_give_back(&agent->plans, ticket);
        if (!*end.pass) continue;
        instr_ends_note(&end);
        instr_reconfigure_disable(agent, jni, end.pass, done, reason, sizeof reason);
        instr_say("%s: %s: %s", end.pass, end.why, reason);
    }
    free(done);
}

// --- max-overhead ---

// Is there a pass with a limit, or one that an operator has switched on and may ask about?
static int is_watched(const struct instr_plan *plan) {
    for (size_t i = 0; plan && plan->engine && i < plan->options.pass_count; i++)
        if (plan->options.passes[i].late ||
            instr_max_overhead(&plan->options, &plan->options.passes[i]))
            return 1;
    return 0;
}

// Holds the plan during the check, because another attach may replace it at any time. Releases it
// before switching the pass off, which waits until no thread holds the plan.
static void watch_overhead(struct instr_agent *agent) {
    char reason[INSTR_ERROR_SIZE] = "off";
    unsigned ticket;
    struct instr_end end = {0};
    JNIEnv *jni = NULL;
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    if (is_watched(plan) && (jni = instr_wake_jni()) &&
        instr_overhead_look(agent, plan, jni, SECOND)) {
        int index = instr_overhead_exceeded(plan);
        if (index >= 0) instr_overhead_note_end(plan, (size_t)index, &end);
    }
    instr_plans_give_back(&agent->plans, ticket);
    struct instr_reconfigured *done = *end.pass ? calloc(1, sizeof *done) : NULL;
    if (done) {
        const char *by = end.owner.name;
        done->owner = &end.owner;
        int ok = instr_reconfigure_disable(agent, jni, end.pass, done, reason, sizeof reason);
        instr_say("%s%s%s: %s: %s", end.pass, *by ? " of " : "", by, end.why,
                  ok ? "switched off" : reason);
    }
    free(done);
}

// --- leases, and the times of owners ---

// Lists the passes of the plan that end until `now`. Returns when the first of the others ends.
// `all`: there are no others, and none has a time of its own.
static uint64_t find_ended(const struct instr_plan *plan, uint64_t now,
                           struct instr_end list[INSTR_MOST_ON], size_t *count, bool *all) {
    uint64_t next = UINT64_MAX;
    bool any_lease = false;
    *count = 0;
    for (size_t i = 0; plan && plan->engine && i < plan->options.pass_count; i++) {
        const struct instr_pass_options *pass = &plan->options.passes[i];
        uint64_t ends = instr_pass_ends(pass);
        if (!ends || ends > now) {
            if (ends && ends < next) next = ends;
            continue;
        }
        struct instr_end *ended = &list[(*count)++];
        bool by_lease = ends == pass->ends;
        any_lease |= by_lease;
        *ended = (struct instr_end){.owner = pass->owner, .by_time = true};
        snprintf(ended->pass, sizeof ended->pass, "%s", pass->pass->name);
        snprintf(ended->why, sizeof ended->why, "its time is up (%s%sfor=)",
                 by_lease ? ended->pass : "", by_lease ? "." : "");
    }
    *all = plan && *count == plan->options.pass_count && !any_lease;
    return next;
}

static void say_ended(const struct instr_end *list, size_t count, bool all, const char *failed) {
    if (all) {
        instr_say("the time is up (for=): %s", failed ? failed : "all passes are off");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct instr_end *e = &list[i];
        const char *by = e->owner.name;
        instr_say("%s%s%s: %s: %s", e->pass, *by ? " of " : "", by, e->why,
                  failed ? failed : "switched off");
    }
}

// Switches off what has reached its end. Returns when the next pass ends.
static uint64_t watch_ends(struct instr_agent *agent) {
    struct instr_end list[INSTR_MOST_ON];
    char reason[INSTR_ERROR_SIZE] = "";
    size_t count;
    bool all;
    unsigned ticket;
    uint64_t now = instr_clock_now();
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    uint64_t next = find_ended(plan, now, list, &count, &all);
    instr_plans_give_back(&agent->plans, ticket);
    if (!count) return next;
    JNIEnv *jni = instr_wake_jni();
    struct instr_reconfigured *done = jni ? calloc(1, sizeof *done) : NULL;
    if (!done) return now + SECOND;
    done->defer = 1;
    for (size_t i = 0; i < count; i++) instr_ends_note(&list[i]);
    int ok = instr_reconfigure_expire(agent, jni, now, done, reason, sizeof reason);
    free(done);
    say_ended(list, count, all, ok ? NULL : reason);
    return ok ? next : instr_clock_now() + SECOND;
}

uint64_t instr_limits_watch(struct instr_agent *agent, uint64_t now, bool *killed) {
    int on = atomic_load(&agent->state) == INSTR_ACTIVE ||
             (*killed && agent->finishing && instr_background_is_busy());
    uint64_t next = UINT64_MAX;
    if (*killed && (!on || switch_off(agent))) *killed = false;
    if (instr_reconfigure_is_due(agent, now)) {
        JNIEnv *jni = instr_wake_jni();
        if (!jni) return now + SECOND;
        next = instr_reconfigure_later(agent, jni, instr_clock_now());
    } else {
        if (agent->release_at) next = agent->release_at;
        if (agent->late_loaded_at && agent->late_loaded_at < next) next = agent->late_loaded_at;
    }
    if (on && instr_failures_any()) {
        JNIEnv *jni = instr_wake_jni();
        if (jni) watch_failures(agent, jni);
    }
    watch_overhead(agent);
    if (atomic_load(&agent->state) == INSTR_ACTIVE) {
        uint64_t ends = watch_ends(agent);
        if (ends < next) next = ends;
        if (now + SECOND < next) next = now + SECOND;
    }
    if (*killed && now + SECOND < next) next = now + SECOND;
    return next;
}
