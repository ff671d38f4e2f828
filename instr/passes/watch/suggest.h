// What was meant by patterns of methods that select nothing.

#ifndef INSTR_PASSES_WATCH_SUGGEST_H
#define INSTR_PASSES_WATCH_SUGGEST_H

#include <jvmti.h>

#include <stddef.h>

// Writes up to three methods of loaded classes that are spelled like those of the patterns: with
// other letters, $ for dots, other argument types, or without the package. They are separated
// by commas; `text` is empty if there are none. Looks at the name of every loaded class.
void instr_watch_suggest(jvmtiEnv *jvmti, JNIEnv *jni, const char *patterns, char *text,
                         size_t size);

// The same for the method at the start of a rule, CLASS.METHOD(TYPE NAME, ..).
void instr_watch_suggest_for_rule(jvmtiEnv *jvmti, JNIEnv *jni, const char *rule, char *text,
                                  size_t size);

// The same for classes and one pattern of class names.
void instr_watch_suggest_class(jvmtiEnv *jvmti, JNIEnv *jni, const char *pattern, char *text,
                               size_t size);

#endif
