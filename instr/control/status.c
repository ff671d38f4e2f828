// The commands ping and status.

#include "instr/vm/agent_state.h"
#include "instr/control/operation.h"
#include "instr/control/watch.h"
#include "instr/vm/jvm_facts.h"
#include "instr/protocol/message.h"
#include "instr/base/json.h"
#include "instr/passes/agent_passes.h"
#include "instr/counters/records.h"
#include "instr/retransform/redefine.h"
#include "instr/retransform/background.h"
#include "instr/retransform/ends.h"
#include "instr/retransform/sweep.h"
#include "instr/counters/threads.h"
#include "instr/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef INSTR_VERSION
#define INSTR_VERSION "unknown"
#endif

static const uint64_t OVERHEAD_PAUSE = 500 * UINT64_C(1000000); // ns
enum { SKIPPED_SHOWN = 200, INTERFACES_SHOWN = 10, SKIPPED_BYTES = 1024 * 1024 };

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

struct skipped_list {
    struct instr_json *json;
    size_t count, interfaces, bytes;
};

static void show_skipped(void *context, const struct instr_skipped_item *item) {
    struct skipped_list *list = context;
    if (item->pass == INSTR_SKIPPED_INTERFACE && list->interfaces++ >= INTERFACES_SHOWN) return;
    // Names may have 65,535 bytes, and clients take only answers of a limited size.
    list->bytes += strlen(item->class_name) + strlen(item->method ? item->method : "");
    if (list->count++ >= SKIPPED_SHOWN || list->bytes > SKIPPED_BYTES) return;
    instr_json_open_flat(list->json, NULL, '{');
    instr_json_class(list->json, "class", item->class_name);
    instr_json_text(list->json, "method", item->method);
    instr_json_text(list->json, "reason", item->reason);
    instr_json_close(list->json, '}');
}

static void totals(struct instr_json *json, const struct instr_agent *agent,
                   struct instr_engine *engine) {
    struct instr_totals a = {0};
    if (engine) a = instr_engine_totals(engine);
    instr_json_number(json, "classes_seen", a.classes_seen);
    instr_json_number(json, "classes_matched", a.classes_matched);
    instr_json_number(json, "classes_changed", a.classes_changed);
    instr_json_number(json, "classes_skipped", a.classes_skipped);
    instr_json_number(json, "methods_changed", a.methods_changed);
    instr_json_number(json, "methods_skipped", a.methods_skipped);
    instr_json_number(json, "classes_refused", a.classes_refused);
    instr_json_number(json, "methods_refused", a.methods_refused);
    instr_json_number(json, "interfaces_skipped", a.interfaces_skipped);
    instr_json_number(json, "classes_over_limit",
                      instr_class_states_totals(agent->class_states).over);
    instr_json_number(json, "bytes_in", a.bytes_in);
    instr_json_number(json, "bytes_out", a.bytes_out);
    instr_json_number(json, "rewriting_ns", a.nanoseconds);
    struct skipped_list skipped = {json, 0, 0, 0};
    instr_json_open(json, "skipped", '[');
    if (engine) instr_engine_skipped(engine, show_skipped, &skipped);
    instr_json_close(json, ']');
}

// The agent's native memory by purpose.
static void memory(struct instr_json *json, const struct instr_agent *agent,
                   const struct instr_plan *plan) {
    struct instr_coverage *coverage =
        plan && plan->engine ? instr_engine_coverage(plan->engine) : NULL;
    struct instr_methods *names = plan ? plan->methods : NULL;
    const struct {
        const char *key;
        size_t bytes;
    } uses[] = {{"names", names ? instr_methods_bytes(names) : 0},
                {"counters", instr_threads_bytes() + instr_records_bytes()},
                {"classes", instr_class_states_bytes(agent->class_states)},
                {"passes", (plan ? instr_agent_passes_memory(&plan->options) : 0) +
                               (coverage ? instr_coverage_bytes(coverage) : 0)},
                {"redefined", instr_redefine_bytes()}};
    size_t all = 0;
    instr_json_open_flat(json, "memory_bytes", '{');
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        instr_json_number(json, uses[i].key, uses[i].bytes);
        all += uses[i].bytes;
    }
    instr_json_number(json, "all", all);
    instr_json_close(json, '}');
    instr_json_bool(json, "counters_full", instr_threads_are_full());
}

