// snapshot.h: what the instrumented code has counted and timed so far

#ifndef INSTR_VM_SNAPSHOT_H
#define INSTR_VM_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jvmti.h>

#include "instr/id_registry.h"

// The counts of one id. Times are in nanoseconds, and 0 if `timed` is 0.
struct instr_counts {
    uint64_t calls;
    int64_t thrown;    // calls that an exception ended, see instr_snapshot_active_constructors
    int64_t active;    // those that it has subtracted
    uint64_t timed;    // calls that ended and were timed, or whose time was estimated
    uint64_t measured; // those that were timed; fewer than `timed`: times are estimates
    uint64_t sampled;  // among those, some of the calls of which not each was timed
    uint64_t sampled_weight, sampled_total; // for how many calls they stand, and the time of those
    double sampled_squares;                 // see struct instr_counter_row
    uint64_t total, self, min, max;
    uint64_t p50, p90, p99; // within 2 %
};

// Takes a snapshot: *counts is an array of *n, indexed by id; the caller frees it. Ids from *n on
// have no counts. The counts are exact for threads that have stopped or have synchronized with the
// caller; other threads may be in the middle of a call. While a pass stays on, the counts of its
// methods, `thrown` and estimates excepted, never decrease from one snapshot to the next. Several threads may call
// this at once, in any phase with a JNI environment (VMDeath included). False: out of memory.
bool instr_snapshot(JNIEnv *jni, struct instr_counts **counts, size_t *n);

// As instr_snapshot, and resets the counts of a pass, by its number: later snapshots have what it
// counts from this one on. No count is lost or in both. A call that begins before a reset and ends
// after it is in `calls` of one snapshot, and in `timed` of the next.
bool instr_snapshot_and_reset(JNIEnv *jni, const struct instr_methods *methods, unsigned pass,
                              struct instr_counts **counts, size_t *n);

// Was there no room (memory=) for counters of a thread? What it counts is as exact, and takes longer.
bool instr_snapshot_counters_are_full(void);

// The counters of the ids from `from` to below `to` were cleared: no reset concerns them any more.
void instr_snapshot_cleared(uint32_t from, uint32_t to);

// Subtracts from `thrown` the constructors that are in their delegate call now: until that call
// returns, they count as thrown. Needs no capability. Among virtual threads only the current one is
// visited (JVM TI GetAllStackTraces returns none).
void instr_snapshot_active_constructors(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_methods *methods,
                                        struct instr_counts *counts, size_t n);

// After instr_snapshot_and_reset and instr_snapshot_active_constructors: what is not in the `thrown` of this
// snapshot is in that of the next. Constructors in their delegate call may still throw; and where one was taken
// for thrown, as those of virtual threads that wait are, and then returned, `thrown` is less than 0.
void instr_snapshot_carry_thrown(const struct instr_methods *methods, unsigned pass,
                                 const struct instr_counts *counts, size_t n);

#endif
