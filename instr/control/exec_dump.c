// The command exec_dump.

#include "instr/control/operation.h"

#include "instr/passes/coverage/coverage.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// exec_dump [reset]: writes the coverage recorded so far to coverage.file, as at exit; with reset,
// clears the probes. Replies {"file", "reset", "probes", "probes_hit", "classes", "classes_hit"};
// the path is as the JVM sees it.
void instr_command_exec_dump(struct instr_request *request, struct instr_reply *reply) {
    struct instr_coverage_written written;
    char path[PATH_MAX] = "", full[PATH_MAX], error[INSTR_ERROR_SIZE] = "";
    int reset = request->argc == 1 && strcmp(request->argv[0], "reset") == 0;
    if (request->argc != reset) {
        instr_reply_fail(reply, "exec_dump: expects 'reset' or nothing");
        return;
    }
    if (!instr_operation_is_on(request->agent, "coverage")) {
        instr_reply_fail(reply, "pass 'coverage' is not active in this JVM");
        return;
    }
    JNIEnv *jni = instr_reply_jni(reply);
    if (!jni) return;
    if (instr_coverage_write_file(jni, reset, &written, path, sizeof path, error, sizeof error) !=
        0) {
        instr_reply_fail(reply, "%s", error);
        return;
    }
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "file", realpath(path, full) ? full : path);
    instr_json_number(&json, "reset", (uint64_t)reset);
    instr_json_number(&json, "probes", written.probes);
    instr_json_number(&json, "probes_hit", written.probes_hit);
    instr_json_number(&json, "classes", written.classes);
    instr_json_number(&json, "classes_hit", written.classes_hit);
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
}
