// coverage_counts.h: how often each probe was passed, in a file of our own.

#ifndef INSTR_COVERAGE_COUNTS_H
#define INSTR_COVERAGE_COUNTS_H

#include <jni.h>

#include "instr/registry.h"

// Writes {"pass", "classes": [{"class", "id", "counts": [...]}]}: for each class a number for each
// probe in JaCoCo's order, since the start of the JVM. Returns 0; or -1 with one line in `error`.
int instr_coverage_write_counts(JNIEnv *jni, struct instr_coverage *registry, const char *path,
                                char *error, size_t size);

#endif
