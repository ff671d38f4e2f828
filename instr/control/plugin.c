// The command plugin.

#include "instr/control/operation.h"

#include "instr/options/compare.h"
#include "instr/plugins/open.h"

#include <string.h>

enum { ANSWER_SIZE = 16384 };

static void reply_answer(struct instr_reply *reply, const char *name, char *answer) {
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "plugin", name);
    instr_json_open(&json, "answer", '[');
    for (char *rest = answer, *line; (line = strsep(&rest, "\n"));)
        if (*line || rest) instr_json_text(&json, NULL, line);
    instr_json_close(&json, ']');
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
}

// The lines are notes; the last one is the reason.
static void fail_with(struct instr_reply *reply, char *answer) {
    const char *last = NULL;
    for (char *line; (line = strsep(&answer, "\n"));) {
        if (!*line) continue;
        if (last) instr_reply_note(reply, "%s", last);
        last = line;
    }
    instr_reply_fail(reply, "%s", last ? last : "the plug-in refuses the command");
}

// plugin NAME TEXT: replies {"plugin", "answer": [line]}. The plan holds the plug-in meanwhile.
void instr_command_plugin(struct instr_request *request, struct instr_reply *reply) {
    char answer[ANSWER_SIZE];
    unsigned ticket;
    if (request->argc != 2) {
        instr_reply_fail(reply, "plugin: expects the name of a plug-in, and a text");
        return;
    }
    const struct instr_plan *plan = instr_plans_take(&request->agent->plans, &ticket);
    const struct instr_pass_options *pass =
        instr_find_pass_named(plan ? &plan->options : NULL, request->argv[0]);
    if (!pass)
        instr_reply_fail(reply, "pass '%.64s' is not active in this JVM", request->argv[0]);
    else if (instr_plugin_command(pass->pass, request->argv[1], answer, sizeof answer) != 0)
        fail_with(reply, answer);
    else
        reply_answer(reply, request->argv[0], answer);
    instr_plans_give_back(&request->agent->plans, ticket);
}
