// The verifier's instructions (JVMS 4.10.1.9): what each takes from the operand stack and the
// locals, and what it puts there. The same for both ways of verification; where control goes is
// theirs.

#include "classfile/verify/internal.h"

// --- the operand stack ---

static enum cf_vflow bad_stack(struct cf_verifier *v, const cf_vtype *top, cf_vtype needed) {
    if (CF_V_TAG(top[-1]) == CF_V_NOTHING)
        cf_v_fail(v, "operand stack is empty", 0);
    else
        cf_v_mismatch(v, "operand stack", top[-1], needed);
    return CF_FLOW_FAILED;
}

static enum cf_vflow bad_top(struct cf_verifier *v, const cf_vtype *top, const char *needed) {
    if (CF_V_TAG(top[-1]) == CF_V_NOTHING)
        cf_v_fail(v, "operand stack is empty", 0);
    else
        cf_v_mismatch(v, needed, top[-1], CF_V_NOTHING);
    return CF_FLOW_FAILED;
}

// Values of two slots, or parts of them.
static enum cf_vflow bad_sizes(struct cf_verifier *v, const cf_vtype *top) {
    return bad_top(v, top, "operand stack does not hold values of the sizes that are moved");
}

int cf_v_pop_slow(struct cf_verifier *v, cf_vtype type) {
    if (CF_V_TAG(v->top[-1]) == CF_V_NOTHING || !cf_v_assignable(v, v->top[-1], type))
        return bad_stack(v, v->top, type), 0;
    v->top--;
    return 1;
}

// What inference takes for a reference everywhere but in loads, stores and tests for null is
// initialised.
static inline int is_comparable(const struct cf_verifier *v, cf_vtype t) {
    return CF_V_TAG(t) >= (v->inferring ? CF_V_NULL : CF_V_UNINITIALIZED);
}
static inline int is_reference_check(cf_vtype t) {
    return CF_V_TAG(t) >= CF_V_UNINITIALIZED;
}

// An array of one of two primitives, or null.
static inline int is_array_of(const struct cf_verifier *v, cf_vtype t, uint8_t a, uint8_t b) {
    if (CF_V_TAG(t) != CF_V_ARRAY) return t == CF_V_NULL;
    const struct cf_vtype_entry *e = &v->types[CF_V_PAYLOAD(t)];
    return e->dimensions == 1 && (e->element == a || e->element == b);
}
static inline int is_array_of_references(const struct cf_verifier *v, cf_vtype t) {
    if (CF_V_TAG(t) != CF_V_ARRAY) return t == CF_V_NULL;
    const struct cf_vtype_entry *e = &v->types[CF_V_PAYLOAD(t)];
    return e->dimensions > 1 || !e->element;
}

// Is the stack, which is higher than instructions of the original may make it, too high?
static int passes_max_stack(struct cf_verifier *v, const cf_vtype *top) {
    uint32_t most = cf_v_is_new(v) ? v->code.max_stack : v->old_stack;
    if ((uint32_t)(top - v->stack) - CF_V_SLACK <= most) return 0;
    cf_v_fail(v, "operand stack passes max_stack %u", most);
    return 1;
}

// --- locals ---

static enum cf_vflow bad_local(struct cf_verifier *v, uint32_t index, cf_vtype needed) {
    if (!cf_v_is_local(v, index)) {
        cf_v_fail(v, "local variable %u is above max_locals", index);
    } else {
        int reference = needed == CF_V_NULL;
        cf_v_mismatch(v, reference ? "local variable %u holds no reference" : "local variable %u",
                      v->locals[index], reference ? CF_V_NOTHING : needed);
        v->failure->error.value = index;
    }
    return CF_FLOW_FAILED;
}

// Loads and stores come in the order int, long, float, double, reference; their wide forms here.
static cf_vtype type_of_kind(unsigned kind) {
    static const uint8_t types[] = {CF_V_INT, CF_V_LONG, CF_V_FLOAT, CF_V_DOUBLE, CF_V_NULL};
    return types[kind];
}

