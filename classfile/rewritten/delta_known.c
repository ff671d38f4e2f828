// What was put in once is put in again, mostly with other numbers.

#include "classfile/rewritten/internal.h"

// --- learning ---

struct lesson {
    struct cf_same *s;
    struct cf_same_known *known;
    const uint8_t *code;                                        // learned from
    uint8_t bytes[8 * CF_SAME_WORDS], fixed[8 * CF_SAME_WORDS]; // as in the known
    uint8_t local[8 * CF_SAME_WORDS];
};

// Is it the same type in all classes, assignable to nothing else but by the same rules?
static int is_universal(cf_vtype type) {
    return CF_V_TAG(type) < CF_V_UNINITIALIZED ||
           (CF_V_TAG(type) == CF_V_ARRAY && CF_Q_IS_LETTER(CF_Q_ELEMENT(type)));
}

static int are_universal(const cf_vtype *types, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!is_universal(types[i])) return 0;
    return 1;
}

// The instruction at `i` names a new local by its operand or, if it has none, by its opcode.
static int learn_local(struct lesson *l, const struct cf_qrow *row, uint32_t i) {
    struct cf_same_known *known = l->known;
    uint32_t first = l->s->was->max_locals, highest = row->operand ? 255 : 3;
    uint32_t index = (uint32_t)row->from + (l->code[i + 1] & row->operand);
    uint32_t at = row->operand ? i + 1 : i;
    if (index < first || index > highest) return 0;
    uint32_t most = highest - (index - first);
    if (most < known->most_locals) known->most_locals = most;
    l->bytes[at] = (uint8_t)(l->bytes[at] - first);
    l->local[at] = 0xFF;
    return 1;
}

static int learn_constant(struct lesson *l, int is_wide, uint32_t i) {
    struct cf_same_known *known = l->known;
    const uint8_t *operand = l->code + i + 1;
    if (known->constant_at) return 0;
    known->constant_at = i + 1;
    known->constant_is_wide = is_wide;
    known->constant_tag = cf_tag_at(l->s->view, is_wide ? cf_be2(operand) : *operand);
    return 1;
}

// The static method that the constant stands for: how it is called is told by its descriptor alone.
static struct cf_slice method_at(const struct cf_same *s, uint32_t index) {
    struct cf_slice class_name, name, descriptor, none = {NULL, 0};
    if (index >= s->q->old_constants || cf_tag_at(s->view, index) != CF_TAG_METHODREF ||
        !cf_reference(s->view, index, &class_name, &name, &descriptor) || !class_name.length ||
        *class_name.bytes == '[' || !name.length || *name.bytes == '<')
        return none;
    return descriptor;
}

static int learn_call(struct lesson *l, uint32_t i) {
    struct cf_same_known *known = l->known;
    uint32_t index = cf_be2(l->code + i + 1);
    struct cf_slice descriptor = method_at(l->s, index);
    if (l->code[i] != CF_OP_invokestatic || known->calls_count == CF_SAME_KNOWN_CALLS ||
        !descriptor.length || descriptor.length > CF_SAME_KNOWN_DESCRIPTOR)
        return 0;
    struct cf_same_call *call = &known->calls[known->calls_count++];
    call->at = i + 1;
    call->length = (uint32_t)descriptor.length;
    memcpy(call->descriptor, descriptor.bytes, descriptor.length);
    const struct cf_qmember *m = cf_q_member_at(l->s->q, index);
    return m && are_universal(m->types + 1, m->arguments + m->results);
}

static int learn_one(struct lesson *l, const struct cf_qrow *row, uint32_t i) {
    int kind = row->kind, is_constant = kind == CF_Q_LDC || kind == CF_Q_LDC_W;
    unsigned op = l->code[i];
    if (kind == CF_Q_STORE || (kind == CF_Q_PUSH && row->from >= 0)) return learn_local(l, row, i);
    if (is_constant || op == CF_OP_bipush || op == CF_OP_sipush)
        memset(l->fixed + i + 1, 0, row->length - 1u);
    if (is_constant) return learn_constant(l, kind == CF_Q_LDC_W, i);
    if (kind == CF_Q_MEMBER_USE) return learn_call(l, i);
    return kind == CF_Q_PUSH || kind == CF_Q_STEP || kind == CF_Q_ARRAY_STORE || kind == CF_Q_POP2;
}

