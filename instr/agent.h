// The agent in a JVM: the one structure that owns everything.

#ifndef INSTR_AGENT_H
#define INSTR_AGENT_H

#include <jvmti.h>

#include "instr/engine.h"

#include <stdatomic.h>

enum instr_agent_state {
    INSTR_ABSENT,
    INSTR_STARTING,
    INSTR_DORMANT,
    INSTR_LOADED,
    INSTR_ACTIVE,
    INSTR_FINISHED
};

// There is one agent in a JVM; the library may be asked to start it twice.
struct instr_agent {
    atomic_int state; // enum instr_agent_state
    JavaVM *vm;
    jvmtiEnv *jvmti;
    struct instr_options options;
    struct instr_methods *methods; // NULL: dormant
    struct instr_engine *engine;   // NULL: dormant
    jobject platform_loader;       // global reference; NULL: none known
    char library[4096];            // path of this library
};

#endif
