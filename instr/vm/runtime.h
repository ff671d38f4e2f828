// runtime.h: defines the Java classes that inserted code calls (sources: runtime-java/) in the VM

#ifndef INSTR_VM_RUNTIME_H
#define INSTR_VM_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#include <jvmti.h>

#include "instr/id_registry.h"

// How the classes are defined.
enum instr_delivery {
    // By JNI DefineClass in package java.lang. All code can call them, whatever its loader
    // delegates.
    INSTR_DELIVERY_DIRECT,
    // In package instr.runtime, from a jar on the bootstrap class path. Named modules need a read
    // edge (instr_runtime_open_module).
    INSTR_DELIVERY_PATH,
};

struct instr_runtime_config {
    enum instr_delivery delivery;
    const char *library; // path of the agent library; the jar may be in its folder; may be NULL
    size_t page_budget;  // bytes of Java heap for counters of all threads; 0: 8 MiB
};

// Defines what all passes need of the runtime, once, in the live phase: at VMInit or after an attach.
// Takes a tenth of a millisecond; path delivery takes longer. False: `reason` (of `size` bytes) holds one line,
// no exception is pending, and nothing may be instrumented. If the classes are defined already,
// nothing is done; asking for another delivery is then an error.
bool instr_runtime_start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_runtime_config *config,
                         char *reason, size_t size);

// Defines a class that inserted code calls, with those that it needs, once: for nearly all these are
// the ones that count calls, which take half a millisecond. NULL: those alone. False: as above.
bool instr_runtime_add(JNIEnv *jni, const char *simple_name, char *reason, size_t size);

// Are the runtime's classes defined?
bool instr_runtime_started(void);

// Clears all counts and frees their memory, when no class is instrumented any more. The runtime's
// classes stay. Calls that are running now are not counted when they end. No exception is pending
// afterwards.
void instr_runtime_release(JNIEnv *jni);

// Clears the counts of a pass that is off, by its number. `timed`: long calls that are running now
// are not counted when they end. No exception is pending afterwards.
void instr_runtime_forget(JNIEnv *jni, const struct instr_methods *methods, unsigned pass,
                          bool timed);

// Returns freed memory to the operating system.
void instr_give_back_memory(void);

// For wrappers of the JDK's own native methods, which run before the runtime can be defined: makes
// the one class that they call available, with direct delivery. On JDK 8 this happens at OnLoad,
// where `jni` is NULL, by a jar on the bootstrap class path. From JDK 9 on the class is defined at
// VMStart, before any Java code has run (capability can_generate_early_vmstart). False: as above.
bool instr_runtime_start_early(jvmtiEnv *jvmti, JNIEnv *jni, const char *library, char *reason,
                               size_t size);

// The package of the classes in internal form, with its '/' at the end.
const char *instr_runtime_package(enum instr_delivery delivery);
// The same for the delivery that the runtime was started with.
const char *instr_runtime_package_used(void);

// A class of the runtime, a global reference that stays; NULL: no class of this name is defined.
// The caller registers the natives that it needs before it is initialized.
jclass instr_runtime_class(const char *simple_name);

// The same; "" before the runtime has started.
const char *instr_runtime_current_package(void);

// Makes the JVM's own system class loader find a class of the runtime now (`simple_name` may be
// NULL: none). When inserted code of the application first refers to the class, the JVM then runs no
// Java code to find it, which would fail with a full heap or an exhausted stack. Other loaders are
// not asked: their code may wait for locks. No exception is pending afterwards.
void instr_runtime_introduce(jvmtiEnv *jvmti, JNIEnv *jni, const char *simple_name);

// Does this loader find the class of this internal name? Runs code of the loader. No exception is
// pending afterwards.
bool instr_runtime_found_by(JNIEnv *jni, jobject loader, const char *internal_name);

// Makes sure that the module of the named class (internal form) of `loader` (NULL: the bootstrap
// loader) may call the runtime, by a read edge to the bootstrap loader's unnamed module (JVM TI
// AddModuleReads). Called in the live phase before code is inserted into a class; cheap if the
// module is known. Does nothing with direct delivery, in an unnamed module, or on JDK 8. False: the
// class must be skipped; no exception is pending.
bool instr_runtime_open_module(jvmtiEnv *jvmti, JNIEnv *jni, jobject loader,
                               const char *class_name);

// The class files that runtime-java/build.py makes of the sources.
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
