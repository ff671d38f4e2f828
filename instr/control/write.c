// The command write.

#include "instr/control/operation.h"
#include "instr/retransform/current_results.h"

static int write_files(struct instr_agent *agent, JNIEnv *jni, const char *text,
                       struct instr_reconfigured *done, char *reason, size_t size) {
    (void)text, (void)done;
    return instr_current_results_write(agent, jni, reason, size);
}

// write: writes the files of the active passes.
void instr_command_write(struct instr_request *request, struct instr_reply *reply) {
    instr_operation_reply(request, reply, write_files, NULL);
}
