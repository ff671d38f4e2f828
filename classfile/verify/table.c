// The verifier's table of instructions.

#include "classfile/verify/internal.h"

#define ANY 0
#define REFERENCE 0x20 // what is common to the tags from CF_V_UNINITIALIZED on
#define MASK(tag) ((tag) == REFERENCE ? REFERENCE : (tag) == ANY ? 0 : 0xFFu)
#define NEED(a, b, local) ((local) | (a) << 8 | (b) << 16)
#define AT(n) (uint32_t)(n) << 24
#define NEEDED(a, b, at, local)                                                                    \
    .needed = NEED(a, b, local), .mask = NEED(MASK(a), MASK(b), MASK(local)) | AT(at)
#define INT CF_V_INT
#define FLOAT CF_V_FLOAT
#define LONG CF_V_LONG_2 // as the top of the stack
#define DOUBLE CF_V_DOUBLE_2
#define CONSTANT(tag) (-1 - (tag)) // in front of the locals

#define PUSHES(n, type, after, slots)                                                              \
    { .kind = CF_V_PUSH, .length = n, .from = CONSTANT(type), .second = after, .net = slots }
#define PUSH_INT(n) PUSHES(n, CF_V_INT, 0, 1)
#define PUSH_LONG PUSHES(1, CF_V_LONG, LONG, 2)
#define PUSH_FLOAT PUSHES(1, CF_V_FLOAT, 0, 1)
#define PUSH_DOUBLE PUSHES(1, CF_V_DOUBLE, DOUBLE, 2)
#define LOADS(n, type, after, index, mask_)                                                        \
    {                                                                                              \
        NEEDED(ANY, ANY, 0, type), .kind = CF_V_LOAD, .length = n, .from = index,                  \
                                   .operand = mask_, .second = after, .net = (after) ? 2 : 1       \
    }
