// looks.h: what the JVM knows of a class that a plug-in looks at
//
// The note of a class (agent_pass.h: takes) is its loader, and whether a question had no answer yet.

#ifndef INSTR_PASSES_PLUGIN_LOOKS_H
#define INSTR_PASSES_PLUGIN_LOOKS_H

#include "instr/plugins/open.h"

#include <jvmti.h>

// The note of a class of the loader.
uint64_t instr_plugin_note(jobject loader);
// Was there a question that can be answered when the class is prepared?
bool instr_plugin_is_undecided(uint64_t note);

// To be called before plug-ins look. NULL: this JVM lacks what they need, or is out of memory. No
// exception is pending afterwards.
const struct instr_plugin_jvm *instr_plugin_looks(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
