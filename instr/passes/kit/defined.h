// defined.h: which advices have their classes in which loaders and packages
//
// What is here needs no look into the JVM again: a class of a kit stays for as long as its loader.

#ifndef INSTR_PASSES_KIT_DEFINED_H
#define INSTR_PASSES_KIT_DEFINED_H

#include "instr/kit/kit.h"

#include <jvmti.h>

// An advice, and where its classes and its bridge are.
struct instr_kit_place {
    uint64_t key, kit;
    jobject loader; // NULL: the bootstrap loader
};

// `package` as in instr_kit_define; it does not matter for an advice in the bootstrap loader.
struct instr_kit_place instr_kit_place_of(jvmtiEnv *jvmti, const struct instr_kit *kit,
                                          const struct instr_kit_advice *advice, jobject loader,
                                          const char *package);

// Was the place added? Any thread.
bool instr_kit_place_is_known(JNIEnv *jni, const struct instr_kit_place *place);

// Adds a place, once the bridge there is initialized. It is not added if memory runs out. Any thread.
void instr_kit_place_add(JNIEnv *jni, const struct instr_kit_place *place);

// Removes the places of a kit that is off. Any thread.
void instr_kit_places_forget(JNIEnv *jni, const struct instr_kit *kit);

#endif
