// What passes that wrap native methods need from the JVM: prefixes by which it finds the renamed
// methods (JVM TI SetNativeMethodPrefix), and, for classes of the JDK, class file hooks from the
// very start.
//
// A JVM removes prefixes in the order of its JVM TI environments, last one first. But another agent
// that wraps may see a class before or after us, whatever that order. So the prefixes are set
// twice: in the environment that rewrites, and in one that is created after those of other agents.
// Whichever agent wrapped first, some order then removes all prefixes. They stay set until the JVM
// ends.

#ifndef INSTR_NATIVE_PREFIX_H
#define INSTR_NATIVE_PREFIX_H

#include <stdbool.h>
#include <stddef.h>

#include <jvmti.h>

#include "instr/engine.h"

// The passes that wrap native methods and do nothing else, a bit for each.
uint64_t instr_wrapping_passes(const struct instr_options *options);

// Is there such a pass, perhaps for classes that the JVM loads before VMInit? That is
// expensive: with hooks from the start, the JVM disables class data sharing.
bool instr_wraps_early(const struct instr_options *options);

// Do all passes wrap native methods, and do nothing else?
bool instr_wraps_only(const struct instr_options *options);

// Has a pass that wraps native methods been on since the start, or since instr_native_prefix_end?
// Then there may be classes with wrappers.
bool instr_native_prefix_any(void);

// Records that a class got wrappers, and says whether any did. Wrappers stay as long as their
// class, which must have them whenever it is retransformed.
void instr_native_prefix_mark_used(void);
bool instr_native_prefix_used(void);

// Undoes the preparations if no class got wrappers. Call it before the environment of
// instr_native_prefix_prepare is disposed of.
void instr_native_prefix_end(void);

// Takes the necessary capabilities, before the other functions here are called; with `early` at
// OnLoad. Does nothing if no pass wraps. False: the JVM lacks them, see `reason`.
bool instr_native_prefix_prepare(jvmtiEnv *jvmti, const struct instr_options *options, bool early,
                                 char *reason, size_t size);
// In the live phase: creates an environment with the same prefixes behind those of all other
// agents, once.
bool instr_native_prefix_start(JavaVM *vm, const struct instr_options *options, char *reason,
                               size_t size);

// In the class file hook of early classes, in the order of loading: what may be done to this one.
enum instr_occasion instr_native_prefix_early_occasion(const char *class_name);

// The methods of a loaded class that have wrappers. The names lie in `pool`.
struct instr_wrapped {
    struct instr_wrapped_method *methods;
    size_t count;
    unsigned char *pool; // of JVM TI
};

// False: there are none, and nothing to close.
bool instr_native_prefix_find(jvmtiEnv *jvmti, jclass loaded, struct instr_wrapped *wrapped);
void instr_native_prefix_close(jvmtiEnv *jvmti, struct instr_wrapped *wrapped);

// Adds the wrappers to `bytes` of a class that was loaded with them. These wrappers only call the
// native methods. False: `bytes` stay unchanged.
bool instr_native_prefix_rewrap(const struct instr_wrapped *wrapped, const uint8_t *bytes,
                                size_t length, void *(*allocate)(void *context, size_t n),
                                void *context, struct instr_rewritten *result);

// Calls `each` for up to `most` native methods in scope of pass `i` that cannot be wrapped because
// their classes were already loaded. Returns the number of all such methods.
size_t instr_native_prefix_unwrapped(struct instr_engine *engine,
                                     const struct instr_options *options, size_t i, size_t most,
                                     void (*each)(void *context, const char *method),
                                     void *context);

// Prints the native methods in scope that cannot be wrapped because their classes were already
// loaded to standard error, if there are any.
void instr_native_prefix_report(struct instr_engine *engine, const struct instr_options *options);

#endif
