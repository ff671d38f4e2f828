// The commands of the tool, as functions. Each gets its own arguments: argv[0] is the first one after
// the command's name. It prints its errors and returns the exit status.

#ifndef INSTR_CLI_INTERNAL_H
#define INSTR_CLI_INTERNAL_H

#include "instr/cli/cli.h"
#include "instr/cli/commands/table.h"

#define INSTR_COMMAND_FUNCTION(name, arguments, help, details)                                     \
    int cli_##name(int argc, char **argv);
INSTR_COMMANDS(INSTR_COMMAND_FUNCTION)
#undef INSTR_COMMAND_FUNCTION

#define INSTR_EXEC_FUNCTION(name, arguments, help, details)                                        \
    int cli_exec_##name(int argc, char **argv);
INSTR_COVERAGE_COMMANDS(INSTR_EXEC_FUNCTION)
#undef INSTR_EXEC_FUNCTION

#endif
