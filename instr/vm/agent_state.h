// agent_state.h: the agent in a JVM: the one structure that owns everything
//
// agent/agent.c starts the agent and reports the results at the end. retransform/hook.c hands
// classes to the current plan, reconfigure.c makes another plan the current one, limits.c enforces
// expiry and limits. Commands arrive through control/.

#ifndef INSTR_VM_AGENT_STATE_H
#define INSTR_VM_AGENT_STATE_H

#include <jvmti.h>

#include "instr/engine/class_states.h"
#include "instr/engine/pass_ids.h"
#include "instr/engine/plan.h"

#include <pthread.h>
#include <stdatomic.h>

enum instr_agent_state {
    INSTR_ABSENT,
    INSTR_STARTING,
    INSTR_DORMANT, // no pass is on
    INSTR_LOADED,  // by the command line; the JVM has not started yet
    INSTR_ACTIVE,
    INSTR_FINISHED
};

// There is one agent in a JVM; the library may be asked to start it twice.
struct instr_agent {
    atomic_int state; // enum instr_agent_state
    JavaVM *vm;
    jvmtiEnv *jvmti;
    // An environment without can_retransform_classes, from Agent_OnLoad. HotSpot asks these before
    // all others when a class is loaded, in the order in which they were made. So it gets classes
    // before Java agents do that come later on the command line. NULL: it is not needed.
    jvmtiEnv *front;
    int front_used; // its hook was on: classes may have code that reverting does not remove
    struct instr_plans plans;
    struct instr_class_states *class_states;
    jobject platform_loader; // global reference that stays; NULL: unknown
    char library[4096];      // path of this library
    int recording;           // the bootstrap loader's classes are skipped (untouchable.h)

    // One thread at a time changes the plan and the fields below.
    pthread_mutex_t switching;
    atomic_int waiting;       // threads that wait for it; long work lets them in
    int armed;                // capabilities are taken, and event callbacks are set
    struct instr_plan *first; // until the JVM has started
    struct instr_pass_ids pass_ids;
    struct instr_methods *methods; // to continue with after the next attach; NULL: none
    int early;                     // the class file hook is on from OnLoad (native_prefix.h)
    int earlier_ids;               // calls that have them may still be running
    int ids_stay;                  // a pass was on whose ids must stay resolvable
    int finishing;                 // passes end when the background thread is done
    uint64_t release_at;           // ns; when the memory of reverted passes is freed; 0: never
    uint64_t late_loaded_at;       // ns; when to look again for classes that were loading; 0: never
    uint64_t late_loaded_pause;    // ns; from then to the time after
    uint64_t late_loaded_until;
};

extern struct instr_agent instr_agent;

// Takes the capabilities that changing classes needs; switches no event on. 0: one line in `reason`.
int instr_agent_arm(struct instr_agent *agent, char *reason, size_t size);

// Finds the platform loader, if it is not known yet; before the first pass is on.
void instr_agent_find_loader(struct instr_agent *agent, JNIEnv *jni);

// For a pass that gets classes before other agents change them: makes the environment, in
// Agent_OnLoad, and switches its hook on, when the JVM has started, if there are other agents.
void instr_agent_make_front(struct instr_agent *agent, jvmtiEventClassFileLoadHook hook);
void instr_agent_use_front(struct instr_agent *agent);

// Frees agent->first, if it is set.
void instr_agent_forget_first(struct instr_agent *agent);

// Gives everything back. The JVM is then as if the library had not been loaded, except for the
// runtime's classes, which stay and do nothing, and one idle JVM TI environment. All passes must be
// off.
void instr_agent_undo(struct instr_agent *agent);

#endif
