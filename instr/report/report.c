// A pass's result: sorted, and written as JSON.

#include "instr/report/report.h"
#include "instr/base/json.h"

#include <stdlib.h>
#include <string.h>

static int descending(uint64_t a, uint64_t b) {
    return (a < b) - (a > b);
}

static int by_name(const struct instr_report_row *a, const struct instr_report_row *b) {
    int c = strcmp(a->class_name, b->class_name);
    if (c == 0) c = strcmp(a->method, b->method);
    return c ? c : strcmp(a->descriptor, b->descriptor);
}

// One comparison for each order; equal rows fall through to the calls, then to the names.
#define COMPARISON(order, field)                                                                   \
    static int by_##order(const void *left, const void *right) {                                   \
        const struct instr_report_row *a = left, *b = right;                                       \
        int c = descending(a->field, b->field);                                                    \
        if (c == 0) c = descending(a->calls, b->calls);                                            \
        return c ? c : by_name(a, b);                                                              \
    }
COMPARISON(self, self_ns)
COMPARISON(total, total_ns)
COMPARISON(calls, calls)
COMPARISON(thrown, thrown)
#undef COMPARISON

void instr_report_sort(struct instr_report *report, enum instr_order order) {
    static int (*const comparisons[])(const void *, const void *) = {by_self, by_total, by_calls,
                                                                     by_thrown};
    if (report->row_count < 2) return;
    qsort(report->rows, report->row_count, sizeof *report->rows, comparisons[order]);
}

static void write_row(struct instr_json *json, const struct instr_report_row *row, int timed) {
    instr_json_open_flat(json, NULL, '{');
    instr_json_class(json, "class", row->class_name);
    instr_json_text(json, "method", row->method);
    instr_json_text(json, "descriptor", row->descriptor);
    instr_json_number(json, "calls", row->calls);
    instr_json_number(json, "thrown", row->thrown);
    if (timed) {
        instr_json_number(json, "total_ns", row->total_ns);
        instr_json_number(json, "self_ns", row->self_ns);
        instr_json_number(json, "min_ns", row->min_ns);
        instr_json_number(json, "max_ns", row->max_ns);
        instr_json_number(json, "p50_ns", row->p50_ns);
        instr_json_number(json, "p90_ns", row->p90_ns);
        instr_json_number(json, "p99_ns", row->p99_ns);
    }
    instr_json_close(json, '}');
}

static void write_skipped(struct instr_json *json, const struct instr_skipped *skipped) {
    instr_json_open_flat(json, NULL, '{');
    instr_json_class(json, "class", skipped->class_name);
    instr_json_text(json, "method", skipped->method);
    instr_json_text(json, "reason", skipped->reason);
    instr_json_close(json, '}');
}

void instr_report_json(const struct instr_report *report, struct instr_output *out) {
    struct instr_json json = instr_json_start(out);
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "pass", report->pass);
    instr_json_text(&json, "jvm", report->jvm);
    instr_json_open(&json, "methods", '[');
    for (size_t i = 0; i < report->row_count; i++)
        write_row(&json, &report->rows[i], report->timed);
    instr_json_close(&json, ']');
    instr_json_open(&json, "skipped", '[');
    for (size_t i = 0; i < report->skipped_count; i++) write_skipped(&json, &report->skipped[i]);
    instr_json_close(&json, ']');
    if (report->more) report->more(report->more_context, &json);
    instr_json_close(&json, '}');
}

int instr_report_write(const struct instr_report *report, const char *path, char *error,
                       size_t size) {
    struct instr_output out;
    instr_output_open(&out, path);
    instr_report_json(report, &out);
    return instr_output_close(&out, error, size);
}
