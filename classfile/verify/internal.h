// Inside the verifier: what its files share.

#ifndef CF_VERIFY_INTERNAL_H
#define CF_VERIFY_INTERNAL_H

#include "classfile/code.h"
#include "classfile/format/strict_fields.h"
#include "classfile/verify.h"

// --- types ---

// A verification type. The low word is all that the rules need: a tag, and above it what the tag
// needs (a pc, or what an array consists of). The high word of a class, and of an array of classes,
// is the place of the name in the class file: for messages, and for a caller that knows other
// classes. A long or double takes two slots, the second of which has a tag of its own.
//
//       60           59 .. 32      31 .. 24    23 .. 16         15 .. 8      7 .. 0
//       name ends    offset of     0           element          dimensions   CF_V_ARRAY
//       with ;       the name      0           0                0            CF_V_CLASS + known
//       0            0             0           -- pc of new or jsr's target --   CF_V_UNINITIALIZED, ...
typedef uint64_t cf_vtype;

enum {
    CF_V_TOP,
    CF_V_LONG,
    CF_V_DOUBLE,
    CF_V_LONG_2,
    CF_V_DOUBLE_2,
    CF_V_NOTHING, // below the operand stack
    CF_V_INT,     // from here on it is a value of one slot
    CF_V_FLOAT,
    CF_V_RETURN_ADDRESS,       // with the pc of the subroutine; in classes below version 51 only
    CF_V_UNINITIALIZED = 0x20, // with the pc of `new`. From here on aload takes it
    CF_V_UNINITIALIZED_THIS,
    CF_V_NULL = 0x30, // from here on it is a reference
    CF_V_ARRAY,
    CF_V_CLASS = 0x34 // added to it: enum cf_known. All tags are below 64
};
#define CF_V_TAG(type) ((unsigned)(type)&0xFFu)
#define CF_V_PAYLOAD(type) ((uint32_t)(type) >> 8)
#define CF_V_MAKE(tag, payload) ((cf_vtype)(tag) | (cf_vtype)(payload) << 8)
#define CF_V_IS_CLASS(type) (CF_V_TAG(type) >= CF_V_CLASS)
#define CF_V_NAME(type) ((type) >> 32 << 32)
#define CF_V_MOST_BYTES CF_VERIFY_MOST_BYTES // for the offsets of its names

// Arrays consist of `dimensions` above a primitive (its letter) or a class (enum cf_known).
#define CF_V_ARRAY_OF(dimensions, element) CF_V_MAKE(CF_V_ARRAY, (dimensions) | (element) << 8)
#define CF_V_DIMENSIONS(type) (CF_V_PAYLOAD(type) & 0xFFu)
#define CF_V_ELEMENT(type) (CF_V_PAYLOAD(type) >> 8)
#define CF_V_IS_LETTER(element) ((element) >= CF_KNOWN_COUNT)

// Classes of which something is known. One that has two of these names counts as the first.
#define CF_JDK_CLASSES(CLASS)                                                                      \
    CLASS(OBJECT, "java/lang/Object")                                                              \
    CLASS(STRING, "java/lang/String")                                                              \
    CLASS(CLASS_CLASS, "java/lang/Class")                                                          \
    CLASS(THROWABLE, "java/lang/Throwable")                                                        \
    CLASS(METHOD_TYPE, "java/lang/invoke/MethodType")                                              \
    CLASS(METHOD_HANDLE, "java/lang/invoke/MethodHandle")                                          \
    CLASS(CLONEABLE, "java/lang/Cloneable")                                                        \
    CLASS(SERIALIZABLE, "java/io/Serializable")
enum cf_known {
    CF_KNOWN_NOTHING,
#define CF_KNOWN(known, name) CF_KNOWN_##known,
    CF_JDK_CLASSES(CF_KNOWN)
#undef CF_KNOWN
        CF_KNOWN_THIS,
    CF_KNOWN_SUPER,
    CF_KNOWN_COUNT
};
static inline cf_vtype cf_v_known_class(unsigned known) {
    return CF_V_CLASS + (cf_vtype)known;
}

// What slot -1 - i, in front of the locals, holds: the tags that are types of constants by
// themselves, and null.
#define CF_V_NULL_SLOT 8
#define CF_V_CONSTANT_SLOTS 9

