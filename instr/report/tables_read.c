// Results of rules read from JSON, their page, and their kind.

#include "instr/report/internal.h"
#include "instr/report/page.h"
#include "instr/report/read.h"
#include "instr/report/tables.h"
#include "instr/report/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[INSTR_TABLE_NUMBERS] = {"sum", "min", "max", "last",
                                                       "p50", "p90", "p99"};

static int read_real(struct instr_reader *r, const json_t *object, const char *key, double *to) {
    const json_t *value = json_object_get(object, key);
    *to = 0;
    if (!value || json_is_null(value)) return 0;
    if (!json_is_number(value)) return instr_reader_fail_at(r, key, "not a number");
    *to = json_number_value(value);
    return 0;
}

static int read_row(struct instr_reader *r, const json_t *object, void *context) {
    struct instr_table_report *report = context;
    struct instr_table_row *row = &report->rows[report->row_count++];
    const char *unit;
    if (instr_reader_text(r, object, "table", &row->table) != 0 ||
        instr_reader_optional(r, object, "key", &row->key) != 0 ||
        instr_reader_text(r, object, "reduction", &row->reduction) != 0 ||
        instr_reader_optional(r, object, "unit", &unit) != 0 ||
        instr_reader_number(r, object, "count", &row->count) != 0)
        return -1;
    if (!row->key) row->key = "";
    row->is_time = unit && strcmp(unit, "ns") == 0;
    row->metric = json_is_true(json_object_get(object, "metric"));
    for (size_t i = 0; i < INSTR_TABLE_NUMBERS; i++)
        if (read_real(r, object, names[i], &row->numbers[i]) != 0) return -1;
    return 0;
}

static int read_report(struct instr_reader *r, void *content) {
    struct instr_table_report *report = content;
    report->pass = json_string_value(json_object_get(r->root, "pass"));
    instr_reader_cost(r, &report->cost);
    report->rule = json_string_value(json_object_get(r->root, "rule"));
    report->matched = json_is_true(json_object_get(r->root, "matched"));
    if (!report->pass) report->pass = "rule";
    if (!report->rule) report->rule = "";
    report->rows = calloc(instr_reader_count(r, "tables") + 1, sizeof *report->rows);
    if (!report->rows) return instr_reader_fail(r, "out of memory");
    return instr_reader_each(r, "tables", read_row, report);
}

static void free_report(void *content) {
    free(((struct instr_table_report *)content)->rows);
}

static void sort(void *content, size_t order) {
    (void)order;
    instr_table_report_sort(content);
}

// --- the page ---

static void put_number(struct instr_output *out, const struct instr_table_row *row, double number) {
    char text[INSTR_TABLE_TEXT];
    instr_output_format(out, "<td data-v=\"%.17g\">%s</td>", isfinite(number) ? number : 0,
                        instr_table_number(number, row->is_time, text));
}

static void put_row(struct instr_output *out, const struct instr_table_row *row) {
    bool hist = strcmp(row->reduction, "hist") == 0;
    instr_output_text(out, "<tr><td>");
    instr_report_text(out, row->table, INSTR_HTML);
    instr_output_text(out, "</td>");
    put_number(out, row, instr_table_value(row));
    instr_output_format(out, "<td data-v=\"%llu\">%llu</td>", (unsigned long long)row->count,
                        (unsigned long long)row->count);
    for (size_t i = INSTR_TABLE_P50; i < INSTR_TABLE_NUMBERS; i++) {
        if (hist)
            put_number(out, row, row->numbers[i]);
        else
            instr_output_text(out, "<td></td>");
    }
    instr_output_text(out, "<td class=\"text\">");
    instr_report_text(out, row->key, INSTR_HTML);
    instr_output_text(out, "</td></tr>\n");
}

static void page(const void *content, struct instr_output *out, size_t top, size_t order) {
    const struct instr_table_report *report = content;
    (void)order;
    if (top > report->row_count) top = report->row_count;
    instr_page_begin(out, report->pass, "", instr_page_css);
    instr_output_text(out, "<p class=\"jvm\">");
    instr_report_text(out, report->rule, INSTR_HTML);
    instr_output_text(out, "</p>\n");
    instr_page_begin_table(out, "rows");
    instr_page_column(out, "table", NULL, NULL, 1);
    instr_page_column(out, "value", NULL, "descending", 0);
    instr_page_column(out, "count", NULL, NULL, 0);
    for (size_t i = INSTR_TABLE_P50; i < INSTR_TABLE_NUMBERS; i++)
        instr_page_column(out, names[i], NULL, NULL, 0);
    instr_page_column(out, "key", NULL, NULL, 1);
    instr_page_begin_rows(out);
    for (size_t i = 0; i < top; i++) put_row(out, &report->rows[i]);
    instr_page_end_table(out);
    instr_page_end(out, instr_page_js);
}

const struct instr_report_kind instr_report_kind_tables = {
    .format = &instr_tables_format,
    .list = "tables",
    .size = sizeof(struct instr_table_report),
    .read = read_report,
    .free = free_report,
    .orders = (const char *const[]){"value", NULL},
    .sort = sort,
    .page = page,
};
