// The numbers of passes (instr_pass_options.number), which keep the counters of passes apart.
//
// A pass that is switched on again starts from zero, so it needs a number under which nothing is
// counted: one that it had before, once no code of that time runs any more, or else a new one.
// Reusing numbers bounds the number of ids and the size of constant pools: the JVM never removes a
// constant from the pool of a loaded class. One thread at a time. Knows no JVM.

#ifndef INSTR_PASS_IDS_H
#define INSTR_PASS_IDS_H

#include <stdint.h>

enum { INSTR_NUMBERS = 256 }; // that are remembered; further ones are never reused

struct instr_pass_ids {
    struct {
        const void *pass;
        unsigned number;
        int on;
        uint64_t free_at; // ns; when it may be reused
    } given[INSTR_NUMBERS];
    unsigned count;
    unsigned next; // the first number that was never used and is not the first of any pass
};

// Passes that are made share their numbers: `pass` is then their kind.
#define INSTR_NO_NUMBER (~0u)

// A number for a pass, whose first number is `own`; INSTR_NO_NUMBER: it has none. `now` is in ns. *again: the pass had the number
// before, and its counters must be cleared first. `apart`: prefer a new number while the pass has
// had few.
unsigned instr_pass_ids_take(struct instr_pass_ids *ids, const void *pass, unsigned own,
                             uint64_t now, int apart, int *again);

// The pass with this number is off; the number may be reused from `free_at` on.
void instr_pass_ids_leave(struct instr_pass_ids *ids, unsigned number, uint64_t free_at);

// Sets when the numbers may be reused that were left with the time INSTR_NEVER.
void instr_pass_ids_free_left(struct instr_pass_ids *ids, uint64_t free_at);

#endif
