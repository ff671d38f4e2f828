// SonarQube's generic format of coverage, version 1 (its documentation, "Generic test data").

#ifndef INSTR_CLI_COVERAGE_FORMATS_SONAR_H
#define INSTR_CLI_COVERAGE_FORMATS_SONAR_H

#include "instr/base/output.h"
#include "instr/cli/coverage/model.h"

void cover_write_sonar(const struct cover_model *model, struct instr_output *out);

#endif
