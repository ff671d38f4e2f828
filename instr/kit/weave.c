#include "instr/kit/weave.h"
#include "instr/kit/fit.h"
#include "instr/kit/weave_calls.h"
#include "instr/kit/weaving.h"
#include "rewriters/common.h"

#include <stdio.h>

size_t instr_kit_package(struct cf_slice name, char *package, size_t size) {
    size_t length = name.length;
    while (length && name.bytes[length - 1] != '/') length--;
    if (size) snprintf(package, size, "%.*s", (int)length, (const char *)name.bytes);
    return length;
}

// --- places ---

static void insert_entry(const struct kit_weaving *w) {
    struct cf_snippet *s = cf_snippet_new(w->edit);
    kit_push_enter(w, s);
    uint32_t go_on = kit_push_skip(w, s);
    if (go_on == UINT32_MAX)
        cf_insert_entry(w->edit, s);
    else
        cf_insert_early_return(w->edit, s, go_on);
}

// What `constructed` of another advice throws may lead to exits of this one.
static const struct cf_snippet *keep_self(const struct kit_weaving *w) {
    struct cf_snippet *s = cf_snippet_new(w->edit);
    cf_local(s, CF_OP_aload, 0);
    cf_local(s, CF_OP_astore, w->self);
    return s;
}

static const struct cf_snippet *constructed(const struct kit_weaving *w) {
    struct cf_snippet *s = cf_snippet_new(w->edit);
    kit_push_constructed(w, s);
    return s;
}

static const struct cf_snippet *returned(const struct kit_weaving *w) {
    struct cf_snippet *s = cf_snippet_new(w->edit);
    kit_push_returned(w, s);
    return s;
}

static const struct cf_snippet *thrown(const struct kit_weaving *w, bool early) {
    struct cf_snippet *s = cf_snippet_new(w->edit);
    kit_push_thrown(w, s, !w->is_static && !early);
    return s;
}

// --- which ---

bool kit_is_target(const struct rw_class *cls, const struct instr_kit_advice *advice,
                   const struct cf_class *file, const struct cf_member *method) {
    return instr_kit_is_target(advice, file, method, cls->service(cls, "supertypes"));
}

bool kit_is_called(const struct rw_class *cls, size_t advice) {
    const uint64_t *note = cls->service(cls, "note");
    return !note || !(*note & instr_kit_note(advice));
}

// Bridges call these before they know that the thread is in the advice already, and a State and InstrKitFailure call
// Reference.get with a monitor held; HotSpot does not run that method's code but in JDK 8.
static bool is_called_by_bridges(const struct cf_class *cls, const struct cf_member *method) {
    struct cf_slice owner = cf_this_name(cls), name = cf_member_name(cls, method);
    if (CF_IS(owner, "java/lang/ref/Reference")) return CF_IS(name, "get");
    return CF_IS(owner, "java/lang/Thread") &&
           (CF_IS(name, "getId") || CF_IS(name, "threadId") || CF_IS(name, "currentThread"));
}

static bool needs_self(const struct kit_weaving *w) {
    for (unsigned r = INSTR_KIT_CONSTRUCTED; r <= INSTR_KIT_EXIT && !w->is_static; r++) {
        const struct instr_kit_method *m = w->advice->methods[r];
        for (size_t i = 0; m && i < m->parameter_count; i++)
            if (m->parameters[i].value == INSTR_KIT_THIS ||
                m->parameters[i].value == INSTR_KIT_FIELD)
                return true;
    }
    return false;
}

static uint32_t new_self(const struct kit_weaving *w) {
    struct cf_slice name = w->owner;
    char *type = cf_arena_alloc(kit_arena_of(w), (size_t)name.length + 3);
    if (!type) {
        cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return 0;
    }
    snprintf(type, (size_t)name.length + 3, "L%.*s;", (int)name.length, (const char *)name.bytes);
    return cf_new_local(w->edit, type, 1);
}

