// The command top: reports the busiest methods periodically.
//
//      top MILLISECONDS ROWS self|total|calls|thrown [RULE]
//
// With a rule see top_rule.h. It replies with a stream of documents:
//
//      {
//        "pass": NAME, "timed": BOOL,
//        "interval_ns": N,
//        "methods": N,                       that were called
//        "calls": N, "thrown": N,
//        "classes_done", "classes_total", "overhead",    as in status
//        "rows": [{"class", "method", "descriptor", "calls", "thrown",
//                  "timed", "total_ns", "self_ns", "wait_ns", "p50_ns", "p99_ns", "max_ns"}]
//      }
//
// Counts and times are those of the calls that ended in the interval. "wait_ns" is the estimated
// part of "self_ns" in which the thread waited; `self` sorts by the rest. The members from "timed" on
// exist only if the pass records times; the last three are missing in a method's first interval.

#include "instr/control/top_rule.h"
#include "instr/vm/agent_state.h"
#include "instr/vm/snapshot.h"
#include "instr/control/operation.h"
#include "instr/control/interval.h"
#include "instr/vm/waits.h"
#include "instr/base/clock.h"
#include "instr/base/json.h"
#include "instr/passes/agent_passes.h"
#include "instr/retransform/background.h"
#include "instr/retransform/ends.h"

#include <stdlib.h>
#include <string.h>

#define MILLISECOND UINT64_C(1000000)
#define LOOK_EVERY (100 * MILLISECOND)     // at the threads
#define OVERHEAD_PAUSE (500 * MILLISECOND) // from one estimate to the next
enum { LEAST_MS = 100, MOST_MS = 3600 * 1000, MOST_ROWS = 1000, FIRST_MS = 100 };
enum { KEPT = 4 }; // histograms for each row: other methods may come up in the next interval

struct top {
    struct instr_agent *agent;
    struct instr_owner owner; // who looks
    enum instr_top_order order;
    size_t rows;
    uint64_t interval, due;     // ns
    const struct rw_pass *pass; // that was reported last
    uint64_t start;             // ns
    unsigned pass_id;           // of the pass in `before`
    struct instr_counts *before;
    size_t before_count;
    uint64_t before_time; // ns; 0: there is no snapshot yet
    uint64_t look_due;    // ns
    struct instr_waits *waits;
    struct instr_interval *histograms;
};

// The figures of one method in the interval.
struct line {
    int id;
    uint64_t calls, thrown, timed, total, self, wait, key;
    int is_new; // all of its calls are in the interval
};

// Chooses the pass to report, preferably one that records times, and of those one that the owner has
// switched on. NULL: none is active.
static const struct instr_pass_options *choose(const struct instr_plan *plan,
                                               const struct instr_owner *owner) {
    const struct instr_pass_options *found = NULL;
    int most = -1;
    for (size_t i = 0; plan && i < plan->options.pass_count; i++) {
        const struct instr_pass_options *pass = &plan->options.passes[i];
        const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
        if (agent_pass && agent_pass->report) continue; // its results are not counts of methods
        int fitness = 2 * pass->pass->timed + instr_owner_same(&pass->owner, owner);
        if (fitness <= most) continue;
        most = fitness;
        found = pass;
    }
    return found;
}

// Why the agent has switched off the last pass of those that choose() takes. False: it has not.
static bool say_end(char *text, size_t size) {
    struct instr_end end;
    for (size_t i = 0; instr_ends_get(i, &end); i++) {
        const struct rw_pass *pass = rw_pass_named(end.pass, strlen(end.pass));
        const struct instr_agent_pass *agent_pass = pass ? instr_agent_pass_of(pass) : NULL;
        if (pass && !(agent_pass && agent_pass->report))
            return instr_ends_say(end.pass, &end.owner, text, size);
    }
    return false;
}

static uint64_t key_of(const struct line *line, enum instr_top_order order, int timed) {
    switch (order) {
    case INSTR_TOP_BY_TOTAL: return line->total;
    case INSTR_TOP_BY_CALLS: return line->calls;
    case INSTR_TOP_BY_THROWN: return line->thrown;
    default: return timed ? line->self - line->wait : line->calls;
    }
}

static int by_key(const void *a, const void *b) {
    const struct line *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? 1 : -1;
    return (x->calls < y->calls) - (x->calls > y->calls);
}

