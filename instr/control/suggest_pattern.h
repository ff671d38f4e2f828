// suggest_pattern.h: what was meant by a pattern of classes that matches none

#ifndef INSTR_CONTROL_SUGGEST_PATTERN_H
#define INSTR_CONTROL_SUGGEST_PATTERN_H

#include <jvmti.h>

#include <stddef.h>

// Writes what matches loaded classes: the pattern with other letters (shop.* for Shop.*), the class of a
// method (shop.Main for shop.Main#burn), a package (shop.** for shop), or classes of similar names. `text`
// is empty if there is nothing. Looks at the name of every loaded class.
void instr_suggest_pattern(jvmtiEnv *jvmti, JNIEnv *jni, const char *pattern, char *text,
                           size_t size);

#endif
