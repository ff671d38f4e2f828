// Printing: the Code attribute, its instructions and frames.

#include "classfile/code.h"
#include "classfile/frames.h"
#include "classfile/print/internal.h"

// --- instructions ---

// "#N,  count" and what constant N stands for.
static void print_constant_operand(struct cf_printer *p, unsigned index, int count) {
    cf_text_format(p->text, "#%u", index);
    if (count >= 0) cf_text_format(p->text, ",  %d", count);
    cf_print_comment(p);

    cf_print_constant_use(p, index);
}

// Targets are shown as pcs; one before the code or beyond what a pc can be comes out negative or
// large.
static void print_target(struct cf_printer *p, uint32_t pc, uint32_t offset) {
    cf_text_format(p->text, "%lld", (long long)pc + (int32_t)offset);
}

static void print_case(struct cf_printer *p, long match, uint32_t pc, uint32_t offset) {
    cf_text_format(p->text, "%18ld: ", match);
    print_target(p, pc, offset);
    cf_text_put(p->text, "\n");
}

static void print_switch(struct cf_printer *p, const uint8_t *code, uint32_t pc) {
    const uint8_t *operands = code + pc + 4 - (pc & 3);
    int is_table = code[pc] == CF_OP_tableswitch;
    int32_t low = (int32_t)cf_be4(operands + 4);
    uint32_t count =
        is_table ? cf_be4(operands + 8) - cf_be4(operands + 4) + 1 : cf_be4(operands + 4);
    if (is_table)
        cf_text_format(p->text, "{ // %ld to %ld\n", (long)low,
                       (long)(int32_t)cf_be4(operands + 8));
    else
        cf_text_format(p->text, "{ // %u\n", count);
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        if (is_table)
            print_case(p, (long)low + (long)i, pc, cf_be4(operands + 12 + 4 * i));
        else
            print_case(p, (long)(int32_t)cf_be4(operands + 8 + 8 * i), pc,
                       cf_be4(operands + 12 + 8 * i));
    }
    cf_text_format(p->text, "%18s: ", "default");
    print_target(p, pc, cf_be4(operands));
    cf_text_put(p->text, "\n      }");
}

static void print_wide(struct cf_printer *p, const uint8_t *at) {
    char name[16];
    uint32_t n = 0;
    for (const char *c = cf_opcodes[at[1]].name; *c && n < sizeof name - 3; c++) name[n++] = *c;
    memcpy(name + n, "_w", 3);
    cf_text_format(p->text, "%-13s %u", name, cf_be2(at + 2));
    if (at[1] == CF_OP_iinc) cf_text_format(p->text, ", %d", (int16_t)cf_be2(at + 4));
}

static const char *array_type(unsigned type) {
    static const char *const types[] = {"boolean", "char",  "float", "double",
                                        "byte",    "short", "int",   "long"};
    return type >= 4 && type <= 11 ? types[type - 4] : "?";
}

// The instruction at `pc` is known to be whole.
static void print_instruction(struct cf_printer *p, const uint8_t *code, uint32_t pc) {
    const uint8_t *at = code + pc;
    const struct cf_opcode_facts *facts = &cf_opcodes[at[0]];
    cf_text_format(p->text, "%4u: ", pc);
    if (facts->operands == CF_NONE)
        cf_text_put(p->text, facts->name);
    else if (facts->operands != CF_WIDE)
        cf_text_format(p->text, "%-13s ", facts->name);
    switch (facts->operands) {
    case CF_NONE: break;
    case CF_S1: cf_text_format(p->text, "%d", (int8_t)at[1]); break;
    case CF_S2: cf_text_format(p->text, "%d", (int16_t)cf_be2(at + 1)); break;
    case CF_CP1: print_constant_operand(p, at[1], -1); break;
    case CF_CP2:
    case CF_FIELD:
    case CF_INVOKE:
    case CF_CLASS: print_constant_operand(p, cf_be2(at + 1), -1); break;
    case CF_INVOKEINTERFACE:
    case CF_INVOKEDYNAMIC:
    case CF_MULTIANEWARRAY: print_constant_operand(p, cf_be2(at + 1), at[3]); break;
    case CF_LOCAL: cf_text_format(p->text, "%u", at[1]); break;
    case CF_IINC: cf_text_format(p->text, "%u, %d", at[1], (int8_t)at[2]); break;
    case CF_BRANCH2: print_target(p, pc, (uint32_t)(int16_t)cf_be2(at + 1)); break;
    case CF_BRANCH4: print_target(p, pc, cf_be4(at + 1)); break;
    case CF_TABLESWITCH:
    case CF_LOOKUPSWITCH: print_switch(p, code, pc); break;
    case CF_WIDE: print_wide(p, at); break;
    case CF_ATYPE: cf_text_format(p->text, " %s", array_type(at[1])); break;
    default: break;
    }
    cf_text_put(p->text, "\n");
}

static void print_instructions(struct cf_printer *p, uint32_t offset, uint32_t length) {
    const uint8_t *code = p->cls->bytes + offset;
    for (uint32_t pc = 0; pc < length && cf_going(p);) {
        uint32_t n = cf_instruction_length(code, pc, length);
        if (n)
            print_instruction(p, code, pc);
        else
            cf_fail(&p->error, CF_UNKNOWN, offset + pc,
                    "instruction with opcode %u is unknown or not whole", code[pc]);
        pc += n;
    }
    cf_print_error(p); // the tables behind the code can be read all the same
}

// --- the attribute ---

