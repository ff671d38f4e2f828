// redefine_before.h: what a class has to be redefined with to be again as it is now.

#ifndef INSTR_REDEFINE_BEFORE_H
#define INSTR_REDEFINE_BEFORE_H

#include "instr/vm/agent_state.h"

#include <stddef.h>
#include <stdint.h>

// `bytes` are what other agents have made of the class (instr_class_bytes, original), to be freed.
// RedefineClasses has them at it once more: those that add code add it again. Gives what they make
// the same code of, in place of `bytes`: these, or the class file; `bytes` when it is neither.
uint8_t *instr_redefine_before(struct instr_agent *agent, JNIEnv *jni, jclass class,
                               const char *name, uint8_t *bytes, size_t *length);

#endif
