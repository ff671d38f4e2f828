// The command reload.

#include "instr/control/operation.h"

// reload [KIT] [all]
void instr_command_reload(struct instr_request *request, struct instr_reply *reply) {
    instr_operation_take_all(request);
    const char *text =
        request->argc ? instr_operation_argument(request, reply, "the name of a kit") : NULL;
    if (text || !request->argc)
        instr_operation_reply(request, reply, instr_reconfigure_reload, text);
}
