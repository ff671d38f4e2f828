// Results at exit, and when a pass is switched off.

#include "instr/passes/results.h"

#include "instr/base/array.h"
#include "instr/base/json.h"
#include "instr/base/log.h"
#include "instr/passes/agent_passes.h"
#include "instr/passes/cost.h"
#include "instr/report/methods.h"
#include "instr/report/text.h"
#include "instr/vm/agent_state.h"
#include "instr/vm/untouchable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REASONS_SHOWN 10

struct skipped_list {
    struct instr_skipped *items;
    size_t count, capacity;
    int pass; // also what this pass skipped; NO_PASS: only what no pass asked to skip
};

enum { NO_PASS = -1, ALL_PASSES = -2 };

static void add_skipped(void *context, const struct instr_skipped_item *skipped) {
    struct skipped_list *list = context;
    if (skipped->pass != NO_PASS && list->pass != skipped->pass && list->pass != ALL_PASSES) return;
    if (!INSTR_ARRAY_RESERVE(list->items, list->capacity, list->count + 1)) return;
    // The strings belong to the engine, which never removes an entry.
    list->items[list->count++] =
        (struct instr_skipped){skipped->class_name, skipped->method, skipped->reason};
}

// "OpenJDK 64-Bit Server VM 25+36"; NULL when the JVM does not say, or out of memory.
static char *jvm_name(jvmtiEnv *jvmti) {
    char *name = NULL, *version = NULL, *text = NULL;
    if ((*jvmti)->GetSystemProperty(jvmti, "java.vm.name", &name) != JVMTI_ERROR_NONE) name = NULL;
    if ((*jvmti)->GetSystemProperty(jvmti, "java.vm.version", &version) != JVMTI_ERROR_NONE)
        version = NULL;
    if (name && version) {
        size_t size = strlen(name) + strlen(version) + 2;
        text = malloc(size);
        if (text) snprintf(text, size, "%s %s", name, version);
    }
    if (name) (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    if (version) (*jvmti)->Deallocate(jvmti, (unsigned char *)version);
    return text;
}

static struct instr_method_row row_of(const struct instr_method *m, const struct instr_counts *c) {
    uint64_t thrown = c->thrown > 0 ? (uint64_t)c->thrown : 0;
    struct instr_method_row row = {
        .class_name = m->class_name,
        .method = m->name,
        .descriptor = m->descriptor,
        .calls = c->calls,
        .thrown = thrown,
        .total_ns = c->total,
        .self_ns = c->self,
        .min_ns = c->min,
        .max_ns = c->max,
        .p50_ns = c->p50,
        .p90_ns = c->p90,
        .p99_ns = c->p99,
    };
    return row;
}

bool instr_results_shows(const struct instr_results *r, unsigned pass, const char *class_name) {
    return instr_pass_reports(&r->options->passes[pass], class_name);
}

// The rows of one pass: the methods that were called, or ended.
static size_t gather(const struct instr_results *r, unsigned pass,
                     const struct instr_counts *counts, size_t n, struct instr_method_row *rows) {
    const struct instr_pass_options *options = &r->options->passes[pass];
    bool estimated = instr_agent_pass_estimates(options);
    size_t found = 0;
    for (size_t id = 0; id < n; id++) {
        // After a reset a call that ends, or throws, may have begun before.
        if (!counts[id].calls && !counts[id].timed && counts[id].thrown <= 0) continue;
        struct instr_method m = instr_methods_get(r->methods, (int)id);
        if (m.pass != options->number || m.detail || !instr_results_shows(r, pass, m.class_name))
            continue;
        rows[found] = row_of(&m, &counts[id]);
        rows[found].estimated = estimated;
        rows[found].untimed =
            estimated && !counts[id].timed && instr_methods_untimed(r->methods, (int)id);
        rows[found++].measured = estimated ? counts[id].measured : 0;
    }
    return found;
}

static _Thread_local char *unwritten; // a pointer alone: every thread that loads classes has it

void instr_say_unwritten(const char *line) {
    instr_say("%s", line);
    if (!unwritten) unwritten = strdup(line);
}

char *instr_results_unwritten(void) {
    char *line = unwritten;
    unwritten = NULL;
    return line;
}

bool instr_results_are_kept(const struct instr_results *r) {
    return r->kept && r->kept->counts;
}

static struct instr_counts *copy_counts(const struct instr_counts *counts, size_t n) {
    struct instr_counts *copy = malloc((n + 1) * sizeof *copy);
    if (copy && n) memcpy(copy, counts, n * sizeof *copy);
    return copy;
}

bool instr_results_snapshot(const struct instr_results *r, unsigned pass,
                            struct instr_counts **counts, size_t *n) {
    if (!r->reset) return instr_snapshot(r->jni, counts, n);
    if (instr_results_are_kept(r)) {
        *counts = copy_counts(r->kept->counts, r->kept->n);
        *n = r->kept->n;
        return *counts;
    }
    if (!instr_snapshot_and_reset(r->jni, r->methods, r->options->passes[pass].number, counts, n))
        return false;
    instr_cost_reset(r->options->passes[pass].number, r->methods, *counts, *n);
    if (r->kept) {
        r->kept->counts = copy_counts(*counts, *n);
        r->kept->n = *n;
    }
    return true;
}

void instr_results_write(const struct instr_pass_options *options, const char *pattern,
                         void (*write)(const void *report, struct instr_output *out),
                         const void *report) {
    char written[INSTR_ERROR_SIZE];
    if (!pattern) return;
    char *path = instr_expand_file(pattern, (long)getpid());
    if (instr_output_file(path, write, report, written, sizeof written) != 0) {
        instr_say_unwritten(written);
        return;
    }
    instr_say("%s: %s", options->pass->name, written);
}

struct instr_cost instr_results_cost(const struct instr_results *r, unsigned pass,
                                     const struct instr_counts *counts, size_t n) {
    return instr_cost_of(r->engine, r->options, pass, r->methods, r->jni, counts, n, r->reset);
}

void instr_results_put_cost(const struct instr_results *r, unsigned pass,
                            const struct instr_cost *cost) {
    const struct instr_pass_options *options = &r->options->passes[pass];
    if (r->taker || options->terms.quiet || !options->top) return;
    struct instr_output out;
    char error[INSTR_ERROR_SIZE];
    instr_output_descriptor(&out, STDERR_FILENO);
    instr_report_text(&out, options->pass->name, INSTR_PLAIN);
    instr_output_text(&out, ": ");
    instr_cost_line(cost, &out);
    instr_output_close(&out, error, sizeof error);
}

void instr_results_put(const struct instr_results *r, unsigned pass,
                       const struct instr_report_format *format, const void *report) {
    const struct instr_pass_options *options = &r->options->passes[pass];
    bool taken =
        r->taker && options->top && r->taker->take(r->taker->context, options, format, report);
    bool is_shown = options->top && !options->terms.quiet && !instr_pass_is_of_command(options);
    if (is_shown && !taken) {
        struct instr_output out;
        char error[INSTR_ERROR_SIZE];
        instr_output_descriptor(&out, STDERR_FILENO);
        format->table(report, &out, options->top);
        instr_output_close(&out, error, sizeof error);
    }
    instr_results_write(options, options->file, format->json, report);
}

// --- methods ---

// What an agent pass adds to the table of methods.
struct addition {
    const struct instr_results *results;
    unsigned pass;
    const struct instr_agent_pass *agent_pass;
};

static void add_more(const void *context, struct instr_output *table, struct instr_json *json) {
    const struct addition *a = context;
    a->agent_pass->more(a->results, a->pass, table, json);
}

static void report_pass(const struct instr_results *r, unsigned i,
                        const struct instr_counts *counts, size_t n, const char *jvm) {
    const struct instr_pass_options *pass = &r->options->passes[i];
    struct skipped_list skipped = {NULL, 0, 0, (int)pass->number};
    struct instr_method_row *rows = malloc((n + 1) * sizeof *rows);
    if (!rows) {
        instr_say("out of memory: a result is lost");
        return;
    }
    instr_engine_skipped(r->engine, add_skipped, &skipped);
    struct addition addition = {r, i, instr_agent_pass_of(pass->pass)};
    struct instr_method_report report = {
        .pass = pass->pass->name,
        .cost = instr_results_cost(r, i, counts, n),
        .jvm = jvm,
        .timed = pass->pass->timed,
        .rows = rows,
        .row_count = gather(r, i, counts, n, rows),
        .skipped = skipped.items,
        .skipped_count = skipped.count,
        .more = addition.agent_pass && addition.agent_pass->more ? add_more : NULL,
        .more_context = &addition,
    };
    instr_method_report_sort(&report, INSTR_BY_SELF);
    instr_results_put(r, i, &instr_methods_format, &report);
    instr_results_put_cost(r, i, &report.cost);
    free(skipped.items);
    free(rows);
}

// --- what was skipped, and the totals ---

// com/acme/Foo.bar(I)V: skipped: ...
static void say_skipped(const struct instr_results *r, const struct skipped_list *some) {
    struct skipped_list all = {NULL, 0, 0, ALL_PASSES};
    if (r->options->verbose) instr_engine_skipped(r->engine, add_skipped, &all);
    const struct skipped_list *skipped = r->options->verbose ? &all : some;
    size_t shown = r->options->verbose ? skipped->count : REASONS_SHOWN;
    for (size_t i = 0; i < skipped->count && i < shown; i++) {
        const struct instr_skipped *s = &skipped->items[i];
        char name[256];
        instr_say("%s%s%s: skipped: %s", instr_dotted(s->class_name, name, sizeof name),
                  s->method[0] ? "." : "", s->method, s->reason);
    }
    if (skipped->count > shown)
        instr_say("and %zu more skipped (verbose=yes shows all)", skipped->count - shown);
    free(all.items);
}

void instr_say_skipped_interfaces(uint64_t count) {
    char line[INSTR_ERROR_SIZE];
    if (!count) return;
    instr_interfaces_skipped(count, line, sizeof line);
    instr_say("%s", line);
}

static void say_totals(const struct instr_totals *a) {
    char seen[INSTR_NUMBER_SIZE], changed[INSTR_NUMBER_SIZE], methods[INSTR_NUMBER_SIZE],
        skipped[INSTR_NUMBER_SIZE], in[INSTR_NUMBER_SIZE], out[INSTR_NUMBER_SIZE],
        time[INSTR_DURATION_SIZE];
    instr_say(
        "%s class%s seen, %s changed; %s method%s changed, %s skipped; %s bytes in, %s out, in %s",
        instr_number(a->classes_seen, seen), a->classes_seen == 1 ? "" : "es",
        instr_number(a->classes_changed, changed), instr_number(a->methods_changed, methods),
        a->methods_changed == 1 ? "" : "s",
        instr_number(a->methods_skipped + a->classes_skipped, skipped),
        instr_number(a->bytes_in, in), instr_number(a->bytes_out, out),
        instr_duration(a->nanoseconds, time));
    instr_say_skipped_interfaces(a->interfaces_skipped);
    if (a->classes_over_limit)
        instr_say("%s class%s not changed because of max-classes or max-methods",
                  instr_number(a->classes_over_limit, changed),
                  a->classes_over_limit == 1 ? "" : "es");
    if (instr_snapshot_counters_are_full())
        instr_say("the counters of all threads have reached their limit of memory: what further "
                  "threads count takes longer; memory= raises it");
    if (a->methods_grown)
        instr_say("%s of the changed methods %s now longer than 8,000 bytes: HotSpot does not "
                  "compile such methods",
                  instr_number(a->methods_grown, changed), a->methods_grown == 1 ? "is" : "are");
}

// Is there a pass with include= that no class has matched? `coverage` says so itself.
static void say_unmatched(const struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_pass_options *pass = &options->passes[i];
        const struct instr_agent_pass *agent_pass = instr_agent_pass_of(pass->pass);
        if (!pass->include || pass->only || (agent_pass && agent_pass->gets_original)) continue;
        instr_say("%s: no class was loaded that include=%.200s matches", pass->pass->name,
                  instr_match_text(pass->include));
    }
}

