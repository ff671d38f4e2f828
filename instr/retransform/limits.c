// guard.c: see guard.h

#include "instr/retransform/limits.h"

#include "instr/vm/snapshot.h"
#include "instr/vm/runtime_failures.h"
#include "instr/retransform/reconfigure.h"
#include "instr/base/log.h"
#include "instr/base/clock.h"
#include "instr/vm/wake.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND UINT64_C(1000000000)

static void off(struct instr_agent *agent, JNIEnv *jni, const char *why) {
    char line[INSTR_ERROR_SIZE + 64], reason[INSTR_ERROR_SIZE] = "";
    struct instr_switched done;
    int ok = instr_reconfigure_revert(agent, jni, NULL, &done, reason, sizeof reason);
    snprintf(line, sizeof line, "instr: %s: %s%s", why, ok ? "all passes are off" : "", reason);
    instr_say(line);
    if (!ok && agent->expires) agent->expires = instr_clock_now() + SECOND; // once more
}

// --- a runtime that throws ---

static void watch_failures(struct instr_agent *agent, JNIEnv *jni) {
    struct instr_switched *done = calloc(1, sizeof *done);
    int more = done != NULL;
    while (more) {
        char what[INSTR_FAILURE_SIZE], reason[INSTR_ERROR_SIZE] = "switched off", line[512];
        unsigned ticket;
        const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
        int i = instr_failures_take(plan, what, &more);
        const char *name = i < 0 ? NULL : plan->options.passes[i].pass->name;
        instr_plans_give_back(&agent->plans, ticket);
        if (!name) continue;
        instr_reconfigure_disable(agent, jni, name, done, reason, sizeof reason);
        snprintf(line, sizeof line, "instr: %s: its runtime threw %s: %.200s", name, what, reason);
        instr_say(line);
    }
    free(done);
}

// --- max-overhead ---

// What a call costs that a pass counts, and one that it times: the figures that tests/bench/run
// measures, rounded up.
enum { COUNTED_NS = 3, TIMED_NS = 60, LOOK_EVERY = 1 };

// What was known at the last look; of the control thread.
static struct {
    uint64_t at, cpu;
    uint64_t calls[64]; // by the pass's place in the plan
    unsigned over[64];  // looks in a row at which it cost too much
    uint32_t plan;
} looked;

static uint64_t cpu_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

// The calls that each pass has seen so far. 0: out of memory.
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

// Which pass has cost more than it may, twice in a row, and how much, in thousandths of a percent
// of the time that the process's threads ran; NULL: none.
static const struct rw_pass *find_costly(const struct instr_plan *plan, JNIEnv *jni, uint64_t now,
                                         uint64_t *share) {
    uint64_t calls[64] = {0}, cpu = cpu_time();
    const struct rw_pass *costly = NULL;
    if (!count_calls(plan, jni, calls)) return NULL;
    uint64_t ran = cpu - looked.cpu;
    int first = looked.plan != plan->number;
    for (size_t i = 0; i < plan->options.pass_count && i < 64; i++) {
        const struct rw_pass *pass = plan->options.passes[i].pass;
        uint64_t more = first || calls[i] < looked.calls[i] ? 0 : calls[i] - looked.calls[i];
        uint64_t cost = more * (pass->timed ? TIMED_NS : COUNTED_NS);
        uint64_t part = ran ? (uint64_t)((double)cost / (double)ran * 100000) : 0;
        int over = !first && part > plan->options.max_overhead;
        looked.over[i] = over ? (first ? 0 : looked.over[i]) + 1 : 0;
        if (looked.over[i] >= 2 && !costly) {
            costly = pass;
            *share = part;
        }
        looked.calls[i] = calls[i];
    }
    looked.at = now;
    looked.cpu = cpu;
    looked.plan = plan->number;
    return costly;
}

static int is_due(const struct instr_plan *plan, uint64_t now) {
    return plan && plan->engine && plan->options.max_overhead &&
           (looked.plan != plan->number || now >= looked.at + LOOK_EVERY * SECOND);
}

// Holds the plan while it looks, as another may take its place at any time: by whoever attaches
// once more. While it is switched off nobody may hold it.
static void watch_overhead(struct instr_agent *agent, uint64_t now) {
    char line[256], reason[INSTR_ERROR_SIZE] = "off";
    uint64_t share = 0;
    unsigned ticket, most = 0;
    const struct rw_pass *pass = NULL;
    JNIEnv *jni = NULL;
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    if (is_due(plan, now) && (jni = instr_wake_jni())) {
        pass = find_costly(plan, jni, now, &share);
        most = plan->options.max_overhead;
    }
    instr_plans_give_back(&agent->plans, ticket);
    struct instr_switched *done = pass ? calloc(1, sizeof *done) : NULL;
    if (done) {
        int ok = instr_reconfigure_disable(agent, jni, pass->name, done, reason, sizeof reason);
        snprintf(line, sizeof line,
                 "instr: %s: costs an estimated %.1f%% of the time that threads run, more than "
                 "max-overhead=%.3g%%: %.100s",
                 pass->name, (double)share / 1000, most / 1000.0, ok ? "switched off" : reason);
        instr_say(line);
    }
    free(done);
}

uint64_t instr_limits_watch(struct instr_agent *agent, uint64_t now, int killed) {
    int on = atomic_load(&agent->state) == INSTR_ACTIVE,
        expired = agent->expires && now >= agent->expires;
    uint64_t next = UINT64_MAX;
    if ((on && (killed || expired)) || instr_reconfigure_is_due(agent, now)) {
        JNIEnv *jni = instr_wake_jni();
        if (!jni) return now + SECOND;
        if (on && (killed || expired))
            off(agent, jni, killed ? "the kill switch was thrown" : "the time is up (for=)");
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
