// The natives of InstrRuleNative.

#ifndef INSTR_PASSES_RULE_FIELDS_H
#define INSTR_PASSES_RULE_FIELDS_H

#include <jvmti.h>
#include <stdbool.h>

// Before the first rule is on. False: a class of the runtime is missing, or there is no memory.
bool instr_rule_fields_start(JNIEnv *jni);

#endif
