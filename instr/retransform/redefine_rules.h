// The rules of RedefineClasses (JVM TI 11.2.8): finds what the JVM would refuse, and explains it.

#ifndef INSTR_REDEFINE_RULES_H
#define INSTR_REDEFINE_RULES_H

#include <jvmti.h>

#include <stddef.h>
#include <stdint.h>

// The internal name of the class in a class file, to be freed; NULL: not a class file, see `reason`.
char *instr_redefine_name(const uint8_t *bytes, size_t length, char *reason, size_t size);

// May `next` replace the loaded class `old` of the same name? 0: `reason` says what differs, or why
// `next` does not verify.
int instr_redefine_check(jvmtiEnv *jvmti, const uint8_t *old, size_t old_length,
                         const uint8_t *next, size_t next_length, char *reason, size_t size);

#endif
