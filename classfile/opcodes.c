// The table of instructions, from opcodes.h, and the compact ones made of it.

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

// Later rows override earlier ones, as the ranges are written.
#define MAY CF_MAY_THROW
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif
const unsigned char cf_flags[256] = {
    [CF_OP_ldc ... CF_OP_ldc2_w] = MAY, // resolves
    [CF_OP_iaload ... CF_OP_saload] = MAY,
    [CF_OP_iastore ... CF_OP_sastore] = MAY,
    [CF_OP_idiv] = MAY,
    [CF_OP_ldiv] = MAY,
    [CF_OP_irem] = MAY,
    [CF_OP_lrem] = MAY,
    [CF_OP_ifeq ... CF_OP_if_acmpne] = CF_JUMPS,
    [CF_OP_goto] = CF_JUMPS | CF_ENDS,
    [CF_OP_jsr] = CF_LOOK | CF_ENDS,
    [CF_OP_ret] = CF_LOOK | CF_ENDS,
    [CF_OP_tableswitch ... CF_OP_lookupswitch] = CF_LOOK | CF_ENDS,
    [CF_OP_ireturn ... CF_OP_return] = CF_ENDS | CF_RETURNS,
    [CF_OP_getstatic ... CF_OP_multianewarray] = MAY,
    [CF_OP_athrow] = MAY | CF_ENDS,
    [CF_OP_wide] = CF_LOOK,
    [CF_OP_ifnull ... CF_OP_ifnonnull] = CF_JUMPS,
    [CF_OP_goto_w ... CF_OP_jsr_w] = CF_LOOK | CF_ENDS,
    [CF_OPCODE_COUNT ... 255] = CF_LOOK | CF_MAY_THROW,
};
#pragma GCC diagnostic pop
