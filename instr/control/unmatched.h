// unmatched.h: patterns of include= that no loaded class matches

#ifndef INSTR_CONTROL_UNMATCHED_H
#define INSTR_CONTROL_UNMATCHED_H

#include "instr/control/reply.h"
#include "instr/retransform/patterns.h"

#include <jvmti.h>

// Notes each pattern that no loaded class matches, with classes of similar names.
void instr_note_unmatched(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_reply *reply,
                          struct instr_patterns *patterns);

#endif
