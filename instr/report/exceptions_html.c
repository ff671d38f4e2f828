// The result of the pass exceptions as a page: one file without a script, in which stacks unfold.

#include "instr/report/exceptions_report.h"

#include "instr/report/report.h"
#include "instr/report/pages.h"

#include <string.h>

static void put_place(struct instr_output *out, const char *class_name, const char *method,
                      uint32_t line) {
    instr_report_text(out, class_name, INSTR_HTML | INSTR_DOTS);
    if (method[0]) instr_output_text(out, ".");
    instr_report_text(out, method, INSTR_HTML);
    if (line) instr_output_format(out, ":%u", line);
}

static void put_row(struct instr_output *out, const struct instr_exception_row *row) {
    char number[INSTR_NUMBER_SIZE];
    instr_output_text(out, "<tr><td>");
    instr_report_text(out, row->class_name, INSTR_HTML | INSTR_DOTS);
    if (row->frame_count) instr_output_text(out, "<details><summary>first stack</summary>");
    const char *frame = row->frames;
    for (size_t i = 0; i < row->frame_count; i++, frame += strlen(frame) + 1) {
        instr_report_text(out, frame, INSTR_HTML);
        instr_output_text(out, "<br>\n");
    }
    if (row->frame_count) instr_output_text(out, "</details>");
    instr_output_format(out, "</td><td>%s</td><td>", instr_number(row->count, number));
    put_place(out, row->site_class, row->site_method, row->site_line);
    instr_output_text(out, "</td><td>");
    if (row->fate == INSTR_EXCEPTION_LEFT)
        instr_output_text(out, "left its thread");
    else if (row->fate == INSTR_EXCEPTION_UNSEEN)
        instr_output_text(out, "ended in code that is not instrumented");
    else
        put_place(out, row->caught_class, row->caught_method, 0);
    instr_output_text(out, "</td></tr>\n");
}

void instr_exception_report_html(const struct instr_exception_report *report,
                                 struct instr_output *out, size_t top) {
    uint64_t all = 0;
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE];
    if (top > report->row_count) top = report->row_count;
    for (size_t i = 0; i < report->row_count; i++) all += report->rows[i].count;
    instr_report_page(out, "exceptions", instr_page_css);
    instr_output_format(out,
                        "<h1>exceptions</h1>\n<p>%s thrown; %s of %s "
                        "kinds</p>\n<table>\n<thead><tr><th>exception</th><th>count</th><th>thrown "
                        "at</th><th>caught in</th></tr></thead>\n<tbody>\n",
                        instr_number(all, a), top == report->row_count ? "all" : "the most",
                        instr_number(report->row_count, b));
    for (size_t i = 0; i < top; i++) put_row(out, &report->rows[i]);
    instr_output_text(out, "</tbody></table>\n<footer>instr report</footer>\n</body>\n</html>\n");
}
