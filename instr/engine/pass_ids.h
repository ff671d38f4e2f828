// numbers.h: the numbers of passes (instr_pass_options.number), by which what they count is told
// apart.
//
// A pass that is switched on again counts anew, so it takes a number under which nothing is
// counted: one that it had before, once the code that was under way then has ended, else a new one.
// So ids do not grow with how often passes are switched, nor do constant pools: the JVM never takes
// a constant out of the pool of a class that is loaded. One thread at a time. Knows no JVM.

#ifndef INSTR_NUMBERS_H
#define INSTR_NUMBERS_H

#include <stdint.h>

enum { INSTR_NUMBERS = 256 }; // that are remembered; further ones are never taken again

struct instr_pass_ids {
    struct {
        const void *pass;
        unsigned number;
        int on;
        uint64_t free_at; // ns; when it may be taken again
    } given[INSTR_NUMBERS];
    unsigned count;
    unsigned next; // the first number that nobody has had, and that no pass has as its own
};

// A number for a pass, of which `own` is the first. `now` in ns. *again: it was the pass's before,
// and what is counted under it is to be forgotten first. `apart`: rather a new one, as long as the
// pass has had few.
unsigned instr_pass_ids_take(struct instr_pass_ids *numbers, const void *pass, unsigned own,
                             uint64_t now, int apart, int *again);

// The pass with this number is off; from `free_at` on it may be taken again.
void instr_pass_ids_leave(struct instr_pass_ids *numbers, unsigned number, uint64_t free_at);

#endif
