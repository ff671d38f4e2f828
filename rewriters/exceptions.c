// exceptions: which exceptions are thrown, where, and what catches them.
//
//      before athrow:   exception, site; thrown        (exception, site, method; rethrown)
//      handler:         exception, method; caught      (passing, in a handler for all exceptions)
//      exception exit:  exception, method; left
//
// Exceptions that the JVM or other code throws are seen at the first handler that they reach, or
// when they leave the method. A handler for all exceptions (finally, synchronized) does not catch
// what it rethrows: `rethrown` checks for that where the exception may be one that such a handler
// has stored.

#include "rewriters/common.h"
#include "rewriters/throws.h"

enum { THROWN, RETHROWN, CAUGHT, PASSING, LEFT };

// A bit in the number of the method: the handler is also the target of a jump.
#define JOINED (1 << 24)

static struct cf_callee callee(struct rw_class *cls, unsigned which) {
    static const struct cf_method_name names[] = {
        [THROWN] = CF_METHOD_OF("InstrExceptions", "thrown",
                                "(Ljava/lang/Throwable;I)Ljava/lang/Throwable;"),
        [RETHROWN] = CF_METHOD_NAME("rethrown", "(Ljava/lang/Throwable;II)Ljava/lang/Throwable;"),
        [CAUGHT] = CF_METHOD_NAME("caught", "(Ljava/lang/Throwable;I)Ljava/lang/Throwable;"),
        [PASSING] = CF_METHOD_NAME("passing", "(Ljava/lang/Throwable;I)Ljava/lang/Throwable;"),
        [LEFT] = CF_METHOD_NAME("left", "(Ljava/lang/Throwable;I)Ljava/lang/Throwable;"),
    };
    return rw_callees(cls, names, sizeof names / sizeof *names)[which];
}

// A method being edited. `saved`: a local for the exception while its report runs.
struct reporter {
    struct rw_class *cls;
    struct cf_edit *edit;
    int method;
    uint32_t saved;
};

// An inserted call must not replace the exception that it reports. The JVM resolves a call when it
// first runs, and may load a class for that: heap or stack may be exhausted, and a class loader may
// throw. What a call throws is dropped, except for what other threads throw into this one.
//
//      dup; astore saved; ids; call -> null; pop; goto B; > pop; B: aload saved
//
// Failures arrive at `>`, where control must not arrive otherwise, or C1 gives up the method.
// HotSpot's verifier loads the types that a handler catches when it links the class. Without the
// verifier they are loaded when a failure arrives. If that fails too, the JVM looks for a handler
// of the new error at `>`.
static void catch_failures(struct cf_snippet *s, uint32_t start, uint32_t end, uint32_t failed) {
    static const char *const types[] = {"java/lang/VirtualMachineError", "java/lang/LinkageError",
                                        "java/lang/RuntimeException"};
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
        uint16_t type = cf_add_class(&s->edit->rewrite->pool, types[i], strlen(types[i]));
        if (!type) cf_no_constant(s->edit);
        cf_handler_at_depth(s, start, end, failed, type, 1);
    }
}

// The exception is on the stack, and stays there. `among`: other values are below it, and the
// snippet is before its athrow.
static const struct cf_snippet *report(const struct reporter *r, unsigned which, int id, int alone,
                                       int among) {
    struct cf_snippet *s = cf_snippet_new(r->edit);
    uint32_t start = cf_label(s), end = cf_label(s), failed = cf_label(s), behind = cf_label(s),
             done = cf_label(s);
    if (alone)
        cf_handler_at_depth(s, start, end, failed, 0, 1);
    else
        catch_failures(s, start, end, failed);
    cf_handler_at_depth(s, failed, behind, failed, 0, 1);
    if (among) cf_op(s, CF_OP_dup);
    cf_op(s, CF_OP_dup);
    cf_local(s, CF_OP_astore, r->saved);
    cf_place(s, start);
    cf_push_int(s, id);
    if (which == RETHROWN) cf_push_int(s, r->method);
    cf_call(s, callee(r->cls, which));
    cf_place(s, end);
    cf_op(s, CF_OP_pop);
    cf_branch_to(s, CF_OP_goto, among ? done : behind);
    cf_place(s, failed);
    cf_op(s, CF_OP_pop);
    cf_place(s, behind);
    cf_local(s, CF_OP_aload, r->saved);
    if (among) cf_op(s, CF_OP_athrow);
    cf_place(s, done);
    return s;
}

static void edit_handler(const struct reporter *r, uint32_t i, unsigned kind) {
    unsigned which = kind & RW_HANDLER_PASSES ? PASSING : CAUGHT;
    int id = kind & RW_HANDLER_JOINED ? r->method | JOINED : r->method;
    // HotSpot demands a handler for everything that may throw while a monitor is held (edit.h). C1
    // gives up a handler that what it begins with may throw to.
    int alone = (kind & RW_HANDLER_OF_ALL) != 0;
    cf_insert_before(r->edit, i, report(r, which, id, alone, 0));
}

static enum cf_status edit_throw(const struct reporter *r, struct cf_depth *depth, uint32_t i,
                                 int maybe_again) {
    static const struct cf_slice no_detail = {(const uint8_t *)"", 0};
    struct cf_edit *edit = r->edit;
    uint32_t slots;
    int site;
    CF_TRY(rw_site_id(r->cls, edit, edit->code.pc[i], no_detail, &site));
    if (!depth->edit) CF_TRY(cf_depth_start(depth, edit));
    CF_TRY(cf_depth_at(depth, edit->code.pc[i], &slots));
    cf_insert_before(edit, i, report(r, maybe_again ? RETHROWN : THROWN, site, 0, slots != 1));
    return edit->error.status;
}

static enum cf_status edit_method(struct rw_class *cls, struct cf_edit *edit) {
    struct reporter r = {cls, edit, 0, 0};
    struct rw_throws throws;
    struct cf_depth depth = {.edit = NULL};
    // Reference.get() cannot throw. C1 compiles it in a special way, and with a handler in it C1 of
    // JDK 8 crashes the JVM.
    if (rw_leave_alone(edit) || !edit->code.may_throw || rw_is_get_of_reference(edit)) return CF_OK;
    CF_TRY(rw_method_id(cls, edit, &r.method));
    CF_TRY(rw_find_throws(&throws, edit));
    r.saved = cf_new_local(edit, "Ljava/lang/Throwable;", 0);
    for (uint32_t i = 0; i < edit->code.count && !edit->error.status; i++) {
        unsigned kind = throws.handlers ? throws.handlers[edit->code.pc[i]] : 0;
        if (kind) edit_handler(&r, i, kind);
        if (edit->code.bytes[edit->code.pc[i]] == CF_OP_athrow)
            CF_TRY(edit_throw(&r, &depth, i, rw_may_throw_again(&throws, i)));
    }
    CF_TRY(cf_edit_constructor(edit));
    const struct cf_snippet *left = report(&r, LEFT, r.method, 0, 0);
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
    .runtime_class = "InstrExceptions",
    .edit = edit_method,
};
