// What the passes that are on cost the application.

#include "instr/retransform/overhead.h"

#include "instr/base/clock.h"
#include "instr/base/numbers.h"
#include "instr/passes/cost.h"
#include "instr/report/text.h"
#include "instr/retransform/background.h"
#include "instr/retransform/ends.h"
#include "instr/vm/compiler_time.h"
#include "instr/vm/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)
static const uint64_t PATIENCE = 2 * SECOND; // above the limit
enum {
    MOST = 64,      // passes
    WHOLE = 100000, // 100 %
    TIMES = 10,     // seconds for which the compilers' CPU time counts
    IDLE = 4        // a JVM that uses less than this part of a processor
};

// A pass of an owner, by its number.
struct seen {
    unsigned number;
    struct instr_owner owner;
    bool counts, known; // `events` is there; the share is
    bool compiling;     // the compilers work for it
    struct instr_events events;
    uint64_t ns;         // instr_agent_pass.cost_ns
    uint64_t over_since; // ns; 0: it is not above its limit
    struct instr_overhead share;
};

static struct {
    uint64_t at; // ns; 0: never looked
    struct instr_cpu_times cpu;
    uint32_t plan;
    struct seen passes[MOST]; // in the order of the plan
    size_t count;
    // The last seconds, each of at least a second but the one that is being filled.
    struct {
        uint64_t elapsed, process, compilers; // ns; the latter for changed methods
    } times[TIMES];
    unsigned time;
    uint64_t compiling_until; // ns
    uint64_t compiled;        // ns, for changed methods since the passes were switched on
} last;

static struct seen *find(const struct instr_pass_options *pass) {
    for (size_t i = 0; i < last.count; i++)
        if (last.passes[i].number == pass->number &&
            instr_owner_same(&last.passes[i].owner, &pass->owner))
            return &last.passes[i];
    return NULL;
}

// --- events ---

// The events of each pass so far, in the order of the plan. False: out of memory.
static bool count_events(const struct instr_plan *plan, JNIEnv *jni,
                         struct instr_events events[MOST]) {
    const struct instr_options *options = &plan->options;
    struct instr_counts *counts = NULL;
    size_t n = 0, known = (size_t)instr_methods_count(plan->methods);
    if (!instr_snapshot(jni, &counts, &n)) return false;
    for (size_t i = 0; i < options->pass_count && i < MOST; i++)
        events[i].all = instr_own_events(options->passes[i].pass, jni);
    for (size_t id = 0; id < n && id < known; id++) {
        if (!counts[id].calls) continue;
        struct instr_method method = instr_methods_get(plan->methods, (int)id);
        for (size_t i = 0; i < options->pass_count && i < MOST; i++)
            if (options->passes[i].number == method.pass &&
                instr_pass_shows(&options->passes[i], method.class_name))
                instr_events_add(&events[i], &counts[id]);
    }
    free(counts);
    return true;
}

// --- compilers ---

// The plan is another one: the compilers work for its new passes; or, when its scope has changed, for
// all. Those that the JVM has started with have counted from its start on.
static void follow_plan(const struct instr_plan *plan, uint64_t now) {
    const struct instr_options *options = &plan->options;
    struct seen passes[MOST];
    size_t count = options->pass_count < MOST ? options->pass_count : MOST;
    bool any_new = false;
    for (size_t i = 0; i < count; i++) {
        const struct seen *before = find(&options->passes[i]);
        passes[i] = before ? *before
                           : (struct seen){.number = options->passes[i].number,
                                           .owner = options->passes[i].owner,
                                           .counts = !last.at && !options->passes[i].late};
        passes[i].compiling = !before;
        any_new |= !before;
    }
    for (size_t i = 0; i < count && !any_new; i++) passes[i].compiling = true;
    memcpy(last.passes, passes, count * sizeof *passes);
    last.count = count;
    last.plan = plan->number;
    last.compiling_until = now + TIMES * SECOND;
    last.compiled = 0;
}

// The part of the compilers' CPU time that was spent on changed methods.
static uint64_t for_changed_methods(const struct instr_agent *agent, uint64_t used, uint64_t now) {
    if (instr_background_is_busy()) last.compiling_until = now + TIMES * SECOND;
    if (now > last.compiling_until) return 0;
    uint64_t most =
        instr_class_states_totals(agent->class_states).methods * INSTR_COMPILED_AGAIN_NS;
    uint64_t left = most > last.compiled ? most - last.compiled : 0;
    if (used > left) used = left;
    last.compiled += used;
    return used;
}

// In thousandths of a percent.
static uint64_t share_of(double part, double whole) {
    double share = whole > 0 ? part / whole : 0;
    return share < 1 ? (uint64_t)(share * WHOLE) : WHOLE;
}

static void add_time(uint64_t elapsed, uint64_t process, uint64_t compilers) {
    if (last.times[last.time].elapsed >= SECOND) {
        last.time = (last.time + 1) % TIMES;
        memset(&last.times[last.time], 0, sizeof last.times[0]);
    }
    last.times[last.time].elapsed += elapsed;
    last.times[last.time].process += process;
    last.times[last.time].compilers += compilers;
}

