// The instructions that are no row of the quick check's table: locals that are set, arrays, copies
// on the stack, and all that have a constant for an operand.

#include "classfile/verify/quick.h"

// --- constants, locals ---

static inline cf_vtype *store(struct cf_verifier *v, const struct cf_qrow *row, const uint8_t *p,
                              cf_vtype *top) {
    uint32_t index = (uint32_t)row->from + (p[1] & row->operand);
    int two = row->under < -1;
    if (((top[-1] ^ row->needed) & row->mask) || !cf_q_is_local(v, index + (uint32_t)two))
        return NULL;
    if (two) {
        cf_v_set_local(v, index, top[-2]);
        cf_v_set_local(v, index + 1, top[-1]);
        return top - 2;
    }
    cf_v_set_local(v, index, top[-1]);
    return top - 1;
}

// --- constants, arrays ---

static cf_vtype *load_constant(struct cf_quick *q, unsigned kind, const uint8_t *p, cf_vtype *top) {
    static const uint8_t types[32] = {
        [CF_TAG_INTEGER] = CF_V_INT,
        [CF_TAG_FLOAT] = CF_V_FLOAT,
        [CF_TAG_LONG] = CF_V_LONG,
        [CF_TAG_DOUBLE] = CF_V_DOUBLE,
        [CF_TAG_STRING] = CF_V_CLASS + CF_KNOWN_STRING,
        [CF_TAG_CLASS] = CF_V_CLASS + CF_KNOWN_CLASS_CLASS,
        [CF_TAG_METHOD_HANDLE] = CF_V_CLASS + CF_KNOWN_METHOD_HANDLE,
        [CF_TAG_METHOD_TYPE] = CF_V_CLASS + CF_KNOWN_METHOD_TYPE,
    };
    uint32_t index = kind == CF_Q_LDC ? p[1] : cf_be2(p + 1);
    if (index >= q->old_constants && !cf_q_is_new_constant(q, index)) return NULL;
    cf_vtype type = types[cf_tag_at(q->v->cls, index) & 31];
    int two = type == CF_V_LONG || type == CF_V_DOUBLE;
    if (!type || two != (kind == CF_Q_LDC2_W)) return NULL;
    top[0] = type;
    top[1] = type + (CF_V_LONG_2 - CF_V_LONG);
    return top + 1 + two;
}

// iaload to saload, and the stores, in their order, of which the fifth is for references.
static const cf_vtype arrays[8] = {CF_Q_ARRAY(1, 'I'), CF_Q_ARRAY(1, 'J'), CF_Q_ARRAY(1, 'F'),
                                   CF_Q_ARRAY(1, 'D'), CF_V_NOTHING,       CF_Q_ARRAY(1, 'B'),
                                   CF_Q_ARRAY(1, 'C'), CF_Q_ARRAY(1, 'S')};
static const uint8_t elements[8] = {CF_V_INT,     CF_V_LONG, CF_V_FLOAT, CF_V_DOUBLE,
                                    CF_V_NOTHING, CF_V_INT,  CF_V_INT,   CF_V_INT};

static int is_array(cf_vtype type, unsigned which) {
    return type == arrays[which] || type == CF_V_NULL ||
           (which == CF_OP_baload - CF_OP_iaload && type == CF_Q_ARRAY(1, 'Z'));
}

static int is_array_of_references(cf_vtype type) {
    return type == CF_V_NULL ||
           (CF_V_TAG(type) == CF_V_ARRAY &&
            (CF_Q_DIMENSIONS(type) > 1 || !CF_Q_IS_LETTER(CF_Q_ELEMENT(type))));
}

static cf_vtype *array_load(unsigned op, cf_vtype *top) {
    unsigned which = op - CF_OP_iaload;
    cf_vtype type = elements[which];
    if (top[-1] != CF_V_INT || !is_array(top[-2], which)) return NULL;
    top[-2] = type;
    top[-1] = type + (CF_V_LONG_2 - CF_V_LONG);
    return top - 1 + (type == CF_V_LONG || type == CF_V_DOUBLE);
}

static cf_vtype *array_store(unsigned op, cf_vtype *top) {
    unsigned which = op - CF_OP_iastore;
    cf_vtype type = elements[which];
    if (type == CF_V_LONG || type == CF_V_DOUBLE) {
        if (top[-1] != type + (CF_V_LONG_2 - CF_V_LONG)) return NULL;
        top--;
    } else if (top[-1] != type) {
        return NULL;
    }
    return top[-2] == CF_V_INT && is_array(top[-3], which) ? top - 3 : NULL;
}

