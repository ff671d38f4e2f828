// The command detach.

#include "instr/control/operation.h"

#include "instr/retransform/redefine.h"

static int detach(struct instr_agent *agent, JNIEnv *jni, const char *text,
                  struct instr_reconfigured *done, char *reason, size_t size) {
    (void)text;
    return instr_reconfigure_detach(agent, jni, done, reason, size);
}

static void count_class(void *context, const char *name) {
    (void)name;
    ++*(size_t *)context;
}

static void undo_all(struct instr_request *request, struct instr_reply *reply) {
    char reason[INSTR_ERROR_SIZE];
    size_t undone = 0;
    JNIEnv *jni = instr_reply_jni(reply);
    if (!jni || !instr_redefine_any()) return;
    int ok =
        instr_redefine_undo(request->agent, jni, NULL, count_class, &undone, reason, sizeof reason);
    if (!ok && instr_redefine_any()) instr_reply_note(reply, "%s", reason);
    if (ok)
        instr_reply_note(reply, "restored %zu redefined %s", undone,
                         undone == 1 ? "class" : "classes");
}

// detach: restores redefined classes, switches all passes off, ends the agent. The socket no longer
// exists when the reply is sent.
void instr_command_detach(struct instr_request *request, struct instr_reply *reply) {
    undo_all(request, reply);
    if (!instr_operation_reply(request, reply, detach, NULL)) return;
    if (atomic_load(&request->agent->state) != INSTR_ABSENT)
        instr_reply_note(reply, "native methods were wrapped: their wrappers stay as long as their "
                                "classes, only call the native methods, and need the library to "
                                "stay in the JVM");
    instr_reply_stop_control(reply);
}
