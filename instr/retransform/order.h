// Which classes are retransformed first.

#ifndef INSTR_ORDER_H
#define INSTR_ORDER_H

#include <jvmti.h>

#include <stdbool.h>

// How many of the sorted classes come first because they are in use.
struct instr_order {
    jint on_stacks; // threads were seen in them
    jint used;      // these, and those that have compiled code
};

// Sorts classes: first those with methods on the stacks of threads, then those of the application
// (in no named module, and not of the bootstrap loader), then the others; of these two those without
// compiled code come last. The sort is stable. It looks at the stacks of at most 256 threads; if
// `thorough`, several times, some milliseconds apart, and at what the JVM has compiled. If not, or
// if the JVM does not say, classes that are initialized pass for compiled. Out of memory the order
// stays as it is, and all pass for used. Leaves no exception pending.
struct instr_order instr_retransform_order(jvmtiEnv *jvmti, JNIEnv *jni, jclass *classes,
                                           jint count, bool thorough);

// Was the class never initialized? Then no code of it has run, but for what initializes it.
bool instr_retransform_is_unused(jvmtiEnv *jvmti, jclass class);

#endif
