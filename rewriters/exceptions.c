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
        [THROWN] = CF_METHOD_OF("InstrExceptions", "thrown", "(Ljava/lang/Throwable;I)V"),
        [RETHROWN] = CF_METHOD_NAME("rethrown", "(Ljava/lang/Throwable;II)V"),
        [CAUGHT] = CF_METHOD_NAME("caught", "(Ljava/lang/Throwable;I)V"),
        [PASSING] = CF_METHOD_NAME("passing", "(Ljava/lang/Throwable;I)V"),
        [LEFT] = CF_METHOD_NAME("left", "(Ljava/lang/Throwable;I)V"),
    };
    return rw_callees(cls, names, sizeof names / sizeof *names)[which];
}

// The exception is on the stack, and stays there.
static const struct cf_snippet *tell(struct rw_class *cls, struct cf_edit *edit, int id,
                                     unsigned which) {
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_op(s, CF_OP_dup);
    cf_push_int(s, id);
    cf_call(s, callee(cls, which));
    return s;
}

// The same in a handler that covers itself, as javac generates for synchronized. If the call throws
// StackOverflowError, that must not lead to the handler again and again.
static const struct cf_snippet *tell_safely(struct rw_class *cls, struct cf_edit *edit, int id,
                                            unsigned which) {
    struct cf_snippet *s = cf_snippet_new(edit);
    uint32_t start = cf_label(s), end = cf_label(s), failed = cf_label(s), done = cf_label(s);
    uint32_t saved = cf_new_local(edit, "Ljava/lang/Throwable;", 0);
    cf_handler_at_depth(s, start, end, failed, 0, 1);
    cf_op(s, CF_OP_dup);
    cf_local(s, CF_OP_astore, saved);
    cf_place(s, start);
    cf_op(s, CF_OP_dup);
    cf_push_int(s, id);
    cf_call(s, callee(cls, which));
    cf_place(s, end);
    cf_branch_to(s, CF_OP_goto, done);
    cf_place(s, failed);
    cf_op(s, CF_OP_pop);
    cf_local(s, CF_OP_aload, saved);
    cf_place(s, done);
    return s;
}

static void edit_handler(struct rw_class *cls, struct cf_edit *edit, uint32_t i, unsigned kind,
                         int method) {
    unsigned which = kind & RW_HANDLER_PASSES ? PASSING : CAUGHT;
    if (kind & RW_HANDLER_JOINED) method |= JOINED;
    int safely = kind & RW_HANDLER_COVERS_ITSELF && kind & RW_HANDLER_OF_ALL;
    cf_insert_before(
        edit, i, safely ? tell_safely(cls, edit, method, which) : tell(cls, edit, method, which));
}

static enum cf_status edit_throw(struct rw_class *cls, struct cf_edit *edit, uint32_t i,
                                 int maybe_again, int method) {
    static const struct cf_slice no_detail = {(const uint8_t *)"", 0};
    int site;
    CF_TRY(rw_site_id(cls, edit, edit->code.pc[i], no_detail, &site));
    if (!maybe_again) {
        cf_insert_before(edit, i, tell(cls, edit, site, THROWN));
        return edit->error.status;
    }
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_op(s, CF_OP_dup);
    cf_push_int(s, site);
    cf_push_int(s, method);
    cf_call(s, callee(cls, RETHROWN));
    cf_insert_before(edit, i, s);
    return edit->error.status;
}

static enum cf_status edit_method(struct rw_class *cls, struct cf_edit *edit) {
    struct rw_throws throws;
    int method;
    // Reference.get() cannot throw. C1 compiles it in a special way, and with a handler in it C1 of
    // JDK 8 crashes the JVM.
    if (rw_leave_alone(edit) || !edit->code.may_throw || rw_is_get_of_reference(edit)) return CF_OK;
    CF_TRY(rw_method_id(cls, edit, &method));
    CF_TRY(rw_find_throws(&throws, edit));
    for (uint32_t i = 0; i < edit->code.count && !edit->error.status; i++) {
        unsigned kind = throws.handlers ? throws.handlers[edit->code.pc[i]] : 0;
        if (kind) edit_handler(cls, edit, i, kind, method);
        if (edit->code.bytes[edit->code.pc[i]] == CF_OP_athrow)
            CF_TRY(edit_throw(cls, edit, i, rw_may_throw_again(&throws, i), method));
    }
    CF_TRY(cf_edit_constructor(edit));
    const struct cf_snippet *left = tell(cls, edit, method, LEFT);
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
