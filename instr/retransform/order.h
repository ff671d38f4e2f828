// Which classes are retransformed first.

#ifndef INSTR_ORDER_H
#define INSTR_ORDER_H

#include <jvmti.h>

#include <stdbool.h>

// Sorts classes: first those with methods on the stacks of threads, then those of the application
// (in no named module, and not of the bootstrap loader), then the others; of these two those that
// are not initialized come last. The sort is stable. It looks at the stacks of at most 256 threads,
// `looks` times, some milliseconds apart. Returns the number of classes with methods on stacks. Out
// of memory the order stays as it is. Leaves no exception pending.
jint instr_retransform_order(jvmtiEnv *jvmti, JNIEnv *jni, jclass *classes, jint count, int looks);

// Was the class never initialized? Then no code of it has run, but for what initializes it.
bool instr_retransform_is_unused(jvmtiEnv *jvmti, jclass class);

#endif
