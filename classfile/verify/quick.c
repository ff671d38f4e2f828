// The quick check's way through the code of a method. Returning 0 says nothing: the careful check
// comes then.

#include "classfile/verify/quick.h"

#define NOINLINE __attribute__((noinline))

// --- matching ---

static inline int are_equal_pairs(const cf_vtype *a, const cf_vtype *b) {
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x == y;
}

static inline int match_locals(struct cf_quick *q, const struct cf_vframe *frame) {
    const struct cf_verifier *v = q->v;
    const cf_vtype *there = v->frame_types + frame->locals, *here = v->locals;
    uint64_t i = frame->first, n = frame->locals_count;
    if ((q->work += (uint32_t)n) > CF_Q_MOST_WORK) return 0;
    if (v->this_uninitialized > frame->this_uninitialized) return 0;
    while (i + 1 < n && are_equal_pairs(here + i, there + i)) i += 2;
    if (i >= n || (i + 1 == n && here[i] == there[i])) return 1;
    return cf_q_take_others(q, there, here, (uint32_t)i, (uint32_t)n);
}

static inline int match(struct cf_quick *q, const struct cf_vframe *frame, const cf_vtype *top) {
    uint32_t depth = frame->stack_count;
    if ((uint32_t)(top - q->v->stack) - CF_V_SLACK != depth) return 0;
    const cf_vtype *there = q->v->frame_types + frame->stack, *here = top - depth;
    for (uint32_t i = 0; i < depth; i++)
        if (!cf_q_takes(q, there[i], here[i])) return 0;
    return match_locals(q, frame);
}

static inline cf_vtype *load(struct cf_quick *q, const struct cf_vframe *frame) {
    struct cf_verifier *v = q->v;
    const cf_vtype *types = v->frame_types + frame->locals;
    cf_vtype *locals = v->locals, *top = v->stack + CF_V_SLACK;
    uint32_t n = frame->locals_count, i;
    q->work += n;
    // In pieces, beyond the last one too: what comes there is TOP then.
    for (i = 0; i < n; i += CF_Q_PIECE) memcpy(locals + i, types + i, CF_Q_PIECE * sizeof *types);
    memset(locals + n, 0, CF_Q_PIECE * sizeof *locals);
    for (i = n + CF_Q_PIECE; i < v->locals_used; i++) locals[i] = CF_V_TOP;
    v->locals_used = n;
    types = v->frame_types + frame->stack;
    for (i = 0; i < frame->stack_count; i++) *top++ = types[i];
    v->this_uninitialized = frame->this_uninitialized;
    return top;
}

static inline uint32_t match_handlers(struct cf_quick *q, uint32_t pc, uint32_t stop) {
    q->work += q->handlers_count;
    for (uint32_t i = 0; i < q->handlers_count; i++) {
        const struct cf_qhandler *h = &q->handlers[i];
        if (pc < h->start) {
            if (h->start < stop) stop = h->start;
        } else if (pc < h->end && !match_locals(q, h->frame)) {
            return 0;
        }
    }
    return stop;
}

uint32_t cf_q_match_handlers(struct cf_quick *q, uint32_t pc, uint32_t stop) {
    return match_handlers(q, pc, stop);
}

// --- control ---

static int go_to(struct cf_quick *q, uint32_t target, const cf_vtype *top) {
    const struct cf_vframe *frame = cf_q_frame_at(q, target);
    return frame && match(q, frame, top);
}

// Returns the length of the switch.
static uint32_t take_switch(struct cf_quick *q, uint32_t pc, const cf_vtype *top) {
    struct cf_verifier *v = q->v;
    struct cf_switch sw;
    uint32_t length = cf_instruction_length(v->code.bytes, pc, v->code.length);
    if (!length) return 0;
    cf_switch_open(&v->code, pc, &sw);
    for (uint32_t i = pc + 1; v->cls->major_version < 51 && (i & 3); i++)
        if (v->code.bytes[i]) return 0;
    if (!go_to(q, sw.default_pc, top)) return 0;
    for (uint32_t i = 0; i < sw.count; i++) {
        if (i && !sw.is_table && cf_switch_match(&sw, i) <= cf_switch_match(&sw, i - 1)) return 0;
        if (!go_to(q, cf_switch_target(&sw, i), top)) return 0;
    }
    return length;
}

static int may_return(struct cf_quick *q, const struct cf_qrow *row, const cf_vtype *top) {
    struct cf_verifier *v = q->v;
    switch (row->kind) {
    case CF_Q_RETURN_VALUE: return v->result == row->second;
    case CF_Q_RETURN_REFERENCE: return v->result && cf_q_takes(q, v->result, top[-1]);
    case CF_Q_RETURN: return !v->result && !(v->is_constructor && v->this_uninitialized);
    default:
        return cf_q_is_initialized(top[-1]) &&
               cf_q_takes(q, cf_q_class(CF_KNOWN_THROWABLE), top[-1]);
    }
}

