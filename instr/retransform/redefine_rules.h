// redefine_check.h: what RedefineClasses (JVM TI 11.2.8) would refuse, found beforehand and said in
// words.

#ifndef INSTR_REDEFINE_CHECK_H
#define INSTR_REDEFINE_CHECK_H

#include <jvmti.h>

#include <stddef.h>
#include <stdint.h>

// The internal name of the class in a class file, to be freed; NULL: it is none, and `reason` says
// why.
char *instr_redefine_name(const uint8_t *bytes, size_t length, char *reason, size_t size);

// May `next` take the place of `old`, which is loaded? Both have the same name. 0: `reason` says
// what is another than before, or does not verify.
int instr_redefine_check(jvmtiEnv *jvmti, const uint8_t *old, size_t old_length,
                         const uint8_t *next, size_t next_length, char *reason, size_t size);

#endif
