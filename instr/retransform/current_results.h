// The results that active passes have so far.

#ifndef INSTR_CURRENT_RESULTS_H
#define INSTR_CURRENT_RESULTS_H

#include "instr/passes/results.h"
#include "instr/vm/agent_state.h"

// Writes the files of all active passes with their current results.
int instr_current_results_write(struct instr_agent *agent, JNIEnv *jni, char *reason, size_t size);

// Has the taker take the current result of an active pass of the owner, or the results of all its
// owners. `reset`: the pass then counts anew.
int instr_current_results_report(struct instr_agent *agent, JNIEnv *jni, const char *name,
                                 const struct instr_owner *owner, bool all, bool reset,
                                 const struct instr_results_taker *taker, char *reason,
                                 size_t size);

#endif
