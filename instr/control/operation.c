// What the commands share that switch passes on and off.

#include "instr/control/operation.h"

#include "instr/base/clock.h"
#include "instr/control/unmatched.h"
#include "instr/options/compare.h"
#include "instr/passes/agent_passes.h"
#include "instr/passes/results.h"
#include "instr/report/text.h"
#include "instr/retransform/background.h"
#include "instr/retransform/ends.h"
#include "instr/retransform/overhead.h"
#include "instr/vm/untouchable.h"
#include "instr/vm/wake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLISECOND UINT64_C(1000000)
enum { NOTE_MS = 1000 };
enum { FEW_MS = 2000 }; // how long a command waits at least for a few classes
// The rest of a document is small beside it.
enum { MOST_RESULTS = INSTR_REPLY_QUEUE - 1024 * 1024 };

// --- who ---

enum { MOST_LINE = 512 };

// The login name of a user, from the file: the name service would load its libraries into the JVM.
static void login_name(uid_t uid, struct instr_owner *owner) {
    char line[MOST_LINE], *rest;
    snprintf(owner->name, sizeof owner->name, "uid-%u", (unsigned)uid);
    FILE *file = fopen("/etc/passwd", "re");
    while (file && fgets(line, sizeof line, file)) {
        char *name = strtok_r(line, ":", &rest), *number = strtok_r(NULL, ":", &rest);
        number = name && number ? strtok_r(NULL, ":", &rest) : NULL;
        if (!number || strtoul(number, NULL, 10) != uid) continue;
        instr_owner_set_login(owner, name);
        break;
    }
    if (file) fclose(file);
}

bool instr_operation_owner(const struct instr_request *request, struct instr_reply *reply,
                           struct instr_owner *owner) {
    bool named = false;
    *owner = (struct instr_owner){.uid = (uint32_t)request->uid};
    for (size_t i = 0; i < request->blob_count; i++) {
        const struct instr_blob *blob = &request->blobs[i];
        if (strcmp(blob->name, "acting") == 0) owner->acting = 1;
        if (strcmp(blob->name, "as") != 0) continue;
        if (instr_owner_set(owner, (const char *)blob->bytes, blob->length) != 0) {
            instr_reply_fail(reply, "a name for --as has 1 to %d letters, digits and ._@+-",
                             INSTR_OWNER_SIZE - 1);
            return false;
        }
        named = true;
    }
    if (!named) login_name(request->uid, owner);
    return true;
}

void instr_operation_take_all(struct instr_request *request) {
    request->all = request->argc > 0 && strcmp(request->argv[request->argc - 1], "all") == 0;
    request->argc -= request->all;
}

// --- what is on ---

enum { PPM = 10 }; // in a thousandth of a percent

static void json_patterns(struct instr_json *json, const char *key,
                          const struct instr_match *patterns) {
    instr_json_text(json, key, patterns ? instr_match_text(patterns) : NULL);
}

static void json_by(struct instr_json *json, const struct instr_owner *owner) {
    instr_json_text(json, "by", owner->name[0] ? owner->name : NULL);
}

static void json_enabled(struct instr_json *json, const struct instr_options *options,
                         const struct instr_pass_options *pass) {
    instr_json_open_flat(json, NULL, '{');
    instr_json_text(json, "pass", pass->pass->name);
    json_by(json, &pass->owner);
    instr_json_number(json, "uid", pass->owner.uid);
    if (pass->owner.acting) instr_json_bool(json, "acting", true);
    instr_json_number(json, "since", pass->owner.since);
    instr_json_text(json, "kind", pass->pass->made ? pass->pass->made->kind : NULL);
    if (instr_pass_is_of_command(pass)) instr_json_bool(json, "of_command", true);
    uint64_t now = instr_clock_now(), ends = instr_pass_ends(pass);
    if (ends) instr_json_number(json, "ends_in_ns", ends > now ? ends - now : 0);
    if (pass->terms.quiet) instr_json_bool(json, "quiet", true);
    if (instr_agent_pass_estimates(pass)) instr_json_bool(json, "estimated", true);
    instr_json_number(json, "limit_ppm", instr_max_overhead(options, pass) * PPM);
    json_patterns(json, "include", pass->include);
    json_patterns(json, "exclude", pass->exclude);
    instr_json_close(json, '}');
}

