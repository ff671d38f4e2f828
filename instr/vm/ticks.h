// A clock that inserted code reads for next to nothing: a thread writes the time to memory once in a
// while (runtime-java/InstrSampling.java).

#ifndef INSTR_VM_TICKS_H
#define INSTR_VM_TICKS_H

#include <stdbool.h>
#include <stdint.h>

// From one tick to the next, if the processors are not busy with other threads; longer while the process is idle.
#define INSTR_TICK_NS 1000000

// The time slice that the thread asks for. Linux gives no shorter one.
#define INSTR_TICK_SLICE_NS 100000

// Times as System.nanoTime() has them, of the last tick and of the one before; and for how long the process has run since
// ticks began, in ns: the time that has passed, or the processor time of its threads if that is less. It stays in its place.
struct instr_ticks {
    _Alignas(64) _Atomic int64_t last;
    _Atomic int64_t before, ran;
};
struct instr_ticks *instr_ticks(void);

// There are ticks from now on, until instr_ticks_stop is called as often. False: no thread could be
// made.
bool instr_ticks_start(void);
void instr_ticks_stop(void);

// What a call that does nothing seems to take where the clock is read before and after it, in ns; 0 if
// there were never ticks.
uint64_t instr_ticks_overhead(void);

// For which part of the time ticks were late, while the process was not idle: 0 to 1. It is about 0 where there is a processor
// for each thread.
double instr_ticks_late(void);

#endif
