// Where the control socket of a process may lie.

#ifndef INSTR_CLI_DIRECTORIES_H
#define INSTR_CLI_DIRECTORIES_H

#include "instr/process/process.h"
#include "instr/protocol/socket_path.h"

// Calls `take` for each directory in which the socket of the process may lie, as the process sees it,
// until it returns something other than 0, which is the result: in /tmp, in INSTR_DIR as we or the
// process have it, and where the process listens in fact.
int cli_directories(const struct instr_process *target,
                    int (*take)(void *context, const char *directory), void *context);

#endif