static int load(struct cf_verifier *v, unsigned kind, uint32_t index) {
    cf_vtype needed = type_of_kind(kind);
    int two = needed == CF_V_LONG || needed == CF_V_DOUBLE;
    if (!cf_v_is_local(v, index) ||
        (needed == CF_V_NULL ? !is_reference_check(v->locals[index]) : v->locals[index] != needed))
        return bad_local(v, index, needed), 0;
    *v->top++ = v->locals[index];
    if (two) *v->top++ = needed + (CF_V_LONG_2 - CF_V_LONG);
    return 1;
}

static int store(struct cf_verifier *v, unsigned kind, uint32_t index) {
    cf_vtype needed = type_of_kind(kind), top = v->top[-1];
    int two = needed == CF_V_LONG || needed == CF_V_DOUBLE;
    if (!cf_v_is_local(v, index + (uint32_t)two))
        return bad_local(v, index + (uint32_t)two, needed), 0;
    if (needed == CF_V_NULL) {
        if (!is_reference_check(top) && CF_V_TAG(top) != CF_V_RETURN_ADDRESS)
            return bad_top(v, v->top, "operand stack holds no reference"), 0;
        cf_v_set_local(v, index, top);
    } else {
        if (top != needed + (two ? CF_V_LONG_2 - CF_V_LONG : 0))
            return bad_stack(v, v->top, needed), 0;
        cf_v_set_local(v, index, needed);
        if (two) cf_v_set_local(v, index + 1, top);
    }
    v->top -= 1 + two;
    return 1;
}

static int increment(struct cf_verifier *v, uint32_t index) {
    if (cf_v_is_local(v, index) && v->locals[index] == CF_V_INT) return 1;
    return bad_local(v, index, CF_V_INT), 0;
}

// 1: done, 0: failed, -1: ret.
static int wide(struct cf_verifier *v, const uint8_t *p) {
    unsigned op = p[1];
    uint32_t index = cf_be2(p + 2);
    if (op == CF_OP_iinc) return increment(v, index);
    if (op == CF_OP_ret) return -1;
    if (op >= CF_OPCODE_COUNT || cf_opcodes[op].operands != CF_LOCAL)
        return cf_v_fail(v, "unknown opcode %u behind wide", op), 0;
    return op <= CF_OP_aload ? load(v, op - CF_OP_iload, index)
                             : store(v, op - CF_OP_istore, index);
}

// --- returns ---

static enum cf_vflow return_value(struct cf_verifier *v, const cf_vtype *top, cf_vtype type) {
    if (v->result == CF_V_TOP) {
        cf_v_fail(v, "method does not return a value", 0);
        return CF_FLOW_FAILED;
    }
    cf_vtype needed = type;
    if (type == CF_V_LONG || type == CF_V_DOUBLE) needed += CF_V_LONG_2 - CF_V_LONG;
    if (top[-1] != needed) return bad_stack(v, top, type);
    if (v->result == type) return CF_FLOW_END;
    cf_v_mismatch(v, "returned value", type, v->result);
    return CF_FLOW_FAILED;
}

static enum cf_vflow return_reference(struct cf_verifier *v, const cf_vtype *top) {
    if (!is_reference_check(top[-1])) return bad_top(v, top, "operand stack holds no reference");
    if (v->result != CF_V_TOP && cf_v_assignable(v, top[-1], v->result)) return CF_FLOW_END;
    cf_v_mismatch(v, "returned value", top[-1], v->result);
    return CF_FLOW_FAILED;
}

static enum cf_vflow return_nothing(struct cf_verifier *v) {
    if (v->result != CF_V_TOP)
        cf_v_fail(v, "method has to return a value", 0);
    else if (v->is_constructor && v->this_uninitialized)
        cf_v_fail(v, "constructor returns without having called another", 0);
    else
        return CF_FLOW_END;
    return CF_FLOW_FAILED;
}