void instr_operation_json_options(struct instr_json *json, const struct instr_options *options) {
    const struct instr_match *include, *exclude;
    instr_json_open(json, "passes", '[');
    for (size_t i = 0; options && i < options->pass_count; i++)
        if (instr_find_pass(options, options->passes[i].pass) == &options->passes[i])
            instr_json_text(json, NULL, options->passes[i].pass->name);
    instr_json_close(json, ']');
    if (!options) return;
    instr_json_open(json, "enabled", '[');
    for (size_t i = 0; i < options->pass_count; i++)
        json_enabled(json, options, &options->passes[i]);
    instr_json_close(json, ']');
    instr_scope_common(options, &include, &exclude);
    json_patterns(json, "include", include);
    json_patterns(json, "exclude", exclude);
    char *text = instr_options_format(options);
    instr_json_text(json, "options", text ? text : "");
    free(text);
}

void instr_operation_json_overhead(struct instr_json *json, struct instr_agent *agent,
                                   const struct instr_plan *plan, JNIEnv *jni, uint64_t pause) {
    bool known = plan && plan->engine && instr_overhead_look(agent, plan, jni, pause);
    instr_json_open(json, "overhead", '[');
    for (size_t i = 0; known && i < plan->options.pass_count; i++) {
        const struct instr_pass_options *pass = &plan->options.passes[i];
        struct instr_overhead share;
        if (!instr_overhead_of(plan, i, &share)) continue;
        instr_json_open_flat(json, NULL, '{');
        instr_json_text(json, "pass", pass->pass->name);
        instr_json_text(json, "by", pass->owner.name[0] ? pass->owner.name : NULL);
        instr_json_number(json, "overhead_ppm", (share.code + share.compilers) * PPM);
        instr_json_number(json, "compilers_ppm", share.compilers * PPM);
        instr_json_number(json, "limit_ppm", instr_max_overhead(&plan->options, pass) * PPM);
        instr_json_close(json, '}');
    }
    instr_json_close(json, ']');
}

void instr_operation_note_interfaces(struct instr_reply *reply, unsigned skipped_interfaces) {
    char line[INSTR_ERROR_SIZE];
    if (!skipped_interfaces) return;
    instr_interfaces_skipped(skipped_interfaces, line, sizeof line);
    instr_reply_note(reply, "%s", line);
}

void instr_operation_note_over_limit(struct instr_reply *reply, unsigned over_limit) {
    if (over_limit)
        instr_reply_note(reply, "%u class%s skipped by max-classes or max-methods", over_limit,
                         over_limit == 1 ? "" : "es");
}

// The first command says it; status does at any time.
static void note_interfaces_once(struct instr_reply *reply, unsigned skipped_interfaces) {
    static bool noted;
    if (!noted) instr_operation_note_interfaces(reply, skipped_interfaces);
    noted |= skipped_interfaces != 0;
}

bool instr_operation_is_on_for(struct instr_agent *agent, const char *pass,
                               const struct instr_owner *owner) {
    unsigned ticket;
    bool on = false;
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    for (size_t i = 0; plan && i < plan->options.pass_count; i++)
        on |= strcmp(plan->options.passes[i].pass->name, pass) == 0 &&
              (!owner || instr_owner_same(&plan->options.passes[i].owner, owner));
    instr_plans_give_back(&agent->plans, ticket);
    return on;
}

bool instr_operation_is_on(struct instr_agent *agent, const char *pass) {
    return instr_operation_is_on_for(agent, pass, NULL);
}

char *instr_operation_escape(char *to, const char *value) {
    for (; *value; value++) {
        if (*value == ',' || *value == '\\') *to++ = '\\';
        *to++ = *value;
    }
    *to = '\0';
    return to;
}

int instr_operation_add_rule(struct instr_agent *agent, JNIEnv *jni, const char *name,
                             const char *text, struct instr_reconfigured *done, char *reason,
                             size_t size) {
    char *options = malloc(2 * strlen(text) + strlen(name) + 20);
    if (!options) {
        snprintf(reason, size, "out of memory");
        return 0;
    }
    sprintf(instr_operation_escape(stpcpy(options, "rule="), text), ",name=%s", name);
    done->of_command = 1;
    int ok = instr_reconfigure_enable(agent, jni, options, done, reason, size);
    free(options);
    return ok;
}

// --- what was skipped ---