// What a Fieldref, Methodref, InterfaceMethodref or InvokeDynamic stands for. Of a field the
// argument is what it can be set to, and the result what it holds.
struct cf_vmember {
    uint16_t instructions; // bits, from getstatic on: which may have it for an operand
    uint16_t simple;       // ... and needs nothing but the types on the stack
    uint16_t index, class_index, name_index, descriptor_index;
    uint8_t tag;          // enum cf_tag
    uint8_t is_init;      // <init>
    uint8_t is_protected; // a protected method of java.lang.Object: 1 clone, 2 finalize
    uint8_t results;      // slots
    uint32_t arguments;
    cf_vtype types[]; // of the object, the arguments, and two slots of the result
};
#define CF_V_BIT(op) (1u << ((op)-CF_OP_getstatic))

// What was found out about a constant, by its index: 0, a type above CF_V_IS_TYPE, or the address
// of a member with CF_V_IS_MEMBER in it.
typedef uint64_t cf_vmemo;
enum { CF_V_IS_TYPE = 1, CF_V_IS_MEMBER = 2, CF_V_KINDS = 7 };

// --- frames ---

struct cf_vframe { // of a StackMapTable; the types are in cf_vframes.types
    uint32_t pc;
    uint32_t locals, locals_count;
    uint32_t first; // local that is not TOP
    uint32_t stack, stack_count;
    uint32_t unset; // where the set of strict fields not yet set is
    int this_uninitialized;
};

struct cf_vframes {        // a StackMapTable; the arrays keep the room that a method before needed
    struct cf_vframe *all; // the pc of the one behind the last is UINT32_MAX
    uint32_t count, capacity;
    cf_vtype *types;
    uint32_t types_count, types_capacity;
    int has_new; // it names a `new`
};

struct cf_vhandler { // an entry of the exception table
    uint32_t start, end;
    const struct cf_vframe *frame;
    uint64_t named; // bits of the locals that the frame names; the last one: of all from there on
};

// --- the verifier ---

enum { CF_V_START = CF_MARK_START }; // of cf_verifier.marks

// The steps that a method may take: some tenths of a second. Code that a compiler makes takes a few
// for each instruction.
#define CF_V_MOST_WORK (UINT64_C(1) << 26)

#define CF_V_SLACK 4u // slots that may be written above the stack before its depth is checked
#define CF_V_PIECE 8u // locals are copied so many at a time, beyond the last one too

struct cf_verifier {
    const struct cf_class *cls;
    cf_assignable *assignable;
    void *context;
    struct cf_verify_failure *failure;
    uint64_t compared;    // the bits of a type that count: names only if the caller knows classes
    cf_vmemo *memo;       // by constant pool index
    cf_vtype this_type;   // TOP: nothing is known yet
    uint64_t accepts[64]; // by tag: bits of the tags that are assignable to it, whatever is above
    struct cf_slice this_name, super_name;
    uint8_t known_super[CF_KNOWN_COUNT]; // the known superclass
    uint16_t known_classes, known_final; // bits: surely no interfaces; final
    int in_java_lang;
    const struct cf_strict *strict; // instance fields (JDK 28: ACC_STRICT_INIT)
    uint32_t strict_count;          // 0 also where they have no meaning
    int strict_known;

    // The method at hand. Each array keeps the room that a method before needed.
    const struct cf_member *method;
    struct cf_code code;
    const struct cf_verify_original *original;     // NULL: the method is as it was
    uint32_t old_stack, old_locals, old_constants; // limits of its instructions
    uint32_t new_start, new_end;                   // new instructions that were asked about last
    int inferring;
    int is_constructor; // <init>, of whichever class
    cf_vtype result;    // TOP: void
    int is_stepping;    // running stops where control may go elsewhere
    uint8_t *marks;     // by pc
    uint32_t marks_capacity;
    uint32_t passes_again; // methods that were checked once more
    int is_marked;         // all instructions are; else those that have been run
    uint64_t work;         // steps of loops that multiply
    struct cf_vframes frames;
    uint16_t *frame_at; // by pc: perhaps the index of a frame; of the table that was read last
    uint32_t frame_at_capacity;
    struct cf_vhandler *handlers;
    uint32_t handlers_count, handlers_capacity;

    // The state. Locals from locals_used to locals_begun are TOP; those behind them do not count.
    cf_vtype *locals, *stack;
    uint32_t locals_capacity, stack_capacity, locals_used, locals_begun;
    cf_vtype *unset; // bits of the strict fields not yet set, CF_V_UNSET_WORDS of them
    uint32_t unset_capacity;
    int this_uninitialized;
    int unmatched;  // locals have changed since the handlers were checked
    uint64_t named; // bits as of cf_vhandler: the handlers around the instruction name these locals
    uint32_t pc;    // of the instruction at hand
};

#define CF_V_UNSET_WORDS(v) (((v)->strict_count + 63) / 64)

