// Inside verify_same.h: what its files share. A function that returns 0 has not shown what it is
// about.

#ifndef CF_VERIFY_SAME_PARTS_H
#define CF_VERIFY_SAME_PARTS_H

#include "classfile/verify/quick.h"
#include "classfile/rewritten/verify_delta.h"
#include "classfile/rewritten/delta_known.h"

#define CF_SAME_LOCALS 16  // slots of new local variables, at most
#define CF_SAME_PIECE 4    // that many are compared and copied at a time, beyond the last one too
#define CF_SAME_STATES 64  // times that what they hold changes
#define CF_SAME_SLOTS 1000 // of locals, and of the stack

// From `before` up to `at` of the new code all is new; from there on the original follows, from
// old_pc on.
struct cf_same_piece {
    uint32_t old_pc, before, at;
};

// What the new locals hold from a new pc on.
struct cf_same_state {
    uint32_t from;
    cf_vtype locals[CF_SAME_LOCALS];
};

enum {                      // what the locals of a frame name, in a constructor
    CF_SAME_THIS_FIRST = 1, // the first one is uninitializedThis
    CF_SAME_THIS = 2,       // any is
    CF_SAME_UNINITIALIZED = 4
};

struct cf_same_frame {
    uint16_t old_pc, new_pc;
    uint8_t state, names;
};

// Types of frames as they are in the class file, a word for each slot: the tag, and above it the
// operand. Of what the method is entered with, classes are offsets in its descriptor.
enum { CF_SAME_SECOND = 9, CF_SAME_PARAMETER = 10 };
#define CF_SAME_TAG(word) ((word)&0xFFu)
#define CF_SAME_OPERAND(word) ((word) >> 8)
#define CF_SAME_WORD(tag, operand) ((uint32_t)(tag) | (uint32_t)(operand) << 8)

// What a frame names of the new locals, as it says it, and as types.
struct cf_same_named {
    uint32_t words[CF_SAME_LOCALS];
    cf_vtype types[CF_SAME_LOCALS];
    uint32_t count; // above it all are TOP
};

// A StackMapTable being read, a frame ahead.
struct cf_same_table {
    const uint8_t *p, *end;
    uint32_t left; // frames behind the next one
    uint32_t pc;   // of the next one; UINT32_MAX: there is none
    unsigned form;
    uint32_t limit_locals, limit_stack, locals_count, stack_count;
    uint32_t *locals, *stack; // of the frame read last; above locals_count all are TOP
    int behind;               // of the new one: the words are of a frame before
};

struct cf_same {
    struct cf_rewrite *rewrite;
    const struct cf_class *view;
    struct cf_verifier *v; // v->code: of the new method
    struct cf_quick *q;
    struct cf_same_memory *memory;
    struct cf_verify_failure ignored;
    uint32_t room_locals, room_stack; // that the verifier has room for

    // The method at hand.
    const struct cf_code *was;
    uint32_t new_locals; // slots
    cf_vtype *locals;    // in the verifier's; all others there are TOP
    uint32_t body_end;   // in the new code
    struct cf_same_piece *pieces;
    uint32_t pieces_count, pieces_capacity;
    struct cf_same_table old, now;
    int has_initial; // both tables have the locals that the method is entered with
    uint32_t *words; // of the tables
    uint32_t words_capacity;
    // Frames of the original, and then those behind its code.
    struct cf_same_frame *frames;
    uint32_t frames_count, frames_moved, frames_capacity;
    uint16_t *frame_at; // by old pc: perhaps the index of a frame
    uint32_t frame_at_capacity;
    struct cf_same_named named; // of the frame read last
    struct cf_same_named usual; // of one before, in a method of the class
    uint32_t throwable_index;   // of a class that is Throwable; 0: none has been seen
    uint32_t states_count;
    // Where the depth of the original's stack is known.
    uint32_t depth_pc, depth;
    int is_constructor;
    // Of a constructor, once asked for: up to `early_end`, in the new code, `this` is not
    // initialised, and from `late_start` on it is; `this_stays`: in local 0 until then.
    int delegate_known, this_stays;
    uint32_t early_end, late_start;
    struct cf_same_state states[CF_SAME_STATES]; // the last: it is not cleared
};

