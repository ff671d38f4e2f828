// wrapping.h: what passes that wrap native methods need of the JVM: prefixes by which it finds the
// methods that were renamed (JVM TI SetNativeMethodPrefix), and, for those of the JDK's own
// classes, class file hooks from the very start.
//
// A JVM takes prefixes off in the order of its JVM TI environments, backwards; but other agents
// that wrap may see a class before or after us, whatever that order. So the prefixes are set twice,
// in the environment that rewrites and in one that is made later than those of other agents:
// whoever wrapped first, there is an order in which all prefixes come off. They stay set for good.

#ifndef INSTR_WRAPPING_H
#define INSTR_WRAPPING_H

#include <stdbool.h>
#include <stddef.h>

#include <jvmti.h>

#include "instr/engine.h"

// Does a pass wrap native methods?
bool instr_wraps(const struct instr_options *options);

// Does one, and may it have to do so in classes that the JVM loads before VMInit? That costs: a JVM
// with hooks from the start does without class data sharing.
bool instr_wraps_early(const struct instr_options *options);

// Do all of them, and nothing else?
bool instr_wraps_only(const struct instr_options *options);

// Has one been on, at any time since the end? Then there may be classes with wrappers.
bool instr_native_prefix_any(void);

// A class has got wrappers; and has any? They stay as long as their class, and what comes again
// must have them again.
void instr_native_prefix_note(void);
bool instr_native_prefix_done(void);

// As if no pass had ever wrapped, if nothing was wrapped; before the environment of
// instr_native_prefix_prepare is given back.
void instr_native_prefix_end(void);

// Takes the capabilities for it, before anything else of this, at OnLoad for `early`. Nothing is
// done when no pass wraps. False: the JVM does not have them, `reason` says so in one line.
bool instr_native_prefix_prepare(jvmtiEnv *jvmti, const struct instr_options *options, bool early,
                                 char *reason, size_t size);
// In the live phase: an environment with the same prefixes behind those of all others. Once is
// enough.
bool instr_native_prefix_start(JavaVM *vm, const struct instr_options *options, char *reason,
                               size_t size);

// In the class file hook of early classes, in their order: what may be done to this one. `jvmti`
// has been prepared for it.
enum instr_occasion instr_native_prefix_early_occasion(const char *class_name);

// In the class file hook: what may be done to the members of a class that is retransformed or
// redefined.
enum instr_occasion instr_native_prefix_occasion(jvmtiEnv *jvmti, jclass redefined);

// Gives a class that has wrappers the same again, but bare: they do nothing but call the native
// methods. `bytes` have none. False: they stay as they are.
bool instr_native_prefix_again(const uint8_t *bytes, size_t length,
                               void *(*allocate)(void *context, size_t n), void *context,
                               struct instr_rewritten *result);

// Calls `each` with the first of the native methods in scope of pass `i` that cannot be wrapped, as
// their classes were loaded before, `most` of them. How many there are.
size_t instr_native_prefix_unwrapped(struct instr_engine *engine,
                                     const struct instr_options *options, size_t i, size_t most,
                                     void (*each)(void *context, const char *method),
                                     void *context);

// Says on standard error which native methods in scope cannot be wrapped, as their classes were
// loaded before. Nothing, if there are none.
void instr_native_prefix_report(struct instr_engine *engine, const struct instr_options *options);

#endif
