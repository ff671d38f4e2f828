// Results of rules: sorted, as a table, and as JSON.

#include "instr/report/tables.h"

#include "instr/base/json.h"
#include "instr/base/numbers.h"
#include "instr/report/internal.h"
#include "instr/report/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const struct instr_table_row *row, const char *reduction) {
    return strcmp(row->reduction, reduction) == 0;
}

double instr_table_value(const struct instr_table_row *row) {
    const double *n = row->numbers;
    if (is(row, "count")) return (double)row->count;
    if (is(row, "sum")) return n[INSTR_TABLE_SUM];
    if (is(row, "min")) return n[INSTR_TABLE_MIN];
    if (is(row, "max")) return n[INSTR_TABLE_MAX];
    if (is(row, "last")) return n[INSTR_TABLE_LAST];
    return row->count ? n[INSTR_TABLE_SUM] / (double)row->count : 0;
}

static int by_value(const void *left, const void *right) {
    const struct instr_table_row *a = left, *b = right;
    int c = strcmp(a->table, b->table);
    if (c == 0) c = (int)a->metric - (int)b->metric;
    if (c != 0) return c;
    double x = instr_table_value(a), y = instr_table_value(b);
    return x < y ? 1 : x > y ? -1 : strcmp(a->key, b->key);
}

void instr_table_report_sort(struct instr_table_report *report) {
    if (report->row_count > 1)
        qsort(report->rows, report->row_count, sizeof *report->rows, by_value);
}

char *instr_table_number(double number, bool is_time, char text[INSTR_TABLE_TEXT]) {
    bool whole = fabs(number) < 1e15 && number == (double)(int64_t)number;
    if (!isfinite(number)) {
        snprintf(text, INSTR_TABLE_TEXT, "-");
    } else if (is_time && number >= 0 && number < 9e18) {
        instr_duration((uint64_t)number, text);
    } else if (whole) {
        *text = '-';
        instr_number((uint64_t)fabs(number), text + (number < 0));
    } else {
        instr_format(text, INSTR_TABLE_TEXT, "%.6g", number);
    }
    return text;
}

// --- the table ---

static const struct {
    const char *head;
    int number;     // enum instr_table_number; -1: the count, -2: the value
    const char *of; // reductions that have it
} columns[] = {
    {"value", -2, "sum min max avg last"},
    {"count", -1, "count avg hist"},
    {"avg", -2, "hist"},
    {"p50", INSTR_TABLE_P50, "hist"},
    {"p90", INSTR_TABLE_P90, "hist"},
    {"p99", INSTR_TABLE_P99, "hist"},
    {"max", INSTR_TABLE_MAX, "hist"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static bool has(const struct instr_table_row *row, size_t column) {
    return strstr(columns[column].of, row->reduction) != NULL;
}

static char *cell(const struct instr_table_row *row, size_t c, char text[INSTR_TABLE_TEXT]) {
    if (columns[c].number == -1) return instr_number(row->count, text);
    double number =
        columns[c].number == -2 ? instr_table_value(row) : row->numbers[columns[c].number];
    return instr_table_number(number, row->is_time, text);
}

static bool same_table(const struct instr_table_row *a, const struct instr_table_row *b) {
    return strcmp(a->table, b->table) == 0 && a->metric == b->metric;
}

static void put_head(const struct instr_table_row *row, const int widths[COLUMNS],
                     struct instr_output *out) {
    instr_output_text(out, " ");
    for (size_t c = 0; c < COLUMNS; c++)
        if (has(row, c)) instr_output_format(out, " %*s", widths[c], columns[c].head);
    instr_output_text(out, row->metric ? "  metric " : "  @");
    instr_report_text(out, row->table, INSTR_PLAIN);
    instr_output_text(out, "\n");
}

static void put_row(const struct instr_table_row *row, const int widths[COLUMNS],
                    struct instr_output *out) {
    char text[INSTR_TABLE_TEXT];
    instr_output_text(out, " ");
    for (size_t c = 0; c < COLUMNS; c++)
        if (has(row, c)) instr_output_format(out, " %*s", widths[c], cell(row, c, text));
    instr_output_text(out, *row->key ? "  " : "");
    instr_report_text(out, row->key, INSTR_PLAIN);
    instr_output_text(out, "\n");
}

// Writes the rows of one table, which begin at `from`; returns where the next one's do.
static size_t put_table(const struct instr_table_report *report, size_t from, size_t top,
                        struct instr_output *out) {
    const struct instr_table_row *first = &report->rows[from];
    int widths[COLUMNS];
    char text[INSTR_TABLE_TEXT];
    size_t end = from;
    while (end < report->row_count && same_table(first, &report->rows[end])) end++;
    size_t shown = end - from < top ? end : from + top;
    for (size_t c = 0; c < COLUMNS; c++) {
        widths[c] = (int)strlen(columns[c].head);
        for (size_t i = from; i < shown; i++) {
            int width = (int)strlen(cell(&report->rows[i], c, text));
            if (width > widths[c]) widths[c] = width;
        }
    }
    put_head(first, widths, out);
    for (size_t i = from; i < shown; i++) put_row(&report->rows[i], widths, out);
    if (shown < end) instr_output_format(out, "  (%zu more)\n", end - shown);
    return end;
}

static void write_table(const void *content, struct instr_output *out, size_t top) {
    const struct instr_table_report *report = content;
    instr_report_text(out, report->pass, INSTR_PLAIN);
    instr_output_text(out, ": ");
    instr_report_text(out, report->rule, INSTR_PLAIN);
    instr_output_text(out, report->row_count ? "\n"
                           : report->matched ? ": nothing yet\n"
                                             : ": no method of the loaded classes matches\n");
    for (size_t i = 0; i < report->row_count && top > 0;) i = put_table(report, i, top, out);
}

// --- JSON ---

static void write_row(struct instr_json *json, const struct instr_table_row *row) {
    static const char *const names[] = {"sum", "min", "max", "last", "p50", "p90", "p99"};
    size_t known = is(row, "count") ? 0 : is(row, "hist") ? INSTR_TABLE_NUMBERS : INSTR_TABLE_P50;
    instr_json_open_flat(json, NULL, '{');
    instr_json_text(json, "table", row->table);
    instr_json_text(json, "key", *row->key ? row->key : NULL);
    instr_json_text(json, "reduction", row->reduction);
    instr_json_bool(json, "metric", row->metric);
    instr_json_text(json, "unit", row->is_time ? "ns" : NULL);
    instr_json_number(json, "count", row->count);
    instr_json_real(json, "value", instr_table_value(row));
    for (size_t i = 0; i < known; i++) instr_json_real(json, names[i], row->numbers[i]);
    instr_json_close(json, '}');
}

static void write_json(const void *content, struct instr_output *out) {
    const struct instr_table_report *report = content;
    struct instr_json json = instr_json_start(out);
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "pass", report->pass);
    instr_json_text(&json, "rule", report->rule);
    instr_json_bool(&json, "matched", report->matched);
    instr_json_open(&json, "tables", '[');
    for (size_t i = 0; i < report->row_count; i++) write_row(&json, &report->rows[i]);
    instr_json_close(&json, ']');
    instr_cost_json(&report->cost, &json, "cost");
    instr_json_close(&json, '}');
}

const struct instr_report_format instr_tables_format = {.table = write_table, .json = write_json};
