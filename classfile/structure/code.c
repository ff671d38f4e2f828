// The structure check: the Code attribute, its instructions and their operands (JVMS 4.7.3, 4.9.1).

#include "classfile/code.h"
#include "classfile/structure/internal.h"

static enum cf_status reject_at(struct cf_checker *c, uint32_t pc, const char *reason,
                                uint32_t value) {
    return cf_reject(c, (uint32_t)(c->code - c->cls->bytes) + pc, reason, value);
}

// --- operands ---

static enum cf_status check_load_constant(struct cf_checker *c, uint32_t pc, unsigned op,
                                          unsigned index) {
    unsigned tag = cf_tag_at(c->cls, index);
    int two_slots = tag == CF_TAG_LONG || tag == CF_TAG_DOUBLE;
    if (!cf_is_loadable(c, index)) return reject_at(c, pc, "constant %u cannot be loaded", index);
    if (tag == CF_TAG_DYNAMIC) {
        const struct cf_utf8_facts *name, *descriptor;
        cf_reference_facts(c, index, &name, &descriptor);
        two_slots = (descriptor->flags & CF_FACT_TWO_SLOTS) != 0;
    }
    if (two_slots == (op == CF_OP_ldc2_w)) return CF_OK;
    return reject_at(c, pc, "constant %u has not the size that is loaded", index);
}

// The constant of an instruction whose operand begins with its index.
static enum cf_status expect_at(struct cf_checker *c, uint32_t pc, unsigned tag) {
    uint32_t offset = (uint32_t)(c->code - c->cls->bytes) + pc;
    return cf_expect(c, offset, cf_be2(c->code + pc + 1), tag);
}

static enum cf_status check_invoke(struct cf_checker *c, uint32_t pc, unsigned op, unsigned index) {
    const uint8_t *p = c->code + pc;
    const struct cf_utf8_facts *name, *descriptor;
    int is_interface = op == CF_OP_invokeinterface;
    if ((op == CF_OP_invokespecial || op == CF_OP_invokestatic) && c->cls->major_version >= 52)
        is_interface = cf_tag_at(c->cls, index) == CF_TAG_INTERFACE_METHODREF;
    CF_TRY(expect_at(c, pc, is_interface ? CF_TAG_INTERFACE_METHODREF : CF_TAG_METHODREF));
    cf_reference_facts(c, index, &name, &descriptor);
    if ((name->flags & CF_FACT_ANGLE) && op != CF_OP_invokespecial)
        return reject_at(c, pc, "constructor called otherwise than by invokespecial", 0);
    if (name->flags & CF_FACT_CLINIT) return reject_at(c, pc, "call of a class initializer", 0);
    if (op == CF_OP_invokeinterface && (p[3] != descriptor->slots + 1 || p[4]))
        return reject_at(c, pc, "count of invokeinterface is %u", p[3]);
    return CF_OK;
}

static enum cf_status check_invokedynamic(struct cf_checker *c, uint32_t pc) {
    CF_TRY(expect_at(c, pc, CF_TAG_INVOKE_DYNAMIC));
    if (c->code[pc + 3] || c->code[pc + 4])
        return reject_at(c, pc, "invokedynamic with bytes that are not zero", 0);
    return CF_OK;
}

// new, anewarray, checkcast, instanceof, multianewarray.
static enum cf_status check_class_operand(struct cf_checker *c, uint32_t pc, unsigned op,
                                          unsigned index) {
    unsigned dimensions = c->code[pc + 3];
    CF_TRY(expect_at(c, pc, CF_TAG_CLASS));
    const struct cf_utf8_facts *name = cf_class_facts(c, index);
    if (op == CF_OP_new && (name->flags & CF_FACT_ARRAY))
        return reject_at(c, pc, "new of an array", 0);
    if (op == CF_OP_anewarray && name->dimensions == 255)
        return reject_at(c, pc, "array of 256 dimensions", 0);
    if (op == CF_OP_multianewarray && (dimensions == 0 || dimensions > name->dimensions))
        return reject_at(c, pc, "multianewarray of %u dimensions", dimensions);
    return CF_OK;
}

