// The instructions of the Java Virtual Machine (JVMS 6.5), one row each: the single truth from
// which enums, names, lengths and stack effects are generated.
//
//      value  mnemonic  operands  length  pops  pushes  net
//
// operands: the layout of what follows the opcode:
//      NONE            -
//      S1, S2          an immediate of 1 or 2 bytes, signed
//      CP1, CP2        a constant pool index of 1 or 2 bytes (a loadable constant)
//      LOCAL           a local variable index of 1 byte (2 after wide)
//      IINC            local variable index, signed increment (1 byte each; 2 each after wide)
//      BRANCH2/4       a signed branch offset, relative to the opcode
//      TABLESWITCH     0-3 bytes of padding, default, low, high, high-low+1 offsets
//      LOOKUPSWITCH    0-3 bytes of padding, default, npairs, npairs (match, offset) pairs
//      FIELD, INVOKE   a constant pool index of 2 bytes
//      INVOKEINTERFACE index, count, 0
//      INVOKEDYNAMIC   index, 0, 0
//      CLASS           the index of a CONSTANT_Class
//      ATYPE           the element type of newarray, 1 byte
//      WIDE            the widened opcode and its wide operands
//      MULTIANEWARRAY  the index of a CONSTANT_Class, dimensions
// length: in bytes with the opcode; 0 where it varies.
// pops, pushes: top of stack on the right; I F A one slot, J D two, 1 any single slot, * from the
// operand. net: the change of the stack's depth in slots.

#ifndef CF_OPCODES_H
#define CF_OPCODES_H

#include "classfile/decls.h"

CF_BEGIN_DECLS

#define CF_EFFECT_VARIES 127

