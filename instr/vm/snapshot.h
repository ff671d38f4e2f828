// collect.h: what the instrumented code has counted and timed so far.

#ifndef INSTR_COLLECT_H
#define INSTR_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jvmti.h>

#include "instr/id_registry.h"

// What is known of one id. Times in nanoseconds; all those are 0 when `timed` is.
struct instr_counts {
    uint64_t calls;
    int64_t thrown; // calls that an exception ended, see instr_snapshot_active_constructors
    uint64_t timed; // calls that ended and were timed
    uint64_t total, self, min, max;
    uint64_t p50, p90, p99; // within 2 %
};

// A snapshot: *counts is an array of *n, by id, to be freed with free(); ids from *n on have
// nothing. For threads that have stopped, or have synchronized with the caller, it is exact; those
// that go on may be caught in the middle of a call. As long as a pass stays on, no number of its
// methods but `thrown` ever falls from one snapshot to the next. May be called by several threads at once, in any phase with a JNI
// environment (VMDeath included). False: out of memory.
bool instr_snapshot(JNIEnv *jni, struct instr_counts **counts, size_t *n);

// Takes off `thrown` those constructors that are running their delegate call at this moment: they
// are presumed to have thrown until it has returned. Needs no capability. Of virtual threads
// only the current one is looked at (JVM TI GetAllStackTraces shows none).
void instr_snapshot_active_constructors(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_methods *methods,
                                        struct instr_counts *counts, size_t n);

#endif
