// The command undo.

#include "instr/control/commands.h"

#include "instr/base/clock.h"
#include "instr/base/json.h"
#include "instr/retransform/redefine.h"

static void list_name(void *context, const char *name) {
    instr_json_class(context, NULL, name);
}

// undo [CLASS]: {"classes": [NAME...], "elapsed_ns"}, as redefine replies.
void instr_command_undo(struct instr_request *request, struct instr_reply *reply) {
    char reason[INSTR_ERROR_SIZE];
    uint64_t start = instr_clock_now();
    const char *name = request->argc ? request->argv[0] : NULL;
    JNIEnv *jni = instr_reply_jni(reply);
    if (!jni) return;
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&json, NULL, '{');
    instr_json_open(&json, "classes", '[');
    int ok =
        instr_redefine_undo(request->agent, jni, name, list_name, &json, reason, sizeof reason);
    instr_json_close(&json, ']');
    instr_json_number(&json, "elapsed_ns", instr_clock_now() - start);
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
    if (!ok) instr_reply_fail(reply, "%s", reason);
}
