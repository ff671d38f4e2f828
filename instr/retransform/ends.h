// ends.h: passes that the agent has switched off of its own accord, and why
//
// Any thread may call these functions: an attach switches passes on beside the control thread.

#ifndef INSTR_RETRANSFORM_ENDS_H
#define INSTR_RETRANSFORM_ENDS_H

#include "instr/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INSTR_ENDS = 16 }; // at most so many are remembered

struct instr_end {
    char pass[64]; // its name: one that was made may not exist any more
    struct instr_owner owner;
    bool by_time;  // as its options ask (for=)
    uint64_t at;   // ns, of instr_clock_now
    uint64_t date; // milliseconds since 1970
    char why[160]; // "estimated overhead is 23.4% of CPU time, more than max-overhead=10%"
};

// Notes it, before the pass is switched off: its name, its owner, `by_time` and `why` are given.
void instr_ends_note(const struct instr_end *end);

// Copies one to `end`: the pass that was switched off last is the one of index 0. False: there are
// not so many.
bool instr_ends_get(size_t index, struct instr_end *end);

// These options have been switched on: what ended before and is among them is forgotten.
void instr_ends_follow(const struct instr_options *options);

// The agent is detached: forgets everything.
void instr_ends_forget(void);

// Writes why and when the pass of this name and owner was switched off, or, with NULL, the last
// pass, or that of any owner. For passes that are off. False: the agent has switched none of them off.
bool instr_ends_say(const char *name, const struct instr_owner *owner, char *text, size_t size);

// Copies the end of the pass of this name, of `length` bytes, after `since` (ns) to `end`. False: the
// agent has not switched it off; `end` has any content then.
bool instr_ends_since(const char *name, size_t length, uint64_t since, struct instr_end *end);

#endif
