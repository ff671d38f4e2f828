// implementations.h: methods of loaded classes that patterns select: those with code, and those that
// implement abstract ones

#ifndef INSTR_PASSES_WATCH_IMPLEMENTATIONS_H
#define INSTR_PASSES_WATCH_IMPLEMENTATIONS_H

#include <jvmti.h>

#include <stdbool.h>

enum { INSTR_IMPLEMENTATIONS = 100 }; // at most so many are watched

// What implements the abstract methods that patterns name by their class. The caller frees the texts.
struct instr_implementations {
    // Patterns of the abstract methods, com.acme.Foo+.bar(int), and of methods that a class inherits
    // from one that does not extend or implement Foo. NULL: there are none, or memory ran out.
    char *patterns;
    char *methods;  // of loaded classes that implement them, as patterns; NULL: none
    unsigned count; // of those
};
void instr_watch_implementations(jvmtiEnv *jvmti, JNIEnv *jni, const char *patterns,
                                 struct instr_implementations *found);

// Do the patterns select the method of this class, which is loaded? An internal name.
bool instr_watch_selects(jvmtiEnv *jvmti, JNIEnv *jni, const char *patterns, const char *class_name,
                         const char *method, const char *descriptor);

// Has a loaded class a method with code that the patterns select?
bool instr_watch_is_loaded(jvmtiEnv *jvmti, JNIEnv *jni, const char *patterns);
// The same for native methods.
bool instr_watch_is_native(jvmtiEnv *jvmti, JNIEnv *jni, const char *patterns);

#endif
