// The bytes that restore a class to its current state when it is redefined with them.

#ifndef INSTR_REDEFINE_BEFORE_H
#define INSTR_REDEFINE_BEFORE_H

#include "instr/vm/agent_state.h"

#include <stddef.h>
#include <stdint.h>

// `bytes` are the class after the changes of other agents (instr_class_bytes, original), to be
// freed. RedefineClasses calls the hooks of those agents again, and an agent that adds code adds it
// a second time. Returns, in place of `bytes`, the bytes from which the agents make the same code:
// `bytes` themselves or the class file; `bytes` if neither does.
uint8_t *instr_redefine_before(struct instr_agent *agent, JNIEnv *jni, jclass class,
                               const char *name, uint8_t *bytes, size_t *length);

#endif