// --- branches ---

static enum cf_status check_target(struct cf_checker *c, uint32_t pc, uint32_t target) {
    if (target < c->code_length && (c->marks[target] & CF_CHECK_START)) return CF_OK;
    return reject_at(c, pc, "branch to %u, which is not an instruction", target);
}

static enum cf_status check_branch(struct cf_checker *c, uint32_t pc, unsigned op) {
    if ((op == CF_OP_jsr || op == CF_OP_jsr_w) && c->cls->major_version >= 51)
        return reject_at(c, pc, "jsr in a class of version 51 or above", 0);
    return check_target(c, pc, cf_branch_target(c->code, pc));
}

// JVMs ask for zeros in front of the 4-byte operands in old classes only. The length of the switch
// has been checked.
static enum cf_status check_switch(struct cf_checker *c, uint32_t pc) {
    struct cf_code code = {.bytes = c->code};
    struct cf_switch sw;
    cf_switch_open(&code, pc, &sw);
    for (uint32_t i = pc + 1; c->cls->major_version < 51 && (i & 3); i++)
        if (c->code[i]) return reject_at(c, pc, "switch padded with %u", c->code[i]);
    CF_TRY(check_target(c, pc, sw.default_pc));
    for (uint32_t i = 0; i < sw.count; i++) {
        if (i && !sw.is_table && cf_switch_match(&sw, i) <= cf_switch_match(&sw, i - 1))
            return reject_at(c, pc, "lookupswitch not in order at pair %u", i);
        CF_TRY(check_target(c, pc, cf_switch_target(&sw, i)));
    }
    return CF_OK;
}

// --- instructions ---

// What is in the instruction alone; targets have to wait until it is known where instructions
// begin.
static enum cf_status check_operands(struct cf_checker *c, uint32_t pc, unsigned op) {
    const uint8_t *p = c->code + pc;
    switch (cf_opcodes[op].operands) {
    case CF_CP1: return check_load_constant(c, pc, op, p[1]);
    case CF_CP2: return check_load_constant(c, pc, op, cf_be2(p + 1));
    case CF_LOCAL:
    case CF_WIDE:
        if (p[op == CF_OP_wide] != CF_OP_ret || c->cls->major_version < 51) return CF_OK;
        return reject_at(c, pc, "ret in a class of version 51 or above", 0);
    case CF_BRANCH2:
    case CF_BRANCH4:
    case CF_TABLESWITCH:
    case CF_LOOKUPSWITCH: c->branches[c->branches_count++] = (uint16_t)pc; return CF_OK;
    case CF_FIELD: return expect_at(c, pc, CF_TAG_FIELDREF);
    case CF_INVOKE:
    case CF_INVOKEINTERFACE: return check_invoke(c, pc, op, cf_be2(p + 1));
    case CF_INVOKEDYNAMIC: return check_invokedynamic(c, pc);
    case CF_CLASS:
    case CF_MULTIANEWARRAY: return check_class_operand(c, pc, op, cf_be2(p + 1));
    case CF_ATYPE:
        if (p[1] >= 4 && p[1] <= 11) return CF_OK;
        return reject_at(c, pc, "newarray of type %u", p[1]);
    default: return CF_OK;
    }
}

static enum cf_status check_targets(struct cf_checker *c) {
    for (uint32_t i = 0; i < c->branches_count; i++) {
        uint32_t pc = c->branches[i];
        unsigned op = c->code[pc];
        int is_switch = op == CF_OP_tableswitch || op == CF_OP_lookupswitch;
        CF_TRY(is_switch ? check_switch(c, pc) : check_branch(c, pc, op));
    }
    return CF_OK;
}

