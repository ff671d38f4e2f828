// pauses.h: how long the JVM has stopped the application's threads
//
// RetransformClasses does most of its work while the application runs, and stops it for the rest. The
// JVM counts the time of all its stops among its performance data, which are in its memory even if it
// writes no file of them (-XX:+PerfDisableSharedMem).

#ifndef INSTR_VM_PAUSES_H
#define INSTR_VM_PAUSES_H

#include <jni.h>
#include <stdint.h>

// Nanoseconds so far, those of garbage collections included. 0: this JVM does not count them
// (-XX:-UsePerfData, or another JVM than HotSpot).
uint64_t instr_pauses(JavaVM *vm);

#endif
