// anonymous.h: the classes that Unsafe.defineAnonymousClass makes, as JDK 8 does for each lambda
//
// Up to JDK 8 the JVM offers them to agents and takes them for modifiable, but it loses what was
// put into their constant pools when they are retransformed, changed or not: from then on a lambda
// that holds a variable ends in a NoClassDefFoundError (JDK-8145964). From JDK 9 on it does
// neither, nor for the hidden classes of JDK 15 and later. So they are left alone, in all JVMs.
#ifndef INSTR_ANONYMOUS_H
#define INSTR_ANONYMOUS_H

#include <jvmti.h>

#include <stdbool.h>

// Is the loaded class such a one? `name` is its internal name as JVM TI GetClassSignature gives it,
// which ends with a slash and the class's hash then.
bool instr_is_anonymous(jvmtiEnv *jvmti, jclass class, const char *name);

// Is the current thread making one? To be asked in the hook, of a class without a name.
bool instr_makes_anonymous(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
