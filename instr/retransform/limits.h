// Limits that protect the JVM: the time for which passes may be on, the overhead that they may
// cause, errors in the runtime, the kill switch. All on the control thread.

#ifndef INSTR_LIMITS_H
#define INSTR_LIMITS_H

#include "instr/vm/agent_state.h"

#include <stdbool.h>

// The function for instr_control_config.watch: does what is due, returns when to call it again.
uint64_t instr_limits_watch(struct instr_agent *agent, uint64_t now, bool *killed);

#endif
