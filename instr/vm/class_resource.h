// class_resource.h: the class file of a loaded class, as a resource of its loader
//
// The JVM reconstitutes the bytes of a class that no agent saw when it was loaded, and another
// agent may have changed the bytes that it loaded. The resource is what the compiler wrote.

#ifndef INSTR_VM_CLASS_RESOURCE_H
#define INSTR_VM_CLASS_RESOURCE_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Asks `loader` (NULL: the bootstrap loader) for the class file of the class with this internal
// name; runs Java code, the loader's own included. False: there is none, or it cannot be read. No
// exception is pending afterwards. The caller frees the bytes.
bool instr_class_resource(JNIEnv *jni, jobject loader, const char *name, uint8_t **bytes,
                          size_t *length);

#endif
