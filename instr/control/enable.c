// The command enable.

#include "instr/control/operation.h"

#include "instr/base/clock.h"
#include "instr/report/text.h"
#include "instr/retransform/background.h"
#include "instr/retransform/native_prefix.h"

#include <stdlib.h>

#define MILLISECOND UINT64_C(1000000)
enum { NOTE_MS = 1000, METHODS_SHOWN = 10 };

// A client that waits for the background thread.
struct waiting {
    struct instr_agent *agent;
    uint64_t generation; // of the queue
    uint64_t until;      // ns; then the reply says how far it got
    uint64_t note_at;    // ns
};

static void note_progress(struct instr_reply *reply, const struct instr_reconfigure_progress *p) {
    char done[INSTR_NUMBER_SIZE], total[INSTR_NUMBER_SIZE];
    instr_reply_note(reply, "%s of %s classes so far", instr_number(p->done, done),
                     instr_number(p->total, total));
}

static uint64_t wait_for_background(void *context, struct instr_reply *reply, uint64_t now) {
    struct waiting *w = context;
    struct instr_reconfigure_progress p = instr_reconfigure_progress();
    if (p.generation != w->generation) {
        instr_reply_fail(reply, "another command interrupted this one before all classes were "
                                "changed; 'instr status' shows what is active now");
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
    instr_operation_document(w->agent, reply, done);
    free(done);
    return 0;
}

static void end_waiting(void *context, struct instr_reply *reply) {
    (void)reply;
    free(context);
}

static void note_method(void *reply, const char *method) {
    instr_reply_note(reply, "  %s", method);
}

// Lists the native methods in scope that cannot be wrapped because their classes are loaded.
static void note_unwrapped(struct instr_agent *agent, struct instr_reply *reply) {
    unsigned ticket;
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    for (size_t i = 0; plan && plan->engine && i < plan->options.pass_count; i++) {
        size_t count =
            instr_native_prefix_unwrapped(plan->engine, &plan->options, i, 0, note_method, reply);
        if (!count) continue;
        instr_reply_note(reply,
                         "%s: %zu native method%s cannot be wrapped because %s already loaded; "
                         "methods of classes loaded from now on are wrapped:",
                         plan->options.passes[i].pass->name, count, count == 1 ? "" : "s",
                         count == 1 ? "its class was" : "their classes were");
        instr_native_prefix_unwrapped(plan->engine, &plan->options, i, METHODS_SHOWN, note_method,
                                      reply);
        if (count > METHODS_SHOWN)
            instr_reply_note(reply, "  and %zu more; 'instr status' lists them",
                             count - METHODS_SHOWN);
    }
    instr_plans_give_back(&agent->plans, ticket);
}

// Waits at most `wait` ns for the classes that were queued.
static int enable(struct instr_request *request, struct instr_reply *reply, const char *text,
                  uint64_t wait) {
    struct instr_reconfigured *done = calloc(1, sizeof *done);
    struct waiting *w = calloc(1, sizeof *w);
    uint64_t now = instr_clock_now();
    if (!w) instr_reply_fail(reply, "out of memory");
    int ok = w && instr_operation_run(request, reply, instr_reconfigure_enable_first, text, done);
    if (ok && done->remaining) {
        *w = (struct waiting){.agent = request->agent,
                              .generation = instr_reconfigure_progress().generation,
                              .until = wait < INSTR_NEVER - now ? now + wait : INSTR_NEVER,
                              .note_at = now + NOTE_MS * MILLISECOND};
        instr_reply_stream(reply, &(struct instr_stream){wait_for_background, end_waiting, w});
        w = NULL;
    } else if (ok) {
        instr_operation_document(request->agent, reply, done);
    }
    free(done);
    free(w);
    return ok;
}

static int parse_wait(const char *text, uint64_t *wait) {
    char *end;
    unsigned long ms = strtoul(text, &end, 10);
    *wait = ms * MILLISECOND;
    return !*end && end != text && ms <= 3600 * 1000;
}

// enable OPTIONS [MILLISECONDS]: replies when all classes are changed, or after that time, when at
// least the first ones are.
void instr_command_enable(struct instr_request *request, struct instr_reply *reply) {
    uint64_t wait = INSTR_NEVER;
    if (request->argc == 2 && parse_wait(request->argv[1], &wait)) request->argc = 1;
    const char *text =
        instr_operation_argument(request, reply, "one list of options, and perhaps milliseconds");
    if (text && enable(request, reply, text, wait)) note_unwrapped(request->agent, reply);
}
