// states.h: the values that kits keep by instance: State<T> in static fields of their classes

#ifndef INSTR_PASSES_KIT_STATES_H
#define INSTR_PASSES_KIT_STATES_H

#include "instr/options.h"
#include "instr/passes/kit/loaded.h"

// Calls `visit` for each State that a static field of the class has.
void instr_kit_states_each(jvmtiEnv *jvmti, JNIEnv *jni, jclass class,
                           void (*visit)(void *context, const char *field, jobject state),
                           void *context);

// Is it a class of this kit, and no bridge? *original: its name in the jar.
bool instr_kit_has_class(const struct instr_kit *kit, const struct instr_kit_loaded_class *class,
                         const char **original);

// Takes all values out of those of kits that are not among the options: the classes of a kit stay as long as their
// loaders, and values may refer to anything in the application.
void instr_kit_states_clear(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_options *on);

#endif
