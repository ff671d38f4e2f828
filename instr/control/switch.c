// The commands that switch passes on and off. Each answers with one document:
//
//      {"passes": [name], "include", "exclude", "options", "classes": retransformed, "changed": of
//      these,
//       "refused": the JVM did not let be changed, "refusals": [the first of them, each with its
//       reason], "interfaces_skipped": with code, which HotSpot does not bear to be changed
//       (untouchable.h), "following": classes that are to come yet, "elapsed_ns",
//       "longest_batch_ns"}
//
// An answer that tells of refusals among classes which came later than the answer to their command
// does so in notes.

#include "instr/control/commands.h"
#include "instr/vm/untouchable.h"
#include "instr/base/json.h"
#include "instr/retransform/redefine.h"
#include "instr/report/text.h"
#include "instr/passes/results.h"
#include "instr/retransform/reconfigure.h"
#include "instr/retransform/background.h"
#include "instr/retransform/native_prefix.h"
#include "instr/base/clock.h"

#include <stdlib.h>
#include <string.h>

void instr_json_options(struct instr_json *json, const struct instr_options *options) {
    instr_json_open(json, "passes", '[');
    for (size_t i = 0; options && i < options->pass_count; i++)
        instr_json_text(json, NULL, options->passes[i].pass->name);
    instr_json_close(json, ']');
    if (!options) return;
    instr_json_text(json, "include", options->include ? instr_match_text(options->include) : NULL);
    instr_json_text(json, "exclude", options->exclude ? instr_match_text(options->exclude) : NULL);
    char *text = instr_options_format(options);
    instr_json_text(json, "options", text ? text : "");
    free(text);
}

void instr_reply_skipped_interfaces(struct instr_reply *reply, unsigned skipped_interfaces) {
    char line[INSTR_ERROR_SIZE];
    if (!skipped_interfaces) return;
    instr_interfaces_tell(skipped_interfaces, line, sizeof line);
    instr_reply_note(reply, "%s", line);
}

static void answer(struct instr_request *request, struct instr_reply *reply,
                   const struct instr_reconfigured *done) {
    unsigned ticket;
    instr_reply_skipped_interfaces(reply, done->skipped_interfaces);
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&json, NULL, '{');
    const struct instr_plan *plan = instr_plans_take(&request->agent->plans, &ticket);
    instr_json_options(&json, plan ? &plan->options : NULL);
    instr_plans_give_back(&request->agent->plans, ticket);
    instr_json_number(&json, "classes", done->classes);
    instr_json_number(&json, "changed", done->changed);
    instr_json_number(&json, "refused", done->refused);
    instr_json_open(&json, "refusals", '[');
    for (unsigned i = 0; i < done->refusal_count; i++)
        instr_json_text(&json, NULL, done->refusals[i]);
    instr_json_close(&json, ']');
    instr_json_number(&json, "interfaces_skipped", done->skipped_interfaces);
    instr_json_number(&json, "following", done->remaining);
    instr_json_number(&json, "elapsed_ns", done->elapsed);
    instr_json_number(&json, "longest_batch_ns", done->longest_batch);
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
}

// What came of classes after their command had been answered.
static void note_unreported(struct instr_reply *reply) {
    struct instr_reconfigured *done = calloc(1, sizeof *done);
    if (done && instr_background_unreported(done)) {
        for (unsigned i = 0; i < done->refusal_count; i++)
            instr_reply_note(reply, "%s", done->refusals[i]);
        if (done->refused > done->refusal_count)
            instr_reply_note(reply, "and %u more that the JVM did not let be changed",
                             done->refused - done->refusal_count);
        instr_reply_skipped_interfaces(reply, done->skipped_interfaces);
    }
    free(done);
}

// The only argument; NULL: there are others than one, and the reply has failed.
static const char *argument(struct instr_request *request, struct instr_reply *reply,
                            const char *what) {
    if (request->argc == 1) return request->argv[0];
    instr_reply_fail(reply, "%s: expects %s", request->name, what);
    return NULL;
}

typedef int operation(struct instr_agent *agent, JNIEnv *jni, const char *text,
                      struct instr_reconfigured *done, char *reason, size_t size);

// It was done, but a result is lost. Of the kill switch it is enough to know that it was thrown.
static void report_unwritten(struct instr_request *request, struct instr_reply *reply) {
    char *line = instr_results_unwritten();
    if (line && strcmp(request->name, "off") == 0)
        instr_reply_note(reply, "%s", line);
    else if (line)
        instr_reply_fail(reply, "%s", line);
    free(line);
}