enum { SKIPPED_SHOWN = 10 };

static void count_skipped(void *context, const struct instr_skipped_item *item) {
    (void)item;
    ++*(size_t *)context;
}

static size_t skipped_so_far(struct instr_agent *agent) {
    unsigned ticket;
    size_t count = 0;
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    if (plan && plan->engine) instr_engine_skipped(plan->engine, count_skipped, &count);
    instr_plans_give_back(&agent->plans, ticket);
    return count;
}

struct skipped_notes {
    struct instr_reply *reply;
    const struct instr_reconfigured *done;
    size_t index, shown, classes, methods;
};

// Is it among the refusals of the JVM, which are reported already?
static bool is_refusal(const struct instr_reconfigured *done, const char *class_name) {
    size_t length = strlen(class_name);
    for (unsigned i = 0; i < done->refusal_count; i++)
        if (strncmp(done->refusals[i], class_name, length) == 0 && done->refusals[i][length] == ':')
            return true;
    return false;
}

static void note_skipped(void *context, const struct instr_skipped_item *item) {
    struct skipped_notes *notes = context;
    if (notes->index++ < notes->reply->skipped_before || item->pass != -1) return;
    bool is_method = item->method[0] != '\0';
    if (!is_method && is_refusal(notes->done, item->class_name)) return;
    *(is_method ? &notes->methods : &notes->classes) += 1;
    if (notes->shown++ >= SKIPPED_SHOWN) return;
    char name[256];
    instr_reply_note(notes->reply, "%s%s%s: skipped: %s",
                     instr_dotted(item->class_name, name, sizeof name), is_method ? "." : "",
                     item->method, item->reason);
}

// Notes the classes and methods that the operation skipped because something failed.
static void note_all_skipped(struct instr_agent *agent, struct instr_reply *reply,
                             const struct instr_reconfigured *done) {
    unsigned ticket;
    struct skipped_notes notes = {.reply = reply, .done = done};
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    if (plan && plan->engine) instr_engine_skipped(plan->engine, note_skipped, &notes);
    instr_plans_give_back(&agent->plans, ticket);
    if (notes.shown > SKIPPED_SHOWN)
        instr_reply_note(reply,
                         "skipped in all: %zu class%s and %zu method%s; 'instr status' lists them",
                         notes.classes, notes.classes == 1 ? "" : "es", notes.methods,
                         notes.methods == 1 ? "" : "s");
}

void instr_operation_document(struct instr_agent *agent, struct instr_reply *reply,
                              const struct instr_reconfigured *done) {
    unsigned ticket;
    note_interfaces_once(reply, done->skipped_interfaces);
    instr_operation_note_over_limit(reply, done->over_limit);
    note_all_skipped(agent, reply, done);
    JNIEnv *jni = done->remaining ? NULL : instr_wake_jni();
    if (jni)
        instr_note_unmatched_rules(agent->jvmti, jni, reply, &agent->plans, reply->rule_before);
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&json, NULL, '{');
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    instr_operation_json_options(&json, plan ? &plan->options : NULL);
    instr_plans_give_back(&agent->plans, ticket);
    instr_json_number(&json, "classes", done->classes);
    instr_json_number(&json, "changed", done->changed);
    instr_json_number(&json, "restored", done->restored);
    instr_json_number(&json, "refused", done->refused);
    instr_json_open(&json, "refusals", '[');
    for (unsigned i = 0; i < done->refusal_count; i++)
        instr_json_text(&json, NULL, done->refusals[i]);
    instr_json_close(&json, ']');
    instr_json_number(&json, "interfaces_skipped", done->skipped_interfaces);
    instr_json_number(&json, "classes_over_limit", done->over_limit);
    instr_json_number(&json, "remaining", done->remaining);
    instr_json_number(&json, "elapsed_ns", done->elapsed);
    instr_json_number(&json, "longest_batch_ns", done->longest_batch);
    instr_json_number(&json, "longest_pause_ns", done->longest_pause);
    instr_json_open(&json, "results", '[');
    instr_output_bytes(json.out, reply->results.bytes, reply->results.used);
    instr_json_close(&json, ']');
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
    reply->has_results = !reply->failed;
}

