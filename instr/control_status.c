// The commands that look and change nothing: ping, status.

#include "instr/agent.h"
#include "instr/control_commands.h"
#include "instr/facts.h"
#include "instr/frame.h"
#include "instr/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef INSTR_VERSION
#define INSTR_VERSION "unknown"
#endif

enum { KEPT_SHOWN = 200 };

static const char *state_name(const struct instr_agent *agent) {
    switch (atomic_load(&agent->state)) {
    case INSTR_DORMANT: return "dormant";
    case INSTR_ACTIVE: return "active";
    case INSTR_FINISHED: return "finished";
    default: return "starting";
    }
}

static void identity(struct instr_json *json, const struct instr_agent *agent) {
    instr_json_text(json, "agent", INSTR_VERSION);
    instr_json_number(json, "protocol", INSTR_PROTOCOL);
    instr_json_number(json, "pid", (uint64_t)getpid());
    instr_json_text(json, "state", state_name(agent));
}

// {"agent": version, "protocol", "pid", "state": "dormant" | "active" | ...}
void instr_command_ping(struct instr_request *request, struct instr_reply *reply) {
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&json, NULL, '{');
    identity(&json, request->agent);
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
}

static void options(struct instr_json *json, const struct instr_options *options) {
    instr_json_open(json, "passes", '[');
    for (size_t i = 0; i < options->pass_count; i++)
        instr_json_text(json, NULL, options->passes[i].pass->name);
    instr_json_close(json, ']');
    instr_json_text(json, "include", options->include ? instr_match_text(options->include) : NULL);
    instr_json_text(json, "exclude", options->exclude ? instr_match_text(options->exclude) : NULL);
    char *text = instr_options_format(options);
    instr_json_text(json, "options", text ? text : "");
    free(text);
}

struct kept_list {
    struct instr_json *json;
    size_t count;
};

static void show_kept(void *context, const struct instr_kept *kept) {
    struct kept_list *list = context;
    if (list->count++ >= KEPT_SHOWN) return;
    instr_json_open_flat(list->json, NULL, '{');
    instr_json_class(list->json, "class", kept->class_name);
    instr_json_text(list->json, "method", kept->method);
    instr_json_text(list->json, "reason", kept->reason);
    instr_json_close(list->json, '}');
}

static void account(struct instr_json *json, struct instr_engine *engine) {
    struct instr_account a = {0};
    if (engine) a = instr_engine_account(engine);
    instr_json_number(json, "classes_seen", a.classes_seen);
    instr_json_number(json, "classes_matched", a.classes_matched);
    instr_json_number(json, "classes_changed", a.classes_changed);
    instr_json_number(json, "classes_kept", a.classes_kept);
    instr_json_number(json, "methods_changed", a.methods_changed);
    instr_json_number(json, "methods_kept", a.methods_kept);
    instr_json_number(json, "classes_refused", a.classes_refused);
    instr_json_number(json, "methods_refused", a.methods_refused);
    instr_json_number(json, "bytes_in", a.bytes_in);
    instr_json_number(json, "bytes_out", a.bytes_out);
    instr_json_number(json, "rewriting_ns", a.nanoseconds);
    struct kept_list kept = {json, 0};
    instr_json_open(json, "kept", '[');
    if (engine) instr_engine_kept(engine, show_kept, &kept);
    instr_json_close(json, ']');
}

// What ping answers, and {"library", the facts (facts.h), "passes": [name], "include", "exclude",
// "options", the figures of stats=FILE, "kept": [{"class", "method", "reason"}] (the first
// KEPT_SHOWN), "agents": [{"kind", "name"}]}.
void instr_command_status(struct instr_request *request, struct instr_reply *reply) {
    struct instr_agent *agent = request->agent;
    // GetSystemProperty asks for no thread of the VM's in HotSpot, but may elsewhere.
    if (!instr_reply_jni(reply)) return;
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&json, NULL, '{');
    identity(&json, agent);
    instr_json_text(&json, "library", agent->library);
    if (agent->jvmti) instr_facts_members(agent->jvmti, &json);
    options(&json, &agent->options);
    account(&json, agent->engine);
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
}