// --- verify.c ---

// Records a failure at v->pc. Returns CF_UNVERIFIABLE.
enum cf_status cf_v_fail(struct cf_verifier *v, const char *reason, uint32_t value);
// The same, where `found` is not what is `needed`; NOTHING: no one type is.
enum cf_status cf_v_mismatch(struct cf_verifier *v, const char *reason, cf_vtype found,
                             cf_vtype needed);
// What cannot be checked. Returns `status`.
enum cf_status cf_v_give_up(struct cf_verifier *v, enum cf_status status, const char *reason);
// Room for `count` elements of `size` bytes in an array of *capacity, the `used` ones kept. NULL:
// out of memory, failed.
void *cf_v_grow(struct cf_verifier *v, void *array, uint32_t *capacity, uint32_t used,
                uint64_t count, size_t size);

// Counts steps. 1, or 0: there were too many, failed.
static inline int cf_v_works(struct cf_verifier *v, uint64_t steps) {
    v->work += steps;
    if (v->work <= CF_V_MOST_WORK) return 1;
    cf_v_give_up(v, CF_LIMIT, "takes too long to check");
    return 0;
}

// Is the instruction at v->pc new?
int cf_v_ask_if_new(struct cf_verifier *v);
// Perhaps it has not been asked yet.
static inline int cf_v_is_known_new(const struct cf_verifier *v) {
    return v->pc - v->new_start < v->new_end - v->new_start;
}
static inline int cf_v_is_new(struct cf_verifier *v) {
    return cf_v_is_known_new(v) || cf_v_ask_if_new(v);
}
// How deep may the stack be that a frame or handler at `pc` says?
uint32_t cf_v_limit_at(const struct cf_verifier *v, uint32_t pc);
static inline int cf_v_is_local(struct cf_verifier *v, uint32_t index) {
    return index < v->old_locals || (index < v->code.max_locals && cf_v_is_new(v));
}
static inline int cf_v_is_start(const struct cf_verifier *v, uint32_t pc) {
    return pc < v->code.length && (v->marks[pc] & CF_V_START);
}

// Opens a method that has code, as it is.
enum cf_status cf_v_open(struct cf_verifier *v, const struct cf_member *method,
                         struct cf_verify_failure *failure);
// Sets the state at pc 0.
enum cf_status cf_v_enter(struct cf_verifier *v);
// Do the pcs that frames and attributes name belong to instructions, all of which are marked?
enum cf_status cf_v_check_places(struct cf_verifier *v);

// --- types.c: a function that returns TOP or NULL has failed ---

// What is known of classes by their names. 1, or 0: failed.
int cf_v_begin_types(struct cf_verifier *v);
cf_vtype cf_v_find_class(struct cf_verifier *v, uint32_t index);
// The type of the CONSTANT_Class at `index`.
static inline cf_vtype cf_v_class(struct cf_verifier *v, uint32_t index) {
    cf_vmemo memo = index < v->cls->constant_pool_count ? v->memo[index] : 0;
    return (memo & CF_V_KINDS) == CF_V_IS_TYPE ? memo >> 3 : cf_v_find_class(v, index);
}
// The type of the constant that the CONSTANT_Dynamic at `index` computes.
cf_vtype cf_v_dynamic(struct cf_verifier *v, uint32_t index);
// The arguments and the result of a method descriptor, which has no object.
const struct cf_vmember *cf_v_signature(struct cf_verifier *v, uint32_t descriptor_index);
// A member constant, whatever its kind; `index` is one.
const struct cf_vmember *cf_v_find_member(struct cf_verifier *v, uint32_t index);
static inline const struct cf_vmember *cf_v_member(struct cf_verifier *v, uint32_t index) {
    cf_vmemo memo = v->memo[index];
    if ((memo & CF_V_KINDS) != CF_V_IS_MEMBER) return cf_v_find_member(v, index);
    return (const struct cf_vmember *)(uintptr_t)(memo - CF_V_IS_MEMBER);
}

// Is `from` assignable to `to`?
int cf_v_takes_slow(struct cf_verifier *v, cf_vtype to, cf_vtype from);
static inline int cf_v_takes(struct cf_verifier *v, cf_vtype to, cf_vtype from) {
    return from == to || (v->accepts[to & 63] >> (from & 63) & 1) || cf_v_takes_slow(v, to, from);
}
// The index, from `i` on, of the first of so many values that is not assignable to its type;
// `count`: there is none. Mostly the words are equal.
uint32_t cf_v_find_other(struct cf_verifier *v, const cf_vtype *to, const cf_vtype *from,
                         uint32_t i, uint32_t count);