static void changed_now(struct instr_json *json, const struct instr_agent *agent) {
    struct instr_class_states_totals totals = instr_class_states_totals(agent->class_states);
    instr_json_number(json, "classes_now", totals.classes);
    instr_json_number(json, "methods_now", totals.methods);
    instr_json_number(json, "classes_refused_now", totals.refused);
    struct instr_reconfigure_progress progress = instr_reconfigure_progress();
    instr_json_number(json, "classes_done", progress.done);
    instr_json_number(json, "classes_total", progress.total);
    instr_json_number(json, "classes_left_ns", progress.left);
}

// When the last pass ends, unless one does not end.
static void expiry(struct instr_json *json, const struct instr_plan *plan) {
    uint64_t now = instr_clock_now(), last = 0;
    for (size_t i = 0; plan && i < plan->options.pass_count; i++) {
        uint64_t ends = instr_pass_ends(&plan->options.passes[i]);
        if (!ends || ends > last) last = ends;
        if (!ends) break;
    }
    instr_json_number(json, "expires_in_ns", !last ? 0 : last > now ? last - now : 1);
}

static void write_end(struct instr_json *json, const char *key, const struct instr_end *end) {
    instr_json_open_flat(json, key, '{');
    instr_json_text(json, "pass", end->pass);
    if (*end->owner.name) instr_json_text(json, "by", end->owner.name);
    instr_json_text(json, "reason", end->why);
    instr_json_number(json, "date_ms", end->date);
    instr_json_number(json, "ago_ns", instr_clock_now() - end->at);
    instr_json_close(json, '}');
}

// The passes that the agent has switched off, as long as their owners do not have them on.
static void switched_off(struct instr_json *json, struct instr_agent *agent) {
    struct instr_end listed[INSTR_ENDS];
    size_t count = 0;
    for (size_t i = 0; i < INSTR_ENDS && instr_ends_get(i, &listed[count]); i++)
        if (!instr_operation_is_on_for(agent, listed[count].pass, &listed[count].owner)) count++;
    if (!count) return;
    write_end(json, "switched_off", &listed[0]);
    instr_json_open(json, "switched_off_before", '[');
    for (size_t i = 1; i < count; i++) write_end(json, NULL, &listed[i]);
    instr_json_close(json, ']');
}

// The members that ping replies, and:
//
//      {
//        "library": PATH,
//        ...                             the members of vm/jvm_facts.h
//        "passes", "include", "exclude", "options"             see operation.h
//        "pace": "auto" or "off",
//        "classes_seen", ... "rewriting_ns"                    the figures of stats=FILE
//        "classes_over_limit",           of these, at this moment
//        "skipped": [{"class", "method", "reason"}],           the first SKIPPED_SHOWN; of
//                                        "interfaces_skipped", the first INTERFACES_SHOWN
//        "memory_bytes": {...}, "counters_full",
//        "classes_now", "methods_now",   changed at this moment
//        "classes_refused_now",          refused by the JVM, not tried again
//        "classes_done", "classes_total",    progress of the background thread; 0 of 0: it is idle
//        "classes_left_ns",              about how long it will take; 0: unknown
//        "overhead": [...],              see operation.h
//        "expires_in_ns"                 until no pass is on; 0: a pass does not end by itself
//        "watches": [{"by", "methods", "ago_ns"}],    the clients of the command watch
//        "switched_off": {"pass", "by", "reason", "date_ms", "ago_ns"}    the last one that the agent has switched off; if there is one
//        "switched_off_before": [{...}]  the same of those before it, the last one first
//      }
void instr_command_status(struct instr_request *request, struct instr_reply *reply) {
    struct instr_agent *agent = request->agent;
    unsigned ticket;
    // GetSystemProperty needs an attached thread in some JVMs, though not in HotSpot.
    JNIEnv *jni = instr_reply_jni(reply);
    if (!jni) return;
    instr_sweep_if_free(agent, jni);
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&json, NULL, '{');
    identity(&json, agent);
    instr_json_text(&json, "library", agent->library);
    if (agent->jvmti) instr_jvm_facts_members(agent->jvmti, &json);
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    instr_operation_json_options(&json, plan ? &plan->options : NULL);
    instr_json_text(&json, "pace", plan && plan->options.pace ? "off" : "auto");
    totals(&json, agent, plan ? plan->engine : NULL);
    memory(&json, agent, plan);
    instr_operation_json_overhead(&json, agent, plan, jni, OVERHEAD_PAUSE);
    expiry(&json, plan);
    instr_plans_give_back(&agent->plans, ticket);
    changed_now(&json, agent);
    instr_watch_clients(&json);
    switched_off(&json, agent);
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
}
