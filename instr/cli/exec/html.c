// The classes of .exec files as one HTML page, in the style of a pass's report. Names go through
// instr_report_text, which escapes them.

#include "instr/cli/exec/html.h"
#include "instr/cli/exec/exec.h"
#include "instr/report/page.h"
#include "instr/report/text.h"

#include <stdio.h>

static void put_totals(const struct cli_exec_totals *totals, struct instr_output *out) {
    char text[INSTR_NUMBER_SIZE], share[CLI_SHARE_SIZE];
    instr_page_begin_totals(out);
    instr_page_total(out, "classes", instr_number(totals->classes, text));
    instr_page_total(out, "probes", instr_number(totals->probes, text));
    instr_page_total(out, "hit", instr_number(totals->hit, text));
    instr_page_total(out, "share", cli_exec_share(totals->hit, totals->probes, share));
    instr_page_end_totals(out);
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
    } columns[] = {{"class", CLI_EXEC_BY_NAME, "ascending"},
                   {"probes", CLI_EXEC_BY_PROBES, "descending"},
                   {"hit", CLI_EXEC_BY_HIT, "descending"},
                   {"missed", CLI_EXEC_BY_MISSED, "descending"},
                   {"share", CLI_EXEC_BY_SHARE, "ascending"}};
    instr_page_begin(out, "coverage", "", instr_page_css);
    put_totals(totals, out);
    instr_page_begin_table(out, "classes");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        instr_page_column(out, columns[i].head, NULL,
                          columns[i].order == order ? columns[i].sorted : NULL, i == 0);
    instr_page_begin_rows(out);
    for (size_t i = 0; i < top; i++) put_row(&rows[i], out);
    instr_page_end_table(out);
    instr_page_end(out, instr_page_js);
}
