// The classes of .exec files as an HTML page.

#ifndef INSTR_CLI_EXEC_HTML_H
#define INSTR_CLI_EXEC_HTML_H

#include "instr/cli/exec/report.h"

// The page of the first `top` of the rows, which are sorted by `order`.
void cli_exec_html(const struct cli_exec_totals *totals, const struct cli_exec_row *rows,
                   size_t top, enum cli_exec_order order, struct instr_output *out);

#endif
