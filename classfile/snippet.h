// Snippets: short sequences of instructions, written once and anchored in any number of places
// (edit.h). A snippet knows how much stack it needs, and has its own labels, branches and handlers.
// Errors are sticky and are reported when the method is encoded.
//
//      struct cf_snippet *s = cf_snippet_new(edit);
//      cf_push_int(s, id);
//      cf_call(s, callee);

#ifndef CF_SNIPPET_H
#define CF_SNIPPET_H

#include "classfile/decls.h"
#include "classfile/frames.h"

CF_BEGIN_DECLS

struct cf_edit;

// A static method to call, from cf_callee_new.
struct cf_callee {
    uint16_t methodref;   // 0: none
    uint8_t pops, pushes; // slots
};

struct cf_snippet_label {
    uint32_t at;   // offset in the snippet; UINT32_MAX: not placed yet
    int32_t depth; // of the stack there, relative to the anchor's; INT32_MIN: not known yet
    int is_target; // a branch or handler leads here: a frame is needed
    uint32_t typed_local;
    uint16_t typed_class; // of typed_local, see cf_type_at_label; 0: none
};

struct cf_snippet_branch {
    uint32_t at;    // of the opcode
    uint32_t label; // of the snippet; UINT32_MAX: see pc
    uint32_t pc;    // of an original instruction
};

struct cf_snippet_handler {
    uint32_t start, end, handler; // labels
    uint16_t catch_type;          // index of a CONSTANT_Class; 0: any
};

struct cf_snippet {
    struct cf_edit *edit;
    uint8_t *bytes; // room for CF_SNIPPET_ROOM at least
    uint32_t capacity;
    uint32_t first_new_local; // the method's own locals are below
    // From here on everything is zero at first.
    uint32_t length;
    uint32_t number;     // of the edit's snippets, from 1 on
    int32_t depth, peak; // slots above the anchor's depth: current and maximum
    int32_t lowest;      // below 0: the snippet pops values of the method
    int unreachable;     // the last instruction never falls through
    int uses_new_locals;
    uint32_t labels_count, branches_count, handlers_count;
    struct cf_snippet_label *labels;
    struct cf_snippet_branch *branches;
    struct cf_snippet_handler *handlers;
};

#define CF_SNIPPET_ROOM 32

// Room for the next `size` bytes; NULL: none, the edit has failed.
uint8_t *cf_snippet_grow(struct cf_snippet *s, uint32_t size);
static inline uint8_t *cf_snippet_room(struct cf_snippet *s, uint32_t size) {
    if (size > s->capacity - s->length) return cf_snippet_grow(s, size);
    uint8_t *p = s->bytes + s->length;
    s->length += size;
    return p;
}
static inline void cf_snippet_depth(struct cf_snippet *s, int32_t pops, int32_t pushes) {
    int32_t low = s->depth - pops, high = low + pushes;
    s->depth = high;
    if (pops && low < s->lowest) s->lowest = low;
    if (pushes && high > s->peak) s->peak = high;
}

// --- plain snippets ---

// For code that goes into every method, where speed matters: instructions of up to four bytes that
// are prepared once and copied into any number of snippets.
//
//      struct cf_snippet *s = cf_snippet_new(edit);
//      uint8_t *p = s->bytes;
//      p = cf_put_ready(p, load);
//      p = cf_put_ready(p, cf_ready_call(callee));
//      cf_snippet_close(s, p, 2);
struct cf_ready {
    uint32_t word, length; // the first byte is the highest; length 0: no such instruction
};
static inline struct cf_ready cf_ready_local(enum cf_opcode op, uint32_t local) {
    int is_load = op >= CF_OP_iload && op <= CF_OP_aload;
    unsigned kind = (unsigned)op - (is_load ? (unsigned)CF_OP_iload : (unsigned)CF_OP_istore);
    unsigned nearest = (is_load ? CF_OP_iload_0 : CF_OP_istore_0) + 4 * kind;
    // Which of the short forms it is cannot be predicted: no branch.
    uint32_t is_near = local < 4, near = 0u - is_near;
    struct cf_ready ready = {(((nearest + local) << 24) & near) |
                                 (((uint32_t)op << 24 | local << 16) & ~near),
                             2 - is_near};
    if (local < 256) return ready;
    ready.word = (uint32_t)CF_OP_wide << 24 | (uint32_t)op << 16 | (local & 0xffff);
    ready.length = 4;
    return ready;
}
// Like cf_push_int; length 0 if that takes several instructions or the pool is full.
struct cf_ready cf_ready_push(struct cf_edit *edit, int32_t value);
// Fails the edit because a constant could not be added.
enum cf_status cf_no_constant(struct cf_edit *edit);
// The callee must have a methodref.
static inline struct cf_ready cf_ready_call(struct cf_callee callee) {
    struct cf_ready call = {(uint32_t)CF_OP_invokestatic << 24 | (uint32_t)callee.methodref << 8,
                            3};
    return call;
}
// May write up to 3 bytes beyond the instruction.
static inline uint8_t *cf_put_ready(uint8_t *p, struct cf_ready instruction) {
    cf_put4(p, instruction.word);
    return p + instruction.length;
}
// Ends a snippet at `end`, at most CF_SNIPPET_ROOM behind its first byte. It must leave the depth
// of the stack unchanged, uses at most `peak` slots, and may use new locals.
static inline void cf_snippet_close(struct cf_snippet *s, const uint8_t *end, int32_t peak) {
    s->length = (uint32_t)(end - s->bytes);
    s->peak = peak;
    s->uses_new_locals = 1;
}