#define LOAD(op, type, after)                                                                      \
    [CF_OP_##op] = LOADS(2, type, after, 0, 0xFF), [CF_OP_##op##_0] = LOADS(1, type, after, 0, 0), \
    [CF_OP_##op##_1] = LOADS(1, type, after, 1, 0),                                                \
    [CF_OP_##op##_2] = LOADS(1, type, after, 2, 0), [CF_OP_##op##_3] = LOADS(1, type, after, 3, 0)
// The order of the types of loads and stores comes second.
#define STORES(n, top, order, index, mask_)                                                        \
    {                                                                                              \
        .needed = top, .mask = MASK(top), .kind = CF_V_STORE, .length = n, .from = index,          \
        .operand = mask_, .second = order, .under = (order)&1 ? -2 : -1                            \
    }
#define STORE_OF(op, top, order)                                                                   \
    [CF_OP_##op] = STORES(2, top, order, 0, 0xFF), [CF_OP_##op##_0] = STORES(1, top, order, 0, 0), \
    [CF_OP_##op##_1] = STORES(1, top, order, 1, 0),                                                \
    [CF_OP_##op##_2] = STORES(1, top, order, 2, 0), [CF_OP_##op##_3] = STORES(1, top, order, 3, 0)
// `b` lies `at` slots below the top, `taken` slots go, and `type`, of `put` slots, comes.
#define TAKES(a, b, at, taken, type, after, put)                                                   \
    {                                                                                              \
        NEEDED(a, b, at, ANY), .kind = CF_V_STEP, .length = 1, .from = CONSTANT(type),             \
                               .second = after, .under = -(taken), .net = (put) - (taken)          \
    }
#define TO_INT(a, b, at, taken) TAKES(a, b, at, taken, CF_V_INT, 0, 1)
#define TO_FLOAT(a, b, at, taken) TAKES(a, b, at, taken, CF_V_FLOAT, 0, 1)
#define TO_LONG(a, b, at, taken) TAKES(a, b, at, taken, CF_V_LONG, LONG, 2)
#define TO_DOUBLE(a, b, at, taken) TAKES(a, b, at, taken, CF_V_DOUBLE, DOUBLE, 2)
#define II TO_INT(INT, INT, 2, 2)
#define FF TO_FLOAT(FLOAT, FLOAT, 2, 2)
#define JJ TO_LONG(LONG, LONG, 3, 4)
#define DD TO_DOUBLE(DOUBLE, DOUBLE, 3, 4)
#define JI TO_LONG(INT, LONG, 2, 3)
// Control may go elsewhere.
#define FLOW(kind_, n, a, b, taken)                                                                \
    {                                                                                              \
        NEEDED(a, b, 2, ANY), .kind = CF_V_##kind_, .length = n, .from = CONSTANT(CF_V_TOP),       \
                              .under = -(taken), .net = -(taken)                                   \
    }
#define IF_I FLOW(BRANCH, 3, INT, ANY, 1)
#define IF_II FLOW(BRANCH, 3, INT, INT, 2)
// cf_v_check_return checks the operand.
#define ENDS(kind_, type)                                                                          \
    { .kind = CF_V_##kind_, .length = 1, .from = CONSTANT(CF_V_TOP), .second = type }
#define OWN(kind_, n)                                                                              \
    { .kind = CF_V_##kind_, .length = n }

#define COPIES(count, under_)                                                                      \
    { .kind = CF_V_COPY, .length = 1, .operand = count, .second = under_ }
#define USES(kind_, n, object, arguments, result)                                                  \
    { .kind = CF_V_##kind_, .length = n, .under = object, .operand = arguments, .second = result }

// clang-format off
const struct cf_vrow cf_v_rows[256] = {
    [CF_OP_nop] = PUSHES(1, CF_V_TOP, 0, 0),
    [CF_OP_aconst_null] = PUSHES(1, CF_V_NULL_SLOT, 0, 1),
    [CF_OP_iconst_m1] = PUSH_INT(1), [CF_OP_iconst_0] = PUSH_INT(1), [CF_OP_iconst_1] = PUSH_INT(1),
    [CF_OP_iconst_2] = PUSH_INT(1), [CF_OP_iconst_3] = PUSH_INT(1), [CF_OP_iconst_4] = PUSH_INT(1),
    [CF_OP_iconst_5] = PUSH_INT(1), [CF_OP_bipush] = PUSH_INT(2), [CF_OP_sipush] = PUSH_INT(3),
    [CF_OP_lconst_0] = PUSH_LONG, [CF_OP_lconst_1] = PUSH_LONG,
    [CF_OP_fconst_0] = PUSH_FLOAT, [CF_OP_fconst_1] = PUSH_FLOAT, [CF_OP_fconst_2] = PUSH_FLOAT,
    [CF_OP_dconst_0] = PUSH_DOUBLE, [CF_OP_dconst_1] = PUSH_DOUBLE,
    [CF_OP_ldc] = OWN(LDC, 2), [CF_OP_ldc_w] = OWN(LDC, 3), [CF_OP_ldc2_w] = OWN(LDC, 3),

    LOAD(iload, CF_V_INT, 0), LOAD(lload, CF_V_LONG, LONG), LOAD(fload, CF_V_FLOAT, 0),
    LOAD(dload, CF_V_DOUBLE, DOUBLE), LOAD(aload, REFERENCE, 0),
    STORE_OF(istore, INT, 0), STORE_OF(lstore, LONG, 1), STORE_OF(fstore, FLOAT, 2),
    STORE_OF(dstore, DOUBLE, 3), STORE_OF(astore, REFERENCE, 4),
    [CF_OP_iinc] = {NEEDED(ANY, ANY, 0, CF_V_INT), .kind = CF_V_LOAD, .length = 3, .operand = 0xFF},

    [CF_OP_iaload] = OWN(ARRAY_LOAD, 1), [CF_OP_laload] = OWN(ARRAY_LOAD, 1),
    [CF_OP_faload] = OWN(ARRAY_LOAD, 1), [CF_OP_daload] = OWN(ARRAY_LOAD, 1),
    [CF_OP_baload] = OWN(ARRAY_LOAD, 1), [CF_OP_caload] = OWN(ARRAY_LOAD, 1),
    [CF_OP_saload] = OWN(ARRAY_LOAD, 1), [CF_OP_aaload] = OWN(REFERENCE_LOAD, 1),
    [CF_OP_iastore] = OWN(ARRAY_STORE, 1), [CF_OP_lastore] = OWN(ARRAY_STORE, 1),
    [CF_OP_fastore] = OWN(ARRAY_STORE, 1), [CF_OP_dastore] = OWN(ARRAY_STORE, 1),
    [CF_OP_bastore] = OWN(ARRAY_STORE, 1), [CF_OP_castore] = OWN(ARRAY_STORE, 1),
    [CF_OP_sastore] = OWN(ARRAY_STORE, 1), [CF_OP_aastore] = OWN(REFERENCE_STORE, 1),

    [CF_OP_pop] = OWN(POP, 1), [CF_OP_pop2] = OWN(POP2, 1), [CF_OP_dup] = OWN(DUP, 1),
    [CF_OP_dup_x1] = COPIES(1, 1), [CF_OP_dup_x2] = COPIES(1, 2), [CF_OP_dup2] = COPIES(2, 0),
    [CF_OP_dup2_x1] = COPIES(2, 1), [CF_OP_dup2_x2] = COPIES(2, 2), [CF_OP_swap] = OWN(SWAP, 1),
    [CF_OP_wide] = OWN(WIDE, 0),

    [CF_OP_iadd] = II, [CF_OP_isub] = II, [CF_OP_imul] = II, [CF_OP_idiv] = II, [CF_OP_irem] = II,
    [CF_OP_ishl] = II, [CF_OP_ishr] = II, [CF_OP_iushr] = II, [CF_OP_iand] = II, [CF_OP_ior] = II,
    [CF_OP_ixor] = II,
    [CF_OP_ladd] = JJ, [CF_OP_lsub] = JJ, [CF_OP_lmul] = JJ, [CF_OP_ldiv] = JJ, [CF_OP_lrem] = JJ,
    [CF_OP_land] = JJ, [CF_OP_lor] = JJ, [CF_OP_lxor] = JJ,
    [CF_OP_fadd] = FF, [CF_OP_fsub] = FF, [CF_OP_fmul] = FF, [CF_OP_fdiv] = FF, [CF_OP_frem] = FF,
    [CF_OP_dadd] = DD, [CF_OP_dsub] = DD, [CF_OP_dmul] = DD, [CF_OP_ddiv] = DD, [CF_OP_drem] = DD,
    [CF_OP_lshl] = JI, [CF_OP_lshr] = JI, [CF_OP_lushr] = JI,
    [CF_OP_ineg] = TO_INT(INT, ANY, 1, 1), [CF_OP_i2b] = TO_INT(INT, ANY, 1, 1),
    [CF_OP_i2c] = TO_INT(INT, ANY, 1, 1), [CF_OP_i2s] = TO_INT(INT, ANY, 1, 1),
    [CF_OP_lneg] = TO_LONG(LONG, ANY, 1, 2), [CF_OP_fneg] = TO_FLOAT(FLOAT, ANY, 1, 1),
    [CF_OP_dneg] = TO_DOUBLE(DOUBLE, ANY, 1, 2),
    [CF_OP_i2l] = TO_LONG(INT, ANY, 1, 1), [CF_OP_i2f] = TO_FLOAT(INT, ANY, 1, 1),
    [CF_OP_i2d] = TO_DOUBLE(INT, ANY, 1, 1),
    [CF_OP_l2i] = TO_INT(LONG, ANY, 1, 2), [CF_OP_l2f] = TO_FLOAT(LONG, ANY, 1, 2),
    [CF_OP_l2d] = TO_DOUBLE(LONG, ANY, 1, 2),
    [CF_OP_f2i] = TO_INT(FLOAT, ANY, 1, 1), [CF_OP_f2l] = TO_LONG(FLOAT, ANY, 1, 1),
    [CF_OP_f2d] = TO_DOUBLE(FLOAT, ANY, 1, 1),
    [CF_OP_d2i] = TO_INT(DOUBLE, ANY, 1, 2), [CF_OP_d2l] = TO_LONG(DOUBLE, ANY, 1, 2),
    [CF_OP_d2f] = TO_FLOAT(DOUBLE, ANY, 1, 2),
    [CF_OP_lcmp] = TO_INT(LONG, LONG, 3, 4),
    [CF_OP_fcmpl] = TO_INT(FLOAT, FLOAT, 2, 2), [CF_OP_fcmpg] = TO_INT(FLOAT, FLOAT, 2, 2),
    [CF_OP_dcmpl] = TO_INT(DOUBLE, DOUBLE, 3, 4), [CF_OP_dcmpg] = TO_INT(DOUBLE, DOUBLE, 3, 4),

    [CF_OP_ifeq] = IF_I, [CF_OP_ifne] = IF_I, [CF_OP_iflt] = IF_I, [CF_OP_ifge] = IF_I,
    [CF_OP_ifgt] = IF_I, [CF_OP_ifle] = IF_I,
    [CF_OP_if_icmpeq] = IF_II, [CF_OP_if_icmpne] = IF_II, [CF_OP_if_icmplt] = IF_II,
    [CF_OP_if_icmpge] = IF_II, [CF_OP_if_icmpgt] = IF_II, [CF_OP_if_icmple] = IF_II,
    [CF_OP_if_acmpeq] = FLOW(BRANCH, 3, REFERENCE, REFERENCE, 2),
    [CF_OP_if_acmpne] = FLOW(BRANCH, 3, REFERENCE, REFERENCE, 2),
    [CF_OP_ifnull] = FLOW(BRANCH, 3, REFERENCE, ANY, 1),
    [CF_OP_ifnonnull] = FLOW(BRANCH, 3, REFERENCE, ANY, 1),
    [CF_OP_goto] = FLOW(GOTO, 3, ANY, ANY, 0), [CF_OP_goto_w] = FLOW(GOTO, 5, ANY, ANY, 0),
    [CF_OP_tableswitch] = FLOW(SWITCH, 0, INT, ANY, 1),
    [CF_OP_lookupswitch] = FLOW(SWITCH, 0, INT, ANY, 1),
    [CF_OP_jsr] = FLOW(SUBROUTINE, 3, ANY, ANY, 0), [CF_OP_jsr_w] = FLOW(SUBROUTINE, 5, ANY, ANY, 0),
    [CF_OP_ret] = FLOW(SUBROUTINE, 2, ANY, ANY, 0),
    [CF_OP_ireturn] = ENDS(RETURN_VALUE, CF_V_INT), [CF_OP_lreturn] = ENDS(RETURN_VALUE, CF_V_LONG),
    [CF_OP_freturn] = ENDS(RETURN_VALUE, CF_V_FLOAT), [CF_OP_dreturn] = ENDS(RETURN_VALUE, CF_V_DOUBLE),
    [CF_OP_areturn] = ENDS(RETURN_REFERENCE, 0), [CF_OP_return] = ENDS(RETURN, 0),
    [CF_OP_athrow] = ENDS(THROW, 0),

    [CF_OP_getstatic] = USES(MEMBER, 3, 0, 0, 3), [CF_OP_putstatic] = USES(MEMBER, 3, 0, 0xFF, 0),
    [CF_OP_getfield] = USES(MEMBER, 3, -1, 0, 3), [CF_OP_putfield] = USES(PUT_FIELD, 3, -1, 0xFF, 0),
    [CF_OP_invokevirtual] = USES(MEMBER, 3, -1, 0xFF, 3),
    [CF_OP_invokespecial] = USES(INVOKE_SPECIAL, 3, -1, 0xFF, 3),
    [CF_OP_invokestatic] = USES(MEMBER, 3, 0, 0xFF, 3),
    [CF_OP_invokeinterface] = USES(MEMBER, 5, -1, 0xFF, 3),
    [CF_OP_invokedynamic] = USES(MEMBER, 5, 0, 0xFF, 3),
    [CF_OP_new] = OWN(NEW, 3), [CF_OP_newarray] = OWN(NEW_ARRAY, 2),
    [CF_OP_anewarray] = OWN(NEW_REFERENCES, 3), [CF_OP_arraylength] = OWN(ARRAY_LENGTH, 1),
    [CF_OP_multianewarray] = OWN(NEW_ARRAYS, 4),
    [CF_OP_checkcast] = OWN(CHECK_CAST, 3), [CF_OP_instanceof] = OWN(CHECK_CAST, 3),
    [CF_OP_monitorenter] = FLOW(STEP, 1, REFERENCE, ANY, 1),
    [CF_OP_monitorexit] = FLOW(STEP, 1, REFERENCE, ANY, 1),
};
// clang-format on
