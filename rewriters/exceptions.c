// exceptions: which exceptions are thrown, where, and what catches them.
//
//      before athrow:   exception, site; thrown        (exception, site, note; rethrown)
//      handler:         exception, method; caught      (passing -> note, in a handler for all)
//      exception exit:  exception, method; left
//      entry:           room                           (if a handler may catch a StackOverflowError)
//
// Exceptions that the JVM or other code throws are seen at the first handler that they reach, or
// when they leave the method. A handler for all exceptions (finally, synchronized) does not catch
// what it rethrows. So `passing` returns a note of what it has counted, and `rethrown` corrects
// that. The note is kept in a local beside the local that holds the exception:
//
//      entry:           0 -> note
//      astore:          0 -> note                      (the note of b, in a = b)
//
// A handler may also end without rethrowing, and the same object may be thrown again elsewhere in
// the method: its local then has no note. That of exceptions on the stack ends with a rethrow, and
// is not for what an instruction before the athrow has put there.

#include "rewriters/common.h"
#include "rewriters/exceptions.h"
#include "rewriters/never_throws.h"
#include "rewriters/throws.h"

enum { THROWN, RETHROWN, CAUGHT, PASSING, LEFT, ROOM };

// A bit in the number of the method: the handler is also the target of a jump.
#define JOINED (1 << 24)

static struct cf_callee callee(struct rw_class *cls, unsigned which) {
    static const struct cf_method_name names[] = {
        [THROWN] = CF_METHOD_OF("InstrExceptions", "thrown", "(Ljava/lang/Throwable;I)V"),
        [RETHROWN] = CF_METHOD_NAME("rethrown", "(Ljava/lang/Throwable;IJ)V"),
        [CAUGHT] = CF_METHOD_NAME("caught", "(Ljava/lang/Throwable;I)V"),
        [PASSING] = CF_METHOD_NAME("passing", "(Ljava/lang/Throwable;I)J"),
        [LEFT] = CF_METHOD_NAME("left", "(Ljava/lang/Throwable;I)V"),
        [ROOM] = CF_METHOD_NAME("room", "()V"),
    };
    return rw_callees(cls, names, sizeof names / sizeof *names)[which];
}

enum { FAILURES = 3 };

// A method being edited.
struct reporter {
    struct rw_class *cls;
    struct cf_edit *edit;
    struct rw_throws throws;
    struct cf_depth depth; // edit is NULL: not started
    int method;
    int catches_all;             // what a report throws is always dropped
    uint16_t failures[FAILURES]; // if not: the classes of what is dropped
    uint32_t saved;              // a local for the exception while its report runs
    // The locals of notes, by the local of the exception, and for exceptions on the stack. 0: none;
    // `saved` comes before them.
    uint32_t *notes;
    uint32_t note_on_stack;
};

// An inserted call must not replace the exception that it reports. The JVM resolves a call when it
// first runs, and may load a class for that: heap or stack may be exhausted, and a class loader may
// throw. What a call throws is dropped, except for what other threads throw into this one, if they
// can: HotSpot's verifier looks at each handler for each instruction of the method.
//
//      dup; astore saved; ids; call; goto B; > pop; B: aload saved
//
// Failures arrive at `>`, where control must not arrive otherwise, or C1 gives up the method.
// HotSpot's verifier loads the types that a handler catches when it links the class. Without the
// verifier they are loaded when a failure arrives. If that fails too, the JVM looks for a handler
// of the new error at `>`.
static const char *const failures[] = {"java/lang/VirtualMachineError", "java/lang/LinkageError",
                                       "java/lang/RuntimeException"};

static void catch_failures(const struct reporter *r, struct cf_snippet *s, uint32_t start,
                           uint32_t end, uint32_t failed, uint32_t behind, int32_t depth) {
    if (r->catches_all) {
        cf_handler_at_depth(s, start, end, failed, 0, depth);
        return;
    }
    for (unsigned i = 0; i < FAILURES; i++)
        cf_handler_at_depth(s, start, end, failed, r->failures[i], depth);
    cf_handler_at_depth(s, failed, behind, failed, 0, depth);
}

static int nothing_comes_from_others(const struct rw_class *cls) {
    const uint64_t *note = cls->service(cls, "note");
    return note && (*note & RW_NOTHING_FROM_OTHERS);
}

static enum cf_status add_failures(struct reporter *r) {
    r->catches_all = nothing_comes_from_others(r->cls);
    for (unsigned i = 0; i < FAILURES && !r->catches_all; i++) {
        r->failures[i] = cf_add_class(&r->edit->rewrite->pool, failures[i], strlen(failures[i]));
        if (!r->failures[i]) return cf_no_constant(r->edit);
    }
    return CF_OK;
}

