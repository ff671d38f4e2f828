// What a pass costs the program.

#include "instr/passes/cost.h"

#include "instr/base/clock.h"
#include "instr/passes/agent_passes.h"
#include "instr/vm/compiler_time.h"

#include <pthread.h>

enum {
    TIMED_NS = 10,         // of a timed call, besides the clock
    COUNT_NS = 5,          // an event that costs more does more than count
    COMPILE_UNKNOWN = 100, // percent, where rw_pass.compile_percent is not known
    PROGRAM = 60,          // percent of the compilers' time that the changed classes have
    MOST = 64,             // passes that are switched on late
    MOST_RESET = 64        // numbers of passes whose counts have been reset
};

// ns; what the compilers need for the start of a JVM, before the program has much to compile.
static const uint64_t JVM_STARTS = 150 * 1000 * 1000;
// ns; of each changed class: what is inserted is checked, resolved and run by the interpreter first.
static const double FIRST_RUNS = 50 * 1000;

// When passes were switched on in the running JVM.
static struct {
    pthread_mutex_t lock;
    struct {
        unsigned number;
        struct instr_cpu_times times; // until then
    } begun[MOST];
    size_t count; // so far; the oldest is overwritten
} late = {.lock = PTHREAD_MUTEX_INITIALIZER};

// What passes had handled when their counts were reset; a pass has cost that, too.
static struct {
    pthread_mutex_t lock;
    struct {
        unsigned number;
        struct instr_events events; // of all resets so far
    } of[MOST_RESET];
    size_t count;
} reset = {.lock = PTHREAD_MUTEX_INITIALIZER};

// --- events ---

unsigned instr_timed_call_ns(void) {
    return (unsigned)(2 * instr_clock_cost()) + TIMED_NS;
}

void instr_events_add(struct instr_events *events, const struct instr_counts *counts) {
    events->all += counts->calls;
    events->measured += counts->measured;
}

// Of `each` ns, which a count costs where others are far from it. Measured with counts that are 2 ns apart (0.6 to 1.3 ns),
// 5 ns (1.1 to 1.5), and 40 ns (3 to 5).
static uint64_t counts_ns(uint64_t all, unsigned each, uint64_t cpu) {
    uint64_t most = all * each, close = all * (each + 13) / 20 + cpu / 10, part = cpu / 4 * 3;
    if (each > COUNT_NS || cpu == 0) return most;
    if (close > part) close = part;
    return close < most ? close : most;
}

uint64_t instr_events_ns(const struct instr_pass_options *pass, struct instr_events events,
                         uint64_t cpu) {
    const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
    unsigned each =
        agent_pass && agent_pass->event_ns ? agent_pass->event_ns(pass) : pass->pass->event_ns;
    uint64_t all = counts_ns(events.all, each ? each : instr_timed_call_ns(), cpu);
    if (!agent_pass || !agent_pass->measured_ns) return all;
    return all + events.measured * agent_pass->measured_ns(pass);
}

uint64_t instr_own_events(const struct rw_pass *pass, JNIEnv *jni) {
    const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass);
    return agent_pass && agent_pass->events ? agent_pass->events(jni, pass) : 0;
}

uint64_t instr_own_cost(const struct rw_pass *pass, JNIEnv *jni) {
    const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass);
    return agent_pass && agent_pass->cost_ns ? agent_pass->cost_ns(jni, pass) : 0;
}

static struct instr_events counted(unsigned number, struct instr_methods *methods,
                                   const struct instr_counts *counts, size_t n) {
    struct instr_events events = {0, 0};
    size_t known = (size_t)instr_methods_count(methods);
    for (size_t id = 0; id < n && id < known; id++)
        if (counts[id].calls && instr_methods_get(methods, (int)id).pass == number)
            instr_events_add(&events, &counts[id]);
    return events;
}

// NULL: nothing is known of the number. Locked.
static struct instr_events *reset_of(unsigned number) {
    for (size_t i = 0; i < reset.count; i++)
        if (reset.of[i].number == number) return &reset.of[i].events;
    return NULL;
}

void instr_cost_reset(unsigned number, struct instr_methods *methods,
                      const struct instr_counts *counts, size_t n) {
    struct instr_events more = counted(number, methods, counts, n);
    pthread_mutex_lock(&reset.lock);
    struct instr_events *events = reset_of(number);
    if (!events && reset.count < MOST_RESET) {
        reset.of[reset.count].number = number;
        events = &reset.of[reset.count++].events;
    }
    if (events) {
        events->all += more.all;
        events->measured += more.measured;
    }
    pthread_mutex_unlock(&reset.lock);
}

