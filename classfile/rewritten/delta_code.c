// What was put in: it runs on a stack of its own, and of the local variables it knows those alone
// that the original does not have.

#include "classfile/rewritten/internal.h"

// A run of new instructions.
struct put_in {
    struct cf_same *s;
    uint32_t pc, end;
    uint32_t old_pc; // of the original's instruction behind it; its length: there is none
    int by_frame;    // a frame tells of the stack below
    uint32_t peak;   // slots that it takes at most
};

// --- what is on the stack below ---

// The array that `a` makes, or what a call returns.
static cf_vtype result_of(struct cf_same *s, const uint8_t *a) {
    struct cf_quick *q = s->q;
    cf_vtype stack[2 * CF_V_SLACK] = {CF_V_NOTHING, CF_V_NOTHING, CF_V_NOTHING, CF_V_NOTHING,
                                      CF_V_INT};
    switch (*a) {
    case CF_OP_newarray:
    case CF_OP_anewarray:
        return cf_q_run_other(q, &cf_q_rows[*a], a, stack + CF_V_SLACK + 1) ? stack[CF_V_SLACK]
                                                                            : CF_V_TOP;
    case CF_OP_multianewarray:
        return cf_be2(a + 1) < q->old_constants ? cf_q_class_at(q, cf_be2(a + 1)) : CF_V_TOP;
    case CF_OP_invokevirtual:
    case CF_OP_invokespecial:
    case CF_OP_invokestatic:
    case CF_OP_invokeinterface: {
        const struct cf_qmember *m = cf_q_member(q, a);
        return m && m->results == 1 ? cf_q_result(m)[0] : CF_V_TOP;
    }
    default: return CF_V_TOP;
    }
}

// The type on top, which may be more than is said here: nothing is taken away. TOP: not known.
static cf_vtype type_below(const struct put_in *in) {
    struct cf_same *s = in->s;
    const struct cf_code *was = s->was;
    if (in->old_pc == was->length || was->bytes[in->old_pc] == CF_OP_athrow)
        return CF_V_CLASS + CF_KNOWN_THROWABLE;
    if (in->by_frame) return cf_same_top(s);
    if (in->old_pc == 0) return CF_V_TOP;
    return result_of(s, was->bytes + was->pc[cf_code_index(was, in->old_pc) - 1]);
}

// --- instructions ---

// Kinds that take nothing but what the table says, and go on to the next instruction.
#define KIND(kind) (UINT64_C(1) << CF_Q_##kind)
static const uint64_t plain = KIND(ARRAY_STORE) | KIND(ARRAY_LENGTH) | KIND(POP) | KIND(POP2) |
                              KIND(DUP) | KIND(DUP2) | KIND(LDC) | KIND(LDC_W) | KIND(LDC2_W) |
                              KIND(MEMBER_USE) | KIND(STEP);

// Sets a local that the original does not have: what those hold is another state then.
static cf_vtype *store(struct cf_same *s, const struct cf_qrow *row, const uint8_t *p, uint32_t pc,
                       cf_vtype *top) {
    struct cf_verifier *v = s->v;
    uint32_t index = (uint32_t)row->from + (p[1] & row->operand);
    int two = row->under < -1;
    if (((top[-1] ^ row->needed) & row->mask) || index < s->was->max_locals ||
        index + (uint32_t)two >= v->code.max_locals)
        return NULL;
    if (two) {
        cf_v_set_local(v, index, top[-2]);
        cf_v_set_local(v, index + 1, top[-1]);
    } else {
        cf_v_set_local(v, index, top[-1]);
    }
    return cf_same_note_state(s, pc + row->length) ? top - 1 - two : NULL;
}

// Mostly a static method with arguments of just these types.
static inline cf_vtype *call(struct cf_same *s, const struct cf_qrow *row, const uint8_t *p,
                             cf_vtype *top) {
    uint32_t index = cf_be2(p + 1), i = 0;
    const struct cf_qmember *m = NULL;
    if (index < s->q->old_constants) m = cf_q_member_at(s->q, index);
    if (!m || *p != CF_OP_invokestatic || !(m->instructions & CF_Q_BIT(CF_OP_invokestatic)) ||
        top - s->v->stack < (int64_t)m->arguments + (int64_t)CF_V_SLACK)
        return cf_q_run_other(s->q, row, p, top);
    const cf_vtype *to = m->types + 1, *result = cf_q_result(m);
    cf_vtype *from = top - m->arguments;
    while (i < m->arguments && from[i] == to[i]) i++;
    if (i < m->arguments && !cf_q_take_others(s->q, to, from, i, m->arguments)) return NULL;
    from[0] = result[0];
    from[1] = result[1];
    return from + m->results;
}

// Runs an instruction that is no push. Returns the stack's top.
static inline cf_vtype *step(struct put_in *in, const struct cf_qrow *row, const uint8_t *p,
                             cf_vtype *top) {
    struct cf_same *s = in->s;
    if (row->kind == CF_Q_STORE) return store(s, row, p, (uint32_t)(p - s->v->code.bytes), top);
    if (row->kind == CF_Q_MEMBER_USE) return call(s, row, p, top);
    if (!(plain >> row->kind & 1)) return NULL;
    if (row->kind == CF_Q_DUP && top == s->v->stack + CF_V_SLACK) {
        *top = type_below(in);
        return cf_v_is_single(*top) ? top + 1 : NULL;
    }
    return cf_q_run_other(s->q, row, p, top);
}

