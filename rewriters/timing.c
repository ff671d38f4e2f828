// timing: calls and exceptional exits of each method, and how long they took.
//
//      entry:        id; enter -> saved; System.nanoTime -> start     (construct, in a constructor)
//      after super:  id; initialized                (or what others have at the entry: plain_constructor.h)
//      exit:         start, saved, id; exit
//      exception:    start, saved, id; thrown      (thrownEarly, before the delegate call)
//
// `saved` is the time that the thread had spent in timed methods when the method was entered; self
// time is the total minus what was added to it since. The clock is read last at the entry and first
// at the exit, so that the pass measures little of its own code.
//
// When the pass is on for several owners, one pair of calls lies within the other. The inner one must
// not count as time that the method spends in others: its exits are exitInner and thrownInner.
//
// In a class that is already loaded, HotSpot searches its whole constant pool twice for each added
// constant (merge_constant_pools). That is most of the cost of switching the pass on in a running
// JVM. So there a single method is called: its last argument is the event, and the times are 0
// where it needs none.
//
//      entry:        0L, 0L, id, ENTER; timing -> saved; 0L, 0L, 0, NOW; timing -> start
//      after super:  0L, 0L, id, INITIALIZED; timing; pop2
//      exit:         start, saved, id, EXIT; timing; pop2       (also before the delegate call)
//      exception:    start, saved, id, THROWN; timing; pop2

// With clock=auto most calls read no clock (runtime-java/InstrSampling.java), and all they need is one
// local:
//
//      entry:        id; enter -> state        (construct, in a constructor)
//      after super:  state, id; initialized
//      exit:         state, id; exit           (~id where another owner's call encloses this one)
//      exception:    state, id; thrown         (thrownEarly, before the delegate call)
//
// Methods that are too small for a clock (tiny.h) are counted only, and need no local:
//
//      entry:        id; count
//      exception:    id; countThrown
//
// and in a class that is already loaded:
//
//      any of them:  state or 0L, id, EVENT; sampling -> state, or pop2
//
// Where calls edits the method, too, these count for both (pair.h): enter, construct, initialized, thrown, count and
// countThrown are those of InstrSamplingCalls.

#include "rewriters/rewriter.h"
#include "rewriters/common.h"
#include "rewriters/never_throws.h"
#include "rewriters/pair.h"
#include "rewriters/plain_constructor.h"
#include "rewriters/tiny.h"

enum { ENTER, CONSTRUCT, INITIALIZED, EXIT, THROWN, THROWN_EARLY, NANO_TIME };
enum { COUNT = NANO_TIME, COUNT_THROWN }; // with clock=auto

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
    static const struct cf_method_name inner[] = {
        [ENTER] = CF_METHOD_OF("InstrTiming", "enter", "(I)J"),
        [CONSTRUCT] = CF_METHOD_NAME("construct", "(I)J"),
        [INITIALIZED] = CF_METHOD_NAME("initialized", "(I)V"),
        [EXIT] = CF_METHOD_NAME("exitInner", "(JJI)V"),
        [THROWN] = CF_METHOD_NAME("thrownInner", "(JJI)V"),
        [THROWN_EARLY] = CF_METHOD_NAME("exitInner", "(JJI)V"),
        [NANO_TIME] = CF_METHOD_OF("java/lang/System", "nanoTime", "()J"),
    };
    return rw_callees(cls, cls->repeated ? inner : names, sizeof names / sizeof *names);
}

// As in InstrTiming.
enum {
    FEW_ENTER,
    FEW_NOW,
    FEW_EXIT,
    FEW_THROWN,
    FEW_CONSTRUCT,
    FEW_INITIALIZED,
    FEW_EXIT_INNER,
    FEW_THROWN_INNER
};

static const struct cf_callee *few_callees_of(struct rw_class *cls) {
    static const struct cf_method_name one[] = {CF_METHOD_OF("InstrTiming", "timing", "(JJII)J")};
    return rw_callees(cls, one, 1);
}

