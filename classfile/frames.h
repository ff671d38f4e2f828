// Stack map frames (JVMS 4.7.4): reading them one after another, and writing them in their shortest
// form.

#ifndef CF_FRAMES_H
#define CF_FRAMES_H

#include "classfile/code.h"
#include "classfile/pool.h"

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

// A verification type. A class is known by its constant (index) or, until one is needed, by its
// name: an internal name, or a descriptor for arrays.
struct cf_type {
    uint8_t tag;
    uint16_t index;       // OBJECT: of the CONSTANT_Class, 0: see name
    uint32_t pc;          // UNINITIALIZED: of the `new`, in the original code
    struct cf_slice name; // OBJECT with index 0
};

static inline unsigned cf_type_slots(const struct cf_type *type) {
    return type->tag == CF_TYPE_LONG || type->tag == CF_TYPE_DOUBLE ? 2 : 1;
}

#define CF_FRAME_EARLY_LARVAL 246

// A frame as the table has it: long and double take one entry. Where `this` is not initialised yet,
// it also knows the strict fields that are not set yet: those that frame type 246 lists, or else
// those of the frame before; at the method's entry all. To write one with `unset` NULL is to let it
// inherit what there is.
struct cf_frame {
    uint32_t pc;
    uint32_t locals_count, stack_count;
    struct cf_type *locals, *stack;
    const uint8_t *unset; // a set (strict.h); NULL: there are no such fields
};

// Is `this` uninitialised in it?
static inline int cf_is_larval(const struct cf_frame *f) {
    for (uint32_t i = 0; i < f->locals_count; i++)
        if (f->locals[i].tag == CF_TYPE_UNINITIALIZED_THIS) return 1;
    for (uint32_t i = 0; i < f->stack_count; i++)
        if (f->stack[i].tag == CF_TYPE_UNINITIALIZED_THIS) return 1;
    return 0;
}

// Reads the frames of a method in order. `frame` holds the current one; its arrays are the
// reader's.
struct cf_frame_reader {
    const struct cf_code *code;
    struct cf_reader r;
    uint32_t left; // frames to come
    int first;
    const struct cf_strict *strict; // NULL: no need to know
    int was_larval;                 // the frame before
    struct cf_frame frame;
    uint8_t form;    // frame_type of the current frame (of its base, under 246)
    uint32_t offset; // of the current frame in the class file
    uint32_t locals_capacity, stack_capacity;
};

// Starts before the first frame: `frame` is the implicit frame at pc 0 (JVMS 4.10.1.6), whose class
// names still lack their constants. Without a StackMapTable there are no frames to come. With
// `types` 0 nothing but cf_frames_next_depth may follow.
enum cf_status cf_frames_open(struct cf_frame_reader *reader, const struct cf_code *code, int types,
                              struct cf_error *error);
// Steps to the next frame. Returns 1, or 0 at the end or on an error (then error->status is set).
int cf_frames_next(struct cf_frame_reader *reader);
// The same, without keeping track of the types: only pc and the depth of the stack in slots.
int cf_frames_next_depth(struct cf_frame_reader *reader, uint32_t *depth);

// The implicit frame at pc 0 of the method. `locals` has room for 256 types.
enum cf_status cf_initial_locals(const struct cf_code *code, struct cf_type *locals,
                                 uint32_t *locals_count, struct cf_error *error);

// The type that a field descriptor stands for (boolean, byte, char, short: INTEGER).
struct cf_type cf_type_of(struct cf_slice descriptor);
// The tag of that type by the descriptor's first letter; TOP: no type begins so.
extern const uint8_t cf_tag_of_letter[256];

// --- writing ---

struct cf_frame_writer {
    struct cf_pool *pool;
    struct cf_arena *arena;
    const struct cf_code *code;
    uint8_t *bytes; // the entries; the attribute's head is the caller's
    uint32_t length, capacity;
    uint32_t count; // frames written
    uint32_t pc;    // of the last frame, in the new code
    // The locals of the last frame written, which the next one is relative to.
    struct cf_type *locals;
    uint32_t locals_count, locals_capacity;
    // The strict fields that the next frame inherits as unset. `strict` is NULL where none are.
    const struct cf_strict *strict;
    const uint8_t *unset; // NULL: not known
    int was_larval;       // the last frame
    // new pc of an original instruction, for Uninitialized(offset)
    uint32_t (*map)(const void *context, uint32_t pc);
    const void *context;
    enum cf_status status;
    const char *reason; // of the status, when it is not memory or the pool
};

// `initial`: the implicit frame at pc 0 that the first frame is relative to.
void cf_frame_writer_init(struct cf_frame_writer *w, struct cf_pool *pool,
                          const struct cf_code *code);
enum cf_status cf_frame_writer_start(struct cf_frame_writer *w, const struct cf_frame *initial);
// Appends a frame at `pc` (new code), in the shortest form. Frames come in ascending order.
void cf_write_frame(struct cf_frame_writer *w, uint32_t pc, const struct cf_frame *frame);

#endif
