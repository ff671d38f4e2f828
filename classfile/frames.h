// Stack map frames (JVMS 4.7.4), read one after another. A stack_map_frame begins with a
// frame_type:
//
//      0 ..  63  same                               offset_delta is frame_type
//     64 .. 127  same_locals_1_stack_item           offset_delta is frame_type - 64; stack[1]
//    128 .. 245  reserved
//          246   early_larval (value classes)       u2 count, u2 unset_fields[count], a base frame
//          247   same_locals_1_stack_item_extended  u2 offset_delta, stack[1]
//    248 .. 250  chop                               u2 offset_delta; 251 - frame_type locals less
//          251   same_extended                      u2 offset_delta
//    252 .. 254  append                             u2 offset_delta, locals[frame_type - 251]
//          255   full                               u2 offset_delta, u2 m, locals[m], u2 n, stack[n]
//
// locals and stack hold verification_type_info. unset_fields holds NameAndType indexes of strict
// fields; the base frame is one of the other types.

#ifndef CF_FRAMES_H
#define CF_FRAMES_H

#include "classfile/code.h"
#include "classfile/decls.h"
#include "classfile/pool.h"

CF_BEGIN_DECLS

struct cf_strict;

enum cf_type_tag { // verification_type_info
    CF_TYPE_TOP = 0,
    CF_TYPE_INTEGER = 1,
    CF_TYPE_FLOAT = 2,
    CF_TYPE_DOUBLE = 3,
    CF_TYPE_LONG = 4,
    CF_TYPE_NULL = 5,
    CF_TYPE_UNINITIALIZED_THIS = 6,
    CF_TYPE_OBJECT = 7,
    CF_TYPE_UNINITIALIZED = 8
};

// A verification type. A class is given by its constant (index) or, as long as it needs none, by
// its name: an internal name, or a descriptor for arrays.
struct cf_type {
    uint8_t tag;
    uint16_t index;       // OBJECT: of the CONSTANT_Class, 0: see name
    uint32_t pc;          // UNINITIALIZED: of the `new`, in the original code
    struct cf_slice name; // OBJECT with index 0
};

static inline unsigned cf_type_slots(const struct cf_type *type) {
    return type->tag == CF_TYPE_LONG || type->tag == CF_TYPE_DOUBLE ? 2 : 1;
}

enum cf_frame_type { // the first frame_type of each kind
    CF_FRAME_SAME = 0,
    CF_FRAME_SAME_LOCALS_1 = 64,
    CF_FRAME_RESERVED = 128,
    CF_FRAME_EARLY_LARVAL = 246,
    CF_FRAME_SAME_LOCALS_1_EXTENDED = 247,
    CF_FRAME_CHOP = 248,
    CF_FRAME_SAME_EXTENDED = 251, // a chop or an append of no locals
    CF_FRAME_APPEND = 252,
    CF_FRAME_FULL = 255
};

// A frame as in the table: long and double take one entry. While `this` is not initialized, it also
// has the strict fields that are not set yet: those that frame type 246 lists, or else those of the
// previous frame; at the method's entry all. A frame written with `unset` NULL inherits them.
struct cf_frame {
    uint32_t pc;
    uint32_t locals_count, stack_count;
    struct cf_type *locals, *stack;
    const uint8_t *unset; // a set (strict_fields.h); NULL: there are no such fields
};

// Does it contain an uninitialized `this`?
static inline int cf_is_larval(const struct cf_frame *f) {
    for (uint32_t i = 0; i < f->locals_count; i++)
        if (f->locals[i].tag == CF_TYPE_UNINITIALIZED_THIS) return 1;
    for (uint32_t i = 0; i < f->stack_count; i++)
        if (f->stack[i].tag == CF_TYPE_UNINITIALIZED_THIS) return 1;
    return 0;
}

// Reads the frames of a method in order. `frame` is the current one; its arrays belong to the
// reader.
struct cf_frame_reader {
    const struct cf_code *code;
    struct cf_reader r; // behind what was read of the current frame
    uint32_t left;      // frames not yet read
    int first;
    const struct cf_strict *strict; // NULL: unset fields are skipped
    int was_larval;                 // the previous frame
    struct cf_frame frame;
    uint8_t type;    // frame_type of the current frame; under early_larval, of its base frame
    uint32_t offset; // of the current frame in the class file
    uint32_t locals_capacity, stack_capacity;
    uint64_t work; // types of all frames so far
};

// Starts before the first frame: `frame` is the implicit frame at pc 0 (JVMS 4.10.1.6), whose
// classes have a name but no constant yet. Without a StackMapTable there are no frames to read. If
// `types` is 0, only the two functions that do not read types may be called.
enum cf_status cf_frames_open(struct cf_frame_reader *reader, const struct cf_code *code, int types,
                              struct cf_error *error);
// Steps to the next frame. Returns 1, or 0 at the end and on an error (error->status is then set).
// CF_LIMIT: frames that repeat so many types that what is done with each would take minutes.
int cf_frames_next(struct cf_frame_reader *reader);
// The same without types: reads pc and the depth of the stack in slots.
int cf_frames_next_depth(struct cf_frame_reader *reader, uint32_t *depth);
// The same up to offset_delta: reads pc and frame_type. The caller reads the types through
// reader->r.
int cf_frames_next_head(struct cf_frame_reader *reader);

// The implicit frame at pc 0 of the method. `locals` has room for 256 types.
enum cf_status cf_initial_locals(const struct cf_code *code, struct cf_type *locals,
                                 uint32_t *locals_count, struct cf_error *error);

// The type of a field descriptor (boolean, byte, char, short: INTEGER).
struct cf_type cf_type_of(struct cf_slice descriptor);
// The tag of that type by the descriptor's first letter; TOP: no type begins with it.
extern const uint8_t cf_tag_of_letter[256];

CF_END_DECLS

#endif