static const struct cf_callee *sampling_callees_of(struct rw_class *cls) {
    static const struct cf_method_name names[] = {
        [ENTER] = CF_METHOD_OF("InstrSampling", "enter", "(I)J"),
        [CONSTRUCT] = CF_METHOD_NAME("construct", "(I)J"),
        [INITIALIZED] = CF_METHOD_NAME("initialized", "(JI)V"),
        [EXIT] = CF_METHOD_NAME("exit", "(JI)V"),
        [THROWN] = CF_METHOD_NAME("thrown", "(JI)V"),
        [THROWN_EARLY] = CF_METHOD_NAME("thrownEarly", "(JI)V"),
        [COUNT] = CF_METHOD_NAME("count", "(I)V"),
        [COUNT_THROWN] = CF_METHOD_NAME("countThrown", "(I)V"),
    };
    static const struct cf_method_name inner[] = {
        [ENTER] = CF_METHOD_OF("InstrSampling", "enter", "(I)J"),
        [CONSTRUCT] = CF_METHOD_NAME("construct", "(I)J"),
        [INITIALIZED] = CF_METHOD_NAME("initialized", "(JI)V"),
        [EXIT] = CF_METHOD_NAME("exitInner", "(JI)V"),
        [THROWN] = CF_METHOD_NAME("thrownInner", "(JI)V"),
        [THROWN_EARLY] = CF_METHOD_NAME("thrownEarly", "(JI)V"),
        [COUNT] = CF_METHOD_NAME("count", "(I)V"),
        [COUNT_THROWN] = CF_METHOD_NAME("countThrown", "(I)V"),
    };
    return rw_callees(cls, cls->repeated ? inner : names, sizeof names / sizeof *names);
}

// The callee of a method that calls counts, too.
static struct cf_callee pair_callee_of(struct rw_class *cls, unsigned which) {
    enum { AT = COUNT_THROWN + 1 };
    static const struct cf_method_name names[] = {
        CF_METHOD_OF("InstrSamplingCalls", "enter", "(I)J"),
        CF_METHOD_NAME("construct", "(I)J"),
        CF_METHOD_NAME("initialized", "(JI)V"),
        CF_METHOD_NAME("thrown", "(JI)V"),
        CF_METHOD_NAME("count", "(I)V"),
        CF_METHOD_NAME("countThrown", "(I)V"),
        CF_METHOD_OF("InstrSampling", "exit", "(JI)V"),
        CF_METHOD_NAME("thrownEarly", "(JI)V"),
    };
    static const unsigned places[] = {
        [ENTER] = 0,  [CONSTRUCT] = 1,    [INITIALIZED] = 2, [EXIT] = 6,
        [THROWN] = 3, [THROWN_EARLY] = 7, [COUNT] = 4,       [COUNT_THROWN] = 5,
    };
    return rw_add_callees_at(cls, AT, names, sizeof names / sizeof *names)[places[which]];
}

// As in InstrSampling.
enum {
    FEW_SAMPLED_ENTER,
    FEW_SAMPLED_EXIT,
    FEW_SAMPLED_THROWN,
    FEW_SAMPLED_CONSTRUCT,
    FEW_SAMPLED_INITIALIZED,
    FEW_SAMPLED_EXIT_INNER,
    FEW_SAMPLED_THROWN_INNER,
    FEW_SAMPLED_THROWN_EARLY,
    FEW_COUNT,
    FEW_COUNT_THROWN,
    FEW_WITH_CALLS = 16 // added to these but those of exits
};

static const struct cf_callee *few_sampling_callees_of(struct rw_class *cls) {
    static const struct cf_method_name one[] = {
        CF_METHOD_OF("InstrSampling", "sampling", "(JII)J")};
    return rw_callees(cls, one, 1);
}

struct timed { // a method being edited
    struct rw_class *cls;
    struct cf_edit *edit;
    const struct cf_callee *callees;
    uint32_t saved, start; // locals
    int inner;             // as cls->repeated
    int pair;              // rw_find_pair
    int plain;             // rw_plain_constructor
};

// The locals of a plain constructor have values from the entry on: handlers of other passes know them there.
static void begin_local(const struct timed *t, uint32_t local) {
    struct cf_snippet *s = cf_snippet_new(t->edit);
    cf_op(s, CF_OP_lconst_0);
    cf_local(s, CF_OP_lstore, local);
    cf_insert_entry(t->edit, s);
}

static void insert_enter(const struct timed *t, const struct cf_snippet *enter) {
    if (!t->plain) {
        cf_insert_entry(t->edit, enter);
        return;
    }
    if (t->start) begin_local(t, t->start);
    if (t->saved) begin_local(t, t->saved);
    cf_insert_constructed(t->edit, enter);
}

// The instructions of which all snippets of a method consist.
struct ready {
    struct cf_ready id, load_start, load_saved;
};

static const struct cf_snippet *entry(const struct timed *t, struct cf_ready id, unsigned which) {
    struct cf_snippet *s = cf_snippet_new(t->edit);
    uint8_t *p = cf_put_ready(s->bytes, id);
    p = cf_put_ready(p, cf_ready_call(t->callees[which]));
    p = cf_put_ready(p, cf_ready_local(CF_OP_lstore, t->saved));
    p = cf_put_ready(p, cf_ready_call(t->callees[NANO_TIME]));
    p = cf_put_ready(p, cf_ready_local(CF_OP_lstore, t->start));
    cf_snippet_close(s, p, 2);
    return s;
}