static cf_vtype *reference_load(cf_vtype *top) {
    cf_vtype array = top[-2];
    if (top[-1] != CF_V_INT || !is_array_of_references(array)) return NULL;
    if (array == CF_V_NULL) return top - 1;
    unsigned dimensions = CF_Q_DIMENSIONS(array), element = CF_Q_ELEMENT(array);
    top[-2] = dimensions > 1 ? CF_Q_ARRAY(dimensions - 1, element) : cf_q_class(element);
    return top - 1;
}

static cf_vtype *reference_store(cf_vtype *top) {
    return cf_q_is_initialized(top[-1]) && top[-2] == CF_V_INT && is_array_of_references(top[-3])
               ? top - 3
               : NULL;
}

static cf_vtype *new_primitives(const uint8_t *p, cf_vtype *top) {
    static const char letters[] = "ZCFDBSIJ"; // T_BOOLEAN is 4
    if (p[1] < 4 || p[1] > 11 || top[-1] != CF_V_INT) return NULL;
    top[-1] = CF_Q_ARRAY(1, (unsigned)letters[p[1] - 4]);
    return top;
}

static cf_vtype *new_references(cf_vtype type, cf_vtype *top) {
    if (!type || top[-1] != CF_V_INT) return NULL;
    if (CF_V_IS_CLASS(type))
        top[-1] = CF_Q_ARRAY(1, type - CF_V_CLASS);
    else if (CF_Q_DIMENSIONS(type) < 255)
        top[-1] = CF_Q_ARRAY(CF_Q_DIMENSIONS(type) + 1, CF_Q_ELEMENT(type));
    else
        return NULL;
    return top;
}

static cf_vtype class_operand(struct cf_quick *q, const uint8_t *p) {
    uint32_t index = cf_be2(p + 1);
    if (index >= q->old_constants && !cf_q_is_new_constant(q, index)) return CF_V_TOP;
    return cf_q_class_at(q, index);
}

static cf_vtype *check_cast(struct cf_quick *q, const uint8_t *p, cf_vtype *top) {
    cf_vtype type = class_operand(q, p);
    if (!type || !cf_q_is_initialized(top[-1])) return NULL;
    top[-1] = *p == CF_OP_checkcast ? type : CF_V_INT;
    return top;
}

// --- fields ---

// A field of this class may be set before `this` is initialised.
static int takes_early(struct cf_quick *q, const struct cf_qmember *m) {
    const struct cf_class *cls = q->v->cls;
    const uint8_t *p = cls->bytes + cls->constant_pool[m->index] + 1;
    const uint8_t *pair = cf_entry(cls, cf_be2(p + 2), CF_TAG_NAME_AND_TYPE);
    struct cf_member field;
    return pair &&
           cf_v_find_own_field(q->v, m->class_index, cf_be2(pair), cf_be2(pair + 2), &field);
}

// Mostly `this` is initialised, and this is done elsewhere.
cf_vtype *cf_q_put_early(struct cf_quick *q, const struct cf_qmember *m, cf_vtype *top) {
    top -= 1 + m->arguments;
    return *top == CF_V_UNINITIALIZED_THIS && takes_early(q, m) &&
                   cf_q_take_all(q, m->types, top, 1, 1 + m->arguments)
               ? top
               : NULL;
}

// --- calls ---

// All copies of an object that is initialised now. Handlers have to take it as it was before, which
// has been looked at, and as it is after.
static int replace(struct cf_quick *q, cf_vtype old, cf_vtype type, cf_vtype *top) {
    struct cf_verifier *v = q->v;
    int changed = 0;
    for (uint32_t i = 0; i < v->locals_used; i++) {
        if (v->locals[i] != old) continue;
        v->locals[i] = type;
        changed = 1;
    }
    for (cf_vtype *s = v->stack + CF_V_SLACK; s < top; s++)
        if (*s == old) *s = type;
    if (!changed) return 1;
    v->unmatched = 1;
    return cf_q_match_handlers(q, v->pc, UINT32_MAX) != 0;
}