struct call {
    unsigned which;
    int id;
    uint32_t note; // a local, for PASSING and RETHROWN; 0: none
    int taken;     // this throw ends what the note is about
    int alone;     // no other handler may get what the call throws
    int among;     // other values are below the exception, and its athrow follows
};

static void clear_note(struct cf_snippet *s, uint32_t note) {
    cf_op(s, CF_OP_lconst_0);
    cf_local(s, CF_OP_lstore, note);
}

static void take_note(struct cf_snippet *s, uint32_t note, int taken) {
    cf_local(s, CF_OP_lload, note);
    if (taken) clear_note(s, note);
}

// The exception is on the stack, and stays there.
static const struct cf_snippet *report(const struct reporter *r, const struct call *call) {
    struct cf_snippet *s = cf_snippet_new(r->edit);
    uint32_t start = cf_label(s), end = cf_label(s), failed = cf_label(s), behind = cf_label(s),
             done = call->among ? cf_label(s) : 0;
    if (call->alone)
        cf_handler_at_depth(s, start, end, failed, 0, 1);
    else
        catch_failures(r, s, start, end, failed, behind, 1);
    if (call->which == PASSING && call->note) { // 1: the call failed
        cf_op(s, CF_OP_lconst_1);
        cf_local(s, CF_OP_lstore, call->note);
    }
    if (call->among) cf_op(s, CF_OP_dup);
    cf_op(s, CF_OP_dup);
    cf_local(s, CF_OP_astore, r->saved);
    cf_place(s, start);
    cf_push_int(s, call->id);
    if (call->which == RETHROWN) take_note(s, call->note, call->taken);
    cf_call(s, callee(r->cls, call->which));
    cf_place(s, end);
    if (call->which == PASSING && call->note)
        cf_local(s, CF_OP_lstore, call->note);
    else if (call->which == PASSING)
        cf_op(s, CF_OP_pop2);
    cf_branch_to(s, CF_OP_goto, call->among ? done : behind);
    cf_place(s, failed);
    cf_op(s, CF_OP_pop);
    cf_place(s, behind);
    cf_local(s, CF_OP_aload, r->saved);
    if (call->among) {
        cf_op(s, CF_OP_athrow);
        cf_place(s, done);
    }
    return s;
}

// --- room on the stack ---

static int may_catch_overflow(const struct cf_code *code) {
    for (uint32_t i = 0; i < code->exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(code, i);
        if (e.catch_type == 0) return 1;
        struct cf_slice name = cf_class_name(code->cls, e.catch_type);
        if (CF_IS(name, "java/lang/Throwable") || CF_IS(name, "java/lang/Error") ||
            CF_IS(name, "java/lang/VirtualMachineError") ||
            CF_IS(name, "java/lang/StackOverflowError"))
            return 1;
    }
    return 0;
}

// The stack overflows at the entry of a method rather than in the report of its handler. What else
// the call throws is dropped, as above:
//
//      call; goto B; athrow; > pop; B:
static enum cf_status make_room(const struct reporter *r) {
    static const char overflow[] = "java/lang/StackOverflowError";
    struct cf_snippet *s = cf_snippet_new(r->edit);
    uint32_t start = cf_label(s), end = cf_label(s), overflowed = cf_label(s), failed = cf_label(s),
             behind = cf_label(s);
    uint16_t type = cf_add_class(&r->edit->rewrite->pool, overflow, sizeof overflow - 1);
    if (!type) return cf_no_constant(r->edit);
    cf_handler(s, start, end, overflowed, type);
    catch_failures(r, s, start, end, failed, behind, 0);
    cf_place(s, start);
    cf_call(s, callee(r->cls, ROOM));
    cf_place(s, end);
    cf_branch_to(s, CF_OP_goto, behind);
    cf_place(s, overflowed);
    cf_op(s, CF_OP_athrow);
    cf_place(s, failed);
    cf_op(s, CF_OP_pop);
    cf_place(s, behind);
    cf_insert_entry(r->edit, s);
    return r->edit->error.status;
}

// --- notes ---

static int rethrows(const struct reporter *r) {
    const struct cf_code *code = &r->edit->code;
    int32_t local;
    for (uint32_t i = 0; i < code->count; i++)
        if (code->bytes[code->pc[i]] == CF_OP_athrow && rw_may_throw_again(&r->throws, i, &local))
            return 1;
    return 0;
}

static uint32_t new_note(const struct reporter *r, struct cf_snippet *entry) {
    uint32_t note = cf_new_local(r->edit, "J", 1);
    clear_note(entry, note);
    return note;
}