struct account {
    const struct instr_results *results;
    bool counted; // false: out of memory, the costs are not written
    struct instr_counts *counts;
    size_t count;
    struct instr_totals totals;
    struct skipped_list skipped;
};

static void write_costs(const struct account *account, struct instr_json *json) {
    const struct instr_results *r = account->results;
    instr_json_open(json, "costs", '{');
    for (unsigned i = 0; account->counted && i < r->options->pass_count; i++) {
        struct instr_cost cost = instr_results_cost(r, i, account->counts, account->count);
        instr_cost_json(&cost, json, r->options->passes[i].pass->name);
    }
    instr_json_close(json, '}');
}

static void write_account(const void *context, struct instr_output *out) {
    const struct account *account = context;
    const struct instr_totals *a = &account->totals;
    struct instr_json json = instr_json_start(out);
    instr_json_open(&json, NULL, '{');
    instr_json_number(&json, "classes_seen", a->classes_seen);
    instr_json_number(&json, "classes_matched", a->classes_matched);
    instr_json_number(&json, "classes_changed", a->classes_changed);
    instr_json_number(&json, "classes_skipped", a->classes_skipped);
    instr_json_number(&json, "methods_changed", a->methods_changed);
    instr_json_number(&json, "methods_skipped", a->methods_skipped);
    instr_json_number(&json, "interfaces_skipped", a->interfaces_skipped);
    instr_json_number(&json, "methods_grown", a->methods_grown);
    instr_json_number(&json, "classes_refused", a->classes_refused);
    instr_json_number(&json, "methods_refused", a->methods_refused);
    instr_json_number(&json, "classes_over_limit", a->classes_over_limit);
    instr_json_number(&json, "bytes_in", a->bytes_in);
    instr_json_number(&json, "bytes_out", a->bytes_out);
    instr_json_number(&json, "rewriting_ns", a->nanoseconds);
    write_costs(account, &json);
    instr_skipped_json(&json, account->skipped.items, account->skipped.count);
    instr_json_close(&json, '}');
}

