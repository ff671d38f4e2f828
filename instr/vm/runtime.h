// runtime.h: brings the Java classes that inserted code calls into the VM (sources: runtime-java/).

#ifndef INSTR_RUNTIME_H
#define INSTR_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#include <jvmti.h>

#include "instr/id_registry.h"

// How the classes get there.
enum instr_delivery {
    // Defined by JNI DefineClass in package java.lang: all code can call them, whatever its loader
    // delegates.
    INSTR_DELIVERY_DIRECT,
    // In package instr.runtime, from a jar on the bootstrap class path. Named modules must be
    // opened.
    INSTR_DELIVERY_PATH,
};

struct instr_runtime_config {
    enum instr_delivery delivery;
    const char *library; // path of the agent library, beside which the jar may lie; may be NULL
    size_t page_budget;  // bytes of Java heap for counters of all threads; 0: 8 MiB
};

// Brings the runtime into the VM, once: from VMInit or when attached (live phase). Takes well below
// a millisecond, path delivery more. False: it cannot be; `reason` (of `size` bytes) says why in
// one line, no exception is pending, and nothing may be instrumented. When it is there already
// nothing is done, but asking for another delivery is an error.
bool instr_runtime_start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_runtime_config *config,
                         char *reason, size_t size);

// Is the runtime in the JVM?
bool instr_runtime_started(void);

// When no class is instrumented any more: forgets what was counted and gives the memory back. The
// classes stay; calls that were under way then and end later are not counted. No exception is
// pending after it.
void instr_runtime_release(JNIEnv *jni);

// Forgets what was counted under a pass's number, which is off. `timed`: long calls that go on are
// left out when they end. No exception is pending after it.
void instr_runtime_forget(JNIEnv *jni, const struct instr_methods *methods, unsigned pass,
                          bool timed);

// Gives memory that was freed back to the operating system.
void instr_give_back_memory(void);

// For wrappers of the JDK's own native methods, which run before the runtime can be there: brings
// in the one class that they call, with direct delivery. At OnLoad of JDK 8, where `jni` is NULL,
// as a jar on the bootstrap class path; from JDK 9 on it is defined, at VMStart before any Java
// code has run (capability can_generate_early_vmstart). False: as above.
bool instr_runtime_start_early(jvmtiEnv *jvmti, JNIEnv *jni, const char *library, char *reason,
                               size_t size);

// The package of the classes in internal form, with its '/' at the end.
const char *instr_runtime_package(enum instr_delivery delivery);
// The same for the delivery that the runtime was started with.
const char *instr_runtime_package_used(void);

// A class of the runtime that is in the VM, a global reference that stays; NULL: there is none of
// the name. What it needs before it is initialized (natives) is its user's business.
jclass instr_runtime_class(const char *simple_name);

// The package of the classes that are in the VM; "" before they are.
const char *instr_runtime_current_package(void);

// Makes sure that the module of the named class (internal form) of `loader` (NULL: boot) may call
// the runtime: a read edge to the boot loader's unnamed module (JVM TI AddModuleReads). To be
// called in the live phase before a class is given inserted code; cheap when the module is known.
// Nothing to do with direct delivery, in an unnamed module, or on JDK 8. False: the class must be
// left alone; no exception is pending.
bool instr_runtime_open_module(jvmtiEnv *jvmti, JNIEnv *jni, jobject loader,
                               const char *class_name);

// What runtime-java/build.py makes of the sources.
enum instr_runtime_variant {
    INSTR_RUNTIME_ANY,
    INSTR_RUNTIME_JDK8,
    INSTR_RUNTIME_JDK11,
    INSTR_RUNTIME_JDK19
};
struct instr_runtime_class {
    enum instr_delivery delivery;
    const char *name;           // internal form
    const unsigned char *bytes; // NULL: in the jar
    size_t length;
    enum instr_runtime_variant variant;
};
extern const struct instr_runtime_class instr_runtime_classes[]; // superclasses first
extern const size_t instr_runtime_classes_count;
extern const unsigned char *const instr_runtime_jar;
extern const size_t instr_runtime_jar_size;

#endif
