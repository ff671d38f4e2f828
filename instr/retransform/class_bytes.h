// The bytes of a loaded class.

#ifndef INSTR_CAPTURE_H
#define INSTR_CAPTURE_H

#include "instr/vm/agent_state.h"

#include <stddef.h>
#include <stdint.h>

// The bytes that the JVM would have of a class, to be freed; the class stays as it is. `original`:
// what our own hook is given; else what comes of it, and of the hooks of other agents. `now`: what
// it was redefined with, or NULL: what it was loaded with. NULL: `reason` says why not.
// RetransformClasses and RedefineClasses (JVM TI).
uint8_t *instr_class_bytes(struct instr_agent *agent, JNIEnv *jni, jclass class,
                           const jvmtiClassDefinition *now, int original, size_t *length,
                           char *reason, size_t size);

#endif