// --- all of them ---

NOINLINE static int is_new_local(struct cf_verifier *v, uint32_t index) {
    return cf_q_is_local(v, index);
}

NOINLINE static int is_too_high(struct cf_verifier *v, const cf_vtype *top) {
    uint32_t most = cf_v_is_new(v) ? v->code.max_stack : v->old_stack;
    return (uint32_t)(top - v->stack) - CF_V_SLACK > most;
}

// Does control go on to the next instruction? Where it does not, v->pc is moved there. -1: not
// here.
NOINLINE static int falls_through(struct cf_quick *q, const struct cf_qrow *row,
                                  const cf_vtype *top) {
    struct cf_verifier *v = q->v;
    uint32_t length = row->length;
    if (row->kind <= CF_Q_GOTO) {
        if (!go_to(q, cf_v_target(v, v->pc), top)) return -1;
        if (row->kind == CF_Q_BRANCH) return 1;
    } else if (row->kind == CF_Q_SWITCH) {
        if (!(length = take_switch(q, v->pc, top))) return -1;
    } else if (!may_return(q, row, top)) {
        return -1;
    }
    v->pc += length;
    return 0;
}

// An instruction that is a row of the table, of those that take something from the stack or lead
// elsewhere. Returns the stack's top, NULL: not here.
static inline cf_vtype *step(const struct cf_quick *q, const struct cf_qrow *row, cf_vtype *top) {
    cf_vtype pushed = q->v->locals[row->from]; // a constant
    uint32_t there = (top[-1] & 0xFF) << 8 | (top[-(int)(row->mask >> 24)] & 0xFF) << 16;
    if ((there ^ row->needed) & row->mask & 0xFFFF00) return NULL;
    top[row->under] = pushed;
    top[row->under + 1] = row->second;
    return top + row->net;
}

// What follows the index of a call.
static inline int are_bytes_right(const struct cf_qmember *m, const uint8_t *p) {
    return p[3] == (*p == CF_OP_invokedynamic ? 0 : m->arguments + 1) && !p[4];
}

// A field is read or set, a method called: what is taken must be assignable.
NOINLINE static cf_vtype *use_member(struct cf_quick *q, const struct cf_qrow *row,
                                     const uint8_t *p, cf_vtype *top) {
    const struct cf_qmember *m = cf_q_member(q, p);
    if (!m) return NULL;
    int64_t object = row->under, taken = m->arguments & row->operand;
    int64_t i = 0, n = taken - object;
    if (top - q->v->stack < n + (int64_t)CF_V_SLACK) return NULL;
    const cf_vtype *to = m->types + 1 + object, *result = cf_q_result(m);
    cf_vtype *from = top - n;
    while (i < n && from[i] == to[i]) i++;
    if (i < n && !cf_q_take_others(q, to, from, (uint32_t)i, (uint32_t)n))
        return *p == CF_OP_putfield ? cf_q_put_early(q, m, top) : NULL;
    if (row->kind == CF_Q_MEMBER_CHECKED && !are_bytes_right(m, p)) return NULL;
    from[0] = result[0];
    from[1] = result[1];
    return from + (m->results & row->second);
}

NOINLINE cf_vtype *cf_q_run_other(struct cf_quick *q, const struct cf_qrow *row, const uint8_t *p,
                                  cf_vtype *top) {
    if (row->kind >= CF_Q_STEP) return step(q, row, top);
    if (row->kind >= CF_Q_MEMBER_USE) return use_member(q, row, p, top);
    return cf_q_run_one(q, row, p, top);
}

