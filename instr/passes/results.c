// Telling the results at the end.

#include "instr/passes/results.h"

#include "instr/vm/agent_state.h"
#include "instr/vm/snapshot.h"
#include "instr/vm/untouchable.h"
#include "instr/base/json.h"
#include "instr/passes/agent_pass.h"
#include "instr/report/report.h"
#include "instr/base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REASONS_SHOWN 10

struct skipped_list {
    struct instr_skipped *items;
    size_t count, capacity;
    int pass; // also what this one chose to leave alone; NOBODY: only what nobody chose
};

enum { NOBODY = -1, EVERYBODY = -2 };

static void add_skipped(void *context, const struct instr_skipped_item *kept) {
    struct skipped_list *list = context;
    if (kept->pass != NOBODY && list->pass != kept->pass && list->pass != EVERYBODY) return;
    if (list->count == list->capacity) {
        size_t wanted = list->capacity ? list->capacity * 2 : 64;
        struct instr_skipped *larger = realloc(list->items, wanted * sizeof *larger);
        if (!larger) return;
        list->items = larger;
        list->capacity = wanted;
    }
    // The engine's strings stay: kept entries are never taken back.
    struct instr_skipped item = {kept->class_name, kept->method, kept->reason};
    list->items[list->count++] = item;
}

// "OpenJDK 64-Bit Server VM 25+36"; NULL when the VM does not tell or memory is out.
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

