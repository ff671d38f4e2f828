// A badge: "coverage 93 %" as a picture, SVG.

#ifndef INSTR_CLI_COVERAGE_FORMATS_BADGE_H
#define INSTR_CLI_COVERAGE_FORMATS_BADGE_H

#include "instr/base/output.h"
#include "instr/cli/coverage/model.h"

// The number is the share of instructions, rounded down.
void cover_write_badge(const struct cover_model *model, struct instr_output *out);

#endif
