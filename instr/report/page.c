// The parts of HTML pages.

#include "instr/report/page.h"

#include "instr/report/text.h"

void instr_page_begin(struct instr_output *out, const char *title, const char *more,
                      const char *css) {
    instr_output_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                           "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
                           "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    instr_report_text(out, title, INSTR_HTML);
    instr_output_text(out, "</title>\n<style>\n");
    instr_output_text(out, css);
    instr_output_text(out, "</style>\n</head>\n<body>\n<h1>");
    instr_report_text(out, title, INSTR_HTML);
    instr_output_text(out, more);
    instr_output_text(out, "</h1>\n");
}

void instr_page_end(struct instr_output *out, const char *script) {
    instr_output_text(out, "<footer>instr report</footer>\n");
    if (script) {
        instr_output_text(out, "<script>\n");
        instr_output_text(out, script);
        instr_output_text(out, "</script>\n");
    }
    instr_output_text(out, "</body>\n</html>\n");
}

void instr_page_begin_totals(struct instr_output *out) {
    instr_output_text(out, "<dl class=\"totals\">\n");
}

void instr_page_total(struct instr_output *out, const char *name, const char *value) {
    instr_output_format(out, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, value);
}

void instr_page_end_totals(struct instr_output *out) {
    instr_output_text(out, "</dl>\n");
}

void instr_page_begin_table(struct instr_output *out, const char *what) {
    instr_output_format(out,
                        "<div class=\"find\" id=\"search\" hidden><input id=\"find\" "
                        "type=\"search\" placeholder=\"Find %s by parts of their names\" "
                        "aria-label=\"Find %s\"><output id=\"shown\"></output></div>\n",
                        what, what);
    instr_output_format(out, "<div class=\"wide\"><table id=\"rows\" data-of=\"%s\">\n<thead><tr>",
                        what);
}

void instr_page_column(struct instr_output *out, const char *head, const char *title,
                       const char *sorted, int text) {
    instr_output_text(out, text ? "<th scope=\"col\" class=\"text\"" : "<th scope=\"col\"");
    if (sorted) instr_output_format(out, " aria-sort=\"%s\"", sorted);
    if (title) instr_output_format(out, " title=\"%s\"", title);
    instr_output_format(out, "><button type=\"button\">%s</button></th>", head);
}

void instr_page_begin_rows(struct instr_output *out) {
    instr_output_text(out, "</tr></thead>\n<tbody>\n");
}

void instr_page_end_table(struct instr_output *out) {
    instr_output_text(out, "</tbody></table></div>\n");
}
