// timing: calls and exceptional exits of each method, and how long they took.
//
//      entry:        0, 0, id; enter -> saved; 0, 0, 0; clock -> start      (construct, in a
//      constructor) after super:  0, 0, id; initialized exit:         start, saved, id; exit
//      exception:    start, saved, id; thrown      (thrown_early before the delegate call)
//
// `saved` is what the thread had spent in timed methods by then: self time is what was not added to
// it. The clock is read last at the entry and first at the exit, so that the pass measures little
// of itself.
//
// All of it is calls of one method, which is told what for: a JVM that retransforms a class looks
// for each new constant in all of its old ones, and that would take it longer than all the rest.
// For the same reason an id is no constant, however large: its low 16 bits come first, and then the
// others with what has happened.

#include "rewriters/rewriter.h"
#include "rewriters/common.h"

// As in InstrTiming. Those from 0 on are iconst_N as long as they are alone.
enum what { CLOCK = -1, EXIT, ENTER, THROWN, THROWN_EARLY, CONSTRUCT, INITIALIZED };
enum { WHAT_BITS = 3, LOW_BITS = 16 };
enum { WHAT_FROM_END = 5 }; // in a snippet that ends with: what, invokestatic, pop2

static struct cf_callee callee_of(struct rw_class *cls) {
    static const struct cf_method_name names[] = {
        CF_METHOD_OF("InstrTiming", "timing", "(JJII)J"),
    };
    return *rw_callees(cls, names, sizeof names / sizeof *names);
}

struct timed { // a method being edited
    struct cf_edit *edit;
    struct cf_callee callee;
    int id;
    uint32_t saved, start; // locals
};

// The id and what has happened to it. In 127 there is room for all ids (INSTR_METHODS_MAX).
static inline void push_what(struct cf_snippet *s, int id, enum what what) {
    int high = id >> LOW_BITS;
    cf_push_int(s, (int16_t)(id & 0xffff));
    if (high)
        cf_push_number(s, high << WHAT_BITS | (int)what);
    else
        cf_plain_op(s, (enum cf_opcode)((int)CF_OP_iconst_0 + (int)what), 0, 1);
}

static inline void push_nothing(struct cf_snippet *s) {
    cf_plain_op(s, CF_OP_lconst_0, 0, 2);
    cf_plain_op(s, CF_OP_lconst_0, 0, 2);
}

static const struct cf_snippet *entry(const struct timed *t, enum what what) {
    struct cf_snippet *s = cf_snippet_new(t->edit);
    push_nothing(s);
    push_what(s, t->id, what);
    cf_call(s, t->callee);
    cf_local(s, CF_OP_lstore, t->saved);
    push_nothing(s);
    cf_plain_op(s, CF_OP_iconst_0, 0, 1);
    cf_plain_op(s, CF_OP_iconst_m1, 0, 1); // CLOCK
    cf_call(s, t->callee);
    cf_local(s, CF_OP_lstore, t->start);
    return s;
}

static const struct cf_snippet *initialized(const struct timed *t) {
    struct cf_snippet *s = cf_snippet_new(t->edit);
    push_nothing(s);
    push_what(s, t->id, INITIALIZED);
    cf_call(s, t->callee);
    cf_plain_op(s, CF_OP_pop2, 2, 0);
    return s;
}

// All ways out look alike; they differ in what has happened.
static const struct cf_snippet *leave(const struct timed *t) {
    struct cf_snippet *s = cf_snippet_new(t->edit);
    cf_local(s, CF_OP_lload, t->start);
    cf_local(s, CF_OP_lload, t->saved);
    push_what(s, t->id, EXIT);
    cf_call(s, t->callee);
    cf_plain_op(s, CF_OP_pop2, 2, 0);
    return s;
}

static enum cf_status edit_method(struct rw_class *cls, struct cf_edit *edit) {
    struct timed t = {edit, {0, 0, 0}, 0, 0, 0};
    if (rw_leave_alone(edit)) return CF_OK;
    CF_TRY(rw_method_id(cls, edit, &t.id));
    CF_TRY(cf_edit_constructor(edit));
    t.callee = callee_of(cls);
    t.saved = cf_new_local(edit, "J", 1);
    t.start = cf_new_local(edit, "J", 1);
    int constructs = edit->constructor; // even if it never gets to a delegate call
    // Written before it is needed: a copy of what was written just now would have to wait for it.
    const struct cf_snippet *left = leave(&t);
    cf_insert_entry(edit, entry(&t, constructs ? CONSTRUCT : ENTER));
    if (constructs) {
        cf_insert_constructed(edit, initialized(&t));
        cf_insert_thrown_early(edit, cf_snippet_like(left, WHAT_FROM_END, THROWN_EARLY));
    }
    if (edit->code.returns_count) cf_insert_exits(edit, left);
    cf_insert_thrown(edit, cf_snippet_like(left, WHAT_FROM_END, THROWN));
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
