// coverage_changed.h: classes that another agent changed before they came to us. Their ids are not
// those of their class files, so that reports on these would show nothing covered.

#ifndef INSTR_COVERAGE_CHANGED_H
#define INSTR_COVERAGE_CHANGED_H

#include <jvmti.h>

#include "instr/registry.h"

// When there is another agent in the JVM: compares the classes that are loaded and known to the
// registry with their class files, and notes the ids of those. Runs Java code, of loaders too.
void instr_coverage_find_changed(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_coverage *registry);

#endif
