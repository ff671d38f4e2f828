// The verifier's instructions with a member constant for an operand: fields and calls.

#include "classfile/verify/internal.h"

// --- the constant ---

int cf_v_ask_constant(struct cf_verifier *v, uint32_t index) {
    if (!v->original || cf_v_is_new(v)) return 1;
    cf_v_fail(v, "constant %u is beyond the constant pool", index);
    return 0;
}

static unsigned tags_of(const struct cf_verifier *v, unsigned op) {
    if (op <= CF_OP_putfield) return 1 << CF_TAG_FIELDREF;
    if (op == CF_OP_invokeinterface) return 1 << CF_TAG_INTERFACE_METHODREF;
    if (op == CF_OP_invokedynamic) return 1 << CF_TAG_INVOKE_DYNAMIC;
    if (op == CF_OP_invokevirtual || v->cls->major_version < 52) return 1 << CF_TAG_METHODREF;
    return 1 << CF_TAG_METHODREF | 1 << CF_TAG_INTERFACE_METHODREF;
}

// What follows the index of a call.
static int check_bytes(struct cf_verifier *v, const struct cf_vmember *m, const uint8_t *p) {
    if (p[3] == (*p == CF_OP_invokedynamic ? 0 : m->arguments + 1) && !p[4]) return 1;
    if (*p == CF_OP_invokedynamic)
        cf_v_fail(v, "invokedynamic with bytes that are not zero", 0);
    else
        cf_v_fail(v, "count of invokeinterface is %u", p[3]);
    return 0;
}

CF_SELDOM static const struct cf_vmember *refuse(struct cf_verifier *v, const struct cf_vmember *m,
                                                 const uint8_t *p) {
    if (*p <= CF_OP_putfield)
        cf_v_fail(v, "field of an array, constant %u", m->index);
    else if (*p < CF_OP_invokeinterface || check_bytes(v, m, p))
        cf_v_fail(v,
                  m->is_init && *p == CF_OP_invokespecial ? "constructor that returns a value"
                                                          : "call of an internal method",
                  0);
    return NULL;
}

static const struct cf_vmember *operand(struct cf_verifier *v, const uint8_t *p) {
    uint32_t index = cf_be2(p + 1);
    if (!cf_v_is_constant(v, index)) return NULL;
    if (!(tags_of(v, *p) >> cf_tag_at(v->cls, index) & 1)) {
        cf_v_fail(v, "constant %u is not of the kind that the instruction takes", index);
        return NULL;
    }
    const struct cf_vmember *m = cf_v_member(v, index);
    return !m || (m->instructions & CF_V_BIT(*p)) ? m : refuse(v, m, p);
}

// --- the operand stack ---

// From the top down: which value is not what is needed?
CF_SELDOM static int bad_values(struct cf_verifier *v, const cf_vtype *to, uint32_t n,
                                const cf_vtype *top) {
    for (; n > 0; n--, top--)
        if (top[-1] == CF_V_NOTHING || !cf_v_takes(v, to[n - 1], top[-1])) {
            cf_v_bad_stack(v, top, to[n - 1]);
            break;
        }
    return 0;
}

// Are the n slots below `top` assignable to the types? 1, or 0: failed.
static inline int takes_values(struct cf_verifier *v, const cf_vtype *to, uint32_t n,
                               const cf_vtype *top) {
    uint32_t i = 0;
    if ((uint64_t)(top - v->stack) < (uint64_t)n + CF_V_SLACK) return bad_values(v, to, n, top);
    const cf_vtype *from = top - n;
    while (i < n && !((from[i] ^ to[i]) & v->compared)) i++;
    if (i >= n || cf_v_find_other(v, to, from, i, n) == n) return 1;
    return bad_values(v, to, n, top);
}

// --- fields ---

CF_SELDOM static cf_vtype *put_field(struct cf_verifier *v, const struct cf_vmember *m,
                                     cf_vtype *top) {
    // Which operand is `this`, JVMs do not look at when they infer.
    if (v->inferring && top[-1] == CF_V_UNINITIALIZED_THIS && !cf_v_early_putfield(v, m, top - 1))
        return NULL;
    if (!takes_values(v, m->types + 1, m->arguments, top)) return NULL;
    top -= m->arguments;
    if ((top[-1] == CF_V_UNINITIALIZED_THIS || v->strict_count) &&
        !cf_v_early_putfield(v, m, top - 1))
        return NULL;
    return takes_values(v, m->types, 1, top) ? top - 1 : NULL;
}

