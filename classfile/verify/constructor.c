// The verifier's rules for what is not initialised yet (JVMS 4.10.1.9 invokespecial, putfield): new
// objects, `this` before the delegate call, and strict fields.

#include "classfile/verify/internal.h"

// All copies of an object that is initialised now. Handlers must accept the object as it was before,
// which has been checked, and as it is now.
static cf_vtype *replace(struct cf_verifier *v, cf_vtype old, cf_vtype type, cf_vtype *top) {
    int changed = 0;
    if (!cf_v_works(v, v->locals_used + (uint64_t)(top - v->stack))) return NULL;
    for (uint32_t i = 0; i < v->locals_used; i++) {
        if (v->locals[i] != old) continue;
        v->locals[i] = type;
        changed = 1;
    }
    for (cf_vtype *p = v->stack + CF_V_SLACK; p < top; p++)
        if (*p == old) *p = type;
    v->unmatched |= changed;
    return !changed || v->inferring || cf_v_match_handlers(v, UINT32_MAX) ? top : NULL;
}

static cf_vtype *initialize_this(struct cf_verifier *v, const struct cf_vmember *m, cf_vtype *top) {
    int is_super = m->class_index == v->cls->super_class ||
                   cf_slice_equal(cf_v_name_of(v, m->types[0]), v->super_name);
    if (!is_super && !cf_slice_equal(cf_v_name_of(v, m->types[0]), v->this_name))
        return cf_v_fail(v, "constructor of neither this class nor its superclass", 0), NULL;
    for (uint32_t i = 0; is_super && i < CF_V_UNSET_WORDS(v); i++)
        if (v->unset[i])
            return cf_v_fail(v, "strict fields are not set before the constructor", 0), NULL;
    if (!v->inferring && !cf_v_works(v, v->code.exception_table_length)) return NULL;
    // A handler would have to take `this` as it was before and as it is after.
    for (uint32_t i = 0; !v->inferring && i < v->code.exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(&v->code, i);
        if (v->pc < e.start_pc || v->pc >= e.end_pc) continue;
        cf_v_fail(v, "constructor called under the exception handler at pc %u", e.handler_pc);
        return NULL;
    }
    v->this_uninitialized = 0;
    return replace(v, CF_V_UNINITIALIZED_THIS, v->this_type, top);
}

cf_vtype *cf_v_initialize(struct cf_verifier *v, const struct cf_vmember *m, cf_vtype *top) {
    cf_vtype object = top[-1];
    unsigned tag = CF_V_TAG(object);
    if (tag == CF_V_UNINITIALIZED_THIS) return initialize_this(v, m, top - 1);
    if (tag != CF_V_UNINITIALIZED)
        return cf_v_bad_top(v, top, "constructor called on an object that is not new");
    uint32_t index = cf_be2(v->code.bytes + CF_V_PAYLOAD(object) + 1);
    cf_vtype type = cf_v_class(v, index), called = m->types[0];
    if (!type) return NULL;
    if (index != m->class_index &&
        (!CF_V_IS_CLASS(called) ||
         !cf_slice_equal(cf_v_name_of(v, type), cf_v_name_of(v, called)))) {
        cf_v_mismatch(v, "constructor of another class than the new object's", called, type);
        return NULL;
    }
    return replace(v, object, type, top - 1);
}

// --- strict fields ---

int cf_v_find_strict(struct cf_verifier *v) {
    v->strict_known = 1;
    if (!cf_v_may_be_strict(v->cls)) return 1;
    v->strict = cf_strict_of(v->cls, &v->failure->error);
    v->strict_count = v->strict ? v->strict->count : 0;
    return v->strict != NULL;
}

uint32_t cf_v_strict_index(const struct cf_verifier *v, unsigned name, unsigned descriptor) {
    struct cf_slice a = cf_utf8(v->cls, name), b = cf_utf8(v->cls, descriptor);
    int i = v->strict_count ? cf_strict_find(v->strict, a, b) : -1;
    return i < 0 ? v->strict_count : (uint32_t)i;
}

static int is_same(const struct cf_class *cls, unsigned a, unsigned b) {
    return a == b || cf_slice_equal(cf_utf8(cls, a), cf_utf8(cls, b));
}

// The field of this class that is meant. 1, or 0: of another class, or there is none; or failed.
static int find_own_field(struct cf_verifier *v, const struct cf_vmember *m,
                          struct cf_member *field) {
    struct cf_error error = {.status = CF_OK};
    if (!cf_slice_equal(cf_v_name_of(v, m->types[0]), v->this_name)) return 0;
    struct cf_walk walk = cf_walk_fields(v->cls, &error);
    while (cf_next_field(&walk, field)) {
        if (!cf_v_works(v, 8u + field->attributes_count)) return 0;
        if (is_same(v->cls, m->name_index, field->name_index) &&
            is_same(v->cls, m->descriptor_index, field->descriptor_index))
            return 1;
    }
    return 0;
}

int cf_v_early_putfield(struct cf_verifier *v, const struct cf_vmember *m, cf_vtype *target) {
    struct cf_member field;
    if (!find_own_field(v, m, &field)) // `this` does not pass as an object then
        return v->failure->error.status == CF_OK;
    if (*target != CF_V_UNINITIALIZED_THIS) {
        unsigned flags = CF_ACC_STRICT | CF_ACC_FINAL;
        if ((field.access_flags & (flags | CF_ACC_STATIC)) != flags) return 1;
        return cf_v_fail(v, "putfield to a strict field of an initialized object", 0), 0;
    }
    *target = v->this_type;
    uint32_t i = cf_v_strict_index(v, m->name_index, m->descriptor_index);
    if (i < v->strict_count) {
        v->unset[i / 64] &= ~(UINT64_C(1) << (i & 63));
        v->unmatched = 1;
    }
    return 1;
}
