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

// --- the passes that exceeded their limits ---

enum { INSTR_OVERHEAD_ENDS = 16 }; // at most so many are remembered

struct instr_overhead_end {
    char pass[64]; // its name: one that was made may not exist any more
    struct instr_owner owner;
    uint64_t at;   // ns, of instr_clock_now
    uint64_t date; // milliseconds since 1970
    char why[160]; // "estimated overhead is 23.4% of CPU time, more than max-overhead=10%"
};

// Notes it, before it is switched off.
void instr_overhead_note_end(const struct instr_plan *plan, size_t index);
// The pass that exceeded its limit last is the one of index 0. NULL: there are not so many.
const struct instr_overhead_end *instr_overhead_end(size_t index);

// These options have been switched on: what ended before and is among them is forgotten.
void instr_overhead_follow(const struct instr_options *options);

// Writes why and when the pass of this name and owner was switched off for its overhead, or, with NULL, the last
// pass, or that of any owner. For passes that are off. False: none was.
bool instr_overhead_say_end(const char *name, const struct instr_owner *owner, char *text,
                            size_t size);

// Why the pass of this name, of `length` bytes, was switched off after `since` (ns); NULL: not for
// its overhead. The text stays until another pass is switched off.
const char *instr_overhead_why_off(const char *name, size_t length, uint64_t since);

#endif
