// The command set.

#include "instr/control/operation.h"

// set KEY=VALUE
void instr_command_set(struct instr_request *request, struct instr_reply *reply) {
    const char *text = instr_operation_argument(request, reply, "key=value");
    if (text) instr_operation_reply(request, reply, instr_reconfigure_set, text);
}
