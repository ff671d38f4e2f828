// Inside the verifier: what its files share.

#ifndef CF_VERIFY_PARTS_H
#define CF_VERIFY_PARTS_H

#include "classfile/code.h"
#include "classfile/verify.h"

// A verification type in 32 bits: a tag, and above it what the tag needs (an index into the table
// of types, or a pc). A long or double takes two slots, the second of which has a tag of its own.
typedef uint32_t cf_vtype;

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
#define CF_V_TAG(type) ((type)&0xFFu)
#define CF_V_PAYLOAD(type) ((type) >> 8)
#define CF_V_MAKE(tag, payload) ((uint32_t)(tag) | (uint32_t)(payload) << 8)
#define CF_V_IS_CLASS(type) (CF_V_TAG(type) >= CF_V_CLASS)

// Classes of which something is known. One that goes by two of these names has the first.
enum cf_known {
    CF_KNOWN_NOTHING,
    CF_KNOWN_OBJECT,
    CF_KNOWN_STRING,
    CF_KNOWN_CLASS_CLASS,
    CF_KNOWN_THROWABLE,
    CF_KNOWN_METHOD_TYPE,
    CF_KNOWN_METHOD_HANDLE,
    CF_KNOWN_CLONEABLE,
    CF_KNOWN_SERIALIZABLE,
    CF_KNOWN_THIS,
    CF_KNOWN_SUPER,
    CF_KNOWN_COUNT
};

// What a class or array type stands for. Arrays: of `dimensions` above the class or the primitive.
struct cf_vtype_entry {
    const uint8_t *name;
    uint32_t length;
    uint8_t dimensions; // 0: no array
    uint8_t element;    // the letter of a primitive; 0: the class `name`
};

struct cf_vsignature {           // of a method descriptor
    uint16_t arguments, results; // slots
    cf_vtype types[];            // of the arguments, then of the result
};

struct cf_vreference {    // Fieldref, Methodref, InterfaceMethodref, InvokeDynamic
    cf_vtype class_type;  // TOP: it has none
    cf_vtype field_type;  // Fieldref
    uint8_t tag;          // enum cf_tag
    uint8_t is_init;      // <init>
    uint8_t is_internal;  // a name that begins with <
    uint8_t is_protected; // a protected method of java.lang.Object: 1 clone, 2 finalize
    uint16_t class_index; // of the CONSTANT_Class
    uint16_t name_index, descriptor_index;
    const struct cf_vsignature *signature;
};

union cf_vmemo { // what was found out about a constant, by its index; all zero: nothing yet
    cf_vtype type;
    const struct cf_vreference *reference;
    const struct cf_vsignature *signature;
};

struct cf_vframe { // of the StackMapTable; types are in verifier->frame_types
    uint32_t pc;
    uint32_t locals, locals_count;
    uint32_t first; // local that is not TOP
    uint32_t stack, stack_count;
    uint32_t unset; // where the set of strict fields not yet set is
    int this_uninitialized;
};

enum {              // of cf_verifier.marks
    CF_V_START = 1, // an instruction begins
    CF_V_STOP = 2,  // running stops in front of it
    CF_V_RANGE = 8  // a range of the exception table begins
};

enum cf_vflow { // how running ended
    CF_FLOW_FAILED,
    CF_FLOW_STOP,   // in front of an instruction that is marked
    CF_FLOW_BRANCH, // at a conditional branch; operands are taken
    CF_FLOW_GOTO,
    CF_FLOW_SWITCH,
    CF_FLOW_END, // return or athrow
    CF_FLOW_JSR,
    CF_FLOW_RET
};

struct cf_vstrict { // a strict instance field (JDK 28: ACC_STRICT_INIT)
    uint16_t name_index, descriptor_index;
};

// An instruction that is not whole may end so many bytes behind the code, and its operands are
// there to be read: behind the code come two counts, and the rest of the class.
#define CF_V_PAST 8u

// What a method may take in such steps: some tenths of a second. Code that a compiler makes takes a
// few for each instruction.
#define CF_V_MOST_WORK (UINT64_C(1) << 26)

#define CF_V_SLACK 4u // slots that may be written above the stack before its depth is looked at

#define CF_V_PIECE 8u // slots behind the locals and the frames' types that may be written or read

#define CF_V_CONSTANT_SLOTS 9 // in front of the locals, for the quick check to load from

struct cf_quick;

struct cf_verifier {
    const struct cf_class *cls;
    cf_assignable *assignable;
    void *context;
    struct cf_verify_failure *failure;
    union cf_vmemo *memo; // by constant pool index
    struct cf_vtype_entry *types;
    uint32_t types_count, types_capacity;
    cf_vtype this_type;
    cf_vtype string_type, class_type, throwable_type, method_type_type, method_handle_type;
    struct cf_slice this_name, super_name;
    uint8_t known_super[CF_KNOWN_COUNT]; // the known superclass
    uint16_t known_classes, known_final; // bits: surely no interfaces; final
    int in_java_lang;
    struct cf_vstrict *strict;
    uint32_t strict_count; // 0 also where they have no meaning
    int strict_known;
    struct cf_quick *quick; // NULL: not for this class
    int quick_begun;

