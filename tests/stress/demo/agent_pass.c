// The agent pass of demo: gathers its results.

#include "instr/passes/agent_pass.h"

#include "instr/vm/snapshot.h"
#include "tests/stress/demo/report.h"

#include <stdlib.h>
#include <string.h>

static void add(struct demo_report *report, const char *class_name, uint64_t entries) {
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->rows[i].class_name, class_name) == 0) {
            report->rows[i].entries += entries;
            return;
        }
    report->rows[report->count++] = (struct demo_row){class_name, entries};
}

static void report_results(const struct instr_results *results, unsigned pass) {
    unsigned number = results->options->passes[pass].number;
    struct demo_report report = {NULL, 0};
    struct instr_counts *counts = NULL;
    size_t n = 0, known = (size_t)instr_methods_count(results->methods);
    if (instr_snapshot(results->jni, &counts, &n)) report.rows = calloc(n + 1, sizeof *report.rows);
    for (size_t id = 0; report.rows && id < n && id < known; id++) {
        struct instr_method method = instr_methods_get(results->methods, (int)id);
        if (counts[id].calls && method.pass == number)
            add(&report, method.class_name, counts[id].calls);
    }
    instr_results_put(results, pass, &demo_format, &report);
    free(report.rows);
    free(counts);
}

const struct instr_agent_pass instr_agent_pass_demo = {.report = report_results};
