// The classes of .exec files as one HTML page, in the style of a pass's report. Names go through
// instr_report_text, which escapes them.

#include "instr/cli/exec/exec.h"
#include "instr/cli/exec/report.h"
#include "instr/report/report.h"
#include "instr/report/pages.h"

#include <stdio.h>

static void put_totals(const struct cli_exec_totals *totals, struct instr_output *out) {
    char text[INSTR_NUMBER_SIZE], share[CLI_SHARE_SIZE];
    instr_output_text(out, "<dl class=\"totals\">\n");
    instr_report_total(out, "classes", instr_number(totals->classes, text));
    instr_report_total(out, "probes", instr_number(totals->probes, text));
    instr_report_total(out, "hit", instr_number(totals->hit, text));
    instr_report_total(out, "share", cli_exec_share(totals->hit, totals->probes, share));
    instr_output_text(out, "</dl>\n");
}

static void put_column(struct instr_output *out, const char *head, const char *sorted) {
    instr_output_format(out, "<th scope=\"col\"%s><button type=\"button\">%s</button></th>", sorted,
                        head);
}

static void put_row(const struct cli_exec_row *row, struct instr_output *out) {
    char share[CLI_SHARE_SIZE], a[INSTR_NUMBER_SIZE];
    size_t probes = row->class->probes, missed = probes - row->hit;
    double part = probes > 0 ? (double)row->hit / (double)probes : 0;
    instr_output_text(out, "<tr><td>");
    instr_report_text(out, row->class->name, INSTR_HTML | INSTR_DOTS);
    instr_output_format(out, "</td><td data-v=\"%zu\">%s</td>", probes, instr_number(probes, a));
    instr_output_format(out, "<td data-v=\"%zu\">%s</td>", row->hit, instr_number(row->hit, a));
    instr_output_format(out, "<td data-v=\"%zu\"%s>%s</td>", missed,
                        missed ? "" : " class=\"zero\"", instr_number(missed, a));
    instr_output_format(out,
                        "<td data-v=\"%.6f\" class=\"share\" style=\"--p:%.2f%%\">%s</td></tr>\n",
                        part, 100 * part, cli_exec_share(row->hit, probes, share));
}

void cli_exec_html(const struct cli_exec_totals *totals, const struct cli_exec_row *rows,
                   size_t top, enum cli_exec_order order, struct instr_output *out) {
    static const struct {
        const char *head;
        enum cli_exec_order order;
        const char *sorted;
    } columns[] = {{"class", CLI_EXEC_BY_NAME, " aria-sort=\"ascending\""},
                   {"probes", CLI_EXEC_BY_PROBES, " aria-sort=\"descending\""},
                   {"hit", CLI_EXEC_BY_HIT, " aria-sort=\"descending\""},
                   {"missed", CLI_EXEC_BY_MISSED, " aria-sort=\"descending\""},
                   {"share", CLI_EXEC_BY_SHARE, " aria-sort=\"ascending\""}};
    instr_report_page(out, "coverage", instr_page_css);
    instr_output_text(out, "<h1>coverage</h1>\n");
    put_totals(totals, out);
    instr_output_text(out, "<div class=\"find\" id=\"search\" hidden><input id=\"find\" "
                           "type=\"search\" placeholder=\"Find classes: parts of their names\" "
                           "aria-label=\"Find classes\"><output id=\"shown\"></output></div>\n"
                           "<div class=\"wide\"><table id=\"methods\" data-of=\"classes\">\n"
                           "<thead><tr>");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        put_column(out, columns[i].head, columns[i].order == order ? columns[i].sorted : "");
    instr_output_text(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < top; i++) put_row(&rows[i], out);
    instr_output_text(out, "</tbody></table></div>\n<footer>instr report</footer>\n<script>\n");
    instr_output_text(out, instr_page_js);
    instr_output_text(out, "</script>\n</body>\n</html>\n");
}
