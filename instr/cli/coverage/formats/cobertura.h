// Cobertura's XML, by its coverage-04.dtd.

#ifndef INSTR_CLI_COVERAGE_FORMATS_COBERTURA_H
#define INSTR_CLI_COVERAGE_FORMATS_COBERTURA_H

#include "instr/base/output.h"
#include "instr/cli/coverage/model.h"

// A line that lies in several methods, as with lambdas, is listed with the shortest of them.
void cover_write_cobertura(const struct cover_model *model, struct instr_output *out);

#endif
