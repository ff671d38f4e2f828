// Redefinitions of classes by other agents.

#ifndef INSTR_REDEFINE_WATCH_H
#define INSTR_REDEFINE_WATCH_H

#include "instr/vm/agent_state.h"

// From now on `redefined` is called for each class that another agent redefines, on the thread that does
// so, with the new bytes, before the JVM checks them. It must not wait for agent->switching: HotSpot has
// locked the class. False: the JVM refuses. Does nothing if it was called before.
bool instr_redefine_watch_begin(struct instr_agent *agent,
                                void (*redefined)(JNIEnv *jni, jclass class, const uint8_t *bytes,
                                                  size_t length));
void instr_redefine_watch_end(void);

#endif
