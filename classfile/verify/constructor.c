// The verifier's rules for what is not initialised yet (JVMS 4.10.1.9 invokespecial, putfield): new
// objects, `this` before the delegate call, and strict fields.

#include "classfile/verify/internal.h"

static int fail(struct cf_verifier *v, const char *reason, uint32_t value) {
    cf_v_fail(v, reason, value);
    return 0;
}

// All copies of an object that is initialised now.
static void replace(struct cf_verifier *v, cf_vtype old, cf_vtype type) {
    for (uint32_t i = 0; i < v->locals_used; i++)
        if (v->locals[i] == old) {
            v->locals[i] = type;
            v->unmatched = 1;
        }
    for (cf_vtype *p = v->stack + CF_V_SLACK; p < v->top; p++)
        if (*p == old) *p = type;
}

static int initialize_this(struct cf_verifier *v, const struct cf_vreference *r) {
    struct cf_slice name = cf_class_name(v->cls, r->class_index);
    int is_super = cf_slice_equal(name, v->super_name);
    if (!is_super && !cf_slice_equal(name, v->this_name))
        return fail(v, "constructor of neither this class nor its superclass", 0);
    for (uint32_t i = 0; is_super && i < (v->strict_count + 31) / 32; i++)
        if (v->unset[i]) return fail(v, "strict fields are not set before the constructor", 0);
    if (v->inferring || !v->guarded) {
        replace(v, CF_V_UNINITIALIZED_THIS, v->this_type);
        v->this_uninitialized = 0;
        return 1;
    }
    // A handler would have to take `this` as it was before and as it is after.
    for (uint32_t i = 0; i < v->code.exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(&v->code, i);
        if (v->pc >= e.start_pc && v->pc < e.end_pc)
            return fail(v, "constructor called under the exception handler at pc %u", e.handler_pc);
    }
    replace(v, CF_V_UNINITIALIZED_THIS, v->this_type);
    v->this_uninitialized = 0;
    return 1;
}

int cf_v_initialize(struct cf_verifier *v, const struct cf_vreference *r) {
    cf_vtype object = v->top[-1];
    unsigned tag = CF_V_TAG(object);
    if (tag == CF_V_NOTHING) return fail(v, "operand stack is empty", 0);
    if (tag != CF_V_UNINITIALIZED && tag != CF_V_UNINITIALIZED_THIS) {
        cf_v_mismatch(v, "constructor called of what is no new object", object, CF_V_NOTHING);
        return 0;
    }
    v->top--;
    if (tag == CF_V_UNINITIALIZED_THIS) return initialize_this(v, r);
    uint32_t index = cf_be2(v->code.bytes + CF_V_PAYLOAD(object) + 1);
    cf_vtype type = cf_v_class(v, index);
    if (!type) return 0;
    if (!cf_v_same_class(v, type, r->class_type)) {
        cf_v_mismatch(v, "constructor of another class than the new object's", r->class_type, type);
        return 0;
    }
    replace(v, object, type);
    // A handler has to take it as it was before, which has been looked at, and as it is after.
    return v->inferring || !v->guarded || cf_v_match_handlers(v, v->this_uninitialized) == CF_OK;
}

// --- strict fields ---

int cf_v_find_strict(struct cf_verifier *v) {
    struct cf_error error = {CF_OK, 0, 0, NULL, 0};
    const struct cf_class *cls = v->cls;
    v->strict_known = 1;
    if (!cf_v_may_be_strict(cls)) return 1;
    v->strict = cf_arena_alloc(cls->arena, (cls->fields_count + 1u) * sizeof *v->strict);
    if (!v->strict) return cf_v_give_up(v, CF_NO_MEMORY, "out of memory"), 0;
    struct cf_walk walk = cf_walk_fields(cls, &error);
    struct cf_member field;
    while (cf_next_field(&walk, &field)) {
        if ((field.access_flags & (CF_ACC_STRICT | CF_ACC_STATIC)) != CF_ACC_STRICT) continue;
        struct cf_vstrict strict = {field.name_index, field.descriptor_index};
        v->strict[v->strict_count++] = strict;
    }
    return 1;
}

static int is_field(const struct cf_verifier *v, unsigned name_a, unsigned descriptor_a,
                    unsigned name_b, unsigned descriptor_b) {
    const struct cf_class *cls = v->cls;
    return (name_a == name_b || cf_slice_equal(cf_utf8(cls, name_a), cf_utf8(cls, name_b))) &&
           (descriptor_a == descriptor_b ||
            cf_slice_equal(cf_utf8(cls, descriptor_a), cf_utf8(cls, descriptor_b)));
}

int cf_v_find_own_field(const struct cf_verifier *v, uint32_t class_index, uint32_t name_index,
                        uint32_t descriptor_index, struct cf_member *field) {
    struct cf_error error = {CF_OK, 0, 0, NULL, 0};
    if (!cf_slice_equal(cf_class_name(v->cls, class_index), v->this_name)) return 0;
    struct cf_walk walk = cf_walk_fields(v->cls, &error);
    while (cf_next_field(&walk, field))
        if (is_field(v, name_index, descriptor_index, field->name_index, field->descriptor_index))
            return 1;
    return 0;
}

int cf_v_early_putfield(struct cf_verifier *v, const struct cf_vreference *r, cf_vtype *object) {
    struct cf_member field;
    if (!cf_v_find_own_field(v, r->class_index, r->name_index, r->descriptor_index, &field))
        return 1; // `this` does not pass as an object then
    if (*object != CF_V_UNINITIALIZED_THIS) {
        unsigned flags = CF_ACC_STRICT | CF_ACC_FINAL;
        if ((field.access_flags & (flags | CF_ACC_STATIC)) != flags) return 1;
        return fail(v, "putfield to a strict field of an initialized object", 0);
    }
    *object = v->this_type;
    for (uint32_t i = 0; i < v->strict_count; i++)
        if (is_field(v, r->name_index, r->descriptor_index, v->strict[i].name_index,
                     v->strict[i].descriptor_index)) {
            v->unset[i / 32] &= ~(1u << (i & 31));
            v->unmatched = 1;
        }
    return 1;
}
