// The structure check: annotations, annotations of parameters and types, default values
// (JVMS 4.7.16 to 4.7.22).

#include "classfile/code.h"
#include "classfile/structure/internal.h"

// Annotations nest as deep as somebody cares to declare them; this is far beyond.
#define DEEPEST 128

static enum cf_status check_element_value(struct cf_checker *c, unsigned depth);

static enum cf_status check_annotation(struct cf_checker *c, unsigned depth) {
    cf_check_descriptor_index(c);
    uint32_t pairs = cf_u2(&c->r);
    for (uint32_t i = 0; i < pairs && c->error->status == CF_OK; i++) {
        cf_check_index(c, CF_TAG_UTF8);
        check_element_value(c, depth);
    }
    return c->error->status;
}

static enum cf_status check_array(struct cf_checker *c, unsigned depth) {
    uint32_t count = cf_u2(&c->r);
    for (uint32_t i = 0; i < count && c->error->status == CF_OK; i++) check_element_value(c, depth);
    return c->error->status;
}

// A class literal: a field descriptor, or V for void.class.
static enum cf_status check_class_literal(struct cf_checker *c) {
    uint32_t offset = c->r.pos;
    unsigned index = cf_check_index(c, CF_TAG_UTF8);
    CF_TRY(c->error->status);
    if ((cf_facts(c, index, CF_KNOWN_DESCRIPTOR)->flags & CF_FACT_FIELD) ||
        CF_IS(cf_utf8(c->cls, index), "V"))
        return CF_OK;
    return cf_reject(c, offset, "constant %u is not a descriptor", index);
}

static enum cf_status check_element_value(struct cf_checker *c, unsigned depth) {
    uint32_t offset = c->r.pos;
    if (depth == DEEPEST) return cf_reject(c, offset, "annotations nest deeper than %u", DEEPEST);
    unsigned tag = cf_u1(&c->r);
    CF_TRY(c->error->status);
    switch (tag) {
    case 'B':
    case 'C':
    case 'I':
    case 'S':
    case 'Z': cf_check_index(c, CF_TAG_INTEGER); break;
    case 'D': cf_check_index(c, CF_TAG_DOUBLE); break;
    case 'F': cf_check_index(c, CF_TAG_FLOAT); break;
    case 'J': cf_check_index(c, CF_TAG_LONG); break;
    case 's': cf_check_index(c, CF_TAG_UTF8); break;
    case 'c': return check_class_literal(c);
    case 'e':
        cf_check_descriptor_index(c);
        cf_check_index(c, CF_TAG_UTF8);
        break;
    case '@': return check_annotation(c, depth + 1);
    case '[': return check_array(c, depth + 1);
    default: return cf_reject(c, offset, "element value of type %u", tag);
    }
    return c->error->status;
}

CF_CHECKER(annotation_default) {
    return check_element_value(c, 0);
}

CF_CHECKER(annotations) {
    uint32_t count = cf_u2(&c->r);
    for (uint32_t i = 0; i < count && c->error->status == CF_OK; i++) check_annotation(c, 0);
    return c->error->status;
}

CF_CHECKER(parameter_annotations) {
    uint32_t count = cf_u1(&c->r);
    for (uint32_t i = 0; i < count && c->error->status == CF_OK; i++) cf_check_annotations(c);
    return c->error->status;
}

// --- type annotations (JVMS 4.7.20) ---

// Strict: what a position in the code must be. 0x43 is instanceof and 0x44 new, the others may be
// any instruction.
static void check_code_position(struct cf_checker *c, uint32_t offset, unsigned target,
                                uint32_t pc) {
    if (!c->strict || c->place != CF_IN_CODE || c->error->status) return;
    int good = pc < c->code_length && (c->marks[pc] & CF_CHECK_START);
    if (good && target == 0x43) good = c->code[pc] == CF_OP_instanceof;
    if (good && target == 0x44) good = c->code[pc] == CF_OP_new;
    if (!good) cf_reject(c, offset, "type annotation at pc %u", pc);
}

static void check_variable_ranges(struct cf_checker *c) {
    uint32_t count = cf_u2(&c->r);
    for (uint32_t i = 0; i < count && c->error->status == CF_OK; i++) {
        uint32_t offset = c->r.pos;
        uint32_t start = cf_u2(&c->r), end = start + cf_u2(&c->r), index = cf_u2(&c->r);
        if (!c->strict || c->place != CF_IN_CODE || c->error->status) continue;
        if (end > c->code_length || index >= c->max_locals ||
            !(c->marks[start] & c->marks[end] & CF_CHECK_START))
            cf_reject(c, offset, "type annotation of local variable %u", index);
    }
}

static void check_catch_target(struct cf_checker *c) {
    uint32_t offset = c->r.pos, index = cf_u2(&c->r);
    if (c->strict && c->place == CF_IN_CODE && index >= c->exception_table_length)
        cf_reject(c, offset, "type annotation of exception table entry %u", index);
}

// target_info, whose form depends on target_type.
static enum cf_status check_target(struct cf_checker *c) {
    uint32_t offset = c->r.pos;
    unsigned target = cf_u1(&c->r);
    switch (target) {
    case 0x00:
    case 0x01:
    case 0x16: cf_skip(&c->r, 1); break; // type or formal parameter
    case 0x10:
    case 0x11:
    case 0x12:
    case 0x17: cf_skip(&c->r, 2); break; // supertype, bound, throws
    case 0x13:
    case 0x14:
    case 0x15: break; // field, result, receiver
    case 0x40:
    case 0x41: check_variable_ranges(c); break; // local variable, resource
    case 0x42: check_catch_target(c); break;
    case 0x43:
    case 0x44:
    case 0x45:
    case 0x46: // instanceof, new, method references
        check_code_position(c, offset, target, cf_u2(&c->r));
        break;
    case 0x47:
    case 0x48:
    case 0x49:
    case 0x4A:
    case 0x4B: // cast, type arguments
        check_code_position(c, offset, target, cf_u2(&c->r));
        cf_skip(&c->r, 1);
        break;
    default: return cf_reject(c, offset, "type annotation of target type %u", target);
    }
    return c->error->status;
}

// Steps to a part of a type; only type arguments (3) are numbered.
static enum cf_status check_type_path(struct cf_checker *c) {
    uint32_t length = cf_u1(&c->r);
    for (uint32_t i = 0; i < length && c->error->status == CF_OK; i++) {
        uint32_t offset = c->r.pos;
        unsigned kind = cf_u1(&c->r), argument = cf_u1(&c->r);
        if (kind > 3 || (kind != 3 && argument != 0))
            cf_reject(c, offset, "type path with a step of kind %u", kind);
    }
    return c->error->status;
}

CF_CHECKER(type_annotations) {
    uint32_t count = cf_u2(&c->r);
    for (uint32_t i = 0; i < count && c->error->status == CF_OK; i++) {
        CF_TRY(check_target(c));
        CF_TRY(check_type_path(c));
        check_annotation(c, 0);
    }
    return c->error->status;
}
