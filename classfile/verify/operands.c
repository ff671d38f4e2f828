// The verifier's instructions with a constant for an operand: constants, fields, calls, creation.

#include "classfile/verify/internal.h"

enum {
    TAGS_FIELD = 1 << CF_TAG_FIELDREF,
    TAGS_METHOD = 1 << CF_TAG_METHODREF,
    TAGS_INTERFACE = 1 << CF_TAG_INTERFACE_METHODREF,
    TAGS_DYNAMIC = 1 << CF_TAG_INVOKE_DYNAMIC
};

static void push(struct cf_verifier *v, cf_vtype type) {
    *v->top++ = type;
    if (type == CF_V_LONG || type == CF_V_DOUBLE) *v->top++ = type + (CF_V_LONG_2 - CF_V_LONG);
}

// Takes a value of a field's type.
static int pop_value(struct cf_verifier *v, cf_vtype type) {
    if (type != CF_V_LONG && type != CF_V_DOUBLE) return cf_v_pop(v, type);
    if (!cf_v_pop(v, type + (CF_V_LONG_2 - CF_V_LONG))) return 0;
    v->top--;
    return 1;
}

static int fail(struct cf_verifier *v, const char *reason, uint32_t value) {
    cf_v_fail(v, reason, value);
    return 0;
}

// --- constants ---

static cf_vtype dynamic_type(struct cf_verifier *v, uint32_t index) {
    if (v->memo[index].type) return v->memo[index].type;
    struct cf_slice class_name, name, d;
    if (!cf_reference(v->cls, index, &class_name, &name, &d) || !d.length) {
        cf_v_give_up(v, CF_MALFORMED, "malformed reference");
        return CF_V_TOP;
    }
    const uint8_t *p = d.bytes, *end = p + d.length;
    cf_vtype type = cf_v_descriptor(v, &p, end);
    return v->memo[index].type = type;
}

int cf_v_load_constant(struct cf_verifier *v, unsigned op, uint32_t index) {
    cf_vtype type;
    if (!cf_v_is_constant(v, index)) return 0;
    switch (cf_tag_at(v->cls, index)) {
    case CF_TAG_INTEGER: type = CF_V_INT; break;
    case CF_TAG_FLOAT: type = CF_V_FLOAT; break;
    case CF_TAG_LONG: type = CF_V_LONG; break;
    case CF_TAG_DOUBLE: type = CF_V_DOUBLE; break;
    case CF_TAG_STRING: type = v->string_type; break;
    case CF_TAG_CLASS:
        if (v->cls->major_version < 49) return fail(v, "class constant %u cannot be loaded", index);
        type = v->class_type;
        break;
    case CF_TAG_METHOD_HANDLE: type = v->method_handle_type; break;
    case CF_TAG_METHOD_TYPE: type = v->method_type_type; break;
    case CF_TAG_DYNAMIC:
        if (!(type = dynamic_type(v, index))) return 0;
        break;
    default: return fail(v, "constant %u cannot be loaded", index);
    }
    if ((type == CF_V_LONG || type == CF_V_DOUBLE) != (op == CF_OP_ldc2_w))
        return fail(v, "constant %u has not the size that is loaded", index);
    push(v, type);
    return 1;
}

// --- fields ---

static int put_field(struct cf_verifier *v, const struct cf_vreference *r) {
    // Which operand is `this`, JVMs do not look at when they infer.
    if (v->inferring && v->top[-1] == CF_V_UNINITIALIZED_THIS)
        if (!cf_v_early_putfield(v, r, v->top - 1)) return 0;
    if (!pop_value(v, r->field_type)) return 0;
    cf_vtype *object = v->top - 1;
    if (*object == CF_V_UNINITIALIZED_THIS || v->strict_count)
        if (!cf_v_early_putfield(v, r, object)) return 0;
    return cf_v_pop(v, r->class_type);
}

