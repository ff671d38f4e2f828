// switch_passes.h: passes that come and go when the plan changes: their parts, numbers, results.

#ifndef INSTR_SWITCH_PASSES_H
#define INSTR_SWITCH_PASSES_H

#include "instr/vm/agent_state.h"

// Starts the parts of the passes that were not on, or were with other options. When one fails those
// before it are put back: 0, with one line in `reason`.
int instr_reconfigure_start_parts(struct instr_agent *agent, JNIEnv *jni,
                                  const struct instr_options *before,
                                  const struct instr_options *next, char *reason, size_t size);
void instr_reconfigure_stop_part(const struct instr_pass_options *pass, JNIEnv *jni);

// Gives the passes of `next` their numbers: those that are on keep theirs. What was counted under a
// number that is taken again is forgotten. `before` may be NULL, and `jni` then.
void instr_reconfigure_number(struct instr_agent *agent, JNIEnv *jni,
                              const struct instr_plan *before, struct instr_options *next);
// The numbers of those that go and do not stay may be taken again from `free_at` (ns) on.
void instr_reconfigure_unnumber(struct instr_agent *agent, const struct instr_options *stay,
                                const struct instr_options *go, uint64_t free_at);

// Writes the files of the passes that `next` does not have (NULL: of all). Tables are for the end
// of the JVM.
void instr_reconfigure_tell_gone(struct instr_agent *agent, JNIEnv *jni,
                                 const struct instr_plan *plan, const struct instr_options *next);

#endif