// Over ten seconds, even if fewer have passed: the compilers' work comes in bursts.
static uint64_t compilers_share(void) {
    double elapsed = 0, process = 0, compilers = 0, all = TIMES * (double)SECOND;
    for (size_t i = 0; i < TIMES; i++) {
        elapsed += (double)last.times[i].elapsed;
        process += (double)last.times[i].process;
        compilers += (double)last.times[i].compilers;
    }
    if (process < elapsed) process = elapsed;
    if (elapsed > 0 && elapsed < all) process *= all / elapsed;
    return share_of(compilers, process);
}

// --- the estimate ---

static void estimate(struct seen *seen, const struct instr_pass_options *pass,
                     struct instr_events events, uint64_t ns, uint64_t cpu, uint64_t process,
                     uint64_t compilers) {
    struct instr_events more = {instr_since(seen->events.all, events.all),
                                instr_since(seen->events.measured, events.measured)};
    uint64_t code = instr_events_ns(pass, more, cpu) + instr_since(seen->ns, ns);
    seen->share.code = share_of((double)code, (double)process);
    seen->share.compilers = seen->compiling ? compilers : 0;
    if (seen->share.code > WHOLE - seen->share.compilers)
        seen->share.code = WHOLE - seen->share.compilers;
    seen->known = true;
}

static void compare(struct seen *seen, unsigned limit) {
    if (!limit || seen->share.code + seen->share.compilers <= limit)
        seen->over_since = 0;
    else if (!seen->over_since)
        seen->over_since = last.at;
}

static void estimate_all(const struct instr_plan *plan, JNIEnv *jni,
                         const struct instr_events events[MOST], uint64_t elapsed,
                         const struct instr_cpu_times *times) {
    uint64_t compilers = compilers_share(), sharing = 0, process = times->process;
    uint64_t cpu = instr_since(times->compilers, times->process);
    if (process < elapsed / IDLE) process = elapsed / IDLE;
    for (size_t i = 0; i < last.count; i++) sharing += last.passes[i].compiling;
    for (size_t i = 0; i < last.count; i++) {
        struct seen *seen = &last.passes[i];
        const struct instr_pass_options *pass = &plan->options.passes[i];
        uint64_t ns = instr_own_cost(pass->pass, jni);
        if (seen->counts) {
            estimate(seen, pass, events[i], ns, cpu, process, sharing ? compilers / sharing : 0);
            compare(seen, instr_max_overhead(&plan->options, pass));
        }
        seen->events = events[i];
        seen->ns = ns;
        seen->counts = true;
    }
}

bool instr_overhead_look(struct instr_agent *agent, const struct instr_plan *plan, JNIEnv *jni,
                         uint64_t pause) {
    uint64_t now = instr_clock_now();
    struct instr_events events[MOST] = {{0, 0}};
    struct instr_cpu_times cpu;
    if (last.plan == plan->number && now < last.at + pause) return true;
    if (!count_events(plan, jni, events)) return false;
    instr_cpu_times_take(&cpu);
    if (last.plan != plan->number || !last.at) follow_plan(plan, now);
    uint64_t elapsed = last.at ? now - last.at : 0;
    struct instr_cpu_times times = {cpu.process - last.cpu.process,
                                    cpu.compilers - last.cpu.compilers};
    if (last.at) add_time(elapsed, times.process, for_changed_methods(agent, times.compilers, now));
    estimate_all(plan, jni, events, elapsed, &times);
    last.at = now;
    last.cpu = cpu;
    return true;
}

bool instr_overhead_of(const struct instr_plan *plan, size_t index,
                       struct instr_overhead *overhead) {
    const struct seen *seen = find(&plan->options.passes[index]);
    if (!seen || !seen->known) return false;
    *overhead = seen->share;
    return true;
}

int instr_overhead_exceeded(const struct instr_plan *plan) {
    for (size_t i = 0; i < last.count && last.plan == plan->number; i++)
        if (last.passes[i].over_since && last.at >= last.passes[i].over_since + PATIENCE)
            return (int)i;
    return -1;
}

void instr_overhead_forget(void) {
    memset(&last, 0, sizeof last);
}

void instr_overhead_note_end(const struct instr_plan *plan, size_t index, struct instr_end *end) {
    const struct instr_pass_options *pass = &plan->options.passes[index];
    struct instr_overhead share = {0};
    char compilers[64] = "";
    *end = (struct instr_end){.owner = pass->owner};
    instr_overhead_of(plan, index, &share);
    snprintf(end->pass, sizeof end->pass, "%s", pass->pass->name);
    if (share.compilers >= 50)
        instr_format(compilers, sizeof compilers, " (%.1f%% of it in the JVM's compilers)",
                     (double)share.compilers / 1000);
    instr_format(end->why, sizeof end->why,
                 "estimated overhead is %.1f%% of CPU time%s, more than max-overhead=%.3g%%",
                 (double)(share.code + share.compilers) / 1000, compilers,
                 instr_max_overhead(&plan->options, pass) / 1000.0);
    instr_ends_note(end);
}
