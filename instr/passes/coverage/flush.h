// coverage_flush.h: the thread of coverage.mmap=flush, which copies the probes to the file mapping
// ten times a second (holders.h). Inserted code then is what it is without a mapping, and what a
// JVM that is killed loses is what was passed since the last time.

#ifndef INSTR_COVERAGE_FLUSH_H
#define INSTR_COVERAGE_FLUSH_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

#include "instr/registry.h"

// In the live phase, when the holders were started. Nothing to do when it runs. False: one line is
// in `reason`.
bool instr_coverage_flush_start(JavaVM *vm, struct instr_coverage *coverage, char *reason,
                                size_t size);
// Has it end, and waits a little for that: it may be held up in a VM that ends. Not to be called
// with a lock that reading the probes takes.
void instr_coverage_flush_stop(void);

#endif
