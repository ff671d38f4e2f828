// failures.h: what the runtime itself has thrown (InstrFailure in runtime-java/), kept until the
// control thread switches the pass off. The first of each pass counts.

#ifndef INSTR_FAILURES_H
#define INSTR_FAILURES_H

#include "instr/engine/plan.h"

#include <jni.h>

// Instead of an id, where none is at hand.
enum { INSTR_FAILED_EXCEPTIONS = -1, INSTR_FAILED_ALLOC = -2, INSTR_FAILED_UNKNOWN = -3 };

// The native of InstrNative. Any thread; it never waits.
void JNICALL instr_failures_native(JNIEnv *jni, jclass class, jint id, jstring name);

enum { INSTR_FAILURE_SIZE = 128 };

// Takes one that has been noted: the index of its pass in the plan, and the name of the exception's
// class. -1: there is none, or (go on asking) none of a pass that is on; *more tells.
int instr_failures_take(const struct instr_plan *plan, char what[INSTR_FAILURE_SIZE], int *more);

// Is there any?
int instr_failures_any(void);

#endif
