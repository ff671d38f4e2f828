// supertypes.h: the names of a class's supertypes, without loading a class for it
//
//      a class that is loaded        the JVM says all of them
//      a class that is being loaded  its bytes name its superclass and its interfaces; what is above
//                                    those the JVM says if the loader has them already. Otherwise
//                                    the list is incomplete until the class is prepared.
//
// What was found once is remembered by name and loader: a supertype of many classes costs one look. Names of classes
// that nothing extends or implements are not remembered.

#ifndef INSTR_VM_SUPERTYPES_H
#define INSTR_VM_SUPERTYPES_H

#include "rewriters/rewriter.h"

#include <jvmti.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instr_supertypes {
    struct rw_supertypes found; // the class itself first
    bool complete;              // false: some are not known yet, or memory has run out
    const char **names;         // what `found` points to
    size_t capacity;
    char *own; // the name of a class that is being loaded
};

// Finds what it needs of the JVM; to be called before the other functions. False: this JVM lacks it,
// or is out of memory. No exception is pending afterwards.
bool instr_supertypes_start(JNIEnv *jni);

// The supertypes of a class of `loader` (NULL: bootstrap) that is being loaded; no code of the loader
// runs. The caller closes the result. No exception is pending afterwards.
void instr_supertypes_of_bytes(jvmtiEnv *jvmti, JNIEnv *jni, jobject loader, const uint8_t *bytes,
                               size_t length, struct instr_supertypes *result);

// The same of a class that is loaded.
void instr_supertypes_of_class(jvmtiEnv *jvmti, JNIEnv *jni, jclass cls,
                               struct instr_supertypes *result);

// The same of what `loader` finds under a name, if it has loaded it, or if the bootstrap loader has it: that
// one is asked to load it. No code of the loader runs.
void instr_supertypes_of_name(jvmtiEnv *jvmti, JNIEnv *jni, jobject loader, struct cf_slice name,
                              struct instr_supertypes *result);

void instr_supertypes_close(struct instr_supertypes *supertypes);

#endif