static int is_guarded(const struct cf_quick *q) {
    for (uint32_t i = 0; i < q->handlers_count; i++)
        if (q->v->pc >= q->handlers[i].start && q->v->pc < q->handlers[i].end) return 1;
    return 0;
}

// The object is on top, the arguments are taken.
static cf_vtype *initialize(struct cf_quick *q, const struct cf_qmember *m, cf_vtype *top) {
    struct cf_verifier *v = q->v;
    cf_vtype object = *--top;
    if (CF_V_TAG(object) == CF_V_UNINITIALIZED) {
        uint32_t made = cf_be2(v->code.bytes + CF_V_PAYLOAD(object) + 1);
        return made == m->class_index && replace(q, object, m->types[0], top) ? top : NULL;
    }
    if (object != CF_V_UNINITIALIZED_THIS || is_guarded(q)) return NULL;
    if (m->class_index != v->cls->this_class && m->class_index != v->cls->super_class) return NULL;
    v->this_uninitialized = 0;
    return replace(q, object, q->this_type, top) ? top : NULL;
}

static cf_vtype *invoke_special(struct cf_quick *q, const uint8_t *p, cf_vtype *top) {
    struct cf_verifier *v = q->v;
    const struct cf_qmember *m = cf_q_member(q, p);
    if (!m) return NULL;
    uint32_t n = m->arguments;
    if ((uint64_t)(top - v->stack) < (uint64_t)n + 1 + CF_V_SLACK) return NULL;
    top -= n;
    if (!cf_q_take_all(q, m->types + 1, top, 0, n)) return NULL;
    if (m->is_init) return initialize(q, m, top);
    if (!cf_q_takes(q, q->this_type, *--top)) return NULL;
    top[0] = cf_q_result(m)[0];
    top[1] = cf_q_result(m)[1];
    return top + m->results;
}

// --- all of them ---

cf_vtype *cf_q_run_one(struct cf_quick *q, const struct cf_qrow *row, const uint8_t *p,
                       cf_vtype *top) {
    struct cf_verifier *v = q->v;
    switch (row->kind) {
    case CF_Q_STORE: return store(v, row, p, top);
    case CF_Q_ARRAY_LOAD: return array_load(*p, top);
    case CF_Q_ARRAY_STORE: return array_store(*p, top);
    case CF_Q_REFERENCE_LOAD: return reference_load(top);
    case CF_Q_REFERENCE_STORE: return reference_store(top);
    case CF_Q_ARRAY_LENGTH:
        if (CF_V_TAG(top[-1]) != CF_V_ARRAY && top[-1] != CF_V_NULL) return NULL;
        top[-1] = CF_V_INT;
        return top;
    case CF_Q_POP: return cf_v_is_single(top[-1]) ? top - 1 : NULL;
    case CF_Q_POP2: return cf_v_is_pair(top) ? top - 2 : NULL;
    case CF_Q_DUP:
        if (!cf_v_is_single(top[-1])) return NULL;
        top[0] = top[-1];
        return top + 1;
    case CF_Q_DUP_X1:
        if (!cf_v_is_single(top[-1]) || !cf_v_is_single(top[-2])) return NULL;
        top[0] = top[-1];
        top[-1] = top[-2];
        top[-2] = top[0];
        return top + 1;
    case CF_Q_DUP_X2:
        if (!cf_v_is_single(top[-1]) || !cf_v_is_pair(top - 1)) return NULL;
        top[0] = top[-1];
        top[-1] = top[-2];
        top[-2] = top[-3];
        top[-3] = top[0];
        return top + 1;
    case CF_Q_DUP2:
        if (!cf_v_is_pair(top)) return NULL;
        top[1] = top[-1];
        top[0] = top[-2];
        return top + 2;
    case CF_Q_LDC:
    case CF_Q_LDC_W:
    case CF_Q_LDC2_W: return load_constant(q, row->kind, p, top);
    case CF_Q_INVOKE_SPECIAL: return invoke_special(q, p, top);
    case CF_Q_NEW:
        *top = CF_V_MAKE(CF_V_UNINITIALIZED, v->pc);
        return CF_V_IS_CLASS(class_operand(q, p)) ? top + 1 : NULL;
    case CF_Q_NEW_ARRAY: return new_primitives(p, top);
    case CF_Q_NEW_REFERENCES: return new_references(class_operand(q, p), top);
    case CF_Q_CHECK_CAST: return check_cast(q, p, top);
    default: return NULL;
    }
}
