// The command watch: switches the pass watch on for some methods, reports their calls, and switches
// it off again, however it ends: at the limit, after the time, when the client cancels or
// disconnects.

#include "instr/control/operation.h"

#include "instr/base/json.h"
#include "instr/retransform/overhead.h"
#include "instr/retransform/reconfigure.h"
#include "instr/passes/watch/suggest.h"
#include "instr/passes/watch/watch.h"
#include "instr/base/log.h"
#include "instr/base/clock.h"
#include "instr/vm/wake.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 100 }; // calls, by default

struct watching {
    struct instr_agent *agent;
    struct instr_watch_filter filter;
    uint64_t time;  // ns, from when the pass is on; 0: no limit
    uint64_t until; // ns; or INSTR_NEVER
    uint64_t reported;
    uint64_t since;      // ns
    bool interfaces;     // loaded ones, too
    bool had_interfaces; // other passes take them
};

static struct watching *watching; // one at a time

// Reads the number of "KEY=N". 0: it is another word.
static int read_number(const char *word, const char *key, uint64_t *number) {
    size_t n = strlen(key);
    char *end;
    if (strncmp(word, key, n) != 0 || word[n] != '=' || word[n + 1] < '0' || word[n + 1] > '9')
        return 0;
    *number = strtoull(word + n + 1, &end, 10);
    return *end == '\0';
}

static int read_words(struct instr_request *request, struct instr_reply *reply,
                      struct watching *w) {
    for (int i = 1; i < request->argc; i++) {
        const char *word = request->argv[i];
        if (read_number(word, "limit", &w->filter.limit) && w->filter.limit > 0) continue;
        if (read_number(word, "if-slower", &w->filter.slower)) continue;
        if (strcmp(word, "if-thrown") == 0) {
            w->filter.only_thrown = 1;
        } else if (strcmp(word, "stack") == 0) {
            w->filter.stack = 1;
        } else if (strcmp(word, "interfaces=yes") == 0) {
            w->interfaces = true;
        } else if (!read_number(word, "for", &w->time) || w->time == 0 ||
                   w->time >= INSTR_NEVER / 2) {
            instr_reply_fail(reply, "watch: unknown argument '%.64s'", word);
            return 0;
        }
    }
    return 1;
}

// The options "watch,watch.methods=METHODS", with commas and backslashes escaped.
static char *options_of(const char *methods, bool interfaces) {
    static const char head[] = "watch,watch.methods=", loaded[] = "interfaces=yes,";
    char *text = malloc(sizeof head + sizeof loaded + 2 * strlen(methods));
    if (!text) return NULL;
    char *to = text;
    if (interfaces) to = stpcpy(to, loaded);
    to = stpcpy(to, head);
    for (const char *c = methods; *c; c++) {
        if (*c == ',' || *c == '\\') *to++ = '\\';
        *to++ = *c;
    }
    *to = '\0';
    return text;
}

static void list(struct instr_json *json, const char *key, const char *text, unsigned count) {
    instr_json_open(json, key, '[');
    for (unsigned i = 0; i < count; i++, text += strlen(text) + 1)
        instr_json_text(json, NULL, text);
    instr_json_close(json, ']');
}

static void show(struct instr_reply *reply, const struct instr_methods *methods,
                 const struct instr_watched *call) {
    if (call->id < 0 || call->id >= instr_methods_count(methods)) return;
    struct instr_method method = instr_methods_get(methods, call->id);
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open_flat(&json, NULL, '{');
    instr_json_number(&json, "time_ms", call->time);
    instr_json_text(&json, "thread", call->text + call->thread);
    instr_json_class(&json, "class", method.class_name);
    instr_json_text(&json, "method", method.name);
    instr_json_text(&json, "descriptor", method.descriptor);
    list(&json, "arguments", call->text + call->arguments, call->argument_count);
    if (call->returned)
        instr_json_text(&json, call->thrown ? "thrown" : "returned", call->text + call->result);
    instr_json_number(&json, "duration_ns", call->duration);
    if (call->stack_count) list(&json, "stack", call->text + call->stack, call->stack_count);
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
}

static uint64_t tick(void *context, struct instr_reply *reply, uint64_t now) {
    struct watching *w = context;
    char failed[128];
    unsigned ticket;
    struct instr_watched *calls = instr_watch_fetch();
    const struct instr_plan *plan = instr_plans_take(&w->agent->plans, &ticket);
    for (struct instr_watched *c = calls; c && plan && plan->methods; c = c->next, w->reported++)
        show(reply, plan->methods, c);
    instr_plans_give_back(&w->agent->plans, ticket);
    instr_watch_free(calls);
    if (instr_watch_failed(failed, sizeof failed)) {
        instr_reply_note(reply, "pass 'watch' has switched itself off: its runtime threw %s",
                         failed);
        return 0;
    }
    if (!instr_operation_is_on(w->agent, "watch")) {
        const char *why = instr_overhead_why_off("watch", 5, w->since);
        if (why)
            instr_reply_fail(reply, "pass 'watch' was switched off: %s", why);
        else
            instr_reply_note(reply, "pass 'watch' was switched off");
        return 0;
    }
    return w->reported >= w->filter.limit || now >= w->until ? 0 : w->until;
}