// --- calls ---

static int is_direct_interface(const struct cf_verifier *v, struct cf_slice name) {
    const struct cf_class *cls = v->cls;
    for (uint32_t i = 0; i < cls->interfaces_count; i++) {
        uint32_t index = cf_be2(cls->bytes + cls->interfaces + 2 * i);
        if (cf_slice_equal(cf_class_name(cls, index), name)) return 1;
    }
    return 0;
}

// invokespecial of a method that is not a constructor: of this class, a superclass or a direct
// superinterface.
CF_SELDOM static int check_special(struct cf_verifier *v, const struct cf_vmember *m) {
    unsigned tag = CF_V_TAG(m->types[0]);
    if (tag == CF_V_CLASS + CF_KNOWN_THIS || tag == CF_V_CLASS + CF_KNOWN_SUPER) return 1;
    struct cf_slice name = cf_class_name(v->cls, m->class_index);
    if (!cf_v_works(v, 4u * v->cls->interfaces_count)) return 0;
    if (cf_slice_equal(name, v->this_name) || cf_slice_equal(name, v->super_name) ||
        is_direct_interface(v, name))
        return 1;
    if (cf_v_takes(v, m->types[0], v->this_type) && m->tag != CF_TAG_INTERFACE_METHODREF) return 1;
    cf_v_fail(v,
              cf_v_takes(v, m->types[0], v->this_type)
                  ? "invokespecial of an interface that is not a direct superinterface"
                  : "invokespecial of a class that is none of the superclasses",
              0);
    return 0;
}

// JDK 8 to 16 define the class of a lambda as one of its host's own: it may call the host's private
// methods on the host, whose name is the beginning of its own.
CF_SELDOM static int is_lambda_of(const struct cf_verifier *v, struct cf_slice host) {
    static const char between[] = "$$Lambda$";
    uint32_t n = sizeof between - 1;
    struct cf_slice name = v->this_name;
    return v->cls->major_version < 61 && name.length > host.length + n &&
           memcmp(name.bytes, host.bytes, host.length) == 0 &&
           memcmp(name.bytes + host.length, between, n) == 0;
}

CF_SELDOM static cf_vtype *invoke_special(struct cf_verifier *v, const struct cf_vmember *m,
                                          cf_vtype *top) {
    if (!takes_values(v, m->types + 1, m->arguments, top)) return NULL;
    top -= m->arguments;
    if (m->is_init) return cf_v_initialize(v, m, top);
    if (!check_special(v, m)) return NULL;
    int of_host =
        v->cls->major_version < 61 && is_lambda_of(v, cf_class_name(v->cls, m->class_index));
    if (!takes_values(v, of_host ? &m->types[0] : &v->this_type, 1, top)) return NULL;
    return cf_v_put_result(m, top - 1);
}

// Protected in java.lang.Object: for objects of this class only; and arrays have a public clone().
CF_SELDOM static int may_call(struct cf_verifier *v, const struct cf_vmember *m, cf_vtype object) {
    unsigned tag = CF_V_TAG(object);
    if (tag == CF_V_ARRAY && m->is_protected == 1) return 1;
    // To access a protected member of Object interfaces count as classes.
    if (tag == CF_V_CLASS + CF_KNOWN_OBJECT ? CF_V_TAG(v->this_type) == tag
                                            : cf_v_takes(v, v->this_type, object))
        return 1;
    cf_v_mismatch(v, "call of a protected method", object, v->this_type);
    return 0;
}

cf_vtype *cf_v_use_member(struct cf_verifier *v, const struct cf_vrow *row, const uint8_t *p,
                          cf_vtype *top) {
    const struct cf_vmember *m = operand(v, p);
    if (!m || (*p >= CF_OP_invokeinterface && !check_bytes(v, m, p))) return NULL;
    if (row->kind == CF_V_INVOKE_SPECIAL) return invoke_special(v, m, top);
    if (row->kind == CF_V_PUT_FIELD) return put_field(v, m, top);
    uint32_t object = (uint32_t)-row->under, n = (m->arguments & row->operand) + object;
    if (!takes_values(v, m->types + 1 - object, n, top)) return NULL;
    top -= n;
    if (m->is_protected && *p == CF_OP_invokevirtual && !may_call(v, m, top[0])) return NULL;
    return row->second ? cf_v_put_result(m, top) : top;
}
