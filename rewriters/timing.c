// timing: calls and exceptional exits of each method, and how long they took.
//
//      entry:        id; enter -> saved; System.nanoTime -> start      (construct, in a
//      constructor) after super:  id; initialized exit:         start, saved, id; exit exception:
//      start, saved, id; thrown      (thrownEarly before the delegate call)
//
// `saved` is what the thread had spent in timed methods by then: self time is what was not added to
// it. The clock is read last at the entry and first at the exit, so that the pass measures little
// of itself.

#include "rewriters/rewriter.h"
#include "rewriters/common.h"

enum { ENTER, CONSTRUCT, INITIALIZED, EXIT, THROWN, THROWN_EARLY, NANO_TIME };

static const struct cf_callee *callees_of(struct rw_class *cls) {
    static const struct cf_method_name names[] = {
        [ENTER] = CF_METHOD_OF("InstrTiming", "enter", "(I)J"),
        [CONSTRUCT] = CF_METHOD_NAME("construct", "(I)J"),
        [INITIALIZED] = CF_METHOD_NAME("initialized", "(I)V"),
        [EXIT] = CF_METHOD_NAME("exit", "(JJI)V"),
        [THROWN] = CF_METHOD_NAME("thrown", "(JJI)V"),
        [THROWN_EARLY] = CF_METHOD_NAME("thrownEarly", "(JJI)V"),
        [NANO_TIME] = CF_METHOD_OF("java/lang/System", "nanoTime", "()J"),
    };
    return rw_callees(cls, names, sizeof names / sizeof *names);
}

struct timed { // a method being edited
    struct rw_class *cls;
    struct cf_edit *edit;
    const struct cf_callee *callees;
    int id;
    uint32_t saved, start; // locals
};

static const struct cf_snippet *entry(const struct timed *t, unsigned which) {
    struct cf_snippet *s = cf_snippet_new(t->edit);
    cf_push_int(s, t->id);
    cf_call(s, t->callees[which]);
    cf_local(s, CF_OP_lstore, t->saved);
    cf_call(s, t->callees[NANO_TIME]);
    cf_local(s, CF_OP_lstore, t->start);
    return s;
}

static const struct cf_snippet *initialized(const struct timed *t) {
    struct cf_snippet *s = cf_snippet_new(t->edit);
    cf_push_int(s, t->id);
    cf_call(s, t->callees[INITIALIZED]);
    return s;
}

// All ways out look alike; they differ in what they call.
static const struct cf_snippet *leave(const struct timed *t) {
    struct cf_snippet *s = cf_snippet_new(t->edit);
    cf_local(s, CF_OP_lload, t->start);
    cf_local(s, CF_OP_lload, t->saved);
    cf_push_int(s, t->id);
    cf_call(s, t->callees[THROWN]);
    return s;
}

static enum cf_status edit_method(struct rw_class *cls, struct cf_edit *edit) {
    struct timed t = {cls, edit, NULL, 0, 0, 0};
    if (rw_leave_alone(edit)) return CF_OK;
    CF_TRY(rw_method_id(cls, edit, &t.id));
    CF_TRY(cf_edit_constructor(edit));
    t.callees = callees_of(cls);
    t.saved = cf_new_local(edit, "J", 1);
    t.start = cf_new_local(edit, "J", 1);
    int constructs = edit->constructor; // even if it never gets to a delegate call
    // Written before it is needed: a copy of what was written just now would have to wait for it.
    const struct cf_snippet *thrown = leave(&t);
    cf_insert_entry(edit, entry(&t, constructs ? CONSTRUCT : ENTER));
    if (constructs) {
        cf_insert_constructed(edit, initialized(&t));
        cf_insert_thrown_early(edit, cf_snippet_like(thrown, t.callees[THROWN_EARLY]));
    }
    if (edit->code.returns_count) cf_insert_exits(edit, cf_snippet_like(thrown, t.callees[EXIT]));
    cf_insert_thrown(edit, thrown);
    return edit->error.status;
}

const struct rw_pass rw_pass_timing = {
    .name = "timing",
    .help = "calls, exceptional exits, inclusive and self time, and latencies of each method",
    .flags = RW_OBSERVES_SPEED,
    .timed = 1,
    .runtime_class = "InstrTiming",
    .edit = edit_method,
};
