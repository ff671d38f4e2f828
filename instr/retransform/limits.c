// Limits that protect the JVM.

#include "instr/retransform/limits.h"

#include "instr/vm/snapshot.h"
#include "instr/vm/runtime_failures.h"
#include "instr/retransform/background.h"
#include "instr/retransform/reconfigure.h"
#include "instr/base/log.h"
#include "instr/base/clock.h"
#include "instr/vm/wake.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
    while (more) {
        char what[INSTR_FAILURE_SIZE], reason[INSTR_ERROR_SIZE] = "switched off";
        unsigned ticket;
        const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
        int i = instr_failures_take(plan, what, &more);
        const char *name = i < 0 ? NULL : plan->options.passes[i].pass->name;
        instr_plans_give_back(&agent->plans, ticket);
        if (!name) continue;
        instr_reconfigure_disable(agent, jni, name, done, reason, sizeof reason);
        instr_say("%s: its runtime threw %s: %s", name, what, reason);
    }
    free(done);
}

// --- max-overhead ---

// The cost of a counted call and of a timed call, as measured by tests/bench/run, rounded up.
enum { COUNTED_NS = 3, TIMED_NS = 60, CHECK_EVERY = 1 };

// The figures of the last check; used by the control thread only.
static struct {
    uint64_t at, cpu;
    uint64_t calls[64]; // by the pass's index in the plan
    unsigned over[64];  // consecutive checks at which the pass exceeded the limit
    uint32_t plan;
} last_check;

static uint64_t cpu_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

// Counts the calls that each pass has recorded so far. 0: out of memory.
static int count_calls(const struct instr_plan *plan, JNIEnv *jni, uint64_t calls[64]) {
    struct instr_counts *counts = NULL;
    size_t n = 0, known = (size_t)instr_methods_count(plan->methods);
    if (!instr_snapshot(jni, &counts, &n)) return 0;
    for (size_t id = 0; id < n && id < known; id++) {
        if (!counts[id].calls) continue;
        unsigned number = instr_methods_get(plan->methods, (int)id).pass;
        for (size_t i = 0; i < plan->options.pass_count && i < 64; i++)
            if (plan->options.passes[i].number == number) calls[i] += counts[id].calls;
    }
    free(counts);
    return 1;
}

// The pass that exceeded max-overhead at two consecutive checks; NULL: none. `share`: its cost in
// thousandths of a percent of the process's CPU time.
static const struct rw_pass *find_expensive(const struct instr_plan *plan, JNIEnv *jni,
                                            uint64_t now, uint64_t *share) {
    uint64_t calls[64] = {0}, cpu = cpu_time();
    const struct rw_pass *expensive = NULL;
    if (!count_calls(plan, jni, calls)) return NULL;
    uint64_t ran = cpu - last_check.cpu;
    int first = last_check.plan != plan->number;
    for (size_t i = 0; i < plan->options.pass_count && i < 64; i++) {
        const struct rw_pass *pass = plan->options.passes[i].pass;
        uint64_t more =
            first || calls[i] < last_check.calls[i] ? 0 : calls[i] - last_check.calls[i];
        uint64_t cost = more * (pass->timed ? TIMED_NS : COUNTED_NS);
        uint64_t part = ran ? (uint64_t)((double)cost / (double)ran * 100000) : 0;
        int over = !first && part > plan->options.max_overhead;
        last_check.over[i] = over ? (first ? 0 : last_check.over[i]) + 1 : 0;
        if (last_check.over[i] >= 2 && !expensive) {
            expensive = pass;
            *share = part;
        }
        last_check.calls[i] = calls[i];
    }
    last_check.at = now;
    last_check.cpu = cpu;
    last_check.plan = plan->number;
    return expensive;
}

static int is_due(const struct instr_plan *plan, uint64_t now) {
    return plan && plan->engine && plan->options.max_overhead &&
           (last_check.plan != plan->number || now >= last_check.at + CHECK_EVERY * SECOND);
}

// Holds the plan during the check, because another attach may replace it at any time. Releases it
// before switching the pass off, which waits until no thread holds the plan.
static void watch_overhead(struct instr_agent *agent, uint64_t now) {
    char reason[INSTR_ERROR_SIZE] = "off";
    uint64_t share = 0;
    unsigned ticket, most = 0;
    const struct rw_pass *pass = NULL;
    JNIEnv *jni = NULL;
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    if (is_due(plan, now) && (jni = instr_wake_jni())) {
        pass = find_expensive(plan, jni, now, &share);
        most = plan->options.max_overhead;
    }
    instr_plans_give_back(&agent->plans, ticket);
    struct instr_reconfigured *done = pass ? calloc(1, sizeof *done) : NULL;
    if (done) {
        int ok = instr_reconfigure_disable(agent, jni, pass->name, done, reason, sizeof reason);
        instr_say("%s: estimated overhead is %.1f%% of CPU time, more than max-overhead=%.3g%%: %s",
                  pass->name, (double)share / 1000, most / 1000.0, ok ? "switched off" : reason);
    }
    free(done);
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
    watch_overhead(agent, now);
    if (atomic_load(&agent->state) == INSTR_ACTIVE) {
        if (now + SECOND < next) next = now + SECOND;
        if (agent->expires && agent->expires < next) next = agent->expires;
    }
    return next;
}