static struct instr_report_row row_of(const struct instr_method *m, const struct instr_counts *c) {
    uint64_t thrown = c->thrown > 0 ? (uint64_t)c->thrown : 0;
    struct instr_report_row row = {
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

// The rows of one pass: the methods that were called.
static size_t gather(const struct instr_results *r, unsigned number,
                     const struct instr_counts *counts, size_t n, struct instr_report_row *rows) {
    size_t found = 0;
    for (size_t id = 0; id < n; id++) {
        if (!counts[id].calls) continue;
        struct instr_method m = instr_methods_get(r->methods, (int)id);
        if (m.pass == number && !m.detail) rows[found++] = row_of(&m, &counts[id]);
    }
    return found;
}

static _Thread_local char *unwritten; // no more than this: each thread that loads classes has it

void instr_say_unwritten(const char *line) {
    static const char prefix[] = "instr: ";
    instr_say(line);
    if (strncmp(line, prefix, sizeof prefix - 1) == 0) line += sizeof prefix - 1;
    if (!unwritten) unwritten = strdup(line);
}

char *instr_results_unwritten(void) {
    char *line = unwritten;
    unwritten = NULL;
    return line;
}

static void write_report(const struct instr_report *report, const char *pattern) {
    char error[INSTR_ERROR_SIZE], line[INSTR_ERROR_SIZE + 64];
    char *path = instr_expand_file(pattern, (long)getpid());
    if (!path) {
        instr_say_unwritten("instr: out of memory: a result is not written");
        return;
    }
    if (instr_report_write(report, path, error, sizeof error) != 0) {
        instr_say_unwritten(error);
    } else {
        snprintf(line, sizeof line, "instr: %s: written to %s", report->pass, path);
        instr_say(line);
    }
    free(path);
}

// What a part has to add to the table of methods.
struct addition {
    const struct instr_results *results;
    unsigned pass;
    const struct instr_agent_pass *part;
};

static void add_json(const void *context, struct instr_json *json) {
    const struct addition *a = context;
    a->part->more(a->results, a->pass, NULL, json);
}

static void tell_pass(const struct instr_results *r, unsigned i, const struct instr_counts *counts,
                      size_t n, const char *jvm) {
    const struct instr_pass_options *pass = &r->options->passes[i];
    struct skipped_list skipped = {NULL, 0, 0, (int)pass->number};
    struct instr_report_row *rows = malloc((n + 1) * sizeof *rows);
    if (!rows) {
        instr_say("instr: out of memory: a result is not told");
        return;
    }
    instr_engine_skipped(r->engine, add_skipped, &skipped);
    struct instr_report report = {
        .pass = pass->pass->name,
        .jvm = jvm,
        .timed = pass->pass->timed,
        .rows = rows,
        .row_count = gather(r, pass->number, counts, n, rows),
        .skipped = skipped.items,
        .skipped_count = skipped.count,
    };
    struct addition addition = {r, i, instr_agent_pass_of(pass->pass)};
    int adds = addition.part && addition.part->more;
    if (adds) {
        report.more = add_json;
        report.more_context = &addition;
    }
    instr_report_sort(&report, INSTR_BY_SELF);
    if (pass->top && !r->options->quiet) {
        struct instr_output out;
        char error[INSTR_ERROR_SIZE];
        instr_output_descriptor(&out, STDERR_FILENO);
        instr_report_table(&report, &out, pass->top);
        if (adds) addition.part->more(r, i, &out, NULL);
        instr_output_close(&out, error, sizeof error);
    }
    if (pass->file) write_report(&report, pass->file);
    free(skipped.items);
    free(rows);
}

// com/acme/Foo.bar(I)V: kept as it was: ...
static void report_skipped(const struct instr_results *r, const struct skipped_list *some) {
    char line[1024];
    struct skipped_list all = {NULL, 0, 0, EVERYBODY};
    if (r->options->verbose) instr_engine_skipped(r->engine, add_skipped, &all);
    const struct skipped_list *skipped = r->options->verbose ? &all : some;
    size_t shown = r->options->verbose ? skipped->count : REASONS_SHOWN;
    for (size_t i = 0; i < skipped->count && i < shown; i++) {
        const struct instr_skipped *s = &skipped->items[i];
        snprintf(line, sizeof line, "instr: %s%s%s: kept as it was: %s", s->class_name,
                 s->method[0] ? "." : "", s->method, s->reason);
        instr_say(line);
    }
    if (skipped->count > shown) {
        snprintf(line, sizeof line, "instr: and %zu more kept as they were (verbose=yes shows all)",
                 skipped->count - shown);
        instr_say(line);
    }
    free(all.items);
}

void instr_say_skipped_interfaces(uint64_t count) {
    char told[INSTR_ERROR_SIZE], line[INSTR_ERROR_SIZE + 16];
    if (!count) return;
    instr_interfaces_tell(count, told, sizeof told);
    snprintf(line, sizeof line, "instr: %s", told);
    instr_say(line);
}

static void tell_account(const struct instr_totals *a) {
    char line[256], seen[INSTR_NUMBER_SIZE], changed[INSTR_NUMBER_SIZE], methods[INSTR_NUMBER_SIZE],
        kept[INSTR_NUMBER_SIZE], in[INSTR_NUMBER_SIZE], out[INSTR_NUMBER_SIZE],
        time[INSTR_DURATION_SIZE];
    snprintf(
        line, sizeof line,
        "instr: %s classes seen, %s changed; %s methods changed, %s kept; %s bytes in, %s out, "
        "in %s",
        instr_number(a->classes_seen, seen), instr_number(a->classes_changed, changed),
        instr_number(a->methods_changed, methods),
        instr_number(a->methods_skipped + a->classes_skipped, kept), instr_number(a->bytes_in, in),
        instr_number(a->bytes_out, out), instr_duration(a->nanoseconds, time));
    instr_say(line);
    instr_say_skipped_interfaces(a->interfaces_skipped);
    if (a->classes_over_limit) {
        snprintf(line, sizeof line, "instr: %s class%s left as %s, by max-classes or max-methods",
                 instr_number(a->classes_over_limit, changed),
                 a->classes_over_limit == 1 ? "" : "es",
                 a->classes_over_limit == 1 ? "it is" : "they are");
        instr_say(line);
    }
    if (!a->methods_grown) return;
    snprintf(line, sizeof line,
             "instr: %s of the methods changed %s past 8,000 bytes, and the JVM compiles none that "
             "is so long",
             instr_number(a->methods_grown, changed), a->methods_grown == 1 ? "is" : "are");
    instr_say(line);
}

static void account_json(struct instr_output *out, const struct instr_totals *a,
                         const struct skipped_list *kept) {
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
    instr_json_open(&json, "skipped", '[');
    for (size_t i = 0; i < kept->count; i++) {
        instr_json_open_flat(&json, NULL, '{');
        instr_json_class(&json, "class", kept->items[i].class_name);
        instr_json_text(&json, "method", kept->items[i].method);
        instr_json_text(&json, "reason", kept->items[i].reason);
        instr_json_close(&json, '}');
    }
    instr_json_close(&json, ']');
    instr_json_close(&json, '}');
}

static void write_account(const struct instr_results *r, const struct instr_totals *account,
                          const struct skipped_list *kept) {
    char error[INSTR_ERROR_SIZE];
    char *path = instr_expand_file(r->options->stats, (long)getpid());
    if (!path) return;
    struct instr_output out;
    instr_output_open(&out, path);
    account_json(&out, account, kept);
    if (instr_output_close(&out, error, sizeof error) != 0) instr_say_unwritten(error);
    free(path);
}

static const struct instr_agent_pass *telling_part(const struct instr_results *r, unsigned pass) {
    const struct instr_agent_pass *part = instr_agent_pass_of(r->options->passes[pass].pass);
    return part && part->tell ? part : NULL;
}

// What methods' calls and times have come to, for the passes that have no other form of result.
static void tell_methods(const struct instr_results *r) {
    struct instr_counts *counts = NULL;
    size_t n = 0;
    if (!instr_snapshot(r->jni, &counts, &n)) {
        instr_say("instr: out of memory: the results are not told");
        return;
    }
    char *jvm = jvm_name(r->jvmti);
    size_t known = (size_t)instr_methods_count(r->methods);
    if (n > known) n = known;
    instr_snapshot_active_constructors(r->jvmti, r->jni, r->methods, counts, n);
    for (unsigned i = 0; i < r->options->pass_count; i++)
        if (!telling_part(r, i)) tell_pass(r, i, counts, n, jvm);
    free(jvm);
    free(counts);
}

void instr_results_tell(const struct instr_results *r) {
    struct skipped_list skipped = {NULL, 0, 0, NOBODY};
    struct instr_totals account = instr_engine_account(r->engine);
    unsigned others = 0;
    instr_engine_skipped(r->engine, add_skipped, &skipped);
    for (unsigned i = 0; i < r->options->pass_count; i++) {
        const struct instr_agent_pass *part = telling_part(r, i);
        if (part) part->tell(r, i);
        others += part != NULL;
    }
    if (others < r->options->pass_count) tell_methods(r);
    if (!r->options->quiet) {
        report_skipped(r, &skipped);
        tell_account(&account);
    }
    if (r->options->stats) write_account(r, &account, &skipped);
    free(skipped.items);
}
