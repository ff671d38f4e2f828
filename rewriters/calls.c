// calls: how often each method is called, and how often an exception leaves it.
//
//      entry:        id; enter            (construct, in a constructor with a delegate call)
//      after super:  id; initialized    (or enter, and nothing at the entry: plain_constructor.h)
//      exception:    id; thrown
//
// A constructor counts as thrown until its delegate call has returned. So exceptions out of that
// call are counted, although no handler may cover it.
//
// In a class that is already loaded, added constants are expensive (timing.c): there only `enter`
// is called, with the id, or with ~(4 id + 0, 1 or 2) for construct, initialized and thrown.
//
// Where timing edits the method, too, its code does all this (pair.h).

#include "rewriters/rewriter.h"
#include "rewriters/common.h"
#include "rewriters/never_throws.h"
#include "rewriters/pair.h"
#include "rewriters/plain_constructor.h"

enum { ENTER, CONSTRUCT, INITIALIZED, THROWN };

static const struct cf_callee *callees_of(struct rw_class *cls, int few) {
    static const struct cf_method_name names[] = {
        [ENTER] = CF_METHOD_OF("InstrCalls", "enter", "(I)V"),
        [CONSTRUCT] = CF_METHOD_NAME("construct", "(I)V"),
        [INITIALIZED] = CF_METHOD_NAME("initialized", "(I)V"),
        [THROWN] = CF_METHOD_NAME("thrown", "(I)V"),
    };
    return rw_callees(cls, names, few ? 1 : sizeof names / sizeof *names);
}

static const struct cf_snippet *call_with_id(struct rw_class *cls, struct cf_edit *edit, int id,
                                             unsigned which) {
    int few = cls->rewrite->cls->merges_constant_pool;
    const struct cf_callee *callees = callees_of(cls, few);
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_push_int(s, few && which != ENTER ? ~(4 * id + (int)(which - CONSTRUCT)) : id);
    cf_call(s, callees[few ? ENTER : which]);
    return s;
}

static enum cf_status edit_method(struct rw_class *cls, struct cf_edit *edit) {
    int id;
    cls->within = 0;
    if (rw_leave_alone(edit)) return CF_OK;
    CF_TRY(rw_find_pair(cls, edit, &cls->within));
    if (cls->within) return CF_OK;
    CF_TRY(rw_method_id(cls, edit, &id));
    CF_TRY(cf_edit_constructor(edit));
    int plain = rw_plain_constructor(edit) != 0;
    int constructs = edit->constructor && !plain; // even if it never reaches a delegate call
    // Around the other passes: enter checks for the stack that those need (InstrThreads.mostRoom),
    // so the end of each counted call is counted too.
    int32_t nesting = edit->nesting;
    edit->nesting = -1;
    if (plain)
        cf_insert_constructed(edit, call_with_id(cls, edit, id, ENTER));
    else
        cf_insert_entry(edit, call_with_id(cls, edit, id, constructs ? CONSTRUCT : ENTER));
    if (!rw_never_throws(edit)) cf_insert_thrown(edit, call_with_id(cls, edit, id, THROWN));
    edit->nesting = nesting;
    if (constructs) cf_insert_constructed(edit, call_with_id(cls, edit, id, INITIALIZED));
    return edit->error.status;
}

const struct rw_pass rw_pass_calls = {
    .name = "calls",
    .help = "exact number of calls and exceptional exits of each method",
    .flags = RW_OBSERVES_SPEED,
    .event_ns = 1,
    .compile_percent = 420,
    .runtime_class = "InstrCalls",
    .edit = edit_method,
};