static void print_exception_table(struct cf_printer *p) {
    uint32_t count = cf_u2(&p->r);
    if (count && cf_going(p))
        cf_text_put(p->text, "Exception table:\n   from    to  target type\n");
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        uint32_t start = cf_u2(&p->r), end = cf_u2(&p->r), handler = cf_u2(&p->r);
        unsigned type = cf_u2(&p->r);
        if (!cf_going(p)) return;
        cf_text_format(p->text, "   %5u %5u %5u   ", start, end, handler);
        cf_text_put(p->text, type ? "Class " : "any");
        if (type) cf_print_constant(p, type);
        cf_text_put(p->text, "\n");
    }
}

void cf_print_code(struct cf_printer *p) {
    cf_text_put(p->text, "Code:\n");
    p->text->indent += 2;
    uint32_t max_stack = cf_u2(&p->r), max_locals = cf_u2(&p->r), length = cf_u4(&p->r);
    uint32_t offset = p->r.pos;
    cf_skip(&p->r, length);
    if (!cf_going(p)) return;
    uint32_t parameters = cf_count_parameters(cf_member_descriptor(p->cls, p->member));
    if (!(p->member->access_flags & CF_ACC_STATIC)) parameters++;
    cf_text_format(p->text, "stack=%u, locals=%u, args_size=%u\n", max_stack, max_locals,
                   parameters);
    print_instructions(p, offset, length);
    print_exception_table(p);
    uint32_t count = cf_u2(&p->r);
    cf_print_attributes(p, CF_IN_CODE, count);
}

// --- frames (JVMS 4.7.4) ---

static void print_verification_type(struct cf_printer *p) {
    static const char *const names[] = {"top", "int", "float", "double", "long", "null", "this"};
    uint32_t offset = p->r.pos;
    unsigned tag = cf_u1(&p->r);
    if (tag < sizeof names / sizeof *names) {
        cf_text_put(p->text, names[tag]);
    } else if (tag == CF_TYPE_OBJECT) {
        cf_text_put(p->text, "class ");
        cf_print_constant(p, cf_u2(&p->r));
    } else if (tag == CF_TYPE_UNINITIALIZED) {
        cf_text_format(p->text, "uninitialized %u", cf_u2(&p->r));
    } else {
        cf_fail(&p->error, CF_MALFORMED, offset, "verification type %u", tag);
    }
}

static void print_types(struct cf_printer *p, const char *what, uint32_t count) {
    cf_text_format(p->text, count ? "%s = [ " : "%s = [", what);
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        if (i) cf_text_put(p->text, ", ");
        print_verification_type(p);
    }
    cf_text_put(p->text, count ? " ]\n" : "]\n");
}

static const char *frame_name(unsigned type) {
    if (type < CF_FRAME_SAME_LOCALS_1) return "same";
    if (type < CF_FRAME_RESERVED) return "same_locals_1_stack_item";
    if (type < CF_FRAME_EARLY_LARVAL) return "reserved";
    if (type < CF_FRAME_SAME_LOCALS_1_EXTENDED) return "early_larval";
    if (type < CF_FRAME_CHOP) return "same_locals_1_stack_item_frame_extended";
    if (type < CF_FRAME_SAME_EXTENDED) return "chop";
    if (type < CF_FRAME_APPEND) return "same_frame_extended";
    return type < CF_FRAME_FULL ? "append" : "full_frame";
}

// Frame type 246 of value classes: the strict fields not set yet, then a frame of another type.
static void print_unset_fields(struct cf_printer *p) {
    uint32_t count = cf_u2(&p->r);
    cf_text_put(p->text, "unset_fields = [");
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        cf_text_put(p->text, i ? ", " : " ");
        cf_print_constant(p, cf_u2(&p->r));
    }
    cf_text_put(p->text, count ? " ]\n" : "]\n");
}

static void print_frame(struct cf_printer *p) {
    uint32_t offset = p->r.pos;
    unsigned type = cf_u1(&p->r);
    if (!cf_going(p)) return;
    cf_text_format(p->text, "frame_type = %u /* %s */\n", type, frame_name(type));
    p->text->indent += 2;
    if (type == CF_FRAME_EARLY_LARVAL) {
        print_unset_fields(p);
        type = cf_u1(&p->r);
        if (!cf_going(p)) return;
        cf_text_format(p->text, "frame_type = %u /* %s */\n", type, frame_name(type));
    }
    if (type > CF_FRAME_EARLY_LARVAL) cf_text_format(p->text, "offset_delta = %u\n", cf_u2(&p->r));
    if (type >= CF_FRAME_RESERVED && type <= CF_FRAME_EARLY_LARVAL)
        cf_fail(&p->error, CF_MALFORMED, offset, "frame type %u", type);
    else if (type == CF_FRAME_SAME_LOCALS_1_EXTENDED ||
             (type >= CF_FRAME_SAME_LOCALS_1 && type < CF_FRAME_RESERVED))
        print_types(p, "stack", 1);
    else if (type >= CF_FRAME_APPEND && type < CF_FRAME_FULL)
        print_types(p, "locals", type - CF_FRAME_SAME_EXTENDED);
    else if (type == CF_FRAME_FULL) {
        print_types(p, "locals", cf_u2(&p->r));
        print_types(p, "stack", cf_u2(&p->r));
    }
    p->text->indent -= 2;
}

void cf_print_stack_map_table(struct cf_printer *p) {
    uint32_t count = p->r.pos < p->r.end ? cf_u2(&p->r) : 0; // HotSpot takes an empty one for none
    cf_text_format(p->text, "StackMapTable: number_of_entries = %u\n", count);
    p->text->indent += 2;
    for (uint32_t i = 0; i < count && cf_going(p); i++) print_frame(p);
}
