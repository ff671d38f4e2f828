// Results by method: sorted, as a table, and as JSON.

#include "instr/report/methods.h"

#include "instr/report/internal.h"
#include "instr/report/text.h"

#include <stdlib.h>
#include <string.h>

// --- order ---

static int descending(uint64_t a, uint64_t b) {
    return (a < b) - (a > b);
}

static int by_name(const struct instr_method_row *a, const struct instr_method_row *b) {
    int c = strcmp(a->class_name, b->class_name);
    if (c == 0) c = strcmp(a->method, b->method);
    return c ? c : strcmp(a->descriptor, b->descriptor);
}

// One comparison for each order; equal rows fall through to the calls, then to the names.
#define COMPARISON(order, field)                                                                   \
    static int by_##order(const void *left, const void *right) {                                   \
        const struct instr_method_row *a = left, *b = right;                                       \
        int c = descending(a->field, b->field);                                                    \
        if (c == 0) c = descending(a->calls, b->calls);                                            \
        return c ? c : by_name(a, b);                                                              \
    }
COMPARISON(self, self_ns)
COMPARISON(total, total_ns)
COMPARISON(calls, calls)
COMPARISON(thrown, thrown)
#undef COMPARISON

void instr_method_report_sort(struct instr_method_report *report, enum instr_order order) {
    static int (*const comparisons[])(const void *, const void *) = {by_self, by_total, by_calls,
                                                                     by_thrown};
    if (report->row_count < 2) return;
    qsort(report->rows, report->row_count, sizeof *report->rows, comparisons[order]);
}

// --- columns ---

#define COLUMN(head, title, field, duration, order)                                                \
    { head, title, offsetof(struct instr_method_row, field), duration, order }
static const struct instr_method_column all_columns[INSTR_METHOD_COLUMNS] = {
    COLUMN("calls", "number of calls", calls, 0, INSTR_BY_CALLS),
    COLUMN("thrown", "calls that ended with an exception", thrown, 0, INSTR_BY_THROWN),
    COLUMN("total", "time including called methods", total_ns, 1, INSTR_BY_TOTAL),
    COLUMN("self", "time excluding called methods", self_ns, 1, INSTR_BY_SELF),
    COLUMN("min", "shortest call", min_ns, 1, -1),
    COLUMN("p50", "half of the calls took at most this long", p50_ns, 1, -1),
    COLUMN("p90", "90 % of the calls took at most this long", p90_ns, 1, -1),
    COLUMN("p99", "99 % of the calls took at most this long", p99_ns, 1, -1),
    COLUMN("max", "longest call", max_ns, 1, -1)};
#undef COLUMN

size_t instr_method_columns(const struct instr_method_report *report,
                            struct instr_method_column columns[INSTR_METHOD_COLUMNS]) {
    size_t count = 0;
    for (size_t i = 0; i < INSTR_METHOD_COLUMNS; i++) {
        int p90 = all_columns[i].offset == offsetof(struct instr_method_row, p90_ns);
        if ((all_columns[i].duration && !report->timed) || (p90 && report->without_p90)) continue;
        columns[count++] = all_columns[i];
    }
    return count;
}

uint64_t instr_method_value(const struct instr_method_row *row,
                            const struct instr_method_column *column) {
    return *(const uint64_t *)(const void *)((const char *)row + column->offset);
}

