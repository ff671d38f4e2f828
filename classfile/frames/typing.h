// Typing forward: the types of locals and stack at an instruction, found by running the code's
// effects on types from the nearest frame before it. Within a basic block that is all that JVMS
// 4.10.1 asks for, so no class hierarchy is needed and no class is ever loaded.

#ifndef CF_TYPING_H
#define CF_TYPING_H

#include "classfile/frames.h"
#include "classfile/format/strict_fields.h"

// Types by slot: a long or double takes two, the second of which is TOP.
struct cf_state {
    uint32_t locals_count, stack_count; // slots
    uint32_t locals_capacity, stack_capacity;
    struct cf_type *locals, *stack;
    const uint8_t *unset;   // strict fields not yet set (strict_fields.h); NULL: none are tracked
    int this_uninitialized; // flagThisUninit
};

struct cf_typing {
    const struct cf_code *code;
    struct cf_pool *pool;
    struct cf_state state;
    struct cf_error *error;
};

// The capacities are those of the method plus `more_locals` and `more_stack` slots.
enum cf_status cf_typing_init(struct cf_typing *typing, const struct cf_code *code,
                              struct cf_pool *pool, uint32_t more_locals, uint32_t more_stack,
                              struct cf_error *error);
// Sets the state from a frame.
enum cf_status cf_typing_load(struct cf_typing *typing, const struct cf_frame *frame);
// Runs one instruction, whose bytes are `bytes[0..]` and which stands at `pc` of the original code
// (for `new`; in a snippet CF_IN_SNIPPET with the offset there). Its operands may name constants
// old and new. What does not fit the types is CF_MALFORMED: the class would not verify.
#define CF_IN_SNIPPET 0x80000000u
enum cf_status cf_typing_step(struct cf_typing *typing, const uint8_t *bytes, uint32_t pc);
// The state as a frame, in arena memory. Trailing TOPs of the locals are left out.
enum cf_status cf_typing_frame(const struct cf_typing *typing, struct cf_frame *frame);

#endif