static enum cf_status begin(struct kit_weaving *w) {
    const struct instr_kit_method *enter = w->advice->methods[INSTR_KIT_ENTER];
    uint32_t local = !w->is_static;
    CF_TRY(kit_begin(w));
    if (w->misfit) return CF_OK;
    for (size_t i = 0; i < w->argument_count; i++) {
        struct kit_argument *a = &w->arguments[i];
        a->local = local;
        if (kit_passes_later(w->advice, i)) a->copy = cf_new_local(w->edit, a->type, 1);
        local += *a->type == 'J' || *a->type == 'D' ? 2 : 1;
    }
    if (needs_self(w)) w->self = new_self(w);
    if (w->advice->outermost) w->mark = cf_new_local(w->edit, "I", 1);
    if (enter && *enter->result != 'V')
        w->entered = cf_new_local(w->edit, kit_expanded(w, enter->result), 1);
    return w->edit->error.status;
}

static void insert(const struct kit_weaving *w) {
    const struct instr_kit_advice *advice = w->advice;
    if (advice->rethrow_count) cf_edit_snippets_throw(w->edit);
    insert_entry(w);
    if (advice->methods[INSTR_KIT_EXIT] || advice->methods[INSTR_KIT_RETURNED] || advice->outermost)
        cf_insert_exits(w->edit, returned(w));
    if (w->self && w->edit->constructor) cf_insert_constructed_first(w->edit, keep_self(w));
    if (advice->methods[INSTR_KIT_CONSTRUCTED] && w->edit->constructor)
        cf_insert_constructed(w->edit, constructed(w));
    if (!advice->methods[INSTR_KIT_EXIT] && !advice->methods[INSTR_KIT_THROWN] &&
        !advice->outermost)
        return;
    cf_insert_thrown(w->edit, thrown(w, false));
    if (w->edit->constructor) cf_insert_thrown_early(w->edit, thrown(w, true));
}

static enum cf_status weave_method(struct rw_class *cls, struct cf_edit *edit, const char *package,
                                   struct kit_woven *woven) {
    const struct instr_kit *kit = cls->pass->data;
    const struct instr_kit_advice *found[KIT_MOST_ADVICES];
    size_t count = 0;
    for (size_t i = 0; i < kit->advice_count && count < KIT_MOST_ADVICES; i++)
        if (!kit->advices[i].calls && kit_is_called(cls, i) &&
            kit_is_target(cls, &kit->advices[i], edit->code.cls, edit->method))
            found[count++] = &kit->advices[i];
    if (count) CF_TRY(cf_edit_constructor(edit));
    // The first is outermost: it enters first, and leaves last.
    for (size_t i = 0; i < count; i++) {
        struct kit_weaving w = {.cls = cls,
                                .edit = edit,
                                .advice = found[i],
                                .package = package,
                                .owner = cf_this_name(edit->code.cls),
                                .name = cf_member_name(edit->code.cls, edit->method),
                                .descriptor = cf_member_descriptor(edit->code.cls, edit->method),
                                .is_static = edit->method->access_flags & CF_ACC_STATIC};
        CF_TRY(begin(&w));
        if (w.misfit) {
            if (!woven->misfit) woven->misfit = w.misfit;
            found[i] = NULL;
            continue;
        }
        insert(&w);
        edit->nesting++;
        woven->any = true;
    }
    for (size_t i = 0; i < count && !edit->error.status; i++)
        if (found[i]) kit_note_applied(kit, found[i], edit);
    return edit->error.status;
}

enum cf_status instr_kit_weave(struct rw_class *cls, struct cf_edit *edit) {
    char package[KIT_NAME_SIZE];
    if (rw_leave_alone(edit) || is_called_by_bridges(edit->code.cls, edit->method)) return CF_OK;
    if (instr_kit_package(cf_this_name(edit->code.cls), package, sizeof package) >= sizeof package)
        return CF_OK;
    struct kit_woven woven = {.misfit = NULL};
    CF_TRY(weave_method(cls, edit, package, &woven));
    if (!cls->service(cls, "wrapper")) CF_TRY(kit_weave_calls(cls, edit, package, &woven));
    if (!woven.misfit || edit->error.status) return edit->error.status;
    if (!woven.any) return cf_fail(&edit->error, CF_UNSUPPORTED, 0, woven.misfit, 0);
    cls->note_left_out(cls, edit, woven.misfit);
    return CF_OK;
}
