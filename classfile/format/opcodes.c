// The table of instructions, from opcodes.h, and compact tables made from it.

#include "classfile/opcodes.h"

const struct cf_opcode_facts cf_opcodes[CF_OPCODE_COUNT] = {
#define CF_OPCODE_ROW(value, name, operands, length, pops, pushes, net)                            \
    [value] = {#name, pops, pushes, CF_##operands, length, net},
    CF_OPCODES(CF_OPCODE_ROW)
#undef CF_OPCODE_ROW
};

const unsigned char cf_lengths[256] = {
#define CF_OPCODE_ROW(value, name, operands, length, pops, pushes, net) [value] = length,
    CF_OPCODES(CF_OPCODE_ROW)
#undef CF_OPCODE_ROW
};

const signed char cf_nets[256] = {
#define CF_OPCODE_ROW(value, name, operands, length, pops, pushes, net) [value] = net,
    CF_OPCODES(CF_OPCODE_ROW)
#undef CF_OPCODE_ROW
};

#define WITHIN(op, first, last) ((op) >= CF_OP_##first && (op) <= CF_OP_##last)
#define ENDS(op)                                                                                   \
    (WITHIN(op, goto, return ) || (op) == CF_OP_athrow || WITHIN(op, goto_w, jsr_w) ? CF_ENDS : 0)
#define RETURNS(op) (WITHIN(op, ireturn, return ) ? CF_RETURNS : 0)
// Resolving a constant may throw, and so may a division by zero.
#define MAY_THROW(op)                                                                              \
    (WITHIN(op, ldc, ldc2_w) || WITHIN(op, iaload, saload) || WITHIN(op, iastore, sastore) ||      \
             WITHIN(op, idiv, ldiv) || WITHIN(op, irem, lrem) ||                                   \
             WITHIN(op, getstatic, monitorexit) || (op) == CF_OP_multianewarray                    \
         ? CF_MAY_THROW                                                                            \
         : 0)
#define LOOK(op)                                                                                   \
    (WITHIN(op, jsr, lookupswitch) || (op) == CF_OP_wide || WITHIN(op, goto_w, jsr_w) ? CF_LOOK : 0)
#define JUMPS(op) (WITHIN(op, ifeq, jsr) || WITHIN(op, ifnull, jsr_w) ? CF_JUMPS : 0)
#define FLAGS(op) (ENDS(op) | RETURNS(op) | MAY_THROW(op) | LOOK(op) | JUMPS(op))
#define NONE_KNOWN (CF_LOOK | CF_MAY_THROW)

const unsigned char cf_flags[256] = {
#define CF_OPCODE_ROW(value, name, operands, length, pops, pushes, net) [value] = FLAGS(value),
    CF_OPCODES(CF_OPCODE_ROW)
#undef CF_OPCODE_ROW
        [CF_OPCODE_COUNT... 255] = NONE_KNOWN,
};

const unsigned char cf_steps[256] = {
#define CF_OPCODE_ROW(value, name, operands, length, pops, pushes, net)                            \
    [value] = LOOK(value) ? 0 : length,
    CF_OPCODES(CF_OPCODE_ROW)
#undef CF_OPCODE_ROW
};

#define STACK(net)                                                                                 \
    ((net) == CF_EFFECT_VARIES ? 1ull << CF_SUM_VARIES : (unsigned long long)(net) << CF_SUM_NET)
#define SUM(op, net)                                                                               \
    ((RETURNS(op) | JUMPS(op) ? 1u : 0) | (MAY_THROW(op) ? 1u << CF_SUM_THROWS : 0) | STACK(net))

const unsigned long long cf_sums[256] = {
#define CF_OPCODE_ROW(value, name, operands, length, pops, pushes, net) [value] = SUM(value, net),
    CF_OPCODES(CF_OPCODE_ROW)
#undef CF_OPCODE_ROW
};