    // The method at hand. Of the arrays each keeps the room that a method before needed.
    const struct cf_member *method;
    struct cf_code code;
    const struct cf_verify_original *original;     // NULL: the method is as it was
    uint32_t old_stack, old_locals, old_constants; // limits of its instructions
    uint32_t new_start, new_end;                   // new instructions that were asked about last
    int inferring;
    int is_constructor; // <init>, of whichever class
    cf_vtype result;    // TOP: void
    uint8_t *marks;     // by pc, and CF_V_PAST behind the code
    uint32_t marks_capacity;
    int meets_uninitialized;         // the StackMapTable names a `new`; of the quick check
    uint64_t work;                   // steps of loops that multiply
    uint32_t guard_start, guard_end; // exception table entries lie in between
    struct cf_vframe *frames;
    uint32_t frames_count, frames_capacity;
    cf_vtype *frame_types;
    uint32_t frame_types_count, frame_types_capacity;

    // The state. Locals from locals_used on are TOP.
    cf_vtype *locals, *stack, *top;
    uint32_t locals_capacity, stack_capacity, locals_used;
    uint32_t *unset; // bits of the strict fields not yet set
    uint32_t unset_capacity;
    int this_uninitialized;
    int guarded;    // pc is between guard_start and guard_end
    int unmatched;  // locals have changed since the handlers were looked at
    uint64_t named; // bits of the locals that handlers name; the last one: of all from there on
    uint32_t pc;    // of the instruction at hand
};

// Opens the method's code, and clears the marks.
enum cf_status cf_v_open_code(struct cf_verifier *v);
// Room for the state of the method at hand.
enum cf_status cf_v_state_room(struct cf_verifier *v);
// JVMs look at the ranges of local variables: do they begin and end at instructions?
enum cf_status cf_v_check_attributes(struct cf_verifier *v);
int cf_v_is_table_of_variables(const struct cf_class *cls, uint32_t name);

// Records a failure at v->pc. Returns CF_UNVERIFIABLE.
enum cf_status cf_v_fail(struct cf_verifier *v, const char *reason, uint32_t value);
// The same, where `found` is not what is `needed`.
enum cf_status cf_v_mismatch(struct cf_verifier *v, const char *reason, cf_vtype found,
                             cf_vtype needed);
// What cannot be checked. Returns `status`.
enum cf_status cf_v_give_up(struct cf_verifier *v, enum cf_status status, const char *reason);
// Room for `count` elements of `size` bytes in an array of *capacity, the old ones kept. Returns
// NULL, and fails, without memory.
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
static inline int cf_v_is_new(struct cf_verifier *v) {
    return (v->pc >= v->new_start && v->pc < v->new_end) || cf_v_ask_if_new(v);
}
static inline int cf_v_is_local(struct cf_verifier *v, uint32_t index) {
    return index < v->old_locals || (index < v->code.max_locals && cf_v_is_new(v));
}
// May the instruction at v->pc name the constant? 1, or 0: failed.
static inline int cf_v_is_constant(struct cf_verifier *v, uint32_t index) {
    if (index < v->old_constants || cf_v_is_new(v)) return 1;
    cf_v_fail(v, "constant %u is beyond the constant pool", index);
    return 0;
}

// --- verify_types.c: types; a function that returns 0 or NULL has failed ---

// What is known of classes by their names: before all else.
void cf_v_learn(struct cf_verifier *v);
// enum cf_known of the class or interface.
unsigned cf_v_known(const struct cf_verifier *v, struct cf_slice name);
int cf_v_begin_types(struct cf_verifier *v);
// An array or class type; TOP: failed.
cf_vtype cf_v_type(struct cf_verifier *v, const uint8_t *name, uint32_t length, unsigned dimensions,
                   unsigned element);