// Notes what happened in the background after the reply to an earlier command.
static void note_unreported(struct instr_reply *reply) {
    struct instr_reconfigured *done = calloc(1, sizeof *done);
    if (done && instr_background_unreported(done)) {
        for (unsigned i = 0; i < done->refusal_count; i++)
            instr_reply_note(reply, "%s", done->refusals[i]);
        if (done->refused > done->refusal_count)
            instr_reply_note(reply, "and %u more that the JVM refused to change",
                             done->refused - done->refusal_count);
        note_interfaces_once(reply, done->skipped_interfaces);
    }
    free(done);
}

const char *instr_operation_argument(struct instr_request *request, struct instr_reply *reply,
                                     const char *what) {
    if (request->argc == 1) return request->argv[0];
    instr_reply_fail(reply, "%s: expects %s", request->name, what);
    return NULL;
}

static int into_results(void *context, const void *bytes, size_t length) {
    struct instr_bytes *results = context;
    if (results->used + length > MOST_RESULTS) return EFBIG;
    return instr_bytes_add(results, bytes, length);
}

// Classes change for many seconds before the client gets the result; it, or the JVM, may end meanwhile.
static void keep_table(struct instr_reply *reply, const struct instr_pass_options *pass,
                       const struct instr_report_format *format, const void *report) {
    struct instr_output out;
    char error[INSTR_ERROR_SIZE];
    size_t before = reply->tables.used;
    if (pass->terms.quiet) return;
    instr_output_sink(&out, into_results, &reply->tables);
    format->table(report, &out, pass->top);
    if (instr_output_close(&out, error, sizeof error) != 0) reply->tables.used = before;
}

// Adds a result to those of the reply. That of another client's command is for that client alone.
static bool take_result(void *context, const struct instr_pass_options *pass,
                        const struct instr_report_format *format, const void *report) {
    struct instr_reply *reply = context;
    struct instr_bytes *results = &reply->results;
    struct instr_output out;
    char error[INSTR_ERROR_SIZE];
    size_t before = results->used;
    if (instr_pass_is_of_command(pass)) return true;
    instr_output_sink(&out, into_results, results);
    const char *quote = pass->owner.name[0] ? "\"" : ""; // names have no characters to escape
    instr_output_format(&out, "%s{\"by\": %s%s%s, \"top\": %u, \"result\": ", before ? ", " : "",
                        quote, *quote ? pass->owner.name : "null", quote, pass->top);
    format->json(report, &out);
    instr_output_text(&out, "}");
    if (instr_output_close(&out, error, sizeof error) != 0) {
        results->used = before;
        return false;
    }
    keep_table(reply, pass, format, report);
    return true;
}

// Without include= most users do not expect what they get.
static void note_scope(struct instr_agent *agent, struct instr_reply *reply,
                       struct instr_packages *packages) {
    char text[400], example[80];
    unsigned ticket;
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    bool is_wide = false;
    for (size_t i = 0; plan && i < plan->options.pass_count; i++)
        is_wide |= !plan->options.passes[i].include && !plan->options.passes[i].only;
    if (!packages->classes) is_wide = false;
    instr_plans_give_back(&agent->plans, ticket);
    if (!is_wide) return;
    char *command = NULL; // "com.acme.Main argument"
    if ((*agent->jvmti)->GetSystemProperty(agent->jvmti, "sun.java.command", &command) !=
        JVMTI_ERROR_NONE)
        command = NULL;
    instr_packages_text(packages, command, text, sizeof text, example, sizeof example);
    (*agent->jvmti)->Deallocate(agent->jvmti, (unsigned char *)command);
    instr_reply_note(reply,
                     "in scope: all classes outside of the JDK, now %u: %s; "
                     "include=%s narrows it",
                     packages->classes, text, *example ? example : "PATTERN");
}