// Finds the methods of the pass that were called since the last snapshot, largest first.
static size_t compare(const struct top *top, const struct instr_plan *plan,
                      const struct instr_pass_options *pass, const struct instr_counts *counts,
                      size_t n, struct line *lines) {
    static const struct instr_counts none;
    unsigned number = pass->number;
    size_t found = 0, known = (size_t)instr_methods_count(plan->methods);
    for (size_t id = 0; id < n && id < known; id++) {
        const struct instr_counts *now = &counts[id];
        const struct instr_counts *then =
            top->pass_id == number && id < top->before_count ? &top->before[id] : &none;
        if (now->calls < then->calls) then = &none; // the pass was switched off and on
        struct line line = {.id = (int)id, .calls = instr_since(then->calls, now->calls)};
        line.timed = instr_since(then->timed, now->timed);
        if (!line.calls && !line.timed) continue;
        struct instr_method method = instr_methods_get(plan->methods, (int)id);
        if (method.pass != number || method.detail) continue;
        line.thrown = now->thrown > then->thrown ? (uint64_t)(now->thrown - then->thrown) : 0;
        line.total = instr_since(then->total, now->total);
        line.self = instr_since(then->self, now->self);
        if (top->before_time)
            line.wait = instr_waits_take(top->waits, line.id, line.self, line.timed);
        line.is_new = now->timed == line.timed;
        line.key = key_of(&line, top->order, pass->pass->timed);
        lines[found++] = line;
    }
    qsort(lines, found, sizeof *lines, by_key);
    return found;
}

static void write_line(struct instr_json *json, const struct instr_plan *plan,
                       const struct instr_counts *counts, const struct line *line,
                       const struct instr_interval_times *times, int timed) {
    struct instr_method method = instr_methods_get(plan->methods, line->id);
    const struct instr_counts *all = &counts[line->id];
    instr_json_open_flat(json, NULL, '{');
    instr_json_class(json, "class", method.class_name);
    instr_json_text(json, "method", method.name);
    instr_json_text(json, "descriptor", method.descriptor);
    instr_json_number(json, "calls", line->calls);
    instr_json_number(json, "thrown", line->thrown);
    if (timed) {
        instr_json_number(json, "timed", line->timed);
        instr_json_number(json, "total_ns", line->total);
        instr_json_number(json, "self_ns", line->self);
        instr_json_number(json, "wait_ns", line->wait);
        struct instr_interval_times t = *times;
        if (line->is_new) t = (struct instr_interval_times){1, all->p50, all->p99, all->max};
        if (t.known && line->timed) {
            instr_json_number(json, "p50_ns", t.p50);
            instr_json_number(json, "p99_ns", t.p99);
            instr_json_number(json, "max_ns", t.max);
        }
    }
    instr_json_close(json, '}');
}

static void write_document(struct instr_reply *reply, const struct top *top,
                           const struct instr_plan *plan, const struct instr_pass_options *pass,
                           const struct instr_counts *counts, const struct line *lines,
                           const struct instr_interval_times *times, size_t found, uint64_t now) {
    uint64_t calls = 0, thrown = 0;
    for (size_t i = 0; i < found; i++) {
        calls += lines[i].calls;
        thrown += lines[i].thrown;
    }
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "pass", pass->pass->name);
    instr_json_bool(&json, "timed", pass->pass->timed);
    if (instr_agent_pass_estimates(pass)) instr_json_bool(&json, "estimated", true);
    instr_json_number(&json, "interval_ns", now - top->before_time);
    instr_json_number(&json, "methods", found);
    instr_json_number(&json, "calls", calls);
    instr_json_number(&json, "thrown", thrown);
    struct instr_reconfigure_progress progress = instr_reconfigure_progress();
    instr_json_number(&json, "classes_done", progress.done);
    instr_json_number(&json, "classes_total", progress.total);
    instr_operation_json_overhead(&json, top->agent, plan, instr_reply_jni(reply), OVERHEAD_PAUSE);
    instr_json_open(&json, "rows", '[');
    for (size_t i = 0; i < found && i < top->rows; i++)
        write_line(&json, plan, counts, &lines[i], &times[i], pass->pass->timed);
    instr_json_close(&json, ']');
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
}

// The percentiles of the first lines, in their order, to be freed; NULL: out of memory.
static struct instr_interval_times *times_of(const struct top *top, const struct line *lines,
                                             size_t found) {
    size_t count = found < KEPT * top->rows ? found : KEPT * top->rows;
    struct instr_interval_times *times = calloc(found + 1, sizeof *times);
    int *ids = malloc((count + 1) * sizeof *ids);
    for (size_t i = 0; ids && i < count; i++) ids[i] = lines[i].id;
    if (ids && times) instr_interval_next(top->histograms, ids, count, times);
    free(ids);
    return times;
}

