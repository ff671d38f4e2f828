// required.h: advices with required = true
//
//      at the start       the class files of the class path and of the JDK say whether they apply
//      in a running JVM   the loaded classes do
//      at exit            those that were applied to nothing are reported: where class files lie in
//                         places that only a loader knows, nothing before says so

#ifndef INSTR_PASSES_KIT_REQUIRED_H
#define INSTR_PASSES_KIT_REQUIRED_H

#include "instr/kit/kit.h"

#include <jvmti.h>

#include <stdbool.h>
#include <stddef.h>

// Before any Java runs. False: `reason` has a sentence on the first advice that certainly applies to nothing.
bool instr_kit_required_at_start(jvmtiEnv *jvmti, const struct instr_kit *kit, char *reason,
                                 size_t size);

// In a running JVM, before classes change. False: `reason` has a sentence on the first advice that applies to no
// method of a loaded class.
bool instr_kit_required_live(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_kit *kit,
                             char *reason, size_t size);

// Reports those that are called from nowhere.
void instr_kit_required_report(const struct instr_kit *kit);

#endif
