// threads.h: gives each thread of the operating system its block of counters (InstrBlock in
// runtime-java/), under which the runtime's Java code finds it by the id of the Java thread, and
// reads them all.
//
// A block outlives its thread: with its counts it is handed on to a later one.

#ifndef INSTR_THREADS_H
#define INSTR_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jni.h>

// The classes of the runtime that are needed here.
struct instr_threads_classes {
    jclass natives, block, threads; // InstrNative, InstrBlock, InstrThreads
};

// Registers the natives and initializes InstrThreads, once. `package` is that of the last two
// classes (instr_runtime_package). page_budget: bytes of Java heap for all threads' counters. NULL:
// done; else what failed, and an exception may be pending.
const char *instr_threads_start(JNIEnv *jni, const char *package,
                                const struct instr_threads_classes *classes, size_t page_budget);

// Moves the records that wait in the threads' buffers to where instr_records_sum finds them.
// Threads go on recording meanwhile. The records of a thread that is suspended while it empties its
// buffer itself are left out (at most 256); no later call will miss them. No exception is pending
// afterwards.
void instr_threads_drain(JNIEnv *jni);

// Calls `each` for every page of every block: the 32 pairs of calls and exceptions of ids page * 32
// and following, as they are at that moment. No exception is pending afterwards.
void instr_threads_pages(JNIEnv *jni,
                         void (*each)(void *context, uint32_t page, const jlong *pairs),
                         void *context);

#endif