bool instr_operation_run(struct instr_request *request, struct instr_reply *reply,
                         instr_operation *function, const char *text,
                         struct instr_reconfigured *done) {
    char reason[INSTR_ERROR_SIZE];
    const struct instr_results_taker taker = {take_result, reply};
    JNIEnv *jni = instr_reply_jni(reply);
    note_unreported(reply);
    if (!done) instr_reply_fail(reply, "out of memory");
    struct instr_owner owner;
    if (!jni || !done || !instr_operation_owner(request, reply, &owner)) return false;
    done->owner = &owner;
    free(instr_results_unwritten()); // of an earlier operation that no command asked for
    struct instr_packages packages = {.count = 0};
    bool is_enable = strcmp(request->name, "enable") == 0;
    struct instr_patterns patterns = {NULL, 0, 0};
    bool has_scope = is_enable || (strcmp(request->name, "set") == 0 && strstr(text, "clude="));
    if (is_enable) done->packages = &packages;
    if (has_scope) done->patterns = &patterns;
    if (strcmp(request->name, "revert") == 0 && text) instr_patterns_add_text(&patterns, "", text);
    done->taker = &taker;
    done->defer = strcmp(request->name, "off") != 0;
    reply->skipped_before = skipped_so_far(request->agent);
    reply->rule_before = instr_last_rule(&request->agent->plans);
    bool ok = function(request->agent, jni, text, done, reason, sizeof reason);
    done->taker = NULL;
    done->owner = NULL;
    done->packages = NULL;
    done->patterns = NULL;
    if (ok && is_enable) note_scope(request->agent, reply, &packages);
    if (ok) instr_note_unmatched(request->agent->jvmti, jni, reply, &patterns);
    instr_patterns_close(&patterns);
    if (!ok) instr_reply_fail(reply, "%s", reason);
    return ok;
}

// The operation succeeded, but a result could not be written. For the kill switch a note is enough:
// the passes are off.
static void report_unwritten(struct instr_request *request, struct instr_reply *reply) {
    char *line = instr_results_unwritten();
    if (line && strcmp(request->name, "off") == 0)
        instr_reply_note(reply, "%s", line);
    else if (line)
        instr_reply_fail(reply, "%s", line);
    free(line);
}

// --- waiting for the background thread ---

// A client that waits for the background thread.
struct waiting {
    struct instr_agent *agent;
    uint64_t generation; // of the queue
    uint64_t number;     // of the operation
    uint64_t since;      // ns; when it began to wait
    uint64_t until;      // ns; then the reply says how far it got
    uint64_t note_at;    // ns
    instr_operation_end *end;
    char *enabled; // the options that the command `enable` has switched on; NULL: it is another one
    struct instr_owner owner; // who did
};

// The first pass of the options that is off for its owner, with its length; NULL: all are on.
static const char *find_off(const struct waiting *w, size_t *length) {
    char name[64];
    for (const char *word = w->enabled; *word; word += *length + (word[*length] == ',')) {
        *length = strcspn(word, ",");
        if (memchr(word, '=', *length) || *length == 0 || *length >= sizeof name) continue;
        memcpy(name, word, *length);
        name[*length] = '\0';
        if (!instr_operation_is_on_for(w->agent, name, &w->owner)) return word;
    }
    return NULL;
}

// Another command has taken the queue over, or switched a pass off. What it does includes what is left of this one, unless
// it has switched the passes off. Returns 0: the reply has failed.
static int follow_other(struct waiting *w, struct instr_reply *reply, uint64_t generation) {
    size_t length = 0;
    const char *off = w->enabled ? find_off(w, &length) : NULL;
    struct instr_end end;
    bool ended = off && instr_ends_since(off, length, w->since, &end);
    w->generation = generation;
    w->number = instr_background_last();
    if (ended)
        instr_reply_fail(reply, "pass '%.*s' was switched off: %s", (int)length, off, end.why);
    else if (off)
        instr_reply_fail(reply,
                         "another command switched pass '%.*s' off before all classes were "
                         "changed",
                         (int)length, off);
    else if (w->end)
        instr_reply_fail(reply, "another command interrupted this one before all classes were "
                                "changed; 'instr status' shows what is active now");
    return !off && !w->end;
}

static void note_progress(struct instr_reply *reply, const struct instr_background_progress *p) {
    char done[INSTR_NUMBER_SIZE], total[INSTR_NUMBER_SIZE], left[INSTR_DURATION_SIZE];
    const char *about = p->left ? ", about " : "", *time = "", *end = p->left ? " left" : "";
    if (p->left) time = instr_duration(p->left, left);
    if (p->before)
        instr_reply_note(reply, "%s classes of %s come first, then %s of this command%s%s%s",
                         instr_number(p->before, done), *p->by ? p->by : "other commands",
                         instr_number(p->total - p->done, total), about, time, end);
    else
        instr_reply_note(reply, "%s of %s classes so far%s%s%s", instr_number(p->done, done),
                         instr_number(p->total, total), about, time, end);
}