// The type of the CONSTANT_Class at `index`. TOP: failed, it is none.
cf_vtype cf_v_find_class(struct cf_verifier *v, uint32_t index);
static inline cf_vtype cf_v_class(struct cf_verifier *v, uint32_t index) {
    if (cf_tag_at(v->cls, index) == CF_TAG_CLASS && v->memo[index].type) return v->memo[index].type;
    return cf_v_find_class(v, index);
}
// The type of a field descriptor; TOP: failed.
cf_vtype cf_v_descriptor(struct cf_verifier *v, const uint8_t **p, const uint8_t *end);
const struct cf_vsignature *cf_v_find_signature(struct cf_verifier *v, uint32_t descriptor_index);
const struct cf_vreference *cf_v_find_reference(struct cf_verifier *v, uint32_t index);
// A member constant; `tags` are the bits of those that may be there.
static inline const struct cf_vreference *cf_v_reference(struct cf_verifier *v, uint32_t index,
                                                         uint32_t tags) {
    unsigned tag = cf_tag_at(v->cls, index);
    if (!cf_v_is_constant(v, index)) return NULL;
    if (!(tags >> tag & 1)) {
        cf_v_fail(v, "constant %u is not of the kind that the instruction takes", index);
        return NULL;
    }
    if (v->memo[index].reference) return v->memo[index].reference;
    return cf_v_find_reference(v, index);
}
// Is `from`, which is not `to`, assignable to it?
int cf_v_assignable_slow(struct cf_verifier *v, cf_vtype from, cf_vtype to);
static inline int cf_v_assignable(struct cf_verifier *v, cf_vtype from, cf_vtype to) {
    unsigned tag = CF_V_TAG(to);
    if (from == to || to == CF_V_TOP) return 1;
    // Mostly: a class, to Object, to the same one of which something is known, or to one of which
    // nothing is.
    if (CF_V_IS_CLASS(from)) {
        if (tag == CF_V_CLASS + CF_KNOWN_OBJECT) return 1;
        if (tag == CF_V_CLASS ? !v->assignable : tag == CF_V_TAG(from)) return 1;
    }
    return cf_v_assignable_slow(v, from, to);
}
int cf_v_same_class(struct cf_verifier *v, cf_vtype a, cf_vtype b);
// The same for access to a protected member: interfaces count as classes if `from` is Object.
int cf_v_assignable_to_this(struct cf_verifier *v, cf_vtype from);
// The type of an array's elements; TOP for NULL and failures.
cf_vtype cf_v_component(struct cf_verifier *v, cf_vtype array);
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

// The target of the branch or jsr at `pc`; it may be anywhere.
static inline uint32_t cf_v_target(const struct cf_verifier *v, uint32_t pc) {
    const uint8_t *p = v->code.bytes + pc;
    int32_t offset = p[0] >= CF_OP_goto_w ? (int32_t)cf_be4(p + 1) : (int16_t)cf_be2(p + 1);
    return pc + (uint32_t)offset;
}

// --- verify_run.c, verify_operands.c: instructions ---

// Runs instructions from v->pc on, up to one that is marked CF_V_STOP, or one that ends a basic
// block: v->pc is left there.
enum cf_vflow cf_v_run(struct cf_verifier *v);
// ldc, field access, calls, creation: take operands from the stack and put the result there.
// 1, or 0: failed.
int cf_v_load_constant(struct cf_verifier *v, unsigned op, uint32_t index);
int cf_v_field(struct cf_verifier *v, unsigned op, uint32_t index);
int cf_v_invoke(struct cf_verifier *v, unsigned op, const uint8_t *p);
int cf_v_create(struct cf_verifier *v, unsigned op, const uint8_t *p);
int cf_v_reference_op(struct cf_verifier *v, unsigned op, const uint8_t *p);
// Takes `type`, a single slot, from the stack.
int cf_v_pop_slow(struct cf_verifier *v, cf_vtype type);
static inline int cf_v_pop(struct cf_verifier *v, cf_vtype type) {
    cf_vtype top = v->top[-1];
    if (top != type && (CF_V_TAG(top) < CF_V_CLASS || !cf_v_assignable(v, top, type)))
        return cf_v_pop_slow(v, type);
    v->top--;
    return 1;
}
// Sets a local and frees the other half of a long or double that it overwrites. The index has been
// looked at.
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

// --- verify_frames.c: the StackMapTable ---

// Reads all frames of the method; v's state is that of pc 0.
enum cf_status cf_v_read_frames(struct cf_verifier *v);
// The frame at `pc`, or NULL.
const struct cf_vframe *cf_v_frame_at(const struct cf_verifier *v, uint32_t pc);
// Is the state assignable to the frame?
enum cf_status cf_v_match(struct cf_verifier *v, const struct cf_vframe *frame, const char *reason);
enum cf_status cf_v_load(struct cf_verifier *v, const struct cf_vframe *frame);
// Are the locals assignable to the frames of all handlers that cover v->pc? `this_uninitialized`
// as the flag of the state.
enum cf_status cf_v_match_handlers(struct cf_verifier *v, int this_uninitialized);

// --- verify_constructor.c: <init> ---

// The call of `reference`, an <init>, whose arguments have been taken.
int cf_v_initialize(struct cf_verifier *v, const struct cf_vreference *reference);
// A putfield to an object that is not initialised, or of a strict field. *target: what the object
// counts as.
int cf_v_early_putfield(struct cf_verifier *v, const struct cf_vreference *reference,
                        cf_vtype *target);
int cf_v_find_strict(struct cf_verifier *v);
// With previews of JDK 28 and later only; else the flag means something else, or nothing.
static inline int cf_v_may_be_strict(const struct cf_class *cls) {
    return cls->minor_version == 65535 && cls->major_version >= 72;
}
// The field of this class that is meant. 1, or 0: of another class, or there is none.
int cf_v_find_own_field(const struct cf_verifier *v, uint32_t class_index, uint32_t name_index,
                        uint32_t descriptor_index, struct cf_member *field);

// --- verify_infer.c ---

enum cf_status cf_v_infer(struct cf_verifier *v);

#endif
