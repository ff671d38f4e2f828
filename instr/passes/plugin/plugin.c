// The JVM TI half of plug-ins (instr/plugins): when they are opened, and their results.

#include "instr/passes/agent_pass.h"
#include "instr/passes/plugin/events.h"
#include "instr/passes/plugin/helpers.h"
#include "instr/passes/plugin/looks.h"
#include "instr/vm/runtime.h"
#include "instr/plugins/open.h"
#include "instr/plugins/plugins.h"
#include "instr/report/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 8 for "1.8", 17 for "17"; 0: unknown.
static unsigned jdk_of(jvmtiEnv *jvmti) {
    char *text = NULL;
    if ((*jvmti)->GetSystemProperty(jvmti, "java.vm.specification.version", &text) !=
        JVMTI_ERROR_NONE)
        return 0;
    unsigned jdk = (unsigned)strtoul(strncmp(text, "1.", 2) == 0 ? text + 2 : text, NULL, 10);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)text);
    return jdk;
}

static bool start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *options,
                  char *reason, size_t size) {
    if (instr_plugin_open(options->pass, options->late ? INSTR_PLUGIN_LATE : INSTR_PLUGIN_AT_START,
                          jdk_of(jvmti), instr_plugin_looks(jvmti, jni), reason, size) != 0)
        return false;
    if (!instr_runtime_add(jni, "InstrPlugin", reason, size) ||
        !instr_plugin_define_helpers(jni, options->pass, reason, size))
        return false;
    return !instr_plugin_drains(options->pass) ||
           instr_plugin_events_start(jni, options->pass, options->number, reason, size);
}

static void stop(JNIEnv *jni, const struct rw_pass *pass) {
    (void)jni;
    instr_plugin_events_stop(pass);
}

static bool takes(const struct rw_pass *pass, JNIEnv *jni, const struct instr_candidate *candidate,
                  uint64_t *note) {
    (void)pass;
    (void)jni;
    *note = instr_plugin_note(candidate->loader);
    return true;
}

static void use_engine(struct instr_engine *engine) {
    instr_plugin_events_use(instr_engine_methods(engine));
}

// --- results ---

enum { LINES_SIZE = 16384 };

static struct instr_counted_row row_of(const struct instr_method *m, const struct instr_counts *c) {
    struct instr_counted_row row = {.name = m->detail + 1,
                                    .class_name = m->class_name,
                                    .method = m->name,
                                    .descriptor = m->descriptor,
                                    .line = m->line,
                                    .count = c->calls};
    if (*m->detail == INSTR_PLUGIN_COUNT || *m->detail == INSTR_PLUGIN_EVENTS) return row;
    row.unit = *m->detail == INSTR_PLUGIN_TIMES ? INSTR_UNIT_NS : INSTR_UNIT_NUMBER;
    row.total = c->total;
    row.min = c->min;
    row.max = c->max;
    row.p50 = c->p50;
    row.p90 = c->p90;
    row.p99 = c->p99;
    return row;
}

static void gather(const struct instr_results *results, unsigned pass,
                   const struct instr_counts *counts, size_t n,
                   struct instr_counter_report *report) {
    unsigned number = results->options->passes[pass].number;
    size_t known = (size_t)instr_methods_count(results->methods);
    for (size_t id = 0; id < n && id < known; id++) {
        if (!counts[id].calls) continue;
        struct instr_method m = instr_methods_get(results->methods, (int)id);
        if (m.pass == number && m.detail && instr_results_shows(results, pass, m.class_name))
            report->rows[report->row_count++] = row_of(&m, &counts[id]);
    }
}

// `text` becomes lines.
static void add_lines(struct instr_counter_report *report, char *text) {
    report->lines = calloc(strlen(text) + 1, sizeof *report->lines);
    for (char *rest = text, *line; report->lines && (line = strsep(&rest, "\n"));)
        if (*line || rest) report->lines[report->line_count++] = line;
}

static void report_results(const struct instr_results *results, unsigned pass) {
    struct instr_counter_report report = {
        .pass = results->options->passes[pass].pass->name,
    };
    struct instr_counts *counts = NULL;
    char lines[LINES_SIZE];
    size_t n = 0;
    instr_plugin_events_drain();
    report.lost = instr_plugin_lost(results->options->passes[pass].pass);
    instr_plugin_report(results->options->passes[pass].pass, lines, sizeof lines);
    add_lines(&report, lines);
    if (instr_results_snapshot(results, pass, &counts, &n))
        report.rows = calloc(n + 1, sizeof *report.rows);
    if (report.rows) {
        gather(results, pass, counts, n, &report);
        report.cost = instr_results_cost(results, pass, counts, n);
        instr_counter_report_sort(&report);
        instr_results_put(results, pass, &instr_counters_format, &report);
        instr_results_put_cost(results, pass, &report.cost);
    } else {
        instr_say_unwritten("out of memory: a result is lost");
    }
    free(report.lines);
    free(report.rows);
    free(counts);
}

const struct instr_agent_pass instr_agent_pass_plugin = {
    .engine = use_engine,
    .takes = takes,
    .undecided = instr_plugin_is_undecided,
    .start = start,
    .stop = stop,
    .report = report_results,
};
