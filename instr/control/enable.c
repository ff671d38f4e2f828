// The command enable.

#include "instr/control/operation.h"

#include "instr/base/clock.h"
#include "instr/retransform/native_prefix.h"

#include <stdlib.h>

#define MILLISECOND UINT64_C(1000000)
enum { METHODS_SHOWN = 10 };

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
    if (text &&
        instr_operation_reply_within(request, reply, instr_reconfigure_enable, text, wait, NULL))
        note_unwrapped(request->agent, reply);
}
