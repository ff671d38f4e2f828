// The command top: reports the busiest methods periodically.
//
//      top MILLISECONDS ROWS self|total|calls|thrown
//
// It replies with a stream of documents:
//
//      {
//        "pass": NAME, "timed": BOOL,
//        "interval_ns": N,
//        "methods": N,                       that were called
//        "calls": N, "thrown": N,
//        "classes_done", "classes_total",    as in status
//        "rows": [{"class", "method", "descriptor", "calls", "thrown",
//                  "timed", "total_ns", "self_ns", "p50_ns", "p99_ns", "max_ns"}]
//      }
//
// Counts and times are those of the interval; percentiles and maximum are those of all calls so far.
// The members from "timed" on exist only if the pass records times.

#include "instr/vm/agent_state.h"
#include "instr/vm/snapshot.h"
#include "instr/control/commands.h"
#include "instr/base/json.h"
#include "instr/passes/agent_passes.h"
#include "instr/retransform/background.h"

#include <stdlib.h>
#include <string.h>

#define MILLISECOND UINT64_C(1000000)
enum { LEAST_MS = 100, MOST_MS = 3600 * 1000, MOST_ROWS = 1000, FIRST_MS = 100 };

enum order { BY_SELF, BY_TOTAL, BY_CALLS, BY_THROWN };

struct top {
    struct instr_agent *agent;
    enum order order;
    size_t rows;
    uint64_t interval, due; // ns
    unsigned pass_id;       // of the pass in `before`
    struct instr_counts *before;
    size_t before_count;
    uint64_t before_time; // ns; 0: there is no snapshot yet
};

// The figures of one method in the interval.
struct line {
    int id;
    uint64_t calls, thrown, timed, total, self, key;
};

// Chooses the pass to report, preferably one that records times. NULL: none is active.
static const struct instr_pass_options *choose(const struct instr_plan *plan) {
    const struct instr_pass_options *found = NULL;
    for (size_t i = 0; plan && i < plan->options.pass_count; i++) {
        const struct instr_pass_options *pass = &plan->options.passes[i];
        const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
        if (agent_pass && agent_pass->report) continue; // its results are not counts of methods
        if (!found || (pass->pass->timed && !found->pass->timed)) found = pass;
    }
    return found;
}

static uint64_t key_of(const struct line *line, enum order order) {
    switch (order) {
    case BY_TOTAL: return line->total;
    case BY_CALLS: return line->calls;
    case BY_THROWN: return line->thrown;
    default: return line->self ? line->self : line->calls;
    }
}

static int by_key(const void *a, const void *b) {
    const struct line *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? 1 : -1;
    return (x->calls < y->calls) - (x->calls > y->calls);
}

static uint64_t since(uint64_t now, uint64_t before) {
    return now > before ? now - before : 0;
}

// Finds the methods of the pass that were called since the last snapshot, largest first.
static size_t compare(const struct top *top, const struct instr_plan *plan, unsigned number,
                      const struct instr_counts *counts, size_t n, struct line *lines) {
    static const struct instr_counts none;
    size_t found = 0, known = (size_t)instr_methods_count(plan->methods);
    for (size_t id = 0; id < n && id < known; id++) {
        const struct instr_counts *now = &counts[id];
        const struct instr_counts *then =
            top->pass_id == number && id < top->before_count ? &top->before[id] : &none;
        if (now->calls < then->calls) then = &none; // the pass was switched off and on
        struct line line = {.id = (int)id, .calls = since(now->calls, then->calls)};
        line.timed = since(now->timed, then->timed);
        if (!line.calls && !line.timed) continue;
        struct instr_method method = instr_methods_get(plan->methods, (int)id);
        if (method.pass != number || method.detail) continue;
        line.thrown = now->thrown > then->thrown ? (uint64_t)(now->thrown - then->thrown) : 0;
        line.total = since(now->total, then->total);
        line.self = since(now->self, then->self);
        line.key = key_of(&line, top->order);
        lines[found++] = line;
    }
    qsort(lines, found, sizeof *lines, by_key);
    return found;
}

static void write_line(struct instr_json *json, const struct instr_plan *plan,
                       const struct instr_counts *counts, const struct line *line, int timed) {
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
        instr_json_number(json, "p50_ns", all->p50);
        instr_json_number(json, "p99_ns", all->p99);
        instr_json_number(json, "max_ns", all->max);
    }
    instr_json_close(json, '}');
}

static void write_document(struct instr_reply *reply, const struct top *top,
                           const struct instr_plan *plan, const struct instr_pass_options *pass,
                           const struct instr_counts *counts, const struct line *lines,
                           size_t found, uint64_t now) {
    uint64_t calls = 0, thrown = 0;
    for (size_t i = 0; i < found; i++) {
        calls += lines[i].calls;
        thrown += lines[i].thrown;
    }
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "pass", pass->pass->name);
    instr_json_bool(&json, "timed", pass->pass->timed);
    instr_json_number(&json, "interval_ns", now - top->before_time);
    instr_json_number(&json, "methods", found);
    instr_json_number(&json, "calls", calls);
    instr_json_number(&json, "thrown", thrown);
    struct instr_reconfigure_progress progress = instr_reconfigure_progress();
    instr_json_number(&json, "classes_done", progress.done);
    instr_json_number(&json, "classes_total", progress.total);
    instr_json_open(&json, "rows", '[');
    for (size_t i = 0; i < found && i < top->rows; i++)
        write_line(&json, plan, counts, &lines[i], pass->pass->timed);
    instr_json_close(&json, ']');
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
}

// Takes a snapshot and reports the difference to the last one. 0: the reply has failed.
static int report(struct top *top, struct instr_reply *reply, const struct instr_plan *plan,
                  uint64_t now) {
    const struct instr_pass_options *pass = choose(plan);
    struct instr_counts *counts = NULL;
    size_t n = 0;
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
    if (top->before_time) {
        size_t found = compare(top, plan, pass->number, counts, n, lines);
        write_document(reply, top, plan, pass, counts, lines, found, now);
    }
    free(lines);
    free(top->before);
    top->before = counts;
    top->before_count = n;
    top->before_time = now;
    top->pass_id = pass->number;
    return 1;
}

static uint64_t tick(void *context, struct instr_reply *reply, uint64_t now) {
    struct top *top = context;
    unsigned ticket;
    int first = top->before_time == 0;
    if (now < top->due) return top->due; // woken for another client
    const struct instr_plan *plan = instr_plans_take(&top->agent->plans, &ticket);
    int ok = report(top, reply, plan, now);
    instr_plans_give_back(&top->agent->plans, ticket);
    if (!ok) return 0;
    uint64_t soon = FIRST_MS * MILLISECOND;
    top->due = now + (first && soon < top->interval ? soon : top->interval);
    return top->due;
}

static void end(void *context, struct instr_reply *reply) {
    struct top *top = context;
    (void)reply;
    free(top->before);
    free(top);
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
    for (int i = 0; request->argc == 3 && i < 4; i++)
        if (strcmp(orders[i], request->argv[2]) == 0) order = i;
    if (interval < 0 || rows < 0 || order < 0) {
        instr_reply_fail(reply,
                         "top: expects milliseconds, rows, and self, total, calls or thrown");
        return;
    }
    struct top *top = calloc(1, sizeof *top);
    if (!top) {
        instr_reply_fail(reply, "out of memory");
        return;
    }
    top->agent = request->agent;
    top->order = (enum order)order;
    top->rows = (size_t)rows;
    top->interval = (uint64_t)interval * MILLISECOND;
    instr_reply_stream(reply, &(struct instr_stream){.tick = tick, .end = end, .context = top});
}