// Did it succeed?
static int operate(struct instr_request *request, struct instr_reply *reply, operation *function,
                   const char *text) {
    struct instr_reconfigured *done = calloc(1, sizeof *done);
    char reason[INSTR_ERROR_SIZE];
    JNIEnv *jni = instr_reply_jni(reply);
    int ok = 0;
    note_unreported(reply);
    if (!done) instr_reply_fail(reply, "out of memory");
    if (jni && done) {
        free(instr_results_unwritten()); // of before, when nobody asked
        ok = function(request->agent, jni, text, done, reason, sizeof reason);
        if (ok)
            answer(request, reply, done);
        else
            instr_reply_fail(reply, "%s", reason);
        report_unwritten(request, reply);
    }
    free(done);
    return ok;
}

static void note_method(void *reply, const char *method) {
    instr_reply_note(reply, "  %s", method);
}

// Whoever asks for wrappers where classes are loaded should know which ones there will not be.
static void note_unwrapped(struct instr_request *request, struct instr_reply *reply) {
    enum { SHOWN = 10 };
    unsigned ticket;
    const struct instr_plan *plan = instr_plans_take(&request->agent->plans, &ticket);
    for (size_t i = 0; plan && plan->engine && i < plan->options.pass_count; i++) {
        size_t count =
            instr_native_prefix_unwrapped(plan->engine, &plan->options, i, 0, note_method, reply);
        if (!count) continue;
        instr_reply_note(reply,
                         "%s: %zu native method%s cannot be wrapped, as %s loaded before; what is "
                         "loaded from now on is wrapped:",
                         plan->options.passes[i].pass->name, count, count == 1 ? "" : "s",
                         count == 1 ? "its class was" : "their classes were");
        instr_native_prefix_unwrapped(plan->engine, &plan->options, i, SHOWN, note_method, reply);
        if (count > SHOWN)
            instr_reply_note(reply, "  and %zu more; 'instr status' tells which", count - SHOWN);
    }
    instr_plans_give_back(&request->agent->plans, ticket);
}

// --- enable ---

#define MILLISECOND UINT64_C(1000000)
enum { NOTE_MS = 1000 };

// A client that waits for the rest of the classes.
struct waiting {
    struct instr_request request;
    uint64_t generation;
    uint64_t until;   // ns; then it is answered with what was done by then
    uint64_t note_at; // ns
};

static void note_progress(struct instr_reply *reply, const struct instr_reconfigure_progress *p) {
    char done[INSTR_NUMBER_SIZE], all[INSTR_NUMBER_SIZE];
    instr_reply_note(reply, "%s of %s classes so far", instr_number(p->done, done),
                     instr_number(p->total, all));
}

static uint64_t wait_for_rest(void *context, struct instr_reply *reply, uint64_t now) {
    struct waiting *w = context;
    struct instr_reconfigure_progress p = instr_reconfigure_progress();
    if (p.generation != w->generation) {
        instr_reply_fail(reply, "another command came before all classes were changed; 'instr "
                                "status' tells what is on now");
        return 0;
    }
    if (p.total && now < w->until) {
        if (now >= w->note_at) {
            note_progress(reply, &p);
            w->note_at = now + NOTE_MS * MILLISECOND;
        }
        return w->until < w->note_at ? w->until : w->note_at;
    }
    struct instr_reconfigured *done = calloc(1, sizeof *done);
    if (!done) {
        instr_reply_fail(reply, "out of memory");
        return 0;
    }
    instr_background_done(done);
    done->remaining = (unsigned)(p.total - p.done);
    answer(&w->request, reply, done);
    free(done);
    return 0;
}

static void end_waiting(void *context, struct instr_reply *reply) {
    (void)reply;
    free(context);
}

