// The exception table of a rewritten method next to the original's, and what names places besides.

#include "classfile/rewritten/internal.h"

// --- constructors ---

static int is_init(const struct cf_same *s, uint32_t index, int *of_this) {
    const struct cf_class *cls = s->rewrite->cls;
    struct cf_slice class_name, name, descriptor;
    if (!cf_reference(cls, index, &class_name, &name, &descriptor) || !CF_IS(name, "<init>"))
        return 0;
    *of_this = cf_slice_equal(class_name, cf_this_name(cls)) ||
               cf_slice_equal(class_name, cf_class_name(cls, cls->super_class));
    return 1;
}

static int sets_first_local(const uint8_t *p) {
    unsigned op = p[0];
    if (op >= CF_OP_istore_0 && op <= CF_OP_astore_3) return (op - CF_OP_istore_0) % 4 == 0;
    if (op >= CF_OP_istore && op <= CF_OP_astore) return p[1] == 0;
    return op == CF_OP_wide; // perhaps
}

// The first call of a constructor for which nothing was made with `new` must be that of `this`, for
// any other takes what a `new` made. It is the only one if none before could be it, by its class,
// and frames in between have nothing else uninitialised. Behind it no frame may take that back.
static int find_delegate(struct cf_same *s) {
    const struct cf_code *was = s->was;
    const struct cf_same_frame *frame = s->frames, *end = frame + s->frames_moved;
    uint32_t made = 0;
    s->this_stays = 1;
    for (uint32_t i = 0; i < was->count; i++) {
        uint32_t pc = was->pc[i];
        const uint8_t *p = was->bytes + pc;
        int of_this;
        if (frame < end && frame->old_pc == pc) {
            if (!(frame->names & CF_SAME_THIS) || frame->names & CF_SAME_UNINITIALIZED) return 0;
            if (!(frame->names & CF_SAME_THIS_FIRST)) s->this_stays = 0;
            frame++;
            made = 0;
        }
        if (sets_first_local(p)) s->this_stays = 0;
        made += *p == CF_OP_new;
        if (*p != CF_OP_invokespecial || !is_init(s, cf_be2(p + 1), &of_this)) continue;
        if (made-- > 0) {
            if (of_this) return 0;
            continue;
        }
        s->early_end = cf_same_at(s, pc);
        s->late_start = s->early_end + 3;
        for (; frame < end; frame++)
            if (frame->names & CF_SAME_THIS) return 0;
        return 1;
    }
    s->early_end = s->late_start = s->body_end;
    return 1;
}

// --- the original's entries ---

// May the instruction change a local variable, or make an object initialised?
static int changes_locals(const uint8_t *p) {
    unsigned op = p[0];
    return (op >= CF_OP_istore && op < CF_OP_iastore) || op == CF_OP_invokespecial ||
           op == CF_OP_new || op == CF_OP_wide;
}

// A range that ended at old_pc may take in what was put in there, as long as no frame is before
// that and the last instruction of the range has not changed what its handlers want.
static int may_end(const struct cf_same *s, uint32_t old_pc, uint32_t new_pc) {
    const struct cf_code *was = s->was;
    const struct cf_same_piece *piece = &s->pieces[cf_same_piece_of(s, old_pc, 0)];
    uint32_t at = piece->at + (old_pc - piece->old_pc);
    uint32_t before = piece->old_pc == old_pc ? piece->before : at;
    if (new_pc == before) return 1;
    if (new_pc < before || new_pc > at || !cf_same_is_start(s, new_pc)) return 0;
    const struct cf_same_frame *frame = cf_same_frame_at(s, old_pc);
    if (frame && frame->new_pc < new_pc) return 0;
    return !changes_locals(was->bytes + was->pc[cf_code_index(was, old_pc) - 1]);
}

// What was put in before the first instruction of a range finds what that finds, or more.
static int may_start(const struct cf_same *s, uint32_t old_pc, uint32_t new_pc) {
    const struct cf_same_piece *piece = &s->pieces[cf_same_piece_of(s, old_pc, 0)];
    uint32_t at = piece->at + (old_pc - piece->old_pc);
    if (new_pc == at) return 1;
    return piece->old_pc == old_pc && new_pc >= piece->before && new_pc < at &&
           cf_same_is_start(s, new_pc);
}

