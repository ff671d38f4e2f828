// The command detach.

#include "instr/control/operation.h"

#include "instr/retransform/apply.h"
#include "instr/retransform/redefine.h"

// Ends the agent, after all classes are reverted. The socket no longer exists when the reply is sent.
static bool detach(struct instr_agent *agent, struct instr_reply *reply,
                   struct instr_reconfigured *done) {
    char reason[INSTR_ERROR_SIZE];
    struct instr_reconfigured last = {0};
    JNIEnv *jni = instr_reply_jni(reply);
    if (!jni) return false;
    if (!instr_reconfigure_detach(agent, jni, &last, reason, sizeof reason)) {
        instr_reply_fail(reply, "%s", reason);
        return false;
    }
    instr_reconfigured_add(done, &last);
    done->elapsed += last.elapsed;
    if (atomic_load(&agent->state) != INSTR_ABSENT)
        instr_reply_note(reply, "native methods were wrapped: their wrappers stay as long as their "
                                "classes, only call the native methods, and need the library to "
                                "stay in the JVM");
    instr_reply_stop_control(reply);
    return true;
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

// detach: restores redefined classes, switches all passes off, ends the agent.
void instr_command_detach(struct instr_request *request, struct instr_reply *reply) {
    undo_all(request, reply);
    instr_operation_reply_within(request, reply, instr_reconfigure_revert, NULL, INSTR_NEVER,
                                 detach);
}
