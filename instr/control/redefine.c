// The command redefine.

#include "instr/control/commands.h"

#include "instr/base/clock.h"
#include "instr/base/json.h"
#include "instr/retransform/redefine.h"

#include <stdlib.h>
#include <string.h>

static void reply_classes(struct instr_reply *reply, const struct instr_new_class *classes,
                          size_t count, uint64_t elapsed) {
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&json, NULL, '{');
    instr_json_open(&json, "classes", '[');
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < classes[i].loaders; k++)
            instr_json_class(&json, NULL, classes[i].name);
    instr_json_close(&json, ']');
    instr_json_number(&json, "elapsed_ns", elapsed);
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
}

// redefine [all-loaders], after the class files: {"classes": [NAME...], "elapsed_ns"}, with a name
// for each class loader that has the class.
void instr_command_redefine(struct instr_request *request, struct instr_reply *reply) {
    char reason[INSTR_ERROR_SIZE];
    uint64_t start = instr_clock_now();
    size_t count = request->blob_count;
    int all = request->argc == 1 && strcmp(request->argv[0], "all-loaders") == 0;
    if (request->argc != all) {
        instr_reply_fail(reply, "redefine: expects 'all-loaders' or nothing");
        return;
    }
    JNIEnv *jni = instr_reply_jni(reply);
    if (!jni) return;
    struct instr_new_class *classes = calloc(count + 1, sizeof *classes);
    if (!classes) {
        instr_reply_fail(reply, "out of memory");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct instr_blob *blob = &request->blobs[i];
        classes[i] = (struct instr_new_class){blob->name, blob->bytes, blob->length, NULL, 0};
    }
    if (instr_redefine(request->agent, jni, classes, count, all, reason, sizeof reason))
        reply_classes(reply, classes, count, instr_clock_now() - start);
    else
        instr_reply_fail(reply, "%s", reason);
    for (size_t i = 0; i < count; i++) free(classes[i].name);
    free(classes);
}
