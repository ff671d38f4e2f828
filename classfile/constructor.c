// Constructors: where the delegate call is, super(...) or this(...), before which `this` is not
// initialised (JVMS 4.10.1.9, invokespecial). There may be several, in branches, and since JDK 22
// any code before them.

#include "classfile/edit.h"
#include "classfile/typing.h"

static int is_init_call(const struct cf_code *code, uint32_t pc) {
    struct cf_slice class_name, name, descriptor;
    return code->bytes[pc] == CF_OP_invokespecial &&
           cf_reference(code->cls, cf_be2(code->bytes + pc + 1), &class_name, &name, &descriptor) &&
           CF_IS(name, "<init>");
}

static enum cf_status add_delegate(struct cf_edit *edit, uint32_t pc) {
    if (edit->delegates_count == 0 || (edit->delegates_count & (edit->delegates_count - 1)) == 0) {
        uint32_t n = edit->delegates_count ? edit->delegates_count * 2 : 1;
        uint32_t *list = cf_arena_alloc(edit->code.cls->arena, n * sizeof *list);
        if (!list) return cf_fail(&edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
        if (edit->delegates_count)
            memcpy(list, edit->delegates, edit->delegates_count * sizeof *list);
        edit->delegates = list;
    }
    edit->delegates[edit->delegates_count++] = pc;
    return CF_OK;
}

// A phase from `start` on; phases before it end there.
static enum cf_status add_phase(struct cf_edit *edit, uint32_t start, int initialized) {
    if (edit->phases_count) {
        struct cf_phase *last = &edit->phases[edit->phases_count - 1];
        if (last->initialized == initialized) return CF_OK;
        last->end = start;
        if (last->start == start) edit->phases_count--;
    }
    if (edit->phases_count == 0 || (edit->phases_count & (edit->phases_count - 1)) == 0) {
        uint32_t n = edit->phases_count ? edit->phases_count * 2 : 2;
        struct cf_phase *list = cf_arena_alloc(edit->code.cls->arena, n * sizeof *list);
        if (!list) return cf_fail(&edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
        if (edit->phases_count) memcpy(list, edit->phases, edit->phases_count * sizeof *list);
        edit->phases = list;
    }
    struct cf_phase phase = {start, edit->code.length, initialized};
    edit->phases[edit->phases_count++] = phase;
    return CF_OK;
}

// The common case: the delegate call stands in the first basic block, and the only other objects
// made before it are its arguments, each with its own `new`. Returns the call's pc, or UINT32_MAX.
static uint32_t delegate_in_first_block(const struct cf_code *code) {
    uint32_t outstanding = 0;
    for (uint32_t i = 0; i < code->count; i++) {
        uint32_t pc = code->pc[i];
        unsigned op = code->bytes[pc];
        if (code->marks[pc] & CF_MARK_TARGET) return UINT32_MAX;
        if (op == CF_OP_new) outstanding++;
        if (op == CF_OP_invokespecial && is_init_call(code, pc)) {
            if (outstanding == 0) return pc;
            outstanding--;
        }
        if (cf_opcodes[op].operands == CF_BRANCH2 || cf_never_falls_through(op)) return UINT32_MAX;
    }
    return UINT32_MAX;
}

// May any frame still have `this` uninitialised after the first delegate call? Only with several
// calls in branches, so a look at the frames' locals suffices.
static int later_uninitialized(struct cf_edit *edit, uint32_t after, int *result) {
    struct cf_frame_reader frames;
    *result = 0;
    if (cf_frames_open(&frames, &edit->code, 1, &edit->error) != CF_OK) return 0;
    while (cf_frames_next(&frames)) {
        if (frames.frame.pc <= after) continue;
        for (uint32_t i = 0; i < frames.frame.locals_count; i++)
            if (frames.frame.locals[i].tag == CF_TYPE_UNINITIALIZED_THIS) *result = 1;
    }
    return edit->error.status == CF_OK;
}

// The same where there are no frames: may a handler be reached from before the delegate call?
static int handled_before(const struct cf_code *code, uint32_t delegate) {
    for (uint32_t i = 0; i < code->exception_table_length; i++)
        if (cf_exception_at(code, i).start_pc <= delegate) return 1;
    return 0;
}

struct walk {
    struct cf_edit *edit;
    struct cf_typing typing;
    // For code without frames, by pc: the state met at a branch target (the first way to it
    // decides), and the exception table entries that start there, as lists.
    struct cf_frame **met;
    uint32_t *first_entry, *next_entry; // index + 1; 0: none
    int reachable;
};

static enum cf_status remember(struct walk *w, uint32_t target) {
    if (w->met[target]) return CF_OK;
    struct cf_frame *frame = cf_arena_alloc(w->edit->code.cls->arena, sizeof *frame);
    if (!frame) return cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    w->met[target] = frame;
    return cf_typing_frame(&w->typing, frame);
}

// Remembers the state for every target of the branch at `pc`.
static enum cf_status remember_targets(struct walk *w, uint32_t pc) {
    const struct cf_code *code = &w->edit->code;
    const uint8_t *p = code->bytes + pc;
    if (p[0] == CF_OP_tableswitch || p[0] == CF_OP_lookupswitch) {
        struct cf_switch sw;
        cf_switch_open(code, pc, &sw);
        CF_TRY(remember(w, sw.default_pc));
        for (uint32_t i = 0; i < sw.count; i++) CF_TRY(remember(w, cf_switch_target(&sw, i)));
    } else if (cf_opcodes[p[0]].operands == CF_BRANCH2) {
        return remember(w, (uint16_t)(pc + cf_be2(p + 1)));
    } else if (cf_opcodes[p[0]].operands == CF_BRANCH4) {
        return remember(w, pc + cf_be4(p + 1));
    }
    return CF_OK;
}

// At the start of a try range: the state there is the handlers', but for the stack.
static enum cf_status remember_handlers(struct walk *w, uint32_t pc) {
    static const struct cf_type thrown = {
        CF_TYPE_OBJECT, 0, 0, {(const uint8_t *)"java/lang/Throwable", 19}};
    struct cf_state *s = &w->typing.state;
    for (uint32_t i = w->first_entry[pc]; i; i = w->next_entry[i - 1]) {
        uint32_t depth = s->stack_count;
        struct cf_type saved = s->stack[0];
        s->stack[0] = thrown;
        s->stack_count = 1;
        CF_TRY(remember(w, cf_exception_at(&w->edit->code, i - 1).handler_pc));
        s->stack[0] = saved;
        s->stack_count = depth;
    }
    return CF_OK;
}

static enum cf_status list_entries(struct walk *w) {
    const struct cf_code *code = &w->edit->code;
    struct cf_arena *arena = code->cls->arena;
    w->met = cf_arena_zeroed(arena, code->length + 1, sizeof *w->met);
    w->first_entry = cf_arena_zeroed(arena, code->length + 1, sizeof *w->first_entry);
    w->next_entry = cf_arena_zeroed(arena, code->exception_table_length, sizeof *w->next_entry);
    if (!w->met || !w->first_entry || !w->next_entry)
        return cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (uint32_t i = 0; i < code->exception_table_length; i++) {
        uint32_t start = cf_exception_at(code, i).start_pc;
        w->next_entry[i] = w->first_entry[start];
        w->first_entry[start] = i + 1;
    }
    return CF_OK;
}

static enum cf_status enter(struct walk *w, uint32_t pc) {
    if (w->reachable || !w->met[pc]) return CF_OK;
    w->reachable = 1;
    return cf_typing_load(&w->typing, w->met[pc]);
}

// jsr: the subroutine begins with the return address on the stack. What it stores is not followed
// to behind the jsr; whether `this` is initialised does not change in it.
static enum cf_status call_subroutine(struct walk *w, uint32_t pc) {
    struct cf_state *s = &w->typing.state;
    const uint8_t *p = w->edit->code.bytes + pc;
    static const struct cf_type address = {CF_TYPE_TOP, 0, 0, {NULL, 0}};
    if (s->stack_count >= s->stack_capacity)
        return cf_fail(&w->edit->error, CF_MALFORMED, w->edit->code.offset,
                       "operand stack overflows", 0);
    s->stack[s->stack_count++] = address;
    enum cf_status status =
        remember(w, p[0] == CF_OP_jsr ? (uint16_t)(pc + cf_be2(p + 1)) : pc + cf_be4(p + 1));
    s->stack_count--;
    return status;
}

// Types the whole constructor in code order; frames, where there are any, have the last word.
static enum cf_status walk_code(struct walk *w, struct cf_frame_reader *frames) {
    struct cf_edit *edit = w->edit;
    const struct cf_code *code = &edit->code;
    int more = cf_frames_next(frames);
    w->reachable = 1;
    for (uint32_t i = 0; i < code->count; i++) {
        uint32_t pc = code->pc[i];
        unsigned op = code->bytes[pc];
        if (more && frames->frame.pc == pc) {
            CF_TRY(cf_typing_load(&w->typing, &frames->frame));
            w->reachable = 1;
            more = cf_frames_next(frames);
        } else if (!code->stack_map_table) {
            CF_TRY(enter(w, pc));
        }
        if (!w->reachable) continue;
        CF_TRY(add_phase(edit, pc, !w->typing.state.this_uninitialized));
        if (!code->stack_map_table) CF_TRY(remember_handlers(w, pc));
        if (op == CF_OP_jsr || op == CF_OP_jsr_w) {
            CF_TRY(call_subroutine(w, pc));
            continue;
        }
        int before = w->typing.state.this_uninitialized;
        CF_TRY(cf_typing_step(&w->typing, code->bytes + pc, pc));
        if (before && !w->typing.state.this_uninitialized) CF_TRY(add_delegate(edit, pc));
        if (!code->stack_map_table) CF_TRY(remember_targets(w, pc));
        if (cf_never_falls_through(op)) w->reachable = 0;
    }
    return edit->error.status;
}

static enum cf_status type_whole(struct cf_edit *edit) {
    if (edit->code.has_jsr && edit->code.stack_map_table)
        return cf_fail(&edit->error, CF_UNSUPPORTED, edit->code.offset,
                       "jsr in a constructor that has frames", 0);
    struct walk w = {.edit = edit};
    struct cf_frame_reader frames;
    edit->delegates_count = edit->phases_count = 0;
    if (!edit->code.stack_map_table) CF_TRY(list_entries(&w));
    CF_TRY(cf_frames_open(&frames, &edit->code, 1, &edit->error));
    CF_TRY(cf_typing_init(&w.typing, &edit->code, &edit->rewrite->pool, 0, 0, &edit->error));
    CF_TRY(cf_typing_load(&w.typing, &frames.frame));
    return walk_code(&w, &frames);
}

static enum cf_status find_phases(struct cf_edit *edit) {
    const struct cf_code *code = &edit->code;
    uint32_t pc = delegate_in_first_block(code);
    int again = 0;
    if (pc != UINT32_MAX && !code->stack_map_table) again = handled_before(code, pc);
    if (pc != UINT32_MAX && code->stack_map_table && !later_uninitialized(edit, pc, &again))
        return edit->error.status;
    if (pc == UINT32_MAX || again) return type_whole(edit);
    CF_TRY(add_delegate(edit, pc));
    CF_TRY(add_phase(edit, 0, 0));
    return add_phase(edit, pc + 3, 1);
}

enum cf_status cf_find_constructor(struct cf_edit *edit) {
    if (edit->error.status) return edit->error.status;
    edit->phases_known = 1;
    edit->constructor = cf_is_constructor(edit->code.cls, edit->method);
    return edit->constructor ? find_phases(edit) : CF_OK;
}