static enum cf_vflow athrow(struct cf_verifier *v, const cf_vtype *top) {
    if (CF_V_TAG(top[-1]) >= CF_V_NULL && cf_v_assignable(v, top[-1], v->throwable_type))
        return CF_FLOW_END;
    return bad_stack(v, top, v->throwable_type);
}

// --- all of them ---

// What the cases below are made of. `top` is v->top while a case runs.
#define LEAVE(flow)                                                                                \
    do {                                                                                           \
        v->top = top;                                                                              \
        return (flow);                                                                             \
    } while (0)
#define NEED(type)                                                                                 \
    if (top[-1] != (type)) LEAVE(bad_stack(v, top, (type)))
#define NEED_AT(n, type)                                                                           \
    if (top[-(n)] != (type)) LEAVE(bad_stack(v, top - (n) + 1, (type)))
#define NEED_REFERENCE(n)                                                                          \
    if (!is_reference_check(top[-(n)]))                                                            \
    LEAVE(bad_top(v, top - (n) + 1, "operand stack holds no reference"))
#define NEED_COMPARABLE(n)                                                                         \
    if (!is_comparable(v, top[-(n)]))                                                              \
    LEAVE(bad_top(v, top - (n) + 1, "operand stack holds no reference"))
#define NEED_ARRAY(n, test)                                                                        \
    if (!(test))                                                                                   \
    LEAVE(bad_top(v, top - (n) + 1, "operand stack does not hold the array that is needed"))
#define PUSH(type) *top++ = (type)
#define PUSH2(type) (*top++ = (type), *top++ = (type) + (CF_V_LONG_2 - CF_V_LONG))
#define CALL(call)                                                                                 \
    do {                                                                                           \
        v->top = top;                                                                              \
        if (!(call)) return CF_FLOW_FAILED;                                                        \
        top = v->top;                                                                              \
    } while (0)
#define LOAD(kind, index, type, two)                                                               \
    do {                                                                                           \
        uint32_t local_ = (index);                                                                 \
        if (locals[local_] != (type) || (local_ >= old && !cf_v_is_local(v, local_)))              \
            LEAVE(bad_local(v, local_, (type)));                                                   \
        if (two)                                                                                   \
            PUSH2(type);                                                                           \
        else                                                                                       \
            PUSH(type);                                                                            \
    } while (0)
#define LOAD_REFERENCE(index)                                                                      \
    do {                                                                                           \
        uint32_t local_ = (index);                                                                 \
        if (!is_reference_check(locals[local_]) || (local_ >= old && !cf_v_is_local(v, local_)))   \
            LEAVE(bad_local(v, local_, CF_V_NULL));                                                \
        PUSH(locals[local_]);                                                                      \
    } while (0)
// Handlers see the locals as they are in front of the next instruction.
#define STORE(kind, index)                                                                         \
    CALL(store(v, (kind), (index)));                                                               \
    goto changed
#define FOUR(op)                                                                                   \
    case op##_0:                                                                                   \
    case op##_1:                                                                                   \
    case op##_2:                                                                                   \
    case op##_3

