#include "rewriters/never_throws.h"

#include "classfile/opcodes.h"
#include "rewriters/coverage.h"

#include <string.h>

static unsigned op_at(const struct cf_code *code, uint32_t i) {
    return code->bytes[code->pc[i]];
}

static int loads_number(unsigned op) {
    return op >= CF_OP_aconst_null && op <= CF_OP_sipush;
}

static int loads_local(unsigned op) {
    return op >= CF_OP_iload && op <= CF_OP_aload_3;
}

// Does a jump lead between instructions `first` and `last`?
static int is_entered(const struct cf_code *code, uint32_t first, uint32_t last) {
    for (uint32_t k = first + 1; k <= last; k++)
        if (code->marks[code->pc[k]] & CF_MARK_TARGET) return 1;
    return 0;
}

// --- coverage probes ---

int rw_is_probe_array(const struct cf_code *code, uint32_t i) {
    struct cf_slice class_name, name, descriptor;
    const uint32_t prefix = sizeof RW_HOLDER_NAME - 1;
    if (op_at(code, i) != CF_OP_getstatic ||
        !cf_reference(code->cls, cf_be2(code->bytes + code->pc[i] + 1), &class_name, &name,
                      &descriptor) ||
        !CF_IS(name, RW_HOLDER_FIELD))
        return 0;
    uint32_t simple = class_name.length;
    while (simple > 0 && class_name.bytes[simple - 1] != '/') simple--;
    return class_name.length - simple > prefix &&
           memcmp(class_name.bytes + simple, RW_HOLDER_NAME, prefix) == 0;
}

// The last instruction of a probe: the array, an index that it has, 1, bastore.
static int ends_probe(const struct cf_code *code, uint32_t i) {
    return op_at(code, i) == CF_OP_bastore && i >= 3 && rw_is_probe_array(code, i - 3) &&
           !is_entered(code, i - 3, i) && loads_number(op_at(code, i - 2)) &&
           op_at(code, i - 1) == CF_OP_iconst_1;
}

// --- fields ---

// Does the class declare the field? One that it inherits may be missing, or private.
static int declares(const struct cf_class *cls, struct cf_slice name, struct cf_slice descriptor,
                    int is_store) {
    struct cf_error error = {0};
    struct cf_walk walk = cf_walk_fields(cls, &error);
    struct cf_member field;
    while (cf_next_field(&walk, &field)) {
        if (!cf_slice_equal(cf_member_name(cls, &field), name) ||
            !cf_slice_equal(cf_member_descriptor(cls, &field), descriptor))
            continue;
        return !(field.access_flags & (CF_ACC_STATIC | (is_store ? CF_ACC_FINAL : 0)));
    }
    return 0;
}

// Local 0 is `this` all the time.
static int keeps_this(const struct cf_code *code) {
    if (code->method->access_flags & CF_ACC_STATIC) return 0;
    for (uint32_t i = 0; i < code->count; i++) {
        unsigned op = op_at(code, i);
        if ((op >= CF_OP_istore && op <= CF_OP_astore_3) || op == CF_OP_wide) return 0;
    }
    return 1;
}

// An object of a value class may lie in the field itself (JDK 28): reading it allocates, and null may be refused.
static int may_be_flat(struct cf_slice descriptor) {
    return descriptor.bytes[0] == 'L';
}

// aload_0, for a store then one more value.
static int is_field_of_this(const struct cf_code *code, uint32_t i) {
    struct cf_slice class_name, name, descriptor;
    unsigned op = op_at(code, i);
    uint32_t back = op == CF_OP_getfield ? 1 : 2;
    if ((op != CF_OP_getfield && op != CF_OP_putfield) || i < back || is_entered(code, i - back, i))
        return 0;
    unsigned value = op_at(code, i - 1);
    return op_at(code, i - back) == CF_OP_aload_0 &&
           (back == 1 || loads_number(value) || loads_local(value)) &&
           cf_reference(code->cls, cf_be2(code->bytes + code->pc[i] + 1), &class_name, &name,
                        &descriptor) &&
           cf_slice_equal(class_name, cf_this_name(code->cls)) && !may_be_flat(descriptor) &&
           declares(code->cls, name, descriptor, op == CF_OP_putfield);
}

int rw_never_throws(const struct cf_edit *edit) {
    const struct cf_code *code = &edit->code;
    if ((code->method->access_flags & CF_ACC_SYNCHRONIZED) || code->exception_table_length ||
        code->switches_count)
        return 0;
    for (uint32_t i = 0; i < code->branches_count; i++)
        if (code->branches[i].target <= code->branches[i].pc) return 0;
    for (uint32_t i = 0; code->may_throw && i < code->count; i++) {
        if (!(cf_flags[op_at(code, i)] & CF_MAY_THROW)) continue;
        if (rw_is_probe_array(code, i) || ends_probe(code, i)) continue;
        if (!is_field_of_this(code, i) || !keeps_this(code)) return 0;
    }
    return 1;
}
