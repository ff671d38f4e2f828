// untouchable.h: the classes that HotSpot offers to agents but that must not be changed
//
// Anonymous classes, which Unsafe.defineAnonymousClass makes and JDK 8 uses for each lambda: up to
// JDK 8 the JVM offers them to agents and calls them modifiable, but loses the values patched into
// their constant pools when they are retransformed, changed or not. From then on a lambda that
// captures a variable throws NoClassDefFoundError (JDK-8145964). From JDK 9 on the JVM does not
// offer them, nor the hidden classes of JDK 15 and later. They are skipped in all JVMs.
//
// Interfaces, while other threads load classes: between parsing and linking a class HotSpot holds
// pointers to methods of the interfaces that it implements, across safepoints. These are the
// methods that the class does not implement itself (ClassFileParser's list of them for
// DefaultMethods::generate_default_methods, all JDKs from 8 on), and those that loader constraints
// are checked for (klassItable::check_constraints, from 17 on). Retransforming an interface frees
// its methods, whether they changed or not, and the VM crashes. Static and private methods are in
// neither list. Methods of superclasses are safe: HotSpot holds them in handles.
//
// The JDK's own classes, while the JVM records an AOT cache.

#ifndef INSTR_VM_UNTOUCHABLE_H
#define INSTR_VM_UNTOUCHABLE_H

#include <jvmti.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// --- anonymous classes ---

// Is the loaded class anonymous? `name` is its internal name from JVM TI GetClassSignature, which
// for such a class ends with a slash and the class's hash.
bool instr_is_anonymous(jvmtiEnv *jvmti, jclass class, const char *name);

// Is the current thread defining an anonymous class? For the class file hook, when a class has no
// name.
bool instr_makes_anonymous(jvmtiEnv *jvmti, JNIEnv *jni);

// --- interfaces ---

#define INSTR_INTERFACE_REASON                                                                     \
    "HotSpot can crash when an interface is retransformed while classes that implement it are "    \
    "being loaded; interfaces=yes overrides this"

enum instr_interface {
    INSTR_INTERFACE_NONE, // a class, or an interface with no method that HotSpot could hold
    INSTR_INTERFACE_BARE, // an interface without code
    INSTR_INTERFACE_CODE  // an interface with code, or with methods that cannot be read
};

// The kind of a prepared class. Leaves no exception pending.
enum instr_interface instr_interface_of(jvmtiEnv *jvmti, jclass class);

// Writes one line, without "instr: ": `count` interfaces were skipped.
void instr_interfaces_skipped(uint64_t count, char *line, size_t size);

// --- the JDK's own classes ---

// Does this run of the JVM record an AOT cache (JEP 483)? At the end of such a run the JVM writes
// down its classes. If an agent has changed one of the JDK's own, it gives up, and the exit status
// is not the program's; a JDK 25 crashed. The answer comes from the JVM's flags, which are in the
// table that it exports for debuggers (gHotSpotVMStructs); without that table it is 0.
int instr_records_cache(JavaVM *vm);

#endif
