// Which of the changed classes are still loaded.

#ifndef INSTR_SWEEP_H
#define INSTR_SWEEP_H

#include "instr/vm/agent_state.h"

#include <stdbool.h>
#include <stdint.h>

// Forgets classes that were unloaded, so that neither status nor limits count them: looks at all loaded
// classes, unless the last time was a few seconds ago. Retransforms nothing. The first is for the thread
// that holds agent->switching; the second does nothing while another thread does.
void instr_sweep(struct instr_agent *agent, JNIEnv *jni);
void instr_sweep_if_free(struct instr_agent *agent, JNIEnv *jni);

// Ends a sweep that began at `start` (ns) with instr_class_states_sweep_begin, and for which each loaded
// class was looked at.
void instr_sweep_end(struct instr_agent *agent, uint64_t start);

// A class has found no room within max-classes or max-methods. Any thread may call this.
void instr_sweep_want(void);
// Is it wanted, and was the last time long enough ago? `now`: CLOCK_MONOTONIC, ns.
bool instr_sweep_is_due(uint64_t now);

#endif