// clang-format off
#define CF_OPCODES(OP) \
    OP(0x00, nop,            NONE,            1, "",     "",       0) \
    OP(0x01, aconst_null,    NONE,            1, "",     "A",      1) \
    OP(0x02, iconst_m1,      NONE,            1, "",     "I",      1) \
    OP(0x03, iconst_0,       NONE,            1, "",     "I",      1) \
    OP(0x04, iconst_1,       NONE,            1, "",     "I",      1) \
    OP(0x05, iconst_2,       NONE,            1, "",     "I",      1) \
    OP(0x06, iconst_3,       NONE,            1, "",     "I",      1) \
    OP(0x07, iconst_4,       NONE,            1, "",     "I",      1) \
    OP(0x08, iconst_5,       NONE,            1, "",     "I",      1) \
    OP(0x09, lconst_0,       NONE,            1, "",     "J",      2) \
    OP(0x0a, lconst_1,       NONE,            1, "",     "J",      2) \
    OP(0x0b, fconst_0,       NONE,            1, "",     "F",      1) \
    OP(0x0c, fconst_1,       NONE,            1, "",     "F",      1) \
    OP(0x0d, fconst_2,       NONE,            1, "",     "F",      1) \
    OP(0x0e, dconst_0,       NONE,            1, "",     "D",      2) \
    OP(0x0f, dconst_1,       NONE,            1, "",     "D",      2) \
    OP(0x10, bipush,         S1,              2, "",     "I",      1) \
    OP(0x11, sipush,         S2,              3, "",     "I",      1) \
    OP(0x12, ldc,            CP1,             2, "",     "*",      1) \
    OP(0x13, ldc_w,          CP2,             3, "",     "*",      1) \
    OP(0x14, ldc2_w,         CP2,             3, "",     "*",      2) \
    OP(0x15, iload,          LOCAL,           2, "",     "I",      1) \
    OP(0x16, lload,          LOCAL,           2, "",     "J",      2) \
    OP(0x17, fload,          LOCAL,           2, "",     "F",      1) \
    OP(0x18, dload,          LOCAL,           2, "",     "D",      2) \
    OP(0x19, aload,          LOCAL,           2, "",     "A",      1) \
    OP(0x1a, iload_0,        NONE,            1, "",     "I",      1) \
    OP(0x1b, iload_1,        NONE,            1, "",     "I",      1) \
    OP(0x1c, iload_2,        NONE,            1, "",     "I",      1) \
    OP(0x1d, iload_3,        NONE,            1, "",     "I",      1) \
    OP(0x1e, lload_0,        NONE,            1, "",     "J",      2) \
    OP(0x1f, lload_1,        NONE,            1, "",     "J",      2) \
    OP(0x20, lload_2,        NONE,            1, "",     "J",      2) \
    OP(0x21, lload_3,        NONE,            1, "",     "J",      2) \
    OP(0x22, fload_0,        NONE,            1, "",     "F",      1) \
    OP(0x23, fload_1,        NONE,            1, "",     "F",      1) \
    OP(0x24, fload_2,        NONE,            1, "",     "F",      1) \
    OP(0x25, fload_3,        NONE,            1, "",     "F",      1) \
    OP(0x26, dload_0,        NONE,            1, "",     "D",      2) \
    OP(0x27, dload_1,        NONE,            1, "",     "D",      2) \
    OP(0x28, dload_2,        NONE,            1, "",     "D",      2) \
    OP(0x29, dload_3,        NONE,            1, "",     "D",      2) \
    OP(0x2a, aload_0,        NONE,            1, "",     "A",      1) \
    OP(0x2b, aload_1,        NONE,            1, "",     "A",      1) \
    OP(0x2c, aload_2,        NONE,            1, "",     "A",      1) \
    OP(0x2d, aload_3,        NONE,            1, "",     "A",      1) \
    OP(0x2e, iaload,         NONE,            1, "AI",   "I",      -1) \
    OP(0x2f, laload,         NONE,            1, "AI",   "J",      0) \
    OP(0x30, faload,         NONE,            1, "AI",   "F",      -1) \
    OP(0x31, daload,         NONE,            1, "AI",   "D",      0) \
    OP(0x32, aaload,         NONE,            1, "AI",   "A",      -1) \
    OP(0x33, baload,         NONE,            1, "AI",   "I",      -1) \
    OP(0x34, caload,         NONE,            1, "AI",   "I",      -1) \
    OP(0x35, saload,         NONE,            1, "AI",   "I",      -1) \
    OP(0x36, istore,         LOCAL,           2, "I",    "",       -1) \
    OP(0x37, lstore,         LOCAL,           2, "J",    "",       -2) \
    OP(0x38, fstore,         LOCAL,           2, "F",    "",       -1) \
    OP(0x39, dstore,         LOCAL,           2, "D",    "",       -2) \
    OP(0x3a, astore,         LOCAL,           2, "A",    "",       -1) \
    OP(0x3b, istore_0,       NONE,            1, "I",    "",       -1) \
    OP(0x3c, istore_1,       NONE,            1, "I",    "",       -1) \
    OP(0x3d, istore_2,       NONE,            1, "I",    "",       -1) \
    OP(0x3e, istore_3,       NONE,            1, "I",    "",       -1) \
    OP(0x3f, lstore_0,       NONE,            1, "J",    "",       -2) \
    OP(0x40, lstore_1,       NONE,            1, "J",    "",       -2) \
    OP(0x41, lstore_2,       NONE,            1, "J",    "",       -2) \
    OP(0x42, lstore_3,       NONE,            1, "J",    "",       -2) \
    OP(0x43, fstore_0,       NONE,            1, "F",    "",       -1) \
    OP(0x44, fstore_1,       NONE,            1, "F",    "",       -1) \
    OP(0x45, fstore_2,       NONE,            1, "F",    "",       -1) \
    OP(0x46, fstore_3,       NONE,            1, "F",    "",       -1) \
    OP(0x47, dstore_0,       NONE,            1, "D",    "",       -2) \
    OP(0x48, dstore_1,       NONE,            1, "D",    "",       -2) \
    OP(0x49, dstore_2,       NONE,            1, "D",    "",       -2) \
    OP(0x4a, dstore_3,       NONE,            1, "D",    "",       -2) \
    OP(0x4b, astore_0,       NONE,            1, "A",    "",       -1) \
    OP(0x4c, astore_1,       NONE,            1, "A",    "",       -1) \
    OP(0x4d, astore_2,       NONE,            1, "A",    "",       -1) \
    OP(0x4e, astore_3,       NONE,            1, "A",    "",       -1) \
    OP(0x4f, iastore,        NONE,            1, "AII",  "",       -3) \
    OP(0x50, lastore,        NONE,            1, "AIJ",  "",       -4) \
    OP(0x51, fastore,        NONE,            1, "AIF",  "",       -3) \
    OP(0x52, dastore,        NONE,            1, "AID",  "",       -4) \
    OP(0x53, aastore,        NONE,            1, "AIA",  "",       -3) \
    OP(0x54, bastore,        NONE,            1, "AII",  "",       -3) \
    OP(0x55, castore,        NONE,            1, "AII",  "",       -3) \
    OP(0x56, sastore,        NONE,            1, "AII",  "",       -3) \
    OP(0x57, pop,            NONE,            1, "1",    "",       -1) \
    OP(0x58, pop2,           NONE,            1, "11",   "",       -2) \
    OP(0x59, dup,            NONE,            1, "1",    "11",     1) \
    OP(0x5a, dup_x1,         NONE,            1, "11",   "111",    1) \
    OP(0x5b, dup_x2,         NONE,            1, "111",  "1111",   1) \
    OP(0x5c, dup2,           NONE,            1, "11",   "1111",   2) \
    OP(0x5d, dup2_x1,        NONE,            1, "111",  "11111",  2) \
    OP(0x5e, dup2_x2,        NONE,            1, "1111", "111111", 2) \
    OP(0x5f, swap,           NONE,            1, "11",   "11",     0) \
    OP(0x60, iadd,           NONE,            1, "II",   "I",      -1) \
    OP(0x61, ladd,           NONE,            1, "JJ",   "J",      -2) \
    OP(0x62, fadd,           NONE,            1, "FF",   "F",      -1) \
    OP(0x63, dadd,           NONE,            1, "DD",   "D",      -2) \
    OP(0x64, isub,           NONE,            1, "II",   "I",      -1) \
    OP(0x65, lsub,           NONE,            1, "JJ",   "J",      -2) \
    OP(0x66, fsub,           NONE,            1, "FF",   "F",      -1) \
    OP(0x67, dsub,           NONE,            1, "DD",   "D",      -2) \
    OP(0x68, imul,           NONE,            1, "II",   "I",      -1) \
    OP(0x69, lmul,           NONE,            1, "JJ",   "J",      -2) \
    OP(0x6a, fmul,           NONE,            1, "FF",   "F",      -1) \
    OP(0x6b, dmul,           NONE,            1, "DD",   "D",      -2) \
    OP(0x6c, idiv,           NONE,            1, "II",   "I",      -1) \
    OP(0x6d, ldiv,           NONE,            1, "JJ",   "J",      -2) \
    OP(0x6e, fdiv,           NONE,            1, "FF",   "F",      -1) \
    OP(0x6f, ddiv,           NONE,            1, "DD",   "D",      -2) \
    OP(0x70, irem,           NONE,            1, "II",   "I",      -1) \
    OP(0x71, lrem,           NONE,            1, "JJ",   "J",      -2) \
    OP(0x72, frem,           NONE,            1, "FF",   "F",      -1) \
    OP(0x73, drem,           NONE,            1, "DD",   "D",      -2) \
    OP(0x74, ineg,           NONE,            1, "I",    "I",      0) \
    OP(0x75, lneg,           NONE,            1, "J",    "J",      0) \
    OP(0x76, fneg,           NONE,            1, "F",    "F",      0) \
    OP(0x77, dneg,           NONE,            1, "D",    "D",      0) \
    OP(0x78, ishl,           NONE,            1, "II",   "I",      -1) \
    OP(0x79, lshl,           NONE,            1, "JI",   "J",      -1) \
    OP(0x7a, ishr,           NONE,            1, "II",   "I",      -1) \
    OP(0x7b, lshr,           NONE,            1, "JI",   "J",      -1) \
    OP(0x7c, iushr,          NONE,            1, "II",   "I",      -1) \
    OP(0x7d, lushr,          NONE,            1, "JI",   "J",      -1) \
    OP(0x7e, iand,           NONE,            1, "II",   "I",      -1) \
    OP(0x7f, land,           NONE,            1, "JJ",   "J",      -2) \
    OP(0x80, ior,            NONE,            1, "II",   "I",      -1) \
    OP(0x81, lor,            NONE,            1, "JJ",   "J",      -2) \
    OP(0x82, ixor,           NONE,            1, "II",   "I",      -1) \
    OP(0x83, lxor,           NONE,            1, "JJ",   "J",      -2) \
    OP(0x84, iinc,           IINC,            3, "",     "",       0) \
    OP(0x85, i2l,            NONE,            1, "I",    "J",      1) \
    OP(0x86, i2f,            NONE,            1, "I",    "F",      0) \
    OP(0x87, i2d,            NONE,            1, "I",    "D",      1) \
    OP(0x88, l2i,            NONE,            1, "J",    "I",      -1) \
    OP(0x89, l2f,            NONE,            1, "J",    "F",      -1) \
    OP(0x8a, l2d,            NONE,            1, "J",    "D",      0) \
    OP(0x8b, f2i,            NONE,            1, "F",    "I",      0) \
    OP(0x8c, f2l,            NONE,            1, "F",    "J",      1) \
    OP(0x8d, f2d,            NONE,            1, "F",    "D",      1) \
    OP(0x8e, d2i,            NONE,            1, "D",    "I",      -1) \
    OP(0x8f, d2l,            NONE,            1, "D",    "J",      0) \
    OP(0x90, d2f,            NONE,            1, "D",    "F",      -1) \
    OP(0x91, i2b,            NONE,            1, "I",    "I",      0) \
    OP(0x92, i2c,            NONE,            1, "I",    "I",      0) \
    OP(0x93, i2s,            NONE,            1, "I",    "I",      0) \
    OP(0x94, lcmp,           NONE,            1, "JJ",   "I",      -3) \
    OP(0x95, fcmpl,          NONE,            1, "FF",   "I",      -1) \
    OP(0x96, fcmpg,          NONE,            1, "FF",   "I",      -1) \
    OP(0x97, dcmpl,          NONE,            1, "DD",   "I",      -3) \
    OP(0x98, dcmpg,          NONE,            1, "DD",   "I",      -3) \
    OP(0x99, ifeq,           BRANCH2,         3, "I",    "",       -1) \
    OP(0x9a, ifne,           BRANCH2,         3, "I",    "",       -1) \
    OP(0x9b, iflt,           BRANCH2,         3, "I",    "",       -1) \
    OP(0x9c, ifge,           BRANCH2,         3, "I",    "",       -1) \
    OP(0x9d, ifgt,           BRANCH2,         3, "I",    "",       -1) \
    OP(0x9e, ifle,           BRANCH2,         3, "I",    "",       -1) \
    OP(0x9f, if_icmpeq,      BRANCH2,         3, "II",   "",       -2) \
    OP(0xa0, if_icmpne,      BRANCH2,         3, "II",   "",       -2) \
    OP(0xa1, if_icmplt,      BRANCH2,         3, "II",   "",       -2) \
    OP(0xa2, if_icmpge,      BRANCH2,         3, "II",   "",       -2) \
    OP(0xa3, if_icmpgt,      BRANCH2,         3, "II",   "",       -2) \
    OP(0xa4, if_icmple,      BRANCH2,         3, "II",   "",       -2) \
    OP(0xa5, if_acmpeq,      BRANCH2,         3, "AA",   "",       -2) \
    OP(0xa6, if_acmpne,      BRANCH2,         3, "AA",   "",       -2) \
    OP(0xa7, goto,           BRANCH2,         3, "",     "",       0) \
    OP(0xa8, jsr,            BRANCH2,         3, "",     "1",      1) \
    OP(0xa9, ret,            LOCAL,           2, "",     "",       0) \
    OP(0xaa, tableswitch,    TABLESWITCH,     0, "I",    "",       -1) \
    OP(0xab, lookupswitch,   LOOKUPSWITCH,    0, "I",    "",       -1) \
    OP(0xac, ireturn,        NONE,            1, "I",    "",       -1) \
    OP(0xad, lreturn,        NONE,            1, "J",    "",       -2) \
    OP(0xae, freturn,        NONE,            1, "F",    "",       -1) \
    OP(0xaf, dreturn,        NONE,            1, "D",    "",       -2) \
    OP(0xb0, areturn,        NONE,            1, "A",    "",       -1) \
    OP(0xb1, return,         NONE,            1, "",     "",       0) \
    OP(0xb2, getstatic,      FIELD,           3, "",     "*",      CF_EFFECT_VARIES) \
    OP(0xb3, putstatic,      FIELD,           3, "*",    "",       CF_EFFECT_VARIES) \
    OP(0xb4, getfield,       FIELD,           3, "A*",   "*",      CF_EFFECT_VARIES) \
    OP(0xb5, putfield,       FIELD,           3, "A*",   "",       CF_EFFECT_VARIES) \
    OP(0xb6, invokevirtual,  INVOKE,          3, "*",    "*",      CF_EFFECT_VARIES) \
    OP(0xb7, invokespecial,  INVOKE,          3, "*",    "*",      CF_EFFECT_VARIES) \
    OP(0xb8, invokestatic,   INVOKE,          3, "*",    "*",      CF_EFFECT_VARIES) \
    OP(0xb9, invokeinterface,INVOKEINTERFACE, 5, "*",    "*",      CF_EFFECT_VARIES) \
    OP(0xba, invokedynamic,  INVOKEDYNAMIC,   5, "*",    "*",      CF_EFFECT_VARIES) \
    OP(0xbb, new,            CLASS,           3, "",     "A",      1) \
    OP(0xbc, newarray,       ATYPE,           2, "I",    "A",      0) \
    OP(0xbd, anewarray,      CLASS,           3, "I",    "A",      0) \
    OP(0xbe, arraylength,    NONE,            1, "A",    "I",      0) \
    OP(0xbf, athrow,         NONE,            1, "A",    "",       -1) \
    OP(0xc0, checkcast,      CLASS,           3, "A",    "A",      0) \
    OP(0xc1, instanceof,     CLASS,           3, "A",    "I",      0) \
    OP(0xc2, monitorenter,   NONE,            1, "A",    "",       -1) \
    OP(0xc3, monitorexit,    NONE,            1, "A",    "",       -1) \
    OP(0xc4, wide,           WIDE,            0, "",     "",       CF_EFFECT_VARIES) \
    OP(0xc5, multianewarray, MULTIANEWARRAY,  4, "*",    "A",      CF_EFFECT_VARIES) \
    OP(0xc6, ifnull,         BRANCH2,         3, "A",    "",       -1) \
    OP(0xc7, ifnonnull,      BRANCH2,         3, "A",    "",       -1) \
    OP(0xc8, goto_w,         BRANCH4,         5, "",     "",       0) \
    OP(0xc9, jsr_w,          BRANCH4,         5, "",     "1",      1)
