// jvmti.h: small helpers for JVM TI

#ifndef INSTR_VM_JVMTI_H
#define INSTR_VM_JVMTI_H

#include <jvmti.h>

#include <stddef.h>
#include <stdint.h>

// JVM TI Allocate as a function that rewriting calls; `jvmti` is the environment. NULL: out of memory.
void *instr_jvmti_allocate(void *jvmti, size_t size);

// The line of a location; 0: unknown. Needs can_get_line_numbers.
uint32_t instr_jvmti_line(jvmtiEnv *jvmti, jmethodID method, jlocation location);

#endif