static int learn_states(struct lesson *l, uint32_t from, uint32_t before) {
    struct cf_same_known *known = l->known;
    const struct cf_same *s = l->s;
    uint32_t n = s->new_locals;
    known->states_count = s->states_count - 1 - before;
    if (known->states_count > CF_SAME_KNOWN_STATES || !are_universal(s->states[before].locals, n))
        return 0;
    cf_same_copy(known->before, s->states[before].locals, n);
    for (uint32_t i = 0; i < known->states_count; i++) {
        const struct cf_same_state *state = &s->states[before + 1 + i];
        if (!are_universal(state->locals, n)) return 0;
        known->states[i].at = state->from - from;
        cf_same_copy(known->states[i].locals, state->locals, n);
    }
    return 1;
}

void cf_same_learn(struct cf_same *s, struct cf_same_known *known, uint32_t from, uint32_t length,
                   uint32_t peak, uint32_t before) {
    struct lesson l = {.s = s, .known = known, .code = s->v->code.bytes + from};
    known->length = 0;
    if (length > sizeof l.bytes || s->new_locals > CF_SAME_KNOWN_LOCALS) return;
    memcpy(l.bytes, l.code, length);
    memset(l.fixed, 0xFF, length);
    known->most_locals = CF_SAME_SLOTS;
    known->constant_at = known->calls_count = 0;
    for (uint32_t i = 0; i < length; i += cf_q_rows[l.code[i]].length)
        if (!learn_one(&l, &cf_q_rows[l.code[i]], i)) return;
    if (!learn_states(&l, from, before)) return;
    memcpy(known->bytes, l.bytes, sizeof l.bytes);
    memcpy(known->fixed, l.fixed, sizeof l.fixed);
    memcpy(known->local, l.local, sizeof l.local);
    known->new_locals = s->new_locals;
    known->of_class = s->memory->classes;
    known->peak = peak;
    known->length = length;
}

// --- recalling ---

static int is_like(const struct cf_same *s, const struct cf_same_call *call, uint32_t index) {
    struct cf_slice descriptor = method_at(s, index);
    return descriptor.length == call->length &&
           memcmp(descriptor.bytes, call->descriptor, call->length) == 0;
}

// What is called has another index in each class: that of the code at `p`, if it is like it.
static int learn_indexes(struct cf_same *s, struct cf_same_known *known, const uint8_t *p) {
    for (uint32_t i = 0; i < known->calls_count; i++) {
        const struct cf_same_call *call = &known->calls[i];
        if (!is_like(s, call, cf_be2(p + call->at))) return 0;
        memcpy((uint8_t *)known->bytes + call->at, p + call->at, 2);
    }
    known->of_class = s->memory->classes;
    return 1;
}

static inline int are_bytes_like(const struct cf_same_known *known, const uint8_t *p,
                                 uint32_t first) {
    uint64_t there, differ = 0, in_all_bytes = first * UINT64_C(0x0101010101010101);
    for (uint32_t i = 0; i < CF_SAME_WORDS; i++) {
        memcpy(&there, p + 8 * i, sizeof there);
        differ |= (there ^ (known->bytes[i] + (in_all_bytes & known->local[i]))) & known->fixed[i];
    }
    return !differ;
}

static int is_constant_like(const struct cf_same *s, const struct cf_same_known *known,
                            const uint8_t *p) {
    p += known->constant_at;
    return cf_tag_at(s->view, known->constant_is_wide ? cf_be2(p) : *p) == known->constant_tag;
}

// Something else may be called than where this was last seen.
static int is_code_like(struct cf_same *s, struct cf_same_known *known, const uint8_t *p) {
    uint32_t first = s->was->max_locals;
    if (known->of_class == s->memory->classes && are_bytes_like(known, p, first)) return 1;
    return learn_indexes(s, known, p) && are_bytes_like(known, p, first);
}

int cf_same_recall(struct cf_same *s, struct cf_same_known *known, uint32_t from) {
    const uint8_t *p = s->v->code.bytes + from, *end = s->view->bytes + s->view->length;
    if (s->was->max_locals > known->most_locals || s->new_locals != known->new_locals ||
        known->peak > s->v->code.max_stack || end - p < 8 * CF_SAME_WORDS ||
        s->states_count + known->states_count > CF_SAME_STATES)
        return 0;
    if (!is_code_like(s, known, p)) return 0;
    if (!cf_same_words(known->before, s->locals, s->new_locals)) return 0;
    if (known->constant_at && !is_constant_like(s, known, p)) return 0;
    for (uint32_t i = 0; i < known->states_count; i++) {
        cf_same_copy(s->locals, known->states[i].locals, s->new_locals);
        cf_same_note_state(s, from + known->states[i].at);
    }
    return 1;
}
