// Constructors: finds the delegate call, super(...) or this(...), before which `this` is not
// initialized (JVMS 4.10.1.9, invokespecial). There may be several in branches, and since JDK 22
// any code before them.

#include "classfile/edit.h"
#include "classfile/frames/typing.h"

// Is the invokespecial at `pc` the call of a constructor? `of_this`: may it be the delegate call,
// judging by its class?
static int is_init_call(const struct cf_code *code, uint32_t pc, int *of_this) {
    const struct cf_class *cls = code->cls;
    struct cf_slice class_name, name, descriptor;
    if (!cf_reference(cls, cf_be2(code->bytes + pc + 1), &class_name, &name, &descriptor)) return 0;
    if (!CF_IS(name, "<init>")) return 0;
    *of_this = cf_slice_equal(class_name, cf_this_name(cls)) ||
               cf_slice_equal(class_name, cf_class_name(cls, cls->super_class));
    return 1;
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

// Adds a phase from `start` on, which ends the phase before it.
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

// The common case: the delegate call is in the first basic block, and all objects created before it
// have their own `new`. Returns the pc of the call, or UINT32_MAX, also if a call may be either the
// delegate call or that of such an object, judging by its class.
static uint32_t delegate_in_first_block(const struct cf_code *code) {
    uint32_t outstanding = 0;
    for (uint32_t i = 0; i < code->count; i++) {
        uint32_t pc = code->pc[i];
        unsigned op = code->bytes[pc];
        if (code->marks[pc] & CF_MARK_TARGET) return UINT32_MAX;
        if (op == CF_OP_new) outstanding++;
        int of_this;
        if (op == CF_OP_invokespecial && is_init_call(code, pc, &of_this)) {
            if (outstanding == 0) return pc;
            if (of_this) return UINT32_MAX;
            outstanding--;
        }
        if (cf_opcodes[op].operands == CF_BRANCH2 || cf_never_falls_through(op)) return UINT32_MAX;
    }
    return UINT32_MAX;
}

// May a frame after the first delegate call have an uninitialized `this`? Only with several calls
// in branches, so checking the frames' locals suffices.
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

// The same without frames: may a handler be reached from before the delegate call?
static int handled_before(const struct cf_code *code, uint32_t delegate) {
    for (uint32_t i = 0; i < code->exception_table_length; i++)
        if (cf_exception_at(code, i).start_pc <= delegate) return 1;
    return 0;
}

// What is known about an instruction, by its pc. Without frames code may be reached both EARLY and
// INITIALIZED if it does not use `this` and never returns; it is walked in one of the two.
enum { EARLY = 1, INITIALIZED = 2, DELEGATES = 4 };

struct walk {
    struct cf_edit *edit;
    struct cf_typing typing;
    uint8_t *seen;
    // For code without frames, by pc: in which phases something leads there, the state met at a
    // branch target (the first way to it decides), and the exception table entries that start
    // there, as lists.
    uint8_t *reached;
    struct cf_frame **met;
    uint32_t *first_entry, *next_entry; // index + 1; 0: none
    uint32_t *next_met;                 // by pc, for enter_ranges
    uint32_t *pending, pending_count;   // met, and not walked from yet
};

static unsigned phase(const struct walk *w) {
    return w->typing.state.this_uninitialized ? EARLY : INITIALIZED;
}

static enum cf_status remember(struct walk *w, uint32_t target) {
    w->reached[target] |= (uint8_t)phase(w);
    if (w->met[target]) return CF_OK;
    struct cf_frame *frame = cf_arena_alloc(w->edit->code.cls->arena, sizeof *frame);
    if (!frame) return cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    w->met[target] = frame;
    w->pending[w->pending_count++] = target;
    return cf_typing_frame(&w->typing, frame);
}

// Records the state for every target of the branch at `pc`.
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

// The handler gets the current state, except for the stack.
static enum cf_status remember_handler(struct walk *w, uint32_t entry) {
    static const struct cf_type thrown = {
        CF_TYPE_OBJECT, 0, 0, {(const uint8_t *)"java/lang/Throwable", 19}};
    struct cf_state *s = &w->typing.state;
    uint32_t depth = s->stack_count;
    struct cf_type saved = s->stack[0];
    s->stack[0] = thrown;
    s->stack_count = 1;
    CF_TRY(remember(w, cf_exception_at(&w->edit->code, entry).handler_pc));
    s->stack[0] = saved;
    s->stack_count = depth;
    return CF_OK;
}

static enum cf_status remember_handlers(struct walk *w, uint32_t pc) {
    for (uint32_t i = w->first_entry[pc]; i; i = w->next_entry[i - 1])
        CF_TRY(remember_handler(w, i - 1));
    return CF_OK;
}

static enum cf_status list_entries(struct walk *w) {
    const struct cf_code *code = &w->edit->code;
    struct cf_arena *arena = code->cls->arena;
    w->reached = cf_arena_zeroed(arena, code->length, 1);
    w->met = cf_arena_zeroed(arena, code->length + 1, sizeof *w->met);
    w->first_entry = cf_arena_zeroed(arena, code->length + 1, sizeof *w->first_entry);
    w->next_entry = cf_arena_zeroed(arena, code->exception_table_length, sizeof *w->next_entry);
    w->next_met = cf_arena_alloc(arena, code->length * sizeof *w->next_met);
    w->pending = cf_arena_alloc(arena, code->count * sizeof *w->pending);
    if (!w->reached || !w->met || !w->first_entry || !w->next_entry || !w->next_met || !w->pending)
        return cf_fail(&w->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (uint32_t i = 0; i < code->exception_table_length; i++) {
        uint32_t start = cf_exception_at(code, i).start_pc;
        w->next_entry[i] = w->first_entry[start];
        w->first_entry[start] = i + 1;
    }
    return CF_OK;
}

// jsr: the subroutine begins with the return address on the stack. Its stores are not followed to
// the code behind the jsr; it does not initialize `this`.
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

static enum cf_status step(struct walk *w, uint32_t pc) {
    const struct cf_code *code = &w->edit->code;
    unsigned op = code->bytes[pc];
    int early = w->typing.state.this_uninitialized;
    w->seen[pc] = (uint8_t)phase(w);
    if (!code->stack_map_table) CF_TRY(remember_handlers(w, pc));
    if (op == CF_OP_jsr || op == CF_OP_jsr_w) return call_subroutine(w, pc);
    CF_TRY(cf_typing_step(&w->typing, code->bytes + pc, pc));
    if (early && !w->typing.state.this_uninitialized) w->seen[pc] |= DELEGATES;
    return code->stack_map_table ? CF_OK : remember_targets(w, pc);
}

// With frames, which have the state after each jump: in code order.
static enum cf_status walk_frames(struct walk *w, struct cf_frame_reader *frames) {
    const struct cf_code *code = &w->edit->code;
    int more = cf_frames_next(frames), reachable = 1;
    for (uint32_t i = 0; i < code->count; i++) {
        uint32_t pc = code->pc[i];
        if (more && frames->frame.pc == pc) {
            CF_TRY(cf_typing_load(&w->typing, &frames->frame));
            reachable = 1;
            more = cf_frames_next(frames);
        }
        if (!reachable) continue;
        CF_TRY(step(w, pc));
        if (cf_never_falls_through(code->bytes[pc])) reachable = 0;
    }
    return w->edit->error.status;
}

// Walks from all pending places, and from those that are found on the way, in both directions.
static enum cf_status walk_pending(struct walk *w) {
    const struct cf_code *code = &w->edit->code;
    while (w->pending_count) {
        uint32_t pc = w->pending[--w->pending_count];
        if (w->seen[pc]) continue;
        CF_TRY(cf_typing_load(&w->typing, w->met[pc]));
        while (pc < code->length && !w->seen[pc]) {
            CF_TRY(step(w, pc));
            if (cf_never_falls_through(code->bytes[pc])) break;
            pc += cf_instruction_length(code->bytes, pc, code->length);
            if (pc < code->length) w->reached[pc] |= (uint8_t)phase(w);
        }
    }
    return CF_OK;
}

// Enters handlers that were not reached because the start of their range is dead code: the first
// live instruction in the range must be a branch target.
static enum cf_status enter_ranges(struct walk *w) {
    const struct cf_code *code = &w->edit->code;
    uint32_t next = code->length;
    for (uint32_t pc = code->length; pc-- > 0; w->next_met[pc] = next)
        if (w->met[pc]) next = pc;
    for (uint32_t i = 0; i < code->exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(code, i);
        if (w->met[e.handler_pc] || w->next_met[e.start_pc] >= e.end_pc) continue;
        CF_TRY(cf_typing_load(&w->typing, w->met[w->next_met[e.start_pc]]));
        CF_TRY(remember_handler(w, i));
    }
    return CF_OK;
}

// Fails if for some code it is unknown whether `this` is initialized, and so what to count when it
// throws.
static enum cf_status check_phases(struct walk *w) {
    const struct cf_code *code = &w->edit->code;
    for (unsigned phase = EARLY; phase <= INITIALIZED; phase++) {
        uint32_t *next_seen = w->next_met, next = code->length;
        for (uint32_t pc = code->length; pc-- > 0; next_seen[pc] = next)
            if (w->seen[pc] & phase) next = pc;
        for (uint32_t i = 0; i < code->exception_table_length; i++) {
            struct cf_exception e = cf_exception_at(code, i);
            if (next_seen[e.start_pc] < e.end_pc) w->reached[e.handler_pc] |= (uint8_t)phase;
        }
    }
    for (uint32_t pc = 0; pc < code->length; pc++)
        if (w->reached[pc] == (EARLY | INITIALIZED))
            return cf_fail(&w->edit->error, CF_UNSUPPORTED, code->offset,
                           "code is reached before and after super() or this()", 0);
    return CF_OK;
}

// Without frames: along all paths through the code.
static enum cf_status walk_ways(struct walk *w, const struct cf_frame *first) {
    CF_TRY(list_entries(w));
    CF_TRY(cf_typing_load(&w->typing, first));
    CF_TRY(remember(w, 0));
    while (w->pending_count) {
        CF_TRY(walk_pending(w));
        CF_TRY(enter_ranges(w));
    }
    return check_phases(w);
}

static enum cf_status type_whole(struct cf_edit *edit) {
    const struct cf_code *code = &edit->code;
    if (code->has_jsr && code->stack_map_table)
        return cf_fail(&edit->error, CF_UNSUPPORTED, code->offset,
                       "jsr in a constructor that has frames", 0);
    struct walk w = {.edit = edit};
    struct cf_frame_reader frames;
    edit->delegates_count = edit->phases_count = 0;
    w.seen = cf_arena_zeroed(code->cls->arena, code->length, 1);
    if (!w.seen) return cf_fail(&edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    CF_TRY(cf_frames_open(&frames, code, 1, &edit->error));
    CF_TRY(cf_typing_init(&w.typing, code, &edit->rewrite->pool, 0, 0, &edit->error));
    if (code->stack_map_table) {
        CF_TRY(cf_typing_load(&w.typing, &frames.frame));
        CF_TRY(walk_frames(&w, &frames));
    } else {
        CF_TRY(walk_ways(&w, &frames.frame));
    }
    for (uint32_t i = 0; i < code->count; i++) {
        uint32_t pc = code->pc[i];
        if (w.seen[pc]) CF_TRY(add_phase(edit, pc, w.seen[pc] & INITIALIZED ? 1 : 0));
        if (w.seen[pc] & DELEGATES) CF_TRY(add_delegate(edit, pc));
    }
    return CF_OK;
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