// Is there more to wait for? *next: when to look again.
static bool goes_on(struct waiting *w, struct instr_reply *reply, uint64_t now,
                    const struct instr_background_progress *p, uint64_t *next) {
    if (now >= w->until) return false;
    if (now >= w->note_at) {
        note_progress(reply, p);
        w->note_at = now + NOTE_MS * MILLISECOND;
    }
    *next = w->until < w->note_at ? w->until : w->note_at;
    return true;
}

static uint64_t wait_for_background(void *context, struct instr_reply *reply, uint64_t now) {
    struct waiting *w = context;
    uint64_t generation = instr_reconfigure_progress().generation, next;
    // With passes of others that stay on the queue may stay, too.
    size_t length;
    bool is_off = w->enabled && find_off(w, &length);
    if ((is_off || generation != w->generation) && !follow_other(w, reply, generation)) return 0;
    struct instr_background_progress p;
    struct instr_reconfigured *done = calloc(1, sizeof *done);
    if (!done) {
        instr_reply_fail(reply, "out of memory");
        return 0;
    }
    bool more = instr_background_of(w->number, &p, done);
    if (more && goes_on(w, reply, now, &p, &next)) {
        free(done);
        return next;
    }
    done->remaining = (unsigned)(p.total - p.done);
    if (!w->end || w->end(w->agent, reply, done)) instr_operation_document(w->agent, reply, done);
    free(done);
    return 0;
}

static void end_waiting(void *context, struct instr_reply *reply) {
    struct waiting *w = context;
    (void)reply;
    free(w->enabled);
    free(w);
}

// The last operation of who gives this command that has classes in the queue, with their number; 0: there is none. What
// is enabled again waits there.
static uint64_t find_earlier(struct instr_request *request, struct instr_reply *reply,
                             unsigned *left) {
    struct instr_background_progress p;
    struct instr_owner owner;
    *left = 0;
    if (strcmp(request->name, "enable") != 0 || !instr_operation_owner(request, reply, &owner))
        return 0;
    uint64_t number = instr_background_last_of(instr_owner_text(&owner));
    struct instr_reconfigured *done = number ? calloc(1, sizeof *done) : NULL;
    if (done && instr_background_of(number, &p, done)) *left = (unsigned)(p.total - p.done);
    free(done);
    return *left ? number : 0;
}

bool instr_operation_reply_within(struct instr_request *request, struct instr_reply *reply,
                                  instr_operation *function, const char *text, uint64_t wait,
                                  instr_operation_end *end) {
    struct instr_reconfigured *done = calloc(1, sizeof *done);
    struct waiting *w = calloc(1, sizeof *w);
    if (done) done->all = request->all;
    uint64_t now = instr_clock_now(), earlier = 0;
    if (!w) instr_reply_fail(reply, "out of memory");
    bool ok = w && instr_operation_run(request, reply, function, text, done);
    if (ok && !done->classes && !done->remaining)
        earlier = find_earlier(request, reply, &done->remaining);
    // Whoever changes a few classes expects them to be changed when the command returns.
    if (ok && done->remaining <= INSTR_FEW && wait < FEW_MS * MILLISECOND)
        wait = FEW_MS * MILLISECOND;
    if (ok && done->remaining) {
        *w = (struct waiting){.agent = request->agent,
                              .generation = instr_reconfigure_progress().generation,
                              .number = earlier ? earlier : instr_background_last(),
                              .since = now,
                              .until = wait < INSTR_NEVER - now ? now + wait : INSTR_NEVER,
                              .note_at = now + NOTE_MS * MILLISECOND,
                              .end = end};
        if (strcmp(request->name, "enable") == 0 &&
            instr_operation_owner(request, reply, &w->owner))
            w->enabled = strdup(text);
        instr_reply_stream(reply, &(struct instr_stream){wait_for_background, end_waiting, w});
        w = NULL;
    } else if (ok && (!end || end(request->agent, reply, done))) {
        instr_operation_document(request->agent, reply, done);
    }
    report_unwritten(request, reply);
    free(done);
    free(w);
    return ok;
}

bool instr_operation_reply(struct instr_request *request, struct instr_reply *reply,
                           instr_operation *function, const char *text) {
    return instr_operation_reply_within(request, reply, function, text, INSTR_NEVER, NULL);
}
