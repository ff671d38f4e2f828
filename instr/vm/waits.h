// How long methods wait: for which of them the threads that wait at the moment stand in. Found by
// looking at the threads now and then, so it is an estimate. Used by one thread.

#ifndef INSTR_VM_WAITS_H
#define INSTR_VM_WAITS_H

#include "instr/id_registry.h"

#include <jvmti.h>
#include <stdint.h>

struct instr_waits;

// NULL: out of memory.
struct instr_waits *instr_waits_new(void);
void instr_waits_free(struct instr_waits *waits);

// Looks at the platform threads. A thread that is parked, waits, sleeps, or is in a native method of
// the network that reads, accepts or selects waits for the innermost of its methods that the pass of this number has instrumented.
// The time counts since the last call. Threads are visited by handshakes, some hundred at most.
void instr_waits_look(struct instr_waits *waits, jvmtiEnv *jvmti, JNIEnv *jni,
                      const struct instr_methods *methods, unsigned pass, uint64_t now);

// Of the self time of an id, which so many calls that ended have added up to, the part that was
// spent waiting, ns. What is taken is not taken again; calls that have not ended yet leave theirs for
// later. Calls that waited at the first look are taken to have waited all the time.
uint64_t instr_waits_take(struct instr_waits *waits, int id, uint64_t self, uint64_t ended);

#endif
