// runtime_failures.h: exceptions that the runtime itself has thrown (InstrFailure in runtime-java/)
//
// The first failure of each pass is kept until the control thread switches the pass off.

#ifndef INSTR_VM_RUNTIME_FAILURES_H
#define INSTR_VM_RUNTIME_FAILURES_H

#include "instr/engine/plan.h"

#include <jni.h>

// InstrNative.failed: reports the failure of a method or site, or, with a negative id, of a pass; no
// pass: of all passes that measure time. Called by any thread; never waits.
void JNICALL instr_failures_native(JNIEnv *jni, jclass class, jint id, jstring pass, jstring name);

// InstrNative.say: prints a line, truncated to some hundred characters.
void JNICALL instr_failures_say(JNIEnv *jni, jclass class, jstring line);

enum { INSTR_FAILURE_SIZE = 128 };

// Takes one failure: gives the index of its pass in the plan, and the name of the exception's class.
// -1: there is no failure, or its pass is not on. *more: there are others.
int instr_failures_take(const struct instr_plan *plan, char what[INSTR_FAILURE_SIZE], int *more);

// Is there a failure?
int instr_failures_any(void);

#endif