uint64_t instr_report_plus(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

uint64_t instr_method_sum(const struct instr_method_report *report,
                          const struct instr_method_column *column) {
    uint64_t sum = 0;
    for (size_t i = 0; i < report->row_count; i++)
        sum = instr_report_plus(sum, instr_method_value(&report->rows[i], column));
    return sum;
}

bool instr_method_is_estimate(const struct instr_method_row *row,
                              const struct instr_method_column *column) {
    if (!row->estimated || row->untimed || !column->duration) return false;
    if (column->offset == offsetof(struct instr_method_row, self_ns)) return true; // whole ticks
    return row->measured < row->calls &&
           column->offset != offsetof(struct instr_method_row, min_ns);
}

// --- the table ---

static const char *cell(const struct instr_method_row *row,
                        const struct instr_method_column *column, char text[INSTR_NUMBER_SIZE]) {
    uint64_t value = instr_method_value(row, column);
    if (!column->duration) return instr_number(value, text);
    if (row->untimed) return "-";
    int estimate = instr_method_is_estimate(row, column);
    if (estimate) text[0] = '~';
    instr_duration(value, text + estimate);
    return text;
}

static int width_of(const struct instr_method_report *report, size_t top,
                    const struct instr_method_column *column) {
    char text[INSTR_NUMBER_SIZE];
    size_t widest = strlen(column->head);
    for (size_t i = 0; i < top; i++) {
        size_t width = strlen(cell(&report->rows[i], column, text));
        if (width > widest) widest = width;
    }
    return (int)widest;
}

static void put_totals(const struct instr_method_report *report, struct instr_output *out,
                       size_t top) {
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE];
    uint64_t calls = instr_method_sum(report, &all_columns[0]);
    instr_report_text(out, report->pass, INSTR_PLAIN);
    instr_output_format(out, ": %s method%s, %s call%s, %s thrown",
                        instr_number(report->row_count, a), report->row_count == 1 ? "" : "s",
                        instr_number(calls, b), calls == 1 ? "" : "s",
                        instr_number(instr_method_sum(report, &all_columns[1]), c));
    bool estimated = false;
    for (size_t i = 0; i < report->row_count; i++) estimated |= report->rows[i].estimated;
    uint64_t self = instr_method_sum(report, &all_columns[3]);
    // Estimates of self time are whole ticks, of which a short run may have none.
    if (report->timed && (self > 0 || !estimated))
        instr_output_format(out, ", %s%s in total", estimated ? "~" : "", instr_duration(self, a));
    if (report->skipped_count > 0)
        instr_output_format(out, "; %s skipped", instr_number(report->skipped_count, a));
    if (top && top < report->row_count)
        instr_output_format(out, "; the top %s:", instr_number(top, a));
    instr_output_text(out, "\n");
}

static void put_rows(const struct instr_method_report *report, struct instr_output *out,
                     size_t top) {
    struct instr_method_column columns[INSTR_METHOD_COLUMNS];
    int widths[INSTR_METHOD_COLUMNS];
    char text[INSTR_NUMBER_SIZE];
    size_t count = instr_method_columns(report, columns);
    for (size_t c = 0; c < count; c++) {
        widths[c] = width_of(report, top, &columns[c]);
        instr_output_format(out, "  %*s", widths[c], columns[c].head);
    }
    instr_output_text(out, "  method\n");
    for (size_t i = 0; i < top; i++) {
        const struct instr_method_row *row = &report->rows[i];
        for (size_t c = 0; c < count; c++)
            instr_output_format(out, "  %*s", widths[c], cell(row, &columns[c], text));
        instr_output_text(out, "  ");
        instr_report_method(out, row->class_name, row->method, row->descriptor, INSTR_PLAIN);
        instr_output_text(out, "\n");
    }
}

static void write_table(const void *content, struct instr_output *out, size_t top) {
    const struct instr_method_report *report = content;
    if (top > report->row_count) top = report->row_count;
    put_totals(report, out, top);
    if (top > 0) put_rows(report, out, top);
    if (report->more) report->more(report->more_context, out, NULL);
}

// --- JSON ---

static void write_row(struct instr_json *json, const struct instr_method_row *row, int timed) {
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
    if (row->estimated) {
        instr_json_bool(json, "estimated", true);
        instr_json_number(json, "measured", row->measured);
    }
    if (row->untimed) instr_json_bool(json, "timed", false);
    instr_json_close(json, '}');
}

void instr_skipped_json(struct instr_json *json, const struct instr_skipped *skipped,
                        size_t count) {
    instr_json_open(json, "skipped", '[');
    for (size_t i = 0; i < count; i++) {
        instr_json_open_flat(json, NULL, '{');
        instr_json_class(json, "class", skipped[i].class_name);
        instr_json_text(json, "method", skipped[i].method);
        instr_json_text(json, "reason", skipped[i].reason);
        instr_json_close(json, '}');
    }
    instr_json_close(json, ']');
}

static void write_json(const void *content, struct instr_output *out) {
    const struct instr_method_report *report = content;
    struct instr_json json = instr_json_start(out);
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "pass", report->pass);
    instr_json_text(&json, "jvm", report->jvm);
    instr_json_open(&json, "methods", '[');
    for (size_t i = 0; i < report->row_count; i++)
        write_row(&json, &report->rows[i], report->timed);
    instr_json_close(&json, ']');
    instr_skipped_json(&json, report->skipped, report->skipped_count);
    if (report->more) report->more(report->more_context, NULL, &json);
    instr_cost_json(&report->cost, &json, "cost");
    instr_json_close(&json, '}');
}

const struct instr_report_format instr_methods_format = {.table = write_table, .json = write_json};