static int enable_first(struct instr_request *request, struct instr_reply *reply, const char *text,
                        uint64_t wait) {
    struct instr_reconfigured *done = calloc(1, sizeof *done);
    struct waiting *w = calloc(1, sizeof *w);
    char reason[INSTR_ERROR_SIZE];
    uint64_t now = instr_clock_now();
    JNIEnv *jni = instr_reply_jni(reply);
    int ok = 0;
    note_unreported(reply);
    if (!done || !w) instr_reply_fail(reply, "out of memory");
    if (jni && done && w) {
        ok = instr_reconfigure_enable_first(request->agent, jni, text, done, reason, sizeof reason);
        if (!ok) instr_reply_fail(reply, "%s", reason);
    }
    if (ok && done->remaining) {
        *w = (struct waiting){.request = {.agent = request->agent},
                              .generation = instr_reconfigure_progress().generation,
                              .until = wait < INSTR_NEVER - now ? now + wait : INSTR_NEVER,
                              .note_at = now + NOTE_MS * MILLISECOND};
        instr_reply_stream(reply, &(struct instr_stream){wait_for_rest, end_waiting, w});
        w = NULL;
    } else if (ok) {
        answer(request, reply, done);
    }
    free(done);
    free(w);
    return ok;
}

// enable OPTIONS [MILLISECONDS]: it is answered when all classes are changed, or, with a number,
// after that time when the first ones are.
void instr_command_enable(struct instr_request *request, struct instr_reply *reply) {
    char *end = NULL;
    uint64_t wait = INSTR_NEVER;
    if (request->argc == 2) {
        unsigned long ms = strtoul(request->argv[1], &end, 10);
        if (*end || end == request->argv[1] || ms > 3600 * 1000) request->argc = 0;
        wait = ms * MILLISECOND;
        if (request->argc) request->argc = 1;
    }
    const char *text = argument(request, reply, "one list of options, and perhaps milliseconds");
    if (text && enable_first(request, reply, text, wait)) note_unwrapped(request, reply);
}

// set KEY=VALUE
void instr_command_set(struct instr_request *request, struct instr_reply *reply) {
    const char *text = argument(request, reply, "key=value");
    if (text) operate(request, reply, instr_reconfigure_set, text);
}

// disable PASS
void instr_command_disable(struct instr_request *request, struct instr_reply *reply) {
    const char *text = argument(request, reply, "the name of a pass");
    if (text) operate(request, reply, instr_reconfigure_disable, text);
}

// revert [PATTERNS]
void instr_command_revert(struct instr_request *request, struct instr_reply *reply) {
    const char *text = request->argc ? argument(request, reply, "patterns, or nothing") : NULL;
    if (text || !request->argc) operate(request, reply, instr_reconfigure_revert, text);
}

// off: the same as revert for all, whatever it is called with.
void instr_command_off(struct instr_request *request, struct instr_reply *reply) {
    operate(request, reply, instr_reconfigure_revert, NULL);
}

// write: the files of the passes as they stand.
void instr_command_write(struct instr_request *request, struct instr_reply *reply) {
    char reason[INSTR_ERROR_SIZE];
    JNIEnv *jni = instr_reply_jni(reply);
    if (!jni) return;
    if (instr_reconfigure_write(request->agent, jni, reason, sizeof reason)) {
        struct instr_reconfigured none = {0};
        answer(request, reply, &none);
    } else {
        instr_reply_fail(reply, "%s", reason);
    }
}

static int detach(struct instr_agent *agent, JNIEnv *jni, const char *text,
                  struct instr_reconfigured *done, char *reason, size_t size) {
    (void)text;
    return instr_reconfigure_detach(agent, jni, done, reason, size);
}

static void pass_over(void *context, const char *name) {
    (void)name;
    ++*(size_t *)context;
}

// What was redefined gets its own code back, too.
static void undo_all(struct instr_request *request, struct instr_reply *reply) {
    char reason[INSTR_ERROR_SIZE];
    size_t undone = 0;
    JNIEnv *jni = instr_reply_jni(reply);
    if (!jni || !instr_redefine_any()) return;
    int ok =
        instr_redefine_undo(request->agent, jni, NULL, pass_over, &undone, reason, sizeof reason);
    if (!ok && instr_redefine_any()) instr_reply_note(reply, "%s", reason);
    if (ok)
        instr_reply_note(reply, "%zu redefined %s got back what was there before", undone,
                         undone == 1 ? "class" : "classes");
}

// detach: when it is answered the socket is gone.
void instr_command_detach(struct instr_request *request, struct instr_reply *reply) {
    undo_all(request, reply);
    if (!operate(request, reply, detach, NULL)) return;
    if (atomic_load(&request->agent->state) != INSTR_ABSENT)
        instr_reply_note(reply,
                         "native methods were wrapped, which stays so as long as their classes: "
                         "the wrappers do nothing but call them, and the library has an eye on "
                         "these classes");
    instr_reply_stop_control(reply);
}
