// The page of results by method. All text goes through instr_report_text, which escapes it.

#include "instr/report/internal.h"
#include "instr/report/page.h"
#include "instr/report/text.h"

#include <inttypes.h>

static const char *cell(uint64_t value, const struct instr_method_column *column,
                        char text[INSTR_NUMBER_SIZE]) {
    return column->duration ? instr_duration(value, text) : instr_number(value, text);
}

static void put_totals(const struct instr_method_report *report, struct instr_output *out,
                       const struct instr_method_column *columns, size_t count) {
    char text[INSTR_NUMBER_SIZE];
    instr_page_begin_totals(out);
    instr_page_total(out, "methods", instr_number(report->row_count, text));
    for (size_t c = 0; c < count; c++) {
        int order = columns[c].order;
        if (order < 0 || order == INSTR_BY_TOTAL) continue;
        instr_page_total(out, order == INSTR_BY_SELF ? "total time" : columns[c].head,
                         cell(instr_method_sum(report, &columns[c]), &columns[c], text));
    }
    instr_page_total(out, "skipped", instr_number(report->skipped_count, text));
    instr_page_end_totals(out);
}

static void put_untimed(struct instr_output *out) {
    instr_output_text(out, "<td data-v=\"0\" class=\"zero\">-</td>");
}

// `largest` of its column: a bar behind the cell shows the row's share of it.
static void put_cell(struct instr_output *out, const struct instr_method_column *column,
                     uint64_t value, uint64_t largest, bool estimated) {
    char text[INSTR_NUMBER_SIZE];
    instr_output_format(out, "<td data-v=\"%" PRIu64 "\"", value);
    if (value == 0)
        instr_output_text(out, " class=\"zero\"");
    else if (column->order == INSTR_BY_THROWN)
        instr_output_text(out, " class=\"thrown\"");
    else if (largest > 0)
        instr_output_format(out, " class=\"share\" style=\"--p:%.2f%%\"",
                            100.0 * (double)value / (double)largest);
    instr_output_format(out, ">%s%s</td>", estimated ? "~" : "", cell(value, column, text));
}

static void put_row(const struct instr_method_row *row, const struct instr_method_row *first,
                    const struct instr_method_column *columns, size_t count, int order,
                    struct instr_output *out) {
    instr_output_text(out, "<tr><td>");
    instr_report_method(out, row->class_name, row->method, row->descriptor, INSTR_HTML);
    instr_output_text(out, "</td>");
    for (size_t c = 0; c < count; c++) {
        int sorted = columns[c].order == order;
        if (row->untimed && columns[c].duration) {
            put_untimed(out);
            continue;
        }
        put_cell(out, &columns[c], instr_method_value(row, &columns[c]),
                 sorted ? instr_method_value(first, &columns[c]) : 0,
                 instr_method_is_estimate(row, &columns[c]));
    }
    instr_output_text(out, "</tr>\n");
}

static void put_skipped(const struct instr_method_report *report, struct instr_output *out) {
    char number[INSTR_NUMBER_SIZE];
    if (report->skipped_count == 0) return;
    instr_output_format(out,
                        "<details><summary>%s skipped</summary>\n<div class=\"wide\">"
                        "<table id=\"skipped\">\n<thead><tr><th>class</th><th>method</th>"
                        "<th>reason</th></tr></thead>\n<tbody>\n",
                        instr_number(report->skipped_count, number));
    for (size_t i = 0; i < report->skipped_count; i++) {
        const struct instr_skipped *skipped = &report->skipped[i];
        instr_output_text(out, "<tr><td>");
        instr_report_text(out, skipped->class_name, INSTR_HTML | INSTR_DOTS);
        instr_output_text(out, "</td><td>");
        instr_report_text(out, *skipped->method ? skipped->method : "(all)", INSTR_HTML);
        instr_output_text(out, "</td><td>");
        instr_report_text(out, skipped->reason, INSTR_HTML);
        instr_output_text(out, "</td></tr>\n");
    }
    instr_output_text(out, "</tbody></table></div></details>\n");
}

void instr_methods_page(const void *content, struct instr_output *out, size_t top, size_t order) {
    const struct instr_method_report *report = content;
    struct instr_method_column columns[INSTR_METHOD_COLUMNS];
    size_t count = instr_method_columns(report, columns);
    char shown[INSTR_NUMBER_SIZE], all[INSTR_NUMBER_SIZE];
    if (top > report->row_count) top = report->row_count;
    if (!report->timed && order != INSTR_BY_THROWN) order = INSTR_BY_CALLS;
    instr_page_begin(out, report->pass, "", instr_page_css);
    instr_output_text(out, "<p class=\"jvm\">");
    instr_report_text(out, report->jvm ? report->jvm : "", INSTR_HTML);
    instr_output_text(out, "</p>\n");
    put_totals(report, out, columns, count);
    if (top < report->row_count)
        instr_output_format(out, "<p>The top %s of %s methods:</p>\n", instr_number(top, shown),
                            instr_number(report->row_count, all));
    instr_page_begin_table(out, "methods");
    instr_page_column(out, "method", NULL, NULL, 1);
    for (size_t c = 0; c < count; c++)
        instr_page_column(out, columns[c].head, columns[c].title,
                          columns[c].order == (int)order ? "descending" : NULL, 0);
    instr_page_begin_rows(out);
    for (size_t i = 0; i < top; i++)
        put_row(&report->rows[i], &report->rows[0], columns, count, (int)order, out);
    instr_page_end_table(out);
    put_skipped(report, out);
    instr_page_end(out, instr_page_js);
}
