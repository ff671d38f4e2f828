// The page of results of the pass exceptions, in which stacks unfold.

#include "instr/report/internal.h"
#include "instr/report/page.h"
#include "instr/report/text.h"

#include <inttypes.h>
#include <string.h>

static void put_stack(struct instr_output *out, const struct instr_exception_row *row) {
    const char *frame = row->frames;
    if (!row->frame_count) return;
    instr_output_text(out, "<details><summary>first stack</summary>");
    for (size_t i = 0; i < row->frame_count; i++, frame += strlen(frame) + 1) {
        instr_report_text(out, frame, INSTR_HTML);
        instr_output_text(out, "<br>\n");
    }
    instr_output_text(out, "</details>");
}

static void put_row(struct instr_output *out, const struct instr_exception_row *row) {
    char number[INSTR_NUMBER_SIZE];
    instr_output_text(out, "<tr><td>");
    instr_report_text(out, row->class_name, INSTR_HTML | INSTR_DOTS);
    put_stack(out, row);
    instr_output_format(out, "</td><td data-v=\"%" PRIu64 "\">%s</td><td class=\"text\">",
                        row->count, instr_number(row->count, number));
    instr_exception_place(out, row->site_class, row->site_method, row->site_line, INSTR_HTML);
    instr_output_text(out, "</td><td class=\"text\">");
    instr_exception_end(out, row, INSTR_HTML);
    instr_output_text(out, "</td></tr>\n");
}

void instr_exceptions_page(const void *content, struct instr_output *out, size_t top,
                           size_t order) {
    const struct instr_exception_report *report = content;
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE];
    uint64_t all = 0;
    (void)order;
    if (top > report->row_count) top = report->row_count;
    for (size_t i = 0; i < report->row_count; i++)
        all = instr_report_plus(all, report->rows[i].count);
    instr_page_begin(out, report->pass, "", instr_page_css);
    instr_page_begin_totals(out);
    instr_page_total(out, "thrown", instr_number(all, a));
    instr_page_total(out, "different", instr_number(report->row_count, a));
    instr_page_end_totals(out);
    if (top < report->row_count)
        instr_output_format(out, "<p>The top %s of %s:</p>\n", instr_number(top, a),
                            instr_number(report->row_count, b));
    instr_page_begin_table(out, "exceptions");
    instr_page_column(out, "exception", NULL, NULL, 1);
    instr_page_column(out, "count", NULL, "descending", 0);
    instr_page_column(out, "thrown at", NULL, NULL, 1);
    instr_page_column(out, "caught in", NULL, NULL, 1);
    instr_page_begin_rows(out);
    for (size_t i = 0; i < top; i++) put_row(out, &report->rows[i]);
    instr_page_end_table(out);
    instr_page_end(out, instr_page_js);
}