static void write_stats(const struct instr_results *r, struct account *account) {
    account->counted = instr_snapshot(r->jni, &account->counts, &account->count);
    char line[INSTR_ERROR_SIZE], *path = instr_expand_file(r->options->stats, (long)getpid());
    if (instr_output_file(path, write_account, account, line, sizeof line) != 0)
        instr_say_unwritten(line);
    free(account->counts);
}

// --- all of it ---

// The agent pass that reports by itself; NULL: the pass reports methods.
static const struct instr_agent_pass *own_report(const struct instr_results *r, unsigned pass) {
    const struct instr_agent_pass *agent_pass = instr_agent_pass_of(r->options->passes[pass].pass);
    return agent_pass && agent_pass->report ? agent_pass : NULL;
}

static void report_methods(const struct instr_results *r) {
    struct instr_counts *counts = NULL;
    size_t n = 0;
    bool again = instr_results_are_kept(r);
    if (!instr_results_snapshot(r, 0, &counts, &n)) {
        instr_say("out of memory: the results are lost");
        return;
    }
    char *jvm = jvm_name(r->jvmti);
    size_t known = (size_t)instr_methods_count(r->methods);
    if (n > known) n = known;
    instr_snapshot_active_constructors(r->jvmti, r->jni, r->methods, counts, n);
    if (r->reset && !again)
        instr_snapshot_carry_thrown(r->methods, r->options->passes[0].number, counts, n);
    for (unsigned i = 0; i < r->options->pass_count; i++)
        if (!own_report(r, i)) report_pass(r, i, counts, n, jvm);
    free(jvm);
    free(counts);
}

static bool all_quiet(const struct instr_options *options) {
    bool quiet = true;
    for (size_t i = 0; i < options->pass_count; i++) quiet &= options->passes[i].terms.quiet != 0;
    return quiet;
}

void instr_results_report(const struct instr_results *r) {
    struct account account = {
        .results = r, .totals = instr_engine_totals(r->engine), .skipped = {NULL, 0, 0, NO_PASS}};
    unsigned own = 0;
    instr_engine_skipped(r->engine, add_skipped, &account.skipped);
    for (unsigned i = 0; i < r->options->pass_count; i++) {
        const struct instr_agent_pass *agent_pass = own_report(r, i);
        if (agent_pass) agent_pass->report(r, i);
        own += agent_pass != NULL;
    }
    if (own < r->options->pass_count) report_methods(r);
    if (!r->without_totals && !all_quiet(r->options)) {
        say_skipped(r, &account.skipped);
        say_totals(&account.totals);
        if (!account.totals.classes_matched) say_unmatched(r->options);
    }
    if (r->options->stats) write_stats(r, &account);
    free(account.skipped.items);
}
