// JaCoCo's table of classes, as JaCoCo writes it.

#ifndef INSTR_CLI_COVERAGE_CSV_H
#define INSTR_CLI_COVERAGE_CSV_H

#include "instr/base/output.h"
#include "instr/cli/coverage/model.h"

void cover_write_csv(const struct cover_model *model, struct instr_output *out);

#endif