// Opcodes are known, instructions whole, their operands good. Sets the marks.
static enum cf_status check_instructions(struct cf_checker *c, uint32_t *last) {
    uint32_t pc = 0, length = c->code_length;
    memset(c->marks, 0, length + 1);
    c->branches_count = 0;
    while (pc < length) {
        unsigned op = c->code[pc];
        uint32_t n = cf_lengths[op];
        if (n - 1 >= length - pc) n = cf_instruction_length(c->code, pc, length); // 0, or too long
        if (n == 0)
            return reject_at(c, pc, "instruction with opcode %u is unknown or not whole", op);
        c->marks[pc] = CF_CHECK_START;
        uint32_t locals = cf_locals_needed(c->code + pc);
        if (locals > c->max_locals)
            return reject_at(c, pc, "local variable %u is above max_locals", locals - 1);
        if (n > 1) CF_TRY(check_operands(c, pc, op));
        *last = pc;
        pc += n;
    }
    c->marks[length] = CF_CHECK_START; // ranges may end here
    return check_targets(c);
}

static enum cf_status check_exception_table(struct cf_checker *c) {
    c->exception_table_length = cf_u2(&c->r);
    for (uint32_t i = 0; i < c->exception_table_length; i++) {
        uint32_t offset = c->r.pos;
        uint32_t start = cf_u2(&c->r), end = cf_u2(&c->r), handler = cf_u2(&c->r);
        cf_check_optional_index(c, CF_TAG_CLASS);
        CF_TRY(c->error->status);
        if (start >= end || end > c->code_length || handler >= c->code_length)
            return cf_reject(c, offset, "exception table entry %u is out of the code", i);
        if (!(c->marks[start] & c->marks[end] & c->marks[handler] & CF_CHECK_START))
            return cf_reject(c, offset, "exception table entry %u is inside an instruction", i);
    }
    return c->error->status;
}

// Since version 51 every method is checked by its frames, unreachable code included. Before, code
// behind which nothing comes could stand at the end, if it was never reached.
static enum cf_status check_end(struct cf_checker *c, uint32_t last) {
    if (c->cls->major_version < 51 || cf_never_falls_through(c->code[last])) return CF_OK;
    return reject_at(c, last, "control falls off the end of the code", 0);
}

static enum cf_status check_arguments_fit(struct cf_checker *c, uint32_t offset) {
    unsigned slots = cf_facts(c, c->member->descriptor_index, CF_KNOWN_DESCRIPTOR)->slots;
    if (!(c->member->access_flags & CF_ACC_STATIC)) slots++;
    if (slots <= c->max_locals) return CF_OK;
    return cf_reject(c, offset, "max_locals %u is less than the arguments take", c->max_locals);
}

// Forms, places and room. The types have to exist; whether they are right the verifier says.
enum cf_status cf_check_stack_map_table(struct cf_checker *c) {
    struct cf_verify_failure failure;
    if (!c->verifier) c->verifier = cf_verifier_new(c->cls, NULL, NULL);
    if (!c->verifier) return cf_fail(c->error, CF_NO_MEMORY, 0, "out of memory", 0);
    enum cf_status status = cf_verify_frames(c->verifier, c->member, &failure);
    if (status != CF_OK)
        return cf_fail(c->error, status == CF_UNVERIFIABLE ? CF_MALFORMED : status, c->r.pos,
                       failure.error.reason, failure.error.value);
    c->r.pos = c->r.end;
    return CF_OK;
}

enum cf_status cf_check_code(struct cf_checker *c) {
    uint32_t offset = c->r.pos, last = 0;
    c->max_stack = cf_u2(&c->r);
    c->max_locals = cf_u2(&c->r);
    c->code_length = cf_u4(&c->r);
    c->code = c->r.bytes + c->r.pos;
    cf_skip(&c->r, c->code_length);
    CF_TRY(c->error->status);
    if (c->code_length == 0 || c->code_length > 65535)
        return cf_reject(c, offset + 4, "code_length %u", c->code_length);
    CF_TRY(check_arguments_fit(c, offset + 2));
    CF_TRY(check_instructions(c, &last));
    CF_TRY(check_end(c, last));
    CF_TRY(check_exception_table(c));
    uint32_t count = cf_u2(&c->r);
    CF_TRY(c->error->status);
    CF_TRY(cf_check_attributes(c, CF_IN_CODE, count));
    return cf_check_typed_variables(c);
}
