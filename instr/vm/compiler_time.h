// compiler_time.h: the CPU time of the JVM's compilers

#ifndef INSTR_VM_COMPILER_TIME_H
#define INSTR_VM_COMPILER_TIME_H

#include <stdint.h>

// CPU times up to some moment, in nanoseconds.
struct instr_cpu_times {
    uint64_t process;   // of all threads
    uint64_t compilers; // of the threads that compile, those that have ended included
};

// Any thread may call it.
void instr_cpu_times_take(struct instr_cpu_times *times);

#endif
