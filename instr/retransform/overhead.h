// overhead.h: what the passes that are on cost the application, as an estimate
//
//      share of a pass =    inserted code: events in the last second * ns of one (rw_pass.event_ns)
//                         + compilers: their CPU time for changed methods in the last ten seconds
//                      over the CPU time of the JVM
//
// HotSpot compiles the methods of a class anew after it is retransformed. That CPU time counts for the
// passes that were switched on last: from then until ten seconds after the last class is changed, and
// at most a millisecond for each changed method, since the compilers work for the application, too.
//
// A JVM that is nearly idle has time for more: inserted code is compared with at least a quarter
// of a processor, and the compilers with at least a whole one.
//
// All functions are for the control thread.

#ifndef INSTR_RETRANSFORM_OVERHEAD_H
#define INSTR_RETRANSFORM_OVERHEAD_H

#include "instr/retransform/ends.h"
#include "instr/vm/agent_state.h"

#include <stdbool.h>

// Shares of the JVM's CPU time, in thousandths of a percent.
struct instr_overhead {
    uint64_t code, compilers;
};

// Counts the events, unless that was done in the last `pause` ns. The plan is held by the caller.
// False: out of memory.
bool instr_overhead_look(struct instr_agent *agent, const struct instr_plan *plan, JNIEnv *jni,
                         uint64_t pause);

// The last estimate for the plan's pass of this index. False: it is not known yet.
bool instr_overhead_of(const struct instr_plan *plan, size_t index,
                       struct instr_overhead *overhead);

// The index of a pass that exceeded its limit the last two times; -1: none.
int instr_overhead_exceeded(const struct instr_plan *plan);

// The agent is detached: forgets everything.
void instr_overhead_forget(void);

// Notes why the plan's pass of this index is switched off now (ends.h), also in `end`.
void instr_overhead_note_end(const struct instr_plan *plan, size_t index, struct instr_end *end);

#endif
