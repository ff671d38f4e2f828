// again: counts the calls of all native methods that `natives` wraps. Two passes then share the
// wrappers.

#include "rewriters/common.h"
#include "rewriters/rewriters.h"

static int wraps(struct rw_class *cls, const struct cf_member *native, const char *fixed,
                 const char **why) {
    return rw_pass_natives.wraps(cls, native, fixed, why);
}

static enum cf_status edit_wrapper(struct rw_class *cls, struct cf_edit *edit) {
    static const struct cf_method_name names[] = {CF_METHOD_OF("InstrCalls", "enter", "(I)V"),
                                                  CF_METHOD_NAME("thrown", "(I)V")};
    int id;
    CF_TRY(rw_method_id(cls, edit, &id));
    for (unsigned i = 0; i < 2; i++) {
        struct cf_snippet *s = cf_snippet_new(edit);
        cf_push_int(s, id);
        cf_call(s, rw_callees(cls, names, 2)[i]);
        if (i == 0)
            cf_insert_entry(edit, s);
        else
            cf_insert_thrown(edit, s);
    }
    return edit->error.status;
}

const struct rw_pass rw_pass_again = {
    .name = "again",
    .help = "counts calls of native methods in the wrappers of natives (for tests)",
    .runtime_class = "InstrCalls",
    .flags = RW_ONLY_WRAPPERS,
    .wraps = wraps,
    .edit = edit_wrapper,
};
