// switch.h: switching passes on and off while the application runs.
//
// Every operation makes a new plan of the current one, makes it the current one, and then
// retransforms the loaded classes that it changes: those that are loaded meanwhile come under the
// new plan anyway, and those that were on their way under the old one are looked for afterwards.
// Nothing waits for application threads, and none of them waits. One operation at a time; another
// one asked for meanwhile waits some seconds and then fails with "busy".
//
// `jni` is the calling thread's. When an operation fails, one line is in `reason`, without "instr:
// ", and the plan is what it was.

#ifndef INSTR_SWITCH_H
#define INSTR_SWITCH_H

#include "instr/vm/agent_state.h"
#include "instr/passes/agent_pass.h"

enum { INSTR_REFUSALS = 32 }; // that are remembered with their reasons

// What an operation did.
struct instr_switched {
    unsigned classes;            // retransformed
    unsigned changed;            // ... of which have inserted code now
    unsigned refused;            // the JVM did not let be changed
    unsigned left;               // are to follow (switch_rest.h)
    unsigned skipped_interfaces; // interfaces with code that were not touched (untouchable.h)
    uint64_t nanoseconds;        // all of it
    uint64_t longest;            // ns of the longest batch
    unsigned told;               // refusals in what follows, name and reason each in one line
    char refusals[INSTR_REFUSALS][256];
};

// Makes the first plan of the options, which it takes over, and loads the parts of its passes.
// NULL: one line is in `reason`.
struct instr_plan *instr_reconfigure_first(struct instr_agent *agent, struct instr_options *options,
                                           enum instr_agent_pass_phase phase, char *reason,
                                           size_t size);

// Makes it the current one, in the live phase. `running`: other threads run Java code already. 0:
// the plan is the caller's still.
int instr_reconfigure_start(struct instr_agent *agent, JNIEnv *jni, struct instr_plan *plan,
                            int running, char *reason, size_t size);

// Adds passes and options to those that are in force: "timing,include=com.acme.**". When it returns
// all classes are changed.
int instr_reconfigure_enable(struct instr_agent *agent, JNIEnv *jni, const char *text,
                             struct instr_switched *done, char *reason, size_t size);

// The same, but of many classes the first ones alone: those that are in use, and the application's
// before the JDK's. The others follow (switch_rest.h).
int instr_reconfigure_enable_first(struct instr_agent *agent, JNIEnv *jni, const char *text,
                                   struct instr_switched *done, char *reason, size_t size);

// Changes values alone: "timing.top=5".
int instr_reconfigure_set(struct instr_agent *agent, JNIEnv *jni, const char *text,
                          struct instr_switched *done, char *reason, size_t size);

// Switches a pass off and writes its file.
int instr_reconfigure_disable(struct instr_agent *agent, JNIEnv *jni, const char *pass,
                              struct instr_switched *done, char *reason, size_t size);

// Takes classes (patterns as in exclude=) out of the scope; NULL: switches all passes off and
// writes their files.
int instr_reconfigure_revert(struct instr_agent *agent, JNIEnv *jni, const char *patterns,
                             struct instr_switched *done, char *reason, size_t size);

// All passes off; then the agent is gone but for its control thread, which the caller ends: no
// events, no environment, a runtime that does nothing. It can be attached again.
int instr_reconfigure_detach(struct instr_agent *agent, JNIEnv *jni, struct instr_switched *done,
                             char *reason, size_t size);

// Writes the files of the passes that are on as they stand.
int instr_reconfigure_write(struct instr_agent *agent, JNIEnv *jni, char *reason, size_t size);

// Looks again for classes that were being loaded when the plan changed, and gives memory back: what
// is due at `now` (CLOCK_MONOTONIC, ns). Returns when there will be more to do; UINT64_MAX: never.
uint64_t instr_reconfigure_later(struct instr_agent *agent, JNIEnv *jni, uint64_t now);

// Is there something due that needs a JNI environment?
int instr_reconfigure_is_due(const struct instr_agent *agent, uint64_t now);

#endif
