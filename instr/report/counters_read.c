// Results of plug-ins read from JSON, their page, and their kind.

#include "instr/report/counters.h"
#include "instr/report/internal.h"
#include "instr/report/page.h"
#include "instr/report/read.h"
#include "instr/report/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int read_numbers(struct instr_reader *r, const json_t *object,
                        struct instr_counted_row *row) {
    uint64_t *const fields[INSTR_COUNTER_COLUMNS] = {&row->count, &row->total, &row->min, &row->p50,
                                                     &row->p90,   &row->p99,   &row->max};
    for (size_t i = 0; i < INSTR_COUNTER_COLUMNS; i++)
        if (instr_reader_number(r, object, instr_counter_head(i), fields[i]) != 0) return -1;
    return 0;
}

static int read_row(struct instr_reader *r, const json_t *object, void *context) {
    struct instr_counter_report *report = context;
    struct instr_counted_row *row = &report->rows[report->row_count++];
    const char *unit;
    uint64_t line;
    if (instr_reader_text(r, object, "counter", &row->name) != 0 ||
        instr_reader_text(r, object, "class", &row->class_name) != 0 ||
        instr_reader_text(r, object, "method", &row->method) != 0 ||
        instr_reader_text(r, object, "descriptor", &row->descriptor) != 0 ||
        instr_reader_number(r, object, "line", &line) != 0 ||
        instr_reader_optional(r, object, "unit", &unit) != 0)
        return -1;
    row->line = line > UINT32_MAX ? 0 : (uint32_t)line;
    row->unit = !unit                     ? INSTR_UNIT_NONE
                : strcmp(unit, "ns") == 0 ? INSTR_UNIT_NS
                                          : INSTR_UNIT_NUMBER;
    return read_numbers(r, object, row);
}

// Files of earlier versions have none.
static int read_lines(struct instr_reader *r, struct instr_counter_report *report) {
    const json_t *list = json_object_get(r->root, "lines");
    size_t count = json_array_size(list);
    report->lines = calloc(count + 1, sizeof *report->lines);
    if (!report->lines) return instr_reader_fail(r, "out of memory");
    for (size_t i = 0; i < count; i++) {
        const char *line = json_string_value(json_array_get(list, i));
        if (!line) return instr_reader_fail(r, "lines[%zu] is not a text", i);
        report->lines[report->line_count++] = line;
    }
    return 0;
}

static int read_report(struct instr_reader *r, void *content) {
    struct instr_counter_report *report = content;
    report->pass = json_string_value(json_object_get(r->root, "pass"));
    instr_reader_cost(r, &report->cost);
    report->rows = calloc(instr_reader_count(r, "counters") + 1, sizeof *report->rows);
    if (!report->rows) return instr_reader_fail(r, "out of memory");
    json_int_t lost = json_integer_value(json_object_get(r->root, "lost"));
    report->lost = lost > 0 ? (uint64_t)lost : 0;
    if (instr_reader_each(r, "counters", read_row, report) != 0) return -1;
    return read_lines(r, report);
}

static void free_report(void *content) {
    struct instr_counter_report *report = content;
    free(report->rows);
    free(report->lines);
}

static void sort(void *content, size_t order) {
    (void)order;
    instr_counter_report_sort(content);
}

// --- the page ---

static void put_row(struct instr_output *out, const struct instr_counted_row *row, size_t count) {
    char text[INSTR_NUMBER_SIZE];
    instr_output_text(out, "<tr><td>");
    instr_report_text(out, row->name, INSTR_HTML);
    instr_output_text(out, "</td>");
    for (size_t c = 0; c < count; c++)
        instr_output_format(out, "<td data-v=\"%" PRIu64 "\">%s</td>", instr_counter_value(row, c),
                            instr_counter_cell(row, c, text));
    instr_output_text(out, "<td class=\"text\">");
    instr_counter_place(out, row, INSTR_HTML);
    instr_output_text(out, "</td></tr>\n");
}

static void page(const void *content, struct instr_output *out, size_t top, size_t order) {
    const struct instr_counter_report *report = content;
    size_t count = instr_counter_columns(report);
    (void)order;
    if (top > report->row_count) top = report->row_count;
    instr_page_begin(out, report->pass, "", instr_page_css);
    instr_page_begin_table(out, "places");
    instr_page_column(out, "counter", NULL, NULL, 1);
    for (size_t c = 0; c < count; c++)
        instr_page_column(out, instr_counter_head(c), NULL, c == 0 ? "descending" : NULL, 0);
    instr_page_column(out, "place", NULL, NULL, 1);
    instr_page_begin_rows(out);
    for (size_t i = 0; i < top; i++) put_row(out, &report->rows[i], count);
    instr_page_end_table(out);
    if (report->line_count) instr_output_text(out, "<pre>");
    for (size_t i = 0; i < report->line_count; i++) {
        instr_report_text(out, report->lines[i], INSTR_HTML);
        instr_output_text(out, "\n");
    }
    if (report->line_count) instr_output_text(out, "</pre>\n");
    instr_page_end(out, instr_page_js);
}

const struct instr_report_kind instr_report_kind_counters = {
    .format = &instr_counters_format,
    .list = "counters",
    .size = sizeof(struct instr_counter_report),
    .read = read_report,
    .free = free_report,
    .orders = (const char *const[]){"count", NULL},
    .sort = sort,
    .page = page,
};
