// reads.h: the modules that classes of kits name

#ifndef INSTR_PASSES_KIT_READS_H
#define INSTR_PASSES_KIT_READS_H

#include <jvmti.h>

#include <stddef.h>
#include <stdint.h>

// Lets the module of a loader's package ("com/acme/") read those of the classes that a class names, which is to be defined
// there: its author compiled it without the application's module-info. Does nothing if that module has no name. What cannot be
// read after all fails when the class is linked.
void instr_kit_read_modules(jvmtiEnv *jvmti, JNIEnv *jni, jobject loader, const char *package,
                            const uint8_t *bytes, size_t length);

#endif
