// The commands revert and off.

#include "instr/control/operation.h"

// revert [PATTERNS]
void instr_command_revert(struct instr_request *request, struct instr_reply *reply) {
    const char *text =
        request->argc ? instr_operation_argument(request, reply, "patterns, or nothing") : NULL;
    if (text || !request->argc)
        instr_operation_reply(request, reply, instr_reconfigure_revert, text);
}

// off: reverts everything, whatever its arguments are.
void instr_command_off(struct instr_request *request, struct instr_reply *reply) {
    instr_operation_reply(request, reply, instr_reconfigure_revert, NULL);
}
