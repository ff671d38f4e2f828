// implementations.h: methods of loaded classes that patterns select: those with code, and those that
// implement abstract ones

#ifndef INSTR_PASSES_WATCH_IMPLEMENTATIONS_H
#define INSTR_PASSES_WATCH_IMPLEMENTATIONS_H

#include <jvmti.h>

#include <stdbool.h>

enum { INSTR_IMPLEMENTATIONS = 100 }; // at most so many are watched

// Returns patterns of the methods of loaded classes that implement an abstract method which the
// patterns name by its class, separated by colons, and their number in *count. The caller frees
// the text. NULL: there are none, or memory ran out.
char *instr_watch_implementations(jvmtiEnv *jvmti, JNIEnv *jni, const char *patterns,
                                  unsigned *count);

// Has a loaded class a method with code that the patterns select?
bool instr_watch_is_loaded(jvmtiEnv *jvmti, JNIEnv *jni, const char *patterns);

#endif
