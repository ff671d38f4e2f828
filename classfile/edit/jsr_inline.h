// Inlining the subroutines of one method: its code (jsr_inline.c), then its tables (inline.c).

#ifndef CF_INLINE_PARTS_H
#define CF_INLINE_PARTS_H

#include "classfile/inline.h"

#define CF_NOWHERE UINT32_MAX

struct cf_subroutine {
    struct cf_subroutine *next;
    uint32_t start;     // index of its first instruction; the method's own code: 0
    uint64_t *contains; // a bit for each instruction
};

struct cf_copy { // of a subroutine, for one call
    struct cf_copy *parent, *next;
    const struct cf_subroutine *subroutine;
    uint32_t *at; // by instruction, its new pc; CF_NOWHERE: not in this copy
    uint32_t end, return_pc;
    uint32_t called_at; // new pc of the goto that enters it
    uint32_t depth;     // the copies around it, and itself
};

struct cf_inliner {
    struct cf_code code;
    struct cf_arena *arena;
    struct cf_error *error;
    uint64_t work;   // steps of loops that multiply
    uint16_t *index; // by pc
    struct cf_subroutine *subroutines, **last_subroutine;
    struct cf_subroutine **starting; // by instruction; NULL: no subroutine starts there
    uint64_t *visited, *shared;
    uint32_t *to_do; // instructions that are still to be visited
    struct cf_copy *copies, **last_copy;
    uint32_t *places; // by instruction, for one copy: the new pc of what it has there or next
    int wide;         // goto_w instead of goto
    uint8_t *bytes, *returns;
    uint32_t length;
};

// Finds the subroutines of in->code, and writes bytes, returns and length, with a copy of each for
// each call. The rest of `in` but code, arena and error is zero at first.
enum cf_status cf_inline_code(struct cf_inliner *in);
// Where a jump of the copy to instruction i leads. CF_NOWHERE: it is broken.
uint32_t cf_inline_target(const struct cf_inliner *in, struct cf_copy *copy, uint32_t i);
// The new pc of the goto behind instruction i of the copy, from which control falls through to an
// instruction that is shared with a caller. CF_NOWHERE: there is no such goto.
uint32_t cf_inline_join(const struct cf_inliner *in, struct cf_copy *copy, uint32_t i);
// Counts steps. CF_UNSUPPORTED: there were too many.
enum cf_status cf_inline_works(struct cf_inliner *in, uint64_t steps);

#endif
