#include "instr/kit/weave_calls.h"
#include "instr/kit/bridge.h"
#include "instr/kit/fit.h"
#include "instr/kit/weave.h"
#include "instr/kit/weaving.h"

// A call with the advices that it has.
struct advised_call {
    struct cf_edit *edit;
    uint32_t instruction;
    const struct cf_snippet *replacement; // of other passes; NULL: none
    const struct instr_kit_advice *advices[KIT_MOST_ADVICES];
    size_t count;
    struct kit_weaving like; // what all its advices share
    struct kit_woven *woven;
};

static unsigned opcode_of(const struct advised_call *c) {
    return c->edit->code.bytes[c->edit->code.pc[c->instruction]];
}

// --- the code ---

static void push_original(const struct advised_call *c, struct cf_snippet *s) {
    uint16_t index = (uint16_t)cf_be2(c->edit->code.bytes + c->edit->code.pc[c->instruction] + 1);
    unsigned pops, pushes;
    if (!cf_method_slots(c->like.descriptor, &pops, &pushes)) return;
    if (c->replacement)
        cf_snippet_append(s, c->replacement);
    else if (opcode_of(c) == CF_OP_invokeinterface)
        cf_call_interface(s, index, pops + 1, pushes);
    else
        cf_op_constant(s, (enum cf_opcode)opcode_of(c), index, pops + !c->like.is_static, pushes);
}

static void take_from_stack(struct kit_weaving *w, struct cf_snippet *s) {
    const struct instr_kit_method *enter = w->advice->methods[INSTR_KIT_ENTER];
    for (size_t i = w->argument_count; i-- > 0;) {
        struct kit_argument *a = &w->arguments[i];
        a->local = a->copy = kit_new_local(w, a->type);
        kit_store(s, a->type, a->local);
    }
    if (!w->is_static) {
        w->self = w->self_at_entry = kit_new_local(w, "Ljava/lang/Object;");
        cf_local(s, CF_OP_astore, w->self);
    }
    if (w->advice->outermost) w->mark = kit_new_local(w, "I");
    if (enter && *enter->result != 'V') w->entered = kit_new_local(w, enter->result);
}

static void push_arguments(const struct kit_weaving *w, struct cf_snippet *s) {
    if (!w->is_static) cf_local(s, CF_OP_aload, w->self);
    for (size_t i = 0; i < w->argument_count; i++)
        kit_load(s, w->arguments[i].type, w->arguments[i].local);
}

static enum cf_status push_advised(const struct advised_call *c, struct cf_snippet *s, size_t i);

// Calls what is in place of the call, and goes to `ran` with its result. Without memory the call is made as it is.
static void push_instead(const struct kit_weaving *w, struct cf_snippet *s, uint32_t ran) {
    const struct instr_kit_method *instead = w->advice->methods[INSTR_KIT_INSTEAD];
    struct kit_moment at = {.at_entry = true, .has_this = !w->is_static};
    uint32_t missed = cf_label(s), none = cf_label(s);
    at.missed = kit_new_local(w, INSTR_KIT_MISSED);
    kit_push_array(w, s, 1);
    cf_local(s, CF_OP_astore, at.missed);
    cf_local(s, CF_OP_aload, at.missed);
    cf_branch_to(s, CF_OP_ifnull, none);
    kit_push_call(w, s, INSTR_KIT_INSTEAD, &at);
    cf_local(s, CF_OP_aload, at.missed);
    cf_op(s, CF_OP_iconst_0);
    cf_op(s, CF_OP_aaload);
    cf_branch_to(s, CF_OP_ifnonnull, missed);
    if (kit_needs_cast(w, instead->result)) {
        uint32_t given = kit_new_local(w, instead->result), fits = cf_label(s);
        cf_local(s, CF_OP_astore, given);
        kit_if_castable(w, s, w->result, given, fits);
        cf_local(s, CF_OP_aload, given);
        kit_push_wrong(w, s);
        cf_branch_to(s, CF_OP_goto, none);
        cf_place(s, fits);
        kit_push_cast(w, s, w->result, given);
    }
    cf_branch_to(s, CF_OP_goto, ran);
    cf_place(s, missed);
    if (*instead->result != 'V')
        cf_op(s, *w->result == 'J' || *w->result == 'D' ? CF_OP_pop2 : CF_OP_pop);
    cf_place(s, none);
}

// What is between `enter` and `returned`.
static enum cf_status push_call(const struct advised_call *c, const struct kit_weaving *w,
                                struct cf_snippet *s, size_t i) {
    uint32_t ran = cf_label(s);
    bool replaces = w->advice->methods[INSTR_KIT_INSTEAD] != NULL;
    if (replaces) push_instead(w, s, ran);
    push_arguments(w, s);
    CF_TRY(push_advised(c, s, i + 1));
    if (replaces) cf_place(s, ran);
    return CF_OK;
}

