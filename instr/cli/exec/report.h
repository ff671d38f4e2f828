// The classes of .exec files as people read them: a table, a page.

#ifndef INSTR_CLI_EXEC_REPORT_H
#define INSTR_CLI_EXEC_REPORT_H

#include "instr/coverage/exec_store.h"
#include "instr/base/output.h"

struct cli_exec_totals {
    size_t classes;
    uint64_t probes, hit;
};

struct cli_exec_totals cli_exec_totals(const struct instr_exec_store *store);
// "1,234 classes, 45,678 probes, 12,345 of them hit (27.0 %)".
void cli_exec_put_totals(const struct cli_exec_totals *totals, struct instr_output *out);

enum cli_exec_order {   // of the words of --sort
    CLI_EXEC_BY_MISSED, // probes not hit
    CLI_EXEC_BY_PROBES,
    CLI_EXEC_BY_HIT,
    CLI_EXEC_BY_SHARE, // the smallest first
    CLI_EXEC_BY_NAME
};

struct cli_exec_row {
    const struct instr_exec_class *class;
    size_t hit;
};

#endif