// Ends where nothing is on its stack: at `end`, or, where the code ends, at an athrow of what was
// there before.
static int run_all(struct put_in *in) {
    struct cf_verifier *v = in->s->v;
    const uint8_t *code = v->code.bytes;
    const cf_vtype *locals = v->locals;
    cf_vtype *base = v->stack + CF_V_SLACK, *top = base, *peak = base;
    const cf_vtype *limit = base + v->code.max_stack;
    uint32_t pc = in->pc, end = in->end;
    while (pc < end) {
        const uint8_t *p = code + pc;
        const struct cf_qrow *row = &cf_q_rows[*p];
        if (row->kind == CF_Q_PUSH) { // most are
            cf_vtype pushed = locals[row->from + (int)(p[1] & row->operand)];
            if ((uint8_t)(pushed ^ row->needed) & (uint8_t)row->mask) return 0;
            top[0] = pushed;
            top[1] = row->second;
            top += row->net;
        } else if (row->kind == CF_Q_THROW && in->old_pc == in->s->was->length) {
            break;
        } else if (!(top = step(in, row, p, top))) {
            return 0;
        }
        peak = top > peak ? top : peak;
        if (top > limit) return 0;
        pc += row->length;
    }
    in->pc = pc;
    in->peak = (uint32_t)(peak - base);
    return top == base && pc <= end;
}

#define LEAST_LENGTH 6 // shorter code is as soon run as recalled
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

// What may be the same as what is put in. It ends at `end`, or in front of an athrow.
static struct cf_same_known *look_up(const struct put_in *in) {
    struct cf_same_memory *memory = in->s->memory;
    uint32_t length = in->end - in->pc, locals = in->s->was->max_locals;
    if (length < LEAST_LENGTH || in->s->v->code.bytes[in->pc] == CF_OP_dup) return NULL;
    if (in->old_pc == in->s->was->length) return &memory->rests[locals < 4 ? locals : 4];
    if (in->old_pc == 0) return &memory->entries[length % COUNT(memory->entries)];
    return &memory->pieces[length % COUNT(memory->pieces)];
}

static int ends_with(const struct put_in *in, const struct cf_same_known *known) {
    uint32_t end = in->pc + known->length;
    if (in->old_pc < in->s->was->length) return end == in->end;
    return known->length && end < in->end && in->s->v->code.bytes[end] == CF_OP_athrow;
}

static int run(struct put_in *in) {
    struct cf_same *s = in->s;
    struct cf_same_known *known = look_up(in);
    uint32_t from = in->pc, before = s->states_count - 1;
    if (known && ends_with(in, known) && cf_same_recall(s, known, from)) {
        in->pc += known->length;
        in->peak = known->peak;
        return 1;
    }
    if (!run_all(in)) return 0;
    if (known) cf_same_learn(s, known, from, in->pc - from, in->peak, before);
    return 1;
}

// --- places ---

// Is there room on the stack for what the run takes, on top of what the original has there?
static int has_room(struct put_in *in) {
    struct cf_same *s = in->s;
    uint32_t most = s->v->code.max_stack, depth = s->depth;
    if (s->was->max_stack + in->peak <= most) return 1;
    if (!cf_depth_change(s->rewrite, s->was, s->depth_pc, in->old_pc, &depth)) return 0;
    s->depth_pc = in->old_pc;
    s->depth = depth;
    return depth + in->peak <= most;
}

static int run_before(struct cf_same *s, uint32_t from, uint32_t end, uint32_t old_pc,
                      int by_frame) {
    struct put_in in = {s, from, end, old_pc, by_frame, 0};
    return from == end || (run(&in) && has_room(&in));
}

// Does control fall into the original's instruction from the one above, or from the caller?
static int falls_in(const struct cf_same *s, uint32_t old_pc) {
    const struct cf_code *was = s->was;
    if (old_pc == 0) return 1;
    return !cf_never_falls_through(was->bytes[was->pc[cf_code_index(was, old_pc) - 1]]);
}

// Without a frame control does fall in, since the original verifies.
int cf_same_check_piece(struct cf_same *s, const struct cf_same_piece *piece) {
    uint32_t label = s->now.pc, old_pc = piece->old_pc;
    if (s->old.pc != old_pc)
        return label >= piece->at && run_before(s, piece->before, piece->at, old_pc, 0);
    if (label < piece->before || label > piece->at) return 0;
    if (piece->before < label && !falls_in(s, old_pc)) return 0;
    return run_before(s, piece->before, label, old_pc, 0) && cf_same_take_frame(s, label) &&
           run_before(s, label, piece->at, old_pc, 1);
}

int cf_same_check_rest(struct cf_same *s) {
    const struct cf_code *now = &s->v->code;
    struct put_in in = {s, s->body_end, now->length, s->was->length, 1, 0};
    while (in.pc < now->length) {
        if (!cf_same_take_last(s, in.pc) || !run(&in) || in.pc == in.end) return 0;
        if (1 + in.peak > now->max_stack) return 0;
        in.pc++; // athrow
    }
    return s->now.pc == UINT32_MAX;
}
