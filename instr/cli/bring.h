// Loads the agent into a JVM for a command that needs it.

#ifndef INSTR_CLI_BRING_H
#define INSTR_CLI_BRING_H

#include "instr/cli/session.h"

// Connects to the agent in the process. If there is none, it is attached first, dormant, and
// *brought is 1; its socket then lies in `folder` ("/DIR", as in control=; NULL: none is named). CLI_OK;
// or CLI_FAILED after a message.
int cli_bring(struct cli_session *session, long pid, const char *folder, int *brought);

// Detaches the agent again if it is dormant, that is, if no other client has given it work in the
// meantime. The session must be closed.
void cli_take_back(long pid);

#endif