int cf_v_field(struct cf_verifier *v, unsigned op, uint32_t index) {
    const struct cf_vreference *r = cf_v_reference(v, index, TAGS_FIELD);
    if (!r) return 0;
    int is_static = op == CF_OP_getstatic || op == CF_OP_putstatic;
    if (!is_static && !CF_V_IS_CLASS(r->class_type))
        return fail(v, "field of an array, constant %u", index);
    switch (op) {
    case CF_OP_putstatic: return pop_value(v, r->field_type);
    case CF_OP_putfield: return put_field(v, r);
    case CF_OP_getfield:
        if (!cf_v_pop(v, r->class_type)) return 0;
        break;
    default: break;
    }
    push(v, r->field_type);
    return 1;
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

// invokespecial of a method that is no constructor: of this class, a superclass or a direct
// superinterface.
static int check_special(struct cf_verifier *v, const struct cf_vreference *r) {
    unsigned tag = CF_V_TAG(r->class_type);
    if (tag == CF_V_CLASS + CF_KNOWN_THIS || tag == CF_V_CLASS + CF_KNOWN_SUPER) return 1;
    struct cf_slice name = cf_class_name(v->cls, r->class_index);
    if (cf_slice_equal(name, v->this_name) || cf_slice_equal(name, v->super_name) ||
        is_direct_interface(v, name))
        return 1;
    if (!cf_v_assignable(v, v->this_type, r->class_type))
        return fail(v, "invokespecial of a class that is none of the superclasses", 0);
    if (r->tag == CF_TAG_INTERFACE_METHODREF)
        return fail(v, "invokespecial of an interface that is no direct superinterface", 0);
    return 1;
}

// JDK 8 to 16 define the class of a lambda as one of its host's own: it may call the host's private
// methods on the host, whose name is the beginning of its own.
static int is_lambda_of(const struct cf_verifier *v, struct cf_slice host) {
    static const char between[] = "$$Lambda$";
    uint32_t n = sizeof between - 1;
    struct cf_slice name = v->this_name;
    return v->cls->major_version < 61 && name.length > host.length + n &&
           memcmp(name.bytes, host.bytes, host.length) == 0 &&
           memcmp(name.bytes + host.length, between, n) == 0;
}

static int pop_special(struct cf_verifier *v, const struct cf_vreference *r) {
    if (!check_special(v, r)) return 0;
    int of_host = is_lambda_of(v, cf_class_name(v->cls, r->class_index));
    return cf_v_pop(v, of_host ? r->class_type : v->this_type);
}

// The object of a call that is neither static nor of a constructor.
static int pop_object(struct cf_verifier *v, unsigned op, const struct cf_vreference *r) {
    cf_vtype object = v->top[-1];
    if (op == CF_OP_invokespecial) return pop_special(v, r);
    if (!cf_v_pop(v, r->class_type)) return 0;
    if (!r->is_protected || op != CF_OP_invokevirtual) return 1;
    // Protected in java.lang.Object: for objects of this class only; and arrays have a public
    // clone().
    if (CF_V_TAG(object) == CF_V_ARRAY && r->is_protected == 1) return 1;
    if (cf_v_assignable_to_this(v, object)) return 1;
    cf_v_mismatch(v, "call of a protected method", object, v->this_type);
    return 0;
}

static int check_operands(struct cf_verifier *v, unsigned op, const uint8_t *p,
                          const struct cf_vreference *r) {
    if (op == CF_OP_invokeinterface && (p[3] != r->signature->arguments + 1 || p[4] != 0))
        return fail(v, "count of invokeinterface is %u", p[3]);
    if (op == CF_OP_invokedynamic && (p[3] || p[4]))
        return fail(v, "invokedynamic with bytes that are not zero", 0);
    if (r->is_internal && (op != CF_OP_invokespecial || !r->is_init))
        return fail(v, "call of an internal method", 0);
    if (r->is_init && r->signature->results) return fail(v, "constructor that returns a value", 0);
    return 1;
}

int cf_v_invoke(struct cf_verifier *v, unsigned op, const uint8_t *p) {
    uint32_t tags = op == CF_OP_invokeinterface ? TAGS_INTERFACE
                    : op == CF_OP_invokedynamic ? TAGS_DYNAMIC
                                                : TAGS_METHOD;
    if ((op == CF_OP_invokespecial || op == CF_OP_invokestatic) && v->cls->major_version >= 52)
        tags |= TAGS_INTERFACE;
    const struct cf_vreference *r = cf_v_reference(v, cf_be2(p + 1), tags);
    if (!r) return 0;
    if ((r->is_internal || op >= CF_OP_invokeinterface) && !check_operands(v, op, p, r)) return 0;
    const struct cf_vsignature *s = r->signature;
    for (uint32_t i = s->arguments; i > 0;)
        if (!cf_v_pop(v, s->types[--i])) return 0;
    if (r->is_init) return cf_v_initialize(v, r);
    if (op != CF_OP_invokestatic && op != CF_OP_invokedynamic && !pop_object(v, op, r)) return 0;
    const cf_vtype *result = s->types + s->arguments;
    if (s->results > 0) *v->top++ = result[0];
    if (s->results > 1) *v->top++ = result[1];
    return 1;
}

// --- creation, casts ---

static int new_object(struct cf_verifier *v, uint32_t index) {
    cf_vtype type = cf_v_class(v, index);
    if (!type) return 0;
    if (!CF_V_IS_CLASS(type)) return fail(v, "new of an array", 0);
    push(v, CF_V_MAKE(CF_V_UNINITIALIZED, v->pc));
    return 1;
}

static int new_array(struct cf_verifier *v, unsigned op, uint32_t operand) {
    cf_vtype type;
    if (op == CF_OP_newarray) {
        static const char letters[] = "ZCFDBSIJ"; // T_BOOLEAN is 4
        if (operand < 4 || operand > 11) return fail(v, "newarray of type %u", operand);
        type = cf_v_type(v, NULL, 0, 1, (uint8_t)letters[operand - 4]);
    } else {
        cf_vtype element = cf_v_class(v, operand);
        if (!element) return 0;
        struct cf_vtype_entry e = v->types[CF_V_PAYLOAD(element)];
        if (e.dimensions == 255) return fail(v, "array of 256 dimensions", 0);
        type = cf_v_type(v, e.name, e.length, e.dimensions + 1u, e.element);
    }
    if (!type || !cf_v_pop(v, CF_V_INT)) return 0;
    push(v, type);
    return 1;
}

static int new_arrays(struct cf_verifier *v, uint32_t index, unsigned dimensions) {
    cf_vtype type = cf_v_class(v, index);
    if (!type) return 0;
    if (dimensions == 0 || dimensions > v->types[CF_V_PAYLOAD(type)].dimensions)
        return fail(v, "multianewarray of %u dimensions", dimensions);
    while (dimensions-- > 0)
        if (!cf_v_pop(v, CF_V_INT)) return 0;
    push(v, type);
    return 1;
}

int cf_v_create(struct cf_verifier *v, unsigned op, const uint8_t *p) {
    if (op == CF_OP_newarray) return new_array(v, op, p[1]);
    uint32_t index = cf_be2(p + 1);
    if (!cf_v_is_constant(v, index)) return 0;
    if (op == CF_OP_new) return new_object(v, index);
    return op == CF_OP_anewarray ? new_array(v, op, index) : new_arrays(v, index, p[3]);
}

int cf_v_reference_op(struct cf_verifier *v, unsigned op, const uint8_t *p) {
    uint32_t index = cf_be2(p + 1);
    cf_vtype type = cf_v_is_constant(v, index) ? cf_v_class(v, index) : CF_V_TOP;
    if (!type) return 0;
    if (CF_V_TAG(v->top[-1]) < CF_V_NULL) {
        if (CF_V_TAG(v->top[-1]) == CF_V_NOTHING) return fail(v, "operand stack is empty", 0);
        cf_v_mismatch(v, "operand stack holds no initialized reference", v->top[-1], CF_V_NOTHING);
        return 0;
    }
    v->top[-1] = op == CF_OP_checkcast ? type : CF_V_INT;
    return 1;
}
