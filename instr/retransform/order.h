// Which classes are retransformed first.

#ifndef INSTR_ORDER_H
#define INSTR_ORDER_H

#include <jvmti.h>

// Sorts classes: first those with methods on the stacks of threads, then those of the application
// (in no named module, and not of the bootstrap loader), then the others. The sort is stable. It
// examines at most 256 threads. Out of memory the order stays as it is. Leaves no exception
// pending.
void instr_retransform_order(jvmtiEnv *jvmti, JNIEnv *jni, jclass *classes, jint count);

#endif
