#include "instr/control/top_rule.h"

#include "instr/base/clock.h"
#include "instr/base/json.h"
#include "instr/control/operation.h"
#include "instr/control/unmatched.h"
#include "instr/passes/results.h"
#include "instr/passes/watch/suggest.h"
#include "instr/report/tables.h"
#include "instr/retransform/current_results.h"
#include "instr/retransform/ends.h"
#include "instr/vm/wake.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST UINT64_C(100000000)          // ns: the first table covers a tenth of a second
#define OVERHEAD_PAUSE UINT64_C(500000000) // ns, from one estimate to the next

// A key of the tables: all calls so far, and those of the interval.
struct line {
    char *key;
    uint64_t calls, thrown, total;
    uint64_t p50, p99, max;
    uint64_t calls_now, thrown_now, total_now;
};

struct lines {
    struct line *all;
    size_t count;
};

struct top {
    struct instr_agent *agent;
    struct instr_owner owner;
    char pass[32];
    enum instr_top_order order;
    size_t rows;
    uint64_t interval, due, start, before_time; // ns
    struct lines before;
};

static void free_lines(struct lines *lines) {
    for (size_t i = 0; i < lines->count; i++) free(lines->all[i].key);
    free(lines->all);
    *lines = (struct lines){0};
}

// --- a table ---

static int by_name(const void *a, const void *b) {
    const struct line *x = a, *y = b;
    return strcmp(x->key, y->key);
}

static struct line *find(const struct lines *lines, const char *key) {
    const struct line wanted = {.key = (char *)(uintptr_t)key};
    return lines->count ? bsearch(&wanted, lines->all, lines->count, sizeof wanted, by_name) : NULL;
}

static bool add_line(struct lines *lines, const struct instr_table_row *row) {
    struct line *line = &lines->all[lines->count];
    *line = (struct line){.key = strdup(row->key),
                          .calls = row->count,
                          .total = (uint64_t)row->numbers[INSTR_TABLE_SUM],
                          .p50 = (uint64_t)row->numbers[INSTR_TABLE_P50],
                          .p99 = (uint64_t)row->numbers[INSTR_TABLE_P99],
                          .max = (uint64_t)row->numbers[INSTR_TABLE_MAX]};
    lines->count += line->key != NULL;
    return line->key != NULL;
}

// What is null has the same key as an empty text.
static void merge(struct lines *lines) {
    size_t left = 0;
    for (size_t i = 0; i < lines->count; i++) {
        struct line *last = left ? &lines->all[left - 1] : NULL, *line = &lines->all[i];
        if (!last || strcmp(last->key, line->key) != 0) {
            lines->all[left++] = *line;
            continue;
        }
        last->calls += line->calls;
        last->total += line->total;
        if (line->max > last->max) last->max = line->max;
        if (line->p99 > last->p99) last->p99 = line->p99;
        free(line->key);
    }
    lines->count = left;
}

// Takes the lines out of the rule's tables, sorted by their keys.
static bool take(void *context, const struct instr_pass_options *pass,
                 const struct instr_report_format *format, const void *report) {
    const struct instr_table_report *tables = report;
    struct lines *lines = context;
    (void)pass;
    (void)format;
    lines->all = calloc(tables->row_count + 1, sizeof *lines->all);
    for (size_t i = 0; lines->all && i < tables->row_count; i++)
        if (!*tables->rows[i].table && !add_line(lines, &tables->rows[i])) break;
    if (lines->count) qsort(lines->all, lines->count, sizeof *lines->all, by_name);
    merge(lines);
    for (size_t i = 0; i < tables->row_count; i++) {
        struct line *line = *tables->rows[i].table ? find(lines, tables->rows[i].key) : NULL;
        if (line) line->thrown += (uint64_t)tables->rows[i].numbers[INSTR_TABLE_SUM];
    }
    return true;
}

static void compare(struct lines *now, const struct lines *before) {
    static const struct line none;
    for (size_t i = 0; i < now->count; i++) {
        struct line *line = &now->all[i];
        const struct line *then = find(before, line->key);
        if (!then) then = &none;
        line->calls_now = instr_since(then->calls, line->calls);
        line->thrown_now = instr_since(then->thrown, line->thrown);
        line->total_now = instr_since(then->total, line->total);
    }
}

static uint64_t value_of(const struct line *line, enum instr_top_order order) {
    return order == INSTR_TOP_BY_CALLS    ? line->calls_now
           : order == INSTR_TOP_BY_THROWN ? line->thrown_now
                                          : line->total_now;
}

// The `most` lines with calls in the interval and the largest values come first; returns how many.
static size_t sort(const struct line **lines, size_t count, enum instr_top_order order,
                   size_t most) {
    size_t i = 0;
    for (; i < count && i < most; i++)
        for (size_t k = i + 1; k < count; k++)
            if (value_of(lines[k], order) > value_of(lines[i], order)) {
                const struct line *swapped = lines[i];
                lines[i] = lines[k];
                lines[k] = swapped;
            }
    return i;
}

static void write_line(struct instr_json *json, const struct line *line) {
    instr_json_open_flat(json, NULL, '{');
    instr_json_text(json, "key", line->key);
    instr_json_number(json, "calls", line->calls_now);
    instr_json_number(json, "thrown", line->thrown_now);
    instr_json_number(json, "timed", line->calls_now);
    instr_json_number(json, "total_ns", line->total_now);
    instr_json_number(json, "p50_ns", line->p50);
    instr_json_number(json, "p99_ns", line->p99);
    instr_json_number(json, "max_ns", line->max);
    instr_json_close(json, '}');
}

