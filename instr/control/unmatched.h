// unmatched.h: patterns that no loaded class matches, and rules whose method no loaded class has

#ifndef INSTR_CONTROL_UNMATCHED_H
#define INSTR_CONTROL_UNMATCHED_H

#include "instr/control/reply.h"
#include "instr/engine/plan.h"
#include "instr/retransform/patterns.h"

#include <jvmti.h>

// Notes each pattern that no loaded class matches, with what was perhaps meant.
void instr_note_unmatched(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_reply *reply,
                          struct instr_patterns *patterns);

// The largest number of a rule that is on.
uint32_t instr_last_rule(struct instr_plans *plans);

// Notes each rule with a larger number than `last` that no method of a loaded class matches, with methods of similar
// names.
void instr_note_unmatched_rules(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_reply *reply,
                                struct instr_plans *plans, uint32_t last);

// Why no loaded method has the rule of this pass, although its pattern names one: a constant. NULL:
// one has it, or none was refused it.
const char *instr_rule_refusal(struct instr_plans *plans, const char *pass);

#endif
