// The time of calls of which only some were timed (InstrSampling). Pure C.

#ifndef INSTR_ESTIMATE_H
#define INSTR_ESTIMATE_H

#include <stdint.h>

// What is known of the calls of a method that returned before the next tick and have no time of their own. Times are in
// nanoseconds.
struct instr_estimate {
    uint64_t calls;         // so many
    uint64_t sampled;       // of these were timed;
    uint64_t weight, total; // for how many calls they stand, and the time of those;
    double squares;         // see struct instr_counter_row
    int64_t unseen;         // the time of long ones, for which those do not stand
    int64_t ticked;         // the time of all, by the ticks
    uint64_t overhead;      // of the clock, for each call that was timed
    uint64_t tick;          // from one tick to the next
    double late;            // for which part of the time ticks were late
};

// The time of all.
uint64_t instr_estimate_time(const struct instr_estimate *known);

#endif
