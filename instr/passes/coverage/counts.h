// counts.h: how often each probe was hit, in a file of our own

#ifndef INSTR_PASSES_COVERAGE_COUNTS_H
#define INSTR_PASSES_COVERAGE_COUNTS_H

#include <jni.h>

#include "instr/registry.h"

// Writes {"pass", "classes": [{"class", "id", "counts": [...]}]}: the counts since the start of the
// JVM, in the order of JaCoCo's probes. Returns 0, or -1 with one line in `error`.
int instr_coverage_write_counts(JNIEnv *jni, struct instr_coverage *registry, const char *path,
                                char *error, size_t size);

#endif
