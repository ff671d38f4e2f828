// loaded_classes.h: the classes that the JVM has loaded

#ifndef INSTR_VM_LOADED_CLASSES_H
#define INSTR_VM_LOADED_CLASSES_H

#include <jvmti.h>

#include <stdbool.h>

struct instr_loaded_classes {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    jclass *all; // local references of a frame of their own
    jint count;
};

// Lists them. False: out of memory, or the JVM does not list them; then there is nothing to close.
// Leaves no exception pending.
bool instr_loaded_classes_open(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_loaded_classes *classes);

// Ends the frame, with all local references that were made in it.
void instr_loaded_classes_close(struct instr_loaded_classes *classes);

#endif
