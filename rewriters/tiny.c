#include "rewriters/tiny.h"

#include "classfile/opcodes.h"
#include "rewriters/never_throws.h"
#include "rewriters/plain_constructor.h"

// Instructions of which some take a few nanoseconds: far less than reading a clock.
#define MOST 40

static unsigned op_at(const struct cf_code *code, uint32_t i) {
    return code->bytes[code->pc[i]];
}

// A static field of another class may initialize that class.
static int is_own_field(const struct cf_code *code, uint32_t i) {
    struct cf_slice class_name, name, descriptor;
    return cf_reference(code->cls, cf_be2(code->bytes + code->pc[i] + 1), &class_name, &name,
                        &descriptor) &&
           cf_slice_equal(class_name, cf_this_name(code->cls));
}

// Numbers and strings. Other constants are made by code, or load a class.
static int is_plain_constant(const struct cf_code *code, uint32_t i) {
    const uint8_t *p = code->bytes + code->pc[i];
    unsigned tag = cf_tag_at(code->cls, p[0] == CF_OP_ldc ? p[1] : cf_be2(p + 1));
    return tag == CF_TAG_INTEGER || tag == CF_TAG_FLOAT || tag == CF_TAG_LONG ||
           tag == CF_TAG_DOUBLE || tag == CF_TAG_STRING;
}

static int is_simple(const struct cf_code *code, uint32_t i) {
    unsigned op = op_at(code, i);
    switch (op) {
    case CF_OP_ldc:
    case CF_OP_ldc_w:
    case CF_OP_ldc2_w: return is_plain_constant(code, i);
    case CF_OP_getstatic: return is_own_field(code, i) || rw_is_probe_array(code, i);
    case CF_OP_putstatic: return is_own_field(code, i);
    case CF_OP_getfield:
    case CF_OP_putfield:
    case CF_OP_arraylength:
    case CF_OP_checkcast:
    case CF_OP_instanceof:
    case CF_OP_ifnull:
    case CF_OP_ifnonnull: return 1;
    default: return op < CF_OP_jsr || (op >= CF_OP_ireturn && op <= CF_OP_return);
    }
}

// A compiler's bridge to the method of the same name in its own class, whose time is that method's.
static int is_bridged(const struct cf_edit *edit, uint32_t i) {
    const struct cf_code *code = &edit->code;
    const unsigned bridge = CF_ACC_BRIDGE | CF_ACC_SYNTHETIC;
    unsigned op = op_at(code, i);
    struct cf_slice class_name, name, descriptor;
    return (code->method->access_flags & bridge) == bridge && op >= CF_OP_invokevirtual &&
           op <= CF_OP_invokeinterface &&
           cf_reference(code->cls, cf_be2(code->bytes + code->pc[i] + 1), &class_name, &name,
                        &descriptor) &&
           cf_slice_equal(class_name, cf_this_name(code->cls)) &&
           cf_slice_equal(name, cf_member_name(code->cls, edit->method));
}

int rw_is_tiny(const struct cf_edit *edit) {
    const struct cf_code *code = &edit->code;
    if (code->count > MOST || code->exception_table_length || code->switches_count ||
        (code->method->access_flags & CF_ACC_SYNCHRONIZED) ||
        CF_IS(cf_member_name(code->cls, edit->method), "<clinit>"))
        return 0;
    uint32_t first = rw_plain_constructor(edit);
    if (!first && cf_is_constructor(code->cls, edit->method)) return 0;
    for (uint32_t i = 0; i < code->branches_count; i++)
        if (code->branches[i].target <= code->branches[i].pc) return 0;
    for (uint32_t i = first; i < code->count; i++)
        if (!is_simple(code, i) && !is_bridged(edit, i)) return 0;
    return 1;
}
