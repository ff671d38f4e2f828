// The bytes of a loaded class.

#ifndef INSTR_CLASS_BYTES_H
#define INSTR_CLASS_BYTES_H

#include "instr/vm/agent_state.h"

#include <stddef.h>
#include <stdint.h>

// The bytes of a class, to be freed by the caller. The class does not change. `original`: the bytes
// as our own hook gets them; else as they are after our hook and the hooks of other agents. `now`:
// the bytes that the class was redefined with; NULL: those that it was loaded with. NULL: see
// `reason`. RetransformClasses and RedefineClasses (JVM TI).
uint8_t *instr_class_bytes(struct instr_agent *agent, JNIEnv *jni, jclass class,
                           const jvmtiClassDefinition *now, int original, size_t *length,
                           char *reason, size_t size);

#endif