// clang-format on

enum cf_operands {
    CF_NONE,
    CF_S1,
    CF_S2,
    CF_CP1,
    CF_CP2,
    CF_LOCAL,
    CF_IINC,
    CF_BRANCH2,
    CF_BRANCH4,
    CF_TABLESWITCH,
    CF_LOOKUPSWITCH,
    CF_FIELD,
    CF_INVOKE,
    CF_INVOKEINTERFACE,
    CF_INVOKEDYNAMIC,
    CF_CLASS,
    CF_ATYPE,
    CF_WIDE,
    CF_MULTIANEWARRAY
};

enum cf_opcode {
#define CF_OPCODE_ENUM(value, name, operands, length, pops, pushes, net) CF_OP_##name = value,
    CF_OPCODES(CF_OPCODE_ENUM)
#undef CF_OPCODE_ENUM
        CF_OPCODE_COUNT
};

struct cf_opcode_facts {
    const char *name;
    const char *pops;
    const char *pushes;
    unsigned char operands; // enum cf_operands
    unsigned char length;   // 0: varies
    signed char net;        // CF_EFFECT_VARIES: see the operand
};

// Indexed by opcode, CF_OPCODE_COUNT rows.
extern const struct cf_opcode_facts cf_opcodes[];

// The same for loops over code, a byte each, for all 256 values.
enum {
    CF_ENDS = 1,      // control never falls through (jsr counts: what follows is reached by ret)
    CF_RETURNS = 2,   // xreturn
    CF_MAY_THROW = 4, // anything but constants, locals, arithmetic without division, jumps
    CF_LOOK = 8,      // length varies, a branch of another kind than the next, or not known
    CF_JUMPS = 16     // a branch with one target
};
extern const unsigned char cf_flags[256];
extern const unsigned char cf_lengths[256]; // 0: varies, or not known
extern const unsigned char cf_steps[256];   // the same, and 0 where CF_LOOK
extern const signed char cf_nets[256];
// What a walk over code adds up in one number, 16 bits each: whether an instruction gets into a
// list, for it returns or jumps; whether it may throw; whether what it does to the stack depends on
// its operand; and else, modulo 2^16, the change of the stack's depth.
#define CF_SUM_THROWS 16
#define CF_SUM_VARIES 32
#define CF_SUM_NET 48
extern const unsigned long long cf_sums[256];

CF_END_DECLS

#endif