// From v->pc on, up to `stop` or where control does not fall through or a handler has to be looked
// at. Returns the stack's top, v->pc moved; NULL: not here. This is the loop that all the time goes
// into: it shall have its values in registers, so what is rare is called.
NOINLINE static cf_vtype *run(struct cf_quick *q, cf_vtype *top, uint64_t stop, int *falls) {
    struct cf_verifier *v = q->v;
    const uint8_t *code = v->code.bytes;
    uint8_t *marks = v->marks;
    const cf_vtype *locals = v->locals, *limit = v->stack + CF_V_SLACK + v->old_stack;
    uint64_t pc = v->pc;
    do {
        const uint8_t *p = code + pc;
        const struct cf_qrow *row = &cf_q_rows[*p];
        marks[pc] = CF_V_START;
        v->pc = (uint32_t)pc;
        pc += cf_lengths[*p];
        if (row->kind == CF_Q_PUSH) { // most are
            int64_t local = row->from + (int64_t)(p[1] & row->operand);
            cf_vtype pushed = locals[local];
            if ((uint8_t)(pushed ^ row->needed) & (uint8_t)row->mask) return NULL;
            top[0] = pushed;
            top[1] = row->second;
            top += row->net;
            if (local >= v->old_locals && !is_new_local(v, (uint32_t)local)) return NULL;
        } else if (!(top = cf_q_run_other(q, row, p, top))) {
            return NULL;
        } else if (row->kind > CF_Q_STEP) {
            if ((*falls = falls_through(q, row, top)) < 0) return NULL;
            if (!*falls) return top;
        } else if (row->kind <= CF_Q_INVOKE_SPECIAL && v->unmatched) {
            stop = 0;
        }
        if (top > limit && is_too_high(v, top)) return NULL;
    } while (pc < stop);
    v->pc = (uint32_t)pc;
    return top;
}

// A frame that is deeper than those of the original may be.
static int is_new_place(struct cf_verifier *v) {
    const struct cf_verify_original *o = v->original;
    uint32_t end;
    return o && o->place(o->context, v->pc, &end) == CF_PLACE_NEW;
}

static int check_code(struct cf_quick *q) {
    struct cf_verifier *v = q->v;
    const struct cf_vframe *frame = v->frames; // the next one
    uint32_t length = v->code.length;
    cf_vtype *top = v->top;
    int falls = 1;
    v->pc = 0;
    while (v->pc < length) {
        if (v->pc >= frame->pc) {
            if (v->pc > frame->pc || (falls && !match(q, frame, top))) return 0;
            if (frame->stack_count > v->old_stack && !is_new_place(v)) return 0;
            top = load(q, frame++);
        } else if (!falls) {
            return 0;
        }
        uint32_t stop = frame->pc < length ? frame->pc : length;
        if (q->handlers_count && !(stop = match_handlers(q, v->pc, stop))) return 0;
        v->unmatched = 0;
        falls = 1;
        if (q->work > CF_Q_MOST_WORK || !(top = run(q, top, stop, &falls))) return 0;
    }
    return v->pc == length && !falls && frame == v->frames + v->frames_count;
}

// Of what names pcs: all of them have been met as instructions.
static int check_places(struct cf_quick *q) {
    struct cf_verifier *v = q->v;
    for (uint32_t i = 0; v->meets_uninitialized && i < v->frame_types_count; i++) {
        cf_vtype type = v->frame_types[i];
        if (CF_V_TAG(type) == CF_V_UNINITIALIZED && !(v->marks[CF_V_PAYLOAD(type)] & CF_V_START))
            return 0;
    }
    for (uint32_t i = 0; i < q->handlers_count; i++) {
        const struct cf_qhandler *h = &q->handlers[i];
        if (!(v->marks[h->start] & CF_V_START)) return 0;
        if (h->end != v->code.length && !(v->marks[h->end] & CF_V_START)) return 0;
    }
    return !v->code.has_others || cf_v_check_attributes(v) == CF_OK;
}

static int begin_state(struct cf_quick *q) {
    struct cf_verifier *v = q->v;
    struct cf_slice name = cf_member_name(v->cls, v->method);
    const struct cf_vsignature *s = cf_q_signature(q, v->method->descriptor_index);
    if (!s || cf_v_state_room(v) != CF_OK) return 0;
    uint32_t used = v->method->access_flags & CF_ACC_STATIC ? 0 : 1;
    if (s->arguments + used > v->old_locals) return 0;
    uint32_t before = v->locals_used;
    v->is_constructor = CF_IS(name, "<init>");
    v->this_uninitialized =
        used && v->is_constructor && q->this_type != cf_q_class(CF_KNOWN_OBJECT);
    v->locals[0] = v->this_uninitialized ? CF_V_UNINITIALIZED_THIS : q->this_type;
    for (uint32_t i = 0; i < s->arguments; i++) v->locals[used + i] = s->types[i];
    v->locals_used = used + s->arguments;
    if (!v->locals_used) v->locals[0] = CF_V_TOP;
    for (uint32_t i = v->locals_used; i < before; i++) v->locals[i] = CF_V_TOP;
    v->result = s->results ? s->types[s->arguments] : CF_V_TOP;
    v->top = v->stack + CF_V_SLACK;
    return 1;
}

int cf_q_check(struct cf_quick *q) {
    struct cf_verifier *v = q->v;
    uint32_t constants = v->cls->constant_pool_count;
    q->work = 0;
    q->old_constants = v->old_constants < constants ? v->old_constants : constants;
    return begin_state(q) && cf_q_read_tables(q) && check_code(q) && check_places(q);
}