// Takes a snapshot and reports the difference to the last one. 0: the reply has failed.
static int report(struct top *top, struct instr_reply *reply, const struct instr_plan *plan,
                  uint64_t now) {
    const struct instr_pass_options *pass = choose(plan, &top->owner);
    struct instr_counts *counts = NULL;
    size_t n = 0;
    const struct rw_pass *was = top->pass;
    struct instr_end end;
    if (!pass && was && instr_ends_since(was->name, strlen(was->name), top->start, &end)) {
        instr_reply_fail(reply, "pass '%s' was switched off: %s", was->name, end.why);
        return 0;
    }
    char off[INSTR_ERROR_SIZE];
    if (!pass && say_end(off, sizeof off)) {
        instr_reply_fail(reply, "%s", off);
        return 0;
    }
    if (!pass) {
        instr_reply_fail(reply, "no active pass counts or times methods; 'instr enable PID timing' "
                                "switches one on");
        return 0;
    }
    JNIEnv *jni = instr_reply_jni(reply);
    if (!jni) return 0;
    struct line *lines = NULL;
    if (instr_snapshot(jni, &counts, &n)) lines = malloc((n + 1) * sizeof *lines);
    if (!lines) {
        free(counts);
        instr_reply_fail(reply, "out of memory");
        return 0;
    }
    size_t found = compare(top, plan, pass, counts, n, lines);
    struct instr_interval_times *times = times_of(top, lines, found);
    if (top->before_time && times)
        write_document(reply, top, plan, pass, counts, lines, times, found, now);
    free(times);
    free(lines);
    free(top->before);
    top->before = counts;
    top->before_count = n;
    top->before_time = now;
    top->pass_id = pass->number;
    top->pass = pass->pass;
    return 1;
}

// Which methods wait? Only a pass that times them has an answer.
static void look(struct top *top, struct instr_reply *reply, const struct instr_plan *plan,
                 uint64_t now) {
    const struct instr_pass_options *pass = choose(plan, &top->owner);
    JNIEnv *jni = pass && pass->pass->timed ? instr_reply_jni(reply) : NULL;
    top->look_due = jni ? now + LOOK_EVERY : INSTR_NEVER;
    if (jni) instr_waits_look(top->waits, top->agent->jvmti, jni, plan->methods, pass->number, now);
}

static uint64_t tick(void *context, struct instr_reply *reply, uint64_t now) {
    struct top *top = context;
    unsigned ticket;
    int first = top->before_time == 0;
    if (now < top->due && now < top->look_due) // woken for another client
        return top->due < top->look_due ? top->due : top->look_due;
    const struct instr_plan *plan = instr_plans_take(&top->agent->plans, &ticket);
    look(top, reply, plan, now);
    int ok = now < top->due || report(top, reply, plan, now);
    instr_plans_give_back(&top->agent->plans, ticket);
    if (!ok) return 0;
    uint64_t soon = FIRST_MS * MILLISECOND;
    if (now >= top->due) top->due = now + (first && soon < top->interval ? soon : top->interval);
    return top->due < top->look_due ? top->due : top->look_due;
}

static void free_top(struct top *top) {
    if (!top) return;
    free(top->before);
    instr_waits_free(top->waits);
    instr_interval_free(top->histograms);
    free(top);
}

static void end(void *context, struct instr_reply *reply) {
    struct top *top = context;
    (void)reply;
    free_top(top);
}

static long number(const char *text, long least, long most) {
    char *rest;
    long value = strtol(text, &rest, 10);
    return *text && !*rest && value >= least && value <= most ? value : -1;
}

void instr_command_top(struct instr_request *request, struct instr_reply *reply) {
    static const char *const orders[] = {"self", "total", "calls", "thrown"};
    long interval = request->argc > 0 ? number(request->argv[0], LEAST_MS, MOST_MS) : -1;
    long rows = request->argc > 1 ? number(request->argv[1], 1, MOST_ROWS) : -1;
    int order = -1;
    for (int i = 0; (request->argc == 3 || request->argc == 4) && i < 4; i++)
        if (strcmp(orders[i], request->argv[2]) == 0) order = i;
    if (interval < 0 || rows < 0 || order < 0) {
        instr_reply_fail(reply,
                         "top: expects milliseconds, rows, and self, total, calls or thrown");
        return;
    }
    if (request->argc == 4) {
        instr_top_of_rule(request, reply, request->argv[3], (uint64_t)interval * MILLISECOND,
                          (size_t)rows, (enum instr_top_order)order);
        return;
    }
    struct top *top = calloc(1, sizeof *top);
    if (top) {
        top->waits = instr_waits_new();
        top->histograms = instr_interval_new();
    }
    if (!top || !top->waits || !top->histograms) {
        free_top(top);
        instr_reply_fail(reply, "out of memory");
        return;
    }
    if (!instr_operation_owner(request, reply, &top->owner)) {
        free_top(top);
        return;
    }
    top->agent = request->agent;
    top->start = instr_clock_now();
    top->order = (enum instr_top_order)order;
    top->rows = (size_t)rows;
    top->interval = (uint64_t)interval * MILLISECOND;
    instr_reply_stream(reply, &(struct instr_stream){.tick = tick, .end = end, .context = top});
}
