// retransform_order.h: which classes are retransformed first.

#ifndef INSTR_RETRANSFORM_ORDER_H
#define INSTR_RETRANSFORM_ORDER_H

#include <jvmti.h>

// Puts classes in front whose methods threads are in at this moment, then those of the application
// (of a loader but the boot loader, and in no named module), and leaves the order among them as it
// is. Looks at some hundred threads at most. Out of memory they stay as they are. Leaves no
// exception pending.
void instr_retransform_order(jvmtiEnv *jvmti, JNIEnv *jni, jclass *classes, jint count);

#endif
