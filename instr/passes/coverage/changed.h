// changed.h: classes that another agent changed before our hook got them. Their ids differ from
// those of their class files, so reports on the class files show nothing covered.

#ifndef INSTR_PASSES_COVERAGE_CHANGED_H
#define INSTR_PASSES_COVERAGE_CHANGED_H

#include <jvmti.h>

#include "instr/registry.h"

// If there is another agent in the JVM: compares the loaded classes that the registry knows with
// their class files, and stores the ids of the files. Runs Java code, also of class loaders.
void instr_coverage_find_changed(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_coverage *registry);

#endif