// Wherever the range is left for a handler, its frame's new locals hold.
static int holds(struct cf_same *s, struct cf_exception e, uint32_t state) {
    for (uint32_t i = cf_same_state_at(s, e.start_pc);
         i < s->states_count && s->states[i].from < e.end_pc; i++)
        if (!cf_same_takes(s, state, i)) return 0;
    return 1;
}

static int is_moved(struct cf_same *s, struct cf_exception was, struct cf_exception e) {
    const struct cf_same_frame *frame = cf_same_frame_at(s, was.handler_pc);
    return frame && frame->new_pc == e.handler_pc && was.catch_type == e.catch_type &&
           e.start_pc < e.end_pc && may_start(s, was.start_pc, e.start_pc) &&
           may_end(s, was.end_pc, e.end_pc) && holds(s, e, frame->state);
}

// --- new entries ---

// To a handler behind the original's code, for all exceptions. In a constructor `this` must be in
// one state through all of the range.
static int is_new(struct cf_same *s, struct cf_exception e) {
    const struct cf_same_frame *frame = s->frames + s->frames_moved,
                               *end = s->frames + s->frames_count;
    while (frame < end && frame->new_pc != e.handler_pc) frame++;
    if (frame == end || e.catch_type || e.start_pc >= e.end_pc || e.end_pc > s->body_end) return 0;
    if (!cf_same_is_start(s, e.start_pc) || !cf_same_is_start(s, e.end_pc)) return 0;
    if (s->is_constructor) {
        if (!s->delegate_known && !find_delegate(s)) return 0;
        s->delegate_known = 1;
        if (frame->names & CF_SAME_THIS) {
            if (!s->this_stays || e.end_pc > s->early_end) return 0;
        } else if (e.start_pc < s->late_start) {
            return 0;
        }
    }
    return holds(s, e, frame->state);
}

int cf_same_check_exceptions(struct cf_same *s) {
    const struct cf_code *was = s->was, *now = &s->v->code;
    uint32_t next = 0;
    for (uint32_t i = 0; i < now->exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(now, i);
        if (next < was->exception_table_length && is_moved(s, cf_exception_at(was, next), e))
            next++;
        else if (!is_new(s, e))
            return 0;
    }
    return next == was->exception_table_length;
}

// --- local variables ---

// As cf_same_is_start, mostly for the piece that was asked about before.
static inline int is_start_near(const struct cf_same *s, uint32_t *piece, uint32_t pc) {
    const struct cf_same_piece *p = &s->pieces[*piece];
    if (pc < p->at || pc >= p[1].before) {
        if (pc >= s->body_end) return cf_same_is_start(s, pc);
        *piece = cf_same_piece_of(s, pc, 1);
        p = &s->pieces[*piece];
        if (pc < p->at) return cf_same_is_start(s, pc);
    }
    uint32_t old_pc = p->old_pc + (pc - p->at);
    return old_pc < p[1].old_pc && (s->was->marks[old_pc] & CF_MARK_START);
}

// JVMs look at the ranges of local variables when they verify. Mostly several begin or end
// together.
static int check_table(struct cf_same *s, const uint8_t *p, const uint8_t *end) {
    uint32_t length = s->v->code.length, known_start = 0, known_end = s->body_end;
    uint32_t start_piece = 0, end_piece = 0;
    if (end - p < 2) return 1;
    uint32_t count = cf_be2(p);
    for (p += 2; count > 0 && end - p >= 10; count--, p += 10) {
        uint32_t from = cf_be2(p), to = from + cf_be2(p + 2);
        if (from >= length || to > length) return 0;
        if (from != known_start && !is_start_near(s, &start_piece, from)) return 0;
        if (to != known_end && !is_start_near(s, &end_piece, to)) return 0;
        known_start = from;
        known_end = to;
    }
    return 1;
}

int cf_same_check_variables(struct cf_same *s) {
    const struct cf_code *now = &s->v->code;
    const uint8_t *bytes = s->view->bytes;
    uint32_t pos = now->attributes;
    for (uint32_t i = 0; i < now->attributes_count; i++) {
        uint32_t name = cf_be2(bytes + pos), length = cf_be4(bytes + pos + 2);
        pos += 6;
        int is_table = name && name == s->view->utf8_local_variable_table;
        if ((is_table || cf_v_is_table_of_variables(s->view, name)) &&
            !check_table(s, bytes + pos, bytes + pos + length))
            return 0;
        pos += length;
    }
    return 1;
}
