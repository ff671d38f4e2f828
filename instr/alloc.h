// alloc.h: what the files of the pass alloc share inside the agent (part_alloc.c and alloc_*.c).

#ifndef INSTR_ALLOC_H
#define INSTR_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jvmti.h>

#include "instr/options.h"

struct instr_alloc_options {
    bool sampled;      // mode=sampled
    bool live;         // live=yes
    bool track_object; // track=object
    int interval;      // bytes from one sample to the next
};

// There is one in a JVM; events and natives have no place for a pointer to it.
struct instr_alloc {
    jvmtiEnv *jvmti; // its own environment
    JavaVM *vm;
    struct instr_alloc_options options;
    bool value_objects; // the JVM has value classes, and tells of their objects
    // The JVM's own functions, whatever the table that all see says. NULL: before the start.
    const struct JNINativeInterface_ *jni;
};
extern struct instr_alloc instr_alloc;

// The size that the VM says the object has; 0: it does not.
int64_t instr_alloc_size_of(jobject object);

// --- alloc_sizes.c: the sizes that inserted code needs ---

// Measures arrays, registers the natives and initializes InstrAlloc, once. NULL: done; else what
// failed.
const char *instr_alloc_sizes_start(JNIEnv *jni);

// The size of an object of the class, which is initialized; negative: it cannot be made.
int64_t instr_alloc_instance_size(JNIEnv *jni, jclass class);

#endif
