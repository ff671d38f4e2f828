// class_file.h: the class file of a loaded class, as its loader finds it. What the JVM hands out of
// a class that no agent saw when it was loaded is put together anew, and another agent may have
// changed what it had loaded.

#ifndef INSTR_CLASS_FILE_H
#define INSTR_CLASS_FILE_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Asks `loader` (NULL: boot) for the class file of the class with this internal name; runs Java
// code, the loader's own included. False: there is none, or it cannot be read; no exception is
// pending. The caller frees the bytes.
bool instr_class_file(JNIEnv *jni, jobject loader, const char *name, uint8_t **bytes,
                      size_t *length);

#endif