// --- places ---

// The last piece that begins at or before an old pc, or, with `by_new`, a new one.
uint32_t cf_same_piece_of(const struct cf_same *s, uint32_t pc, int by_new);
// Where the original instruction is now.
static inline uint32_t cf_same_at(const struct cf_same *s, uint32_t old_pc) {
    const struct cf_same_piece *piece = &s->pieces[cf_same_piece_of(s, old_pc, 0)];
    return piece->at + (old_pc - piece->old_pc);
}
// Does an instruction begin there, or is it the code's end?
int cf_same_is_start(const struct cf_same *s, uint32_t new_pc);

// --- states ---

static inline void cf_same_copy(uint32_t *to, const uint32_t *from, uint32_t count) {
    for (uint32_t i = 0; i < count; i += CF_SAME_PIECE)
        memcpy(to + i, from + i, CF_SAME_PIECE * sizeof *to);
}
// 0 may also be said where what is behind the last one differs.
static inline int cf_same_words(const uint32_t *a, const uint32_t *b, uint32_t count) {
    for (uint32_t i = 0; i < count; i += CF_SAME_PIECE)
        if (memcmp(a + i, b + i, CF_SAME_PIECE * sizeof *a) != 0) return 0;
    return 1;
}

// Can what holds in state `from` be taken for what holds in `to`?
int cf_same_takes(struct cf_same *s, uint32_t to, uint32_t from);
// The index of the state that holds at a new pc.
static inline uint32_t cf_same_state_at(const struct cf_same *s, uint32_t new_pc) {
    uint32_t i = s->states_count - 1;
    while (s->states[i].from > new_pc) i--;
    return i;
}
// The new locals are now what s->locals says.
int cf_same_note_state(struct cf_same *s, uint32_t new_pc);

// --- verify_same_frames.c ---

int cf_same_open_frames(struct cf_same *s);
// The frames of both tables that come next are the same, the latter at `new_pc`: reads them.
int cf_same_take_frame(struct cf_same *s, uint32_t new_pc);
// The next frame of the new table, which is behind the original's code, at `new_pc`: that of a
// handler for all exceptions, which names no local of the original but, in a constructor, the
// first.
int cf_same_take_last(struct cf_same *s, uint32_t new_pc);
// The type on top of the stack of the frame read last. TOP: not known.
cf_vtype cf_same_top(struct cf_same *s);
static inline const struct cf_same_frame *cf_same_frame_at(const struct cf_same *s,
                                                           uint32_t old_pc) {
    if (old_pc >= s->was->length) return NULL;
    uint32_t i = s->frame_at[old_pc]; // of this method, or of one before
    return i < s->frames_moved && s->frames[i].old_pc == old_pc ? &s->frames[i] : NULL;
}

// --- verify_same_like.c: 0 where that is not so, or not easily seen ---

// The full frame that comes next in the new table is that of the original that was read last, with
// the new locals as they were before, or as they are usually. Then of its locals only how many
// there are is kept.
int cf_same_is_full_like(struct cf_same *s);
// The frame that comes next has the type on the stack that the original's has.
int cf_same_is_stack_like(struct cf_same *s);
// The full frame that comes next names the new locals as they are usually, no others, and a
// Throwable on the stack.
int cf_same_is_last_like(struct cf_same *s);

// --- verify_same_code.c ---

// What was put in at the piece, with the frame that may be there.
int cf_same_check_piece(struct cf_same *s, const struct cf_same_piece *piece);
// All that is behind the original's code.
int cf_same_check_rest(struct cf_same *s);

// --- verify_same_known.c ---

// Keeps what was put in at new pc `from`, has passed, and has made the states behind the one with
// index `before`.
void cf_same_learn(struct cf_same *s, struct cf_same_known *known, uint32_t from, uint32_t length,
                   uint32_t peak, uint32_t before);
// Is it what is there at `from`? Then it passes, and its states are made.
int cf_same_recall(struct cf_same *s, struct cf_same_known *known, uint32_t from);

// --- verify_same_tables.c ---

int cf_same_check_exceptions(struct cf_same *s);
int cf_same_check_variables(struct cf_same *s);

#endif
