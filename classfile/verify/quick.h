// Inside the verifier: the quick check, which says of most methods that they pass, and of the
// others nothing: the careful check (verify.c) has the last word on those, and finds the reason.
//
// What it accepts the careful check accepts. It is the same pass over the code (JVMS 4.10.1), made
// for speed: types are words that tell all there is to know, so that equal words are equal types
// and no table of types is needed; an instruction of which the types are fixed is a row of a table;
// and what is rare (wide, multianewarray, swap, strict fields, protected methods of Object, ...) is
// left to the careful check. It serves where nothing is known of other classes.

#ifndef CF_VERIFY_QUICK_H
#define CF_VERIFY_QUICK_H

#include "classfile/verify/internal.h"

// Classes are words without a payload: of those that nothing is known of each is as good as any
// other. Arrays: of `dimensions` above a primitive (its letter) or a class (enum cf_known).
#define CF_Q_ARRAY(dimensions, element) CF_V_MAKE(CF_V_ARRAY, (dimensions) | (element) << 8)
#define CF_Q_DIMENSIONS(type) (CF_V_PAYLOAD(type) & 0xFFu)
#define CF_Q_ELEMENT(type) (CF_V_PAYLOAD(type) >> 8)
#define CF_Q_IS_LETTER(element) ((element) >= CF_KNOWN_COUNT)
static inline cf_vtype cf_q_class(unsigned known) {
    return CF_V_CLASS + (cf_vtype)known;
}

// What slot -1 - i, in front of the locals, has: the tags that are types of constants by
// themselves, and null.
#define CF_Q_NULL_SLOT 8
static inline cf_vtype cf_q_constant(int i) {
    return i == CF_Q_NULL_SLOT ? CF_V_NULL : (cf_vtype)i;
}

// What a Fieldref, Methodref, InterfaceMethodref or InvokeDynamic stands for. Of a field the
// argument is what it can be set to, and the result what it has.
struct cf_qmember {
    uint16_t instructions; // bits, from getstatic on: which may have it for an operand
    uint16_t index;
    uint16_t class_index;
    uint8_t is_init;
    uint8_t results;    // slots
    uint32_t arguments; // slots
    cf_vtype types[];   // of the object, the arguments, and two slots of the result
};
#define CF_Q_BIT(op) (1u << ((op)-CF_OP_getstatic))

// What was found out about a constant, by its index: 0, a type above CF_Q_TYPE, or the address of
// what its other kinds have, with CF_Q_MEMBER or CF_Q_SIGNATURE in it.
typedef uintptr_t cf_qmemo;
enum { CF_Q_TYPE = 1, CF_Q_MEMBER = 2, CF_Q_SIGNATURE = 3, CF_Q_KINDS = 3 };

struct cf_qhandler { // an entry of the exception table
    uint32_t start, end;
    const struct cf_vframe *frame;
};

struct cf_quick {
    struct cf_verifier *v;
    cf_vtype this_type;
    cf_qmemo *memo;
    uint64_t
        accepts[64]; // by tag: bits of the tags that are assignable to it, whatever the payload
    struct cf_qhandler *handlers;
    uint32_t handlers_count, handlers_capacity;
    uint16_t *frame_at; // by pc: perhaps the index of a frame
    uint32_t frame_at_capacity;
    uint32_t work;
    uint32_t old_constants; // of the method: indexes below are good for all its instructions
};

// Locals are copied so many at a time, beyond the last one too. (CF_V_PIECE is room for that.)
#define CF_Q_PIECE CF_V_PIECE

// So many steps are few for what a compiler makes; what takes more is not for the quick check.
#define CF_Q_MOST_WORK (1u << 20)

// --- verify_quick_types.c; TOP, NULL and 0: not known here. An index is below
// constant_pool_count ---

// Opened for a class; NULL: not here.
struct cf_quick *cf_q_new(struct cf_verifier *v);
cf_vtype cf_q_find_class(struct cf_quick *q, uint32_t index);
static inline cf_vtype cf_q_class_at(struct cf_quick *q, uint32_t index) {
    cf_qmemo memo = q->memo[index];
    return (memo & CF_Q_KINDS) == CF_Q_TYPE ? (cf_vtype)(memo >> 2) : cf_q_find_class(q, index);
}
const struct cf_vsignature *cf_q_signature(struct cf_quick *q, uint32_t descriptor_index);
const struct cf_qmember *cf_q_find_member(struct cf_quick *q, uint32_t index);
// Where the result of the member begins.
static inline const cf_vtype *cf_q_result(const struct cf_qmember *m) {
    return m->types + 1 + m->arguments;
}
static inline const struct cf_qmember *cf_q_member_at(struct cf_quick *q, uint32_t index) {
    cf_qmemo memo = q->memo[index];
    if ((memo & CF_Q_KINDS) != CF_Q_MEMBER) return cf_q_find_member(q, index);
    return (const struct cf_qmember *)(memo - CF_Q_MEMBER);
}
int cf_q_takes_slow(struct cf_quick *q, cf_vtype to, cf_vtype from);
static inline int cf_q_takes(struct cf_quick *q, cf_vtype to, cf_vtype from) {
    return from == to || (q->accepts[to & 63] >> (from & 63) & 1) || cf_q_takes_slow(q, to, from);
}