struct cf_slice cf_v_name_of(const struct cf_verifier *v, cf_vtype type);
static inline int cf_v_is_same(const struct cf_verifier *v, cf_vtype a, cf_vtype b) {
    return a == b ||
           ((uint32_t)a == (uint32_t)b && cf_slice_equal(cf_v_name_of(v, a), cf_v_name_of(v, b)));
}
// The type of an array's elements.
cf_vtype cf_v_component(cf_vtype array);
// Writes how a person calls the type; returns `text`.
char *cf_v_name(const struct cf_verifier *v, cf_vtype type, char *text, size_t size);

static inline int cf_v_is_single(cf_vtype t) {
    return t > CF_V_NOTHING;
}
// Do the two slots below `top` hold whole values?
static inline int cf_v_is_pair(const cf_vtype *top) {
    return top[-1] == CF_V_LONG_2 || top[-1] == CF_V_DOUBLE_2 ||
           (cf_v_is_single(top[-1]) && cf_v_is_single(top[-2]));
}
// Stores a type at `out`, which has room for two slots. Returns what is behind it.
static inline cf_vtype *cf_v_put(cf_vtype *out, cf_vtype type) {
    out[0] = type;
    out[1] = type + (CF_V_LONG_2 - CF_V_LONG);
    return out + 1 + (type == CF_V_LONG || type == CF_V_DOUBLE);
}

static inline cf_vtype cf_v_caught(struct cf_verifier *v, uint32_t catch_type) {
    return catch_type ? cf_v_class(v, catch_type) : cf_v_known_class(CF_KNOWN_THROWABLE);
}

// --- frames.c ---

// Reads the StackMapTable of `code`; v's state is that of pc 0.
enum cf_status cf_v_read_frames(struct cf_verifier *v, const struct cf_code *code,
                                struct cf_vframes *frames);
// The frame at `pc`, or NULL.
static inline const struct cf_vframe *cf_v_frame_at(const struct cf_verifier *v, uint32_t pc) {
    const struct cf_vframes *f = &v->frames;
    if (pc >= v->code.length || !f->count) return NULL;
    uint32_t i = v->frame_at[pc]; // of this method, or of one before
    return i < f->count && f->all[i].pc == pc ? &f->all[i] : NULL;
}

// --- table.c, run.c: instructions ---

enum cf_vkind {
    CF_V_UNKNOWN, // no such opcode
    CF_V_ARRAY_LOAD,
    CF_V_ARRAY_STORE,
    CF_V_REFERENCE_LOAD,
    CF_V_REFERENCE_STORE,
    CF_V_ARRAY_LENGTH,
    CF_V_POP,
    CF_V_POP2,
    CF_V_DUP,
    CF_V_COPY, // the other dups: `operand` slots, to below `second` slots under them
    CF_V_SWAP,
    CF_V_LDC,
    CF_V_NEW,
    CF_V_NEW_ARRAY,
    CF_V_NEW_REFERENCES,
    CF_V_NEW_ARRAYS,
    CF_V_CHECK_CAST,
    // What may change what handlers have to take.
    CF_V_STORE,
    CF_V_WIDE,
    // Takes what a member constant says: under `operand` the arguments, and from `under` on the
    // object; gives the result under `second`.
    CF_V_INVOKE_SPECIAL,
    CF_V_PUT_FIELD,
    // What does not.
    CF_V_MEMBER,
    // From here on the row says all that the instruction does to the stack.
    CF_V_LOAD, // takes nothing from it; a local is needed
    CF_V_PUSH,
    CF_V_STEP,
    CF_V_BRANCH,
    CF_V_GOTO,
    CF_V_SWITCH,
    CF_V_SUBROUTINE, // jsr, ret
    CF_V_RETURN_VALUE,
    CF_V_RETURN_REFERENCE,
    CF_V_RETURN,
    CF_V_THROW
};

struct cf_vrow {
    // Tags that must be there, compared under a mask, a byte each: the local, the top of the stack,
    // a slot below it; the last byte of the mask says which one.
    uint32_t needed, mask;
    // What is pushed, after `under`, which is negative, has removed slots: the local or constant at
    // `from`, plus the operand under `operand`, and `second` behind it. What is above the stack
    // then does not matter.
    int16_t from;
    uint8_t operand;
    uint8_t second;
    uint8_t kind, length;
    int8_t under, net;
};
extern const struct cf_vrow cf_v_rows[256];

