// The commands that look at the bytes of classes and replace them.

#include "instr/vm/agent_state.h"
#include "instr/control/commands.h"
#include "instr/base/json.h"
#include "instr/retransform/redefine.h"
#include "instr/base/clock.h"

#include <stdlib.h>
#include <string.h>

// dump CLASS [original]: its bytes.
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
        instr_reply_fail(reply, "%s", reason);
    free(bytes);
}

static void list_name(void *context, const char *name) {
    instr_json_class(context, NULL, name);
}

// redefine [all-loaders], with the class files before: {"classes": [name], "elapsed_ns"}; the name
// once for each class loader
void instr_command_redefine(struct instr_request *request, struct instr_reply *reply) {
    char reason[INSTR_ERROR_SIZE];
    uint64_t start = instr_clock_now();
    int all = request->argc == 1 && strcmp(request->argv[0], "all-loaders") == 0;
    if (request->argc != all) {
        instr_reply_fail(reply, "redefine: expects 'all-loaders' or nothing");
        return;
    }
    struct instr_new_class *classes = calloc(request->blob_count + 1, sizeof *classes);
    JNIEnv *jni = instr_reply_jni(reply);
    if (!classes) instr_reply_fail(reply, "out of memory");
    for (size_t i = 0; classes && i < request->blob_count; i++) {
        const struct instr_blob *blob = &request->blobs[i];
        classes[i] = (struct instr_new_class){blob->name, blob->bytes, blob->length, NULL, 0};
    }
    if (classes && jni &&
        instr_redefine(request->agent, jni, classes, request->blob_count, all, reason,
                       sizeof reason)) {
        struct instr_json json = instr_json_start(instr_reply_document(reply));
        instr_json_open(&json, NULL, '{');
        instr_json_open(&json, "classes", '[');
        for (size_t i = 0; i < request->blob_count; i++)
            for (unsigned k = 0; k < classes[i].loaders; k++) list_name(&json, classes[i].name);
        instr_json_close(&json, ']');
        instr_json_number(&json, "elapsed_ns", instr_clock_now() - start);
        instr_json_close(&json, '}');
        instr_reply_document_end(reply);
    } else if (classes && jni) {
        instr_reply_fail(reply, "%s", reason);
    }
    for (size_t i = 0; classes && i < request->blob_count; i++) free(classes[i].name);
    free(classes);
}

// undo [CLASS]: the same.
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
