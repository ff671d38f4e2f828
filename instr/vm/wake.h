// wake.h: wakes the control thread, and makes it a Java thread while it needs JNI

#ifndef INSTR_VM_WAKE_H
#define INSTR_VM_WAKE_H

#include <jni.h>

#include <stdbool.h>

// Makes the control thread call `tick` of all streams, and `watch` (control/server.h). Any thread
// may call this, also in the middle of application code: it never waits, and makes a system call
// only when the control thread sleeps.
void instr_wake(void);

// --- for the control thread ---

// The descriptor to poll, which stays open until the process ends; -1 with errno: there is none.
int instr_wake_descriptor(void);

// Was instr_wake called since this was last asked? `readable`: poll says so of the descriptor.
bool instr_wake_taken(bool readable);

// The thread's JNI environment; attaches the thread as a daemon if it is not attached yet. NULL:
// the JVM refuses.
JNIEnv *instr_wake_jni(void);

// Detaches the thread, if it is attached.
void instr_wake_detach(void);

#endif
