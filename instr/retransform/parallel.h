// Retransforming on two threads at once.
//
// HotSpot does most of RetransformClasses in the calling thread: it reads and verifies the new
// classes and merges their constant pools (VM_RedefineClasses::doit_prologue). It needs a safepoint
// pause only to replace the old classes (doit), for one call at a time. So two threads with
// different classes finish sooner, and the pauses are as long as before.

#ifndef INSTR_PARALLEL_H
#define INSTR_PARALLEL_H

#include "instr/retransform/retransform.h"

// Retransforms the queue batch by batch until it is empty or `go_on` returns 0, but at least one
// batch. A second thread helps if r->other describes it, if there is more than one batch, and as
// soon as a processor is free for it. If that thread cannot be created, this one does everything.
// The results are in `r`.
void instr_retransform_parallel(struct instr_retransform *r, struct instr_class_queue *queue);

// May two threads retransform at once? `wanted`: 1 or 2 threads, as the user says; 0: two if there
// is an idle processor: *processors is then the number that the JVM may use, else 0.
int instr_retransform_parallel_allowed(jvmtiEnv *jvmti, int wanted, unsigned *processors);

// Does a JVM support this without errors? Takes its properties java.vm.name,
// java.vm.specification.version and java.vm.version; NULL: unknown.
int instr_retransform_parallel_is_safe(const char *name, const char *specification,
                                       const char *version);

#endif
