// define.h: the classes of a kit, in a JVM

#ifndef INSTR_PASSES_KIT_DEFINE_H
#define INSTR_PASSES_KIT_DEFINE_H

#include "instr/kit/bridge.h"

#include <jvmti.h>

// The name of a class with dots.
void instr_kit_dotted(const char *name, char *text, size_t size);

// Defines the types that classes of kits name in the bootstrap loader, once, if the kit has such classes. False:
// `reason` holds one line.
bool instr_kit_define_types(JNIEnv *jni, const struct instr_kit *kit, char *reason, size_t size);

// Loads, before any class is advised, the JDK's classes that defining needs: it hides the fields of a class of the
// runtime as it will those of bridges.
void instr_kit_define_ready(JNIEnv *jni);

// Defines what an advice needs for the classes of a loader and package: its classes and its bridge. What is there
// already stays, if it is the kit's; a class of that name from elsewhere is an error, as is any other failure. False:
// `reason` holds one line. No exception is pending afterwards. No lock is held.
bool instr_kit_define(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_kit *kit,
                      const struct instr_kit_advice *advice, jobject loader, const char *package,
                      const struct instr_kit_jvm *jvm, char *reason, size_t size);

#endif