static const struct cf_snippet *tell(const struct timed *t, struct cf_ready id, unsigned which) {
    struct cf_snippet *s = cf_snippet_new(t->edit);
    uint8_t *p = cf_put_ready(s->bytes, id);
    p = cf_put_ready(p, cf_ready_call(t->callees[which]));
    cf_snippet_close(s, p, 1);
    return s;
}

// All exits have the same form; they differ in what they call.
static const struct cf_snippet *leave(const struct timed *t, const struct ready *ready,
                                      unsigned which) {
    struct cf_snippet *s = cf_snippet_new(t->edit);
    uint8_t *p = cf_put_ready(s->bytes, ready->load_start);
    p = cf_put_ready(p, ready->load_saved);
    p = cf_put_ready(p, ready->id);
    p = cf_put_ready(p, cf_ready_call(t->callees[which]));
    cf_snippet_close(s, p, 5);
    return s;
}

static enum cf_status insert(const struct timed *t, int id, int constructs) {
    struct cf_edit *edit = t->edit;
    struct ready ready = {cf_ready_push(edit, id), cf_ready_local(CF_OP_lload, t->start),
                          cf_ready_local(CF_OP_lload, t->saved)};
    if (!ready.id.length || !t->callees[0].methodref) return cf_no_constant(edit);
    insert_enter(t, entry(t, ready.id, constructs ? CONSTRUCT : ENTER));
    if (constructs) {
        cf_insert_constructed(edit, tell(t, ready.id, INITIALIZED));
        cf_insert_thrown_early(edit, leave(t, &ready, THROWN_EARLY));
    }
    cf_insert_exits(edit, leave(t, &ready, EXIT));
    cf_insert_thrown(edit, leave(t, &ready, THROWN));
    return CF_OK;
}

// --- clock=auto: the state of the call is in the local `start` ---

static int few_of(const struct timed *t, int what) {
    return what + (t->pair ? FEW_WITH_CALLS : 0);
}

static struct cf_callee sampling_callee(const struct timed *t, unsigned which, int few) {
    if (few) return t->callees[0];
    return t->pair ? pair_callee_of(t->cls, which) : t->callees[which];
}

static struct cf_snippet *call_sampled(const struct timed *t, int id, unsigned which, int few) {
    struct cf_snippet *s = cf_snippet_new(t->edit);
    int enters = which == ENTER || which == CONSTRUCT;
    static const int of_few[] = {
        [ENTER] = FEW_SAMPLED_ENTER,
        [CONSTRUCT] = FEW_SAMPLED_CONSTRUCT,
        [INITIALIZED] = FEW_SAMPLED_INITIALIZED,
        [EXIT] = FEW_SAMPLED_EXIT,
        [THROWN] = FEW_SAMPLED_THROWN,
        [THROWN_EARLY] = FEW_SAMPLED_THROWN_EARLY,
    };
    if (!enters)
        cf_local(s, CF_OP_lload, t->start);
    else if (few)
        cf_op(s, CF_OP_lconst_0);
    cf_push_int(s, t->inner && which == THROWN_EARLY ? ~id : id);
    if (few) {
        int what = of_few[which];
        if (t->inner && which == EXIT) what = FEW_SAMPLED_EXIT_INNER;
        if (t->inner && which == THROWN) what = FEW_SAMPLED_THROWN_INNER;
        cf_push_int(s, which == EXIT || which == THROWN_EARLY ? what : few_of(t, what));
    }
    cf_call(s, sampling_callee(t, which, few));
    if (enters)
        cf_local(s, CF_OP_lstore, t->start);
    else if (few)
        cf_op(s, CF_OP_pop2);
    return s;
}

static void insert_sampled(const struct timed *t, int id, int constructs, int few) {
    insert_enter(t, call_sampled(t, id, constructs ? CONSTRUCT : ENTER, few));
    if (constructs) {
        cf_insert_constructed(t->edit, call_sampled(t, id, INITIALIZED, few));
        cf_insert_thrown_early(t->edit, call_sampled(t, id, THROWN_EARLY, few));
    }
    cf_insert_exits(t->edit, call_sampled(t, id, EXIT, few));
    if (!rw_never_throws(t->edit)) cf_insert_thrown(t->edit, call_sampled(t, id, THROWN, few));
}

