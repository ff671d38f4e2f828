// idle.h: whether there is a processor that nobody uses

#ifndef INSTR_IDLE_H
#define INSTR_IDLE_H

#include <stdint.h>

// What was used up to some moment, in nanoseconds.
struct instr_use {
    uint64_t wall;    // the monotonic clock
    uint64_t process; // processor time of this process
    uint64_t idle;    // what the machine's processors were idle, all together; 0: unknown
};

void instr_use_take(struct instr_use *use);

// Was half a processor idle from `before` to `after`: of so many that this process may use, and of
// the machine's? 0, too, when that was too short a time to tell.
int instr_use_idle(const struct instr_use *before, const struct instr_use *after,
                   unsigned processors);

#endif