static enum cf_status make_notes(struct reporter *r) {
    const struct cf_code *code = &r->edit->code;
    if (!r->throws.locals || !rethrows(r)) return CF_OK;
    r->notes = cf_arena_zeroed(code->cls->arena, code->max_locals + 1u, sizeof *r->notes);
    if (!r->notes) return cf_fail(&r->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    struct cf_snippet *entry = cf_snippet_new(r->edit);
    for (uint32_t i = 0; i < code->max_locals; i++)
        if (r->throws.locals[i]) r->notes[i] = new_note(r, entry);
    if (r->throws.on_stack) r->note_on_stack = new_note(r, entry);
    cf_insert_entry(r->edit, entry);
    return r->edit->error.status;
}

// What the note of a local becomes when the local is stored, other than by a passing handler.
static void move_note(const struct reporter *r, uint32_t i) {
    int32_t copied, local = rw_stores_exception(&r->throws, i, &copied);
    if (!r->notes || local < 0) return;
    struct cf_snippet *s = cf_snippet_new(r->edit);
    if (copied >= 0)
        cf_local(s, CF_OP_lload, r->notes[copied]);
    else
        cf_op(s, CF_OP_lconst_0);
    cf_local(s, CF_OP_lstore, r->notes[local]);
    cf_insert_after(r->edit, i, s);
}

// --- places ---

static void edit_handler(const struct reporter *r, uint32_t i, unsigned kind) {
    struct call call = {.which = kind & RW_HANDLER_PASSES ? PASSING : CAUGHT};
    int32_t copied, local = rw_stores_exception(&r->throws, i, &copied);
    call.id = kind & RW_HANDLER_JOINED ? r->method | JOINED : r->method;
    if (r->notes) call.note = local >= 0 ? r->notes[local] : r->note_on_stack;
    // HotSpot demands a handler for everything that may throw while a monitor is held (edit.h). C1
    // gives up a handler that what it begins with may throw to.
    call.alone = (kind & RW_HANDLER_OF_ALL) != 0;
    cf_insert_before(r->edit, i, report(r, &call));
}

static enum cf_status edit_throw(struct reporter *r, uint32_t i) {
    static const struct cf_slice no_detail = {(const uint8_t *)"", 0};
    struct cf_edit *edit = r->edit;
    struct call call = {.which = THROWN};
    uint32_t slots;
    int32_t local;
    if (rw_may_throw_again(&r->throws, i, &local)) {
        call.which = RETHROWN;
        call.note = local >= 0 ? r->notes[local] : r->note_on_stack;
        call.taken = local < 0; // no store into a local clears this note
    }
    CF_TRY(rw_site_id(r->cls, edit, edit->code.pc[i], no_detail, &call.id));
    if (!r->depth.edit) CF_TRY(cf_depth_start(&r->depth, edit));
    CF_TRY(cf_depth_at(&r->depth, edit->code.pc[i], &slots));
    call.among = slots != 1;
    cf_insert_before(edit, i, report(r, &call));
    return edit->error.status;
}

static enum cf_status edit_method(struct rw_class *cls, struct cf_edit *edit) {
    struct reporter r = {.cls = cls, .edit = edit};
    // Reference.get() cannot throw. C1 compiles it in a special way, and with a handler in it C1 of
    // JDK 8 crashes the JVM.
    if (rw_leave_alone(edit) || !edit->code.may_throw || rw_is_get_of_reference(edit) ||
        rw_never_throws(edit))
        return CF_OK;
    CF_TRY(rw_method_id(cls, edit, &r.method));
    CF_TRY(rw_find_throws(&r.throws, edit));
    r.saved = cf_new_local(edit, "Ljava/lang/Throwable;", 0);
    CF_TRY(add_failures(&r));
    if (may_catch_overflow(&edit->code)) CF_TRY(make_room(&r));
    CF_TRY(make_notes(&r));
    for (uint32_t i = 0; i < edit->code.count && !edit->error.status; i++) {
        unsigned kind = r.throws.handlers ? r.throws.handlers[edit->code.pc[i]] : 0;
        if (kind) edit_handler(&r, i, kind);
        if (!(kind & RW_HANDLER_PASSES)) move_note(&r, i);
        if (edit->code.bytes[edit->code.pc[i]] == CF_OP_athrow) CF_TRY(edit_throw(&r, i));
    }
    CF_TRY(cf_edit_constructor(edit));
    const struct call leave = {.which = LEFT, .id = r.method};
    const struct cf_snippet *left = report(&r, &leave);
    cf_insert_thrown(edit, left);
    if (edit->constructor) cf_insert_thrown_early(edit, left);
    return edit->error.status;
}

const struct rw_pass rw_pass_exceptions = {
    .name = "exceptions",
    .help = "thrown exceptions by class and site, with a stack trace, and where they are caught",
    .flags = RW_OBSERVES_SPEED,
    .needs_agent =
        "only the JVM knows what it throws itself, and what code outside of the file catches",
    .event_ns = 1000,
    .compile_percent = 130,
    .runtime_class = "InstrExceptions",
    .edit = edit_method,
};
