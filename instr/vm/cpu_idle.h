// cpu_idle.h: is a processor idle?

#ifndef INSTR_VM_CPU_IDLE_H
#define INSTR_VM_CPU_IDLE_H

#include <stdint.h>

// Times up to some moment, in nanoseconds.
struct instr_use {
    uint64_t wall;    // the monotonic clock
    uint64_t process; // processor time of this process
    uint64_t idle;    // idle time of all processors of the machine; 0: unknown
};

void instr_use_take(struct instr_use *use);

// Was at least half a processor idle from `before` to `after`, both of the processors that this
// process may use and of the machine's? 0 if the interval is too short to measure.
int instr_use_idle(const struct instr_use *before, const struct instr_use *after,
                   unsigned processors);

#endif
