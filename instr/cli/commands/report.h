// Printing the result of a pass that an agent sent.

#ifndef INSTR_CLI_COMMANDS_REPORT_H
#define INSTR_CLI_COMMANDS_REPORT_H

#include <jansson.h>
#include <stddef.h>

// Prints the first `top` rows of a result, which has the form of the pass's file, to standard
// output. An exit status.
int cli_report_table(json_t *result, size_t top);

// Prints the line above such a table that says whose it is, from the member "by".
void cli_report_owner(const json_t *result);

#endif
