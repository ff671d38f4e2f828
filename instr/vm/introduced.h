// introduced.h: loaders that have found the classes of the runtime before code refers to them
//
// When inserted code first refers to a class of the runtime, the JVM asks the loader of the code's
// class, which runs Java code. If that code is instrumented, too, as that of another agent whose
// advice is in ClassLoader.loadClass may be, it refers to the class itself, the JVM asks again, and
// so on until the stack is exhausted: nothing can be loaded any more. So the loader is asked before
// a loaded class gets its new code, while the code that runs is still the old one. The JVM keeps
// the answer.

#ifndef INSTR_VM_INTRODUCED_H
#define INSTR_VM_INTRODUCED_H

#include <jvmti.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Asks the loader for each class of the runtime among the constants that were added to a class:
// those of `bytes` from index `first` on. False: it does not find one of them. Runs code of the
// loader, as linking the class does: only for classes that are loaded. Leaves no exception pending.
bool instr_introduced(jvmtiEnv *jvmti, JNIEnv *jni, jobject loader, const uint8_t *bytes,
                      size_t length, uint16_t first);

#endif