static void write_document(const struct top *top, struct instr_reply *reply,
                           const struct lines *now, const struct line **called, uint64_t time) {
    uint64_t calls = 0, thrown = 0;
    size_t found = 0, shown;
    for (size_t i = 0; i < now->count; i++) {
        calls += now->all[i].calls_now;
        thrown += now->all[i].thrown_now;
        if (now->all[i].calls_now) called[found++] = &now->all[i];
    }
    shown = sort(called, found, top->order, top->rows);
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "pass", top->pass);
    instr_json_bool(&json, "timed", true);
    instr_json_number(&json, "interval_ns", time - top->before_time);
    instr_json_number(&json, "keys", found);
    instr_json_number(&json, "calls", calls);
    instr_json_number(&json, "thrown", thrown);
    unsigned ticket;
    const struct instr_plan *plan = instr_plans_take(&top->agent->plans, &ticket);
    instr_operation_json_overhead(&json, top->agent, plan, instr_reply_jni(reply), OVERHEAD_PAUSE);
    instr_plans_give_back(&top->agent->plans, ticket);
    instr_json_open(&json, "rows", '[');
    for (size_t i = 0; i < shown; i++) write_line(&json, called[i]);
    instr_json_close(&json, ']');
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
}

// --- the stream ---

static bool report(struct top *top, struct instr_reply *reply, uint64_t now) {
    struct lines lines = {0};
    const struct instr_results_taker taker = {take, &lines};
    char reason[INSTR_ERROR_SIZE];
    JNIEnv *jni = instr_reply_jni(reply);
    if (!jni) return false;
    if (!instr_operation_is_on(top->agent, top->pass)) {
        struct instr_end end;
        bool known = instr_ends_since(top->pass, strlen(top->pass), top->start, &end);
        instr_reply_fail(reply, "pass '%s' was switched off%s%s", top->pass, known ? ": " : "",
                         known ? end.why : "");
        return false;
    }
    if (!instr_current_results_report(top->agent, jni, top->pass, &top->owner, true, false, &taker,
                                      reason, sizeof reason)) {
        instr_reply_fail(reply, "%s", reason);
        return false;
    }
    const struct line **called = malloc((lines.count + 1) * sizeof *called);
    if (called) {
        compare(&lines, &top->before);
        write_document(top, reply, &lines, called, now);
    }
    free(called);
    free_lines(&top->before);
    top->before = lines;
    top->before_time = now;
    return true;
}

static uint64_t tick(void *context, struct instr_reply *reply, uint64_t now) {
    struct top *top = context;
    if (now < top->due) return top->due; // woken for another client
    if (!report(top, reply, now)) return 0;
    return top->due = now + top->interval;
}

static bool ignore(void *context, const struct instr_pass_options *pass,
                   const struct instr_report_format *format, const void *report) {
    (void)context;
    (void)pass;
    (void)format;
    (void)report;
    return true;
}

static void end(void *context, struct instr_reply *reply) {
    static const struct instr_results_taker nothing = {ignore, NULL};
    struct top *top = context;
    struct instr_reconfigured done = {.all = 1, .taker = &nothing};
    char reason[INSTR_ERROR_SIZE];
    JNIEnv *jni = instr_wake_jni();
    if (jni && instr_operation_is_on(top->agent, top->pass) &&
        !instr_reconfigure_disable(top->agent, jni, top->pass, &done, reason, sizeof reason) &&
        atomic_load(&top->agent->state) != INSTR_FINISHED)
        instr_reply_note(reply, "pass '%s' is still active: %s", top->pass, reason);
    free_lines(&top->before);
    free(top);
}

static void note_nothing(struct instr_agent *agent, JNIEnv *jni, struct instr_reply *reply,
                         const char *pass, const char *rule) {
    char meant[800];
    const char *refusal = instr_rule_refusal(&agent->plans, pass);
    if (refusal) {
        instr_reply_note(reply, "no calls of a loaded method are counted: %s", refusal);
        return;
    }
    instr_reply_note(reply, "no loaded class has such a method with bytecode; calls are counted "
                            "once one is loaded");
    instr_watch_suggest_for_rule(agent->jvmti, jni, rule, meant, sizeof meant);
    if (*meant) instr_reply_note(reply, "did you mean %s?", meant);
}

void instr_top_of_rule(struct instr_request *request, struct instr_reply *reply, const char *rule,
                       uint64_t interval, size_t rows, enum instr_top_order order) {
    static unsigned last;
    struct instr_reconfigured done = {0};
    char reason[INSTR_ERROR_SIZE];
    JNIEnv *jni = instr_reply_jni(reply);
    struct top *top = jni ? calloc(1, sizeof *top) : NULL;
    if (!jni) return;
    if (!top) {
        instr_reply_fail(reply, "out of memory");
        return;
    }
    *top =
        (struct top){.agent = request->agent, .order = order, .rows = rows, .interval = interval};
    snprintf(top->pass, sizeof top->pass, "top-%u", ++last);
    bool ok = instr_operation_owner(request, reply, &top->owner);
    done.owner = &top->owner;
    if (ok &&
        !instr_operation_add_rule(top->agent, jni, top->pass, rule, &done, reason, sizeof reason)) {
        instr_reply_fail(reply, "%s", reason);
        ok = false;
    }
    if (!ok) {
        free(top);
        return;
    }
    if (!done.changed) note_nothing(top->agent, jni, reply, top->pass, rule);
    top->start = top->before_time = instr_clock_now();
    top->due = top->start + (FIRST < interval ? FIRST : interval);
    instr_reply_stream(reply, &(struct instr_stream){tick, end, top});
}