static void end(void *context, struct instr_reply *reply) {
    struct watching *w = context;
    char reason[INSTR_ERROR_SIZE];
    struct instr_reconfigured done = {.all = 1};
    JNIEnv *jni = instr_wake_jni();
    uint64_t dropped = instr_watch_dropped();
    if (jni) instr_watch_end(jni);
    if (jni && instr_operation_is_on(w->agent, "watch") &&
        !instr_reconfigure_disable(w->agent, jni, "watch", &done, reason, sizeof reason)) {
        instr_reply_note(reply, "pass 'watch' is still active: %s", reason);
        instr_say("pass 'watch' is still active: %s", reason);
    }
    if (jni && w->interfaces && !w->had_interfaces)
        instr_reconfigure_set(w->agent, jni, "interfaces=no", &done, reason, sizeof reason);
    if (dropped)
        instr_reply_note(reply, "%" PRIu64 " call%s dropped: too many calls per second", dropped,
                         dropped == 1 ? " was" : "s were");
    watching = NULL;
    free(w);
}

// No loaded class was changed; `skipped` interfaces might have been.
static void note_nothing(struct instr_request *request, struct instr_reply *reply, JNIEnv *jni,
                         unsigned skipped) {
    char meant[800];
    instr_watch_suggest(request->agent->jvmti, jni, request->argv[0], meant, sizeof meant);
    if (!skipped)
        instr_reply_note(reply, "no loaded class has such a method with bytecode (native and "
                                "abstract methods have none); calls are reported once one is "
                                "loaded");
    if (*meant) instr_reply_note(reply, "did you mean %s?", meant);
}

static void note_interfaces(struct instr_reply *reply, unsigned skipped) {
    if (!skipped) return;
    instr_reply_note(reply,
                     "%u loaded interface%s skipped; interfaces=yes behind the methods watches "
                     "%s, too; see 'instr help interfaces' first",
                     skipped, skipped == 1 ? " was" : "s were", skipped == 1 ? "it" : "them");
}

static bool takes_interfaces(struct instr_agent *agent) {
    unsigned ticket;
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    bool takes = plan && plan->options.interfaces;
    instr_plans_give_back(&agent->plans, ticket);
    return takes;
}

static int begin(struct instr_request *request, struct instr_reply *reply, struct watching *w) {
    char reason[INSTR_ERROR_SIZE];
    struct instr_owner owner;
    struct instr_reconfigured done = {.owner = &owner};
    if (!instr_operation_owner(request, reply, &owner)) return 0;
    JNIEnv *jni = instr_reply_jni(reply);
    char *options = options_of(request->argv[0], w->interfaces);
    w->had_interfaces = takes_interfaces(w->agent);
    w->since = instr_clock_now();
    int ok = 0;
    if (!options) instr_reply_fail(reply, "out of memory");
    if (jni && options) {
        ok = instr_reconfigure_enable(w->agent, jni, options, &done, reason, sizeof reason);
        if (!ok) instr_reply_fail(reply, "%s", reason);
    }
    free(options);
    if (!ok) return 0;
    note_interfaces(reply, done.skipped_interfaces);
    if (done.changed == 0) note_nothing(request, reply, jni, done.skipped_interfaces);
    instr_watch_begin(jni, &w->filter);
    if (w->time) w->until = instr_clock_now() + w->time;
    return 1;
}

// watch METHODS [limit=N] [if-slower=NS] [if-thrown] [stack] [for=NS] [interfaces=yes]: replies with a stream of
// documents, one for each call, and ends by itself:
//
//      {"time_ms", "thread", "class", "method", "descriptor", "arguments": [TEXT...],
//       "returned": TEXT or "thrown": TEXT, "duration_ns", "stack": [TEXT...]}
void instr_command_watch(struct instr_request *request, struct instr_reply *reply) {
    if (request->argc < 1) {
        instr_reply_fail(reply, "watch: expects methods, for example com.acme.Foo.bar(..)");
        return;
    }
    if (watching || instr_operation_is_on(request->agent, "watch")) {
        instr_reply_fail(reply, "another client already uses 'watch' in this JVM");
        return;
    }
    struct watching *w = calloc(1, sizeof *w);
    if (!w) {
        instr_reply_fail(reply, "out of memory");
        return;
    }
    w->agent = request->agent;
    w->filter.limit = LIMIT;
    w->until = INSTR_NEVER;
    if (read_words(request, reply, w) && begin(request, reply, w)) {
        const struct instr_stream stream = {tick, end, w};
        watching = w;
        instr_reply_stream(reply, &stream);
        return;
    }
    free(w);
}
