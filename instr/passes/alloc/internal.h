// alloc.h: what the files of the pass alloc share inside the agent (part_alloc.c and alloc_*.c).

#ifndef INSTR_ALLOC_H
#define INSTR_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jvmti.h>

#include "instr/report/alloc.h"
#include "instr/id_registry.h"
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
    struct instr_methods *methods; // of the engine
    bool value_objects;            // the JVM has value classes, and tells of their objects
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

// --- alloc_vm.c: what no bytecode allocates ---

// Switches VMObjectAlloc and the interception of JNI functions on. NULL: done; else what failed.
const char *instr_alloc_vm_start(JNIEnv *jni);
void instr_alloc_vm_stop(void);
// All is to be counted from nothing. Not while it is on.
void instr_alloc_vm_forget(void);

// Counts an object that the caller knows of otherwise, at the frame.
void instr_alloc_vm_count(JNIEnv *jni, const jvmtiFrameInfo *frame, jclass class, int64_t bytes);

// Calls `each` for every site at which something was counted.
void instr_alloc_vm_each(void (*each)(void *context, const struct instr_method *site,
                                      uint64_t count, uint64_t bytes),
                         void *context);

// --- alloc_told.c: what the VM tells and inserted code counts, too ---

// Looks up the methods that it is about.
void instr_alloc_told_start(JNIEnv *jni);

// Is it one of them?
bool instr_alloc_is_callee(jmethodID method);

// Of the frames of a VMObjectAlloc event, the innermost first: does code count the object, where
// the native method was called?
bool instr_alloc_told(JNIEnv *jni, const jvmtiFrameInfo *frames, jint n);

// Has the class its clone() from Object?
bool instr_alloc_inherits_clone(JNIEnv *jni, jclass class);

// --- alloc_samples.c: alloc.mode=sampled ---

// In the OnLoad phase this is early enough for the main thread, too: a thread has drawn its first
// sample when it is made, and takes another interval from the next one on.
const char *instr_alloc_samples_set_interval(void);

const char *instr_alloc_samples_start(JNIEnv *jni);
void instr_alloc_samples_stop(void);
// As instr_alloc_vm_forget.
void instr_alloc_samples_forget(JNIEnv *jni);

// Adds what was sampled, sites and stacks. With alloc.live a garbage collection comes before.
void instr_alloc_samples_report(JNIEnv *jni, struct instr_alloc_report *report);

// --- alloc_object.c: alloc.track=object ---

// The events that it needs, to be set before it starts.
void instr_alloc_object_callbacks(jvmtiEventCallbacks *callbacks);
// Instruments java.lang.Object, and switches counting on. `runtime_package` ends with '/'.
const char *instr_alloc_object_start(JNIEnv *jni, const char *runtime_package);
void instr_alloc_object_stop(JNIEnv *jni);

// --- shared ---

// The name in a class's signature: La/B; is a/B, arrays stay as they are; what the VM adds to the
// names of hidden classes is cut off. Cuts the text.
char *instr_alloc_name_of(char *signature);

// The line of a location; 0: not known.
uint32_t instr_alloc_line(jmethodID method, jlocation location);

// The name of a method's class in internal form; NULL: not known. *to_release is for Deallocate.
char *instr_alloc_declaring_class(JNIEnv *jni, jmethodID method, char **to_release);

// Bytes of memory that sites of the VM's, and samples, take.
size_t instr_alloc_vm_bytes(void);
size_t instr_alloc_samples_bytes(void);

#endif
