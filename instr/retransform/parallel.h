// retransform_both.h: two threads that retransform at once.
//
// HotSpot does most of RetransformClasses in the thread that calls it: it reads and verifies the
// new classes and merges their constant pools (VM_RedefineClasses::doit_prologue). The VM stands
// still only while they take the place of the old ones (doit), for one call at a time. So two
// threads with different classes need less time together, while the pauses are what they were.

#ifndef INSTR_RETRANSFORM_BOTH_H
#define INSTR_RETRANSFORM_BOTH_H

#include "instr/retransform/retransform.h"

// Retransforms the list batch by batch, on this thread and, when there is more than one batch and
// r->other says how, on another one from when there is a processor for it, until it is done or
// `go_on` says no. One batch is done at least. Without memory for a thread this one does it all.
// What came of it is in `r`.
void instr_retransform_parallel(struct instr_retransform *r, struct instr_rest *rest);

// May two threads retransform at once? `wanted`: 1 or 2, by the user's will; 0: 2 if there is a
// processor that nobody uses, and *processors is how many the JVM may use, else 0.
int instr_retransform_two(jvmtiEnv *jvmti, int wanted, unsigned *processors);

// Does a JVM bear it? Its properties java.vm.name, java.vm.specification.version and
// java.vm.version; NULL: unknown.
int instr_retransform_bears_two(const char *name, const char *specification, const char *version);

#endif
