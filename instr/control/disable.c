// The command disable.

#include "instr/control/operation.h"

// disable PASS [all]
void instr_command_disable(struct instr_request *request, struct instr_reply *reply) {
    instr_operation_take_all(request);
    const char *text = instr_operation_argument(request, reply, "the name of a pass");
    if (text) instr_operation_reply(request, reply, instr_reconfigure_disable, text);
}
