// guard.h: what protects the JVM from what was asked of the agent: the time for which passes may
// be on, what they may cost, the kill switch. All on the control thread.

#ifndef INSTR_GUARD_H
#define INSTR_GUARD_H

#include "instr/vm/agent_state.h"

// What instr_control_config.watch wants: does what is due and says when there will be more to do.
uint64_t instr_limits_watch(struct instr_agent *agent, uint64_t now, int killed);

#endif
