// Results of plug-ins: sorted, as a table, and as JSON.

#include "instr/report/counters.h"

#include "instr/base/json.h"
#include "instr/report/internal.h"
#include "instr/report/text.h"

#include <stdlib.h>
#include <string.h>

// --- order ---

static int by_count(const void *left, const void *right) {
    const struct instr_counted_row *a = left, *b = right;
    int c = (a->count < b->count) - (a->count > b->count);
    if (c == 0) c = strcmp(a->name, b->name);
    if (c == 0) c = strcmp(a->class_name, b->class_name);
    if (c == 0) c = strcmp(a->method, b->method);
    if (c == 0) c = strcmp(a->descriptor, b->descriptor);
    return c ? c : (a->line > b->line) - (a->line < b->line);
}

void instr_counter_report_sort(struct instr_counter_report *report) {
    if (report->row_count > 1)
        qsort(report->rows, report->row_count, sizeof *report->rows, by_count);
}

// --- columns ---

static const struct {
    const char *head;
    size_t offset;
} columns[INSTR_COUNTER_COLUMNS] = {
    {"count", offsetof(struct instr_counted_row, count)},
    {"total", offsetof(struct instr_counted_row, total)},
    {"min", offsetof(struct instr_counted_row, min)},
    {"p50", offsetof(struct instr_counted_row, p50)},
    {"p90", offsetof(struct instr_counted_row, p90)},
    {"p99", offsetof(struct instr_counted_row, p99)},
    {"max", offsetof(struct instr_counted_row, max)},
};

size_t instr_counter_columns(const struct instr_counter_report *report) {
    for (size_t i = 0; i < report->row_count; i++)
        if (report->rows[i].unit != INSTR_UNIT_NONE) return INSTR_COUNTER_COLUMNS;
    return 1;
}

const char *instr_counter_head(size_t i) {
    return columns[i].head;
}

uint64_t instr_counter_value(const struct instr_counted_row *row, size_t i) {
    return *(const uint64_t *)(const void *)((const char *)row + columns[i].offset);
}

const char *instr_counter_cell(const struct instr_counted_row *row, size_t i, char text[32]) {
    uint64_t value = instr_counter_value(row, i);
    if (i == 0 || row->unit == INSTR_UNIT_NUMBER) return instr_number(value, text);
    return row->unit == INSTR_UNIT_NS ? instr_duration(value, text) : "";
}

void instr_counter_place(struct instr_output *out, const struct instr_counted_row *row, int style) {
    instr_report_method(out, row->class_name, row->method, row->descriptor, style);
    if (row->line) instr_output_format(out, ":%u", row->line);
}

// --- the table ---

static int width_of(const struct instr_counter_report *report, size_t top, size_t column) {
    char text[INSTR_NUMBER_SIZE];
    size_t widest = strlen(columns[column].head);
    for (size_t i = 0; i < top; i++) {
        size_t width = strlen(instr_counter_cell(&report->rows[i], column, text));
        if (width > widest) widest = width;
    }
    return (int)widest;
}

static void put_totals(const struct instr_counter_report *report, struct instr_output *out,
                       size_t top) {
    char number[INSTR_NUMBER_SIZE];
    uint64_t all = 0;
    for (size_t i = 0; i < report->row_count; i++)
        all = instr_report_plus(all, report->rows[i].count);
    instr_report_text(out, report->pass, INSTR_PLAIN);
    instr_output_format(out, ": %s counted", instr_number(all, number));
    instr_output_format(out, " at %s place%s", instr_number(report->row_count, number),
                        report->row_count == 1 ? "" : "s");
    if (report->lost)
        instr_output_format(out, "; %s events were lost", instr_number(report->lost, number));
    if (top && top < report->row_count)
        instr_output_format(out, "; the top %s:", instr_number(top, number));
    instr_output_text(out, "\n");
}

static void write_table(const void *content, struct instr_output *out, size_t top) {
    const struct instr_counter_report *report = content;
    char text[INSTR_NUMBER_SIZE];
    int widths[INSTR_COUNTER_COLUMNS];
    size_t count = instr_counter_columns(report);
    if (top > report->row_count) top = report->row_count;
    put_totals(report, out, top);
    for (size_t c = 0; c < count && top > 0; c++) {
        widths[c] = width_of(report, top, c);
        instr_output_format(out, "  %*s", widths[c], columns[c].head);
    }
    if (top > 0) instr_output_text(out, "  counter  place\n");
    for (size_t i = 0; i < top; i++) {
        const struct instr_counted_row *row = &report->rows[i];
        for (size_t c = 0; c < count; c++)
            instr_output_format(out, "  %*s", widths[c], instr_counter_cell(row, c, text));
        instr_output_text(out, "  ");
        instr_report_text(out, row->name, INSTR_PLAIN);
        instr_output_text(out, "  ");
        instr_counter_place(out, row, INSTR_PLAIN);
        instr_output_text(out, "\n");
    }
    for (size_t i = 0; i < report->line_count; i++) {
        instr_report_text(out, report->lines[i], INSTR_PLAIN);
        instr_output_text(out, "\n");
    }
}

// --- JSON ---

static void write_row(struct instr_json *json, const struct instr_counted_row *row) {
    static const char *const units[] = {NULL, "number", "ns"};
    instr_json_open_flat(json, NULL, '{');
    instr_json_text(json, "counter", row->name);
    instr_json_class(json, "class", row->class_name);
    instr_json_text(json, "method", row->method);
    instr_json_text(json, "descriptor", row->descriptor);
    instr_json_number(json, "line", row->line);
    instr_json_text(json, "unit", units[row->unit]);
    for (size_t i = 0; i < (row->unit == INSTR_UNIT_NONE ? 1 : INSTR_COUNTER_COLUMNS); i++)
        instr_json_number(json, columns[i].head, instr_counter_value(row, i));
    instr_json_close(json, '}');
}

static void write_json(const void *content, struct instr_output *out) {
    const struct instr_counter_report *report = content;
    struct instr_json json = instr_json_start(out);
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "pass", report->pass);
    instr_json_open(&json, "counters", '[');
    for (size_t i = 0; i < report->row_count; i++) write_row(&json, &report->rows[i]);
    instr_json_close(&json, ']');
    instr_json_number(&json, "lost", report->lost);
    instr_json_open(&json, "lines", '[');
    for (size_t i = 0; i < report->line_count; i++) instr_json_text(&json, NULL, report->lines[i]);
    instr_json_close(&json, ']');
    instr_cost_json(&report->cost, &json, "cost");
    instr_json_close(&json, '}');
}

const struct instr_report_format instr_counters_format = {.table = write_table, .json = write_json};
