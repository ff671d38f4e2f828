// test_types.h: what other class files say of the tests in a class (rewriters/test_types.h)
//
// A superclass may not be loaded when the hook gets a class, and types of annotations are loaded when somebody asks for
// them. So their class files are read, as resources of the loader, and what each says is remembered by loader and name.

#ifndef INSTR_PASSES_COVERAGE_TEST_TYPES_H
#define INSTR_PASSES_COVERAGE_TEST_TYPES_H

#include <jvmti.h>
#include <stdint.h>

#include "instr/passes/agent_pass.h"

// A note for the other half of the pass: the address of a struct rw_test_types that stays; 0: the class files say
// nothing. `presets` as of rw_test_presets. Runs Java code, also of class loaders; no exception is pending afterwards.
uint64_t instr_test_types_note(jvmtiEnv *jvmti, JNIEnv *jni,
                               const struct instr_candidate *candidate, unsigned presets);

#endif