// clang-format off
enum cf_vflow cf_v_run(struct cf_verifier *v) {
    const uint8_t *code = v->code.bytes;
    const uint8_t *marks = v->marks;
    const cf_vtype *locals = v->locals;
    const uint32_t old = v->old_locals;
    cf_vtype *top = v->top, *limit = v->stack + CF_V_SLACK + v->old_stack;
    uint32_t pc = v->pc;
    for (;;) {
        const uint8_t *p = code + pc;
        unsigned op = *p;
        uint32_t length = cf_lengths[op];
        switch (op) {
        case CF_OP_nop: break;
        case CF_OP_aconst_null: PUSH(CF_V_NULL); break;
        case CF_OP_iconst_m1: case CF_OP_iconst_0: case CF_OP_iconst_1: case CF_OP_iconst_2:
        case CF_OP_iconst_3: case CF_OP_iconst_4: case CF_OP_iconst_5: case CF_OP_bipush:
        case CF_OP_sipush: PUSH(CF_V_INT); break;
        case CF_OP_lconst_0: case CF_OP_lconst_1: PUSH2(CF_V_LONG); break;
        case CF_OP_fconst_0: case CF_OP_fconst_1: case CF_OP_fconst_2: PUSH(CF_V_FLOAT); break;
        case CF_OP_dconst_0: case CF_OP_dconst_1: PUSH2(CF_V_DOUBLE); break;
        case CF_OP_ldc: CALL(cf_v_load_constant(v, op, p[1])); break;
        case CF_OP_ldc_w: case CF_OP_ldc2_w: CALL(cf_v_load_constant(v, op, cf_be2(p + 1))); break;

        // Locals above max_locals are TOP, as many as an index of a byte reaches.
        case CF_OP_iload: LOAD(0, p[1], CF_V_INT, 0); break;
        case CF_OP_lload: LOAD(1, p[1], CF_V_LONG, 1); break;
        case CF_OP_fload: LOAD(2, p[1], CF_V_FLOAT, 0); break;
        case CF_OP_dload: LOAD(3, p[1], CF_V_DOUBLE, 1); break;
        case CF_OP_aload: LOAD_REFERENCE(p[1]); break;
        FOUR(CF_OP_iload): LOAD(0, op - CF_OP_iload_0, CF_V_INT, 0); break;
        FOUR(CF_OP_lload): LOAD(1, op - CF_OP_lload_0, CF_V_LONG, 1); break;
        FOUR(CF_OP_fload): LOAD(2, op - CF_OP_fload_0, CF_V_FLOAT, 0); break;
        FOUR(CF_OP_dload): LOAD(3, op - CF_OP_dload_0, CF_V_DOUBLE, 1); break;
        FOUR(CF_OP_aload): LOAD_REFERENCE(op - CF_OP_aload_0); break;
        case CF_OP_istore: case CF_OP_lstore: case CF_OP_fstore: case CF_OP_dstore:
        case CF_OP_astore: STORE(op - CF_OP_istore, p[1]);
        FOUR(CF_OP_istore): STORE(0, op - CF_OP_istore_0);
        FOUR(CF_OP_lstore): STORE(1, op - CF_OP_lstore_0);
        FOUR(CF_OP_fstore): STORE(2, op - CF_OP_fstore_0);
        FOUR(CF_OP_dstore): STORE(3, op - CF_OP_dstore_0);
        FOUR(CF_OP_astore): STORE(4, op - CF_OP_astore_0);
        case CF_OP_iinc: if (!increment(v, p[1])) LEAVE(CF_FLOW_FAILED); break;

#define ARRAY_LOAD(a, b, push)                                                                     \
    NEED(CF_V_INT);                                                                                \
    NEED_ARRAY(2, is_array_of(v, top[-2], a, b));                                                  \
    top -= 2;                                                                                      \
    push;                                                                                          \
    break
        case CF_OP_iaload: ARRAY_LOAD('I', 'I', PUSH(CF_V_INT));
        case CF_OP_laload: ARRAY_LOAD('J', 'J', PUSH2(CF_V_LONG));
        case CF_OP_faload: ARRAY_LOAD('F', 'F', PUSH(CF_V_FLOAT));
        case CF_OP_daload: ARRAY_LOAD('D', 'D', PUSH2(CF_V_DOUBLE));
        case CF_OP_baload: ARRAY_LOAD('B', 'Z', PUSH(CF_V_INT));
        case CF_OP_caload: ARRAY_LOAD('C', 'C', PUSH(CF_V_INT));
        case CF_OP_saload: ARRAY_LOAD('S', 'S', PUSH(CF_V_INT));
        case CF_OP_aaload:
            NEED(CF_V_INT);
            NEED_ARRAY(2, is_array_of_references(v, top[-2]));
            top--;
            if (top[-1] == CF_V_NULL) break;
            top[-1] = cf_v_component(v, top[-1]);
            if (top[-1] == CF_V_TOP) LEAVE(CF_FLOW_FAILED);
            break;
#define ARRAY_STORE(type, slots, a, b)                                                             \
    NEED(type);                                                                                    \
    NEED_AT((slots) + 1, CF_V_INT);                                                                \
    NEED_ARRAY((slots) + 2, is_array_of(v, top[-((slots) + 2)], a, b));                            \
    top -= (slots) + 2;                                                                            \
    break
        case CF_OP_iastore: ARRAY_STORE(CF_V_INT, 1, 'I', 'I');
        case CF_OP_lastore: ARRAY_STORE(CF_V_LONG_2, 2, 'J', 'J');
        case CF_OP_fastore: ARRAY_STORE(CF_V_FLOAT, 1, 'F', 'F');
        case CF_OP_dastore: ARRAY_STORE(CF_V_DOUBLE_2, 2, 'D', 'D');
        case CF_OP_bastore: ARRAY_STORE(CF_V_INT, 1, 'B', 'Z');
        case CF_OP_castore: ARRAY_STORE(CF_V_INT, 1, 'C', 'C');
        case CF_OP_sastore: ARRAY_STORE(CF_V_INT, 1, 'S', 'S');
        case CF_OP_aastore:
            if (CF_V_TAG(top[-1]) < CF_V_NULL)
                LEAVE(bad_top(v, top, "operand stack holds no initialized reference"));
            NEED_AT(2, CF_V_INT);
            NEED_ARRAY(3, is_array_of_references(v, top[-3]));
            top -= 3;
            break;

        case CF_OP_pop: if (!cf_v_is_single(top[-1])) LEAVE(bad_sizes(v, top)); top--; break;
        case CF_OP_pop2: if (!cf_v_is_pair(top)) LEAVE(bad_sizes(v, top)); top -= 2; break;
        case CF_OP_dup:
            if (!cf_v_is_single(top[-1])) LEAVE(bad_sizes(v, top));
            top[0] = top[-1];
            top++;
            break;
        case CF_OP_dup_x1:
            if (!cf_v_is_single(top[-1]) || !cf_v_is_single(top[-2])) LEAVE(bad_sizes(v, top));
            top[0] = top[-1];
            top[-1] = top[-2];
            top[-2] = top[0];
            top++;
            break;
        case CF_OP_dup_x2:
            if (!cf_v_is_single(top[-1]) || !cf_v_is_pair(top - 1)) LEAVE(bad_sizes(v, top));
            top[0] = top[-1];
            top[-1] = top[-2];
            top[-2] = top[-3];
            top[-3] = top[0];
            top++;
            break;
        case CF_OP_dup2:
            if (!cf_v_is_pair(top)) LEAVE(bad_sizes(v, top));
            top[1] = top[-1];
            top[0] = top[-2];
            top += 2;
            break;
        case CF_OP_dup2_x1:
            if (!cf_v_is_pair(top) || !cf_v_is_single(top[-3])) LEAVE(bad_sizes(v, top));
            top[1] = top[-1];
            top[0] = top[-2];
            top[-1] = top[-3];
            top[-2] = top[1];
            top[-3] = top[0];
            top += 2;
            break;
        case CF_OP_dup2_x2:
            if (!cf_v_is_pair(top) || !cf_v_is_pair(top - 2)) LEAVE(bad_sizes(v, top));
            top[1] = top[-1];
            top[0] = top[-2];
            top[-1] = top[-3];
            top[-2] = top[-4];
            top[-3] = top[1];
            top[-4] = top[0];
            top += 2;
            break;
        case CF_OP_swap: {
            if (!cf_v_is_single(top[-1]) || !cf_v_is_single(top[-2])) LEAVE(bad_sizes(v, top));
            cf_vtype t = top[-1];
            top[-1] = top[-2];
            top[-2] = t;
            break;
        }

        case CF_OP_iadd: case CF_OP_isub: case CF_OP_imul: case CF_OP_idiv: case CF_OP_irem:
        case CF_OP_ishl: case CF_OP_ishr: case CF_OP_iushr: case CF_OP_iand: case CF_OP_ior:
        case CF_OP_ixor: NEED(CF_V_INT); NEED_AT(2, CF_V_INT); top--; break;
        case CF_OP_ladd: case CF_OP_lsub: case CF_OP_lmul: case CF_OP_ldiv: case CF_OP_lrem:
        case CF_OP_land: case CF_OP_lor:
        case CF_OP_lxor: NEED(CF_V_LONG_2); NEED_AT(3, CF_V_LONG_2); top -= 2; break;
        case CF_OP_fadd: case CF_OP_fsub: case CF_OP_fmul: case CF_OP_fdiv:
        case CF_OP_frem: NEED(CF_V_FLOAT); NEED_AT(2, CF_V_FLOAT); top--; break;
        case CF_OP_dadd: case CF_OP_dsub: case CF_OP_dmul: case CF_OP_ddiv:
        case CF_OP_drem: NEED(CF_V_DOUBLE_2); NEED_AT(3, CF_V_DOUBLE_2); top -= 2; break;
        case CF_OP_ineg: case CF_OP_i2b: case CF_OP_i2c: case CF_OP_i2s: NEED(CF_V_INT); break;
        case CF_OP_lneg: NEED(CF_V_LONG_2); break;
        case CF_OP_fneg: NEED(CF_V_FLOAT); break;
        case CF_OP_dneg: NEED(CF_V_DOUBLE_2); break;
        case CF_OP_lshl: case CF_OP_lshr:
        case CF_OP_lushr: NEED(CF_V_INT); NEED_AT(2, CF_V_LONG_2); top--; break;
        case CF_OP_i2l: NEED(CF_V_INT); top--; PUSH2(CF_V_LONG); break;
        case CF_OP_i2f: NEED(CF_V_INT); top[-1] = CF_V_FLOAT; break;
        case CF_OP_i2d: NEED(CF_V_INT); top--; PUSH2(CF_V_DOUBLE); break;
        case CF_OP_l2i: NEED(CF_V_LONG_2); top -= 2; PUSH(CF_V_INT); break;
        case CF_OP_l2f: NEED(CF_V_LONG_2); top -= 2; PUSH(CF_V_FLOAT); break;
        case CF_OP_l2d: NEED(CF_V_LONG_2); top -= 2; PUSH2(CF_V_DOUBLE); break;
        case CF_OP_f2i: NEED(CF_V_FLOAT); top[-1] = CF_V_INT; break;
        case CF_OP_f2l: NEED(CF_V_FLOAT); top--; PUSH2(CF_V_LONG); break;
        case CF_OP_f2d: NEED(CF_V_FLOAT); top--; PUSH2(CF_V_DOUBLE); break;
        case CF_OP_d2i: NEED(CF_V_DOUBLE_2); top -= 2; PUSH(CF_V_INT); break;
        case CF_OP_d2l: NEED(CF_V_DOUBLE_2); top -= 2; PUSH2(CF_V_LONG); break;
        case CF_OP_d2f: NEED(CF_V_DOUBLE_2); top -= 2; PUSH(CF_V_FLOAT); break;
        case CF_OP_lcmp:
            NEED(CF_V_LONG_2);
            NEED_AT(3, CF_V_LONG_2);
            top -= 4;
            PUSH(CF_V_INT);
            break;
        case CF_OP_fcmpl:
        case CF_OP_fcmpg: NEED(CF_V_FLOAT); NEED_AT(2, CF_V_FLOAT); top -= 2; PUSH(CF_V_INT); break;
        case CF_OP_dcmpl: case CF_OP_dcmpg:
            NEED(CF_V_DOUBLE_2);
            NEED_AT(3, CF_V_DOUBLE_2);
            top -= 4;
            PUSH(CF_V_INT);
            break;

        case CF_OP_ifeq: case CF_OP_ifne: case CF_OP_iflt: case CF_OP_ifge: case CF_OP_ifgt:
        case CF_OP_ifle: NEED(CF_V_INT); top--; LEAVE(CF_FLOW_BRANCH);
        case CF_OP_if_icmpeq: case CF_OP_if_icmpne: case CF_OP_if_icmplt: case CF_OP_if_icmpge:
        case CF_OP_if_icmpgt:
        case CF_OP_if_icmple: NEED(CF_V_INT); NEED_AT(2, CF_V_INT); top -= 2; LEAVE(CF_FLOW_BRANCH);
        case CF_OP_if_acmpeq:
        case CF_OP_if_acmpne: NEED_COMPARABLE(1); NEED_COMPARABLE(2); top -= 2; LEAVE(CF_FLOW_BRANCH);
        case CF_OP_ifnull: case CF_OP_ifnonnull: NEED_REFERENCE(1); top--; LEAVE(CF_FLOW_BRANCH);
        case CF_OP_goto: case CF_OP_goto_w: LEAVE(CF_FLOW_GOTO);
        case CF_OP_tableswitch:
        case CF_OP_lookupswitch: NEED(CF_V_INT); top--; LEAVE(CF_FLOW_SWITCH);
        case CF_OP_jsr: case CF_OP_jsr_w: LEAVE(CF_FLOW_JSR);
        case CF_OP_ret: LEAVE(CF_FLOW_RET);

        case CF_OP_ireturn: LEAVE(return_value(v, top, CF_V_INT));
        case CF_OP_lreturn: LEAVE(return_value(v, top, CF_V_LONG));
        case CF_OP_freturn: LEAVE(return_value(v, top, CF_V_FLOAT));
        case CF_OP_dreturn: LEAVE(return_value(v, top, CF_V_DOUBLE));
        case CF_OP_areturn: LEAVE(return_reference(v, top));
        case CF_OP_return: LEAVE(return_nothing(v));
        case CF_OP_athrow: LEAVE(athrow(v, top));

        case CF_OP_getstatic: case CF_OP_putstatic: case CF_OP_getfield:
        case CF_OP_putfield: CALL(cf_v_field(v, op, cf_be2(p + 1))); goto changed;
        case CF_OP_invokevirtual: case CF_OP_invokespecial: case CF_OP_invokestatic:
        case CF_OP_invokeinterface:
        case CF_OP_invokedynamic: CALL(cf_v_invoke(v, op, p)); goto changed;
        case CF_OP_new: case CF_OP_newarray: case CF_OP_anewarray:
        case CF_OP_multianewarray: CALL(cf_v_create(v, op, p)); break;
        case CF_OP_checkcast: case CF_OP_instanceof: CALL(cf_v_reference_op(v, op, p)); break;
        case CF_OP_arraylength:
            NEED_ARRAY(1, CF_V_TAG(top[-1]) == CF_V_ARRAY || top[-1] == CF_V_NULL);
            top[-1] = CF_V_INT;
            break;
        case CF_OP_monitorenter: case CF_OP_monitorexit: NEED_COMPARABLE(1); top--; break;
        case CF_OP_wide: {
            v->top = top;
            int done = wide(v, p);
            if (done <= 0) return done ? CF_FLOW_RET : CF_FLOW_FAILED;
            top = v->top;
            length = p[1] == CF_OP_iinc ? 6 : 4;
            goto changed;
        }
        default: cf_v_fail(v, "unknown opcode %u", op); LEAVE(CF_FLOW_FAILED);
        }
        if (top > limit && passes_max_stack(v, top)) LEAVE(CF_FLOW_FAILED);
        v->pc = pc += length;
        if (marks[pc] & CF_V_STOP) LEAVE(CF_FLOW_STOP);
        continue;
    changed:
        if (top > limit && passes_max_stack(v, top)) LEAVE(CF_FLOW_FAILED);
        v->pc = pc += length;
        if ((marks[pc] & CF_V_STOP) || (v->guarded & v->unmatched)) LEAVE(CF_FLOW_STOP);
    }
}
// clang-format on
