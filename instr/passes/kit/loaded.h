// loaded.h: the classes of kits that are in the JVM

#ifndef INSTR_PASSES_KIT_LOADED_H
#define INSTR_PASSES_KIT_LOADED_H

#include "instr/kit/kit.h"
#include "instr/vm/loaded_classes.h"

#include <jvmti.h>

struct instr_kit_loaded_class {
    jclass class;
    char *name; // internal
};

struct instr_kit_loaded {
    struct instr_kit_loaded_class *classes;
    size_t count, capacity;
    struct instr_loaded_classes list; // the references are its
};

// Finds the classes and bridges of all kits, also of those that are off. False: the JVM does not list its classes, or
// out of memory; there is nothing to free then. Local references that are made before instr_kit_loaded_free end there.
bool instr_kit_loaded_find(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_kit_loaded *loaded);
void instr_kit_loaded_free(struct instr_kit_loaded *loaded);

// Is the class a bridge of the advice?
bool instr_kit_is_bridge(const struct instr_kit_advice *advice,
                         const struct instr_kit_loaded_class *class);

// What a bridge has counted, for the classes of one loader (and package, unless the advice is in the bootstrap loader).
struct instr_kit_bridge_state {
    char loader[512]; // name of the loader's class, with dots; "": the bootstrap loader
    unsigned failures;
    bool off;          // it does not fit there
    char failure[768]; // what it threw; "": nothing, or unknown
};
void instr_kit_bridge_look(jvmtiEnv *jvmti, JNIEnv *jni, jclass bridge,
                           struct instr_kit_bridge_state *state);

#endif
