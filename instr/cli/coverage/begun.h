// Lines that exceptions left.

#ifndef INSTR_CLI_COVERAGE_BEGUN_H
#define INSTR_CLI_COVERAGE_BEGUN_H

#include "instr/cli/coverage/model.h"

// Counts instructions that have begun as covered, at each level of the model, and with them their
// lines, methods and classes. Of lines, `begun` is then 0 where something else was covered. Counted
// once only.
void cover_count_begun(struct cover_model *model);

#endif
