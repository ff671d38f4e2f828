// The command watch: adds its methods to those of the pass watch, reports their calls, and removes
// them again, however it ends: at the limit, after the time, when the client cancels or disconnects.
// Several clients watch at the same time. The pass is on for all of them, under the owner who was the
// first.

#include "instr/control/watch.h"

#include "instr/control/operation.h"
#include "instr/control/unmatched.h"

#include "instr/base/array.h"
#include "instr/base/json.h"
#include "instr/retransform/ends.h"
#include "instr/retransform/reconfigure.h"
#include "instr/passes/watch/implementations.h"
#include "instr/passes/watch/suggest.h"
#include "instr/passes/watch/watch.h"
#include "instr/base/log.h"
#include "instr/base/clock.h"
#include "instr/vm/wake.h"
#include "rewriters/watch_methods.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIMIT = 100 }; // calls, by default

struct watching {
    struct instr_agent *agent;
    struct instr_owner owner;
    char *methods; // patterns, those of implementations included; or a rule
    char rule[32]; // the pass of the rule; "": the methods are those of the pass watch
    bool values;   // the rule has values in place of arguments
    struct instr_watch_filter filter;
    int watch;      // its number (watch.h)
    uint64_t time;  // ns, from when the pass is on; 0: no limit
    uint64_t until; // ns; or INSTR_NEVER
    uint64_t reported;
    uint64_t since;  // ns
    uint64_t date;   // the same, ms since 1970
    bool interfaces; // loaded ones, too
    bool abstract;   // some are abstract: what implements them is watched, too
    struct {
        int id;
        bool ours;
    } * known; // methods that have to be looked up
    size_t known_count, known_capacity;
};

static struct {
    struct watching *all[INSTR_WATCHES];
    unsigned count;
    struct instr_owner owner; // of the pass
    bool had_interfaces;      // other passes took them before the first watch
} clients;

// Reads the number of "KEY=N". 0: it is another word.
static int read_number(const char *word, const char *key, uint64_t *number) {
    size_t n = strlen(key);
    char *end;
    if (strncmp(word, key, n) != 0 || word[n] != '=' || word[n + 1] < '0' || word[n + 1] > '9')
        return 0;
    *number = strtoull(word + n + 1, &end, 10);
    return *end == '\0';
}

// A name for the pass of a client's rule.
static void name_rule(struct watching *w) {
    for (unsigned n = 1, taken = 1; taken; n++) {
        snprintf(w->rule, sizeof w->rule, "watch-%u", n);
        taken = 0;
        for (unsigned i = 0; i < clients.count; i++)
            taken |= strcmp(clients.all[i]->rule, w->rule) == 0;
    }
}

