// The table of what the control socket understands. A row is
//
//      COMMAND(name, arguments, help)
//
// and a function instr_command_NAME (control.h). What each one answers stands above its function.

#ifndef INSTR_CONTROL_COMMANDS_H
#define INSTR_CONTROL_COMMANDS_H

#include "instr/control.h"

#define INSTR_CONTROL_COMMANDS(COMMAND)                                                            \
    COMMAND(ping, "", "answer with version and state")                                             \
    COMMAND(status, "", "what the agent is doing, and has done")

#define INSTR_CONTROL_FUNCTION(name, arguments, help)                                              \
    void instr_command_##name(struct instr_request *request, struct instr_reply *reply);
INSTR_CONTROL_COMMANDS(INSTR_CONTROL_FUNCTION)
#undef INSTR_CONTROL_FUNCTION

#endif
