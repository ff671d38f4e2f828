// The command dump.

#include "instr/control/commands.h"
#include "instr/passes/watch/suggest.h"
#include "instr/retransform/redefine.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Says what was perhaps meant if no class was found.
static void fail(struct instr_request *request, struct instr_reply *reply, JNIEnv *jni, bool found,
                 const char *reason) {
    char meant[400] = "";
    if (!found && !strchr(request->argv[0], '*'))
        instr_watch_suggest_class(request->agent->jvmti, jni, request->argv[0], meant,
                                  sizeof meant);
    instr_reply_fail(reply, "%s%s%s%s", reason, *meant ? "; did you mean " : "", meant,
                     *meant ? "?" : "");
}

// dump CLASS [original]: replies with the bytes of the class.
void instr_command_dump(struct instr_request *request, struct instr_reply *reply) {
    char reason[INSTR_ERROR_SIZE];
    size_t length = 0;
    unsigned loaders = 0;
    int original = request->argc == 2 && strcmp(request->argv[1], "original") == 0;
    if (request->argc != 1 + original) {
        instr_reply_fail(reply, "dump: expects a class, and 'original' or nothing");
        return;
    }
    JNIEnv *jni = instr_reply_jni(reply);
    if (!jni) return;
    uint8_t *bytes = instr_redefine_dump(request->agent, jni, request->argv[0], original, &length,
                                         &loaders, reason, sizeof reason);
    if (bytes && loaders > 1)
        instr_reply_note(reply, "%u class loaders have a class of that name; this is the first",
                         loaders);
    if (bytes)
        instr_reply_bytes(reply, bytes, length);
    else
        fail(request, reply, jni, loaders > 0, reason);
    free(bytes);
}
