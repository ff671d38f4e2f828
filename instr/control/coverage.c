// The control socket's command of the pass coverage.

#include "instr/vm/agent_state.h"
#include "instr/control/commands.h"
#include "instr/base/json.h"
#include "instr/passes/coverage/coverage.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int is_on(struct instr_agent *agent) {
    unsigned ticket;
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    int on = 0;
    for (size_t i = 0; plan && i < plan->options.pass_count; i++)
        on |= strcmp(plan->options.passes[i].pass->name, "coverage") == 0;
    instr_plans_give_back(&agent->plans, ticket);
    return on;
}

// Writes what was covered to coverage.file, as at exit; with the argument reset the probes begin
// anew. Answers {"file", "reset", "probes", "probes_hit", "classes", "classes_hit"}; the
// path is as the JVM sees it.
void instr_command_exec_dump(struct instr_request *request, struct instr_reply *reply) {
    struct instr_coverage_told told;
    char path[PATH_MAX] = "", full[PATH_MAX], error[INSTR_ERROR_SIZE] = "";
    int reset = request->argc == 1 && strcmp(request->argv[0], "reset") == 0;
    if (request->argc != reset) {
        instr_reply_fail(reply, "exec_dump: only 'reset' may follow");
        return;
    }
    if (!is_on(request->agent)) {
        instr_reply_fail(reply, "the pass coverage is not on in this JVM");
        return;
    }
    JNIEnv *jni = instr_reply_jni(reply);
    if (!jni) return;
    if (instr_coverage_write_file(jni, reset, &told, path, sizeof path, error, sizeof error) != 0) {
        instr_reply_fail(reply, "%s", strncmp(error, "instr: ", 7) == 0 ? error + 7 : error);
        return;
    }
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "file", realpath(path, full) ? full : path);
    instr_json_number(&json, "reset", (uint64_t)reset);
    instr_json_number(&json, "probes", told.probes);
    instr_json_number(&json, "probes_hit", told.probes_hit);
    instr_json_number(&json, "classes", told.classes);
    instr_json_number(&json, "classes_hit", told.classes_hit);
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
}
