// Limits that protect the JVM.

#include "instr/retransform/limits.h"

#include "instr/vm/runtime_failures.h"
#include "instr/retransform/background.h"
#include "instr/retransform/overhead.h"
#include "instr/retransform/reconfigure.h"
#include "instr/base/log.h"
#include "instr/base/clock.h"
#include "instr/vm/wake.h"

#include <stdio.h>
#include <stdlib.h>

#define SECOND UINT64_C(1000000000)

static void switch_off(struct instr_agent *agent, JNIEnv *jni, int paced, const char *why) {
    char reason[INSTR_ERROR_SIZE] = "";
    struct instr_reconfigured done = {.defer = paced};
    int ok = instr_reconfigure_revert(agent, jni, NULL, &done, reason, sizeof reason);
    instr_say("%s: %s%s", why, ok ? "all passes are off" : "", reason);
    if (!ok && agent->expires) agent->expires = instr_clock_now() + SECOND; // try again
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
        char name[64] = ""; // a copy: the pass may end with the plan
        if (i >= 0) snprintf(name, sizeof name, "%s", plan->options.passes[i].pass->name);
        instr_plans_give_back(&agent->plans, ticket);
        if (!*name) continue;
        instr_reconfigure_disable(agent, jni, name, done, reason, sizeof reason);
        instr_say("%s: its runtime threw %s: %s", name, what, reason);
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
    char name[64] = "";
    JNIEnv *jni = NULL;
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    if (is_watched(plan) && (jni = instr_wake_jni()) &&
        instr_overhead_look(agent, plan, jni, SECOND)) {
        int index = instr_overhead_exceeded(plan);
        if (index >= 0) {
            snprintf(name, sizeof name, "%s", plan->options.passes[index].pass->name);
            instr_overhead_note_end(plan, (size_t)index);
        }
    }
    instr_plans_give_back(&agent->plans, ticket);
    struct instr_reconfigured *done = *name ? calloc(1, sizeof *done) : NULL;
    if (done) {
        done->all = 1;
        int ok = instr_reconfigure_disable(agent, jni, name, done, reason, sizeof reason);
        instr_say("%s: %s: %s", name, instr_overhead_last_end().why, ok ? "switched off" : reason);
    }
    free(done);
}

// --- leases ---

// The pass whose lease ends first; NULL: none has one. *when: its end.
static const struct instr_pass_options *first_to_end(const struct instr_plan *plan,
                                                     uint64_t *when) {
    const struct instr_pass_options *first = NULL;
    *when = UINT64_MAX;
    for (size_t i = 0; plan && plan->engine && i < plan->options.pass_count; i++) {
        const struct instr_pass_options *pass = &plan->options.passes[i];
        if (!pass->ends || pass->ends >= *when) continue;
        first = pass;
        *when = pass->ends;
    }
    return first;
}

// Switches off what has reached the end of its lease. Returns when the next lease ends.
static uint64_t watch_leases(struct instr_agent *agent) {
    for (;;) {
        struct instr_owner owner = {0};
        char name[64] = "", reason[INSTR_ERROR_SIZE] = "";
        unsigned ticket;
        uint64_t when;
        const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
        const struct instr_pass_options *pass = first_to_end(plan, &when);
        if (pass) {
            owner = pass->owner;
            snprintf(name, sizeof name, "%s", pass->pass->name);
        }
        instr_plans_give_back(&agent->plans, ticket);
        if (!pass || when > instr_clock_now()) return when;
        JNIEnv *jni = instr_wake_jni();
        struct instr_reconfigured *done = jni ? calloc(1, sizeof *done) : NULL;
        if (!done) return instr_clock_now() + SECOND;
        done->owner = *owner.name ? &owner : NULL;
        done->defer = 1;
        int ok = instr_reconfigure_disable(agent, jni, name, done, reason, sizeof reason);
        instr_say("%s: its time is up (%s.for=): %s", name, name, ok ? "switched off" : reason);
        free(done);
        if (!ok) return instr_clock_now() + SECOND;
    }
}

uint64_t instr_limits_watch(struct instr_agent *agent, uint64_t now, int killed) {
    int on = atomic_load(&agent->state) == INSTR_ACTIVE ||
             (killed && agent->finishing && instr_background_is_busy()),
        expired = agent->expires && now >= agent->expires;
    uint64_t next = UINT64_MAX;
    if ((on && (killed || expired)) || instr_reconfigure_is_due(agent, now)) {
        JNIEnv *jni = instr_wake_jni();
        if (!jni) return now + SECOND;
        if (on && (killed || expired))
            switch_off(agent, jni, !killed,
                       killed ? "the kill switch was thrown" : "the time is up (for=)");
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
        uint64_t ends = watch_leases(agent);
        if (ends < next) next = ends;
        if (now + SECOND < next) next = now + SECOND;
        if (agent->expires && agent->expires < next) next = agent->expires;
    }
    return next;
}
