// A report as a page to look at.

#ifndef INSTR_REPORT_HTML_H
#define INSTR_REPORT_HTML_H

#include "instr/report/report.h"

// Writes one HTML page that needs no other resource: totals, the first `top` rows (sortable,
// searchable) in the order they have, sorted by `order` as it says, and what was kept as it was.
void instr_report_html(const struct instr_report *report, struct instr_output *out, size_t top,
                       enum instr_order order);

#endif
