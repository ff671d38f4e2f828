// Classes that ran from other class files than those of a report.

#ifndef INSTR_CLI_COVERAGE_MISMATCHES_H
#define INSTR_CLI_COVERAGE_MISMATCHES_H

#include "instr/cli/coverage/report.h"

// Prints a line if there are any: how many, and the first of their names. `about` stands before it, such
// as "--baseline: ". CLI_OK; or CLI_FAILED after a message.
int cover_say_mismatches(const struct cover_report *report, const char *about);

// Prints a line if the report has no class, or if none of its classes has data, of whatever class file: all is missed then.
void cover_say_none_ran(const struct cover_report *report);

#endif