// A method that is too small for a clock has no local: its calls and exceptions are counted.
static void insert_counts(const struct timed *t, int id, int few) {
    for (unsigned which = COUNT; which <= COUNT_THROWN; which++) {
        struct cf_snippet *s = cf_snippet_new(t->edit);
        if (few) cf_op(s, CF_OP_lconst_0);
        cf_push_int(s, id);
        if (few) cf_push_int(s, few_of(t, which == COUNT ? FEW_COUNT : FEW_COUNT_THROWN));
        cf_call(s, sampling_callee(t, which, few));
        if (few) cf_op(s, CF_OP_pop2);
        if (which == COUNT)
            insert_enter(t, s);
        else if (!rw_never_throws(t->edit))
            cf_insert_thrown(t->edit, s);
    }
}

static void call_few(const struct timed *t, struct cf_snippet *s, int id, int what) {
    cf_push_int(s, id);
    cf_push_int(s, what);
    cf_call(s, t->callees[0]);
}

static struct cf_snippet *tell_few(const struct timed *t, int id, int what) {
    struct cf_snippet *s = cf_snippet_new(t->edit);
    cf_op(s, CF_OP_lconst_0);
    cf_op(s, CF_OP_lconst_0);
    call_few(t, s, id, what);
    return s;
}

static const struct cf_snippet *entry_few(const struct timed *t, int id, int what) {
    struct cf_snippet *s = tell_few(t, id, what);
    cf_local(s, CF_OP_lstore, t->saved);
    cf_op(s, CF_OP_lconst_0);
    cf_op(s, CF_OP_lconst_0);
    call_few(t, s, 0, FEW_NOW);
    cf_local(s, CF_OP_lstore, t->start);
    return s;
}

static const struct cf_snippet *leave_few(const struct timed *t, int id, int what) {
    struct cf_snippet *s = cf_snippet_new(t->edit);
    cf_local(s, CF_OP_lload, t->start);
    cf_local(s, CF_OP_lload, t->saved);
    call_few(t, s, id, what);
    cf_op(s, CF_OP_pop2);
    return s;
}

static void insert_few(const struct timed *t, int id, int constructs, int repeated) {
    const struct cf_snippet *left = leave_few(t, id, repeated ? FEW_EXIT_INNER : FEW_EXIT);
    insert_enter(t, entry_few(t, id, constructs ? FEW_CONSTRUCT : FEW_ENTER));
    if (constructs) {
        struct cf_snippet *initialized = tell_few(t, id, FEW_INITIALIZED);
        cf_op(initialized, CF_OP_pop2);
        cf_insert_constructed(t->edit, initialized);
        cf_insert_thrown_early(t->edit, left);
    }
    cf_insert_exits(t->edit, left);
    cf_insert_thrown(t->edit, leave_few(t, id, repeated ? FEW_THROWN_INNER : FEW_THROWN));
}

static enum cf_status edit_method(struct rw_class *cls, struct cf_edit *edit) {
    struct timed t = {.cls = cls, .edit = edit, .inner = cls->repeated};
    int id, few = cls->rewrite->cls->merges_constant_pool;
    if (rw_leave_alone(edit)) return CF_OK;
    CF_TRY(rw_find_pair(cls, edit, &t.pair));
    CF_TRY(rw_method_id(cls, edit, &id));
    CF_TRY(cf_edit_constructor(edit));
    t.plain = rw_plain_constructor(edit) != 0;
    int constructs = edit->constructor && !t.plain; // even if it never reaches a delegate call
    if (rw_timing_estimates(cls)) {
        if (few || !t.pair)
            t.callees = few ? few_sampling_callees_of(cls) : sampling_callees_of(cls);
        int tiny = rw_is_tiny(edit);
        if (cls->note_untimed) cls->note_untimed(cls, id, tiny);
        if (tiny) {
            insert_counts(&t, id, few);
            return edit->error.status;
        }
        t.start = cf_new_local(edit, "J", 1);
        insert_sampled(&t, id, constructs, few);
        return edit->error.status;
    }
    t.callees = few ? few_callees_of(cls) : callees_of(cls);
    t.saved = cf_new_local(edit, "J", 1);
    t.start = cf_new_local(edit, "J", 1);
    if (few)
        insert_few(&t, id, constructs, cls->repeated);
    else
        CF_TRY(insert(&t, id, constructs));
    return edit->error.status;
}

static const struct rw_option options[] = {
    {"clock", "auto|every",
     "auto: reads the clock in some calls of a short method only, and never in getters and the "
     "like; times are then estimates, and marked, and counts stay exact. every: reads it in each "
     "call, which costs much more. Default auto"},
    {0},
};

static const char *const agent_options[] = {"clock", NULL};

const struct rw_pass rw_pass_timing = {
    .name = "timing",
    .help = "calls, exceptional exits, total and self time, and latencies of each method",
    .flags = RW_OBSERVES_SPEED,
    .options = options,
    .agent_options = agent_options,
    .timed = 1,
    .compile_percent = 500,
    .runtime_class = "InstrTiming",
    .edit = edit_method,
};