// A null of the type of the result, so that both ways to `back` have it.
static void push_skipped(const struct kit_weaving *w, struct cf_snippet *s, uint32_t go_on,
                         uint32_t back) {
    if (*w->result == 'L' || *w->result == '[')
        cf_op_constant(s, CF_OP_checkcast, kit_class_of(w, w->result), 1, 1);
    cf_branch_to(s, CF_OP_goto, back);
    cf_place(s, go_on);
}

// The call from the advice `i` on; receiver and arguments are on the stack.
static enum cf_status push_advised(const struct advised_call *c, struct cf_snippet *s, size_t i) {
    if (i == c->count) {
        push_original(c, s);
        return CF_OK;
    }
    struct kit_weaving w = c->like;
    w.advice = c->advices[i];
    CF_TRY(kit_begin(&w));
    bool catches = w.advice->methods[INSTR_KIT_THROWN] || w.advice->methods[INSTR_KIT_EXIT] ||
                   w.advice->outermost;
    uint32_t start = cf_label(s), end = cf_label(s), caught = cf_label(s), back = cf_label(s),
             out = cf_label(s);
    take_from_stack(&w, s);
    kit_push_enter(&w, s);
    uint32_t go_on = kit_push_skip(&w, s);
    if (go_on != UINT32_MAX) push_skipped(&w, s, go_on, back);
    cf_place(s, start);
    CF_TRY(push_call(c, &w, s, i));
    cf_place(s, end);
    if (catches) cf_handler(s, start, end, caught, 0); // behind those of advices further inside
    cf_place(s, back);
    kit_push_returned(&w, s);
    if (!catches) return CF_OK;
    cf_branch_to(s, CF_OP_goto, out);
    cf_place(s, caught);
    kit_push_thrown(&w, s, !w.is_static);
    cf_op(s, CF_OP_athrow);
    cf_place(s, out);
    return w.edit->error.status;
}

// --- which ---

// Sets `like` to the call of the instruction, if it is one that may be advised.
static bool find_call(struct advised_call *c) {
    const struct cf_code *code = &c->edit->code;
    unsigned opcode = opcode_of(c);
    if (opcode < CF_OP_invokevirtual || opcode > CF_OP_invokeinterface) return false;
    c->like.is_static = opcode == CF_OP_invokestatic;
    return cf_reference(code->cls, cf_be2(code->bytes + code->pc[c->instruction] + 1),
                        &c->like.owner, &c->like.name, &c->like.descriptor);
}

// Adds the advice to the call if it fits.
static enum cf_status add_advice(struct advised_call *c, const struct instr_kit_advice *advice) {
    struct kit_weaving w = c->like;
    w.advice = advice;
    CF_TRY(kit_begin(&w));
    if (!w.misfit)
        c->advices[c->count++] = advice;
    else if (!c->woven->misfit)
        c->woven->misfit = w.misfit;
    return CF_OK;
}

static enum cf_status weave_call(struct advised_call *c,
                                 const struct instr_kit_advice *const *advices, size_t count) {
    if (!find_call(c)) return CF_OK;
    c->count = 0;
    for (size_t i = 0; i < count; i++)
        if (instr_kit_names_call(advices[i], c->like.owner, c->like.name, c->like.descriptor))
            CF_TRY(add_advice(c, advices[i]));
    if (!c->count) return CF_OK;
    c->woven->any = true;
    struct cf_snippet *s = cf_snippet_new(c->edit);
    c->like.scratch->used = 0;
    c->replacement = cf_take_replacement(c->edit, c->instruction);
    CF_TRY(push_advised(c, s, 0));
    cf_replace(c->edit, c->instruction, s);
    for (size_t i = 0; i < c->count && !c->edit->error.status; i++)
        kit_note_applied(c->like.cls->pass->data, c->advices[i], c->edit);
    return c->edit->error.status;
}

enum cf_status kit_weave_calls(struct rw_class *cls, struct cf_edit *edit, const char *package,
                               struct kit_woven *woven) {
    const struct instr_kit *kit = cls->pass->data;
    const struct instr_kit_advice *advices[KIT_MOST_ADVICES];
    struct kit_scratch scratch = {.count = 0};
    struct advised_call call = {
        .edit = edit,
        .like = {.cls = cls, .edit = edit, .package = package, .scratch = &scratch},
        .woven = woven};
    struct cf_slice caller = cf_this_name(edit->code.cls);
    size_t count = 0;
    for (size_t i = 0; i < kit->advice_count && count < KIT_MOST_ADVICES; i++)
        if (kit->advices[i].calls && kit_is_called(cls, i) &&
            instr_match(kit->advices[i].callers, (const char *)caller.bytes, caller.length))
            advices[count++] = &kit->advices[i];
    for (uint32_t i = 0; count && i < edit->code.count; i++) {
        call.instruction = i;
        CF_TRY(weave_call(&call, advices, count));
    }
    return edit->error.status;
}
