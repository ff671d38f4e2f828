// clock.h: clocks

#ifndef INSTR_BASE_CLOCK_H
#define INSTR_BASE_CLOCK_H

#include <stdint.h>

// A time that never comes.
#define INSTR_NEVER UINT64_MAX

// CLOCK_MONOTONIC in nanoseconds, the clock of System.nanoTime.
uint64_t instr_clock_now(void);

// What one reading of it takes, in nanoseconds. The first call measures it, which takes some 0.05 ms.
uint64_t instr_clock_cost(void);

// CPU time of the calling thread, in nanoseconds.
uint64_t instr_clock_thread_cpu(void);

// By how much a time or a count has grown; 0: it began anew meanwhile.
static inline uint64_t instr_since(uint64_t before, uint64_t now) {
    return now > before ? now - before : 0;
}

// Milliseconds since 1970, the clock of System.currentTimeMillis.
uint64_t instr_clock_date(void);

#endif
