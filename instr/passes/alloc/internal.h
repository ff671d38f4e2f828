// internal.h: what the files of the pass alloc share

#ifndef INSTR_PASSES_ALLOC_INTERNAL_H
#define INSTR_PASSES_ALLOC_INTERNAL_H

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

// One per JVM: events and natives cannot carry a pointer to it.
struct instr_alloc {
    jvmtiEnv *jvmti; // its own environment
    JavaVM *vm;
    struct instr_alloc_options options;
    struct instr_methods *methods; // of the engine
    bool value_objects;            // the JVM has value classes, and reports their objects
    // The JVM's own JNI functions, without those that are intercepted. NULL: before the start.
    const struct JNINativeInterface_ *jni;
};
extern struct instr_alloc instr_alloc;

// The size of the object according to the VM; 0: unknown.
int64_t instr_alloc_size_of(jobject object);

// --- sizes.c: the sizes that inserted code needs ---

// Measures arrays, registers the natives and initializes InstrAlloc, once. Returns NULL, or what
// failed.
const char *instr_alloc_sizes_start(JNIEnv *jni);

// The size of an object of the class, which is initialized; negative: it cannot be instantiated.
int64_t instr_alloc_instance_size(JNIEnv *jni, jclass class);

// --- events.c: what no bytecode allocates ---

// Switches VMObjectAlloc and the interception of JNI functions on. Returns NULL, or what failed.
const char *instr_alloc_vm_start(JNIEnv *jni);
void instr_alloc_vm_stop(void);
// Sets all counts to 0. Not while it is on.
void instr_alloc_vm_forget(void);

// Counts an object at the frame.
void instr_alloc_vm_count(JNIEnv *jni, const jvmtiFrameInfo *frame, jclass class, int64_t bytes);

// What these objects have cost so far in nanoseconds, as an estimate.
uint64_t instr_alloc_vm_cost_ns(void);

// Calls `each` for every site with a count, and sets the count to 0 if `reset`.
void instr_alloc_vm_each(void (*each)(void *context, const struct instr_method *site,
                                      uint64_t count, uint64_t bytes),
                         void *context, bool reset);

// --- dedup.c: objects that both the VM reports and inserted code counts ---

// Looks up the allocating callees (rewriters/allocating_callees.h).
void instr_alloc_dedup_start(JNIEnv *jni);

// Is the method one of them?
bool instr_alloc_is_callee(jmethodID method);

// `frames`: those of a VMObjectAlloc event, the innermost first. Does inserted code count the object
// where the native method was called?
bool instr_alloc_is_counted(JNIEnv *jni, const jvmtiFrameInfo *frames, jint n);

// Does the class inherit clone() from Object?
bool instr_alloc_inherits_clone(JNIEnv *jni, jclass class);

// --- samples.c: alloc.mode=sampled ---

// In the OnLoad phase this takes effect for the main thread, too: a thread chooses its first sample
// when it is created, and uses a new interval from the next sample on.
const char *instr_alloc_samples_set_interval(void);

const char *instr_alloc_samples_start(JNIEnv *jni);
void instr_alloc_samples_stop(void);
// Drops all samples and frees their memory; also while it is on.
void instr_alloc_samples_forget(JNIEnv *jni);

// Adds the sampled sites and stacks; with alloc.live after a garbage collection.
void instr_alloc_samples_report(JNIEnv *jni, struct instr_alloc_report *report);

// --- object.c: alloc.track=object ---

// Adds the event callbacks that it needs, to be set before it starts.
void instr_alloc_object_callbacks(jvmtiEventCallbacks *callbacks);
// Instruments java.lang.Object, and switches counting on. `runtime_package` ends with '/'.
const char *instr_alloc_object_start(JNIEnv *jni, const char *runtime_package);
void instr_alloc_object_stop(JNIEnv *jni);

// --- shared ---

// The name in a class's signature: a/B for La/B;, an array's signature unchanged, a hidden class
// without the VM's suffix. Modifies the text.
char *instr_alloc_name_of(char *signature);

// The name of a method's class in internal form; NULL: unknown. *to_release is for Deallocate.
char *instr_alloc_declaring_class(JNIEnv *jni, jmethodID method, char **to_release);

// Bytes of memory that the sites of events.c, and samples, take.
size_t instr_alloc_vm_bytes(void);
size_t instr_alloc_samples_bytes(void);

#endif
