// LCOV's tracefile, which genhtml and editors read (geninfo(1), "TRACEFILE FORMAT").

#ifndef INSTR_CLI_COVERAGE_FORMATS_LCOV_H
#define INSTR_CLI_COVERAGE_FORMATS_LCOV_H

#include "instr/base/output.h"
#include "instr/cli/coverage/model.h"

void cover_write_lcov(const struct cover_model *model, struct instr_output *out);

#endif