static int read_words(struct instr_request *request, struct instr_reply *reply,
                      struct watching *w) {
    for (int i = 1; i < request->argc; i++) {
        const char *word = request->argv[i];
        if (read_number(word, "limit", &w->filter.limit) && w->filter.limit > 0) continue;
        if (read_number(word, "if-slower", &w->filter.slower)) continue;
        if (strcmp(word, "if-thrown") == 0) {
            w->filter.only_thrown = 1;
        } else if (strcmp(word, "rule") == 0 || strcmp(word, "values") == 0) {
            w->values |= *word == 'v';
            name_rule(w);
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

// The pass watch is for clients without a rule.
static bool is_of_pass(const struct watching *w) {
    return !w->rule[0];
}

static const char *pass_of(const struct watching *w) {
    return is_of_pass(w) ? "watch" : w->rule;
}

static bool any_of_pass(void) {
    for (unsigned i = 0; i < clients.count; i++)
        if (is_of_pass(clients.all[i])) return true;
    return false;
}

// The options "watch,watch.methods=METHODS", for the methods of all clients, with commas and
// backslashes escaped. NULL: out of memory.
static char *options_of_all(void) {
    static const char head[] = "watch,watch.methods=", loaded[] = "interfaces=yes,";
    size_t size = sizeof head + sizeof loaded;
    bool interfaces = false;
    for (unsigned i = 0; i < clients.count; i++) {
        size += 2 * strlen(clients.all[i]->methods) + 1;
        interfaces |= clients.all[i]->interfaces;
    }
    char *text = malloc(size);
    if (!text) return NULL;
    char *to = text;
    if (interfaces) to = stpcpy(to, loaded);
    to = stpcpy(to, head);
    for (unsigned i = 0; i < clients.count; i++) {
        if (!is_of_pass(clients.all[i])) continue;
        to = instr_operation_escape(to, clients.all[i]->methods);
        *to++ = ':';
    }
    to[-1] = '\0';
    return text;
}

// Switches the pass on with the methods of all clients.
static int set_methods(struct instr_agent *agent, JNIEnv *jni, struct instr_reconfigured *done,
                       char *reason, size_t size) {
    char *options = options_of_all();
    if (!options) snprintf(reason, size, "out of memory");
    *done = (struct instr_reconfigured){.owner = &clients.owner, .announced = 1};
    int ok = options && instr_reconfigure_enable(agent, jni, options, done, reason, size);
    free(options);
    return ok;
}

static void remove_client(const struct watching *w) {
    unsigned left = 0;
    for (unsigned i = 0; i < clients.count; i++)
        if (clients.all[i] != w) clients.all[left++] = clients.all[i];
    clients.count = left;
}

static void free_watching(struct watching *w) {
    free(w->methods);
    free(w->known);
    free(w);
}

void instr_watch_clients(struct instr_json *json) {
    instr_json_open(json, "watches", '[');
    for (unsigned i = 0; i < clients.count; i++) {
        const struct watching *w = clients.all[i];
        instr_json_open_flat(json, NULL, '{');
        instr_json_text(json, "by", w->owner.name[0] ? w->owner.name : NULL);
        instr_json_text(json, "methods", w->methods);
        instr_json_number(json, "ago_ns", instr_clock_now() - w->since);
        instr_json_close(json, '}');
    }
    instr_json_close(json, ']');
}

// Writes who watches, and since when: "alice since 10:12:03, bob since 10:14:55".
static void who_watches(char *text, size_t size) {
    size_t used = 0;
    *text = '\0';
    for (unsigned i = 0; i < clients.count && used < size; i++) {
        time_t date = (time_t)(clients.all[i]->date / 1000);
        struct tm local;
        char at[16];
        strftime(at, sizeof at, "%H:%M:%S", localtime_r(&date, &local));
        used += (size_t)snprintf(text + used, size - used, "%s%s since %s", i ? ", " : "",
                                 instr_owner_text(&clients.all[i]->owner), at);
    }
}

static void list(struct instr_json *json, const char *key, const char *text, unsigned count) {
    instr_json_open(json, key, '[');
    for (unsigned i = 0; i < count; i++, text += strlen(text) + 1)
        instr_json_text(json, NULL, text);
    instr_json_close(json, ']');
}

static void show(struct instr_reply *reply, const struct instr_methods *methods,
                 const struct instr_watched *call, const char *values) {
    if (!instr_methods_has(methods, call->id)) return;
    struct instr_method method = instr_methods_get(methods, call->id);
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open_flat(&json, NULL, '{');
    instr_json_number(&json, "time_ms", call->time);
    instr_json_text(&json, "thread", call->text + call->thread);
    instr_json_class(&json, "class", method.class_name);
    instr_json_text(&json, "method", method.name);
    instr_json_text(&json, "descriptor", method.descriptor);
    list(&json, values, call->text + call->arguments, call->argument_count);
    if (call->returned)
        instr_json_text(&json, call->thrown ? "thrown" : "returned", call->text + call->result);
    instr_json_number(&json, "duration_ns", call->duration);
    if (call->stack_count) list(&json, "stack", call->text + call->stack, call->stack_count);
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
}

// Has the class of the method a supertype that a pattern names? Asked once for each method.
static bool is_ours(struct watching *w, const struct instr_methods *methods,
                    const struct instr_watched *call) {
    JNIEnv *jni = instr_wake_jni();
    if (!jni || !instr_methods_has(methods, call->id)) return false;
    for (size_t i = 0; i < w->known_count; i++)
        if (w->known[i].id == call->id) return w->known[i].ours;
    struct instr_method m = instr_methods_get(methods, call->id);
    bool ours =
        instr_watch_selects(w->agent->jvmti, jni, w->methods, m.class_name, m.name, m.descriptor);
    if (INSTR_ARRAY_RESERVE(w->known, w->known_capacity, w->known_count + 1)) {
        w->known[w->known_count].id = call->id;
        w->known[w->known_count++].ours = ours;
    }
    return ours;
}

static uint64_t tick(void *context, struct instr_reply *reply, uint64_t now) {
    struct watching *w = context;
    char failed[128];
    unsigned ticket;
    struct instr_watched *calls = instr_watch_fetch(w->watch);
    const struct instr_plan *plan = instr_plans_take(&w->agent->plans, &ticket);
    for (struct instr_watched *c = calls; c && plan && plan->methods; c = c->next) {
        if (w->reported >= w->filter.limit) break;
        if (c->unsure && !is_ours(w, plan->methods, c)) continue;
        show(reply, plan->methods, c, w->values ? "values" : "arguments");
        w->reported++;
    }
    instr_plans_give_back(&w->agent->plans, ticket);
    instr_watch_free(calls);
    if (instr_watch_failed(failed, sizeof failed)) {
        instr_reply_note(reply, "pass 'watch' has switched itself off: its runtime threw %s",
                         failed);
        return 0;
    }
    const char *pass = pass_of(w);
    if (!instr_operation_is_on(w->agent, pass)) {
        struct instr_end end;
        bool known = instr_ends_since(pass, strlen(pass), w->since, &end);
        if (known && !end.by_time)
            instr_reply_fail(reply, "pass '%s' was switched off: %s", pass, end.why);
        else
            instr_reply_note(reply, "pass '%s' was switched off%s%s", pass, known ? ": " : "",
                             known ? end.why : "");
        return 0;
    }
    return w->reported >= w->filter.limit || now >= w->until ? 0 : w->until;
}

// Takes the methods of a client that has ended out of the pass, or switches it off after the last.
static int leave(const struct watching *w, JNIEnv *jni, char *reason, size_t size) {
    struct instr_reconfigured done = {.all = 1};
    if (!instr_operation_is_on(w->agent, pass_of(w))) return 1;
    return is_of_pass(w) && any_of_pass()
               ? set_methods(w->agent, jni, &done, reason, size)
               : instr_reconfigure_disable(w->agent, jni, pass_of(w), &done, reason, size);
}

static bool any_takes_interfaces(void) {
    for (unsigned i = 0; i < clients.count; i++)
        if (clients.all[i]->interfaces) return true;
    return false;
}

static void end(void *context, struct instr_reply *reply) {
    struct watching *w = context;
    char reason[INSTR_ERROR_SIZE];
    JNIEnv *jni = instr_wake_jni();
    uint64_t dropped = instr_watch_dropped(w->watch);
    struct instr_reconfigured done = {.all = 1};
    instr_watch_end(jni, w->watch);
    remove_client(w);
    // When the JVM ends, the pass does, too.
    if (jni && !leave(w, jni, reason, sizeof reason) &&
        atomic_load(&w->agent->state) != INSTR_FINISHED) {
        instr_reply_note(reply, "pass '%s' is still active: %s", pass_of(w), reason);
        instr_say("pass '%s' is still active: %s", pass_of(w), reason);
    }
    if (jni && w->interfaces && !clients.had_interfaces && !any_takes_interfaces())
        instr_reconfigure_set(w->agent, jni, "interfaces=no", &done, reason, sizeof reason);
    if (dropped)
        instr_reply_note(reply, "%" PRIu64 " call%s dropped: too many calls per second", dropped,
                         dropped == 1 ? " was" : "s were");
    free_watching(w);
}

// Has a loaded class the method with code? `methods` are patterns, or a rule.
static bool has_method(const struct watching *w, JNIEnv *jni, const char *methods) {
    if (is_of_pass(w)) return instr_watch_is_loaded(w->agent->jvmti, jni, methods);
    char *pattern = strndup(methods, strcspn(methods, "( \t\n"));
    bool is = pattern && instr_watch_is_loaded(w->agent->jvmti, jni, pattern);
    free(pattern);
    return is;
}

// No loaded class was changed; `skipped` interfaces that have the method might have been.
static void note_nothing(const struct watching *w, const char *methods, struct instr_reply *reply,
                         JNIEnv *jni, unsigned skipped) {
    char meant[800] = "";
    const char *refusal = is_of_pass(w) ? NULL : instr_rule_refusal(&w->agent->plans, pass_of(w));
    if (refusal) {
        instr_reply_note(reply, "no loaded method is watched: %s", refusal);
        return;
    }
    // An abstract method, or that of an interface or a class which is skipped, was found.
    if (w->abstract || skipped) return;
    if (is_of_pass(w))
        instr_watch_suggest(w->agent->jvmti, jni, methods, meant, sizeof meant);
    else
        instr_watch_suggest_for_rule(w->agent->jvmti, jni, methods, meant, sizeof meant);
    instr_reply_note(reply, "no loaded class has such a method with bytecode (native and "
                            "abstract methods have none); calls are reported once one is loaded");
    if (*meant) instr_reply_note(reply, "did you mean %s?", meant);
}

static void note_interfaces(struct instr_reply *reply, unsigned skipped) {
    if (!skipped) return;
    instr_reply_note(reply,
                     "%u loaded interface%s skipped; to watch %s, too, add the option "
                     "interfaces=yes, but see 'instr help interfaces' first",
                     skipped, skipped == 1 ? " was" : "s were", skipped == 1 ? "it" : "them");
}

static bool takes_interfaces(struct instr_agent *agent) {
    unsigned ticket;
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    bool takes = plan && plan->options.interfaces;
    instr_plans_give_back(&agent->plans, ticket);
    return takes;
}

static const struct instr_methods *names_of(struct instr_agent *agent) {
    unsigned ticket;
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    const struct instr_methods *names = plan ? plan->methods : NULL;
    instr_plans_give_back(&agent->plans, ticket);
    return names;
}

// The pattern at the start of a rule, with its arguments. The caller frees it; NULL: out of memory.
static char *pattern_of(const char *rule) {
    size_t length = strcspn(rule, "( \t\n");
    if (rule[length] == '(') length += strcspn(rule + length, ")") + 1;
    return strndup(rule, length);
}

// A rule has one pattern. If it names abstract methods, the rule gets that of what implements them: Shop+ for Shop.
static int find_for_rule(JNIEnv *jni, struct watching *w, const char *rule,
                         struct instr_implementations *found) {
    rule += strspn(rule, " \t\n");
    struct rw_watch_pattern pattern;
    const char *end;
    char *text = pattern_of(rule);
    if (text && !rw_watch_split(text, &pattern, &end) && !rw_watch_take_plus(&pattern))
        instr_watch_implementations(w->agent->jvmti, jni, text, found);
    int length = found->patterns ? (int)pattern.class_name.length : 0;
    if (!text ||
        asprintf(&w->methods, "%.*s%s%s", length, rule, length ? "+" : "", rule + length) < 0)
        w->methods = NULL;
    free(text);
    return w->methods != NULL;
}

static int find_for_pass(JNIEnv *jni, struct watching *w, const char *methods,
                         struct instr_implementations *found) {
    instr_watch_implementations(w->agent->jvmti, jni, methods, found);
    const char *more = found->patterns;
    if (asprintf(&w->methods, "%s%s%s", methods, more ? ":" : "", more ? more : "") < 0)
        w->methods = NULL;
    return w->methods != NULL;
}

// Is the method one of the patterns, which have colons between them?
static bool is_among(const char *patterns, const char *method, size_t length) {
    for (const char *at = patterns;; at += strcspn(at, ":") + 1) {
        size_t n = strcspn(at, ":");
        if (n == length && memcmp(at, method, n) == 0) return true;
        if (!at[n]) return false;
    }
}

// What a class inherits from one that does not implement the type is a pattern of its own, and not of the rule.
static void note_implementations(const struct watching *w, struct instr_reply *reply,
                                 const struct instr_implementations *found) {
    char now[300] = "", missed[300] = "";
    for (const char *at = found->methods; at && *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        char *to = !is_of_pass(w) && is_among(found->patterns, at, length) ? missed : now;
        size_t used = strlen(to);
        snprintf(to + used, sizeof now - used, "%s%.*s", used ? ":" : "", (int)length, at);
        at += length;
    }
    instr_reply_note(reply,
                     "abstract methods have no code: what implements them is watched, also in "
                     "classes that are loaded later; in loaded classes now: %s",
                     *now ? now : "none");
    if (*missed)
        instr_reply_note(reply,
                         "not watched with --if or --print, as their classes do not implement the "
                         "type: %s",
                         missed);
}

// The methods that the client names, and those that implement the abstract ones among them.
static int find_methods(struct instr_request *request, struct instr_reply *reply, JNIEnv *jni,
                        struct watching *w) {
    struct instr_implementations found = {NULL, NULL, 0};
    if (!(is_of_pass(w) ? find_for_pass(jni, w, request->argv[0], &found)
                        : find_for_rule(jni, w, request->argv[0], &found)))
        instr_reply_fail(reply, "out of memory");
    if (found.patterns) note_implementations(w, reply, &found);
    w->abstract = found.patterns != NULL;
    free(found.patterns);
    free(found.methods);
    return w->methods != NULL;
}

// Says on standard error who watches what.
static void announce(const struct watching *w) {
    char who[INSTR_WHO_SIZE];
    unsigned ticket;
    const struct instr_plan *plan = instr_plans_take(&w->agent->plans, &ticket);
    if (is_of_pass(w) && plan && !instr_owner_is_quiet(&plan->options, &w->owner))
        instr_say("watch of %.300s by %s", w->methods, instr_owner_who(&w->owner, who));
    instr_plans_give_back(&w->agent->plans, ticket);
}

static int begin(struct instr_request *request, struct instr_reply *reply, struct watching *w) {
    char reason[INSTR_ERROR_SIZE];
    struct instr_reconfigured done;
    JNIEnv *jni = instr_reply_jni(reply);
    if (!instr_operation_owner(request, reply, &w->owner) || !jni) return 0;
    if (!find_methods(request, reply, jni, w)) return 0;
    w->since = instr_clock_now();
    w->date = instr_clock_date();
    if (is_of_pass(w) && !any_of_pass()) {
        clients.owner = w->owner;
        clients.had_interfaces = takes_interfaces(w->agent);
    }
    clients.all[clients.count++] = w;
    done = (struct instr_reconfigured){.owner = &w->owner};
    if (!(is_of_pass(w) ? set_methods(w->agent, jni, &done, reason, sizeof reason)
                        : instr_operation_add_rule(w->agent, jni, w->rule, w->methods, &done,
                                                   reason, sizeof reason))) {
        remove_client(w);
        instr_reply_fail(reply, "%s", reason);
        return 0;
    }
    announce(w);
    // An interface that is skipped may have another method only.
    bool there = has_method(w, jni, request->argv[0]);
    unsigned skipped = there ? done.skipped_interfaces : 0;
    note_interfaces(reply, skipped);
    instr_operation_note_over_limit(reply, done.over_limit);
    // Methods of other clients change, too, and of other passes.
    if (!there || done.changed == 0 ||
        (is_of_pass(w) && clients.count > 1 &&
         !instr_watch_is_loaded(w->agent->jvmti, jni, w->methods)))
        note_nothing(w, request->argv[0], reply, jni, skipped + done.over_limit);
    w->filter.methods = w->methods;
    w->filter.rule = w->rule[0] ? w->rule : NULL;
    w->watch = instr_watch_begin(jni, &w->filter, names_of(w->agent));
    if (w->time) w->until = instr_clock_now() + w->time;
    return 1;
}

// watch METHODS [limit=N] [if-slower=NS] [if-thrown] [stack] [for=NS] [interfaces=yes]: replies with
// a stream of documents, one for each call, and ends by itself. With the word `rule` METHODS is a rule
// that prints; with `values` it is one with values, which stand in place of "arguments":
//
//      {"time_ms", "thread", "class", "method", "descriptor", "arguments": [TEXT...],
//       "returned": TEXT or "thrown": TEXT, "duration_ns", "stack": [TEXT...]}
void instr_command_watch(struct instr_request *request, struct instr_reply *reply) {
    if (request->argc < 1) {
        instr_reply_fail(reply, "watch: expects methods, for example com.acme.Foo.bar(..)");
        return;
    }
    if (!any_of_pass() && instr_operation_is_on(request->agent, "watch")) {
        instr_reply_fail(reply, "pass 'watch' is on without a client; 'instr disable PID watch "
                                "--all' switches it off");
        return;
    }
    if (clients.count == INSTR_WATCHES) {
        char who[INSTR_WATCHES * (INSTR_OWNER_SIZE + 24)];
        who_watches(who, sizeof who);
        instr_reply_fail(reply, "%u clients watch already: %s", clients.count, who);
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
    if (read_words(request, reply, w) && begin(request, reply, w))
        instr_reply_stream(reply, &(struct instr_stream){tick, end, w});
    else
        free_watching(w);
}
