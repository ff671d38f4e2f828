#include "rewriters/plain_constructor.h"

#include "classfile/opcodes.h"

static unsigned op_at(const struct cf_code *code, uint32_t i) {
    return code->bytes[code->pc[i]];
}

static int pushes_value(unsigned op) {
    return (op >= CF_OP_aconst_null && op <= CF_OP_sipush) ||
           (op >= CF_OP_iload && op <= CF_OP_aload_3);
}

// Java says so of both.
static int has_empty_constructor(struct cf_slice class_name) {
    return CF_IS(class_name, "java/lang/Object") || CF_IS(class_name, "java/lang/Record");
}

static int calls_super(const struct cf_code *code, uint32_t i) {
    struct cf_slice class_name, name, descriptor;
    return op_at(code, i) == CF_OP_invokespecial &&
           cf_reference(code->cls, cf_be2(code->bytes + code->pc[i] + 1), &class_name, &name,
                        &descriptor) &&
           cf_slice_equal(class_name, cf_class_name(code->cls, code->cls->super_class)) &&
           CF_IS(name, "<init>");
}

// A number, or an object in a field that a compiler made up (this$0): others may refuse null (JDK 28).
static int takes_any_value(const struct cf_class *cls, const struct cf_member *field) {
    return cf_member_descriptor(cls, field).bytes[0] != 'L' ||
           (field->access_flags & CF_ACC_SYNTHETIC);
}

// aload_0, one more value, putfield of a field that the class declares.
static int sets_own_field(const struct cf_code *code, uint32_t i) {
    struct cf_slice class_name, name, descriptor;
    struct cf_error error = {0};
    if (op_at(code, i) != CF_OP_putfield || i < 2 || op_at(code, i - 2) != CF_OP_aload_0 ||
        !cf_reference(code->cls, cf_be2(code->bytes + code->pc[i] + 1), &class_name, &name,
                      &descriptor) ||
        !cf_slice_equal(class_name, cf_this_name(code->cls)))
        return 0;
    struct cf_walk walk = cf_walk_fields(code->cls, &error);
    struct cf_member field;
    while (cf_next_field(&walk, &field))
        if (cf_slice_equal(cf_member_name(code->cls, &field), name) &&
            cf_slice_equal(cf_member_descriptor(code->cls, &field), descriptor))
            return !(field.access_flags & CF_ACC_STATIC) && takes_any_value(code->cls, &field);
    return 0;
}

static int has_finalizer(const struct cf_class *cls) {
    for (uint32_t i = 0; i < cls->methods_count; i++)
        if (CF_IS(cf_member_name(cls, &cls->methods[i]), "finalize") &&
            CF_IS(cf_member_descriptor(cls, &cls->methods[i]), "()V"))
            return 1;
    return 0;
}

// Does the code come back to instructions up to number `n`, or handle what they throw?
static int is_entered(const struct cf_code *code, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (code->marks[code->pc[i]] & CF_MARK_TARGET) return 1;
    for (uint32_t i = 0; i < code->exception_table_length; i++)
        if (cf_exception_at(code, i).start_pc <= code->pc[n - 1]) return 1;
    return 0;
}

uint32_t rw_plain_constructor(const struct cf_edit *edit) {
    const struct cf_code *code = &edit->code;
    if (!cf_is_constructor(code->cls, edit->method) ||
        !has_empty_constructor(cf_class_name(code->cls, code->cls->super_class)))
        return 0;
    for (uint32_t i = 0; i < code->count; i++) {
        if (i > 0 && op_at(code, i - 1) == CF_OP_aload_0 && calls_super(code, i))
            return is_entered(code, i + 1) || has_finalizer(code->cls) ? 0 : i + 1;
        if (!pushes_value(op_at(code, i)) && !sets_own_field(code, i)) return 0;
    }
    return 0;
}
