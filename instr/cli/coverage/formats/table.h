// The report on a terminal: totals, packages, and the classes that miss most.

#ifndef INSTR_CLI_COVERAGE_FORMATS_TABLE_H
#define INSTR_CLI_COVERAGE_FORMATS_TABLE_H

#include "instr/base/output.h"
#include "instr/cli/coverage/model.h"

// `coloured`: with the terminal's colours.
void cover_write_table(const struct cover_model *model, struct instr_output *out, int coloured);

// May standard output have colours: is it a terminal, and NO_COLOR not set?
int cover_table_coloured(void);

#endif
