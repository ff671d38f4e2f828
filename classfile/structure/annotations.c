// The structure check: annotations and annotations of types (JVMS 4.7.16 to 4.7.22).

#include "classfile/code.h"
#include "classfile/structure/internal.h"

// Annotations nest as deep as somebody cares to declare them; this is far beyond.
#define DEEPEST 128

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

void cf_check_element_value(struct cf_checker *c) {
    static const char *const forms[128] = {
        ['B'] = "I", ['C'] = "I", ['I'] = "I", ['S'] = "I", ['Z'] = "I",  ['D'] = "D",
        ['F'] = "F", ['J'] = "J", ['s'] = "U", ['@'] = "@", ['e'] = "TU", ['['] = "(=)"};
    uint32_t offset = c->r.pos;
    if (c->depth == DEEPEST) {
        cf_reject(c, offset, "annotations nest deeper than %u", DEEPEST);
        return;
    }
    unsigned tag = cf_u1(&c->r);
    const char *form = tag < 128 ? forms[tag] : NULL;
    unsigned is_deeper = tag == '@' || tag == '[' ? 1 : 0;
    c->depth += is_deeper;
    if (form)
        cf_check_form(c, form);
    else if (tag == 'c')
        check_class_literal(c);
    else
        cf_reject(c, offset, "element value of type %u", tag);
    c->depth -= is_deeper;
}

// --- type annotations (JVMS 4.7.20) ---

// Strict: what a position in the code must be. 0x43 is instanceof and 0x44 new, the others may be
// any instruction.
static void check_code_position(struct cf_checker *c, uint32_t offset, unsigned target) {
    uint32_t pc = cf_u2(&c->r);
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
static void check_target(struct cf_checker *c) {
    uint32_t offset = c->r.pos;
    unsigned target = cf_u1(&c->r);
    if (c->error->status) return;
    if (target <= 0x01 || target == 0x16) // type or formal parameter
        cf_u1(&c->r);
    else if ((target >= 0x10 && target <= 0x12) || target == 0x17) // supertype, bound, throws
        cf_u2(&c->r);
    else if (target == 0x40 || target == 0x41) // local variable, resource
        check_variable_ranges(c);
    else if (target == 0x42)
        check_catch_target(c);
    else if (target >= 0x43 && target <= 0x4B) // instanceof, new, method references, casts
        check_code_position(c, offset, target);
    else if (target < 0x13 || target > 0x15) // field, result, receiver
        cf_reject(c, offset, "type annotation of target type %u", target);
    if (target >= 0x47) cf_u1(&c->r); // type argument
}

// Steps to a part of a type; only type arguments (3) are numbered.
static void check_type_path(struct cf_checker *c) {
    uint32_t length = cf_u1(&c->r);
    for (uint32_t i = 0; i < length && c->error->status == CF_OK; i++) {
        uint32_t offset = c->r.pos;
        unsigned kind = cf_u1(&c->r), argument = cf_u1(&c->r);
        if (kind > 3 || (kind != 3 && argument != 0))
            cf_reject(c, offset, "type path with a step of kind %u", kind);
    }
}

void cf_check_type_annotation(struct cf_checker *c) {
    check_target(c);
    if (c->error->status == CF_OK) check_type_path(c);
    cf_check_form(c, "@");
}
