// Switching passes on and off while the application runs.
//
// An operation derives a new plan from the current one, installs it, and then retransforms the
// loaded classes that the new plan treats differently. Classes that are loaded in the meantime get
// the new plan in the class file hook. Classes whose loading began under the old plan are found
// afterwards (late-loaded classes, apply.h). No application thread waits for an operation, and an
// operation waits for no application thread.
//
// One operation runs at a time. Another one waits up to ten seconds and then fails with "busy".
//
// `jni` belongs to the calling thread. When an operation fails, the plan is unchanged and `reason`
// holds one line without "instr: ".

#ifndef INSTR_RECONFIGURE_H
#define INSTR_RECONFIGURE_H

#include "instr/vm/agent_state.h"
#include "instr/passes/agent_pass.h"
#include "instr/passes/results.h"
#include "instr/retransform/packages.h"
#include "instr/retransform/patterns.h"

enum { INSTR_REFUSALS = 32 }; // refusals that are recorded with their reasons

// What an operation did, and what the caller sets before: the members up to `patterns`.
struct instr_reconfigured {
    const struct instr_owner *owner; // who wants it; NULL: the command line
    int all;                         // a pass of all its owners
    int announced;                   // standard error has the line about it from elsewhere
    int defer;                       // the background thread may change most classes (background.h)
    int of_command; // the passes that are made are those of a command: rw_made.of_command
    // Takes the results of passes that end without a file. NULL: their tables go to standard error.
    const struct instr_results_taker *taker;
    // Counts the loaded classes that come into scope. NULL: they are not counted.
    struct instr_packages *packages;
    // Takes the patterns of the owner's passes, and whether loaded classes match. NULL: as above.
    struct instr_patterns *patterns;
    unsigned classes;            // retransformed
    unsigned changed;            // ... that have inserted code now
    unsigned restored;           // ... that had some, and have none now
    unsigned refused;            // that the JVM refused to change
    unsigned remaining;          // still queued for the background thread (background.h)
    unsigned skipped_interfaces; // interfaces with code that were not touched (untouchable.h)
    unsigned over_limit;         // that max-classes or max-methods left out
    uint64_t first_change;  // when the first class was changed (CLOCK_MONOTONIC, ns); 0: none was
    uint64_t elapsed;       // ns, for the whole operation
    uint64_t longest_batch; // ns
    uint64_t longest_pause; // ns, of the application's threads (pauses.h)
    unsigned refusal_count; // lines in `refusals`, each with a name and a reason
    char refusals[INSTR_REFUSALS][256];
};

// Makes the first plan and loads its passes; at the JVM's start those that fail are left out, as by
// the next function. The plan takes over `options`. NULL: see `reason`.
struct instr_plan *instr_reconfigure_first(struct instr_agent *agent, struct instr_options *options,
                                           enum instr_agent_pass_phase phase, char *reason,
                                           size_t size);

// Installs the first plan, in the live phase. `running`: other threads run Java code already. 0:
// the caller still owns the plan.
int instr_reconfigure_start(struct instr_agent *agent, JNIEnv *jni, struct instr_plan *plan,
                            int running, char *reason, size_t size);

// Adds passes and options to the current ones: "timing,include=com.acme.**". Returns after all
// classes are changed, as the functions below do; or, with done->defer and many classes, after the
// first ones: classes in use, and classes of the application before those of the JDK. A background
// thread changes the others (background.h), with pace=auto slowly enough for the application
// (pace.h). Passes that end have written their results then, but their code still runs in the classes
// that follow.
int instr_reconfigure_enable(struct instr_agent *agent, JNIEnv *jni, const char *text,
                             struct instr_reconfigured *done, char *reason, size_t size);

// Changes option values only: "timing.top=5".
int instr_reconfigure_set(struct instr_agent *agent, JNIEnv *jni, const char *text,
                          struct instr_reconfigured *done, char *reason, size_t size);

// Switches a pass of the owner off, or, if the owner has none, that of the command line, and writes its file, or reports its result to the taker.
int instr_reconfigure_disable(struct instr_agent *agent, JNIEnv *jni, const char *name,
                              struct instr_reconfigured *done, char *reason, size_t size);

// Switches the passes off that end until `now` (instr_pass_ends), as instr_reconfigure_disable does.
int instr_reconfigure_expire(struct instr_agent *agent, JNIEnv *jni, uint64_t now,
                             struct instr_reconfigured *done, char *reason, size_t size);

// Makes a pass anew from its files, if these have changed, and replaces it: all classes that have the
// old pass's code, or get the new one's. NULL: all such passes of the owner and of the command line.
int instr_reconfigure_reload(struct instr_agent *agent, JNIEnv *jni, const char *name,
                             struct instr_reconfigured *done, char *reason, size_t size);

// Removes classes (patterns as in exclude=) from the scope. NULL: switches all passes off, as
// instr_reconfigure_disable does with one.
int instr_reconfigure_revert(struct instr_agent *agent, JNIEnv *jni, const char *patterns,
                             struct instr_reconfigured *done, char *reason, size_t size);

// Switches all passes off and removes the agent from the JVM, except for its control thread, which
// the caller ends. No events remain, and the injected runtime does nothing. The agent can be
// attached again.
int instr_reconfigure_detach(struct instr_agent *agent, JNIEnv *jni,
                             struct instr_reconfigured *done, char *reason, size_t size);

// Does the deferred work that is due at `now` (CLOCK_MONOTONIC, ns): looks again for late-loaded
// classes, frees memory, and ends what waited for the background thread. Returns when more work will be due; UINT64_MAX: never.
uint64_t instr_reconfigure_later(struct instr_agent *agent, JNIEnv *jni, uint64_t now);

// Is work due that needs a JNI environment?
int instr_reconfigure_is_due(const struct instr_agent *agent, uint64_t now);

#endif
