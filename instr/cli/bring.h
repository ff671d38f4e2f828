// Brings the agent into a JVM where a command needs it and it is not there yet.

#ifndef INSTR_CLI_BRING_H
#define INSTR_CLI_BRING_H

#include "instr/cli/session.h"

// Connects to the agent in the process; where there is none it is attached first, dormant:
// *brought is 1 then. CLI_OK; or CLI_FAILED, after a line that says why not.
int cli_bring(struct cli_session *session, long pid, int *brought);

// Ends the agent that was brought in and has nothing more to do; not one that has been given other
// work meanwhile. The session must be closed.
void cli_take_back(long pid);

#endif
