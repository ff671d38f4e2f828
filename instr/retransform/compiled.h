// compiled.h: which methods have compiled code

#ifndef INSTR_RETRANSFORM_COMPILED_H
#define INSTR_RETRANSFORM_COMPILED_H

#include <jvmti.h>

#include <stddef.h>

// The methods that the JVM has compiled or, from JDK 14 on, inlined into what it has compiled, sorted
// by address, each once. Free *methods. NULL: the JVM does not list them, or it is out of memory. One
// thread at a time may call it. Leaves no exception pending.
size_t instr_compiled_methods(JNIEnv *jni, jmethodID **methods);

// Sorts methods by address and drops repeated ones; returns how many are left.
size_t instr_methods_sort(jmethodID *methods, size_t count);

#endif
