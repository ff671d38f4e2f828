// A decoded Code attribute (JVMS 4.7.3): where its parts are, and where its instructions begin.
//
// Opening finds the parts. Scanning walks the instructions once and checks what the rewriter relies
// on: opcodes are known, operands are complete, and every branch, handler and table entry is at the
// start of an instruction.

#ifndef CF_CODE_H
#define CF_CODE_H

#include "classfile/classfile.h"
#include "classfile/decls.h"
#include "classfile/opcodes.h"

CF_BEGIN_DECLS

// Marks of a pc.
enum {
    CF_MARK_START = 1,   // an instruction begins here
    CF_MARK_TARGET = 2,  // a branch, a switch or an exception handler leads here
    CF_MARK_FRAME = 4,   // a stack map frame stands here
    CF_MARK_EDIT = 8,    // an edit is anchored here
    CF_MARK_JOINED = 16, // a snippet branches here
    CF_MARK_SPLIT = 32   // fall-through arrives at a snippet that jumps do not reach
};

struct cf_branch { // a branch instruction with one target (not a switch)
    uint16_t pc, target;
};

struct cf_code {
    const struct cf_class *cls;
    const struct cf_member *method;
    uint16_t max_stack, max_locals;
    uint32_t offset; // of the code array in the class file
    uint32_t length; // code_length
    const uint8_t *bytes;
    uint16_t exception_table_length, attributes_count;
    uint32_t exception_table; // offset of the first entry
    uint32_t attributes;      // offset of the first attribute_info
    uint32_t end;             // one past the Code attribute
    // Offsets of the info of these attributes and their lengths; 0: absent.
    uint32_t stack_map_table, stack_map_table_length;
    uint32_t local_variable_table, local_variable_table_length;
    // It has others than one of each of these, LineNumberTable and LocalVariableTypeTable; or they
    // are not known by their index yet (cf_note_attribute).
    int has_others;

    // After cf_code_scan; all in the class's arena.
    uint32_t count; // of instructions
    uint16_t *pc;   // pc[0] .. pc[count-1], and pc[count] == length
    uint8_t *marks; // length + 1 of them
    struct cf_branch *branches;
    uint32_t branches_count;
    uint16_t *switches; // pcs
    uint32_t switches_count;
    uint16_t *returns; // pcs of the xreturn instructions
    uint32_t returns_count;
    // By pc, sums over all instructions before it in code order. The upper half is the change of
    // the stack's depth modulo 2^16, without instructions whose effect depends on their operand.
    // The lower half is the number of those; their pcs are in `varying`.
    uint32_t *changes;
    uint16_t *varying;
    int has_jsr;   // jsr, jsr_w or ret occurs
    int may_throw; // an instruction that may throw occurs
};

// Finds the parts of the method's Code attribute (method->code must not be 0).
enum cf_status cf_code_open(struct cf_code *code, const struct cf_class *cls,
                            const struct cf_member *method, struct cf_error *error);
enum cf_status cf_code_scan(struct cf_code *code, struct cf_error *error);
// Scans several methods, those without an error; faster than one by one.
void cf_code_scan_all(struct cf_code *const *codes, struct cf_error *const *errors, uint32_t count);

// Remembers the constant index of a frequent attribute name, or those of all attributes of the
// method, so that they are recognized by index in the other methods of the class.
void cf_note_attribute(struct cf_class *cls, unsigned name_index);
void cf_note_attributes(struct cf_class *cls, const struct cf_member *method);

// The index of the instruction at `pc`; for a pc within an instruction, the index of that one.
// After cf_code_scan.
uint32_t cf_code_index(const struct cf_code *code, uint32_t pc);

// Is it a constructor with an uninitialized `this`? That is every one but that of java.lang.Object.
static inline int cf_is_constructor(const struct cf_class *cls, const struct cf_member *method) {
    struct cf_slice name = cf_member_name(cls, method);
    return CF_IS(name, "<init>") && !CF_IS(cf_this_name(cls), "java/lang/Object");
}

// The length of the instruction at `pc`; 0: unknown or incomplete.
uint32_t cf_instruction_length(const uint8_t *code, uint32_t pc, uint32_t length);
// The target of the branch or jsr at `pc`; it may be anywhere.
static inline uint32_t cf_branch_target(const uint8_t *code, uint32_t pc) {
    const uint8_t *p = code + pc;
    int32_t offset = p[0] >= CF_OP_goto_w ? (int32_t)cf_be4(p + 1) : (int16_t)cf_be2(p + 1);
    return pc + (uint32_t)offset;
}
// The index of the constant that the instruction at `p`, which is whole, names; 0: it names none.
uint16_t cf_constant_operand(const uint8_t *p);
// How many local variables there must be for the instruction at `p`; 0: it names none.
uint32_t cf_locals_needed(const uint8_t *p);

// An entry of the exception table.
struct cf_exception {
    uint32_t start_pc, end_pc, handler_pc, catch_type;
};
static inline struct cf_exception cf_exception_at(const struct cf_code *code, uint32_t i) {
    const uint8_t *p = code->cls->bytes + code->exception_table + 8 * i;
    struct cf_exception e = {cf_be2(p), cf_be2(p + 2), cf_be2(p + 4), cf_be2(p + 6)};
    return e;
}

// A tableswitch or lookupswitch; to be opened only after scanning has checked it.
struct cf_switch {
    uint32_t pc, length;  // of the whole instruction
    uint32_t default_pc;  // target
    uint32_t count;       // of cases
    int32_t low;          // tableswitch: the first case
    const uint8_t *cases; // 4 bytes a case (offset), or 8 (match, offset)
    int is_table;
};
void cf_switch_open(const struct cf_code *code, uint32_t pc, struct cf_switch *sw);
uint32_t cf_switch_target(const struct cf_switch *sw, uint32_t i);
int32_t cf_switch_match(const struct cf_switch *sw, uint32_t i);

// Does control never fall through: is it goto, goto_w, a switch, xreturn, athrow, jsr or ret? (The
// code behind a jsr is reached by ret.)
static inline int cf_never_falls_through(unsigned opcode) {
    return cf_flags[opcode] & CF_ENDS;
}
static inline int cf_is_return(unsigned opcode) {
    return cf_flags[opcode] & CF_RETURNS;
}
// The slots of the value that an xreturn takes from the stack.
unsigned cf_return_slots(unsigned opcode);

CF_END_DECLS

#endif
