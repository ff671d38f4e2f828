// The table of instructions, from opcodes.h.

#include "classfile/opcodes.h"

const struct cf_opcode_facts cf_opcodes[CF_OPCODE_COUNT] = {
#define CF_OPCODE_ROW(value, name, operands, length, pops, pushes, net)                            \
    [value] = {#name, pops, pushes, CF_##operands, length, net},
    CF_OPCODES(CF_OPCODE_ROW)
#undef CF_OPCODE_ROW
};