// Runs instructions from v->pc on, as far as the stack, the locals and v's way of verification go:
// one at least, up to pc `stop`, or where handlers have to take other locals, or where control does
// not fall through; *falls is 0 then. v->pc is what comes next, but if v->is_stepping the
// instruction from which control goes. Returns the stack's top; NULL: failed.
cf_vtype *cf_v_run(struct cf_verifier *v, cf_vtype *top, uint64_t stop, int *falls);
// Below `top` is not what is needed. Both return NULL: failed.
cf_vtype *cf_v_bad_stack(struct cf_verifier *v, const cf_vtype *top, cf_vtype needed);
cf_vtype *cf_v_bad_top(struct cf_verifier *v, const cf_vtype *top, const char *reason);
// Sets a local, whose index has been checked, and frees the other half of a long or double that it
// overwrites.
static inline void cf_v_set_local(struct cf_verifier *v, uint32_t index, cf_vtype type) {
    cf_vtype *local = v->locals + index;
    if (*local == type) return;
    if (*local - CF_V_LONG < 4) { // of two slots, of which the other one goes as well
        local[*local >= CF_V_LONG_2 ? -1 : 1] = CF_V_TOP;
        v->unmatched = 1;
    }
    *local = type;
    if (v->named >> (index < 63 ? index : 63) & 1) v->unmatched = 1;
    if (index >= v->locals_used) v->locals_used = index + 1;
}

// --- members.c: instructions with a member constant for an operand ---

cf_vtype *cf_v_use_member(struct cf_verifier *v, const struct cf_vrow *row, const uint8_t *p,
                          cf_vtype *top);
static inline cf_vtype *cf_v_put_result(const struct cf_vmember *m, cf_vtype *top) {
    top[0] = m->types[1 + m->arguments];
    top[1] = m->types[2 + m->arguments];
    return top + m->results;
}
// May the instruction at v->pc name the constant? 1, or 0: failed.
int cf_v_ask_constant(struct cf_verifier *v, uint32_t index);
static inline int cf_v_is_constant(struct cf_verifier *v, uint32_t index) {
    return index < v->old_constants || cf_v_ask_constant(v, index);
}

// --- flow.c: where control goes, by frames ---

enum cf_status cf_v_find_handlers(struct cf_verifier *v);
// Are the locals assignable to all handlers around v->pc? Returns where to stop next: at `stop`, or
// where a range begins before that. 0: failed.
uint32_t cf_v_match_handlers(struct cf_verifier *v, uint32_t stop);
// Where control goes from the instruction at v->pc. 1: to the next one, too, 0: not there, -1:
// failed.
int cf_v_leave(struct cf_verifier *v, const struct cf_vrow *row, const cf_vtype *top);
// The locals are assignable to the frame's.
enum cf_status cf_v_match_locals(struct cf_verifier *v, const struct cf_vframe *frame);
// Checks the code from v->pc on. `frame` is the next one; `falls`: control comes from above.
enum cf_status cf_v_check_code(struct cf_verifier *v, const struct cf_vframe *frame, int falls);

// Opens the switch at v->pc.
enum cf_status cf_v_open_switch(struct cf_verifier *v, struct cf_switch *sw);
// Is the i-th match of a lookupswitch above the one before?
enum cf_status cf_v_check_order(struct cf_verifier *v, const struct cf_switch *sw, uint32_t i);
// The return or athrow at v->pc.
enum cf_status cf_v_check_return(struct cf_verifier *v, const cf_vtype *top);
#define CF_V_NO_SUBROUTINES "jsr or ret in code that is checked by frames"

// --- constructor.c: <init> ---

// The call of an <init>, whose arguments have been taken: the object is on top. Returns the top
// without it; NULL: failed.
cf_vtype *cf_v_initialize(struct cf_verifier *v, const struct cf_vmember *m, cf_vtype *top);
// A putfield to an object that is not initialised, or of a strict field. *target: what the object
// counts as. 1, or 0: failed.
int cf_v_early_putfield(struct cf_verifier *v, const struct cf_vmember *m, cf_vtype *target);
int cf_v_find_strict(struct cf_verifier *v);
// The index of a strict field; strict_count: it is none.
uint32_t cf_v_strict_index(const struct cf_verifier *v, unsigned name, unsigned descriptor);
// With previews of JDK 28 and later only; else the flag means something else, or nothing.
static inline int cf_v_may_be_strict(const struct cf_class *cls) {
    return cls->minor_version == 65535 && cls->major_version >= 72;
}

// --- infer.c ---

// Checks the code by type inference (JVMS 4.10.2); v's state is that of pc 0.
enum cf_status cf_v_infer(struct cf_verifier *v);

#endif
