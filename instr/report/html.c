// A report as one HTML page. All text goes through instr_report_text, which escapes it.

#include "instr/report/html.h"
#include "instr/report/pages.h"

#include <inttypes.h>

struct column {
    const char *head, *title;
    size_t offset; // of the field of struct instr_report_row
    int duration;
    int order; // enum instr_order, -1: none
};

#define FIELD(field) offsetof(struct instr_report_row, field)
static const struct column columns[] = {
    {"calls", "how often it was called", FIELD(calls), 0, INSTR_BY_CALLS},
    {"thrown", "calls that ended with an exception", FIELD(thrown), 0, INSTR_BY_THROWN},
    {"total", "time with what it called", FIELD(total_ns), 1, INSTR_BY_TOTAL},
    {"self", "time without what it called", FIELD(self_ns), 1, INSTR_BY_SELF},
    {"min", "shortest call", FIELD(min_ns), 1, -1},
    {"p50", "half of the calls took no longer", FIELD(p50_ns), 1, -1},
    {"p90", "9 of 10 calls took no longer", FIELD(p90_ns), 1, -1},
    {"p99", "99 of 100 calls took no longer", FIELD(p99_ns), 1, -1},
    {"max", "longest call", FIELD(max_ns), 1, -1}};

static size_t column_count(const struct instr_report *report) {
    return report->timed ? sizeof columns / sizeof *columns : 2;
}

static int is_shown(const struct instr_report *report, const struct column *column) {
    return !report->without_p90 || column->offset != FIELD(p90_ns);
}

static uint64_t field_of(const struct instr_report_row *row, size_t offset) {
    return *(const uint64_t *)(const void *)((const char *)row + offset);
}

static uint64_t sum(const struct instr_report *report, size_t offset) {
    uint64_t total = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        uint64_t value = field_of(&report->rows[i], offset);
        total = total + value < total ? UINT64_MAX : total + value;
    }
    return total;
}

// --- head ---

static void put_head(const struct instr_report *report, struct instr_output *out) {
    instr_report_page(out, report->pass, instr_page_css);
    instr_output_text(out, "<h1>");
    instr_report_text(out, report->pass, INSTR_HTML);
    instr_output_text(out, "</h1>\n<p class=\"jvm\">");
    instr_report_text(out, report->jvm ? report->jvm : "", INSTR_HTML);
    instr_output_text(out, "</p>\n");
}

static void put_totals(const struct instr_report *report, struct instr_output *out) {
    char number[INSTR_NUMBER_SIZE], duration[INSTR_DURATION_SIZE];
    instr_output_text(out, "<dl class=\"totals\">\n");
    instr_report_total(out, "methods", instr_number(report->row_count, number));
    instr_report_total(out, "calls", instr_number(sum(report, columns[0].offset), number));
    instr_report_total(out, "thrown", instr_number(sum(report, columns[1].offset), number));
    if (report->timed)
        instr_report_total(out, "time in all",
                           instr_duration(sum(report, columns[3].offset), duration));
    instr_report_total(out, "kept as they were", instr_number(report->skipped_count, number));
    instr_output_text(out, "</dl>\n");
}

// --- the table ---

static void put_heads(const struct instr_report *report, struct instr_output *out, int order) {
    instr_output_text(out, "<div class=\"wide\"><table id=\"methods\">\n<thead><tr>"
                           "<th scope=\"col\"><button type=\"button\">method</button></th>");
    for (size_t c = 0; c < column_count(report); c++) {
        if (!is_shown(report, &columns[c])) continue;
        instr_output_format(
            out, "<th scope=\"col\"%s title=\"%s\"><button type=\"button\">%s</button></th>",
            columns[c].order == order ? " aria-sort=\"descending\"" : "", columns[c].title,
            columns[c].head);
    }
    instr_output_text(out, "</tr></thead>\n<tbody>\n");
}

// `largest` of its column: a bar behind the cell shows how far the row's value reaches.
static void put_cell(struct instr_output *out, const struct column *column, uint64_t value,
                     uint64_t largest) {
    char text[INSTR_NUMBER_SIZE];
    instr_output_format(out, "<td data-v=\"%" PRIu64 "\"", value);
    if (value == 0)
        instr_output_text(out, " class=\"zero\"");
    else if (column->order == INSTR_BY_THROWN)
        instr_output_text(out, " class=\"thrown\"");
    else if (largest > 0)
        instr_output_format(out, " class=\"share\" style=\"--p:%.2f%%\"",
                            100.0 * (double)value / (double)largest);
    instr_output_format(out, ">%s</td>",
                        column->duration ? instr_duration(value, text) : instr_number(value, text));
}

static void put_rows(const struct instr_report *report, struct instr_output *out, size_t top,
                     enum instr_order order) {
    uint64_t largest = 0; // of the column by which the rows are sorted: it is in the first
    for (size_t c = 0; c < column_count(report) && top > 0; c++)
        if (columns[c].order == (int)order) largest = field_of(&report->rows[0], columns[c].offset);
    for (size_t i = 0; i < top; i++) {
        const struct instr_report_row *row = &report->rows[i];
        instr_output_text(out, "<tr><td>");
        instr_report_method(row, out, INSTR_HTML);
        instr_output_text(out, "</td>");
        for (size_t c = 0; c < column_count(report); c++)
            if (is_shown(report, &columns[c]))
                put_cell(out, &columns[c], field_of(row, columns[c].offset),
                         columns[c].order == (int)order ? largest : 0);
        instr_output_text(out, "</tr>\n");
    }
}

static void put_table(const struct instr_report *report, struct instr_output *out, size_t top,
                      enum instr_order order) {
    if (top > report->row_count) top = report->row_count;
    if (!report->timed && order != INSTR_BY_THROWN) order = INSTR_BY_CALLS;
    char shown[INSTR_NUMBER_SIZE], all[INSTR_NUMBER_SIZE];
    if (top < report->row_count)
        instr_output_format(out, "<p>The top %s of %s methods:</p>\n", instr_number(top, shown),
                            instr_number(report->row_count, all));
    instr_output_text(out, "<div class=\"find\" id=\"search\" hidden><input id=\"find\" "
                           "type=\"search\" placeholder=\"Find methods: parts of their names\" "
                           "aria-label=\"Find methods\"><output id=\"shown\"></output></div>\n");
    put_heads(report, out, (int)order);
    put_rows(report, out, top, order);
    instr_output_text(out, "</tbody></table></div>\n");
}

static void put_skipped(const struct instr_report *report, struct instr_output *out) {
    char number[INSTR_NUMBER_SIZE];
    if (report->skipped_count == 0) return;
    instr_output_format(out,
                        "<details><summary>%s kept as they were</summary>\n<div class=\"wide\">"
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

void instr_report_html(const struct instr_report *report, struct instr_output *out, size_t top,
                       enum instr_order order) {
    put_head(report, out);
    put_totals(report, out);
    put_table(report, out, top, order);
    put_skipped(report, out);
    instr_output_text(out, "<footer>instr report</footer>\n<script>\n");
    instr_output_text(out, instr_page_js);
    instr_output_text(out, "</script>\n</body>\n</html>\n");
}
