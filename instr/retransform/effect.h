// Which passes can change a loaded class. A class that no pass changes is not retransformed: HotSpot
// drops the compiled code of every class that it retransforms, whether the class changes or not.

#ifndef INSTR_EFFECT_H
#define INSTR_EFFECT_H

#include "instr/vm/agent_state.h"

// What the passes of some options can do to a loaded class.
struct instr_effect {
    uint64_t without;   // the passes that do not change it, a bit for each
    uint64_t beyond;    // the passes that apply although the class is out of scope
    uint64_t unwrapped; // the passes that apply, but would have had to wrap it when it was loaded
};

// False: no pass changes the class.
bool instr_effect_of(struct instr_agent *agent, JNIEnv *jni, const struct instr_options *options,
                     jclass cls, jobject loader, const char *name, struct instr_effect *effect);

// Lists the native methods of a loaded class as skipped by the passes `unwrapped`. Reads its class
// file, as the JVM gives the bytes of a loaded class only to retransform it. False: the class has
// native methods, but its file cannot be read.
bool instr_effect_list_unwrapped(struct instr_agent *agent, JNIEnv *jni,
                                 const struct instr_plan *plan, jclass cls, jobject loader,
                                 const char *name, uint64_t unwrapped);

#endif
