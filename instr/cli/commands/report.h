// Printing the result of a pass that an agent sent.

#ifndef INSTR_CLI_COMMANDS_REPORT_H
#define INSTR_CLI_COMMANDS_REPORT_H

#include <jansson.h>
#include <stddef.h>

// Prints the first `top` rows of a result, which has the form of the pass's file, to standard
// output. An exit status.
int cli_report_table(json_t *result, size_t top);

#endif