// --- other snippets ---

// An instruction without operands.
void cf_op(struct cf_snippet *s, enum cf_opcode op);
// Pushes a number with iconst, bipush, sipush or ldc. In a class whose constants the JVM merges,
// ishl and ior are used to need as few constants as possible.
void cf_push_number(struct cf_snippet *s, int32_t value);
static inline void cf_push_int(struct cf_snippet *s, int32_t value) {
    uint32_t length = s->length;
    if (value < 128 || value > 32767 || s->capacity - length < 3) {
        cf_push_number(s, value);
        return;
    }
    s->bytes[length] = CF_OP_sipush;
    cf_put2(s->bytes + length + 1, (uint32_t)value);
    s->length = length + 3;
    cf_snippet_depth(s, 0, 1);
}
// ldc or ldc_w; ldc2_w where the constant, also a dynamic one, is a long or double.
void cf_push_constant(struct cf_snippet *s, uint16_t index);
// The instruction for a local of a type, by the first letter of its descriptor (JVMS 4.3.2).
enum cf_opcode cf_load_of(char type);
enum cf_opcode cf_store_of(char type);
// Notes that the snippet uses a local beyond those of the method; the edit fails if it has not that many
// (cf_new_local).
void cf_use_new_local(struct cf_snippet *s, uint32_t local);
// xload, xstore (`op` is iload .. aload, istore .. astore) in the shortest form.
void cf_far_local(struct cf_snippet *s, enum cf_opcode op, uint32_t local);
static inline void cf_local(struct cf_snippet *s, enum cf_opcode op, uint32_t local) {
    int is_load = op >= CF_OP_iload && op <= CF_OP_aload;
    unsigned kind = (unsigned)op - (is_load ? (unsigned)CF_OP_iload : (unsigned)CF_OP_istore);
    int32_t slots = kind == 1 || kind == 3 ? 2 : 1; // long and double
    uint32_t length = s->length;
    if (local < 256 && s->capacity - length >= 4) {
        struct cf_ready ready = cf_ready_local(op, local);
        if (local >= s->first_new_local) cf_use_new_local(s, local);
        s->length = length + ready.length;
        cf_put_ready(s->bytes + length, ready);
    } else {
        cf_far_local(s, op, local);
    }
    cf_snippet_depth(s, is_load ? 0 : slots, is_load ? slots : 0);
}
// iinc; `by` from -32,768 to 32,767.
void cf_increment(struct cf_snippet *s, uint32_t local, int32_t by);
// An instruction whose operand is a constant pool index of two bytes (field access, new, checkcast,
// invokes other than invokeinterface); slots as given.
void cf_op_constant(struct cf_snippet *s, enum cf_opcode op, uint16_t index, unsigned pops,
                    unsigned pushes);
// invokeinterface; `pops` has the object's slot, too.
void cf_call_interface(struct cf_snippet *s, uint16_t index, unsigned pops, unsigned pushes);
static inline void cf_call(struct cf_snippet *s, struct cf_callee callee) {
    uint32_t length = s->length;
    if (!callee.methodref || s->capacity - length < 3) {
        cf_op_constant(s, CF_OP_invokestatic, callee.methodref, callee.pops, callee.pushes);
        return;
    }
    uint8_t *p = s->bytes + length;
    s->length = length + 3;
    cf_snippet_depth(s, callee.pops, callee.pushes);
    p[0] = CF_OP_invokestatic;
    cf_put2(p + 1, callee.methodref);
}

uint32_t cf_label(struct cf_snippet *s);
void cf_place(struct cf_snippet *s, uint32_t label);
// On all ways to the label the local has objects of a class (index of a CONSTANT_Class), or of others below it. Without
// that its types have to be the same, since the editor knows no superclasses.
void cf_type_at_label(struct cf_snippet *s, uint32_t label, uint32_t local, uint16_t class_index);
// ifxx or goto to a label of the snippet.
void cf_branch_to(struct cf_snippet *s, enum cf_opcode op, uint32_t label);
// ifxx or goto to an original instruction, by index: snippets before it run.
void cf_branch_to_original(struct cf_snippet *s, enum cf_opcode op, uint32_t instruction);
// Exceptions of `catch_type` (0: any) between two labels go to a third label, where the stack holds
// only the exception. To be called before the third label is placed. Handlers of the snippet
// precede those of the method.
void cf_handler(struct cf_snippet *s, uint32_t start, uint32_t end, uint32_t handler,
                uint16_t catch_type);
// The same in a snippet that is anchored only where the stack has `depth` slots, which a handler
// discards: other code that leads to the same labels must pop them too.
void cf_handler_at_depth(struct cf_snippet *s, uint32_t start, uint32_t end, uint32_t handler,
                         uint16_t catch_type, int32_t depth);

// Appends a snippet with its labels, branches and handlers, which do not change in either later.
void cf_snippet_append(struct cf_snippet *to, const struct cf_snippet *s);

// The opcode of the opposite condition of an ifxx.
unsigned cf_opposite(unsigned op);

CF_END_DECLS

#endif
