// demo: counts entries into methods, for a result by class. With the other files of this folder it
// is all that a pass with a report of its own consists of; two rows make it known: RW_MORE_PASSES
// and INSTR_MORE_REPORT_KINDS (tests/meson.build).

#include "rewriters/common.h"
#include "rewriters/rewriters.h"

static enum cf_status edit_method(struct rw_class *cls, struct cf_edit *edit) {
    static const struct cf_method_name name[] = {CF_METHOD_OF("InstrCalls", "enter", "(I)V")};
    int id;
    if (rw_leave_alone(edit)) return CF_OK;
    CF_TRY(rw_method_id(cls, edit, &id));
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_push_int(s, id);
    cf_call(s, rw_callees(cls, name, 1)[0]);
    cf_insert_entry(edit, s);
    return edit->error.status;
}

const struct rw_pass rw_pass_demo = {
    .name = "demo",
    .help = "entries into the methods of each class (for tests)",
    .flags = RW_OBSERVES_SPEED,
    .event_ns = 3,
    .runtime_class = "InstrCalls",
    .needs_agent = "it is a demonstration",
    .edit = edit_method,
};