// Since the pass was switched on.
static struct instr_events events_of(const struct instr_pass_options *pass, struct instr_events now,
                                     JNIEnv *jni) {
    now.all += instr_own_events(pass->pass, jni);
    pthread_mutex_lock(&reset.lock);
    const struct instr_events *before = reset_of(pass->number);
    if (before) {
        now.all += before->all;
        now.measured += before->measured;
    }
    pthread_mutex_unlock(&reset.lock);
    return now;
}

// --- compilers ---

void instr_cost_begin(unsigned number) {
    struct instr_cpu_times times;
    instr_cpu_times_take(&times);
    pthread_mutex_lock(&late.lock);
    size_t at = late.count++ % MOST;
    late.begun[at].number = number;
    late.begun[at].times = times;
    pthread_mutex_unlock(&late.lock);
    pthread_mutex_lock(&reset.lock);
    struct instr_events *earlier = reset_of(number); // of a pass that had the number
    if (earlier) *earlier = (struct instr_events){0, 0};
    pthread_mutex_unlock(&reset.lock);
}

// The times since the pass was switched on. Of several times under one number the last counts.
static struct instr_cpu_times times_since(const struct instr_pass_options *pass) {
    struct instr_cpu_times times, before = {0, 0};
    instr_cpu_times_take(&times);
    pthread_mutex_lock(&late.lock);
    for (size_t i = late.count > MOST ? late.count - MOST : 0; pass->late && i < late.count; i++)
        if (late.begun[i % MOST].number == pass->number) before = late.begun[i % MOST].times;
    pthread_mutex_unlock(&late.lock);
    return (struct instr_cpu_times){instr_since(before.process, times.process),
                                    instr_since(before.compilers, times.compilers)};
}

// What the pass adds to what there is to compile, as a part of the program's own code.
static double added(const struct rw_pass *pass, const struct instr_pass_totals *totals) {
    double percent = pass->compile_percent ? pass->compile_percent : COMPILE_UNKNOWN;
    return totals->code ? percent / 100 * (double)totals->bytes / (double)totals->code : 0;
}

// What all passes have inserted: parts as above, and bytes.
struct all {
    double added;
    uint64_t bytes;
};

static struct all all_of(struct instr_engine *engine, const struct instr_options *options) {
    struct all all = {0, 0};
    for (size_t i = 0; i < options->pass_count; i++) {
        struct instr_pass_totals totals =
            instr_engine_pass_totals(engine, options->passes[i].number);
        all.added += added(options->passes[i].pass, &totals);
        all.bytes += totals.bytes;
    }
    return all;
}

static uint64_t compilers_of(const struct instr_pass_options *pass,
                             const struct instr_pass_totals *totals, const struct all *all,
                             uint64_t compilers) {
    double part = added(pass->pass, totals), used = (double)compilers;
    if (!pass->late) {
        double rest = used > (double)JVM_STARTS ? used - (double)JVM_STARTS : 0;
        return (uint64_t)(rest * PROGRAM / 100 * part / (1 + all->added * PROGRAM / 100));
    }
    double most = (double)(totals->methods * INSTR_COMPILED_AGAIN_NS);
    if (used > most) used = most;
    return all->added > 0 ? (uint64_t)(used * part / all->added) : 0;
}

// --- all of it ---

struct instr_cost instr_cost_of(struct instr_engine *engine, const struct instr_options *options,
                                unsigned pass, struct instr_methods *methods, JNIEnv *jni,
                                const struct instr_counts *counts, size_t n, bool were_reset) {
    const struct instr_pass_options *of = &options->passes[pass];
    struct instr_pass_totals totals = instr_engine_pass_totals(engine, of->number);
    struct all all = all_of(engine, options);
    struct instr_events events = {0, 0};
    if (!were_reset) events = counted(of->number, methods, counts, n);
    events = events_of(of, events, jni);
    struct instr_cpu_times times = times_since(of);
    uint64_t cpu = instr_since(times.compilers, times.process);
    struct instr_cost cost = {
        .known = true,
        .code_ns = instr_events_ns(of, events, cpu) + instr_own_cost(of->pass, jni),
        .compilers_ns = compilers_of(of, &totals, &all, times.compilers),
        .rewriting_ns = totals.nanoseconds,
        .classes = totals.classes,
        .methods = totals.methods,
        .bytes = totals.bytes,
    };
    if (all.bytes) {
        double share = (double)totals.bytes / (double)all.bytes;
        cost.code_ns += (uint64_t)(FIRST_RUNS * (double)totals.classes * share);
    }
    return cost;
}