// From the one at `i` on.
int cf_q_take_others(struct cf_quick *q, const cf_vtype *to, const cf_vtype *from, uint32_t i,
                     uint32_t count);
// Are so many values assignable, each to its type? Mostly the words are equal.
static inline int cf_q_take_all(struct cf_quick *q, const cf_vtype *to, const cf_vtype *from,
                                uint32_t i, uint32_t count) {
    while (i < count && from[i] == to[i]) i++;
    return i >= count || cf_q_take_others(q, to, from, i, count);
}

// --- verify_quick_frames.c ---

// Reads the StackMapTable and the exception table. 1, or 0: not here.
int cf_q_read_tables(struct cf_quick *q);
static inline const struct cf_vframe *cf_q_frame_at(const struct cf_quick *q, uint32_t pc) {
    const struct cf_verifier *v = q->v;
    if (pc >= v->code.length) return NULL;
    uint32_t i = q->frame_at[pc]; // of this method, or of one before
    return i < v->frames_count && v->frames[i].pc == pc ? &v->frames[i] : NULL;
}

// --- verify_quick_table.c: instructions ---

enum cf_qkind {
    CF_Q_REFUSE, // not for the quick check
    // What may change locals.
    CF_Q_STORE,
    CF_Q_INVOKE_SPECIAL,
    // What does not.
    CF_Q_ARRAY_LOAD,
    CF_Q_ARRAY_STORE,
    CF_Q_REFERENCE_LOAD,
    CF_Q_REFERENCE_STORE,
    CF_Q_ARRAY_LENGTH,
    CF_Q_POP,
    CF_Q_POP2,
    CF_Q_DUP,
    CF_Q_DUP_X1,
    CF_Q_DUP_X2,
    CF_Q_DUP2,
    CF_Q_LDC,
    CF_Q_LDC_W,
    CF_Q_LDC2_W,
    CF_Q_NEW,
    CF_Q_NEW_ARRAY,
    CF_Q_NEW_REFERENCES,
    CF_Q_CHECK_CAST,
    // Takes what a member constant says: under `operand` the arguments, and from `under` on the
    // object; gives the result under `second`.
    CF_Q_MEMBER_USE,
    CF_Q_MEMBER_CHECKED, // with two more bytes
    // From here on the row tells all that the instruction does to the stack.
    CF_Q_PUSH, // takes nothing from it; mostly
    CF_Q_STEP,
    CF_Q_BRANCH,
    CF_Q_GOTO,
    CF_Q_SWITCH,
    CF_Q_RETURN_VALUE,
    CF_Q_RETURN_REFERENCE,
    CF_Q_RETURN,
    CF_Q_THROW
};

struct cf_qrow {
    // Tags that must be there, compared under a mask, a byte each: the local, the top of the stack,
    // a slot below it; the last byte of the mask tells which one.
    uint32_t needed, mask;
    // What is pushed, after so many slots are gone as `under` is below 0: the local or constant at
    // `from`, plus the operand under `operand`, and `second` behind it. What is above the stack
    // then does not matter.
    int16_t from;
    uint8_t operand;
    uint8_t second;
    uint8_t kind, length;
    int8_t under, net;
};

extern const struct cf_qrow cf_q_rows[256];

// --- verify_quick_operands.c ---

static inline int cf_q_is_local(struct cf_verifier *v, uint32_t index) {
    return index < v->old_locals || cf_v_is_local(v, index);
}

static inline int cf_q_is_initialized(cf_vtype type) {
    return CF_V_TAG(type) >= CF_V_NULL;
}

// May the instruction at v->pc have the index, though one of the original may not?
static inline int cf_q_is_new_constant(const struct cf_quick *q, uint32_t index) {
    return index < q->v->cls->constant_pool_count && cf_v_is_new(q->v);
}

// The member that the instruction at `p`, which is v->pc, names. NULL: not here.
static inline const struct cf_qmember *cf_q_member(struct cf_quick *q, const uint8_t *p) {
    uint32_t index = cf_be2(p + 1);
    if (index >= q->old_constants && !cf_q_is_new_constant(q, index)) return NULL;
    const struct cf_qmember *m = cf_q_member_at(q, index);
    return m && (m->instructions >> (*p - CF_OP_getstatic) & 1) ? m : NULL;
}

// Runs an instruction below CF_Q_MEMBER_USE, at `p`, which is v->pc. Returns the stack's top, NULL:
// not here.
cf_vtype *cf_q_run_one(struct cf_quick *q, const struct cf_qrow *row, const uint8_t *p,
                       cf_vtype *top);

// putfield of a field of `this` that is not initialised.
cf_vtype *cf_q_put_early(struct cf_quick *q, const struct cf_qmember *m, cf_vtype *top);

// --- verify_quick.c ---

// Runs the instruction at `p`, of any kind but CF_Q_PUSH, as far as the stack and the locals go.
// Returns the stack's top, NULL: not here.
cf_vtype *cf_q_run_other(struct cf_quick *q, const struct cf_qrow *row, const uint8_t *p,
                         cf_vtype *top);

// Are the locals assignable to all handlers around `pc`? Returns where to stop next: at `stop`, or
// where a range begins before that. 0: not assignable.
uint32_t cf_q_match_handlers(struct cf_quick *q, uint32_t pc, uint32_t stop);

// The method at hand, whose state is that of pc 0. 1: it passes.
int cf_q_check(struct cf_quick *q);

#endif
